"""The tables of a report: metrics of every condition by the columns of the questions, each with its denominator."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from multiglobeqa.kg.schema import DENSITY_TIERS, INCOME_TIERS
from multiglobeqa.report.html.land import country_names
from multiglobeqa.report.html.languages import language_name
from multiglobeqa.report.metrics import (
    STATUSES,
    Interval,
    LanguageDelta,
    Scores,
    Standardised,
    costs,
    family_mix,
    grouped,
    intervals,
    language_deltas,
    over_seeds,
    standardised,
    tabulate,
)
from multiglobeqa.report.metrics.languages import ENGLISH
from multiglobeqa.report.values import words
from multiglobeqa.taxonomy.model import FAMILIES

CONDITION: Final = "condition"
Group = tuple[Any, ...]

_ORDER: Final[dict[str, Sequence[str]]] = {"income": INCOME_TIERS, "density": DENSITY_TIERS,
                                           "depth": ("fact", "relation", "compound")}  # fmt: skip
COLUMNS: Final = {
    "family": "Family",
    "format": "Answer format",
    "kg": "Knowledge graph",
    "income": "Income tier",
    "density": "Density tier",
    "continent": "Continent",
    "subregion": "Subregion",
    "language": "Language",
    "depth": "Depth",
    "question_type": "Question type",
    "modality": "Modality",
}
"""Columns by which there is a table of EM, and their titles; those with a single value are left out."""


@dataclass(frozen=True)
class Cell:
    """One condition in one group. ``above``: EM is strictly above the majority baseline's."""

    em: Interval
    scores: Scores
    above: bool
    delta: LanguageDelta | None = None


@dataclass(frozen=True)
class Row:
    """One group: ``label`` for people, ``value`` as stored, ``cells`` by condition (None: nothing asked there)."""

    label: str
    value: str | None
    questions: int
    cells: tuple[Cell | None, ...]
    majority: Fraction | None


