"""An outline simplified from its farthest vertices (G03).

On the plane each ring is cut at the two vertices that are farthest apart, each of the two lines is simplified by
Douglas-Peucker (its ends stay, distances are taken to the segment) and they are joined again. Rings with fewer than
three corners left are dropped, a hole with its outer ring.
"""

from __future__ import annotations

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry.base import BaseGeometry

from multiglobeqa.solver.errors import SolverError

Floats = NDArray[np.float64]
TIE = 1e-9


def simplify(flat: BaseGeometry, tolerance_km: float) -> BaseGeometry:
    """A surface on a plane (km), simplified; empty where no ring is left. Not every result is valid."""
    polygons = []
    for polygon in shapely.get_parts(flat):
        outer, *holes = (
            simple_ring(shapely.get_coordinates(ring)[:-1], tolerance_km)
            for ring in shapely.get_rings(polygon)
        )
        if len(outer) >= 3:
            inner = [shapely.linearrings(hole) for hole in holes if len(hole) >= 3]
            polygons.append(shapely.polygons(shapely.linearrings(outer), inner or None))
    return shapely.MultiPolygon(polygons)


def simple_ring(ring: Floats, tolerance_km: float) -> Floats:
    """The vertices (m, 2) kept of a ring (n, 2) given without its closing vertex.

    SolverError where two pairs of vertices are equally far apart and the ring does not vanish anyhow.
    """
    if np.hypot(*np.ptp(ring, axis=0)) <= tolerance_km:
        return ring[:2]  # every vertex lies within the tolerance of any other
    i, j = farthest(ring)
    turned = np.vstack([ring[i:], ring[: i + 1]])
    middle = (j - i) % len(ring)
    there = douglas_peucker(turned[: middle + 1], tolerance_km)
    back = douglas_peucker(turned[middle:], tolerance_km)
    return np.vstack([there[:-1], back[:-1]])


def farthest(points: Floats) -> tuple[int, int]:
    """Rows of the two points that are farthest apart, by the distances among the corners of the hull."""
    corners = hull(points)
    xy = points[corners]
    best: list[tuple[float, int, int]] = []
    for k, here in enumerate(xy[:-1]):
        apart = np.hypot(*(xy[k + 1 :] - here).T)
        best += [(float(apart[m]), k, k + 1 + int(m)) for m in np.argsort(apart)[-2:]]
        best = sorted(best)[-2:]
    if len(best) > 1 and best[-1][0] - best[-2][0] <= TIE * best[-1][0]:
        raise SolverError("Two pairs of vertices are equally far apart.", place="outline", mend="Discard it.")
    _, first, second = best[-1]
    return int(corners[first]), int(corners[second])


def hull(points: Floats) -> NDArray[np.int64]:
    """Rows of the corners of the convex hull, counter-clockwise: the monotone chain of Andrew (1979)."""
    order = np.lexsort((points[:, 1], points[:, 0]))
    xs, ys = points[:, 0].tolist(), points[:, 1].tolist()

    def chain(rows: list[int]) -> list[int]:
        kept: list[int] = []
        for r in rows:
            while len(kept) > 1:
                a, b = kept[-2], kept[-1]
                if (xs[b] - xs[a]) * (ys[r] - ys[a]) - (ys[b] - ys[a]) * (xs[r] - xs[a]) > 0:
                    break
                kept.pop()
            kept.append(r)
        return kept[:-1]

    return np.array(chain(order.tolist()) + chain(order[::-1].tolist()), dtype=np.int64)


def douglas_peucker(line: Floats, tolerance: float) -> Floats:
    """The vertices kept of a line (n, 2): the farthest from the segment between two kept ones stays while it is more
    than the tolerance away."""
    keep = np.zeros(len(line), dtype=bool)
    keep[[0, -1]] = True
    stack = [(0, len(line) - 1)]
    while stack:
        start, end = stack.pop()
        if end - start < 2:
            continue
        away = _to_segment(line[start + 1 : end], line[start], line[end])
        at = int(np.argmax(away))
        if away[at] > tolerance:
            middle = start + 1 + at
            keep[middle] = True
            stack += [(start, middle), (middle, end)]
    return line[keep]


def _to_segment(points: Floats, start: Floats, end: Floats) -> Floats:
    along = end - start
    length = along @ along
    share = np.clip((points - start) @ along / length, 0.0, 1.0) if length > 0 else np.zeros(len(points))
    gap = points - start - share[:, None] * along
    return np.asarray(np.hypot(gap[:, 0], gap[:, 1]))
