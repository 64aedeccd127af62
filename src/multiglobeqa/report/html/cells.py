"""Weak cells, confidently wrong answers, and runs against each other: what to look at first."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from multiglobeqa.report.html.breakdowns import COLUMNS, CONDITION, label
from multiglobeqa.report.metrics import Comparison, Interval, compare, corrected, grouped, intervals, tabulate
from multiglobeqa.report.values import words

PLANS: Final[tuple[tuple[str, ...], ...]] = (
    ("family", "format"),
    ("family", "income"),
    ("country",),
    ("language",),
    ("language", "question_type", "subregion"),
)
"""The cells that are looked at: all groups that these columns make."""
LEAST_ITEMS: Final = 10
LEAST_CLUSTERS: Final = 5
SURE: Final = 0.8
"""A wrong answer with at least this confidence is listed."""
_PAIRS: Final = 15


@dataclass(frozen=True)
class Weak:
    """A cell whose whole interval lies below the condition's overall EM. ``lost``: right answers that it lacks to the
    overall EM."""

    condition: str
    columns: tuple[str, ...]
    values: tuple[Any, ...]
    span: Interval
    overall: float

    @property
    def lost(self) -> float:
        """(overall - EM) x n."""
        return (self.overall - float(self.span.value or 0)) * self.span.items

    @property
    def name(self) -> str:
        """The cell in words."""
        parts = zip(self.columns, self.values, strict=True)
        titles = {**COLUMNS, "country": "Country"}
        return " · ".join(f"{titles.get(key, words(key))}: {label(key, value)}" for key, value in parts)


@dataclass(frozen=True)
class WeakCells:
    """``cells``: the worst, most lost answers first; ``found`` and ``looked_at`` count all. Of cells no worse than the
    whole, 2.5 % would fall below by chance."""

    cells: list[Weak]
    found: int
    looked_at: int


@dataclass(frozen=True)
class Sure:
    """A wrong answer given with confidence (None: given alike at all of several seeds)."""

    condition: str
    id: str
    language: str
    question: str
    answer: str
    gold: str | None
    confidence: float | None
    seeds: int


def weak_cells(table: pa.Table, most: int = 40, draws: int = 1000) -> WeakCells:
    """The weak cells of all conditions. Cells of fewer than 10 questions or 5 entities are not looked at."""
    overall = {one.group[0]: float(one.em) for one in tabulate(table, (CONDITION,)) if one.em is not None}
    found: list[Weak] = []
    looked_at = 0
    for columns in PLANS:
        if any(len(pc.unique(pc.cast(table[name], pa.string()))) < 2 for name in columns[:1]):
            continue
        by = (CONDITION, *columns)
        chosen = _filled(table, by)
        for span in intervals(chosen, by, draws=draws) if chosen.num_rows else []:
            if span.value is None or span.high is None or span.clusters < LEAST_CLUSTERS:
                continue
            looked_at += 1
            if span.high < overall[span.group[0]]:
                found.append(Weak(span.group[0], columns, span.group[1:], span, overall[span.group[0]]))
    found.sort(key=lambda cell: (-cell.lost, cell.condition, cell.name))
    return WeakCells(found[:most], len(found), looked_at)


def _filled(table: pa.Table, by: Sequence[str]) -> pa.Table:
    """The rows of groups whose columns all have a value and that hold enough true-premise questions."""
    keep = np.asarray(table["premise"], dtype=bool)
    for name in by:
        keep &= np.asarray(pc.is_valid(table[name]))
    chosen = table.filter(pa.array(keep))
    groups = grouped(chosen, by)
    enough = np.bincount(groups.codes, minlength=len(groups)) >= LEAST_ITEMS
    return chosen.filter(pa.array(enough[groups.codes] if len(groups) else np.zeros(0, bool)))


def confidently_wrong(table: pa.Table, questions: pa.Table, most: int = 100) -> list[Sure]:
    """Wrong answers to review: with a confidence of at least 0.8, surest first; where a run tells no confidence, those
    that all its seeds (at least two) give alike."""
    wrong = table.filter(
        pc.and_(pc.and_(pc.equal(table["em"], 0), table["premise"]), pc.equal(table["status"], "answered"))
    )
    told = set(
        pc.unique(pc.cast(table.filter(pc.is_valid(table["confidence"]))[CONDITION], pa.string())).to_pylist()
    )
    sure = wrong.filter(pc.fill_null(pc.greater_equal(wrong["confidence"], SURE), False))
    columns = [CONDITION, "id", "language", "parsed", "confidence"]
    rows = [{**row, "seeds": 1} for row in sure.select(columns).to_pylist()]
    seeds = {
        name: len({seed for other, seed in grouped(table, (CONDITION, "seed")).keys if other == name})
        for name, _ in grouped(table, (CONDITION, "seed")).keys
    }
    if any(count > 1 and name not in told for name, count in seeds.items()):
        plain = pa.table({name: pc.cast(wrong[name], pa.string()) for name in columns[:-1]})
        for row in plain.group_by(columns[:-1]).aggregate([([], "count_all")]).to_pylist():
            name, count = row[CONDITION], row.pop("count_all")
            if name not in told and count == seeds[name] > 1:
                rows.append({**row, "confidence": None, "seeds": count})
    rows.sort(key=lambda row: (-(row["confidence"] or 0), row[CONDITION], row["id"], row["language"]))
    texts = {row["id"]: row for row in questions.select(["id", "question", "gold", "unit"]).to_pylist()}
    return [
        Sure(
            row[CONDITION], row["id"], row["language"], texts[row["id"]]["question"], row["parsed"],
            texts[row["id"]]["gold"], row["confidence"], row["seeds"],
        )
        for row in rows[:most]
    ]  # fmt: skip


def comparisons(table: pa.Table, conditions: Sequence[str]) -> list[Comparison]:
    """EM of each pair of conditions on the questions that both have; of many conditions, each against the first. Holm's
    correction is over all."""
    pairs = list(itertools.combinations(conditions, 2))
    if len(pairs) > _PAIRS:
        pairs = pairs[: len(conditions) - 1]
    parts = {name: table.filter(pc.equal(table[CONDITION], name)) for pair in pairs for name in pair}
    found: list[Comparison] = []
    for a, b in pairs:
        found += compare(parts[a], parts[b], (), "em", names=(a, b), common=True)
    return corrected(found)
