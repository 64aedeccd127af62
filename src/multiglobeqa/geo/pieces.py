"""Least geodesic distance between the edges of geometries: the engine under ``geo.distance`` and
``geo.nearest``.

Two stages, each a proven superset of what can hold the minimum:

1. Stored edges, unsplit, in runs of up to 8 and groups of up to 8 runs (:class:`Outline`). On the unit
   sphere of :mod:`multiglobeqa.geo.ellipsoid` a ball holds each run: every point of an edge lies within half
   the edge's length of one of its ends. Ball against ball bounds the distance from both sides and drops all
   runs but those near the other geometry.
2. The edges of the runs left become pieces of at most 20 km that stay within 0.1 m of the geodesic
   (:class:`Pieces`). The straight segments give closer bounds; what is left is measured on the
   azimuthal-equidistant plane centred at the point (error below 1e-6 relative for 20 km pieces).

Two geometries that do not meet are closest at a vertex of one, and the run that begins with that vertex is
among those left. The first stage bounds true distances, the second measures to 0.2 m or 1e-5: so the first
gives way by 1 m and 2e-5 (:func:`leeway`), and the least *measured* distance is the one that splitting all
edges would give.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Self

import numpy as np

from multiglobeqa.geo.check import Bools, Floats, Geoms, Ints
from multiglobeqa.geo.edges import Edges, densify_rows, edges
from multiglobeqa.geo.ellipsoid import A_KM, B_KM, GEOD, F, angle, unit_vectors

PIECE_KM: Final = 20.0
SAGITTA_KM: Final = 1e-4
_BLOCK: Final = 8
"""Vertices or pieces that share a bounding ball."""
_BLOCK_REACH: Final = 0.015
_RUN: Final = 8
"""Stored edges in a run, and runs in a group."""
_GROUP_REACH: Final = 0.06
_CHUNK: Final = 200_000
_BATCH: Final = 50_000
"""Pairs of geometries measured at a time."""
_FAR_KM: Final = 5000.0


def leeway(km: Floats) -> Floats:
    """Distances raised by more than twice what a measured distance can be off (0.2 m or 1e-5)."""
    return km * (1 + 2e-5) + 1e-3


def _norm(vectors: Floats) -> Floats:
    """(m,) lengths of (m, 3) vectors."""
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", vectors, vectors)), dtype=np.float64)


@dataclass(frozen=True)
class Blocks:
    """Blocks of consecutive items of one owner with a ball that holds them.

    start, size: (k,) first item and number of items. centre, radius: (k, 3) and (k,) ball in the space of the
    unit sphere. first, last: (n,) range of blocks of each owner.
    """

    start: Ints
    size: Ints
    centre: Floats
    radius: Floats
    first: Ints
    last: Ints

    @classmethod
    def of(
        cls,
        owner: Ints,
        run: Ints,
        n: int,
        ends: tuple[Floats, ...],
        slack: Floats,
        most: int = _BLOCK,
        far: float = _BLOCK_REACH,
    ) -> Self:
        """Blocks of items sorted by owner and run; an item lies within ``slack`` of the line between its
        ends.

        A block ends with its run (a ring, or all points of a multipoint), after ``most`` items, or after a
        way of some ``far`` radians.
        """
        change = np.ones(len(run), dtype=bool)
        change[1:] = run[1:] != run[:-1]
        begin = np.maximum.accumulate(np.where(change, np.arange(len(run)), 0))
        travelled = np.zeros(len(run))
        travelled[1:] = np.cumsum(_norm(np.diff(ends[-1], axis=0)))
        reel = np.floor((travelled - travelled[begin]) / far)
        fresh = change | ((np.arange(len(run)) - begin) % most == 0)
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
class Outline:
    """Stored edges of n geometries in runs and groups of runs, nothing split.

    edges: sorted by geometry. u1, u2: (m, 3) unit vectors of the ends. runs: blocks of edges; groups: blocks
    of runs. Balls hold the true curves of the edges.
    """

    edges: Edges
    u1: Floats
    u2: Floats
    runs: Blocks
    groups: Blocks

    @classmethod
    def of(cls, geoms: Geoms) -> Self:
        """Outline of a 1-D array of checked geometries."""
        e = edges(geoms)
        u1, u2 = unit_vectors(e.lon1, e.lat1), unit_vectors(e.lon2, e.lat2)
        owner = e.geom
        run = np.where(e.ring_dim[e.ring] == 0, owner, e.n + e.ring)
        runs = Blocks.of(owner, run, e.n, (u1, u2), _half_length(e), _RUN)
        who = owner[runs.start]
        groups = Blocks.of(who, who, e.n, (runs.centre,), runs.radius, _RUN, _GROUP_REACH)
        return cls(e, u1, u2, runs, groups)

    def pieces(self, runs: Ints) -> Pieces:
        """Pieces of some runs (ascending); the owner of a piece is the place of its run in ``runs``."""
        rows, owner = _runs(self.runs.start[runs], (self.runs.start + self.runs.size)[runs])
        return Pieces.of(self.edges.take(rows), owner, len(runs))


def _half_length(e: Edges) -> Floats:
    """(m,) at least half the length of each edge's curve on the unit sphere.

    With the reduced latitude beta of the latitude phi, d beta <= d phi / (1 - f) and cos(beta) <= cos(phi) /
    (1 - f); cos(phi) is greatest where the edge is nearest to the equator.
    """
    dlam, dphi = np.radians(np.abs(e.lon2 - e.lon1)), np.radians(np.abs(e.lat2 - e.lat1))
    low = np.where(e.lat1 * e.lat2 < 0, 0.0, np.minimum(np.abs(e.lat1), np.abs(e.lat2)))
    half = np.hypot(dphi, dlam * np.cos(np.radians(low))) / (2 * (1 - F))
    return np.asarray(half * (1 + 1e-9) + 1e-12, dtype=np.float64)


@dataclass(frozen=True)
class Pieces:
    """Pieces of n owners, sorted by owner.

    edges: the pieces. u1, u2: (m, 3) unit vectors of the ends. slack: (m,) how far (chord) the true curve can
    lie from the straight segment. points: (n,) True for owners that are points. vlon, vlat, v: the vertices
    of each owner and their unit vectors.
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
    def of(cls, stored: Edges, owner: Ints, n: int, max_km: float = PIECE_KM) -> Self:
        """Pieces of stored edges, each of one of n owners (ascending); those of an owner lie in a row in one
        ring, or are points."""
        e, row = densify_rows(stored, max_km, SAGITTA_KM)
        owner = owner[row]
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
        points = np.zeros(n, dtype=bool)
        points[owner[dim == 0]] = True
        slack = np.where(dim == 0, 1e-13, length**2 / 7 + 1.2 * SAGITTA_KM / B_KM)
        v = np.where(far_end[:, None], u2[rows], u1[rows])
        return cls(
            edges=e,
            u1=u1,
            u2=u2,
            slack=slack,
            points=points,
            piece_blocks=Blocks.of(owner, owner, n, (u1, u2), slack),
            vertex_blocks=Blocks.of(owner[rows], owner[rows], n, (v,), np.zeros(len(rows))),
            vlon=np.where(far_end, e.lon2[rows], e.lon1[rows]),
            vlat=np.where(far_end, e.lat2[rows], e.lat1[rows]),
            v=v,
        )


