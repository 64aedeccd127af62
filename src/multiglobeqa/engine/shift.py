"""How far a surface's centroid moves between two simplifications of its outline (TAXONOMY G03).

Douglas-Peucker takes and leaves whole vertices, so a value can hang on what nobody means to ask. One that a small
change of the tolerance, of the plane, of the direction of the rings or of the length of edges moves by more than half
the scorer's tolerance is left out, with the cause.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

import numpy as np
import shapely
from numpy.typing import NDArray

from multiglobeqa.engine.contract import Geometries
from multiglobeqa.geo import distance, planes
from multiglobeqa.geo import measure as size
from multiglobeqa.geo.outline import CutOutlines, cut_outlines, simplify_cut

Floats = NDArray[np.float64]
LEAST_KM: Final = 2.0
"""G03 asks for no shorter distance: those are not worth the tests."""
ALLOWED_SHARE: Final = 0.025
ALLOWED_KM: Final = 0.25
"""Half the scorer's tolerance: the larger of the two."""
FACTORS: Final = (0.99, 1.01)
OFF_KM: Final = 2.0
PIECE_KM: Final = 5.0


def centroid_shift(
    geometries: Geometries, tolerances: Sequence[float], *, tested: bool = True
) -> tuple[Floats, NDArray[np.object_]]:
    """(n,) distances in km between the equal-area centroids of each surface simplified by the two tolerances (km),
    and (n,) causes: None, or why the distance is NaN: simplified_outline_not_valid, ends_not_unique,
    hangs_on_the_tolerance, simplified_outline_not_stable.

    See `geo.outline` for the simplification; the plane is equal-area azimuthal, centred at the surface's equal-area
    centroid, its edges straight between stored vertices. Without ``tested`` the first cause alone is found.
    """
    cause: NDArray[np.object_] = np.full(len(geometries), None, dtype=object)
    if not len(geometries):
        return np.empty(0), cause
    low, high = sorted(float(tolerance) for tolerance in tolerances)
    lon0, lat0 = size.centroid(geometries)
    cut = _cut(geometries, lon0, lat0, low)
    fine, coarse = simplify_cut(cut, low), simplify_cut(cut, high)
    moved = _moved(fine, coarse)
    cause[np.isnan(moved)] = "simplified_outline_not_valid"
    if tested:
        cause[~cut.unique] = "ends_not_unique"
        live = np.flatnonzero(_none(cause) & (moved >= LEAST_KM))
        for reason, again in _variants(geometries, lon0, lat0, cut, (low, high)):
            if not live.size:
                break
            allowed = np.maximum(ALLOWED_KM, ALLOWED_SHARE * moved[live])
            others = np.atleast_2d(again(live))
            same = (np.abs(others - moved[live]) <= allowed).all(axis=0)  # NaN is not the same
            cause[live[~same]] = reason
            live = live[same]
    value = np.where(_none(cause), moved, np.nan)
    exact = np.flatnonzero(_none(cause) & (moved >= LEAST_KM / 2))
    value[exact] = _apart_km(fine[exact], coarse[exact], lon0[exact], lat0[exact])
    return value, cause


def _none(cause: NDArray[np.object_]) -> NDArray[np.bool_]:
    return np.array([one is None for one in cause], dtype=bool)


def _cut(geometries: Geometries, lon0: Floats, lat0: Floats, least_km: float) -> CutOutlines:
    return cut_outlines(planes.to_plane(geometries, lon0, lat0, dense=False), least_km * min(FACTORS))


def _moved(fine: Geometries, coarse: Geometries) -> Floats:
    """(n,) distance of the centroids on the plane; NaN where a surface is missing."""
    a, b = shapely.centroid(fine), shapely.centroid(coarse)
    east, north = shapely.get_x(a) - shapely.get_x(b), shapely.get_y(a) - shapely.get_y(b)
    return np.asarray(np.hypot(east, north), dtype=np.float64)


def _variants(
    geometries: Geometries, lon0: Floats, lat0: Floats, cut: CutOutlines, tolerances: tuple[float, float]
) -> Iterator[tuple[str, Callable[[NDArray[np.int64]], Floats]]]:
    """Ways to take the distance again, cheap ones first: the cause where it differs, and the distances on the plane
    for some rows, (rows,) or (ways, rows)."""

    def shift(outlines: CutOutlines) -> Floats:
        return _moved(*(simplify_cut(outlines, tolerance) for tolerance in tolerances))

    def other_tolerances(rows: NDArray[np.int64]) -> Floats:
        outlines = cut.of(rows)
        fine, coarse = (
            [simplify_cut(outlines, tolerance * factor) for factor in (1.0, *FACTORS)]
            for tolerance in tolerances
        )
        return np.stack([_moved(a, b) for a in fine for b in coarse])

    def off(rows: NDArray[np.int64], azimuth: float) -> Floats:
        lon, lat = distance.destination(lon0[rows], lat0[rows], azimuth, OFF_KM)
        return shift(_cut(geometries[rows], lon, lat, tolerances[0]))

    def split(rows: NDArray[np.int64]) -> Floats:
        pieces = planes.dense_geometries(geometries[rows], PIECE_KM)
        return shift(_cut(pieces, lon0[rows], lat0[rows], tolerances[0]))

    yield "hangs_on_the_tolerance", other_tolerances
    unstable = "simplified_outline_not_stable"
    yield unstable, lambda rows: shift(cut.of(rows).reversed())
    yield unstable, lambda rows: off(rows, 45.0)
    yield unstable, lambda rows: off(rows, 225.0)
    yield unstable, split


def _apart_km(fine: Geometries, coarse: Geometries, lon0: Floats, lat0: Floats) -> Floats:
    """(n,) geodesic distance of the equal-area centroids of surfaces on their planes, edges straight there."""
    if not len(fine):
        return np.empty(0)
    ends = [
        size.centroid(planes.from_plane(shapely.segmentize(flat, PIECE_KM), lon0, lat0))
        for flat in (fine, coarse)
    ]
    return np.asarray(distance.distance_km(*ends[0], *ends[1]), dtype=float)
