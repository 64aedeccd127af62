"""Positions along a directed line: which of two places lies farther down a river.

The line is read as it is drawn, first vertex to last; parts are stretches of their own. It is sampled every
`SPACING_KM` at most, which bounds the error of a foot.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import shapely
from numpy.typing import ArrayLike
from scipy.spatial import cKDTree

from multiglobeqa.geo.check import Bools, Floats, Ints, coordinates, geometries
from multiglobeqa.geo.edges import densify, edge_length_km, edges
from multiglobeqa.geo.ellipsoid import GEOD, search_chord, unit_vectors

SPACING_KM: Final = 0.02
REACH: Final = 1.2
REACH_KM: Final = 0.05


@dataclass(frozen=True)
class Feet:
    """Where n points stand along a line.

    off_km: distance to the nearest sample. part: the stretch that holds every foot that could be meant (all
    samples within 1.2 times the distance and 50 m), -1 where there are several. at_km, low_km, high_km: way from the
    stretch's first vertex to the nearest sample, and the range of all those feet.
    """

    off_km: Floats
    part: Ints
    at_km: Floats
    low_km: Floats
    high_km: Floats


def feet(line: Any, lon: ArrayLike, lat: ArrayLike) -> Feet:
    """The feet of points (n,) on one (multi)linestring; raises GeometryError for bad coordinates or no line."""
    x, y = (np.asarray(v, dtype=np.float64).ravel() for v in coordinates(lon, lat))
    stretches = shapely.get_parts(geometries(np.array([line], dtype=object), kinds=("line",)))
    e = densify(edges(stretches), SPACING_KM, SPACING_KM)
    length, part = edge_length_km(e), e.geom
    way = np.cumsum(length) - length
    way -= way[np.searchsorted(part, part)]
    sample_lon, sample_lat = np.r_[e.lon1, e.lon2], np.r_[e.lat1, e.lat2]
    along, owner = np.r_[way, way + length], np.r_[part, part]
    tree = cKDTree(unit_vectors(sample_lon, sample_lat))
    here = unit_vectors(x, y)
    _, nearest = tree.query(here)
    metres = GEOD.inv(x, y, sample_lon[nearest], sample_lat[nearest])[2]
    off = np.asarray(metres, dtype=np.float64) / 1000
    low, high, stretch = along[nearest].copy(), along[nearest].copy(), owner[nearest].astype(np.int64)
    reached = tree.query_ball_point(here, search_chord(REACH * off + REACH_KM))
    for i, rows in enumerate(reached):
        low[i], high[i] = along[rows].min(), along[rows].max()
        if (owner[rows] != stretch[i]).any():
            stretch[i] = -1
    return Feet(off, stretch, along[nearest], low, high)


def one_way(lines: Any) -> Bools:
    """Whether each line's stretches could be one stream drawn along its flow: no two that only begin, or only end,
    in one point, and none that closes on itself. Opposed drawings leave such points."""
    found = np.asarray(lines, dtype=object)
    return np.array([_one_way(line) for line in found.ravel()], dtype=bool).reshape(found.shape)


def _one_way(line: Any) -> bool:
    parts = shapely.get_parts(line)
    if shapely.is_closed(parts).any():
        return False
    first = [tuple(xy) for xy in shapely.get_coordinates(shapely.get_point(parts, 0)).tolist()]
    last = [tuple(xy) for xy in shapely.get_coordinates(shapely.get_point(parts, -1)).tolist()]
    springs = {point for point in first if first.count(point) > 1} - set(last)
    mouths = {point for point in last if last.count(point) > 1} - set(first)
    return not springs and not mouths
