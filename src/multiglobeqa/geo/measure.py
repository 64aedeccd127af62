"""Area, length, perimeter, centroid, main share and bounds on the WGS84 ellipsoid.

Edges are straight on the lon-lat plane (:mod:`multiglobeqa.geo.edges`); every function takes a geometry or an
array of geometries of any shape and returns arrays of that shape. All raise :class:`GeometryError` as
:func:`multiglobeqa.geo.check.geometries` does.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import shapely
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from multiglobeqa.geo.check import SEAM_TOLERANCE_DEG, Floats, Geoms, Ints, geometries, simple_parts
from multiglobeqa.geo.edges import Edges, densify, edge_area_km2, edge_length_km, edges, on_seam, totals
from multiglobeqa.geo.ellipsoid import R_AUTHALIC_KM
from multiglobeqa.geo.lambert import laea, laea_inverse

_CENTROID_PIECE_KM, _CENTROID_SAGITTA_KM = 5.0, 1e-4


def area_km2(geoms: Any) -> Floats:
    """Area in km² of surfaces (0 for points and lines): |shell| minus |holes| whatever the ring direction.

    Exact quadrature of the ellipsoidal zone area along each edge (Snyder 1987, eq. 3-12).
    """
    g = geometries(geoms)
    e = edges(g.ravel())
    part = _part_area(e)
    return totals(e.part_geom, part, e.n).reshape(g.shape)


def _part_area(e: Edges) -> Floats:
    ring = np.abs(totals(e.ring, edge_area_km2(e), len(e.ring_geom)))
    ring = ring * (e.ring_dim == 2) * np.where(e.ring_hole, -1.0, 1.0)
    return totals(e.ring_part, ring, len(e.part_geom))


def length_km(lines: Any) -> Floats:
    """Length in km of lines (0 for points and surfaces: see :func:`perimeter_km`)."""
    g = geometries(lines)
    e = edges(g.ravel())
    e = e.take(e.ring_dim[e.ring] == 1)
    return totals(e.geom, edge_length_km(e), e.n).reshape(g.shape)


def perimeter_km(surfaces: Any, holes: bool = True) -> Floats:
    """Length in km of the boundary of surfaces (0 for points and lines), with the holes unless
    ``holes=False``.

    Edges on longitude ±180 and along latitude ±90 are the seam of the data, not boundary, and do not count.
    """
    g = geometries(surfaces)
    e = edges(g.ravel())
    keep = (e.ring_dim[e.ring] == 2) & ~on_seam(e)
    if not holes:
        keep &= ~e.ring_hole[e.ring]
    e = e.take(keep)
    return totals(e.geom, edge_length_km(e), e.n).reshape(g.shape)


def centroid(geoms: Any) -> tuple[Floats, Floats]:
    """Equal-area centroid (lon, lat) in degrees.

    Definition: the point p such that the centroid of the geometry on the Lambert azimuthal equal-area plane
    centred at p is p itself (found by iteration to 1 mm). Surfaces by area, lines by length, multipoints by
    count; a point is its own centroid, bit for bit. A geometry spread evenly round the globe has no such
    point and gives NaN.
    """
    g = geometries(geoms)
    flat = g.ravel()
    lon, lat = np.empty(len(flat)), np.empty(len(flat))
    single = shapely.get_type_id(flat) == 0
    lon[single], lat[single] = shapely.get_x(flat[single]), shapely.get_y(flat[single])
    rows = np.flatnonzero(~single)
    if len(rows):
        lon[rows], lat[rows] = _centroid(flat[rows])
    return lon.reshape(g.shape), lat.reshape(g.shape)


def _centroid(flat: Geoms) -> tuple[Floats, Floats]:
    stored = edges(flat)
    planar = totals(  # ring direction on the lon-lat plane, from the stored edges
        stored.ring, edge_area_km2(stored), len(stored.ring_geom)
    )
    e = densify(stored, _CENTROID_PIECE_KM, _CENTROID_SAGITTA_KM)
    owner, dim = e.geom, e.ring_dim[e.ring]
    topmost = np.zeros(e.n, dtype=np.int64)
    np.maximum.at(topmost, e.ring_geom, e.ring_dim)
    e = e.take(dim == topmost[owner])
    owner, dim = e.geom, e.ring_dim[e.ring]
    sign = -np.sign(planar)[e.ring] * np.where(e.ring_hole[e.ring], -1.0, 1.0)
    weight = np.where(dim == 0, 1.0, edge_length_km(e))
    lam, phi = np.radians((e.lon1 + e.lon2) / 2), np.radians((e.lat1 + e.lat2) / 2)
    mean = [
        totals(owner, weight * c, e.n)
        for c in (np.cos(phi) * np.cos(lam), np.cos(phi) * np.sin(lam), np.sin(phi))
    ]
    total = totals(owner, weight, e.n)
    lon = np.degrees(np.arctan2(mean[1], mean[0]))
    lat = np.degrees(np.arctan2(mean[2], np.hypot(mean[0], mean[1])))
    lost = np.sqrt(sum(m * m for m in mean)) < 1e-6 * total
    active = np.flatnonzero(~lost)
    row = np.flatnonzero(~lost[owner])
    for _ in range(60):
        slot = np.full(e.n, -1)
        slot[active] = np.arange(len(active))
        row = row[slot[owner[row]] >= 0]
        who = owner[row]
        x1, y1 = laea(e.lon1[row], e.lat1[row], lon[who], lat[who])
        x2, y2 = laea(e.lon2[row], e.lat2[row], lon[who], lat[who])
        area = dim[row] == 2
        cross = (x1 * y2 - x2 * y1) * sign[row] / 2
        w = np.where(area, cross, weight[row])
        share = np.where(area, 3.0, 2.0)
        k = slot[who]
        whole = totals(k, w, len(active))
        cx = totals(k, w * (x1 + x2) / share, len(active)) / whole
        cy = totals(k, w * (y1 + y2) / share, len(active)) / whole
        radius = np.hypot(cx, cy)
        cap = np.minimum(1.0, 0.5 * R_AUTHALIC_KM / np.maximum(radius, 1e-9))
        lon[active], lat[active] = laea_inverse(cx * cap, cy * cap, lon[active], lat[active])
        active = active[radius > 1e-6]
        if len(active) == 0:
            break
    lost[active] = True
    lon[lost], lat[lost] = np.nan, np.nan
    return lon, lat


def main_share(geoms: Any) -> Floats:
    """Largest part over the whole, in (0, 1]: by area for surfaces, by length for lines, by count for points.

    Surface parts that touch along the seam (longitude ±180) are one part; lines that join end to end are one.
    """
    g = geometries(geoms)
    flat = g.ravel()
    out = np.ones(len(flat))
    rows = np.flatnonzero(shapely.get_num_geometries(flat) > 1)
    if len(rows) == 0:
        return out.reshape(g.shape)
    many = flat[rows]
    line = shapely.get_dimensions(many) == 1
    many[line] = shapely.line_merge(many[line])
    e = edges(many)
    part_dim = np.zeros(len(e.part_geom), dtype=np.int64)
    part_dim[e.ring_part] = e.ring_dim
    size = _part_area(e)
    is_line = e.ring_dim[e.ring] == 1
    size += totals(e.ring_part[e.ring], edge_length_km(e) * is_line, len(size))
    size[part_dim == 0] = 1.0
    group = _seam_groups(e)
    merged = np.bincount(group, weights=size)
    geom_of = np.zeros(len(merged), dtype=np.int64)
    geom_of[group] = e.part_geom
    largest = np.zeros(e.n)
    np.maximum.at(largest, geom_of, merged)
    out[rows] = largest / totals(e.part_geom, size, e.n)
    return out.reshape(g.shape)


def _seam_groups(e: Edges) -> Ints:
    """(p,) group of each part; parts of one geometry that share a stretch of the seam, or a line's end on it,
    are in one group."""
    parts = len(e.part_geom)
    touch = np.abs(np.abs(e.lon1) - 180) <= SEAM_TOLERANCE_DEG
    end = np.abs(np.abs(e.lon2) - 180) <= SEAM_TOLERANCE_DEG
    line = e.ring_dim[e.ring] == 1
    along = touch & end & (np.sign(e.lon1) == np.sign(e.lon2)) & (e.ring_dim[e.ring] == 2)
    low = np.concatenate([np.minimum(e.lat1, e.lat2)[along], e.lat1[line & touch], e.lat2[line & end]])
    high = np.concatenate([np.maximum(e.lat1, e.lat2)[along], e.lat1[line & touch], e.lat2[line & end]])
    part = e.ring_part[np.concatenate([e.ring[along], e.ring[line & touch], e.ring[line & end]])]
    east = np.concatenate([e.lon1[along], e.lon1[line & touch], e.lon2[line & end]]) > 0
    links: list[tuple[int, int]] = []
    for geom in np.unique(e.part_geom[part]):
        mine = e.part_geom[part] == geom
        for i in np.flatnonzero(mine & east):
            gap = np.minimum(high[i], high) - np.maximum(low[i], low)
            need = -SEAM_TOLERANCE_DEG if high[i] == low[i] else SEAM_TOLERANCE_DEG
            links += [(int(part[i]), int(part[j])) for j in np.flatnonzero(mine & ~east & (gap >= need))]
    if not links:
        return np.arange(parts)
    i, j = np.array(links).T
    graph = coo_array((np.ones(len(i)), (i, j)), shape=(parts, parts))
    return np.asarray(connected_components(graph, directed=False)[1], dtype=np.int64)


def bounds(geoms: Any) -> tuple[Floats, Floats, Floats, Floats]:
    """(west, south, east, north) in degrees; west > east where the box crosses the antimeridian.

    The longitudes of the parts are laid on the circle and the widest gap between them is left out (ties: the
    box that does not cross). A geometry that leaves no gap, as one round a pole does, gets -180 and 180.
    """
    g = geometries(geoms)
    flat = g.ravel()
    box = _snapped(shapely.bounds(flat).reshape(-1, 4))
    west, east = box[:, 0].copy(), box[:, 2].copy()
    for i in np.flatnonzero((shapely.get_num_geometries(flat) > 1) & (east - west > 0)):
        west[i], east[i] = _widest_gap(_snapped(shapely.bounds(simple_parts(flat[i : i + 1])[0])))
    out = (west, box[:, 1], east, box[:, 3])
    return (
        out[0].reshape(g.shape),
        out[1].reshape(g.shape),
        out[2].reshape(g.shape),
        out[3].reshape(g.shape),
    )


def _snapped(boxes: Floats) -> Floats:
    """Bounds whose longitudes within 1e-9 degrees of ±180 are exactly that."""
    out = boxes.copy()
    lon = out[:, [0, 2]]
    out[:, [0, 2]] = np.where(np.abs(np.abs(lon) - 180) <= SEAM_TOLERANCE_DEG, np.copysign(180.0, lon), lon)
    return out


def _widest_gap(boxes: Floats) -> tuple[float, float]:
    order = np.argsort(boxes[:, 0], kind="stable")
    lo, hi = boxes[order, 0], np.maximum.accumulate(boxes[order, 2])
    outer = lo[0] + 360 - hi[-1]
    inner = lo[1:] - hi[:-1]
    at = int(np.argmax(inner)) if len(inner) else -1
    if at < 0 or inner[at] <= outer + SEAM_TOLERANCE_DEG:
        return float(lo[0]), float(hi[-1])
    return float(lo[at + 1]), float(hi[at])
