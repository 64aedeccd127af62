"""Drawing clusters again: the sums of a metric's parts under the bootstrap and under the swap of two runs.

Clusters whose sums are alike are exchangeable, so what is drawn is how many of each kind come (a multinomial), not
each cluster: 2,000 draws cost the same for a thousand clusters as for a million. Where most clusters differ (graded
NE), each is drawn.
"""

from __future__ import annotations

import hashlib
import math
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri
from scipy.stats import binom

_CELLS: Final = 4_000_000
_EXACT: Final = 1 << 18
_DECIMALS: Final = 12
Array = NDArray[np.float64]


def generator(seed: int, *what: Any) -> np.random.Generator:
    """A generator that depends on the seed and on what is drawn, not on what else is."""
    digest = hashlib.sha256(repr(what).encode()).digest()
    return np.random.default_rng([seed, *np.frombuffer(digest[:16], np.uint32).tolist()])


def cluster_sums(codes: NDArray[np.int64], values: Array, size: int) -> Array:
    """(size, k) the sums of (n, k) values by cluster code, rounded to 12 decimals."""
    columns = [
        np.bincount(codes, weights=values[:, column], minlength=size) for column in range(values.shape[1])
    ]
    result: Array = np.asarray(np.stack(columns, axis=1), dtype=np.float64).round(_DECIMALS)
    return result


def rates(sums: Array, signs: tuple[int, ...]) -> Array:
    """(d,) sum of ``sign x part / whole`` for (d, 2 x terms) sums; NaN where a whole is 0 (for the caller to leave
    out)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        wholes = [
            np.where(sums[:, place] == 0, np.nan, sums[:, place]) for place in range(1, sums.shape[1], 2)
        ]
        result: Array = np.zeros(len(sums))
        for term, sign in enumerate(signs):
            result = result + sign * sums[:, 2 * term] / wholes[term]
    return result


def bootstrap(sums: Array, draws: int, rng: np.random.Generator) -> Array:
    """(draws, k) sums over as many clusters as there are, drawn with replacement from (C, k) sums by cluster."""
    size = len(sums)
    kinds, counts = np.unique(sums, axis=0, return_counts=True)
    if 2 * len(kinds) <= size:
        return rng.multinomial(size, counts / size, size=draws).astype(np.float64) @ kinds
    ordered = np.repeat(kinds, counts, axis=0)  # whatever the order of the rows
    result = np.empty((draws, sums.shape[1]))
    step = max(1, _CELLS // size)
    for start in range(0, draws, step):
        stop = min(draws, start + step)
        rows = stop - start
        drawn = rng.integers(0, size, size=(rows, size)) + np.arange(rows)[:, None] * size
        times = np.bincount(drawn.ravel(), minlength=rows * size).reshape(rows, size)
        result[start:stop] = times.astype(np.float64) @ ordered
    return result


def swapped(a: Array, b: Array, flips: int, rng: np.random.Generator) -> tuple[Array, Array, Array | None]:
    """Totals of both runs when each cluster's two runs may change places.

    Parameters
    ----------
    a, b : (C, k) sums by cluster of the two runs.
    flips : how many random assignments, where all of them are too many.

    Returns
    -------
    (d, k) totals of a, (d, k) totals of b, and (d,) the assignments' probabilities where all were enumerated, else
    None.
    """
    differ = np.any(a != b, axis=1)
    low, high = _ordered(a[differ], b[differ])
    kinds, counts = np.unique(high - low, axis=0, return_counts=True)
    base, top = low.sum(axis=0), high.sum(axis=0)
    fixed = a[~differ].sum(axis=0)
    combinations = math.prod((counts + 1).tolist())
    weights: Array | None = None
    if combinations <= _EXACT:
        grids = np.meshgrid(*[np.arange(count + 1) for count in counts.tolist()], indexing="ij")
        times = np.stack([grid.ravel() for grid in grids], axis=1) if grids else np.zeros((1, 0))
        weights = np.ones(len(times))
        for column, count in enumerate(counts.tolist()):
            weights *= binom.pmf(times[:, column], count, 0.5)
        moved = times.astype(np.float64) @ kinds
    else:
        moved = np.empty((flips, a.shape[1]))
        single, several = kinds[counts == 1], kinds[counts > 1]
        step = max(1, _CELLS // len(kinds))
        for start in range(0, flips, step):
            stop = min(flips, start + step)
            bits = np.frombuffer(rng.bytes((stop - start) * (len(single) // 8 + 1)), np.uint8)
            coins = np.unpackbits(bits.reshape(stop - start, -1), axis=1, count=len(single))
            times = rng.binomial(counts[counts > 1], 0.5, size=(stop - start, len(several)))
            moved[start:stop] = coins.astype(np.float64) @ single + times.astype(np.float64) @ several
    return fixed + base + moved, fixed + top - moved, weights


def percentile(values: Array, level: float) -> tuple[float, float]:
    """The central interval of draws."""
    tail = (1 - level) / 2
    low, high = np.quantile(values, [tail, 1 - tail])
    return float(low), float(high)


def wilson(share: float, items: int, level: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval of a share of ``items`` (Wilson 1927); in [0, 1], never empty.

    z = quantile of (1 + level) / 2; centre (p + z^2 / 2n) / (1 + z^2 / n);
    half width z / (1 + z^2 / n) sqrt(p (1 - p) / n + z^2 / 4n^2).
    """
    z = float(ndtri((1 + level) / 2))
    scale = 1 + z * z / items
    centre = (share + z * z / (2 * items)) / scale
    half = z / scale * math.sqrt(share * (1 - share) / items + z * z / (4 * items * items))
    return (0.0 if share == 0 else max(0.0, centre - half)), (1.0 if share == 1 else min(1.0, centre + half))


def _ordered(a: Array, b: Array) -> tuple[Array, Array]:
    """Of each cluster's two rows the one that sorts first, and the other: their order is what is swapped."""
    if not len(a):
        return a, b
    first = np.argmax(a != b, axis=1)
    lines = np.arange(len(a))
    a_first = (a[lines, first] < b[lines, first])[:, None]
    return np.where(a_first, a, b), np.where(a_first, b, a)
