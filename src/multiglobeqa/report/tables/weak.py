"""Weak cells: where the interval of EM lies below the model's EM over all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import numpy as np
import pyarrow as pa

from multiglobeqa.report.metrics import grouped, tabulate, wilson
from multiglobeqa.report.metrics.groups import encoded
from multiglobeqa.report.metrics.intervals import FEW
from multiglobeqa.report.tables.breakdowns import label_of
from multiglobeqa.report.tables.cell import Column, Table, count, percent, signed, words
from multiglobeqa.report.tables.conditions import tier_name
from multiglobeqa.report.tables.languages import language_name
from multiglobeqa.report.tables.study import CONDITION, Study

KINDS: Final = ("question_type", "family")
"""The columns that each give a set of cells, with language and region."""
REGION: Final = "subregion"
_SHOWN: Final = 20


@dataclass(frozen=True)
class WeakCell:
    """A cell of language, type of question (``kind``: the column that tells it) and region of one model and tier.

    ``low`` to ``high`` holds EM with 95 % and lies below ``overall``. ``questions``: true-premise replies;
    ``clusters``: entities. ``lost``: how many more replies would be right at the overall EM.
    """

    model: str
    tier: str
    kind: str
    language: str
    value: str
    region: str
    em: float
    low: float
    high: float
    overall: float
    questions: int
    clusters: int

    @property
    def lost(self) -> float:
        """Right answers that the cell lacks to the overall EM."""
        return (self.overall - self.em) * self.questions


@dataclass(frozen=True)
class Weakness:
    """``cells``: the weak ones, most lost answers first; ``tested``: how many cells have two entities or more."""

    cells: tuple[WeakCell, ...]
    tested: int


def weaknesses(study: Study, kinds: Sequence[str] = KINDS, region: str = REGION) -> Weakness:
    """The weak cells of every model and tier, over text questions in all languages.

    Of a cell with fewer than 20 entities the interval is joined with Wilson's over entities, since the bootstrap's
    is too narrow there. Cells without a region are not tested.
    """
    table = study.texts
    overall = {one.group: one.em for one in tabulate(table, CONDITION)}
    cells, tested = [], 0
    for kind in kinds:
        by = (*CONDITION, "language", kind, region)
        promising, count = _promising(table, by, overall)
        tested += count
        for group, span in study.intervals(promising, by).items():
            model, tier, language, value, place = group
            whole = overall[model, tier]
            if span.value is None or span.low is None or span.high is None or whole is None:
                continue
            low, high = span.low, span.high
            if span.clusters < FEW:
                bounds = wilson(float(span.value), span.clusters)
                low, high = min(low, bounds[0]), max(high, bounds[1])
            if high < whole:
                cells.append(
                    WeakCell(
                        model, tier, kind, language, value, place, float(span.value), low, high, float(whole),
                        span.items, span.clusters,
                    )
                )  # fmt: skip
    cells.sort(key=lambda one: (-one.lost, _key(one)))
    return Weakness(tuple(cells), tested)


def _promising(
    table: pa.Table, by: tuple[str, ...], overall: Mapping[tuple[Any, ...], Fraction | None]
) -> tuple[pa.Table, int]:
    """The rows of cells that may be weak, and the number of cells of two entities or more.

    A cell whose EM is not below the model's, or of few entities whose Wilson interval is not, cannot be weak.
    """
    true = table.filter(table["premise"])
    groups = grouped(true, by)
    entities, _ = encoded(true["cluster"], "cluster")
    size = int(entities.max(initial=0)) + 1
    pairs = np.unique(groups.codes * size + entities) // size
    clusters = np.bincount(pairs, minlength=len(groups)).tolist()
    may = np.zeros(len(groups), np.bool_)
    tested = 0
    for place, one in enumerate(tabulate(true, by)):
        whole = overall[one.group[0], one.group[1]]
        if one.em is None or whole is None or None in one.group or clusters[place] < 2:
            continue
        tested += 1
        few = clusters[place] < FEW
        may[place] = one.em < whole and not (few and wilson(float(one.em), clusters[place])[1] >= whole)
    return true.filter(pa.array(may[groups.codes])), tested


def _key(one: WeakCell) -> tuple[Any, ...]:
    return one.model, one.tier, one.kind, one.language, one.value, one.region


def weak_cells(study: Study) -> Table:
    """The list of weak cells."""
    found = study.once("weaknesses", lambda: weaknesses(study))
    rows = [
        (
            *words(one.model, tier_name(one.tier), language_name(one.language)),
            *words(label_of(one.kind, one.value), one.region), count(one.questions), count(one.clusters),
            percent(one.em, low=one.low, high=one.high), percent(one.overall), signed(one.em - one.overall),
        )
        for one in found.cells
    ]  # fmt: skip
    heads = (
        *(Column(name, text=True) for name in ("model", "tier", "language", "type or family", "region")),
        Column("replies"), Column("entities"), Column("EM"), Column("EM over all"), Column("difference"),
    )  # fmt: skip
    notes = (
        "Cells of language, type of question or family, and subregion whose 95 % interval lies below the EM of "
        f"that model and tier over all: {len(rows):,} of {found.tested:,} tested. By chance alone about 2.5 % "
        "would. Most lost answers first. `mgqa report --feedback` writes training questions for them.",
    )
    title = "Weak cells (text questions, true premises)"
    return Table("weak_cells", title, heads, tuple(rows), notes, shown=_SHOWN)
