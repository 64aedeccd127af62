"""Geodesy of the solver: WGS84, km, degrees.

Edges are straight in longitude and latitude; they are cut short and measured by Karney's geodesics
(pyproj.Geod), ring by ring.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pyproj import Geod
from shapely.geometry.base import BaseGeometry

from multiglobeqa.solver import edges as _edges

Floats = NDArray[np.float64]

GEOD = Geod(ellps="WGS84")
A = 6378.137
FLATTENING = 1 / 298.257223563
B = A * (1 - FLATTENING)
E2 = FLATTENING * (2 - FLATTENING)
E = float(np.sqrt(E2))
R_MIN = B * B / A  # least and greatest radius of curvature of the ellipsoid
R_MAX = A * A / B
MAX_PART_KM = 5.0
LEAST_PART_KM = 0.001
PARTS = 256


def inverse(lon1: ArrayLike, lat1: ArrayLike, lon2: ArrayLike, lat2: ArrayLike) -> tuple[Floats, Floats]:
    """Initial azimuth in [0, 360) and distance in km of the geodesics from 1 to 2; arrays of one shape."""
    arrays = np.broadcast_arrays(*(np.asarray(v, dtype=np.float64) for v in (lon1, lat1, lon2, lat2)))
    azimuth, _, metres = GEOD.inv(arrays[0], arrays[1], arrays[2], arrays[3])
    return np.mod(azimuth, 360.0), np.asarray(metres, dtype=np.float64) / 1000.0


def distance(lon1: float, lat1: float, lon2: float, lat2: float) -> float:
    """Geodesic distance in km of two points."""
    return float(GEOD.inv(lon1, lat1, lon2, lat2)[2]) / 1000.0


def azimuth(lon1: float, lat1: float, lon2: float, lat2: float) -> float:
    """Initial azimuth at 1 towards 2, degrees clockwise from north in [0, 360)."""
    return float(GEOD.inv(lon1, lat1, lon2, lat2)[0]) % 360.0


def angle_between(a: float, b: float) -> float:
    """Unsigned angle in degrees between two azimuths, 0 to 180."""
    return abs((a - b + 180.0) % 360.0 - 180.0)


def ecef(lon: ArrayLike, lat: ArrayLike) -> Floats:
    """Earth-centred coordinates in km, shape (n, 3)."""
    lam, phi = np.radians(np.asarray(lon, dtype=np.float64)), np.radians(np.asarray(lat, dtype=np.float64))
    normal = A / np.sqrt(1 - E2 * np.sin(phi) ** 2)
    return np.stack(
        [
            normal * np.cos(phi) * np.cos(lam),
            normal * np.cos(phi) * np.sin(lam),
            normal * (1 - E2) * np.sin(phi),
        ],
        axis=-1,
    )


def authalic(lat: ArrayLike) -> Floats:
    """Sine of the authalic latitude (Snyder 1987, eq. 3-11 and 3-12)."""
    s = np.sin(np.radians(np.asarray(lat, dtype=np.float64)))
    q = (1 - E2) * (s / (1 - E2 * s * s) + np.arctanh(E * s) / E)
    return np.asarray(np.clip(q / Q_POLE, -1.0, 1.0), dtype=np.float64)


Q_POLE = float((1 - E2) * (1 / (1 - E2) + np.arctanh(E) / E))
R_AUTHALIC = A * float(np.sqrt(Q_POLE / 2))
EARTH_AREA = 4 * np.pi * R_AUTHALIC**2


def pieces_of(pieces: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """Edges cut so short that the geodesic between their ends stands for the straight edge in degrees.

    Parts are 5 km or less, and 1/256 of the total length or less, so that slivers are measured as exactly as
    countries. Returns the parts and their edge's number.
    """
    total = float(_edges.length_bound(pieces).sum())
    return _edges.densify(pieces, min(MAX_PART_KM, max(total / PARTS, LEAST_PART_KM)))


def edge_lengths(pieces: Floats) -> Floats:
    """Length in km of each edge (n, 4), straight in longitude and latitude: the sum of short geodesics."""
    parts, owner = pieces_of(pieces)
    _, km = inverse(*parts.T)
    return np.asarray(np.bincount(owner, km, minlength=len(pieces)), dtype=np.float64)


def meridian_arc(lat1: float, lat2: float) -> float:
    """Length in km of the meridian between two latitudes."""
    return distance(0.0, lat1, 0.0, lat2)


def length(geometry: BaseGeometry) -> float:
    """Length in km of a line."""
    return float(edge_lengths(_edges.of(geometry)).sum())


def perimeter(surface: BaseGeometry) -> float:
    """Perimeter in km, holes included, edges on the seam left out."""
    return float(edge_lengths(_edges.of(surface, seam=False)).sum())


def area(surface: BaseGeometry) -> float:
    """Area in km²: outer rings less holes, whatever the direction of the rings.

    Each ring is measured by itself by Karney's method (pyproj), which adds or cancels rings by direction when
    given more than one.
    """
    pieces, ring, hole = _edges.rings(surface)
    if not len(pieces):
        return 0.0
    parts, owner = pieces_of(pieces)
    starts = np.flatnonzero(np.r_[True, np.diff(ring[owner]) != 0])
    total = 0.0
    for start, stop, out in zip(starts, [*starts[1:], len(parts)], hole, strict=True):
        square_metres, _ = GEOD.polygon_area_perimeter(parts[start:stop, 0], parts[start:stop, 1])
        total += -abs(square_metres) if out else abs(square_metres)
    return float(total) / 1e6
