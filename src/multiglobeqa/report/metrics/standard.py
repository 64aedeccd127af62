"""Standardised metrics: a stratum's own rates by family, weighted by the benchmark's mix of families.

Strata hold different families, and families differ in difficulty; direct standardisation takes that apart (paper,
5.3).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from multiglobeqa.errors import InputError
from multiglobeqa.report.metrics.groups import encoded, grouped
from multiglobeqa.report.metrics.intervals import checked
from multiglobeqa.report.metrics.measures import metric_of
from multiglobeqa.report.metrics.resample import bootstrap, cluster_sums, generator, percentile
from multiglobeqa.report.metrics.rows import rows_of, tabulate


@dataclass(frozen=True)
class Standardised:
    """``value`` = sum of mix x rate / ``present``, over the families with an item; ``present`` is their share of
    the mix, 1 where none is absent. ``families``: family -> (rate, items). ``raw``: the metric as it is. ``low``,
    ``high``: interval by the cluster bootstrap, None where none was asked or there are fewer than two clusters.
    """

    group: tuple[Any, ...]
    metric: str
    value: Fraction | None
    present: Fraction
    absent: tuple[str, ...]
    families: dict[str, tuple[Fraction, int]]
    raw: Fraction | None
    low: float | None = None
    high: float | None = None


def family_mix(table: pa.Table, column: str = "family") -> dict[str, Fraction]:
    """Each family's share of the true-premise questions, each question counted once; sums to 1.

    ``table``: questions or joined rows, with ``id``, ``premise`` and the column.
    """
    plain = pa.table({name: _text(table[name]) for name in ("id", column)} | {"premise": table["premise"]})
    once = plain.filter(plain["premise"]).group_by(["id", column]).aggregate([])
    counts = {str(row["values"]): row["counts"] for row in pc.value_counts(once[column]).to_pylist()}
    if not counts:
        raise InputError("no question has a true premise.", source="questions")
    total = sum(counts.values())
    return {family: Fraction(counts[family], total) for family in sorted(counts)}


def standardised(
    table: pa.Table,
    by: Sequence[str],
    mix: Mapping[str, Fraction],
    metric: str = "em",
    *,
    column: str = "family",
    draws: int = 0,
    seed: int = 0,
    level: float = 0.95,
) -> list[Standardised]:
    """The metric of each group, standardised to the mix; families without an item in a group are left out of its
    weights.

    Parameters
    ----------
    mix : family -> weight, from ``family_mix`` of the whole benchmark; weights are positive and sum to 1.
    draws : of the cluster bootstrap for an interval; 0 for none.

    Raises
    ------
    InputError : the weights are no mix, or a group has a family outside the mix.
    """
    if not mix or any(weight <= 0 for weight in mix.values()) or sum(mix.values(), Fraction(0)) != 1:
        raise InputError("weights are positive fractions and sum to 1.", source="mix")
    metric_of(metric)
    whole = {one.group: one for one in tabulate(table, by)}
    cells: dict[tuple[Any, ...], dict[str, tuple[Fraction, int]]] = {group: {} for group in whole}
    for one in tabulate(table, (*by, column)):
        rate = one.rate(metric)
        if rate is not None:
            cells[one.group[:-1]][one.group[-1]] = (rate, one.items(metric))
    spans = _intervals(table, by, mix, metric, column, draws, seed, level) if draws else {}
    found = []
    for group, families in cells.items():
        if outside := [family for family in families if family not in mix]:
            raise InputError(f"{column} {outside[0]!r} is not in the mix.", source="scores")
        present = sum((mix[family] for family in families), Fraction(0))
        value = sum((mix[family] * rate for family, (rate, _) in families.items()), Fraction(0))
        absent = tuple(family for family in mix if family not in families)
        low, high = spans.get(group, (None, None))
        found.append(
            Standardised(
                group, metric, value / present if present else None, present, absent, families,
                whole[group].rate(metric), low, high,
            )
        )  # fmt: skip
    return found


def _intervals(
    table: pa.Table,
    by: Sequence[str],
    mix: Mapping[str, Fraction],
    metric: str,
    column: str,
    draws: int,
    seed: int,
    level: float,
) -> dict[tuple[Any, ...], tuple[float, float]]:
    """Group -> interval; each draw is standardised over the families it holds."""
    checked(draws, level)
    measure = metric_of(metric)
    groups, values = grouped(table, by), rows_of(table).terms(measure)
    families, names = encoded(table[column], column)
    clusters, _ = encoded(table["cluster"], "cluster")
    weights = np.array([float(mix.get(name, 0)) for name in names])
    width = values.shape[1]
    result = {}
    for at, group in enumerate(groups.keys):
        mine = np.flatnonzero(groups.codes == at)
        seen, local = np.unique(clusters[mine], return_inverse=True)
        sums = cluster_sums(local * len(names) + families[mine], values[mine], len(seen) * len(names))
        flat = sums.reshape(len(seen), len(names) * width)
        flat = flat[flat.reshape(len(seen), len(names), width)[:, :, 1::2].any(axis=(1, 2))]
        if len(flat) < 2:
            continue
        drawn = bootstrap(flat, draws, generator(seed, "standardised", metric, tuple(by), group))
        cube = drawn.reshape(draws, len(names), width)
        rate = np.zeros((draws, len(names)))
        there = np.ones((draws, len(names)), np.bool_)
        for term, each in enumerate(measure.terms):
            part, base = cube[:, :, 2 * term], cube[:, :, 2 * term + 1]
            there &= base > 0
            rate += each.sign * part / np.where(base > 0, base, 1.0)
        share = np.where(there, weights, 0.0)
        kept = share.sum(axis=1) > 0
        if kept.any():
            values_of = (share * rate).sum(axis=1)[kept] / share.sum(axis=1)[kept]
            result[group] = percentile(values_of, level)
    return result


def _text(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return pc.cast(column, pa.string())
