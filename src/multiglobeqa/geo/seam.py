"""The antimeridian: cut geometries at longitude ±180, and join what a cut has parted."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import shapely
from numpy.typing import ArrayLike

from multiglobeqa.errors import GeometryError
from multiglobeqa.geo.check import SEAM_TOLERANCE_DEG, Bools, Floats, Geoms, jumps, simple_parts

_WORLD: Final = [(k, shapely.box(360.0 * k - 180, -90, 360.0 * k + 180, 90)) for k in range(-3, 4)]


def unwrap_longitude(lon: ArrayLike) -> Floats:
    """Longitudes of consecutive vertices made continuous: each step goes the short way round."""
    x = np.asarray(lon, dtype=np.float64)
    step = np.diff(x)
    turns = np.where(np.abs(step) > 180, -np.round(step / 360), 0.0)
    return np.concatenate([x[:1], x[1:] + 360 * np.cumsum(turns)])


def polygon_from_ring(lon: ArrayLike, lat: ArrayLike) -> Any:
    """Valid polygon or multipolygon, cut at ±180, of one ring of vertices on the globe (open or closed).

    Each edge goes the short way round. A ring that winds round a pole encloses the pole on the side of its
    mean latitude. Raises :class:`GeometryError` for fewer than three vertices.
    """
    x, y = np.asarray(lon, dtype=np.float64), np.asarray(lat, dtype=np.float64)
    if len(x) > 1 and y[0] == y[-1] and np.mod(x[0] - x[-1], 360) == 0:
        x, y = x[:-1], y[:-1]
    if len(x) < 3:
        raise GeometryError("a ring needs three vertices or more.")
    return _to_world(shapely.Polygon(_ring(x, y)))


def _ring(x: Floats, y: Floats) -> Floats:
    """(k, 2) continuous ring; a ring round a pole is led along the pole."""
    at_pole = np.abs(y) == 90
    if at_pole.any() and not at_pole.all():  # a vertex at a pole has no longitude: give it its neighbours'
        first = int(np.flatnonzero(at_pole)[0])
        x, y = np.roll(x, -first), np.roll(y, -first)
        u = unwrap_longitude(x[1:])
        return np.column_stack([np.concatenate([[u[0]], u, [u[-1]], [u[0]]]), np.append(y, [y[0], y[0]])])
    u = unwrap_longitude(np.append(x, x[0]))
    points = np.column_stack([u, np.append(y, y[0])])
    if abs(u[-1] - u[0]) < 180:
        return points
    pole = 90.0 if y.mean() > 0 else -90.0
    turn = 360.0 if u[-1] > u[0] else -360.0
    at, seam, lat = _polemost_crossing(points, pole)
    after, before = points[at + 1 : -1], np.add(points[: at + 1], [turn, 0.0])
    ends = np.array([[seam + turn, lat], [seam + turn, pole], [seam, pole], [seam, lat]])
    return np.vstack([[seam, lat], after, before, ends])


def _polemost_crossing(points: Floats, pole: float) -> tuple[int, float, float]:
    """Edge, longitude and latitude at which a ring round a pole crosses the seam nearest to the pole: from
    there the seam runs to the pole without meeting the ring again."""
    u = points[:, 0]
    best = (0, 0.0, -pole)
    for k in range(int(np.floor(u.min() / 360)) - 1, int(np.ceil(u.max() / 360)) + 1):
        seam = 360.0 * k + 180
        for at in np.flatnonzero((u[:-1] - seam) * (u[1:] - seam) <= 0):
            lat = _latitude(points[at], points[at + 1], seam)
            if abs(lat - pole) < abs(best[2] - pole):
                best = (int(at), seam, lat)
    return best


def _latitude(p: Floats, q: Floats, lon: float) -> float:
    return float(p[1] + (q[1] - p[1]) * (0.0 if q[0] == p[0] else (lon - p[0]) / (q[0] - p[0])))


def _to_world(geometry: Any) -> Any:
    """A surface of continuous longitudes cut at ±180 and brought into [-180, 180]."""
    west, _, east, _ = shapely.bounds(geometry)
    pieces = []
    for k, world in _WORLD:
        if west < 360 * k + 180 and east > 360 * k - 180:
            inside = west >= 360 * k - 180 and east <= 360 * k + 180
            piece = geometry if inside else shapely.intersection(geometry, world)
            if k:
                piece = shapely.transform(piece, lambda xy, k=k: np.subtract(xy, [360.0 * k, 0.0]))
            parts, _ = simple_parts(np.array([piece], dtype=object))
            pieces += [p for p in parts if shapely.get_dimensions(p) == 2 and not p.is_empty]
    if len(pieces) == 1:
        return pieces[0]
    return shapely.multipolygons(pieces)


def split_antimeridian(geoms: Any) -> Geoms:
    """Geometries cut at longitude ±180, all longitudes in [-180, 180] (RFC 7946, 3.1.9); array of the same
    shape.

    Takes longitudes beyond ±180 (179..181) and edges that jump (179, then -179); what needs neither is
    returned as it is. A ring that winds round a pole gets the pole on the side of its mean latitude. Raises
    :class:`GeometryError` for empty geometries, coordinates that are not finite, latitudes beyond ±90 and
    longitudes beyond ±900.
    """
    out: Geoms = np.array(geoms, dtype=object)
    flat = out.reshape(-1)
    bad = shapely.is_empty(flat) | shapely.is_missing(flat)
    if bad.any():
        raise GeometryError("empty geometry.", place=int(np.flatnonzero(bad)[0]), mend="Drop the row.")
    xy, index = shapely.get_coordinates(flat, return_index=True)
    wrong = ~(np.isfinite(xy).all(axis=1) & (np.abs(xy[:, 1]) <= 90) & (np.abs(xy[:, 0]) <= 900))
    if wrong.any():
        raise GeometryError(
            "coordinate is not finite or out of range.",
            place=int(index[np.flatnonzero(wrong)[0]]),
            mend="Check the axis order.",
        )
    need = jumps(flat)
    need[index[np.abs(xy[:, 0]) > 180]] = True
    for i in np.flatnonzero(need):
        flat[i] = _split(flat[i])
    return flat.reshape(out.shape)


def _split(geometry: Any) -> Any:
    parts, _ = simple_parts(np.array([geometry], dtype=object))
    done = []
    for part in parts:
        if part.geom_type == "Point":
            x = np.mod(part.x + 180.0, 360.0) - 180.0 if abs(part.x) > 180 else part.x
            done.append(shapely.Point(x, part.y))
        elif part.geom_type == "Polygon":
            done.append(_split_polygon(part))
        else:
            c = shapely.get_coordinates(part)
            done.append(_cut_line(unwrap_longitude(c[:, 0]), c[:, 1]))
    if len(done) == 1:
        return done[0]
    flat, _ = simple_parts(np.array(done, dtype=object))
    build = {0: shapely.multipoints, 1: shapely.multilinestrings, 2: shapely.multipolygons}
    return build[int(shapely.get_dimensions(geometry))](flat)


def _cut_line(u: Floats, y: Floats) -> Any:
    """Line of continuous longitudes cut at ±180 in its own order (self-crossings stay uncut)."""
    t: list[float] = []
    row: list[int] = []
    for k in range(int(np.floor(u.min() / 360)) - 1, int(np.ceil(u.max() / 360)) + 1):
        seam = 360.0 * k + 180
        at = np.flatnonzero((np.minimum(u[:-1], u[1:]) < seam) & (np.maximum(u[:-1], u[1:]) > seam))
        row += at.tolist()
        t += ((seam - u[at]) / (u[at + 1] - u[at])).tolist()
    place = (
        np.concatenate([np.arange(len(u)), np.add(row, t)]) if row else np.arange(len(u), dtype=np.float64)
    )
    seam_lon = np.round((np.interp(place[len(u) :], np.arange(len(u)), u) - 180) / 360) * 360 + 180
    x = np.concatenate([u, seam_lon])
    lat = np.interp(place, np.arange(len(u)), y)
    order = np.argsort(place, kind="stable")
    x, lat = x[order], lat[order]
    turn = np.floor(((x[:-1] + x[1:]) / 2 + 180) / 360)  # the turn of each edge
    pieces = []
    for edge in np.split(np.arange(len(turn)), np.flatnonzero(np.diff(turn)) + 1):
        rows = np.append(edge, edge[-1] + 1)
        pieces.append(shapely.LineString(np.column_stack([x[rows] - 360 * turn[edge[0]], lat[rows]])))
    return pieces[0] if len(pieces) == 1 else shapely.multilinestrings(pieces)


def _split_polygon(part: Any) -> Any:
    """Polygon cut at ±180; a hole that the continuous shell does not hold in one turn is cut as well."""
    c = shapely.get_coordinates(part.exterior)
    shell = shapely.Polygon(_ring(c[:-1, 0], c[:-1, 1]))
    holes, cut = [], []
    for hole in part.interiors:
        c = shapely.get_coordinates(hole)
        ring = _ring(c[:-1, 0], c[:-1, 1])
        turns = [np.add(ring, [360.0 * k, 0.0]) for k in (0, 1, -1, 2, -2)]
        inside = [t for t in turns if shell.covers(shapely.Polygon(t))]
        if inside:
            holes.append(inside[0])
        else:
            cut.append(_to_world(shapely.Polygon(ring)))
    whole = _to_world(shapely.Polygon(shapely.get_coordinates(shell), holes))
    return shapely.difference(whole, shapely.union_all(cut)) if cut else whole


def touches_seam(flat: Geoms) -> Bools:
    """(n,) True where a geometry reaches longitude 180 or -180."""
    box = shapely.bounds(flat).reshape(-1, 4)
    return np.asarray(
        (180 - box[:, 2] <= SEAM_TOLERANCE_DEG) | (box[:, 0] + 180 <= SEAM_TOLERANCE_DEG), dtype=bool
    )


def snap_seam(flat: Geoms) -> Geoms:
    """1-D array with coordinates within 1e-9 degrees of longitude ±180 or latitude ±90 set exactly there."""

    def snap(xy: Floats) -> Floats:
        edge = np.broadcast_to([180.0, 90.0], xy.shape)
        near = np.abs(np.abs(xy) - edge) <= SEAM_TOLERANCE_DEG
        return np.where(near, np.copysign(edge, xy), xy)

    return np.asarray(shapely.transform(flat, snap), dtype=object)


def unwrap(geoms: Any, lon0: ArrayLike) -> Geoms:
    """Geometries laid out round ``lon0`` with the seam dissolved: pieces that touch along ±180 become one.

    Parts are moved by whole turns to the side nearest to ``lon0``, so longitudes can leave [-180, 180];
    surfaces that reach the seam are then united, lines merged. ``lon0``: scalar or the shape of ``geoms``. A
    part that goes round the globe stays where it is.
    """
    out: Geoms = np.array(geoms, dtype=object)
    flat = out.reshape(-1)
    centre = np.broadcast_to(np.asarray(lon0, dtype=np.float64), out.shape).reshape(-1)
    at_seam = touches_seam(flat)
    flat[at_seam] = snap_seam(flat[at_seam])
    parts, owner = simple_parts(flat)
    box = shapely.bounds(parts).reshape(-1, 4)
    turns = np.round((centre[owner] - (box[:, 0] + box[:, 2]) / 2) / 360)
    turns[(box[:, 2] - box[:, 0]) > 359] = 0
    moved = np.zeros(len(flat), dtype=bool)
    moved[owner[turns != 0]] = True
    for i in np.flatnonzero(moved):
        mine = np.flatnonzero(owner == i)
        shifted = [
            shapely.transform(parts[j], lambda xy, t=turns[j]: np.add(xy, [360.0 * t, 0.0]))
            if turns[j]
            else parts[j]
            for j in mine
        ]
        dim = int(shapely.get_dimensions(flat[i]))
        if dim == 2:
            flat[i] = shapely.union_all(shifted)
        elif dim == 1:
            flat[i] = shapely.line_merge(shapely.multilinestrings(shifted))
        else:
            flat[i] = shifted[0] if len(shifted) == 1 else shapely.multipoints(shifted)
    return flat.reshape(out.shape)
