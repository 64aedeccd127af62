"""Bounding boxes in longitude and latitude, across the antimeridian, and overlap in EPSG:6933.

A box is (west, south, east, north) in degrees; west > east crosses the antimeridian (RFC 7946, 5.2).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import shapely
from numpy.typing import ArrayLike

from multiglobeqa.errors import GeometryError
from multiglobeqa.geo.check import Floats, Geoms, geometries
from multiglobeqa.geo.ellipsoid import A_KM, E2, R_AUTHALIC_KM, authalic_sin

_K0 = float(np.cos(np.radians(30.0)) / np.sqrt(1 - E2 * np.sin(np.radians(30.0)) ** 2))


def normalise(
    west: ArrayLike, south: ArrayLike, east: ArrayLike, north: ArrayLike
) -> tuple[Floats, Floats, Floats, Floats]:
    """Boxes with longitudes in [-180, 180], broadcast.

    Longitudes beyond ±180 are wrapped (176 to 182 becomes 176 to -178); a box 360 degrees wide or more is
    -180 to 180. Raises :class:`GeometryError` for values that are not finite, latitudes beyond ±90 and
    south > north.
    """
    w, s, e, n = (
        np.array(v, dtype=np.float64)
        for v in np.broadcast_arrays(*(np.asarray(v, dtype=np.float64) for v in (west, south, east, north)))
    )
    bad = ~(np.isfinite(w) & np.isfinite(s) & np.isfinite(e) & np.isfinite(n))
    for wrong, what in (
        (bad, "box is not finite."),
        ((np.abs(s) > 90) | (np.abs(n) > 90), "latitude of a box is outside [-90, 90]."),
        (s > n, "south of a box lies north of its north."),
        ((np.abs(w) > 540) | (np.abs(e) > 540), "longitude of a box is outside [-540, 540]."),
    ):
        if np.any(wrong):
            raise GeometryError(what, place=int(np.flatnonzero(np.atleast_1d(wrong).ravel())[0]))
    whole = e - w >= 360
    inside = (np.abs(w) <= 180) & (np.abs(e) <= 180)
    wrapped_w = np.where(inside, w, np.mod(w + 180, 360) - 180)
    wrapped_e = np.where(inside, e, -(np.mod(180 - e, 360) - 180))
    return np.where(whole, -180.0, wrapped_w), s, np.where(whole, 180.0, wrapped_e), n


def split(west: float, south: float, east: float, north: float) -> list[tuple[float, float, float, float]]:
    """One box, or the two pieces on both sides of ±180. Raises as :func:`normalise`."""
    w, s, e, n = (float(v) for v in normalise(west, south, east, north))
    if w <= e:
        return [(w, s, e, n)]
    return [b for b in ((w, s, 180.0, n), (-180.0, s, e, n)) if b[0] < b[2]]


def box(west: ArrayLike, south: ArrayLike, east: ArrayLike, north: ArrayLike) -> Geoms:
    """Boxes as polygons cut at ±180 (object array of the broadcast shape); sides have a vertex every 90
    degrees of longitude at most. Raises :class:`GeometryError` as :func:`normalise` and for a box without
    area."""
    w, s, e, n = np.broadcast_arrays(*normalise(west, south, east, north))
    out: Geoms = np.empty(w.size, dtype=object)
    for i, values in enumerate(zip(w.ravel(), s.ravel(), e.ravel(), n.ravel(), strict=True)):
        pieces = [_polygon(*b) for b in split(*(float(v) for v in values)) if b[0] < b[2] and b[1] < b[3]]
        if not pieces:
            raise GeometryError("box has no area.", place=i)
        out[i] = pieces[0] if len(pieces) == 1 else shapely.multipolygons(pieces)
    return out.reshape(w.shape)


def _polygon(west: float, south: float, east: float, north: float) -> Any:
    x = np.linspace(west, east, int(np.ceil((east - west) / 90)) + 1)
    lower, upper = (
        np.column_stack([x, np.full(len(x), south)]),
        np.column_stack([x[::-1], np.full(len(x), north)]),
    )
    return shapely.Polygon(np.vstack([lower, upper]))


def to_6933(geoms: Geoms) -> Geoms:
    """Geometries of degrees in EPSG:6933 (cylindrical equal-area, true at 30 degrees), in km.

    x = a k0 lambda, y = R_q² sin(beta) / (a k0) (Snyder 1987, eq. 10-17, 10-18): areas are true.
    """
    return np.asarray(
        shapely.transform(
            geoms,
            lambda xy: np.column_stack(
                [A_KM * _K0 * np.radians(xy[:, 0]), R_AUTHALIC_KM**2 * authalic_sin(xy[:, 1]) / (A_KM * _K0)]
            ),
        ),
        dtype=object,
    )


def iou(a: Any, b: Any) -> Floats:
    """Intersection over union of two surfaces (boxes or polygons in degrees, cut at ±180) in EPSG:6933,
    broadcast.

    Raises :class:`GeometryError` as :func:`multiglobeqa.geo.check.geometries`.
    """
    left = to_6933(geometries(a, kinds=("surface",)))
    right = to_6933(geometries(b, kinds=("surface",)))
    shared = np.asarray(shapely.area(shapely.intersection(left, right)), dtype=np.float64)
    both = np.asarray(shapely.area(left) + shapely.area(right), dtype=np.float64)
    return shared / (both - shared)


def box_iou(first: ArrayLike, second: ArrayLike) -> Floats:
    """Intersection over union in EPSG:6933 of boxes given as arrays (..., 4) of west, south, east, north.

    Longitudes beyond ±180 are wrapped. Raises :class:`GeometryError` as :func:`box`.
    """
    p, q = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    return iou(box(*np.moveaxis(p, -1, 0)), box(*np.moveaxis(q, -1, 0)))
