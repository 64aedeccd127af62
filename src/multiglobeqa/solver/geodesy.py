"""Geodesy of the solver: WGS84, km, degrees.

Edges are straight in longitude and latitude. Lengths and areas are integrals along such an edge by
Gauss-Legendre quadrature of the ellipsoid's own line and area elements, so they need no densifying and no
geodesic solver; distances and azimuths between points are Karney's (pyproj.Geod).
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
NODES, WEIGHTS = (np.asarray(v, dtype=np.float64) for v in np.polynomial.legendre.leggauss(8))
NODES, WEIGHTS = (NODES + 1) / 2, WEIGHTS / 2
MAX_SPAN_DEG = 1.0


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


def edge_lengths(pieces: Floats) -> Floats:
    """Length in km of each edge (n, 4), straight in longitude and latitude."""
    parts, owner = _edges.split(pieces, np.abs(pieces[:, 2:] - pieces[:, :2]).max(axis=1) / MAX_SPAN_DEG)
    dlon = np.radians(parts[:, 2] - parts[:, 0])[:, None]
    dlat = np.radians(parts[:, 3] - parts[:, 1])[:, None]
    phi = np.radians(parts[:, 1])[:, None] + dlat * NODES
    w2 = 1 - E2 * np.sin(phi) ** 2
    east = A / np.sqrt(w2) * np.cos(phi) * dlon
    north = A * (1 - E2) / w2**1.5 * dlat
    lengths = np.asarray(np.hypot(east, north) @ WEIGHTS, dtype=np.float64)
    return np.asarray(np.bincount(owner, lengths, minlength=len(pieces)), dtype=np.float64)


def meridian_arc(lat1: float, lat2: float) -> float:
    """Length in km of the meridian between two latitudes."""
    return float(edge_lengths(np.array([[0.0, lat1, 0.0, lat2]]))[0])


def length(geometry: BaseGeometry) -> float:
    """Length in km of a line."""
    return float(edge_lengths(_edges.of(geometry)).sum())


def perimeter(surface: BaseGeometry) -> float:
    """Perimeter in km, holes included, edges on the seam left out."""
    return float(edge_lengths(_edges.of(surface, seam=False)).sum())


def area(surface: BaseGeometry) -> float:
    """Area in km²: outer rings less holes, whatever the direction of the rings.

    Each ring's area is the absolute value of the integral of R²·sin(authalic latitude) over longitude.
    """
    pieces, ring, hole = _edges.rings(surface)
    if not len(pieces):
        return 0.0
    parts, owner = _edges.split(pieces, np.abs(pieces[:, 3] - pieces[:, 1]) / MAX_SPAN_DEG)
    lat = parts[:, 1, None] + (parts[:, 3] - parts[:, 1])[:, None] * NODES
    strips = (authalic(lat) @ WEIGHTS) * np.radians(parts[:, 2] - parts[:, 0])
    per_ring = np.abs(np.bincount(ring[owner], strips, minlength=len(hole))) * R_AUTHALIC**2
    return float(np.where(hole, -per_ring, per_ring).sum())