def boundary_km(ua: Geoms, ub: Geoms, ia: Ints, ib: Ints, most: Floats) -> Floats:
    """Least distance in km between the boundaries of the pairs ``ua[ia], ub[ib]`` of checked geometries that
    do not meet: (pairs,).

    Where it is more than ``most`` (pairs,) the value is more than ``most`` as well, and can be infinite.
    """
    used_a, ia = np.unique(ia, return_inverse=True)
    used_b, ib = np.unique(ib, return_inverse=True)
    a, b = Outline.of(ua[used_a]), Outline.of(ub[used_b])
    out = np.full(len(ia), np.inf)
    for begin in range(0, len(ia), _BATCH):
        part = slice(begin, begin + _BATCH)
        out[part] = _outline_km(a, b, ia[part], ib[part], most[part])
    return out


def _outline_km(a: Outline, b: Outline, ia: Ints, ib: Ints, most: Floats) -> Floats:
    upper = leeway(most)
    ga, gb = a.groups, b.groups
    slot, mine, other, _ = _near(
        ga, gb, np.arange(len(ia)), (ga.first[ia], ga.last[ia], gb.first[ib], gb.last[ib]), upper
    )
    children = (*_members(ga, mine), *_members(gb, other))
    slot, mine, other, lower = _near(a.runs, b.runs, slot, children, upper)
    order = np.lexsort((lower, slot))
    slot, mine, other, lower = slot[order], mine[order], other[order], lower[order]
    best = np.full(len(ia), np.inf)
    first = _first_of(slot)
    for some in (first, ~first):  # the nearest runs tighten the bound for the rest
        rows = np.flatnonzero(some & (lower <= leeway(upper[slot])))  # upper may be a measured distance
        if len(rows):
            ra, at = np.unique(mine[rows], return_inverse=True)
            rb, bt = np.unique(other[rows], return_inverse=True)
            _minimum_km(a.pieces(ra), b.pieces(rb), at, bt, slot[rows], upper, best)
    return best


def _members(blocks: Blocks, at: Ints) -> tuple[Ints, Ints]:
    return blocks.start[at], blocks.start[at] + blocks.size[at]


def _first_of(sorted_rows: Ints) -> Bools:
    first = np.ones(len(sorted_rows), dtype=bool)
    first[1:] = sorted_rows[1:] != sorted_rows[:-1]
    return first


