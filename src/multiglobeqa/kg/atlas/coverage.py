"""Simplification of a coverage: surfaces that share borders share them afterwards.

The boundaries are noded and merged into arcs (stretches between points where borders meet). Each arc is
simplified on its own (Douglas-Peucker, its ends stay), with a tolerance that shrinks with the smallest
surface it bounds; arcs that would then cross are given finer tolerances until none does. Faces are rebuilt
from the arcs.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import shapely

from multiglobeqa.errors import GeometryError

SHARE: Final = 0.02
"""Tolerance of an arc at most this share of the square root of the area of the smallest surface it bounds."""
_ROUNDS: Final = 6


def simplify_coverage(surfaces: Any, tolerance: float, decimals: int) -> Any:
    """The surfaces with simplified borders, coordinates rounded to ``decimals``; (n,) object array.

    ``surfaces``: n valid polygons or multipolygons, longitude latitude, that overlap nowhere (slivers apart);
    ``tolerance`` in degrees. Ground inside no surface stays outside of all.

    Raises GeometryError if a surface loses all its faces.
    """
    network = shapely.line_merge(shapely.union_all(shapely.boundary(surfaces)))
    arcs = shapely.get_parts(network)
    simple = _simplify(arcs, _tolerances(arcs, surfaces, tolerance), decimals)
    faces = shapely.get_parts(shapely.polygonize(simple))
    owner = _owners(faces, surfaces)
    out = np.empty(len(surfaces), dtype=object)
    for i in range(len(surfaces)):
        mine = faces[owner == i]
        if not len(mine):
            raise GeometryError(
                "a surface of the coverage collapsed.", place=i, mend="Use a finer tolerance."
            )
        out[i] = shapely.union_all(mine) if len(mine) > 1 else mine[0]
    return out


def _tolerances(arcs: Any, surfaces: Any, tolerance: float) -> Any:
    """Tolerance of each arc by the smallest part of a surface whose boundary it is on."""
    parts = shapely.get_parts(surfaces)
    size = np.sqrt(shapely.area(parts))
    point = shapely.get_point(arcs, shapely.get_num_points(arcs) // 2)
    arc, part = shapely.STRtree(parts).query(point, predicate="intersects")
    least = np.full(len(arcs), np.inf)
    np.minimum.at(least, arc, size[part])
    return np.minimum(tolerance, SHARE * least)


def _simplify(arcs: Any, tolerance: Any, decimals: int) -> Any:
    for _ in range(_ROUNDS):
        simple = shapely.simplify(arcs, tolerance, preserve_topology=True)
        simple = shapely.transform(simple, lambda xy: np.round(xy, decimals) + 0.0)
        bad = _conflicts(simple)
        if not len(bad):
            return simple
        tolerance = tolerance.copy()
        tolerance[bad] *= 0.25
    # what rounding alone makes meet (two borders of one gap narrower than the grid) is noded where it meets
    noded = shapely.get_parts(shapely.union_all(simple[bad]))
    return np.concatenate([np.delete(simple, bad), noded])


def _conflicts(arcs: Any) -> Any:
    """Arcs that cross themselves or another arc, or lost their length."""
    alone = np.flatnonzero(~shapely.is_simple(arcs) | (shapely.length(arcs) == 0))
    a, b = shapely.STRtree(arcs).query(arcs, predicate="intersects")
    once = a < b
    a, b = a[once], b[once]
    apart = shapely.touches(arcs[a], arcs[b])
    a, b = a[~apart], b[~apart]
    # rings that meet in their common end only are no conflict; touches() calls that point their interiors
    ring = shapely.is_closed(arcs[a]) & shapely.is_closed(arcs[b])
    meet = shapely.intersection(arcs[a], arcs[b])
    ends = ring & shapely.equals(meet, shapely.get_point(arcs[a], 0))
    return np.unique(np.concatenate([alone, a[~ends], b[~ends]]))


def _owners(faces: Any, surfaces: Any) -> Any:
    """Index of the surface each face belongs to; -1 for ground outside of all."""
    owner = np.full(len(faces), -1, dtype=np.int64)
    tree = shapely.STRtree(surfaces)
    face, surface = tree.query(shapely.point_on_surface(faces), predicate="within")
    owner[face] = surface
    face, surface = tree.query(faces)
    some = (owner[face] < 0) & ~shapely.is_empty(faces[face])
    face, surface = face[some], surface[some]
    share = shapely.area(shapely.intersection(faces[face], surfaces[surface])) / shapely.area(faces[face])
    best = share > 0.5
    owner[face[best]] = surface[best]
    return owner
