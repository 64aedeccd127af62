"""The matrix family x stratum x KG: how many questions each cell holds and, where none, why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import Any

from multiglobeqa.engine import Engine
from multiglobeqa.kg.schema import DENSITY_TIERS, INCOME_TIERS
from multiglobeqa.taxonomy.model import SubTemplate

STRATA = tuple((income, density) for income in INCOME_TIERS for density in DENSITY_TIERS)


def entity_counts(engine: Engine, kg: str) -> list[dict[str, Any]]:
    """Entities of a KG by kind and stratum; income and density are null where an entity has none."""
    table = engine.query(
        "SELECT kind, income, density, count(*) AS count FROM entity GROUP BY kind, income, density "
        "ORDER BY kind, income, density"
    )
    return [{"kg": kg, **row} for row in table.to_pylist()]


def absent(kg: str, sub: SubTemplate) -> list[dict[str, Any]]:
    """Cells of a sub-template that does not apply to a KG."""
    cause = f"the template does not apply to {kg}, which lacks the facts it needs"
    return [_cell(kg, sub, income, density, 0, cause) for income, density in STRATA]


def cells(
    kg: str,
    sub: SubTemplate,
    drawn: Counter[str] | None,
    causes: Counter[tuple[str, str]],
    valid: Counter[str],
    rows: list[dict[str, Any]],
    rules: Collection[str],
) -> list[dict[str, Any]]:
    """One entry a stratum: the questions, and the cause where there are none.

    ``drawn``: entities of the first draw by cell; ``causes``: discards by (cell, cause); ``valid``: candidates by cell
    that passed. ``rules``: the balance and name rules that took tuples of this sub-template out.

    A template of events alone belongs to no stratum and has one entry, with income and density null.
    """
    questions = Counter((row["income"], row["density"]) for row in rows)
    if not sub.stratified:
        return [_cell(kg, sub, None, None, len(rows), None if rows else sub.empty)]
    out = []
    for income, density in STRATA:
        count = questions[(income, density)]
        cause = None if count else _cause(sub, drawn, causes, valid, rules, f"{income}/{density}")
        out.append(_cell(kg, sub, income, density, count, cause))
    return out


def _cause(
    sub: SubTemplate,
    drawn: Counter[str] | None,
    causes: Counter[tuple[str, str]],
    valid: Counter[str],
    rules: Collection[str],
    cell: str,
) -> str:
    if drawn is not None and not drawn[cell]:
        return "no entity of the kinds and classes asked"
    if valid[cell]:
        return "taken out by the rules of balance and names: " + ", ".join(sorted(rules))
    here = Counter({cause: count for (at, cause), count in causes.items() if at == cell})
    if here:
        listed = ", ".join(
            f"{cause} {count}" for cause, count in sorted(here.items(), key=lambda i: (-i[1], i[0]))[:3]
        )
        return f"all discarded: {listed}"
    return sub.empty


def _cell(
    kg: str, sub: SubTemplate, income: str | None, density: str | None, questions: int, cause: str | None
) -> dict[str, Any]:
    return {
        "kg": kg,
        "family": sub.family,
        "subtemplate": sub.id,
        "income": income,
        "density": density,
        "questions": questions,
        "cause": cause,
    }
