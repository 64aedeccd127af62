"""Means and standard deviations over seeds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pyarrow as pa

from multiglobeqa.report.metrics.measures import metric_of
from multiglobeqa.report.metrics.rows import tabulate


@dataclass(frozen=True)
class SeedMean:
    """A metric of one cell over seeds. ``values``: seed -> value, seeds without an item left out.

    ``sd`` is the sample standard deviation (n - 1); None with one seed. ``dagger``: the cell has fewer seeds than the
    run's most. ``items``: the denominator, summed over seeds.
    """

    group: tuple[Any, ...]
    metric: str
    mean: Fraction | None
    sd: float | None
    values: dict[int, Fraction]
    items: int
    dagger: bool

    @property
    def seeds(self) -> int:
        """Number of seeds with a value."""
        return len(self.values)

    @property
    def label(self) -> str:
        """What the spread is: "SD over 3 seeds", or "one seed"."""
        return f"SD over {self.seeds} seeds" if self.seeds > 1 else ("one seed" if self.seeds else "no seed")


def over_seeds(
    table: pa.Table, by: Sequence[str], metric: str = "em", *, most: int | None = None
) -> list[SeedMean]:
    """Mean and SD over seeds of the metric in each group, sorted by group; ``by`` does not name the seed.

    ``most``: how many seeds a full cell has; by default the most that any cell of the table has.
    """
    metric_of(metric)
    cells: dict[tuple[Any, ...], dict[int, Fraction]] = {}
    items: dict[tuple[Any, ...], int] = {}
    for one in tabulate(table, (*by, "seed")):
        cell = cells.setdefault(one.group[:-1], {})
        items[one.group[:-1]] = items.get(one.group[:-1], 0) + one.items(metric)
        rate = one.rate(metric)
        if rate is not None:
            cell[one.group[-1]] = rate
    full = most if most is not None else max((len(cell) for cell in cells.values()), default=0)
    result = []
    for group, values in cells.items():
        mean = sum(values.values(), Fraction(0)) / len(values) if values else None
        sd = sample_sd(list(values.values()))
        result.append(SeedMean(group, metric, mean, sd, values, items[group], len(values) < full))
    return result


def sample_sd(values: Sequence[Fraction]) -> float | None:
    """sqrt(sum (x - mean)^2 / (n - 1)); None for fewer than two values."""
    if len(values) < 2:
        return None
    mean = sum(values, Fraction(0)) / len(values)
    return math.sqrt(sum(((value - mean) ** 2 for value in values), Fraction(0)) / (len(values) - 1))