@dataclass(frozen=True)
class Breakdown:
    """One table: EM with its interval, NE and coverage of each condition in each group."""

    column: str
    title: str
    conditions: tuple[str, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Headline:
    """One condition over all its questions. ``sd``: of EM over seeds, with its label."""

    condition: str
    scores: Scores
    em: Interval
    intervals: Mapping[str, Interval]
    sd: float | None
    seeds: str
    dagger: bool
    above: bool


@dataclass(frozen=True)
class Heat:
    """EM of one condition in the 12 strata: rows ``INCOME_TIERS``, columns ``DENSITY_TIERS``; None without an item."""

    condition: str
    cells: tuple[tuple[tuple[Interval, Standardised] | None, ...], ...]


def headlines(table: pa.Table, conditions: Sequence[str], majority: Fraction | None) -> list[Headline]:
    """One row a condition, in their order, over true-premise questions; NRR over false-premise ones."""
    scores = {one.group[0]: one for one in tabulate(table, (CONDITION,))}
    spans = {
        metric: {one.group[0]: one for one in intervals(table, (CONDITION,), metric)}
        for metric in ("em", "frr", "nrr", "frr_carriers", "premise_balance")
    }
    seeds = {one.group[0]: one for one in over_seeds(table, (CONDITION,))}
    result = []
    for name in conditions:
        em, seed = scores[name].em, seeds[name]
        result.append(
            Headline(
                name, scores[name], spans["em"][name], {key: span[name] for key, span in spans.items()},
                seed.sd, seed.label, seed.dagger,
                em is not None and majority is not None and em > majority,
            )
        )  # fmt: skip
    return result


def breakdowns(table: pa.Table, conditions: Sequence[str], baseline: pa.Table | None) -> list[Breakdown]:
    """The tables of ``COLUMNS`` that have at least two groups."""
    found = [breakdown(table, conditions, column, baseline) for column in COLUMNS]
    return [one for one in found if len(one.rows) > 1]


def breakdown(
    table: pa.Table, conditions: Sequence[str], column: str, baseline: pa.Table | None
) -> Breakdown:
    """One table: groups in their natural order, questions without a value last; groups without a true-premise question
    are left out."""
    by = (CONDITION, column)
    spans = {one.group: one for one in intervals(table, by)}
    scores = {one.group: one for one in tabulate(table, by)}
    lines = {}
    if baseline is not None and (column != "language" or len(pc.unique(baseline["language"])) > 1):
        lines = {one.group[0]: one.em for one in tabulate(baseline, (column,))}
    deltas = _deltas(table) if column == "language" else {}
    asked = _asked(table, column)
    rows = []
    for value in sorted({group[1] for group in spans}, key=_rank(column)):
        cells: list[Cell | None] = []
        for name in conditions:
            span = spans.get((name, value))
            if span is None or span.value is None:
                cells.append(None)
                continue
            line = lines.get(value)
            above = line is not None and span.value > line
            cells.append(Cell(span, scores[name, value], above, deltas.get((name, value))))
        if any(cells):
            rows.append(Row(label(column, value), value, asked[value], tuple(cells), lines.get(value)))
    return Breakdown(column, COLUMNS.get(column, words(column).capitalize()), tuple(conditions), tuple(rows))


def heats(table: pa.Table, conditions: Sequence[str], questions: pa.Table) -> list[Heat]:
    """The strata of each condition, raw and standardised to the benchmark's mix of families."""
    by = (CONDITION, "income", "density")
    spans = {one.group: one for one in intervals(table, by)}
    true = questions.filter(questions["premise"])
    if not true.num_rows:
        return []
    even = {one.group: one for one in standardised(table, by, family_mix(questions))}
    result = []
    for name in conditions:
        grid = tuple(
            tuple(
                (spans[group], even[group])
                if (group := (name, income, density)) in spans and spans[group].value is not None
                else None
                for density in DENSITY_TIERS
            )
            for income in INCOME_TIERS
        )
        if any(cell for line in grid for cell in line):
            result.append(Heat(name, grid))
    return result


def statuses(table: pa.Table, conditions: Sequence[str]) -> list[tuple[str, list[tuple[int, int]]]]:
    """Status -> (count, all) of each condition, over all its questions whatever their premise."""
    scores = {one.group[0]: one for one in tabulate(table, (CONDITION,))}
    rows = []
    for status in STATUSES:
        line = []
        for name in conditions:
            one = scores[name]
            line.append(
                (getattr(one.true, status) + getattr(one.false, status), one.true.total + one.false.total)
            )
        rows.append((status, line))
    return rows


def diagnoses(table: pa.Table, conditions: Sequence[str]) -> list[tuple[str | None, list[tuple[int, int]]]]:
    """Diagnosis -> (count, wrong answers) of each condition, most frequent first; None last: no slip explains them."""
    wrong = table.filter(
        pc.and_(pc.and_(pc.equal(table["em"], 0), table["premise"]), pc.equal(table["status"], "answered"))
    )
    groups = grouped(wrong, (CONDITION, "diagnosis"))
    sizes = np.bincount(groups.codes, minlength=len(groups)).tolist()
    counts: dict[tuple[str, str | None], int] = {
        (name, slip): size for (name, slip), size in zip(groups.keys, sizes, strict=True)
    }
    every = {name: sum(count for (other, _), count in counts.items() if other == name) for name in conditions}
    slips = {slip for _, slip in counts}
    total = {slip: sum(counts.get((name, slip), 0) for name in conditions) for slip in slips}
    order = sorted(slips, key=lambda slip: (slip is None, -total[slip], slip or ""))
    if order in ([None], []):
        return []
    return [(slip, [(counts.get((name, slip), 0), every[name]) for name in conditions]) for slip in order]


def cost_rows(table: pa.Table, conditions: Sequence[str]) -> list[tuple[str, list[float | None]]]:
    """Medians over answered questions of what the runs tell of their costs; nothing they do not tell."""
    found = {one.group[0]: one for one in costs(table, (CONDITION,))}
    rows: list[tuple[str, list[float | None]]] = []
    names = list(dict.fromkeys(key for one in found.values() for key in one.medians))
    for key in names:
        line = [found[name].medians.get(key) if name in found else None for name in conditions]
        if any(value is not None for value in line):
            rows.append((f"{words(key)}, median", line))
    line = [found[name].tokens_per_correct if name in found else None for name in conditions]
    if any(value is not None for value in line):
        rows.append(("tokens per correct answer", line))
    return rows


def label(column: str, value: str | None) -> str:
    """A group's name for people."""
    if value is None or value == "":
        return "none stated"
    names: dict[str, Callable[[str], str]] = {
        "family": lambda key: f"{key} {FAMILIES.get(key, '')}".strip(),
        "country": lambda key: country_names().get(key, key),
        "language": language_name,
        "question_type": words,
        "income": lambda key: {"LIC": "low (LIC)", "LMC": "lower middle (LMC)", "UMC": "upper middle (UMC)",
                               "HIC": "high (HIC)"}.get(key, key),
    }  # fmt: skip
    return names.get(column, str)(value)


def _deltas(table: pa.Table) -> dict[tuple[str, str | None], LanguageDelta]:
    """Language against English, for the conditions that were asked in English too."""
    english = table.filter(pc.equal(table["language"], ENGLISH))
    with_english = set(pc.unique(pc.cast(english[CONDITION], pa.string())).to_pylist())
    names = pc.unique(pc.cast(table[CONDITION], pa.string())).to_pylist()
    result: dict[tuple[str, str | None], LanguageDelta] = {}
    for name in names:
        if name not in with_english:
            continue
        mine = table.filter(pc.equal(table[CONDITION], name))
        for one in language_deltas(mine, (CONDITION,)):
            result[name, one.language] = replace(one, group=(name,))
    return result


def _asked(table: pa.Table, column: str) -> dict[str | None, int]:
    """Group -> its different true-premise questions in all languages."""
    plain = pa.table(
        {name: pc.cast(table[name], pa.string()) for name in dict.fromkeys((column, "id", "language"))}
    ).filter(table["premise"])
    different = plain.group_by(plain.column_names).aggregate([])
    return {row["values"]: row["counts"] for row in pc.value_counts(different[column]).to_pylist()}


def _rank(column: str) -> Callable[[str | None], tuple[bool, int, str]]:
    places = {value: place for place, value in enumerate(_ORDER.get(column, ()))}
    english = {ENGLISH: -1} if column == "language" else {}

    def rank(value: str | None) -> tuple[bool, int, str]:
        named = label(column, value).casefold()
        return value is None, places.get(value or "", english.get(value or "", len(places))), named

    return rank
