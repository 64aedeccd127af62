"""Minimum geodesic distance of two geometries along their edges: a dual-tree branch and bound.

Runs of consecutive edges are enclosed in balls around a point of the curve itself. A pair of balls cannot
hold the answer when the geodesic between their centres less both radii exceeds the best distance known; the
rest are halved until the parts are short against the distance. There the squared distance of an end of one
part to the other part is a parabola in the position, which three geodesics fix and a fourth checks.
No projection is used, so the antimeridian and the poles are no special case.

The bounds use the chord c between Earth-centred points: with the least and greatest radius of curvature
r and R of the ellipsoid, 2R·asin(c/2R) <= geodesic <= 2r·asin(c/2r).
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry.base import BaseGeometry

from multiglobeqa.solver import edges, geodesy
from multiglobeqa.solver.geodesy import R_MAX, R_MIN

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
FAN = 4
HALF_TURN = 20004.0
BATCH = 2048
FEW = 4096


def _lower(chord: Floats) -> Floats:
    return np.asarray(2 * R_MAX * np.arcsin(np.minimum(chord / (2 * R_MAX), 1.0)) * (1 - 1e-9))


def _upper(chord: Floats) -> Floats:
    ratio = chord / (2 * R_MIN)
    return np.where(ratio >= 1, HALF_TURN, 2 * R_MIN * np.arcsin(np.minimum(ratio, 1.0)) * (1 + 1e-9))


class Tree:
    """Balls over runs of FAN**k consecutive edges, level 0 = single edges.

    Each level holds centres (lon, lat, Earth-centred km) on the curve, and radii in km along the ellipsoid.
    """

    def __init__(self, pieces: Floats) -> None:
        self.pieces = pieces
        mid = (pieces[:, :2] + pieces[:, 2:]) / 2
        xyz = geodesy.ecef(mid[:, 0], mid[:, 1])
        half = edges.length_bound(pieces) / 2
        self.levels: list[tuple[Floats, Floats, Floats]] = [(mid, xyz, half)]
        size, n = FAN, len(pieces)
        while size < n * FAN:
            starts = np.arange(0, n, size)
            stops = np.minimum(starts + size, n)
            centre = (starts + stops) // 2
            run = np.repeat(np.arange(len(starts)), stops - starts)
            reach = _upper(np.linalg.norm(xyz - xyz[centre[run]], axis=1)) + half
            self.levels.append((mid[centre], xyz[centre], np.maximum.reduceat(reach, starts)))
            size *= FAN

    @property
    def top(self) -> int:
        """The level of the root."""
        return len(self.levels) - 1


class Extent:
    """A geometry with the trees of its edges, built when first needed."""

    def __init__(self, geometry: BaseGeometry) -> None:
        self.geometry = geometry

    @cached_property
    def tree(self) -> Tree:
        """All edges."""
        return Tree(edges.of(self.geometry))

    @cached_property
    def outline(self) -> Extent:
        """The boundary of a surface without seam edges."""
        return Extent(edges.boundary(self.geometry))

    @property
    def is_point(self) -> bool:
        """Whether the geometry is one point."""
        return bool(self.geometry.geom_type == "Point")


def separation(a: Extent, b: Extent) -> float:
    """Minimum geodesic distance in km, along edges; 0 where the geometries meet (planar)."""
    if a.is_point and b.is_point:
        return geodesy.distance(a.geometry.x, a.geometry.y, b.geometry.x, b.geometry.y)
    larger = max((a, b), key=lambda e: shapely.get_num_coordinates(e.geometry))
    shapely.prepare(larger.geometry)
    other = b if larger is a else a
    if shapely.intersects(larger.geometry, other.geometry):
        return 0.0
    return _search(a.tree, b.tree)


def _search(a: Tree, b: Tree) -> float:
    i, j, best = _descend(a, b)
    pa, pb = a.pieces[i], b.pieces[j]
    while True:
        part = float(np.clip(best / 100, 0.1, 5.0))
        la, lb = edges.length_bound(pa), edges.length_bound(pb)
        long = np.maximum(la, lb) > part
        if not long.any():
            return _refine(pa, pb, best)
        split_a, split_b = long & (la >= lb), long & (la < lb)
        pa, pb = (
            np.vstack([pa[~long], *_halves(pa[split_a]), pa[split_b], pa[split_b]]),
            np.vstack([pb[~long], pb[split_a], pb[split_a], *_halves(pb[split_b])]),
        )
        bound, best = _bounds(pa, pb, best)
        keep = bound < best
        pa, pb = pa[keep], pb[keep]
        if not len(pa):
            return best


def _descend(a: Tree, b: Tree) -> tuple[Ints, Ints, float]:
    """Pairs of single edges that may hold the minimum, and an upper bound of it."""
    ka, kb = a.top, b.top
    i, j = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
    best = HALF_TURN
    while True:
        (mid_a, xyz_a, rad_a), (mid_b, xyz_b, rad_b) = a.levels[ka], b.levels[kb]
        bound, best = _gaps(mid_a[i], xyz_a[i], mid_b[j], xyz_b[j], best)
        keep = bound - rad_a[i] - rad_b[j] <= best
        i, j = i[keep], j[keep]
        if ka == 0 and kb == 0:
            return i, j, best
        if ka >= kb:
            ka -= 1
            i, j = _children(i, j, len(a.levels[ka][2]))
        else:
            kb -= 1
            j, i = _children(j, i, len(b.levels[kb][2]))


def _gaps(mid_a: Floats, xyz_a: Floats, mid_b: Floats, xyz_b: Floats, best: float) -> tuple[Floats, float]:
    """Lower bound of the geodesic between each pair of centres (exact for few pairs); an improved minimum."""
    near: Ints | slice = slice(None)
    if len(mid_a) > FEW:
        bound = _lower(np.linalg.norm(xyz_a - xyz_b, axis=1))
        near = np.argpartition(bound, FEW)[:FEW]
    else:
        bound = np.empty(len(mid_a))
    _, exact = geodesy.inverse(*mid_a[near].T, *mid_b[near].T)
    bound[near] = exact * (1 - 1e-12)
    return bound, min(best, float(exact.min()))


def _children(node: Ints, other: Ints, count: int) -> tuple[Ints, Ints]:
    child = (node[:, None] * FAN + np.arange(FAN)).ravel()
    inside = child < count
    return child[inside], np.repeat(other, FAN)[inside]


def _halves(pieces: Floats) -> tuple[Floats, Floats]:
    mid = (pieces[:, :2] + pieces[:, 2:]) / 2
    return np.hstack([pieces[:, :2], mid]), np.hstack([mid, pieces[:, 2:]])


def _bounds(pa: Floats, pb: Floats, best: float) -> tuple[Floats, float]:
    """Lower bound of the distance of each pair of parts; an improved upper bound of the minimum."""
    ma, mb = (pa[:, :2] + pa[:, 2:]) / 2, (pb[:, :2] + pb[:, 2:]) / 2
    centre, best = _gaps(ma, geodesy.ecef(*ma.T), mb, geodesy.ecef(*mb.T), best)
    return centre - (edges.length_bound(pa) + edges.length_bound(pb)) / 2, best


def _refine(pa: Floats, pb: Floats, best: float) -> float:
    """The minimum over pairs of short parts, in the order of their lower bounds."""
    bound, best = _bounds(pa, pb, best)
    order = np.argsort(bound)
    for start in range(0, len(order), BATCH):
        batch = order[start : start + BATCH]
        batch = batch[bound[batch] < best]
        if not len(batch):
            break
        for points, parts in ((pa[batch], pb[batch]), (pb[batch], pa[batch])):
            for end in (points[:, :2], points[:, 2:]):
                best = min(best, float(_point_to_part(end, parts).min()))
    return best


def _point_to_part(points: Floats, parts: Floats) -> Floats:
    """Distance in km of points (n, 2) to short edges (n, 4), by the parabola of the squared distance."""
    start, delta = parts[:, :2], parts[:, 2:] - parts[:, :2]
    at = [geodesy.inverse(*points.T, *(start + delta * t).T)[1] for t in (0.0, 0.5, 1.0)]
    y0, y1, y2 = (s * s for s in at)
    curvature = 2 * (y0 - 2 * y1 + y2)
    slope = 4 * y1 - 3 * y0 - y2
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(curvature > 0, -slope / (2 * curvature), 0.0)
    t = np.clip(np.nan_to_num(t, nan=0.0, posinf=1.0, neginf=0.0), 0.0, 1.0)[:, None]
    _, foot = geodesy.inverse(*points.T, *(start + delta * t).T)
    return np.asarray(np.minimum.reduce([*at, foot]))
