"""Topology on the lon-lat plane (GEOS), with the seam at ±180 treated as no boundary.

All take geometries in degrees, element-wise with broadcasting, and raise :class:`GeometryError` as
:func:`multiglobeqa.geo.check.geometries` unless they say otherwise. Pairs in which both sides reach the seam
are laid out round longitude 180 first, so that what is one place on the globe is one place on the plane.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import shapely
from scipy.spatial import cKDTree

from multiglobeqa.errors import GeometryError
from multiglobeqa.geo.check import Bools, Floats, Geoms, Ints, geometries, simple_parts
from multiglobeqa.geo.distance import checked_objects
from multiglobeqa.geo.edges import boundary_lines, edge_area_km2, edge_length_km, edges, totals
from multiglobeqa.geo.ellipsoid import B_KM, unit_vectors
from multiglobeqa.geo.planes import surfaces_only
from multiglobeqa.geo.seam import polygon_from_ring, split_antimeridian, touches_seam, unwrap

__all__ = [
    "crossing_points",
    "dissolve_seam",
    "intersection_area_km2",
    "intersection_area_share",
    "line_length_inside_km",
    "matches",
    "polygon_from_ring",
    "relate",
    "repair",
    "shared_boundary_km",
    "split_antimeridian",
    "unwrap",
]


def repair(geoms: Any) -> tuple[Geoms, Floats]:
    """Valid geometries, and by how much the area changed: |after - before| / the larger of the two, in [0,
    1].

    Valid ones come back as the same objects with 0. Surfaces are rebuilt with the structure method of GEOS,
    without left-over lines and points; one that collapses becomes an empty polygon with 1. The area before is
    the sum of the rings' |area|. Raises :class:`GeometryError` for empty or non-finite input, kinds and
    jumps, not for invalidity.
    """
    g = geometries(geoms, valid=False)
    flat = g.ravel().copy()
    change = np.zeros(len(flat))
    bad = np.flatnonzero(~shapely.is_valid(flat))
    if len(bad):
        before = raw_area_km2(flat[bad])
        areal = shapely.get_dimensions(flat[bad]) == 2
        fixed = np.asarray(
            shapely.make_valid(flat[bad], method="structure", keep_collapsed=False), dtype=object
        )
        fixed[areal] = surfaces_only(fixed[areal])
        after = raw_area_km2(fixed)
        most = np.maximum(before, after)
        gap = np.abs(after - before) / np.where(most > 0, most, 1.0)
        change[bad] = np.where(shapely.is_empty(fixed), 1.0, np.where(areal, gap, 0.0))
        flat[bad] = fixed
    return flat.reshape(g.shape), change.reshape(g.shape)


def raw_area_km2(flat: Geoms) -> Floats:
    """Area of a 1-D array without the validity check; 0 for anything empty or without area."""
    e = edges(flat)
    ring = np.abs(totals(e.ring, edge_area_km2(e), len(e.ring_geom)))
    ring = ring * (e.ring_dim == 2) * np.where(e.ring_hole, -1.0, 1.0)
    return totals(e.ring_geom, ring, e.n)


def raw_length_km(flat: Geoms) -> Floats:
    """Length of the lines in each geometry of a 1-D array; points and surfaces count 0."""
    e = edges(flat)
    e = e.take(e.ring_dim[e.ring] == 1)
    return totals(e.geom, edge_length_km(e), e.n)


def dissolve_seam(geoms: Any) -> Geoms:
    """Geometries that reach ±180 laid out round longitude 180 with their pieces joined (longitudes 0 to 360);
    all others as they are. For whole outlines, not for storage."""
    g = geometries(geoms)
    flat = g.ravel().copy()
    seam = touches_seam(flat)
    if seam.any():
        flat[seam] = unwrap(flat[seam], 180.0)
    return flat.reshape(g.shape)


def _array(geoms: Any) -> Geoms:
    out: Geoms = np.asarray(geoms, dtype=object)
    return out


def paired(
    a: Any, b: Any, kinds_a: tuple[str, ...] | None = None, kinds_b: tuple[str, ...] | None = None
) -> tuple[Geoms, Geoms, tuple[int, ...]]:
    """Both sides as checked 1-D arrays laid out for the plane, and the shape of the result."""
    (ua, ia), (ub, ib) = checked_objects(_array(a), kinds_a), checked_objects(_array(b), kinds_b)
    rows_a, rows_b = np.broadcast_arrays(ia.reshape(_array(a).shape), ib.reshape(_array(b).shape))
    shape = rows_a.shape
    x, y = ua[rows_a.ravel()], ub[rows_b.ravel()]
    seam = touches_seam(x) & touches_seam(y)
    if seam.any():
        x[seam], y[seam] = unwrap(x[seam], 180.0), unwrap(y[seam], 180.0)
    return x, y, shape


def relate(a: Any, b: Any) -> Any:
    """DE-9IM matrix of each pair as a 9-character string (a string for a single pair)."""
    x, y, shape = paired(a, b)
    out = np.asarray(shapely.relate(x, y), dtype=np.str_).reshape(shape)
    return str(out) if shape == () else out


def matches(a: Any, b: Any, pattern: str) -> Bools:
    """Whether each pair's DE-9IM matrix matches a pattern such as ``T*F**F***``.

    Raises also :class:`GeometryError` for a pattern that is not nine of T F * 0 1 2.
    """
    if len(pattern) != 9 or set(pattern) - set("TF*012"):
        raise GeometryError(f"{pattern!r} is no DE-9IM pattern.", mend="Use nine of T F * 0 1 2.")
    x, y, shape = paired(a, b)
    return np.asarray(shapely.relate_pattern(x, y, pattern), dtype=bool).reshape(shape)


def intersection_area_km2(a: Any, b: Any) -> Floats:
    """Area in km² of the intersection of surfaces."""
    x, y, shape = paired(a, b, ("surface",), ("surface",))
    return raw_area_km2(np.asarray(shapely.intersection(x, y), dtype=object)).reshape(shape)


def intersection_area_share(a: Any, b: Any) -> Floats:
    """Area of the intersection over the smaller of the two areas, in [0, 1]."""
    x, y, shape = paired(a, b, ("surface",), ("surface",))
    shared = raw_area_km2(np.asarray(shapely.intersection(x, y), dtype=object))
    return (shared / np.minimum(raw_area_km2(x), raw_area_km2(y))).reshape(shape)


def shared_boundary_km(a: Any, b: Any) -> Floats:
    """Length in km of the boundary line that two surfaces share; edges on the seam do not count.

    The stretch must have the same vertices on both sides, or lie on the same straight lon-lat edge.
    """
    (ua, ia), (ub, ib) = (checked_objects(_array(g), ("surface",)) for g in (a, b))
    rows_a, rows_b = np.broadcast_arrays(ia.reshape(_array(a).shape), ib.reshape(_array(b).shape))
    x, y = boundary_lines(ua)[rows_a.ravel()], boundary_lines(ub)[rows_b.ravel()]
    met = np.asarray(shapely.intersection(x, y), dtype=object)
    return raw_length_km(met).reshape(rows_a.shape)


def line_length_inside_km(line: Any, surface: Any) -> Floats:
    """Length in km of a line inside a surface (its boundary included)."""
    x, y, shape = paired(line, surface, ("line",), ("surface",))
    return raw_length_km(np.asarray(shapely.intersection(x, y), dtype=object)).reshape(shape)


def crossing_points(a: Any, b: Any, apart_m: float = 1.0) -> tuple[Ints, Bools]:
    """Places where two lines meet, and whether they share a segment: (count, shared), element-wise.

    Point components of the intersection that lie less than ``apart_m`` metres from another count once (linked
    in chains). Shared segments are not counted as points.
    """
    x, y, shape = paired(a, b, ("line",), ("line",))
    met = np.asarray(shapely.intersection(x, y), dtype=object)
    parts, owner = simple_parts(met)
    dim = np.where(shapely.is_empty(parts), -1, shapely.get_dimensions(parts))
    count = np.bincount(owner[dim == 0], minlength=len(met)).astype(np.int64)
    for i in np.flatnonzero(count > 1):
        points = parts[(owner == i) & (dim == 0)]
        near = cKDTree(unit_vectors(shapely.get_x(points), shapely.get_y(points)))
        count[i] = _components(near, apart_m / 1000 / B_KM)
    shared = np.bincount(owner[dim == 1], minlength=len(met)) > 0
    return count.reshape(shape), shared.reshape(shape)


def _components(tree: cKDTree, reach: float) -> int:
    from scipy.sparse.csgraph import connected_components

    graph = tree.sparse_distance_matrix(tree, reach, output_type="coo_matrix")
    graph.data[:] = 1.0
    return int(connected_components(graph.tocsr(), directed=False)[0])