def _near(
    a: Blocks, b: Blocks, slot: Ints, ranges: tuple[Ints, Ints, Ints, Ints], upper: Floats
) -> tuple[Ints, Ints, Ints, Floats]:
    """Slot, block of a, block of b, least km for all combinations of each row's two ranges of blocks that can
    hold the least distance of its slot; lowers ``upper``."""
    first_a, last_a, first_b, last_b = ranges
    left, row = _runs(first_a, last_a)
    total = np.cumsum((last_b - first_b)[row])
    kept = [(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))]
    for part in np.split(np.arange(len(left)), _cuts(total)):
        right, again = _runs(first_b[row[part]], last_b[row[part]])
        mine, who = left[part][again], slot[row[part]][again]
        gap = _norm(a.centre[mine] - b.centre[right])
        reach = a.radius[mine] + b.radius[right]
        np.minimum.at(upper, who, leeway(A_KM * angle(gap + reach)))
        lower = B_KM * angle(gap - reach) * (1 - 1e-12) - 1e-9
        keep = lower <= upper[who]
        kept.append((who[keep], mine[keep], right[keep], lower[keep]))
    who, mine, right, lower = (np.concatenate(v) for v in zip(*kept, strict=True))
    keep = lower <= upper[who]
    return who[keep], mine[keep], right[keep], lower[keep]


def _minimum_km(a: Pieces, b: Pieces, ia: Ints, ib: Ints, slot: Ints, upper: Floats, best: Floats) -> None:
    """Lower ``best[slot]`` to the least distance between the pairs ``a[ia], b[ib]`` of owners that do not
    meet, as far as it is below ``upper[slot]``; lowers ``upper``."""
    rows = np.flatnonzero(~(b.points[ib] & ~a.points[ia]))  # the vertices of the other side do for a point
    _one_way(a, b, ia[rows], ib[rows], slot[rows], upper, best)
    rows = np.flatnonzero(~a.points[ia])
    _one_way(b, a, ib[rows], ia[rows], slot[rows], upper, best)


def _one_way(a: Pieces, b: Pieces, ia: Ints, ib: Ints, slot: Ints, upper: Floats, best: Floats) -> None:
    """Lower ``best[slot]`` to the least distance from the vertices of ``a[ia]`` to the pieces of ``b[ib]``.

    Block against block first: bounding balls of up to 8 vertices or pieces drop most combinations.
    """
    va, vb = a.vertex_blocks, b.piece_blocks
    ranges = (va.first[ia], va.last[ia], vb.first[ib], vb.last[ib])
    who, mine, other, lower = _near(va, vb, slot, ranges, upper)
    order = np.lexsort((lower, who))
    who, mine, other, lower = who[order], mine[order], other[order], lower[order]
    first = _first_of(who)
    for some in (first, ~first):  # the nearest block pair tightens the bound for the rest
        rows = np.flatnonzero(some & (lower <= upper[who]))
        size = va.size[mine[rows]] * vb.size[other[rows]]
        for part in np.split(rows, _cuts(np.cumsum(size))):
            part = part[lower[part] <= upper[who[part]]]
            if len(part):
                _blocks_km(a, b, mine[part], other[part], who[part], upper, best)


def _blocks_km(a: Pieces, b: Pieces, mine: Ints, other: Ints, who: Ints, upper: Floats, best: Floats) -> None:
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
    np.minimum.at(best, who, km)
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
    """Geodesic distance of points to short edges (at most 20 km): (m,) km.

    Where the next row is the same point and the edge that begins where this one ends, one geodesic does for
    both.
    """
    az1, _, d1 = GEOD.inv(lon, lat, e.lon1[rows], e.lat1[rows])
    az1, d1 = np.asarray(az1), np.asarray(d1) / 1000
    length = np.flatnonzero((e.lon1[rows] != e.lon2[rows]) | (e.lat1[rows] != e.lat2[rows]))
    out = d1.copy()
    if len(length) == 0:
        return out
    r, after = rows[length], np.minimum(length + 1, len(rows) - 1)
    x, y, nearby = lon[length], lat[length], rows[after]
    follows = (x == lon[after]) & (y == lat[after])
    follows &= (e.lon1[nearby] == e.lon2[r]) & (e.lat1[nearby] == e.lat2[r])
    az2, d2 = az1[after], d1[after]
    new = np.flatnonzero(~follows)
    az, _, metres = GEOD.inv(x[new], y[new], e.lon2[r[new]], e.lat2[r[new]])
    az2[new], d2[new] = az, np.asarray(metres) / 1000
    az1, d1 = np.radians(az1[length]), d1[length]
    az2 = np.radians(az2)
    x1, y1 = d1 * np.sin(az1), d1 * np.cos(az1)
    dx, dy = d2 * np.sin(az2) - x1, d2 * np.cos(az2) - y1
    length2 = dx * dx + dy * dy
    t = np.clip(-(x1 * dx + y1 * dy) / np.where(length2 > 0, length2, 1.0), 0, 1)
    plane = np.hypot(x1 + t * dx, y1 + t * dy)
    nearer = np.minimum(d1, d2)
    out[length] = np.where(nearer > _FAR_KM, nearer, np.minimum(plane, nearer))
    return out
