"""What a comparison of two runs says, and the correction of many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from multiglobeqa.report.metrics.significance import holm


@dataclass(frozen=True)
class Comparison:
    """Run a against run b in one group: ``difference`` = a - b, positive where a's value is larger.

    ``p``: two-sided, by swapping the runs within clusters (``exact``: all assignments were counted); ``p_holm``:
    corrected for all comparisons made together. ``only_a``, ``only_b``: questions that one run alone answers right,
    and ``mcnemar`` the exact p-value by them, which takes questions as independent; None where a run has several
    seeds or the metric is not EM. ``se``: cluster-robust standard error of the difference; ``detectable``: the
    smallest true difference that would be found with the asked power; ``correlation`` of the runs' values over
    questions; ``design``: how many times the clustering multiplies the variance. ``unmatched_a``, ``unmatched_b``:
    questions of one run alone, left out.
    """

    group: tuple[Any, ...]
    metric: str
    name_a: str
    name_b: str
    a: float | None
    b: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    exact: bool
    p_holm: float | None
    questions: int
    clusters: int
    only_a: int | None
    only_b: int | None
    mcnemar: float | None
    se: float | None
    detectable: float | None
    correlation: float | None
    design: float | None
    unmatched_a: int = 0
    unmatched_b: int = 0
    note: str = ""


def corrected(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """The comparisons with ``p_holm`` over all of them."""
    adjusted = holm([one.p for one in comparisons])
    return [replace(one, p_holm=value) for one, value in zip(comparisons, adjusted, strict=True)]
