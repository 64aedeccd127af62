"""Exact neighbours: within a distance and k nearest, for points and for any geometries.

Trees of points hold unit vectors on the sphere of reduced latitude, where b * theta <= geodesic <= a * theta
(:mod:`multiglobeqa.geo.ellipsoid`): candidates are a proven superset, ranks are geodesic. No antimeridian or
pole cases. Other geometries are joined by their boxes, widened by the radius (:func:`_widened`); edges are
touched only in pairs of which the boxes are near (:mod:`multiglobeqa.geo.pieces`). Ties in distance are
ordered by index.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import shapely
from numpy.typing import ArrayLike
from scipy.spatial import cKDTree

from multiglobeqa.errors import GeometryError
from multiglobeqa.geo.check import Floats, Geoms, Ints, coordinates, geometries, positive, simple_parts
from multiglobeqa.geo.distance import pair_distance_km
from multiglobeqa.geo.ellipsoid import A_KM, B_KM, E2, GEOD, HALF_TURN_KM, angle, search_chord, unit_vectors
from multiglobeqa.geo.pieces import leeway

_CHUNK = 2000
_WIDE_DEG = 5.0
"""A geometry with a wider box is found by the boxes of its parts."""
_LONG_DEG = 0.5
"""A line with a longer box is found by the boxes of its runs of edges."""
_RUN = 8
_ASKED = 32
"""Vertices of a geometry from which its k-th neighbour is bounded."""


class PointIndex:
    """Index over n points; lon, lat in degrees, (n,) each.

    Raises :class:`GeometryError` for bad coordinates.
    """

    def __init__(self, lon: ArrayLike, lat: ArrayLike) -> None:
        x, y = coordinates(lon, lat)
        self.lon, self.lat = np.array(x).ravel(), np.array(y).ravel()
        self._tree = cKDTree(unit_vectors(self.lon, self.lat)) if len(self.lon) else None

    def __len__(self) -> int:
        return len(self.lon)

    def within(self, lon: ArrayLike, lat: ArrayLike, radius_km: ArrayLike) -> tuple[Ints, Ints, Floats]:
        """All pairs with geodesic distance <= radius.

        lon, lat: (m,) query points; radius_km: scalar or (m,). Returns (query index, point index, km), each
        (p,), sorted by query, distance, index. Raises :class:`GeometryError` for bad coordinates or a
        negative radius.
        """
        x, y = (np.array(v).ravel() for v in coordinates(lon, lat))
        radius = np.broadcast_to(positive(radius_km, "radius", zero=True), x.shape)
        empty = np.zeros(0, dtype=np.int64)
        if self._tree is None or len(x) == 0:
            return empty, empty, np.zeros(0)
        lefts, rights, kms = [], [], []
        u, reach = unit_vectors(x, y), search_chord(radius)
        for begin in range(0, len(x), _CHUNK):
            part = np.arange(begin, min(begin + _CHUNK, len(x)))
            left, right = _ball(self._tree, u[part], reach[part])
            left = part[left]
            km = self._km(x[left], y[left], right)
            keep = km <= radius[left]
            lefts.append(left[keep])
            rights.append(right[keep])
            kms.append(km[keep])
        return _sorted(np.concatenate(lefts), np.concatenate(rights), np.concatenate(kms))

    def k_nearest(self, lon: ArrayLike, lat: ArrayLike, k: int) -> tuple[Ints, Floats]:
        """The k nearest points of each query, nearest first, ties by index: (m, k) indices and km.

        Where the index holds fewer than k points the rest is -1 and infinity. Over-fetches, re-ranks by
        geodesic distance and grows until every point not fetched is proven to be farther than the k-th.
        Raises :class:`GeometryError` for bad coordinates or k < 1.
        """
        if k < 1:
            raise GeometryError(f"k is {k}; it must be at least 1.")
        x, y = (np.array(v).ravel() for v in coordinates(lon, lat))
        index = np.full((len(x), k), -1, dtype=np.int64)
        dist = np.full((len(x), k), np.inf)
        if self._tree is None:
            return index, dist
        u, n = unit_vectors(x, y), len(self)
        todo, fetch = np.arange(len(x)), min(n, k + 8)
        while len(todo):
            unproven = []
            step = max(1, 2_000_000 // fetch)
            for begin in range(0, len(todo), step):
                rows = todo[begin : begin + step]
                chords, at = self._tree.query(u[rows], k=list(range(1, fetch + 1)))
                km = self._km(np.repeat(x[rows], fetch), np.repeat(y[rows], fetch), at.ravel())
                km = km.reshape(at.shape)
                order = np.lexsort((at, km), axis=1)[:, :k]
                got = order.shape[1]
                index[rows, :got] = np.take_along_axis(at, order, axis=1)
                dist[rows, :got] = np.take_along_axis(km, order, axis=1)
                if fetch < n:
                    floor = B_KM * angle(chords[:, -1]) * (1 - 1e-12) - 1e-9
                    unproven.append(rows[~(floor > dist[rows, k - 1])])
            todo = np.concatenate(unproven) if unproven else todo[:0]
            fetch = min(n, fetch * 4)
        return index, dist

    def _km(self, x: Floats, y: Floats, at: Ints) -> Floats:
        return np.asarray(GEOD.inv(x, y, self.lon[at], self.lat[at])[2], dtype=np.float64) / 1000


def _ball(tree: cKDTree, u: Floats, reach: Floats) -> tuple[Ints, Ints]:
    found = tree.query_ball_point(u, reach, return_sorted=False)
    count = np.fromiter(map(len, found), dtype=np.int64, count=len(found))
    if count.sum() == 0:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    flat = np.fromiter((i for f in found for i in f), dtype=np.int64, count=int(count.sum()))
    return np.repeat(np.arange(len(u)), count), flat


def _sorted(left: Ints, right: Ints, km: Floats) -> tuple[Ints, Ints, Floats]:
    order = np.lexsort((right, km, left))
    return left[order], right[order], km[order]


def geometry_within(left: Any, right: Any, radius_km: ArrayLike) -> tuple[Ints, Ints, Floats]:
    """All pairs of geometries with distance <= radius: (left index, right index, km), sorted by left, km,
    right.

    left: (m,) and right: (n,) geometries of any kind; radius_km: scalar or (m,). Distances are those of
    :func:`multiglobeqa.geo.distance.geometry_distance_km` (0 where they meet).
    Raises :class:`GeometryError` for bad geometries or a negative radius.
    """
    a, b = geometries(left, ndim1=True).ravel(), geometries(right, ndim1=True).ravel()
    radius = np.broadcast_to(positive(radius_km, "radius", zero=True), a.shape)
    empty = np.zeros(0, dtype=np.int64)
    if len(a) == 0 or len(b) == 0:
        return empty, empty, np.zeros(0)
    if (shapely.get_type_id(a) == 0).all() and (shapely.get_type_id(b) == 0).all():
        index = PointIndex(shapely.get_x(b), shapely.get_y(b))
        return index.within(shapely.get_x(a), shapely.get_y(a), radius)
    ia, ib = np.divmod(_candidates(a, b, radius), len(b))
    km = pair_distance_km(a, b, ia, ib, radius[ia])
    keep = km <= radius[ia]
    return _sorted(ia[keep], ib[keep], km[keep])


def _candidates(a: Geoms, b: Geoms, radius: Floats) -> Ints:
    """Codes i * len(b) + j, ascending, of all pairs that can be within the radius: a superset by boxes."""
    left, owner_a = _boxes(a)
    right, owner_b = _boxes(b)
    left, row = _widened(left, leeway(radius)[owner_a])
    owner_a = owner_a[row]
    tree = shapely.STRtree(shapely.box(*right.T))
    out = [np.zeros(0, dtype=np.int64)]
    for begin in range(0, len(left), _CHUNK):
        i, j = tree.query(shapely.box(*left[begin : begin + _CHUNK].T))
        out.append(np.unique(owner_a[begin + i] * len(b) + owner_b[j]))
    return np.unique(np.concatenate(out))


def _boxes(geoms: Geoms) -> tuple[Floats, Ints]:
    """(k, 4) boxes that together hold each geometry, and whose they are: one; where the whole is wide (a country on
    both sides of the antimeridian, an overseas part) one for each part; and one for each run of edges of a long line,
    since the box of a storm's whole track holds half an ocean."""
    boxes = shapely.bounds(geoms).reshape(-1, 4)
    spans = boxes[:, 2:] - boxes[:, :2]
    wide = spans[:, 0] > _WIDE_DEG
    lines = np.isin(shapely.get_type_id(geoms), (1, 5)) & (spans.max(axis=1) > _LONG_DEG)
    parts, owner = simple_parts(geoms[wide & ~lines])
    runs, of_line = _run_boxes(*simple_parts(geoms[lines]))
    whole = ~wide & ~lines
    at = (np.flatnonzero(whole), np.flatnonzero(wide & ~lines)[owner], np.flatnonzero(lines)[of_line])
    return np.concatenate([boxes[whole], shapely.bounds(parts).reshape(-1, 4), runs]), np.concatenate(at)


