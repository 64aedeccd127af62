"""The equal-area centroid of a geometry.

It is the point c that is the centroid of the geometry on the Lambert azimuthal equal-area plane centred at c,
found by iteration: PROJ projects, GEOS takes the centroid. The first c is the mean direction of the surface's
vector area. Edges are straight in longitude and latitude, cut to 5 km. Surfaces weigh by area (all
parts, holes out), lines by length, points by number.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import shapely
from numpy.typing import NDArray
from pyproj import Proj
from shapely.geometry.base import BaseGeometry

from multiglobeqa.solver import edges, geodesy
from multiglobeqa.solver.errors import SolverError

Floats = NDArray[np.float64]
Moment = Callable[[Proj], tuple[float, float]]
"""A plane -> the geometry's centroid on it, km."""
ROUNDS = 50
SETTLED_KM = 1e-6


def lambert(lon: float, lat: float) -> Proj:
    """The Lambert azimuthal equal-area plane on WGS84 centred at a point, km."""
    return Proj(proj="laea", lon_0=lon, lat_0=lat, ellps="WGS84", units="km")


def centroid(geometry: BaseGeometry) -> tuple[float, float]:
    """Longitude in [-180, 180) and latitude in degrees; a point is itself."""
    if geometry.geom_type == "Point":
        return float(geometry.x), float(geometry.y)
    dimension = shapely.get_dimensions(geometry)
    if dimension == 2:
        return ring_centroid(*edges.rings(geometry))
    parts = edges.of(geometry)
    weight = np.ones(len(parts))
    if dimension == 1:
        parts, _ = geodesy.pieces_of(parts)
        weight = geodesy.inverse(*parts.T)[1]
    lon, lat = (parts[:, 0] + parts[:, 2]) / 2, (parts[:, 1] + parts[:, 3]) / 2

    def moment(plane: Proj) -> tuple[float, float]:
        x, y = plane(lon, lat)
        return float(weight @ x / weight.sum()), float(weight @ y / weight.sum())

    return _settle(weight @ geodesy.ecef(lon, lat), moment)


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
    parts, owner = geodesy.pieces_of(pieces)
    owner = ring[owner]

    def moment(plane: Proj) -> tuple[float, float]:
        xy = np.column_stack(plane(parts[:, 0], parts[:, 1]))
        flat = shapely.polygons(shapely.linearrings(xy, indices=owner))
        each = shapely.get_coordinates(shapely.centroid(flat))
        weight = shapely.area(flat)
        shells = float(weight[~hole].sum())
        weight = np.where(hole, -weight, weight)
        if weight.sum() <= 1e-12 * shells:
            raise SolverError("A surface without area has no centroid.", place="centroid")
        x, y = weight @ np.where(weight[:, None] != 0, each, 0.0) / weight.sum()
        return float(x), float(y)

    first, second = geodesy.ecef(parts[:, 0], parts[:, 1]), geodesy.ecef(parts[:, 2], parts[:, 3])
    across = np.cross(first, second)
    vector = np.stack([np.bincount(owner, across[:, k], minlength=len(hole)) for k in range(3)], axis=1)
    some = first[np.unique(owner, return_index=True)[1]]
    sign = np.where(np.einsum("ij,ij->i", vector, some) >= 0, 1.0, -1.0) * np.where(hole, -1.0, 1.0)
    return _settle(sign @ vector, moment)  # a ring's vector area points to its inside, up to sign


def _settle(guess: Floats, moment: Moment) -> tuple[float, float]:
    if not np.linalg.norm(guess) > 0:
        raise SolverError("The geometry has no centre: its parts balance around the Earth.", place="centroid")
    lon = float(np.degrees(np.arctan2(guess[1], guess[0])))
    lat = float(np.degrees(np.arctan2(guess[2], np.hypot(guess[0], guess[1]))))
    for _ in range(ROUNDS):
        plane = lambert(lon, lat)
        x, y = moment(plane)
        if not np.isfinite(x + y):
            break
        if np.hypot(x, y) <= SETTLED_KM:
            return (lon + 180.0) % 360.0 - 180.0, lat
        lon, lat, _ = geodesy.GEOD.fwd(lon, lat, np.degrees(np.arctan2(x, y)), np.hypot(x, y) * 1000.0)
    raise SolverError("The centroid does not settle: the parts span the Earth.", place="centroid")
