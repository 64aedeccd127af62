"""Shape measures of surfaces, on the Lambert azimuthal equal-area plane centred at the equal-area centroid.

Area A, perimeter P (holes included), hull and bounding figures are all taken on that plane (seam dissolved,
edges along the lon-lat segments). Every function takes a surface or an array of surfaces and returns floats
of that shape, and raises :class:`GeometryError` for what is not a valid surface. ``tolerance_km`` simplifies
on the plane first (Douglas-Peucker over the stored vertices, topology preserved); where that leaves nothing
valid the value is NaN.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import shapely
from numpy.typing import ArrayLike

from multiglobeqa.errors import GeometryError
from multiglobeqa.geo.check import Floats, Geoms, geometries, rings_of
from multiglobeqa.geo.measure import centroid
from multiglobeqa.geo.planes import simplify_plane, to_plane


def local_plane(surfaces: Any, tolerance_km: ArrayLike = 0.0, *, dense: bool = False) -> Geoms:
    """The surfaces on their own plane in km, simplified where a tolerance is given (None where that fails).

    ``dense``: edges are split before they are simplified, so that long ones keep their bend; else Douglas-Peucker
    sees the stored vertices alone, as it does in a GIS.
    """
    g = geometries(surfaces, kinds=("surface",))
    lon0, lat0 = centroid(g)
    if not (np.isfinite(lon0).all() and np.isfinite(lat0).all()):
        at = int(np.flatnonzero(~np.isfinite(np.atleast_1d(lon0).ravel()))[0])
        raise GeometryError("surface has no equal-area centroid.", place=at)
    if np.any(np.asarray(tolerance_km) != 0):
        return simplify_plane(to_plane(g, lon0, lat0, dense=dense), tolerance_km, keep_valid=True)
    return to_plane(g, lon0, lat0)


def _area(p: Geoms) -> Floats:
    return np.asarray(shapely.area(p), dtype=np.float64)


def _perimeter(p: Geoms) -> Floats:
    return np.asarray(shapely.length(p), dtype=np.float64)


def polsby_popper(surfaces: Any, tolerance_km: ArrayLike = 0.0, *, dense: bool = False) -> Floats:
    """4 pi A / P²: 1 for a circle. Polsby and Popper (1991)."""
    p = local_plane(surfaces, tolerance_km, dense=dense)
    return 4 * np.pi * _area(p) / _perimeter(p) ** 2


def circularity(surfaces: Any, tolerance_km: ArrayLike = 0.0, *, dense: bool = False) -> Floats:
    """4 pi A / P², the name of TAXONOMY K05 for :func:`polsby_popper`."""
    return polsby_popper(surfaces, tolerance_km, dense=dense)


def shape_index(surfaces: Any, tolerance_km: ArrayLike = 0.0, *, dense: bool = False) -> Floats:
    """P / (2 sqrt(pi A)): 1 for a circle, more for irregular outlines. Patton (1975)."""
    p = local_plane(surfaces, tolerance_km, dense=dense)
    return np.asarray(_perimeter(p) / (2 * np.sqrt(np.pi * _area(p))), dtype=np.float64)


def convexity(surfaces: Any, tolerance_km: ArrayLike = 0.0, *, dense: bool = False) -> Floats:
    """A / A of the convex hull, in (0, 1]."""
    p = local_plane(surfaces, tolerance_km, dense=dense)
    return _area(p) / _area(shapely.convex_hull(p))


def boundary_excess(surfaces: Any, tolerance_km: ArrayLike = 0.0, *, dense: bool = False) -> Floats:
    """P / P of the convex hull, less 1: how much longer the boundary is than the hull's."""
    p = local_plane(surfaces, tolerance_km, dense=dense)
    return _perimeter(p) / _perimeter(shapely.convex_hull(p)) - 1


def reock(surfaces: Any) -> Floats:
    """A / area of the minimum bounding circle, in (0, 1]. Reock (1961)."""
    p = local_plane(surfaces)
    radius = np.asarray(shapely.minimum_bounding_radius(p), dtype=np.float64)
    return _area(p) / (np.pi * radius**2)


def elongation(surfaces: Any) -> Floats:
    """1 - width / length of the rotated rectangle of least area round the surface: 0 for a square."""
    p = local_plane(surfaces)
    return np.asarray(np.vectorize(_rectangle_elongation, otypes=[np.float64])(p), dtype=np.float64)


def _rectangle_elongation(surface: Any) -> float:
    """Every side of the hull is tried as a side of the rectangle (the least one lies on a side), 256 at a time."""
    hull = shapely.get_coordinates(shapely.convex_hull(surface))
    side = np.diff(hull, axis=0)
    size = np.hypot(side[:, 0], side[:, 1])
    side = side[size > 0] / size[size > 0][:, None]
    spans = []
    for start in range(0, len(side), 256):
        part = side[start : start + 256]
        along, across = part @ hull.T, np.column_stack([-part[:, 1], part[:, 0]]) @ hull.T
        spans.append((np.ptp(along, axis=1), np.ptp(across, axis=1)))
    a, b = (np.concatenate(values) for values in zip(*spans, strict=True))
    best = int(np.argmin(a * b))
    return float(1 - min(a[best], b[best]) / max(a[best], b[best]))


def ellipse_elongation(surfaces: Any) -> Floats:
    """1 - minor / major axis of the ellipse with the same second moments of area: 0 for a circle or a
    square.
    """
    p = local_plane(surfaces)
    return np.asarray(np.vectorize(_ellipse_elongation, otypes=[np.float64])(p), dtype=np.float64)


def _ellipse_elongation(surface: Any) -> float:
    moments = np.zeros((2, 2))
    oriented = shapely.orient_polygons(surface)  # shells one way, holes the other: signed sums subtract holes
    xy, ring = shapely.get_coordinates(rings_of(np.array([oriented], dtype=object)), return_index=True)
    centre = shapely.get_coordinates(shapely.centroid(oriented))[0]
    xy = xy - centre
    same = ring[1:] == ring[:-1]
    p, q = xy[:-1][same], xy[1:][same]
    cross = p[:, 0] * q[:, 1] - q[:, 0] * p[:, 1]
    for i in (0, 1):
        for j in (0, 1):
            term = 2 * p[:, i] * p[:, j] + 2 * q[:, i] * q[:, j] + p[:, i] * q[:, j] + q[:, i] * p[:, j]
            moments[i, j] = (cross * term).sum() / 24
    low, high = np.sort(np.abs(np.linalg.eigvalsh(moments)))
    return float(1 - np.sqrt(low / high))


def fractal_dimension(surfaces: Any, tolerance_km: ArrayLike = 0.0, *, dense: bool = False) -> Floats:
    """2 ln(P / 4) / ln(A) with P in m and A in m² (FRAGSTATS FRAC): 1 for a square, towards 2 for a rough
    outline.
    """
    p = local_plane(surfaces, tolerance_km, dense=dense)
    return 2 * np.log(_perimeter(p) * 1000 / 4) / np.log(_area(p) * 1e6)