def _run_boxes(parts: Geoms, owner: Ints) -> tuple[Floats, Ints]:
    """Boxes (k, 4) of the runs of up to `_RUN` edges of line strings, and whose they are."""
    xy, part = shapely.get_coordinates(parts, return_index=True)
    if not len(xy):
        return np.empty((0, 4)), np.empty(0, np.int64)
    place = np.arange(len(xy)) - np.searchsorted(part, part, "left")
    last = np.r_[part[1:] != part[:-1], True]
    start = np.flatnonzero(
        (place % _RUN == 0) & ~last
    )  # a run ends with the vertex that the next one starts with
    size = np.minimum(_RUN, np.searchsorted(part, part[start], "right") - 1 - start)
    cells = start[:, None] + np.minimum(np.arange(_RUN + 1), size[:, None])
    corners = xy[cells]
    return np.concatenate([corners.min(axis=1), corners.max(axis=1)], axis=1), owner[part[start]]


def _widened(boxes: Floats, km: Floats) -> tuple[Floats, Ints]:
    """Boxes that hold every point within ``km`` (k,) of the boxes (k, 4), cut at ±180, and their rows.

    A curve of length L changes the latitude by at most L over the least radius of meridian curvature,
    a (1 - e²). It turns by at most theta = L / b on the sphere of reduced latitude; from latitude beta that
    changes the longitude by at most arcsin(sin(theta) / cos(beta)) where |beta| + theta < 90 degrees, and by
    anything elsewhere. |beta| <= |lat|, so the greatest |lat| of the box bounds all its points.
    """
    west, south, east, north = boxes.T
    up = np.degrees(km / (A_KM * (1 - E2))) + 1e-9
    theta = km / B_KM + 1e-10
    top = np.radians(np.maximum(np.abs(south), np.abs(north)))
    clear = top + theta < np.pi / 2 - 1e-6
    ratio = np.sin(theta) / np.where(clear, np.cos(top), 1.0)
    aside = np.where(clear, np.degrees(np.arcsin(np.clip(ratio, 0, 1))) * (1 + 1e-9) + 1e-9, 360.0)
    west, east = west - aside, east + aside
    south, north = np.maximum(south - up, -90.0), np.minimum(north + up, 90.0)
    whole = east - west >= 360
    west, east = np.where(whole, -180.0, west), np.where(whole, 180.0, east)
    cut = np.column_stack([np.maximum(west, -180.0), south, np.minimum(east, 180.0), north])
    out, rows = [cut], [np.arange(len(boxes))]
    for over, low, high in ((west < -180, west + 360, 180.0), (east > 180, -180.0, east - 360)):
        turned = np.column_stack(np.broadcast_arrays(low, south, high, north))
        out.append(turned[over])
        rows.append(np.flatnonzero(over))
    return np.concatenate(out), np.concatenate(rows)


