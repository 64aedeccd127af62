"""The equal-area centroid of a geometry.

It is the point c that is the centroid of the geometry on the Lambert azimuthal equal-area plane centred at c,
found by iteration from the mean direction. The plane is that of the authalic sphere (Snyder 1987, eq. 24-2 to
24-4), which keeps the ellipsoid's areas; edges are straight in longitude and latitude, cut to 5 km. Surfaces
weigh by area (all parts, holes out), lines by length, points by number.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry.base import BaseGeometry

from multiglobeqa.solver import edges, geodesy
from multiglobeqa.solver.errors import SolverError

Floats = NDArray[np.float64]
Moment = Callable[[Floats, Floats, Floats], tuple[float, float]]
"""East, north and up axes of a plane -> the geometry's centroid on it, on the unit sphere."""
STEP_KM = 5.0
ROUNDS = 50
SETTLED = 1e-12  # radians on the sphere, 6 micrometres


def centroid(geometry: BaseGeometry) -> tuple[float, float]:
    """Longitude in [-180, 180) and latitude in degrees; a point is itself."""
    if geometry.geom_type == "Point":
        return float(geometry.x), float(geometry.y)
    dimension = shapely.get_dimensions(geometry)
    if dimension == 2:
        pieces, ring, hole = edges.rings(geometry)
        return ring_centroid(pieces, ring, hole)
    pieces = edges.of(geometry)
    if dimension == 1:
        pieces, _ = edges.densify(pieces, STEP_KM)
        weight = geodesy.edge_lengths(pieces)
    else:
        weight = np.ones(len(pieces))
    points = _unit((pieces[:, 0] + pieces[:, 2]) / 2, (pieces[:, 1] + pieces[:, 3]) / 2)

    def moment(east: Floats, north: Floats, up: Floats) -> tuple[float, float]:
        x, y = _plane(points, east, north, up)
        return float(weight @ x / weight.sum()), float(weight @ y / weight.sum())

    return _settle(weight @ points, moment)


def ring_centroid(
    pieces: Floats, ring: NDArray[np.int64], hole: NDArray[np.bool_], *, short_way: bool = False
) -> tuple[float, float]:
    """Centroid of the surface whose rings' edges are given (see ``edges.rings``).

    ``short_way`` reads each edge's longitude difference the short way round, for rings that were not cut
    at the antimeridian.
    """
    if short_way:
        pieces = pieces.copy()
        pieces[:, 2] = pieces[:, 0] + (pieces[:, 2] - pieces[:, 0] + 180.0) % 360.0 - 180.0
    parts, owner = edges.densify(pieces, STEP_KM)
    first, second = _unit(parts[:, 0], parts[:, 1]), _unit(parts[:, 2], parts[:, 3])
    owner = ring[owner]

    def moment(east: Floats, north: Floats, up: Floats) -> tuple[float, float]:
        x1, y1 = _plane(first, east, north, up)
        x2, y2 = _plane(second, east, north, up)
        cross = x1 * y2 - x2 * y1
        sums = [
            np.bincount(owner, v, minlength=len(hole)) for v in (cross, (x1 + x2) * cross, (y1 + y2) * cross)
        ]
        sign = np.where(hole, -1.0, 1.0) * np.sign(sums[0])
        twice, mx, my = (float(sign @ s) for s in sums)
        if twice <= 0:
            raise SolverError("A surface without area has no centroid.", place="centroid")
        return mx / (3 * twice), my / (3 * twice)

    across = np.cross(first, second) / 2
    per_ring = np.stack([np.bincount(owner, across[:, k], minlength=len(hole)) for k in range(3)], axis=1)
    some = first[np.unique(owner, return_index=True)[1]]
    sign = np.where(np.einsum("ij,ij->i", per_ring, some) >= 0, 1.0, -1.0) * np.where(hole, -1.0, 1.0)
    return _settle(sign @ per_ring, moment)  # a ring's vector area points to its inside, up to sign


def _settle(guess: Floats, moment: Moment) -> tuple[float, float]:
    size = float(np.linalg.norm(guess))
    if size == 0:
        raise SolverError("The geometry has no centre: its parts balance around the Earth.", place="centroid")
    up = guess / size
    for _ in range(ROUNDS):
        pole = np.array([0.0, 0.0, 1.0]) if abs(up[2]) < 0.9 else np.array([1.0, 0.0, 0.0])
        east = np.cross(pole, up)
        east /= np.linalg.norm(east)
        north = np.cross(up, east)
        x, y = moment(east, north, up)
        radius = float(np.hypot(x, y))
        if radius <= SETTLED:
            break
        angle = 2 * np.arcsin(min(radius / 2, 1.0))
        up = np.cos(angle) * up + np.sin(angle) * (x * east + y * north) / radius
        up /= np.linalg.norm(up)
    else:
        raise SolverError(
            "The centroid does not settle: the geometry spans too much of the Earth.", place="centroid"
        )
    lon = float(np.degrees(np.arctan2(up[1], up[0])))
    return (lon + 180.0) % 360.0 - 180.0, _geographic(float(up[2]))


def _unit(lon: Floats, lat: Floats) -> Floats:
    """Unit vectors (n, 3) on the authalic sphere."""
    lam, s = np.radians(lon), geodesy.authalic(lat)
    c = np.sqrt(1 - s * s)
    return np.stack([c * np.cos(lam), c * np.sin(lam), s], axis=1)


def _plane(points: Floats, east: Floats, north: Floats, up: Floats) -> tuple[Floats, Floats]:
    """Azimuthal equal-area coordinates on the unit sphere."""
    k = np.sqrt(2 / np.maximum(1 + points @ up, 1e-12))
    return k * (points @ east), k * (points @ north)


def _geographic(sine: float) -> float:
    """Latitude in degrees whose authalic sine is given, by bisection."""
    low, high = -90.0, 90.0
    for _ in range(60):
        mid = (low + high) / 2
        if float(geodesy.authalic(mid)) < sine:
            low = mid
        else:
            high = mid
    return (low + high) / 2
