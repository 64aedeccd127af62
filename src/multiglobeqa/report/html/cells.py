"""Weak cells, confidently wrong answers, and runs against each other: what to look at first."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from multiglobeqa.report.html.breakdowns import COLUMNS, CONDITION, label
from multiglobeqa.report.metrics import (
    Comparison,
    Interval,
    compare,
    corrected,
    grouped,
    intervals,
    tabulate,
    wilson,
)
from multiglobeqa.report.metrics.intervals import FEW
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
    """A wrong answer to review. ``confidence``: stated, the highest over seeds; ``same`` of the ``seeds`` gave it, and
    ``alike`` conditions did."""

    condition: str
    id: str
    language: str
    question: str
    answer: str
    gold: str | None
    unit: str | None
    confidence: float | None
    same: int
    seeds: int
    alike: int

    @property
    def why(self) -> str:
        """What makes it one, in words."""
        told = [f"confidence {self.confidence:.2f}"] if self.confidence is not None else []
        if self.alike > 1:
            told.append(f"{self.alike} conditions alike")
        if self.seeds > 1:
            told.append(f"{self.same} of {self.seeds} seeds")
        return ", ".join(told)


def weak_cells(table: pa.Table, most: int = 40, draws: int = 1000) -> WeakCells:
    """The weak cells of all conditions. Cells of fewer than 10 replies or 5 entities are not looked at; with fewer
    than 20 entities the interval is joined with Wilson's over entities."""
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
            if span.clusters < FEW:  # the bootstrap's interval is too narrow there
                low, high = wilson(float(span.value), span.clusters)
                span = replace(span, low=min(low, span.low or 0.0), high=max(high, span.high))
            if span.high is not None and span.high < overall[span.group[0]]:
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


def confidently_wrong(table: pa.Table, questions: pa.Table, most: int = 200) -> list[Sure]:
    """Wrong answers to review, surest first: with a stated confidence of at least 0.8; given alike by several
    conditions (yes and no left out: they agree by chance); or, where a condition tells no confidence, alike at all of
    its seeds.
    """
    wrong = table.filter(
        pc.and_(pc.and_(pc.equal(table["em"], 0), table["premise"]), pc.equal(table["status"], "answered"))
    )
    keys = ["id", "language", CONDITION, "format", "parsed"]
    plain = pa.table(
        {name: pc.cast(wrong[name], pa.string()) for name in keys} | {"confidence": wrong["confidence"]}
    )
    plain = plain.filter(pc.is_valid(plain["parsed"]))
    same = plain.group_by(keys).aggregate([([], "count_all"), ("confidence", "max")])
    shared = ["id", "language", "parsed"]
    alike = same.group_by(shared).aggregate([(CONDITION, "count_distinct")])
    seeds: dict[str, int] = {}
    for name, _ in grouped(table, (CONDITION, "seed")).keys:
        seeds[name] = seeds.get(name, 0) + 1
    told = {name for (name,) in grouped(table.filter(pc.is_valid(table["confidence"])), (CONDITION,)).keys}
    found = same.join(alike, shared)
    count = pa.array([seeds[name] for name in found[CONDITION].to_pylist()], pa.int64())
    silent = pa.array([name not in told for name in found[CONDITION].to_pylist()], pa.bool_())
    stated = pc.fill_null(pc.greater_equal(found["confidence_max"], SURE), False)
    agreed = pc.and_(
        pc.greater(found[f"{CONDITION}_count_distinct"], 1), pc.not_equal(found["format"], "boolean")
    )
    steady = pc.and_(silent, pc.and_(pc.greater(count, 1), pc.equal(found["count_all"], count)))
    found = found.append_column("seeds", count)
    found = found.append_column("sure", pc.fill_null(found["confidence_max"], -1.0)).filter(
        pc.or_(pc.or_(stated, agreed), steady)
    )
    order = [
        ("sure", "descending"), (f"{CONDITION}_count_distinct", "descending"), ("count_all", "descending"),
        *((name, "ascending") for name in keys),
    ]  # fmt: skip
    rows = found.take(pc.sort_indices(found, sort_keys=order)[:most]).to_pylist()
    wanted = {row["id"] for row in rows}
    near = questions.filter(pc.is_in(questions["id"], value_set=pa.array(sorted(wanted), pa.string())))
    columns = ["id", "language", "question", "gold", "unit"]
    texts: dict[tuple[str, str | None], dict[str, Any]] = {}
    for text in near.select(columns).to_pylist():
        texts[text["id"], text["language"]] = text
        texts.setdefault((text["id"], None), text)
    return [
        Sure(
            row[CONDITION], row["id"], row["language"], text["question"], row["parsed"], text["gold"], text["unit"],
            row["confidence_max"], row["count_all"], row["seeds"], row[f"{CONDITION}_count_distinct"],
        )
        for row in rows
        for text in [texts.get((row["id"], row["language"])) or texts[row["id"], None]]
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
