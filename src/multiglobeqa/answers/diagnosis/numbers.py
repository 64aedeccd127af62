"""Distance, area, count and ratio: stored slips, units, powers of ten, halves.

A slip explains an answer that is within 0.5 % of what it gives (a tenth of the format's own tolerance); a slip of 0
must be met exactly, and so must counts up to 200.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from multiglobeqa.answers.area import Area
from multiglobeqa.answers.count import Count
from multiglobeqa.answers.diagnosis.batch import CAUSE, FACT, LAST, Batch, Findings, Floats
from multiglobeqa.answers.distance import Distance
from multiglobeqa.answers.numeric import Numeric
from multiglobeqa.answers.ratio import Ratio

WITHIN: Final = 0.005
"""Relative difference up to which an answer counts as what a slip gives."""
_ARC_KM: Final = 6371.0088
"""Mean radius of the Earth, km (IUGG)."""
_ROUND_KM: Final = 40_030.0
_MILE, _NMI, _FOOT, _YARD, _ACRE_KM2 = 1.609344, 1.852, 0.0003048, 0.0009144, 0.0040468564224

_LENGTH: Final = (
    ("unit_slip.m_for_km", 1000.0), ("unit_slip.km_for_m", 0.001), ("unit_slip.mi_for_km", 1 / _MILE),
    ("unit_slip.km_as_mi", _MILE), ("unit_slip.nmi_for_km", 1 / _NMI), ("unit_slip.km_as_nmi", _NMI),
    ("unit_slip.ft_for_km", 1 / _FOOT), ("unit_slip.yd_for_km", 1 / _YARD),
    ("unit_slip.degrees_for_km", 180 / np.pi / _ARC_KM), ("unit_slip.radians_for_km", 1 / _ARC_KM),
    ("factor_of_ten", 10.0), ("factor_of_ten", 0.1), ("factor_of_ten", 100.0), ("factor_of_ten", 0.01),
    ("factor_of_two", 2.0), ("factor_of_two", 0.5),
)  # fmt: skip
_AREA: Final = (
    ("unit_slip.m2_for_km2", 1e6), ("unit_slip.km2_for_m2", 1e-6), ("unit_slip.ha_for_km2", 100.0),
    ("unit_slip.km2_as_ha", 0.01), ("unit_slip.acre_for_km2", 1 / _ACRE_KM2), ("unit_slip.mi2_for_km2", _MILE**-2),
    ("unit_slip.km2_as_mi2", _MILE**2), ("unit_slip.nmi2_for_km2", _NMI**-2),
    ("unit_slip.length_factor_for_area", 1000.0), ("unit_slip.length_factor_for_area", 0.001),
    ("unit_slip.length_factor_for_area", _MILE), ("unit_slip.length_factor_for_area", 1 / _MILE),
    ("factor_of_ten", 10.0), ("factor_of_ten", 0.1), ("factor_of_two", 2.0), ("factor_of_two", 0.5),
    ("factor_of_four", 4.0), ("factor_of_four", 0.25),
)  # fmt: skip
_RATIO: Final = (
    ("unit_slip.percent", 100.0), ("unit_slip.percent_twice", 0.01), ("factor_of_ten", 10.0), ("factor_of_ten", 0.1),
    ("factor_of_two", 2.0), ("factor_of_two", 0.5),
)  # fmt: skip
_COUNT: Final = (
    ("factor_of_ten", 10.0), ("factor_of_ten", 0.1), ("factor_of_ten", 100.0), ("factor_of_ten", 0.01),
    ("factor_of_ten", 1e3), ("factor_of_ten", 1e-3), ("factor_of_ten", 1e6), ("factor_of_ten", 1e-6),
    ("factor_of_two", 2.0), ("factor_of_two", 0.5),
)  # fmt: skip
FACTORS: Final = {"distance": _LENGTH, "area": _AREA, "ratio": _RATIO, "count": _COUNT}
"""Format -> (key, what the gold was multiplied by)."""
_SCORERS: Final[dict[str, Numeric]] = {each.name: each() for each in (Distance, Area, Ratio, Count)}
LEAST_COUNT: Final = 20
"""Counts below this are explained by no factor: 2 is twice 1 too often."""


@np.errstate(all="ignore")
def diagnose_numbers(batch: Batch, found: Findings) -> None:
    """All kinds of numbers."""
    kind = batch.cases[0].format
    p: Floats = np.array(batch.values, np.float64)
    g = batch.golds(lambda gold: (gold,), 1)[:, 0]
    rows, keys, values = batch.slips()
    if len(rows):
        _hits(found, keys, rows, p[rows], np.array(values, np.float64))
    factors(found, kind, p, g)
    if kind == "ratio":
        _hit(found, "inverted", p, np.where(g != 0, 1 / g, np.nan))
        _hit(found, "complement", p, np.where((g > 0) & (g < 1), 1 - g, np.nan))
        _hit(found, "sign_flipped", p, np.where(g != 0, -g, np.nan))
    if kind == "distance":
        _hit(found, "long_way_round", p, np.where(g > 2000, _ROUND_KM - g, np.nan))
    if kind == "count":
        found.add("off_by_one", np.flatnonzero(np.abs(p - g) == 1), FACT, 0.1)
    found.add("rounding", np.flatnonzero(_leading_digit(p, g)), FACT, 0.2)
    size = np.abs(p / g)
    found.add("order_of_magnitude", np.flatnonzero((size > 10) | (size < 0.1)), FACT, 0.5)
    tau = batch.golds(lambda gold: (_SCORERS[kind].tolerance(gold, {}),), 1)[:, 0]
    found.add("near_miss", np.flatnonzero(np.abs(p - g) < 2 * tau), LAST)


def factors(found: Findings, kind: str, p: Floats, g: Floats) -> None:
    """What unit slips and factors give."""
    least = LEAST_COUNT if kind == "count" else 0
    usable = (np.abs(g) > least) & (np.abs(p) > least) if least else g != 0
    base = np.where(usable, g, np.nan)
    for key, factor in FACTORS[kind]:
        _hit(found, key, p, base * factor)


def _hit(found: Findings, key: str, p: Floats, expected: Floats) -> None:
    share = _share(p, expected)
    rows = np.flatnonzero(share < 1)
    found.add(key, rows, CAUSE, share[rows])


def _hits(found: Findings, keys: list[str], rows: np.ndarray, p: Floats, expected: Floats) -> None:
    share = _share(p, expected)
    hit = np.flatnonzero(share < 1)
    found.add_each([keys[k] for k in hit.tolist()], rows[hit], CAUSE, share[hit])


def _share(p: Floats, expected: Floats) -> Floats:
    """Relative difference as a share of ``WITHIN``; inf beyond it or where nothing is expected."""
    share = np.abs(p - expected) / np.abs(expected) / WITHIN
    share = np.where(expected == 0, np.where(p == 0, 0.0, np.inf), share)
    result: Floats = np.where(share <= 1, 0.99 * share, np.inf)
    return result


def _leading_digit(p: Floats, g: Floats) -> np.ndarray:
    """Whether p is g rounded or cut to its leading digit, or to a whole step below which p has no digits."""
    size = np.abs(g)
    step = 10.0 ** np.floor(np.log10(size))
    digits = np.abs(p) / step
    whole = np.abs(digits - np.round(digits)) < 1e-9
    rounded = (np.abs(p - g) <= step / 2) | ((np.abs(p) <= size) & (size - np.abs(p) < step))
    return np.asarray(whole & rounded & (np.sign(p) == np.sign(g)) & (size > 0), dtype=bool)
