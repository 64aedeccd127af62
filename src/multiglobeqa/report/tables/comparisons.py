"""Two runs over the same questions: difference, interval, p-value, and what difference could have been seen."""

from __future__ import annotations

import itertools
from typing import Final

from multiglobeqa.report.metrics import Comparison, compare, corrected
from multiglobeqa.report.tables.cell import Cell, Column, NotDrawn, Table, count, percent, signed, words
from multiglobeqa.report.tables.conditions import Condition, condition_name
from multiglobeqa.report.tables.study import Study, of_condition

FEW: Final = 8
"""Up to so many models and tiers are all compared; of more, those that differ in the model or in the tier alone."""


def pairs(conditions: list[Condition]) -> list[tuple[Condition, Condition]]:
    """Which models and tiers are compared."""
    every = list(itertools.combinations(conditions, 2))
    if len(conditions) <= FEW:
        return every
    return [(a, b) for a, b in every if (a[0] == b[0]) != (a[1] == b[1])]


def comparison(study: Study) -> Table:
    """All pairs of models and tiers on the main questions, EM."""
    chosen = pairs(study.conditions)
    if not chosen:
        raise NotDrawn("two runs, models or tiers")
    tables = {}
    for condition in study.conditions:
        table = of_condition(study.main, condition)
        # Several runs of one model at one tier are its seeds: they are averaged as one run.
        tables[condition] = table.drop_columns(["run"])
    found: list[Comparison] = []
    for a, b in chosen:
        names = (condition_name(a), condition_name(b))
        found += compare(tables[a], tables[b], names=names, common=True, options=study.options)
    rows = [
        (
            *words(one.name_a, one.name_b), count(one.questions), percent(one.a), percent(one.b),
            signed(one.difference, low=one.low, high=one.high), Cell(one.p, "p"), Cell(one.p_holm, "p"),
            count(one.only_a), count(one.only_b), Cell(one.mcnemar, "p"), percent(one.detectable),
        )
        for one in corrected(found)
    ]  # fmt: skip
    heads = (
        Column("a", text=True), Column("b", text=True), Column("questions"), Column("EM a"), Column("EM b"),
        Column("a - b"), Column("p"), Column("p (Holm)"), Column("only a right"), Column("only b right"),
        Column("McNemar p"), Column("detectable"),
    )  # fmt: skip
    notes = [
        "Paired by question; seeds are averaged question by question. Brackets: 95 % interval by the cluster "
        "bootstrap over entities. p: the runs change places within clusters; Holm: corrected over this table. "
        "McNemar takes questions as independent, and needs one seed.",
        "Detectable: the smallest true difference that this benchmark would show with a power of 80 %.",
    ]
    if lost := sum(one.unmatched_a + one.unmatched_b for one in found):
        notes.append(f"Left out, since only one of the two was asked: {lost:,} questions over all rows.")
    title = f"Paired comparison, exact match ({study.language}, text questions, true premises)"
    return Table("comparison", title, heads, tuple(rows), tuple(notes), shown=40)
