"""Geodesic distance: points, and any two geometries along their edges.

WGS84, Karney's algorithms through pyproj. Edges are straight on the lon-lat plane (see
:mod:`multiglobeqa.geo.edges`); the distance of two geometries is the least geodesic distance of any point of
one to any point of the other, 0 where they meet. It is right across the antimeridian and at the poles and
accurate to 0.2 m or 1e-5 relative, whichever is larger.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import shapely
from numpy.typing import ArrayLike

from multiglobeqa.errors import GeometryError
from multiglobeqa.geo.check import Bools, Floats, Geoms, Ints, coordinates, geometries, positive
from multiglobeqa.geo.edges import boundary_lines
from multiglobeqa.geo.ellipsoid import GEOD, HALF_TURN_KM
from multiglobeqa.geo.pieces import boundary_km

CONTACT_KM = 1e-6
"""Distances below 1 mm are 0: pieces of one surface on both sides of the seam touch."""


def distance_km(lon1: ArrayLike, lat1: ArrayLike, lon2: ArrayLike, lat2: ArrayLike) -> Floats:
    """Geodesic distance in km; inputs in degrees, broadcast.

    Raises :class:`GeometryError` for coordinates that are not finite or out of range. Source: Karney (2013),
    doi:10.1007/s00190-012-0578-z.
    """
    return _inverse(lon1, lat1, lon2, lat2)[1]


def azimuth_deg(lon1: ArrayLike, lat1: ArrayLike, lon2: ArrayLike, lat2: ArrayLike) -> Floats:
    """Azimuth in [0, 360) of the geodesic at point 1 towards point 2, clockwise from true north.

    NaN where the points coincide (no direction). At a pole it is counted from the meridian of ``lon1``.
    Raises as :func:`distance_km`.
    """
    azimuth, km = _inverse(lon1, lat1, lon2, lat2)
    return np.where(km > 0, _turn(azimuth), np.nan)


def _inverse(lon1: ArrayLike, lat1: ArrayLike, lon2: ArrayLike, lat2: ArrayLike) -> tuple[Floats, Floats]:
    x1, y1 = coordinates(lon1, lat1)
    x2, y2 = coordinates(lon2, lat2)
    x1, y1, x2, y2 = (np.array(v, dtype=np.float64) for v in np.broadcast_arrays(x1, y1, x2, y2))
    azimuth, _, metres = GEOD.inv(x1, y1, x2, y2)
    return np.asarray(azimuth, dtype=np.float64), np.asarray(metres, dtype=np.float64) / 1000


def _turn(azimuth: ArrayLike) -> Floats:
    out = np.mod(np.asarray(azimuth, dtype=np.float64), 360.0)
    return np.where(out >= 360.0, 0.0, out)


def destination(
    lon: ArrayLike, lat: ArrayLike, azimuth_deg: ArrayLike, distance_km: ArrayLike
) -> tuple[Floats, Floats]:
    """(lon, lat) reached from a point along an azimuth after a distance; all broadcast, lon in [-180, 180].

    Raises :class:`GeometryError` for bad coordinates, a non-finite azimuth, a negative distance.
    """
    x, y = coordinates(lon, lat)
    km = positive(distance_km, "distance", zero=True)
    az = np.asarray(azimuth_deg, dtype=np.float64)
    if not np.isfinite(az).all():
        raise GeometryError("azimuth is not finite.", place=int(np.flatnonzero(~np.isfinite(az.ravel()))[0]))
    x, y, az, km = (np.array(v, dtype=np.float64) for v in np.broadcast_arrays(x, y, az, km))
    lon2, lat2, _ = GEOD.fwd(x, y, az, km * 1000)
    return np.asarray(lon2, dtype=np.float64), np.asarray(lat2, dtype=np.float64)


def rhumb_azimuth_deg(lon1: ArrayLike, lat1: ArrayLike, lon2: ArrayLike, lat2: ArrayLike) -> Floats:
    """Constant bearing in [0, 360) of the rhumb line (loxodrome) from point 1 to 2, the short way round.

    NaN where the points coincide. On the ellipsoid through the isometric latitude (Snyder 1987, eq. 7-7);
    from or to a pole it is 0 or 180. Raises as :func:`distance_km`.
    """
    x1, y1 = coordinates(lon1, lat1)
    x2, y2 = coordinates(lon2, lat2)
    dlon = np.mod(x2 - x1 + 180.0, 360.0) - 180.0
    dlon = np.where((dlon == -180.0) & (x2 > x1), 180.0, dlon)
    north = _isometric(y2) - _isometric(y1)
    pole = (np.abs(y1) == 90) | (np.abs(y2) == 90)
    bearing = _turn(np.degrees(np.arctan2(np.radians(dlon), north)))
    bearing = np.where(pole, np.where(y2 > y1, 0.0, 180.0), bearing)
    same = (y1 == y2) & ((dlon == 0) | (np.abs(y1) == 90))
    return np.where(same, np.nan, bearing)


def _isometric(lat: Floats) -> Floats:
    from multiglobeqa.geo.ellipsoid import E

    phi = np.radians(np.clip(lat, -89.9999999999, 89.9999999999))
    return np.asarray(np.arcsinh(np.tan(phi)) - E * np.arctanh(E * np.sin(phi)), dtype=np.float64)


def geometry_distance_km(a: Any, b: Any) -> Floats:
    """Least geodesic distance in km of each pair of geometries, element-wise (broadcast), 0 where they meet.

    A surface includes its interior. Points, lines, surfaces and their multi forms, in any mix. Repeated
    objects (one country against many points) are prepared once.

    Raises :class:`GeometryError` as :func:`multiglobeqa.geo.check.geometries`.
    """
    left, right = np.broadcast_arrays(np.asarray(a, dtype=object), np.asarray(b, dtype=object))
    shape = left.shape
    ua, ia = checked_objects(left)
    ub, ib = checked_objects(right)
    return pair_distance_km(ua, ub, ia, ib).reshape(shape)


def pair_distance_km(ua: Geoms, ub: Geoms, ia: Ints, ib: Ints, most: Floats | None = None) -> Floats:
    """Distance of the pairs ``ua[ia], ub[ib]`` of checked geometries: (pairs,) km.

    With ``most`` (pairs,) a distance above it need not be exact: it is some number above it.
    """
    out = np.zeros(len(ia))
    if len(ia) == 0:
        return out
    pa, pb = (shapely.get_type_id(u) == 0 for u in (ua, ub))
    if pa.all() and pb.all():
        xa, ya, xb, yb = (f(u) for u in (ua, ub) for f in (shapely.get_x, shapely.get_y))
        metres = GEOD.inv(xa[ia], ya[ia], xb[ib], yb[ib])[2]
        return np.asarray(metres, dtype=np.float64) / 1000
    apart = np.flatnonzero(~meets(ua, ub, ia, ib))
    if len(apart):
        limit = np.full(len(apart), np.inf) if most is None else np.maximum(most[apart], CONTACT_KM)
        km = boundary_km(ua, ub, ia[apart], ib[apart], limit)
        km = np.where(km < CONTACT_KM, 0.0, km)
        out[apart] = np.minimum(km, HALF_TURN_KM) if most is None else km
    return out


def meets(ua: Geoms, ub: Geoms, ia: Ints, ib: Ints) -> Bools:
    """Whether the pairs ``ua[ia], ub[ib]`` intersect on the lon-lat plane: (pairs,).

    Boxes first; then the side is prepared that leaves fewer vertices to go through.
    """
    boxes = shapely.bounds(ua).reshape(-1, 4), shapely.bounds(ub).reshape(-1, 4)
    left, right = boxes[0][ia], boxes[1][ib]
    out: Bools = ((left[:, :2] <= right[:, 2:]) & (right[:, :2] <= left[:, 2:])).all(axis=1)
    rows = np.flatnonzero(out)
    if len(rows) == 0:
        return out
    ia, ib = ia[rows], ib[rows]
    size_a, size_b = shapely.get_num_coordinates(ua), shapely.get_num_coordinates(ub)
    cost_a = 2 * size_a[np.unique(ia)].sum() + size_b[ib].sum()
    cost_b = 2 * size_b[np.unique(ib)].sum() + size_a[ia].sum()
    swap = cost_a > cost_b
    big, small, i, j = (ub, ua, ib, ia) if swap else (ua, ub, ia, ib)
    order = np.argsort(i, kind="stable")
    used = big[np.unique(i)]
    shapely.prepare(used)
    try:
        out[rows[order]] = shapely.intersects(big[i[order]], small[j[order]])
    finally:
        shapely.destroy_prepared(used)
    return out


def unique_objects(flat: Geoms) -> tuple[Geoms, Ints]:
    """Distinct objects of a 1-D array (by identity), and for each row the index of its object."""
    ids = np.fromiter(map(id, flat), dtype=np.int64, count=len(flat))
    _, first, inverse = np.unique(ids, return_index=True, return_inverse=True)
    return flat[first], inverse.astype(np.int64)


def checked_objects(geoms: Geoms, kinds: tuple[str, ...] | None = None) -> tuple[Geoms, Ints]:
    """:func:`unique_objects` of an array, each checked once; a bad one is reported by its place in the array.

    Raises as :func:`multiglobeqa.geo.check.geometries`.
    """
    objects, at = unique_objects(geoms.ravel())
    try:
        return geometries(objects, kinds=kinds), at
    except GeometryError:
        geometries(geoms, kinds=kinds)
        raise


def boundary_distance_km(a: Any, surface: Any) -> tuple[Floats, Bools]:
    """Distance in km from each geometry to the boundary line of a surface (rings and holes, no seam edges),
    and whether the geometry lies within the surface (its boundary included), element-wise (broadcast).

    Raises :class:`GeometryError` as :func:`multiglobeqa.geo.check.geometries`, for a second argument that is
    not a surface, and for a surface without any boundary (the whole earth).
    """
    left, right = np.broadcast_arrays(np.asarray(a, dtype=object), np.asarray(surface, dtype=object))
    shape = left.shape
    ua, ia = checked_objects(left)
    ub, ib = checked_objects(right, ("surface",))
    lines = boundary_lines(ub)
    bare = shapely.is_empty(lines)
    if bare.any():
        at = int(np.flatnonzero(bare[ib])[0])
        raise GeometryError("surface has no boundary apart from the seam.", place=at)
    km = pair_distance_km(ua, lines, ia, ib)
    shapely.prepare(ub)
    try:
        inside = np.asarray(shapely.covers(ub[ib], ua[ia]), dtype=bool)
        mirrored = _mirror_points(ua)
        rows = np.flatnonzero(np.array([m is not None for m in mirrored], dtype=bool)[ia] & ~inside)
        inside[rows] = shapely.covers(ub[ib[rows]], mirrored[ia[rows]])
    finally:
        shapely.destroy_prepared(ub)
    return km.reshape(shape), inside.reshape(shape)


def _mirror_points(geoms: Geoms) -> Geoms:
    """Points on the seam moved to its other side; None for everything else."""
    out: Geoms = np.full(len(geoms), None, dtype=object)
    rows = np.flatnonzero(shapely.get_type_id(geoms) == 0)
    rows = rows[np.abs(shapely.get_x(geoms[rows])) == 180]
    out[rows] = shapely.points(-shapely.get_x(geoms[rows]), shapely.get_y(geoms[rows]))
    return out
