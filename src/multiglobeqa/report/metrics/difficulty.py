"""How hard a family is, and whether refusals follow (paper, G.2, Figure 10)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy.stats import spearmanr

from multiglobeqa.errors import InputError
from multiglobeqa.report.metrics.rows import tabulate
from multiglobeqa.report.metrics.seeds import over_seeds

LEAST: Final = 3
"""Fewer points have no rank correlation."""


@dataclass(frozen=True)
class Correlation:
    """Spearman's rho of ``points`` (family -> (difficulty, rate)) and its two-sided p; None with the reason in
    ``note``."""

    group: tuple[Any, ...]
    rho: float | None
    p: float | None
    points: dict[str, tuple[float, float]]
    note: str = ""


def difficulty(
    table: pa.Table, metric: str = "em_covered", *, tier: str | None = "T3-o", column: str = "family"
) -> dict[str, Fraction]:
    """Family -> the metric at a tier: mean over seeds, runs, then models (a run without a model is one); the
    higher, the easier.

    A family that no model has an item for is absent; a model without one does not count for that family. The paper
    takes EM_cov, and EM (``metric="em"``) as a check.

    Raises InputError where the table holds no row of the tier (None: all rows count).
    """
    if tier is not None:
        table = table.filter(pc.equal(table["tier"].cast(pa.string()), tier))
        if not table.num_rows:
            raise InputError(
                f"holds no row of tier {tier!r}.", source="scores", mend="Score a run with gold triples."
            )
    cells: dict[str, dict[str, list[Fraction]]] = {}
    for cell in over_seeds(table, (column, "model", "run"), metric):
        family, model, run = cell.group
        if cell.mean is not None:
            cells.setdefault(family, {}).setdefault(model or f"run {run}", []).append(cell.mean)
    return {family: _mean([_mean(runs) for runs in models.values()]) for family, models in cells.items()}


def refusal_against_difficulty(
    table: pa.Table,
    by: Sequence[str] = ("model", "tier"),
    *,
    metric: str = "frr",
    measure: str = "em_covered",
    tier: str = "T3-o",
    column: str = "family",
) -> list[Correlation]:
    """Of each group: Spearman's rho over families between difficulty (``measure`` at ``tier``) and the
    false-refusal rate."""
    hard = difficulty(table, measure, tier=tier, column=column)
    points: dict[tuple[Any, ...], dict[str, tuple[float, float]]] = {}
    for one in tabulate(table, (*by, column)):
        rate = one.rate(metric)
        cell = points.setdefault(one.group[:-1], {})
        if rate is not None and one.group[-1] in hard:
            cell[one.group[-1]] = (float(hard[one.group[-1]]), float(rate))
    return [
        Correlation(group, *spearman(list(cell.values())), points=cell, note=_note(cell))
        for group, cell in points.items()
    ]


def difficulty_agreement(table: pa.Table, *, tier: str = "T3-o", column: str = "family") -> Correlation:
    """Spearman's rho between the orders that EM_cov and EM give the families."""
    covered, plain = (difficulty(table, metric, tier=tier, column=column) for metric in ("em_covered", "em"))
    points = {family: (float(covered[family]), float(plain[family])) for family in covered if family in plain}
    return Correlation((), *spearman(list(points.values())), points=points, note=_note(points))


def spearman(points: Sequence[tuple[float, float]]) -> tuple[float | None, float | None]:
    """Spearman's rho (ties take the mean rank) and its two-sided p; None for fewer than 3 points or a constant
    side."""
    values = np.asarray(points, dtype=np.float64).reshape(-1, 2)
    if len(values) < LEAST or (np.ptp(values, axis=0) == 0).any():
        return None, None
    found = spearmanr(values[:, 0], values[:, 1])
    return float(found.statistic), float(found.pvalue)


def _mean(values: Sequence[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values)


def _note(points: dict[str, tuple[float, float]]) -> str:
    if len(points) < LEAST:
        return f"fewer than {LEAST} points"
    return "constant" if any(len({point[side] for point in points.values()}) == 1 for side in (0, 1)) else ""
