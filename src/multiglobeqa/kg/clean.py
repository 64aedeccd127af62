"""What a geometry must be to enter the entity table, and the causes for which it is dropped.

A kept geometry is a Point, a LineString or MultiLineString with a length, or a valid Polygon or
MultiPolygon with an area, by the kind of its row; longitude latitude, two dimensions, 7 decimals, cut at
longitude 180.

Causes: ``geometry_unreadable``, ``geometry_empty``, ``geometry_not_finite``, ``out_of_range``,
``geometry_wrong_kind``, ``antimeridian_unresolved``, ``line_without_length``, ``surface_without_area``,
``ring_repair`` (the repair would change the area by more than 0.1 %: TAXONOMY rule 7).
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import shapely

from multiglobeqa.geo.check import jumps
from multiglobeqa.kg.hierarchy import equal_area
from multiglobeqa.kg.schema import COORDINATE_DECIMALS
from multiglobeqa.kg.wkt import cut_at_antimeridian

REPAIR_SHARE: Final = 0.001
"""Largest relative change of area that a repair may make."""
_TYPES: Final = {"point": (0,), "line": (1, 5), "surface": (3, 6)}


def clean(wkb: Any, kinds: Any) -> tuple[Any, Any]:
    """Geometries fit for the entity table, and the causes of those that are not.

    Parameters
    ----------
    wkb : n WKB values (bytes or None).
    kinds : n kinds, ``point``, ``line`` or ``surface``.

    Returns
    -------
    geometries : (n,) object array; None where dropped.
    causes : (n,) object array of str; "" where kept.
    """
    kinds = np.asarray(kinds, dtype=object)
    causes = np.full(len(kinds), "", dtype=object)
    values = np.empty(len(kinds), dtype=object)
    values[:] = list(wkb)
    geometries = np.atleast_1d(shapely.force_2d(shapely.from_wkb(values, on_invalid="ignore")))

    def mark(rows: Any, cause: str) -> None:
        hit = rows & (causes == "")
        causes[hit] = cause
        geometries[hit] = None

    mark(shapely.is_missing(geometries), "geometry_unreadable")
    mark(shapely.is_empty(geometries), "geometry_empty")
    coordinates, index = shapely.get_coordinates(geometries, return_index=True)
    finite = np.isfinite(coordinates).all(axis=1)
    mark(_any(~finite, index, len(kinds)), "geometry_not_finite")
    with np.errstate(invalid="ignore"):
        outside = (np.abs(coordinates[:, 0]) > 180) | (np.abs(coordinates[:, 1]) > 90)
    mark(_any(outside, index, len(kinds)), "out_of_range")
    lone = (shapely.get_type_id(geometries) == 4) & (shapely.get_num_geometries(geometries) == 1)
    geometries[lone] = shapely.get_geometry(geometries[lone], 0)
    ids = shapely.get_type_id(geometries)
    fits = np.zeros(len(kinds), dtype=bool)
    for kind, types in _TYPES.items():
        fits |= (kinds == kind) & np.isin(ids, types)
    mark(~fits, "geometry_wrong_kind")
    _cut(geometries, mark)
    before = geometries.copy()
    geometries[:] = shapely.transform(geometries, lambda xy: np.round(xy, COORDINATE_DECIMALS) + 0.0)
    _lines(geometries, kinds == "line", mark)
    _surfaces(geometries, before, (kinds == "surface") & (causes == ""), mark)
    return geometries, causes


def _any(flags: Any, index: Any, n: int) -> Any:
    return np.bincount(index[flags], minlength=n).astype(bool)


def _cut(geometries: Any, mark: Any) -> None:
    bounds = shapely.bounds(geometries)
    wide = np.flatnonzero(bounds[:, 2] - bounds[:, 0] > 180)
    wide = wide[jumps(geometries[wide])] if len(wide) else wide
    lost = np.zeros(len(geometries), dtype=bool)
    for row in wide.tolist():
        geometries[row] = cut_at_antimeridian(geometries[row])
        lost[row] = geometries[row] is None
    mark(lost, "antimeridian_unresolved")


def _lines(geometries: Any, rows: Any, mark: Any) -> None:
    """Drop lines and parts of lines that have no length."""
    at = np.flatnonzero(rows & ~shapely.is_missing(geometries))
    parts, owner = shapely.get_parts(geometries[at], return_index=True)
    flat = shapely.length(parts) == 0
    gone = np.zeros(len(geometries), dtype=bool)
    for local in np.unique(owner[flat]).tolist():
        good = parts[(owner == local) & ~flat]
        if len(good) == 0:
            gone[at[local]] = True
        else:
            geometries[at[local]] = good[0] if len(good) == 1 else shapely.multilinestrings(good)
    mark(gone, "line_without_length")


def _surfaces(geometries: Any, before: Any, rows: Any, mark: Any) -> None:
    broken = np.flatnonzero(rows & ~shapely.is_valid(geometries))
    costly = np.zeros(len(geometries), dtype=bool)
    for row in broken.tolist():
        geometries[row] = repair(before[row])
        costly[row] = geometries[row] is None
    mark(costly, "ring_repair")
    mark(rows & (shapely.area(geometries) == 0), "surface_without_area")


def repair(surface: Any) -> Any | None:
    """The surface made valid, on the grid of 7 decimals; None if that changes its area by more than 0.1 %."""
    whole = float(equal_area(surface))
    mended = shapely.make_valid(surface, method="structure", keep_collapsed=False)
    for _ in range(2):
        parts = shapely.get_parts(shapely.get_parts(mended))
        parts = parts[np.isin(shapely.get_type_id(parts), (3, 6)) & ~shapely.is_empty(parts)]
        if not len(parts):
            return None
        mended = shapely.set_precision(shapely.union_all(parts), 10.0**-COORDINATE_DECIMALS)
        mended = shapely.transform(mended, lambda xy: np.round(xy, COORDINATE_DECIMALS) + 0.0)
        if shapely.is_valid(mended):
            change = abs(float(equal_area(mended)) - whole)
            return mended if whole > 0 and change <= REPAIR_SHARE * whole else None
        mended = shapely.make_valid(mended, method="structure", keep_collapsed=False)
    return None
