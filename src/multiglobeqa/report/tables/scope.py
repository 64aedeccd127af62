"""What a report was made of, and what it does not say."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from multiglobeqa.build import variants
from multiglobeqa.report.metrics import MISSING, grouped
from multiglobeqa.report.tables.cell import NotDrawn, Table, columns, count, words
from multiglobeqa.report.tables.conditions import MEANINGS, condition_name, in_order, tier_name
from multiglobeqa.report.tables.study import Study

WARNING = (
    "A score is not readiness: it says how often answers to these questions were right, of these operations, "
    "formats, regions and languages, with these prompts. It does not say that a model may be relied on for "
    "navigation, logistics, planning or any other task; look at the weak cells and the confidently wrong answers "
    "first."
)

_NAMED: Final = 4
"""Up to so many models and tiers are named."""


def scope(study: Study) -> dict[str, Any]:
    """The test scope as JSON values: benchmark, variant, models, tiers, seeds, languages, questions asked, missing."""
    table = study.table
    status = table["status"].cast(pa.string())
    whole = study.questions
    return {
        "benchmark": study.name,
        "snapshots": study.snapshots,
        "variant": _variant(study),
        "questions_of_benchmark": len(whole["id"].unique()),
        "questions_asked": len(table["id"].unique()),
        "false_premises_asked": len(table.filter(pc.invert(table["premise"]))["id"].unique()),
        "models": sorted(table["model"].cast(pa.string()).unique().to_pylist()),
        "tiers": in_order(table["tier"].cast(pa.string()).unique().to_pylist()),
        "seeds": sorted(table["seed"].unique().to_pylist()),
        "languages": sorted(code or "" for code in table["language"].cast(pa.string()).unique().to_pylist()),
        "modalities": sorted(
            {one or "text" for one in table["modality"].cast(pa.string()).unique().to_pylist()}
        ),
        "replies_asked_for": table.num_rows,
        "missing": int(pc.sum(pc.equal(status, MISSING)).as_py() or 0),
        "not_asked": [asdict(one) for one in study.dropped],
        "intake": list(study.intake),
        "main_language": study.language,
        "bootstrap_draws": study.draws,
        "seed": study.seed,
    }


def _variant(study: Study) -> str:
    if study.small:
        return "small"
    try:
        return "small" if variants.chosen(study.asked_once).all() else "large"
    except NotDrawn:
        return "large"


def lines(study: Study) -> list[str]:
    """The test scope in words, a line each; the warning is the last."""
    told = scope(study)
    seeds = len(told["seeds"])
    missing = told["missing"]
    parts = [
        f"Benchmark {told['benchmark']} ({told['variant']} variant), {told['questions_of_benchmark']:,} questions; "
        f"asked {told['questions_asked']:,} of them, {told['false_premises_asked']:,} with a false premise.",
        f"Models: {', '.join(told['models'])}. Tiers: "
        + ", ".join(_tier(tier) for tier in told["tiers"])
        + f". {seeds} seed{'s' if seeds != 1 else ''}.",
        f"Languages: {', '.join(told['languages'])}. Modalities: {', '.join(told['modalities'])}. Where one "
        f"language is shown it is {told['main_language']}.",
        f"{told['replies_asked_for']:,} replies were asked for; {missing:,} are missing and count as wrong.",
    ]
    if study.only_small:
        few = len(study.only_small) <= _NAMED
        who = (
            "; ".join(condition_name(one) for one in study.only_small)
            if few
            else f"{len(study.only_small)} of {len(study.conditions)} models and tiers"
        )
        parts.append(
            f"Replies to questions of the small variant alone, so that all others count as missing: {who}. For a "
            "report on that variant: --variant small."
        )
    if study.dropped:
        parts.append(f"Not asked at all (left out): {_not_asked(study)}.")
    parts += [
        f"{one['source']}: {one.get('asked', 'only a part of the questions is in the denominator')}."
        for one in study.intake
        if one.get("restricted")
    ]
    return [*parts, WARNING]


def _tier(tier: str) -> str:
    return f"{tier} ({MEANINGS[tier]})" if tier in MEANINGS else tier_name(tier)


def _not_asked(study: Study) -> str:
    found: dict[tuple[str, str], list[str]] = {}
    for one in study.dropped:
        found.setdefault((one.language, one.modality), []).append(f"{one.model} {one.tier}".strip())
    return "; ".join(
        f"{modality} questions in {language}: {len(who)} model{'s' if len(who) != 1 else ''} and tiers"
        if len(who) > _NAMED
        else f"{modality} questions in {language}: {', '.join(who)}"
        for (language, modality), who in sorted(found.items())
    )


def asked(study: Study) -> Table:
    """What each model was asked: replies by tier, language, modality and seed."""
    keys = ("model", "tier", "language", "modality", "seed")
    groups = grouped(study.table, keys)
    missing = np.asarray(pc.equal(study.table["status"].cast(pa.string()), MISSING), dtype=np.bool_)
    rows = np.bincount(groups.codes, minlength=len(groups)).tolist()
    lost = np.bincount(groups.codes[missing], minlength=len(groups)).tolist()
    body = [
        (
            *words(model, tier_name(tier), language, modality or "text"),
            count(seed),
            count(rows[place]),
            count(lost[place]),
        )
        for place, (model, tier, language, modality, seed) in enumerate(groups.keys)
    ]
    heads = columns("model", "tier", "language", "modality", "seed", "asked", "missing", text=4)
    return Table("asked", "What was asked", heads, tuple(body), shown=40)
