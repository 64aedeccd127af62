"""Least geodesic distance between sets of short edge pieces: the engine under ``geo.distance`` and
``geo.nearest``.

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
from multiglobeqa.geo.ellipsoid import A_KM, B_KM, GEOD, angle, unit_vectors

PIECE_KM: Final = 20.0
SAGITTA_KM: Final = 1e-4
_BLOCK: Final = 32
"""Vertices or pieces of one geometry that share a bounding ball."""
_BLOCK_REACH: Final = 0.015
_CHUNK: Final = 400_000
_FAR_KM: Final = 5000.0
_SIZES: Final = (0.0001, 0.0005)
"""Half-lengths (radians) that part the pieces into classes, one tree each."""


def _norm(vectors: Floats) -> Floats:
    """(m,) lengths of (m, 3) vectors."""
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", vectors, vectors)), dtype=np.float64)


@dataclass(frozen=True)
class Blocks:
    """Runs of up to 32 items of one geometry with a ball that holds them.

    start, size: (k,) first item and number of items. centre, radius: (k, 3) and (k,) ball in the space of the
    unit sphere. first, last: (n,) range of blocks of each geometry.
    """

    start: Ints
    size: Ints
    centre: Floats
    radius: Floats
    first: Ints
    last: Ints

    @classmethod
    def of(cls, owner: Ints, run: Ints, n: int, ends: tuple[Floats, ...], slack: Floats) -> Self:
        """Blocks of items sorted by owner and run; an item lies within ``slack`` of the line between its
        ends.

        A block ends with its run (a ring, or all points of a multipoint), after 32 items, or after some 100
        km.
        """
        change = np.ones(len(run), dtype=bool)
        change[1:] = run[1:] != run[:-1]
        begin = np.maximum.accumulate(np.where(change, np.arange(len(run)), 0))
        travelled = np.zeros(len(run))
        travelled[1:] = np.cumsum(_norm(np.diff(ends[-1], axis=0)))
        reel = np.floor((travelled - travelled[begin]) / _BLOCK_REACH)
        fresh = change | ((np.arange(len(run)) - begin) % _BLOCK == 0)
        fresh[1:] |= reel[1:] != reel[:-1]
        start = np.flatnonzero(fresh)
        size = np.diff(np.append(start, len(owner)))
        block = np.repeat(np.arange(len(start)), size)
        if len(start) == 0:
            none = np.zeros(0, dtype=np.int64)
            return cls(
                none, none, np.zeros((0, 3)), np.zeros(0), np.zeros(n, np.int64), np.zeros(n, np.int64)
            )
        middle = sum(np.add.reduceat(u, start, axis=0) for u in ends)
        centre = middle / (len(ends) * size)[:, None]
        reach = [_norm(u - centre[block]) + slack for u in ends]
        radius = np.max([np.maximum.reduceat(r, start) for r in reach], axis=0) * (1 + 1e-12) + 1e-14
        who = owner[start]
        first, last = (np.searchsorted(who, np.arange(n), side) for side in ("left", "right"))
        return cls(start, size, centre, radius, first, last)


@dataclass(frozen=True)
class Pieces:
    """Pieces of n geometries, sorted by geometry.

    edges: the pieces. u1, u2: (m, 3) unit vectors of the ends. slack: (m,) how far (chord) the true curve can
    lie from the straight segment. points: (n,) True for points and multipoints. vlon, vlat, v: the vertices
    of each geometry and their unit vectors.
    """

    edges: Edges
    u1: Floats
    u2: Floats
    slack: Floats
    points: Bools
    piece_blocks: Blocks
    vertex_blocks: Blocks
    vlon: Floats
    vlat: Floats
    v: Floats

    @classmethod
    def of(cls, geoms: Geoms, max_km: float = PIECE_KM) -> Self:
        """Pieces of a 1-D array of checked geometries."""
        e = densify(edges(geoms), max_km, SAGITTA_KM)
        owner = e.geom
        u1, u2 = unit_vectors(e.lon1, e.lat1), unit_vectors(e.lon2, e.lat2)
        length = _norm(u2 - u1)
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
        topmost = np.zeros(e.n, dtype=np.int64)
        np.maximum.at(topmost, e.ring_geom, e.ring_dim)
        slack = np.where(dim == 0, 1e-13, length**2 / 7 + 1.2 * SAGITTA_KM / B_KM)
        v = np.where(far_end[:, None], u2[rows], u1[rows])
        run = np.where(dim == 0, owner, e.n + e.ring)
        return cls(
            edges=e,
            u1=u1,
            u2=u2,
            slack=slack,
            points=topmost == 0,
            piece_blocks=Blocks.of(owner, run, e.n, (u1, u2), slack),
            vertex_blocks=Blocks.of(owner[rows], run[rows], e.n, (v,), np.zeros(len(rows))),
            vlon=np.where(far_end, e.lon2[rows], e.lon1[rows]),
            vlat=np.where(far_end, e.lat2[rows], e.lat1[rows]),
            v=v,
        )


def minimum_km(a: Pieces, b: Pieces, ia: Ints, ib: Ints) -> Floats:
    """Least distance in km between the boundaries of the pairs ``a[ia], b[ib]`` that do not meet:
    (pairs,).
    """
    best = np.full(len(ia), np.inf)
    rows = np.flatnonzero(~(b.points[ib] & ~a.points[ia]))  # the vertices of the other side do for a point
    _one_way(a, b, ia[rows], ib[rows], rows, best)
    rows = np.flatnonzero(~a.points[ia])
    _one_way(b, a, ib[rows], ia[rows], rows, best)
    return best


def _one_way(a: Pieces, b: Pieces, ia: Ints, ib: Ints, slot: Ints, best: Floats) -> None:
    """Lower ``best[slot]`` to the least distance from the vertices of ``a[ia]`` to the pieces of ``b[ib]``.

    Block against block first: bounding balls of up to 32 vertices or pieces drop most combinations.
    """
    block_a, pair = _runs(a.vertex_blocks.first[ia], a.vertex_blocks.last[ia])
    count = (b.piece_blocks.last - b.piece_blocks.first)[ib][pair]
    total = np.cumsum(count)
    cuts = _cuts(total)
    kept = []
    upper = best[slot] * (1 + 1e-9) + 1e-9
    for rows in np.split(np.arange(len(block_a)), cuts):
        block_b, row = _runs(*(v[ib][pair[rows]] for v in (b.piece_blocks.first, b.piece_blocks.last)))
        mine, who = block_a[rows][row], pair[rows][row]
        gap = _norm(a.vertex_blocks.centre[mine] - b.piece_blocks.centre[block_b])
        reach = a.vertex_blocks.radius[mine] + b.piece_blocks.radius[block_b]
        np.minimum.at(upper, who, A_KM * angle(gap + reach))
        lower = B_KM * angle(gap - reach)
        keep = lower <= upper[who]
        kept.append((lower[keep], who[keep], mine[keep], block_b[keep]))
    if not kept:
        return
    lower, who, mine, other = (np.concatenate(v) for v in zip(*kept, strict=True))
    order = np.lexsort((lower, who))
    lower, who, mine, other = lower[order], who[order], mine[order], other[order]
    first = np.ones(len(who), dtype=bool)
    first[1:] = who[1:] != who[:-1]
    for some in (first, ~first):  # the nearest block pair tightens the bound for the rest
        rows = np.flatnonzero(some & (lower <= upper[who]))
        size = a.vertex_blocks.size[mine[rows]] * b.piece_blocks.size[other[rows]]
        total = np.cumsum(size)
        cuts = _cuts(total)
        for part in np.split(rows, cuts):
            part = part[lower[part] <= upper[who[part]]]
            if len(part):
                _blocks_km(a, b, mine[part], other[part], who[part], upper, slot, best)


def _blocks_km(
    a: Pieces, b: Pieces, mine: Ints, other: Ints, who: Ints, upper: Floats, slot: Ints, best: Floats
) -> None:
    """Measure all vertices of some blocks against all pieces of others; lowers ``upper`` and ``best``."""
    va, vb = a.vertex_blocks, b.piece_blocks
    vertex, row = _runs(va.start[mine], va.start[mine] + va.size[mine])
    piece, again = _runs(vb.start[other][row], (vb.start + vb.size)[other][row])
    vertex, who = vertex[again], who[row][again]
    straight = segment_chord(a.v[vertex], b.u1[piece], b.u2[piece])
    slack = b.slack[piece]
    np.minimum.at(upper, who, A_KM * angle(straight + slack))
    keep = B_KM * angle(straight - slack) <= upper[who]
    vertex, piece, who = vertex[keep], piece[keep], who[keep]
    km = edge_distance_km(a.vlon[vertex], a.vlat[vertex], b.edges, piece)
    np.minimum.at(best, slot[who], km)
    np.minimum.at(upper, who, km * (1 + 1e-9) + 1e-9)


def _cuts(total: Ints) -> Ints:
    """Where to cut rows with these running totals into chunks."""
    last = int(total[-1]) if len(total) else 0
    return np.asarray(np.searchsorted(total, np.arange(_CHUNK, last, _CHUNK)), dtype=np.int64)


def _runs(start: Ints, stop: Ints) -> tuple[Ints, Ints]:
    """Concatenated ranges start..stop, and the row each value belongs to."""
    count = stop - start
    row = np.repeat(np.arange(len(count)), count)
    return np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count) + start[row], row


def segment_chord(p: Floats, u1: Floats, u2: Floats) -> Floats:
    """(m,) straight distance of points to segments in space; all (m, 3)."""
    d, w = u2 - u1, p - u1
    length2 = np.einsum("ij,ij->i", d, d)
    t = np.einsum("ij,ij->i", w, d) / np.where(length2 > 0, length2, 1.0)
    w -= np.clip(t, 0, 1)[:, None] * d
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", w, w)), dtype=np.float64)


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
    """Trees over the middles of pieces, one for each size class: (tree, rows, greatest half-length as
    chord).
    """
    e = p.edges
    middle = unit_vectors((e.lon1[rows] + e.lon2[rows]) / 2, (e.lat1[rows] + e.lat2[rows]) / 2)
    half = _norm(p.u2[rows] - p.u1[rows]) / 2 + 2 * p.slack[rows]
    half = half * (1 + 1e-3) + 1e-13
    out = []
    for k in range(len(_SIZES) + 1):
        mine = np.searchsorted(_SIZES, half) == k
        if mine.any():
            out.append((cKDTree(middle[mine]), rows[mine], float(half[mine].max())))
    return out
