"""Points: exchanged axes, lost signs, minutes read as decimals, UTM zones.

A slip explains an answer that is within 10 km of the place it gives (the format's own tolerance) and at least ten
times nearer to that place than that place is to the gold. For minutes read as decimals it is 3 km.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import numpy as np
import pyproj

from multiglobeqa.answers.diagnosis.batch import CAUSE, FACT, LAST, Batch, Case, Findings, Floats, Ints
from multiglobeqa.answers.point import GEOD, TOLERANCE_KM

NEARER: Final = 0.1
MINUTES_KM: Final = 3.0
_FALSE_NORTHING: Final = 10_000_000.0


def diagnose_points(batch: Batch, found: Findings) -> None:
    """All kinds of points."""
    p = np.array([(value["lat"], value["lon"]) for value in batch.values], np.float64)
    g = batch.golds(lambda gold: (gold["lat"], gold["lon"]), 2)
    rows, keys, values = batch.slips()
    if len(rows):
        given = np.array([(value["lat"], value["lon"]) for value in values], np.float64)
        share = _share(p[rows], given, g[rows], TOLERANCE_KM)
        hit = np.flatnonzero(share < 1)
        found.add_each([keys[k] for k in hit.tolist()], rows[hit], CAUSE, share[hit])
    lat, lon = g.T
    swapped = np.where(np.abs(lon) <= 90, lon, np.nan), lat
    for key, (y, x), km in (
        ("axes_swapped", swapped, TOLERANCE_KM),
        ("sign_flipped.latitude", (-lat, lon), TOLERANCE_KM),
        ("sign_flipped.longitude", (lat, -lon), TOLERANCE_KM),
        ("sign_flipped.both", (-lat, -lon), TOLERANCE_KM),
        ("minutes_as_decimals", (_minutes(lat), _minutes(lon)), MINUTES_KM),
    ):
        _hit(found, key, np.arange(len(p)), p, np.column_stack([y, x]), g, km)
    _utm(batch, found, p, g)
    found.add("zero_point", np.flatnonzero((p == 0).all(axis=1)), FACT)
    near = np.abs(_turned(p[:, 1] - lon))
    coarse = (np.abs(p[:, 0] - lat) < 1) & (near < 1) & (p == np.round(p)).all(axis=1)
    found.add("rounding", np.flatnonzero(coarse), FACT, 0.2)
    found.add("near_miss", np.flatnonzero(_km(p, g) < 2 * TOLERANCE_KM), LAST)


def _minutes(degrees: Floats) -> Floats:
    """43 degrees 45 minutes as 43.45."""
    size = np.abs(degrees)
    whole = np.floor(size)
    result: Floats = np.sign(degrees) * (whole + (size - whole) * 0.6)
    return result


def _turned(lon: Floats) -> Floats:
    result: Floats = (lon + 180) % 360 - 180
    return result


def _utm(batch: Batch, found: Findings, p: Floats, g: Floats) -> None:
    rows = np.array(
        [row for row, item in enumerate(batch.at.tolist()) if _asks_utm(batch.cases[item])], np.int64
    )
    if not rows.size:
        return
    mine = g[rows]
    for step in (-6.0, 6.0):
        beside = np.column_stack([mine[:, 0], _turned(mine[:, 1] + step)])
        _hit(found, "neighbouring_zone", rows, p[rows], beside, mine, TOLERANCE_KM)
    other = np.array([_other_hemisphere(lat, lon) for lat, lon in mine.tolist()], np.float64).reshape(-1, 2)
    _hit(found, "utm_hemisphere", rows, p[rows], other, mine, TOLERANCE_KM)


def _asks_utm(case: Case) -> bool:
    return str(case.params.get("system") or "").casefold() == "utm"


@lru_cache(maxsize=65_536)
def _other_hemisphere(lat: float, lon: float) -> tuple[float, float]:
    """The place of the same zone, easting and northing in the other hemisphere; NaN where there is none."""
    zone = min(int((lon + 180) // 6) + 1, 60)
    plane = _zone(zone)
    east, north = plane.transform(lon, lat)
    north += _FALSE_NORTHING if lat < 0 else -_FALSE_NORTHING
    x, y = plane.transform(east, north, direction="INVERSE")
    return (float(y), float(x)) if np.isfinite(x) and np.isfinite(y) else (np.nan, np.nan)


@lru_cache(maxsize=60)
def _zone(zone: int) -> Any:
    return pyproj.Transformer.from_crs(4326, 32600 + zone, always_xy=True)


def _hit(
    found: Findings, key: str, rows: Ints, p: Floats, expected: Floats, gold: Floats, within_km: float
) -> None:
    share = _share(p, expected, gold, within_km)
    hit = np.flatnonzero(share < 1)
    found.add(key, rows[hit], CAUSE, share[hit])


def _share(p: Floats, expected: Floats, gold: Floats, within_km: float) -> Floats:
    """Distance to what a slip gives as a share of the distance up to which it counts; inf beyond."""
    usable = np.asarray(np.isfinite(expected).all(axis=1))
    place = np.where(usable[:, np.newaxis], expected, 0.0)
    allowed = np.minimum(within_km, NEARER * _km(place, gold))
    with np.errstate(divide="ignore", invalid="ignore"):
        share = _km(p, place) / allowed
    result: Floats = np.where(usable & (share <= 1), 0.99 * share, np.inf)
    return result


def _km(a: Floats, b: Floats) -> Floats:
    """(n,) geodesic km of (n, 2) latitudes and longitudes."""
    result: Floats = np.asarray(GEOD.inv(a[:, 1], a[:, 0], b[:, 1], b[:, 0])[2], np.float64) / 1000.0
    return result
