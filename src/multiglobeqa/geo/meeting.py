"""How firmly two geometries meet: the width of an overlap, the hole that a surface fills, the way from a crossing
to the nearest end of a line.

All take geometries in degrees, element-wise, and raise :class:`GeometryError` as
:func:`multiglobeqa.geo.check.geometries`. Pairs at the seam are laid out as in :mod:`multiglobeqa.geo.topology`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import shapely

from multiglobeqa.geo.check import Bools, Floats, Geoms, Ints, simple_parts, wrap_longitude
from multiglobeqa.geo.distance import distance_km, unique_objects
from multiglobeqa.geo.planes import surfaces_only
from multiglobeqa.geo.topology import paired, raw_area_km2, raw_length_km

__all__ = ["crossing_end_km", "hole_gap_share", "main_part_meets", "overlap_width_km"]


def overlap_width_km(a: Any, b: Any) -> Floats:
    """Mean width in km of the intersection of two surfaces, 2 * area / perimeter; 0 where there is no area.

    A long strip of width w gives nearly w, a square of side s gives s / 2.
    """
    x, y, shape = paired(a, b, ("surface",), ("surface",))
    met = surfaces_only(np.asarray(shapely.intersection(x, y), dtype=object))
    around = np.zeros(len(met))
    full = ~shapely.is_empty(met)
    around[full] = raw_length_km(np.asarray(shapely.boundary(met[full]), dtype=object))
    return np.where(around > 0, 2 * raw_area_km2(met) / np.where(around > 0, around, 1.0), 0.0).reshape(shape)


def hole_gap_share(a: Any, b: Any) -> Floats:
    """Least area of (hole of a) xor b over the area of b, over the holes of surface ``a`` that meet surface ``b``.

    0 where b fills a hole of a; NaN where no hole of a meets b.
    """
    left, right = np.broadcast_arrays(np.asarray(a, dtype=object), np.asarray(b, dtype=object))
    out = np.full(left.size, np.nan)
    rows = _may_fill(left.ravel(), right.ravel())
    if len(rows):
        x, y, _ = paired(left.ravel()[rows], right.ravel()[rows], ("surface",), ("surface",))
        out[rows] = _gap_share(x, y)
    return out.reshape(left.shape)


def _may_fill(left: Geoms, right: Geoms) -> Ints:
    """Rows whose right box lies within the left one, of surfaces with holes."""
    outer, inner = shapely.bounds(left), shapely.bounds(right)
    within = (outer[:, :2] <= inner[:, :2]).all(axis=1) & (inner[:, 2:] <= outer[:, 2:]).all(axis=1)
    rows = np.flatnonzero(within)
    parts, owner = simple_parts(left[rows])
    with_hole = np.bincount(owner, shapely.get_num_interior_rings(parts) > 0, minlength=len(rows)) > 0
    return np.asarray(rows[with_hole], dtype=np.int64)


def _gap_share(x: Geoms, y: Geoms) -> Floats:
    holes, owner = _holes(x)
    out = np.full(len(x), np.inf)
    near = np.asarray(shapely.intersects(holes, y[owner]), dtype=bool)
    holes, owner = holes[near], owner[near]
    if len(holes):
        gap = raw_area_km2(
            surfaces_only(np.asarray(shapely.symmetric_difference(holes, y[owner]), dtype=object))
        )
        np.minimum.at(out, owner, gap / raw_area_km2(y)[owner])
    return np.where(np.isfinite(out), out, np.nan)


def _holes(surfaces: Geoms) -> tuple[Geoms, Ints]:
    """The holes of surfaces as polygons, and whose they are."""
    parts, owner = simple_parts(surfaces)
    rings, part = shapely.get_rings(parts, return_index=True)
    hole = np.r_[False, part[1:] == part[:-1]] if len(part) else np.empty(0, dtype=bool)
    return np.asarray(shapely.polygons(rings[hole]), dtype=object), owner[part[hole]]


def crossing_end_km(a: Any, b: Any, *, least: bool = False) -> Floats:
    """The longest (or least) way in km, straight, from a point in which two lines meet to the nearest end of either.

    inf for lines without ends (rings), NaN where no point is common. Stretches that both share do not count.
    """
    x, y, shape = paired(a, b, ("line",), ("line",))
    met, owner = simple_parts(np.asarray(shapely.intersection(x, y), dtype=object))
    points = ~shapely.is_empty(met) & (shapely.get_dimensions(met) == 0)
    met, owner = met[points], owner[points]
    ends = [simple_parts(np.asarray(shapely.boundary(side), dtype=object)) for side in (x, y)]
    tips = np.concatenate([e[0] for e in ends])
    tip_owner = np.concatenate([e[1] for e in ends])
    real = ~shapely.is_empty(tips)
    order = np.argsort(tip_owner[real], kind="stable")
    tips, tip_owner = tips[real][order], tip_owner[real][order]
    first = np.searchsorted(tip_owner, owner, side="left")
    many = np.searchsorted(tip_owner, owner, side="right") - first
    point = np.repeat(np.arange(len(met)), many)
    tip = np.repeat(first, many) + np.arange(many.sum()) - np.repeat(np.cumsum(many) - many, many)
    apart = distance_km(*_degrees(met[point]), *_degrees(tips[tip]))
    nearest = np.full(len(met), np.inf)
    np.minimum.at(nearest, point, apart)
    out = np.full(len(x), np.inf if least else -np.inf)
    (np.minimum if least else np.maximum).at(out, owner, nearest)
    common = np.bincount(owner, minlength=len(x)) > 0
    return np.where(common, out, np.nan).reshape(shape)


def _degrees(points: Geoms) -> tuple[Floats, Floats]:
    return wrap_longitude(shapely.get_x(points)), np.asarray(shapely.get_y(points), dtype=float)


def main_part_meets(a: Any, b: Any) -> Bools:
    """Whether the largest part of surface or line ``a`` (by area, by length) meets ``b``."""
    left, right = np.broadcast_arrays(np.asarray(a, dtype=object), np.asarray(b, dtype=object))
    unique, row = unique_objects(left.ravel())
    x, y, _ = paired(_largest(unique)[row], right.ravel())
    return np.asarray(shapely.intersects(x, y), dtype=bool).reshape(left.shape)


def _largest(flat: Geoms) -> Geoms:
    """The largest part of each geometry, the first of equals."""
    parts, owner = simple_parts(flat)
    size = np.where(shapely.get_dimensions(parts) == 2, raw_area_km2(parts), raw_length_km(parts))
    order = np.lexsort((-size, owner))
    first = np.r_[True, owner[order][1:] != owner[order][:-1]] if len(order) else np.empty(0, dtype=bool)
    return np.asarray(parts[order[first]], dtype=object)
