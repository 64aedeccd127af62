"""Least geodesic distance between sets of short edge pieces: the engine under ``geo.distance`` and ``geo.nearest``.

Each geometry becomes pieces of at most 20 km that stay within 0.1 m of the geodesic. On the unit sphere of
:mod:`multiglobeqa.geo.ellipsoid` the straight segments give bounds of the distance, which drop all pieces but
the few that can hold the minimum; those are measured on the azimuthal-equidistant plane centred at the point
(error below 1e-6 relative for 20 km pieces). Two geometries that do not meet are closest at a vertex of one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Self

import numpy as np
from scipy.spatial import cKDTree

from multiglobeqa.geo.check import Bools, Floats, Geoms, Ints
from multiglobeqa.geo.edges import Edges, densify, edges
from multiglobeqa.geo.ellipsoid import A_KM, B_KM, GEOD, angle, chord, unit_vectors

PIECE_KM: Final = 20.0
SAGITTA_KM: Final = 1e-4
_BRUTE: Final = 4096
"""Vertex x piece combinations of one pair above which trees are used."""
_CHUNK: Final = 400_000
_FAR_KM: Final = 5000.0
_SIZES: Final = (0.0003, 0.0015)
"""Half-lengths (radians) that part the pieces into classes, one tree each."""


@dataclass(frozen=True)
class Pieces:
    """Pieces of n geometries, sorted by geometry.

    edges: the pieces. start, stop: (n,) rows of each geometry. u1, u2: (m, 3) unit vectors of the ends. slack:
    (m,) how far (chord) the true curve can lie from the straight segment. points: (n,) all points.
    vertex_start, vertex_stop, vlon, vlat, v: the vertices of each geometry and their unit vectors.
    """

    edges: Edges
    start: Ints
    stop: Ints
    u1: Floats
    u2: Floats
    slack: Floats
    points: Bools
    vertex_start: Ints
    vertex_stop: Ints
    vlon: Floats
    vlat: Floats
    v: Floats

    @classmethod
    def of(cls, geoms: Geoms, max_km: float = PIECE_KM) -> Self:
        """Pieces of a 1-D array of checked geometries."""
        e = densify(edges(geoms), max_km, SAGITTA_KM)
        owner = e.geom
        u1, u2 = unit_vectors(e.lon1, e.lat1), unit_vectors(e.lon2, e.lat2)
        length = np.linalg.norm(u2 - u1, axis=1)
        dim = e.ring_dim[e.ring]
        ends = np.zeros(len(owner), dtype=bool)  # the last piece of a line also gives its end
        if len(owner):
            ends[:-1] = e.ring[1:] != e.ring[:-1]
            ends[-1] = True
        ends &= dim == 1
        rows = np.concatenate([np.arange(len(owner)), np.flatnonzero(ends)])
        far_end = np.concatenate([np.zeros(len(owner), dtype=bool), np.ones(int(ends.sum()), dtype=bool)])
        order = np.argsort(rows, kind="stable")
        rows, far_end = rows[order], far_end[order]
        bounds, n = np.arange(e.n), e.n
        topmost = np.zeros(n, dtype=np.int64)
        np.maximum.at(topmost, e.ring_geom, e.ring_dim)
        return cls(
            edges=e,
            start=np.searchsorted(owner, bounds, "left"),
            stop=np.searchsorted(owner, bounds, "right"),
            u1=u1,
            u2=u2,
            slack=np.where(dim == 0, 1e-13, length**2 / 7 + 1.2 * SAGITTA_KM / B_KM),
            points=topmost == 0,
            vertex_start=np.searchsorted(owner[rows], bounds, "left"),
            vertex_stop=np.searchsorted(owner[rows], bounds, "right"),
            vlon=np.where(far_end, e.lon2[rows], e.lon1[rows]),
            vlat=np.where(far_end, e.lat2[rows], e.lat1[rows]),
            v=np.where(far_end[:, None], u2[rows], u1[rows]),
        )


def minimum_km(a: Pieces, b: Pieces, ia: Ints, ib: Ints) -> Floats:
    """Least distance in km between the boundaries of the pairs ``a[ia], b[ib]`` that do not meet: (pairs,)."""
    best = np.full(len(ia), np.inf)
    rows = np.flatnonzero(~(b.points[ib] & ~a.points[ia]))  # a point needs the vertices of no one else
    best[rows] = _one_way(a, b, ia[rows], ib[rows])
    rows = np.flatnonzero(~a.points[ia])
    best[rows] = np.minimum(best[rows], _one_way(b, a, ib[rows], ia[rows]))
    return best


def _one_way(a: Pieces, b: Pieces, ia: Ints, ib: Ints) -> Floats:
    """Least distance from the vertices of ``a[ia]`` to the pieces of ``b[ib]``."""
    nv = a.vertex_stop[ia] - a.vertex_start[ia]
    np_ = b.stop[ib] - b.start[ib]
    out = np.full(len(ia), np.inf)
    uses = np.bincount(ib, weights=nv, minlength=len(b.start))[ib]
    small = (nv * np_ <= _BRUTE) & ((np_ <= 256) | (uses < 64))
    rows = np.flatnonzero(small)
    total = np.cumsum((nv * np_)[rows])
    for chunk in np.split(rows, np.searchsorted(total, np.arange(_CHUNK, total[-1], _CHUNK)) if len(rows) else []):
        if len(chunk):
            out[chunk] = _brute(a, b, ia[chunk], ib[chunk])
    rest = np.flatnonzero(~small)
    rest = rest[np.argsort(ib[rest], kind="stable")]
    for group in np.split(rest, np.flatnonzero(np.diff(ib[rest])) + 1):
        if len(group):
            out[group] = _with_trees(a, b, ia[group], int(ib[group[0]]))
    return out


def _runs(start: Ints, stop: Ints) -> tuple[Ints, Ints]:
    """Concatenated ranges start..stop, and the row each value belongs to."""
    count = stop - start
    row = np.repeat(np.arange(len(count)), count)
    return np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count) + start[row], row


def _brute(a: Pieces, b: Pieces, ia: Ints, ib: Ints) -> Floats:
    vertex, pair_of_vertex = _runs(a.vertex_start[ia], a.vertex_stop[ia])
    piece, row = _runs(b.start[ib][pair_of_vertex], b.stop[ib][pair_of_vertex])
    return _least(a, b, vertex[row], piece, pair_of_vertex[row], len(ia))


def segment_chord(p: Floats, u1: Floats, u2: Floats) -> Floats:
    """(m,) straight distance of points to segments in space; all (m, 3)."""
    d, w = u2 - u1, p - u1
    length2 = np.einsum("ij,ij->i", d, d)
    t = np.einsum("ij,ij->i", w, d) / np.where(length2 > 0, length2, 1.0)
    w -= np.clip(t, 0, 1)[:, None] * d
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", w, w)), dtype=np.float64)


def _least(a: Pieces, b: Pieces, vertex: Ints, piece: Ints, pair: Ints, pairs: int) -> Floats:
    """Least distance of each pair over (vertex, piece) combinations: bounds first, geodesics for the rest."""
    straight = segment_chord(a.v[vertex], b.u1[piece], b.u2[piece])
    slack = b.slack[piece]
    upper = np.full(pairs, np.inf)
    np.minimum.at(upper, pair, A_KM * angle(straight + slack))
    keep = B_KM * angle(straight - slack) <= upper[pair]
    vertex, piece, pair = vertex[keep], piece[keep], pair[keep]
    km = edge_distance_km(a.vlon[vertex], a.vlat[vertex], b.edges, piece)
    out = np.full(pairs, np.inf)
    np.minimum.at(out, pair, km)
    return out


def edge_distance_km(lon: Floats, lat: Floats, e: Edges, rows: Ints) -> Floats:
    """Geodesic distance of points to short edges (at most 20 km): (m,) km."""
    az1, _, d1 = GEOD.inv(lon, lat, e.lon1[rows], e.lat1[rows])
    az1, d1 = np.asarray(az1), np.asarray(d1) / 1000
    length = np.flatnonzero((e.lon1[rows] != e.lon2[rows]) | (e.lat1[rows] != e.lat2[rows]))
    out = d1.copy()
    if len(length) == 0:
        return out
    r = rows[length]
    az2, _, d2 = GEOD.inv(lon[length], lat[length], e.lon2[r], e.lat2[r])
    az1, d1 = np.radians(az1[length]), d1[length]
    az2, d2 = np.radians(np.asarray(az2)), np.asarray(d2) / 1000
    x1, y1 = d1 * np.sin(az1), d1 * np.cos(az1)
    dx, dy = d2 * np.sin(az2) - x1, d2 * np.cos(az2) - y1
    length2 = dx * dx + dy * dy
    t = np.clip(-(x1 * dx + y1 * dy) / np.where(length2 > 0, length2, 1.0), 0, 1)
    plane = np.hypot(x1 + t * dx, y1 + t * dy)
    nearer = np.minimum(d1, d2)
    out[length] = np.where(nearer > _FAR_KM, nearer, np.minimum(plane, nearer))
    return out


def size_classes(p: Pieces, rows: Ints) -> list[tuple[cKDTree, Ints, float]]:
    """Trees over the middles of pieces, one for each size class: (tree, rows, greatest half-length as chord)."""
    e = p.edges
    middle = unit_vectors((e.lon1[rows] + e.lon2[rows]) / 2, (e.lat1[rows] + e.lat2[rows]) / 2)
    half = np.linalg.norm(p.u2[rows] - p.u1[rows], axis=1) / 2 + 2 * p.slack[rows]
    half = half * (1 + 1e-3) + 1e-13
    out = []
    for k in range(len(_SIZES) + 1):
        mine = np.searchsorted(_SIZES, half) == k
        if mine.any():
            out.append((cKDTree(middle[mine]), rows[mine], float(half[mine].max())))
    return out


def _with_trees(a: Pieces, b: Pieces, ia: Ints, ib: int) -> Floats:
    """Least distance of many vertices to one large geometry."""
    classes = size_classes(b, np.arange(b.start[ib], b.stop[ib]))
    vertex, pair = _runs(a.vertex_start[ia], a.vertex_stop[ia])
    v = a.v[vertex]
    middles = []
    upper = np.full(len(ia), np.inf)
    for tree, rows, _ in classes:
        k = min(4, len(rows))
        near, at = tree.query(v, k=list(range(1, k + 1)))
        middles.append(near[:, 0])
        for j in range(k):
            piece = rows[at[:, j]]
            straight = segment_chord(v, b.u1[piece], b.u2[piece]) + b.slack[piece]
            np.minimum.at(upper, pair, np.minimum(straight, near[:, j]))
    limit = chord(A_KM / B_KM * angle(upper))[pair] + 1e-12
    out = np.full(len(ia), np.inf)
    for (tree, rows, half), near in zip(classes, middles, strict=True):
        todo = np.flatnonzero(near <= limit + half)
        for part in np.array_split(todo, max(1, len(todo) // 2000)):
            if len(part) == 0:
                continue
            found = tree.query_ball_point(v[part], limit[part] + half, return_sorted=False)
            count = np.fromiter(map(len, found), dtype=np.int64, count=len(found))
            if count.sum() == 0:
                continue
            piece = rows[np.concatenate([np.asarray(f, dtype=np.int64) for f in found])]
            who = np.repeat(part, count)
            np.minimum(out, _least(a, b, vertex[who], piece, pair[who], len(ia)), out=out)
    return out
