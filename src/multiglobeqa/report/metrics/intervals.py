"""Intervals of any metric and group by the bootstrap over clusters: questions on one entity stand or fall
together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import numpy as np
import pyarrow as pa

from multiglobeqa.errors import InputError
from multiglobeqa.report.metrics.groups import encoded, grouped
from multiglobeqa.report.metrics.measures import Metric, metric_of
from multiglobeqa.report.metrics.resample import (
    Array,
    bootstrap,
    cluster_sums,
    generator,
    percentile,
    rates,
    wilson,
)
from multiglobeqa.report.metrics.rows import rows_of, tabulate

FEW: Final = 20
"""With fewer clusters the bootstrap's intervals are likely too narrow; the note says so."""
BOOTSTRAP: Final = "cluster bootstrap"
WILSON: Final = "Wilson over clusters"
NONE: Final = "none"


@dataclass(frozen=True)
class Interval:
    """A metric of one group and its interval; ``low`` and ``high`` are None where ``method`` is "none" (``note``
    says why).

    ``clusters``: entities with an item in the denominator; ``items``: the denominator (of the metric's first term).
    """

    group: tuple[Any, ...]
    metric: str
    value: Fraction | None
    low: float | None
    high: float | None
    clusters: int
    items: int
    level: float
    method: str
    note: str = ""


def intervals(
    table: pa.Table,
    by: Sequence[str] = (),
    metric: str = "em",
    *,
    draws: int = 2000,
    seed: int = 0,
    level: float = 0.95,
    cluster: str = "cluster",
) -> list[Interval]:
    """A metric of each group with its percentile interval by the cluster bootstrap, sorted by group.

    Of a group's C clusters C are drawn with replacement, ``draws`` times; the interval holds the central ``level``
    of the metric over the draws. Draws without an item are left out. Where the draws do not vary (all clusters are
    right, or none) it is Wilson's interval with the number of clusters as sample size, the cautious end; one
    cluster has no interval.

    Raises
    ------
    InputError : a column is missing, a row is no scored reply, no such metric, or draws or level make no sense.
    """
    checked(draws, level)
    measure = metric_of(metric)
    if cluster not in table.column_names:
        raise InputError(
            f"has no column {cluster!r}.", source="scores", mend="Join the scores to their questions."
        )
    scores, groups = tabulate(table, by), grouped(table, by)
    values = rows_of(table).terms(measure)
    clusters, names = encoded(table[cluster], cluster)
    cells, inverse = np.unique(groups.codes * max(1, len(names)) + clusters, return_inverse=True)
    sums = cluster_sums(inverse, values, len(cells))
    bounds = np.searchsorted(cells // max(1, len(names)), np.arange(len(groups) + 1))
    result = []
    for at, one in enumerate(scores):
        mine = sums[bounds[at] : bounds[at + 1]]
        rng = generator(seed, metric, tuple(by), one.group)
        low, high, count, method, note = interval_of(mine, measure, draws, level, rng)
        result.append(
            Interval(
                one.group, metric, one.rate(metric), low, high, count, one.items(metric), level, method, note
            )
        )
    return result


def interval_of(
    sums: Array, metric: Metric, draws: int, level: float, rng: np.random.Generator
) -> tuple[float | None, float | None, int, str, str]:
    """(low, high, clusters, method, note) for (C, 2 x terms) sums by cluster."""
    signs = tuple(term.sign for term in metric.terms)
    sums = sums[np.any(sums[:, 1::2] > 0, axis=1)]
    count = len(sums)
    if not count or not np.all(sums[:, 1::2].sum(axis=0) > 0):
        return None, None, count, NONE, "no item"
    if count == 1:
        return None, None, 1, NONE, "no interval: one cluster"
    drawn = rates(bootstrap(sums, draws, rng), signs)
    kept = drawn[np.isfinite(drawn)]
    note = f"fewer than {FEW} clusters: likely too narrow" if count < FEW else ""
    if not len(kept) or np.ptp(kept) < 1e-12:
        value = float(rates(sums.sum(axis=0, keepdims=True), signs)[0])
        span = len(signs)  # a difference of two shares lies in [-1, 1]
        low, high = wilson((value + span - 1) / span, count, level)
        return low * span - span + 1, high * span - span + 1, count, WILSON, "no cluster differs"
    if len(kept) < draws:
        note = "; ".join(filter(None, (note, f"{draws - len(kept)} draws without an item left out")))
    low, high = percentile(kept, level)
    return low, high, count, BOOTSTRAP, note


def checked(draws: int, level: float) -> None:
    """Raise InputError where draws or level make no sense."""
    if draws < 1:
        raise InputError(f"{draws} draws are too few.", mend="Take 2,000.")
    if not 0 < level < 1:
        raise InputError(f"{level} is not a level.", mend="It lies between 0 and 1; 0.95 is usual.")
