"""Directions: position relative to a geodesic route, and winds."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from multiglobeqa.errors import GeometryError
from multiglobeqa.geo.check import Floats, coordinates
from multiglobeqa.geo.ellipsoid import GEOD

WINDS: Final = (
    "north",
    "north-northeast",
    "northeast",
    "east-northeast",
    "east",
    "east-southeast",
    "southeast",
    "south-southeast",
    "south",
    "south-southwest",
    "southwest",
    "west-southwest",
    "west",
    "west-northwest",
    "northwest",
    "north-northwest",
)
ON_ROUTE_KM: Final = 1e-6
_MEAN_RADIUS_KM: Final = 6371.0


def route_position(
    lon: ArrayLike,
    lat: ArrayLike,
    lon_from: ArrayLike,
    lat_from: ArrayLike,
    lon_to: ArrayLike,
    lat_to: ArrayLike,
) -> tuple[Floats, Floats]:
    """(along, cross) in km of points relative to the geodesic that starts at *from* towards *to*, prolonged.

    along: signed distance from the start to the foot, negative behind the start. cross: signed distance from
    the foot to the point, positive to the right. The foot is found by repeating the spherical right triangle
    from the last foot with geodesic azimuths and distances until it moves less than 0.1 mm (Baselga and
    Martinez-Llario 2018).

    Raises :class:`GeometryError` for bad coordinates, for a route whose ends coincide, and where the foot is
    not found (points about 90 degrees off the route).
    """
    x, y = coordinates(lon, lat)
    x1, y1 = coordinates(lon_from, lat_from)
    x2, y2 = coordinates(lon_to, lat_to)
    arrays = np.broadcast_arrays(x, y, x1, y1, x2, y2)
    shape = arrays[0].shape
    x, y, x1, y1, x2, y2 = (np.array(v, dtype=np.float64).ravel() for v in arrays)
    azimuth, _, metres = (np.asarray(v) for v in GEOD.inv(x1, y1, x2, y2))
    if (metres == 0).any():
        raise GeometryError("the ends of a route coincide.", place=int(np.flatnonzero(metres == 0)[0]))
    along = np.zeros(len(x))
    cross = np.zeros(len(x))
    step = np.full(len(x), np.inf)
    fx, fy, faz = x1.copy(), y1.copy(), azimuth.copy()
    for _ in range(60):
        to_point, _, d = (np.asarray(v) for v in GEOD.inv(fx, fy, x, y))
        arc = d / 1000 / _MEAN_RADIUS_KM
        turn = np.radians(to_point - faz)
        cross = np.where(np.sin(turn) >= 0, d, -d) / 1000
        step = np.arctan2(np.sin(arc) * np.cos(turn), np.cos(arc)) * _MEAN_RADIUS_KM
        along = along + step
        if (np.abs(step) < 1e-7).all():
            break
        fx, fy, back = (np.asarray(v) for v in GEOD.fwd(x1, y1, azimuth, along * 1000))
        faz = np.mod(back + 180.0, 360.0)
    lost = np.abs(step) > 1e-4
    if lost.any():
        raise GeometryError("no foot of the point on the route.", place=int(np.flatnonzero(lost)[0]))
    return along.reshape(shape), cross.reshape(shape)


def cross_track_km(
    lon: ArrayLike,
    lat: ArrayLike,
    lon_from: ArrayLike,
    lat_from: ArrayLike,
    lon_to: ArrayLike,
    lat_to: ArrayLike,
) -> Floats:
    """Signed geodesic distance from the route to the point, positive to the right: see
    :func:`route_position`.
    """
    return route_position(lon, lat, lon_from, lat_from, lon_to, lat_to)[1]


def along_track_km(
    lon: ArrayLike,
    lat: ArrayLike,
    lon_from: ArrayLike,
    lat_from: ArrayLike,
    lon_to: ArrayLike,
    lat_to: ArrayLike,
) -> Floats:
    """Signed distance along the route from its start to the point's foot: see :func:`route_position`."""
    return route_position(lon, lat, lon_from, lat_from, lon_to, lat_to)[0]


def side_of_route(
    lon: ArrayLike,
    lat: ArrayLike,
    lon_from: ArrayLike,
    lat_from: ArrayLike,
    lon_to: ArrayLike,
    lat_to: ArrayLike,
) -> NDArray[np.str_]:
    """``left``, ``right``, or ``on`` (within 1 mm) of the geodesic route, seen in the direction of travel.

    Raises as :func:`route_position`.
    """
    cross = cross_track_km(lon, lat, lon_from, lat_from, lon_to, lat_to)
    return np.where(np.abs(cross) <= ON_ROUTE_KM, "on", np.where(cross > 0, "right", "left"))


def _azimuths(azimuth_deg: ArrayLike, count: int) -> Floats:
    if count not in (4, 8, 16):
        raise GeometryError(f"{count} winds; use 4, 8 or 16.")
    azimuth = np.asarray(azimuth_deg, dtype=np.float64)
    if not np.isfinite(azimuth).all():
        at = int(np.flatnonzero(~np.isfinite(np.atleast_1d(azimuth).ravel()))[0])
        raise GeometryError("azimuth is not finite (coincident points have no direction).", place=at)
    return azimuth


def winds(azimuth_deg: ArrayLike, count: int) -> NDArray[np.str_]:
    """Name of the sector of each azimuth among 4, 8 or 16 winds (``north``, ``north-northeast``, ...).

    Sectors are centred on the winds; an azimuth on an edge belongs to the next wind clockwise.
    Raises :class:`GeometryError` for another count or an azimuth that is not finite.
    """
    azimuth = _azimuths(azimuth_deg, count)
    sector = np.floor(azimuth / (360 / count) + 0.5).astype(np.int64) % count
    return np.array(WINDS[:: 16 // count])[sector]


def sector_margin_deg(azimuth_deg: ArrayLike, count: int) -> Floats:
    """Degrees from each azimuth to the nearest edge between the sectors of 4, 8 or 16 winds (0 on an edge).

    Raises as :func:`winds`.
    """
    width = 360 / count if count else 0.0
    offset = np.mod(_azimuths(azimuth_deg, count) + width / 2, width)
    return np.minimum(offset, width - offset)


def angle_between_deg(azimuth1: ArrayLike, azimuth2: ArrayLike) -> Floats:
    """Angle in [0, 180] between two azimuths in degrees."""
    gap = np.mod(np.asarray(azimuth1, dtype=np.float64) - np.asarray(azimuth2, dtype=np.float64), 360.0)
    return np.minimum(gap, 360.0 - gap)