def geometry_k_nearest(left: Any, right: Any, k: int) -> tuple[Ints, Floats]:
    """The k nearest of ``right`` for each of ``left``, ties by index: (m, k) indices and km.

    Where ``right`` has fewer than k the rest is -1 and infinity. Vertices of k right geometries bound the
    k-th distance from above, so one exact search within that radius holds the answer. Raises
    :class:`GeometryError` for bad geometries or k < 1.
    """
    if k < 1:
        raise GeometryError(f"k is {k}; it must be at least 1.")
    a, b = geometries(left, ndim1=True).ravel(), geometries(right, ndim1=True).ravel()
    index = np.full((len(a), k), -1, dtype=np.int64)
    dist = np.full((len(a), k), np.inf)
    if len(a) == 0 or len(b) == 0:
        return index, dist
    if (shapely.get_type_id(a) == 0).all() and (shapely.get_type_id(b) == 0).all():
        index_b = PointIndex(shapely.get_x(b), shapely.get_y(b))
        return index_b.k_nearest(shapely.get_x(a), shapely.get_y(a), k)
    bound = _kth_bound(a, b, min(k, len(b)))
    i, j, km = geometry_within(a, b, bound)
    rank = np.arange(len(i)) - np.searchsorted(i, i, "left")
    top = rank < k
    index[i[top], rank[top]] = j[top]
    dist[i[top], rank[top]] = km[top]
    return index, dist


