"""The area swept by a storm's tropical-storm-force winds (TAXONOMY, family I).

The union, in EPSG:6933, of geodesic discs along the track: a disc each 10 km and at each fix, its radius
half the 34-knot diameter (nautical miles), interpolated linearly along the way between two fixes. A stretch
takes part where the diameter is known at both fixes and above 0 at one; a fix with winds beside no such
stretch is a disc of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final

import numpy as np
import shapely
from pyproj import Geod, Transformer

from multiglobeqa.errors import GeometryError
from multiglobeqa.kg.schema import COORDINATE_DECIMALS

STEP_KM: Final = 10.0
NAUTICAL_MILE_KM: Final = 1.852
DISC_POINTS: Final = 360
"""Vertices of a disc. A disc's polygon has 0.005 % less area than the disc."""
OUTLINE_SHARE: Final = 2e-4
"""Douglas-Peucker tolerance of an outline that is to be stored, as a share of the square root of its area.
It changes the area by less than 0.05 % (measured on the 306 storms with radii)."""
_GEOD: Final = Geod(ellps="WGS84")
_TO_PLANE: Final = Transformer.from_crs("EPSG:4326", "EPSG:6933", always_xy=True)
_TURN_M: Final = 2 * float(_TO_PLANE.transform(180.0, 0.0)[0])

Fix = Sequence[Any]
"""ISO time, longitude, latitude, 34-kt diameter in nautical miles or None."""


def stretches(fixes: Sequence[Fix]) -> list[tuple[Fix, Fix]]:
    """Pairs of consecutive fixes whose diameters are both known and not both 0."""
    known = [(a, b) for a, b in pairwise(fixes) if a[3] is not None and b[3] is not None]
    return [(a, b) for a, b in known if max(a[3], b[3]) > 0]


def lone_fixes(fixes: Sequence[Fix]) -> list[Fix]:
    """Fixes with winds that bound no stretch."""
    bound = {id(fix) for stretch in stretches(fixes) for fix in stretch}
    return [fix for fix in fixes if (fix[3] or 0) > 0 and id(fix) not in bound]


def discs(fixes: Sequence[Fix]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Centres and radii of the discs: longitude, latitude (degrees), radius (km), each of shape (n,)."""
    lon: list[np.ndarray] = []
    lat: list[np.ndarray] = []
    radius: list[np.ndarray] = []
    for a, b in stretches(fixes):
        if not all(abs(f[1]) <= 180 and abs(f[2]) <= 90 and np.isfinite(f[3]) for f in (a, b)):
            raise GeometryError(
                f"storm fix {a} or {b} is out of range.", mend="Longitude, latitude in degrees."
            )
        azimuth, _, metres = _GEOD.inv(a[1], a[2], b[1], b[2])
        km = np.append(np.arange(0.0, metres / 1e3, STEP_KM), metres / 1e3)
        x, y, _ = _GEOD.fwd(
            np.full(len(km), float(a[1])), np.full(len(km), float(a[2])), np.full(len(km), azimuth), km * 1e3
        )
        share = km / km[-1] if km[-1] > 0 else np.zeros(len(km))
        lon.append(np.asarray(x))
        lat.append(np.asarray(y))
        radius.append((a[3] + (b[3] - a[3]) * share) / 2 * NAUTICAL_MILE_KM)
    for fix in lone_fixes(fixes):
        lon.append(np.array([float(fix[1])]))
        lat.append(np.array([float(fix[2])]))
        radius.append(np.array([fix[3] / 2 * NAUTICAL_MILE_KM]))
    if not lon:
        return np.zeros(0), np.zeros(0), np.zeros(0)
    x_all, y_all, r_all = np.concatenate(lon), np.concatenate(lat), np.concatenate(radius)
    windy = r_all > 0
    return x_all[windy], y_all[windy], r_all[windy]


def swept_plane(fixes: Sequence[Fix], *, points: int = DISC_POINTS, factor: float = 1.0) -> Any | None:
    """The swept area in EPSG:6933 (metres); None if no stretch has winds of 34 knots.

    Where the track crosses longitude 180 the plane goes on beyond it (x past half the world's width).
    ``factor`` scales the radii; ``points`` is the number of vertices of a disc.

    Raises GeometryError for a disc that reaches a pole or coordinates out of range.
    """
    lon, lat, radius = discs(fixes)
    if not len(lon):
        return None
    n = len(lon)
    azimuth = np.tile(np.arange(points) * (360.0 / points), n)
    x, y, _ = _GEOD.fwd(
        np.repeat(lon, points), np.repeat(lat, points), azimuth, np.repeat(radius * factor * 1e3, points)
    )
    if (np.abs(lat) + np.degrees(radius * factor / 6350.0) >= 90).any():
        raise GeometryError("a storm's disc reaches a pole; its area is not defined in EPSG:6933.")
    centre = lon[0] + np.cumsum(np.concatenate([[0.0], (np.diff(lon) + 180) % 360 - 180]))
    middle = np.repeat(centre, points)
    turns = np.round((middle - np.asarray(x)) / 360)
    east, north = _TO_PLANE.transform(np.asarray(x), np.asarray(y))
    rings = np.stack([np.asarray(east) + turns * _TURN_M, np.asarray(north)], axis=1)
    return shapely.union_all(shapely.polygons(rings.reshape(n, points, 2)))


def swept_area(fixes: Sequence[Fix], outline_share: float = OUTLINE_SHARE) -> Any | None:
    """The swept area in longitude latitude, cut at longitude 180, 7 decimals; None if there is none.

    The outline is simplified on the plane by ``outline_share`` of the square root of the area (0: not at
    all).
    """
    plane = swept_plane(fixes)
    if plane is None:
        return None
    if outline_share > 0:
        plane = shapely.simplify(plane, outline_share * np.sqrt(shapely.area(plane)), preserve_topology=True)
    whole = shapely.transform(plane, _degrees)
    west, _, east, _ = shapely.bounds(whole)
    pieces = []
    for turn in range(int(np.floor((west + 180) / 360)), int(np.ceil((east + 180) / 360))):
        window = shapely.box(360 * turn - 180, -90, 360 * turn + 180, 90)
        piece = (
            shapely.intersection(whole, window)
            if west < 360 * turn - 180 or east > 360 * turn + 180
            else whole
        )
        piece = shapely.transform(piece, lambda xy, t=turn: np.column_stack([xy[:, 0] - 360.0 * t, xy[:, 1]]))
        pieces += [p for p in shapely.get_parts(piece) if p.geom_type == "Polygon"]
    pieces = [shapely.transform(p, lambda xy: np.round(xy, COORDINATE_DECIMALS)) for p in pieces]
    return pieces[0] if len(pieces) == 1 else shapely.multipolygons(pieces)


def swept_area_km2(fixes: Sequence[Fix]) -> float:
    """Area of the swept area in km², taken in EPSG:6933; 0 if there is none."""
    plane = swept_plane(fixes)
    return 0.0 if plane is None else float(shapely.area(plane)) / 1e6


def _degrees(xy: np.ndarray) -> np.ndarray:
    """EPSG:6933 to degrees; x past the seam gives longitudes past 180."""
    turns = np.round(xy[:, 0] / _TURN_M)
    lon, lat = _TO_PLANE.transform(xy[:, 0] - turns * _TURN_M, xy[:, 1], direction="INVERSE")
    return np.column_stack([np.asarray(lon) + 360.0 * turns, np.asarray(lat)])
