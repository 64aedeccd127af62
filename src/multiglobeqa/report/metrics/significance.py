"""Tests of significance: swaps within clusters, McNemar, Holm, and what difference a benchmark can show."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.special import ndtri
from scipy.stats import binom, binomtest

from multiglobeqa.errors import InputError
from multiglobeqa.report.metrics.intervals import checked
from multiglobeqa.report.metrics.resample import Array, rates, swapped

TINY: Final = 1e-9
"""Differences of rates that are closer count as equal."""
_SCALES: Final = 12
_MOST: Final = 60_000


@dataclass(frozen=True)
class Options:
    """How a comparison is made: draws of the bootstrap, random swaps, seed, level of the interval, power."""

    draws: int = 2000
    flips: int = 9999
    seed: int = 0
    level: float = 0.95
    power: float = 0.8


def swap_p(
    a: Array, b: Array, signs: tuple[int, ...], difference: float, options: Options, rng: np.random.Generator
) -> tuple[float, bool]:
    """Two-sided p of a difference by swapping the two runs within clusters, and whether all assignments were counted.

    Under the null the runs' names mean nothing, so in each cluster they may change places: the p-value is the share
    of assignments whose difference is at least as large. Where both runs have the same denominators the difference
    is a sum of +-d over clusters, and its distribution is computed exactly; else all assignments are counted where
    they are few, or ``options.flips`` are drawn, the observed one among them: (1 + hits) / (1 + flips).

    Parameters
    ----------
    a, b : (C, 2 x terms) sums by cluster; ``difference`` of their rates.
    """
    if len(signs) == 1 and np.array_equal(a[:, 1], b[:, 1]):
        p = _exact(a[:, 0] - b[:, 0])
        if p is not None:
            return p, True
    left, right, weights = swapped(a, b, options.flips, rng)
    gaps = np.abs(rates(left, signs) - rates(right, signs))
    extreme = ~(gaps < abs(difference) - TINY)  # an assignment without items counts against a finding
    if weights is not None:
        return min(1.0, float(weights[extreme].sum())), True
    return (1 + int(extreme.sum())) / (1 + options.flips), False


def _exact(gaps: Array) -> float | None:
    """P(|sum of +-gap| >= |sum of gaps|) where the gaps are small whole multiples of one unit; else None.

    The sum is S - 2 X with S the sum of |gap| and X that of a random half of them; X's distribution is the
    convolution of one binomial for each size of gap.
    """
    scaled = next(
        (
            whole
            for scale in range(1, _SCALES + 1)
            if np.allclose(gaps * scale, whole := np.rint(gaps * scale), 0, 1e-6)
        ),
        None,
    )
    if scaled is None or np.abs(scaled).sum() > _MOST:
        return None
    sizes, counts = np.unique(np.abs(scaled[scaled != 0]).astype(np.int64), return_counts=True)
    chance = np.ones(1)
    for size, count in zip(reversed(sizes.tolist()), reversed(counts.tolist()), strict=True):
        spread = np.zeros(size * count + 1)
        spread[::size] = binom.pmf(np.arange(count + 1), count, 0.5)
        chance = np.convolve(chance, spread)
    total, observed = len(chance) - 1, abs(round(float(scaled.sum())))
    reached = np.abs(2 * np.arange(total + 1) - total) >= observed
    return min(1.0, float(chance[reached].sum()))


def mcnemar(only_a: int, only_b: int) -> float:
    """McNemar's exact two-sided p-value (binomial, share 1/2) by the questions that one run alone answers right."""
    return float(binomtest(only_a, only_a + only_b, 0.5).pvalue) if only_a + only_b else 1.0


def holm(p: Sequence[float | None]) -> list[float | None]:
    """Holm's step-down correction (Holm 1979): of m values the k-th smallest times m - k + 1, rising, at most 1.

    None (no test was made) stays None and does not count.
    """
    tested = sorted((value, place) for place, value in enumerate(p) if value is not None)
    result: list[float | None] = [None] * len(p)
    highest = 0.0
    for rank, (value, place) in enumerate(tested):
        if not 0 <= value <= 1:
            raise InputError(f"{value!r} is not a p-value.", place=place)
        highest = max(highest, min(1.0, (len(tested) - rank) * value))
        result[place] = highest
    return result


def detectable(
    questions: int,
    em: float,
    correlation: float,
    *,
    design: float = 1.0,
    level: float = 0.95,
    power: float = 0.8,
) -> float:
    """The smallest true difference of two runs' EM that ``questions`` paired questions would show with this power.

    (z_(1+level)/2 + z_power) sqrt(2 p (1 - p) (1 - r) x design / n): p the runs' EM, r the correlation of their right
    answers over questions, design the variance's factor for clustered questions. In [0, 1] units of EM.

    Raises InputError for a number out of its range.
    """
    checked(questions, level)
    checked(questions, power)
    if not (0 <= em <= 1 and -1 <= correlation <= 1 and design > 0 and math.isfinite(design)):
        raise InputError(f"EM {em}, correlation {correlation} or design {design} is out of range.")
    z = float(ndtri((1 + level) / 2) + ndtri(power))
    return z * math.sqrt(2 * em * (1 - em) * (1 - correlation) * design / questions)