def _kth_bound(a: Geoms, b: Geoms, k: int) -> Floats:
    """(m,) km within which at least k of ``b`` lie: the way from a vertex of each ``a`` to vertices of k distinct
    ``b``; where ``a`` reaches about as far itself, the least such way from up to `_ASKED` evenly spread vertices.
    """
    xy, at = shapely.get_coordinates(a, return_index=True)
    first, count = np.searchsorted(at, np.arange(len(a))), np.bincount(at, minlength=len(a))
    other, owner = shapely.get_coordinates(b, return_index=True)
    tree = cKDTree(unit_vectors(*other.T))
    bound = _kth_chord_km(tree, owner, unit_vectors(*xy[first].T), k)
    box = shapely.bounds(a).reshape(-1, 4)
    reach = np.radians(np.hypot(box[:, 2] - box[:, 0], box[:, 3] - box[:, 1])) * A_KM
    far = np.flatnonzero(2 * reach > bound)
    asked = np.minimum(count[far], _ASKED)
    of = np.repeat(far, asked)
    step = np.arange(len(of)) - np.repeat(np.cumsum(asked) - asked, asked)
    query = unit_vectors(*xy[first[of] + step * count[of] // np.repeat(asked, asked)].T)
    for begin in range(0, len(of), _CHUNK):
        part = slice(begin, begin + _CHUNK)
        np.minimum.at(bound, of[part], _kth_chord_km(tree, owner, query[part], k))
    return np.minimum(bound * (1 + 1e-9) + 1e-6, HALF_TURN_KM)


def _kth_chord_km(tree: Any, owner: Ints, query: Floats, k: int) -> Floats:
    """(m,) km, from above, to the k-th of the owners of a tree's points; each owner counts once."""
    bound = np.full(len(query), np.inf)
    fetch, todo = min(len(owner), 4 * k + 16), np.arange(len(query))
    while len(todo):
        chords, near = tree.query(query[todo], k=list(range(1, fetch + 1)))
        who = owner[near]
        order = np.argsort(who, axis=1, kind="stable")
        grouped = np.take_along_axis(who, order, axis=1)
        first = np.ones(who.shape, dtype=bool)
        first[:, 1:] = grouped[:, 1:] != grouped[:, :-1]
        new = np.zeros(who.shape, dtype=bool)
        np.put_along_axis(new, order, first, axis=1)
        distinct = np.cumsum(new, axis=1)
        done = distinct[:, -1] >= k
        column = np.argmax(distinct >= k, axis=1)
        bound[todo[done]] = A_KM * angle(chords[np.arange(len(todo)), column])[done]
        todo, fetch = todo[~done], min(len(owner), fetch * 4)
    return bound
