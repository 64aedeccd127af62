"""Each language against English, on the questions that both have. English is the control and is never ranked."""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files

import numpy as np
import pyarrow as pa

from multiglobeqa.report.metrics import LanguageDelta, grouped, language_deltas, over_seeds
from multiglobeqa.report.metrics.languages import ENGLISH
from multiglobeqa.report.tables.cell import Cell, Column, NotDrawn, Table, count, percent, signed, words
from multiglobeqa.report.tables.conditions import Condition, tier_name
from multiglobeqa.report.tables.study import CONDITION, Study, conditions_of, of_condition


@cache
def names() -> dict[str, str]:
    """Code -> English name of a language."""
    text = files("multiglobeqa").joinpath("data", "languages.csv").read_text("utf-8")
    return {row["code"]: row["name"] for row in csv.DictReader(text.splitlines())}


def language_name(code: str | None) -> str:
    """The English name, else the code."""
    return names().get(code or "", code or "none")


def deltas(study: Study) -> dict[Condition, list[LanguageDelta]]:
    """(model, tier) -> its languages against English, of those that have English and another language.

    Raises NotDrawn where none has.
    """
    groups = grouped(study.texts, (*CONDITION, "language"))
    spoken: dict[Condition, set[str]] = {}
    for model, tier, language in groups.keys:
        spoken.setdefault((model, tier), set()).add(language)
    several = {key for key, codes in spoken.items() if ENGLISH in codes and len(codes - {ENGLISH, None}) > 0}
    if not several:
        raise NotDrawn("a run in English and in another language")
    kept = np.array([(model, tier) in several for model, tier, _ in groups.keys])[groups.codes]
    found: dict[Condition, list[LanguageDelta]] = {}
    for one in language_deltas(study.texts.filter(pa.array(kept)), CONDITION, options=study.options):
        found.setdefault((one.group[0], one.group[1]), []).append(one)
    return {key: found[key] for key in conditions_of(study.texts) if key in found}


def language(study: Study) -> Table:
    """EM of each language and its difference to English with interval; best first, English first of all."""
    rows: list[tuple[Cell, ...]] = []
    rules: list[int] = []
    for condition, found in study_deltas(study).items():
        rules.append(len(rows))
        own = of_condition(study.texts, condition)
        means = {one.group[0]: one for one in over_seeds(own, ("language",))}
        english = means[ENGLISH]
        head = words(condition[0], tier_name(condition[1]))
        rows.append(
            (*head, Cell("control"), Cell("English"), count(english.items),
             percent(english.mean, sd=english.sd, dagger=english.dagger), signed(None), Cell(None, "p"))
        )  # fmt: skip
        ranked = sorted(found, key=lambda one: (-(one.delta or 0), one.language))
        for one in ranked:
            mean = means[one.language]
            place = 1 + sum((other.delta or 0) > (one.delta or 0) for other in ranked)
            rows.append(
                (*head, Cell(str(place)), Cell(language_name(one.language)), count(one.questions),
                 percent(mean.mean, sd=mean.sd, dagger=mean.dagger),
                 signed(one.delta, low=one.pair.low, high=one.pair.high), Cell(one.pair.p_holm, "p"))
            )  # fmt: skip
    heads = (
        *(Column(name, text=True) for name in ("model", "tier", "place", "language")), Column("replies"), Column("EM"),
        Column("difference to English"), Column("p (Holm)"),
    )  # fmt: skip
    notes = (
        "Difference: on the questions that both languages have, paired by question; brackets: 95 % interval by the "
        "cluster bootstrap over entities; p: cluster sign flips, corrected over the languages of a model and tier "
        "(Holm).",
        "Place: by that difference. English is the control and has none. Parentheses: SD over seeds; \N{DAGGER} "
        "fewer seeds than the most.",
    )
    return Table(
        "language",
        "Exact match by language (text questions, true premises)",
        heads,
        tuple(rows),
        notes,
        tuple(rules[1:]),
    )


def study_deltas(study: Study) -> dict[Condition, list[LanguageDelta]]:
    """``deltas``, made once for each study."""
    return study.once("language_deltas", lambda: deltas(study))
