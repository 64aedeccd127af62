"""Input checks that every kernel runs first.

Each check returns clean NumPy arrays or raises :class:`GeometryError` with the index of the first bad value.
Nothing is repaired here: :mod:`multiglobeqa.geo.topology` has the repairs.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final
from weakref import WeakValueDictionary

import numpy as np
import shapely
from numpy.typing import ArrayLike, NDArray

from multiglobeqa.errors import GeometryError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Geoms = NDArray[np.object_]

POINTS: Final = (0, 4)
LINES: Final = (1, 2, 5)
SURFACES: Final = (3, 6)
"""Type ids of shapely by kind (a closed ring, type 2, counts as a line)."""
KIND_IDS: Final = {"point": POINTS, "line": LINES, "surface": SURFACES}
SEAM_TOLERANCE_DEG: Final = 1e-9


def _first(bad: Bools) -> int:
    return int(np.flatnonzero(np.atleast_1d(bad).ravel())[0])


def _number(value: ArrayLike, name: str) -> Floats:
    try:
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise GeometryError(f"{name} is not numeric.", mend="Pass numbers in degrees.") from error


def coordinates(lon: ArrayLike, lat: ArrayLike, *, wrap: bool = False) -> tuple[Floats, Floats]:
    """Longitudes and latitudes in degrees, broadcast against each other, as float64.

    ``wrap`` brings longitudes into [-180, 180] instead of refusing them.

    Raises :class:`GeometryError` (place = index) for NaN or infinity, abs(lat) > 90 and, without ``wrap``,
    abs(lon) > 180.
    """
    x, y = np.broadcast_arrays(_number(lon, "longitude"), _number(lat, "latitude"))
    bad = ~(np.isfinite(x) & np.isfinite(y))
    if bad.any():
        raise GeometryError("coordinate is not finite.", place=_first(bad), mend="Drop or mend the row.")
    bad = np.abs(y) > 90
    if bad.any():
        at = _first(bad)
        raise GeometryError(
            f"latitude {np.atleast_1d(y).ravel()[at]} is outside [-90, 90].",
            place=at,
            mend="Check that longitude and latitude are not swapped.",
        )
    if wrap:
        return wrap_longitude(x), y
    bad = np.abs(x) > 180
    if bad.any():
        at = _first(bad)
        raise GeometryError(
            f"longitude {np.atleast_1d(x).ravel()[at]} is outside [-180, 180].",
            place=at,
            mend="Wrap it, or check that longitude and latitude are not swapped.",
        )
    return x, y


def wrap_longitude(lon: ArrayLike) -> Floats:
    """Longitudes brought into [-180, 180]; values already inside are returned as they are."""
    x = np.asarray(lon, dtype=np.float64)
    return np.where(np.abs(x) <= 180, x, np.mod(x + 180.0, 360.0) - 180.0)


def positive(value: ArrayLike, name: str, *, zero: bool = False) -> Floats:
    """Finite numbers > 0 (>= 0 with ``zero``); raises :class:`GeometryError` otherwise."""
    x = _number(value, name)
    bad = ~np.isfinite(x) | ((x < 0) if zero else (x <= 0))
    if bad.any():
        at = _first(bad)
        raise GeometryError(
            f"{name} {np.atleast_1d(x).ravel()[at]} must be finite and {'at least' if zero else 'above'} 0.",
            place=at,
        )
    return x


def jumps(geoms: Geoms) -> Bools:
    """True where an edge spans more than 180 degrees of longitude and does not run between the two seams
    (both ends at longitude ±180) or along a pole: the mark of a geometry stored across the antimeridian."""
    flat = geoms.ravel()
    xy, index = shapely.get_coordinates(rings_of(flat), return_index=True)
    out = np.zeros(len(flat), dtype=bool)
    if len(xy) < 2:
        return out.reshape(geoms.shape)
    owner = ring_owner(flat)
    wide = (np.abs(np.diff(xy[:, 0])) > 180) & (index[1:] == index[:-1])
    seam = np.abs(np.abs(xy[:, 0]) - 180) <= SEAM_TOLERANCE_DEG
    pole = np.abs(np.abs(xy[:, 1]) - 90) <= SEAM_TOLERANCE_DEG
    wide &= ~((seam[1:] & seam[:-1]) | (pole[1:] & pole[:-1]))
    out[owner[index[1:][wide]]] = True
    return out.reshape(geoms.shape)


def simple_parts(flat: Geoms) -> tuple[Geoms, Ints]:
    """Single-part geometries of a 1-D array, and the index of the geometry each came from."""
    parts, index = shapely.get_parts(flat, return_index=True)
    while len(parts) and (shapely.get_type_id(parts) >= 4).any():
        parts, deeper = shapely.get_parts(parts, return_index=True)
        index = index[deeper]
    return parts, index.astype(np.int64)


def rings_of(flat: Geoms) -> Geoms:
    """Points, lines and rings that make up a 1-D array of geometries."""
    return _rings(flat)[0]


def ring_owner(flat: Geoms) -> Ints:
    """Index of the geometry that each item of :func:`rings_of` came from."""
    return _rings(flat)[1]


def _rings(flat: Geoms) -> tuple[Geoms, Ints]:
    parts, index = simple_parts(flat)
    areal = shapely.get_type_id(parts) == 3
    rings, owner = shapely.get_rings(parts[areal], return_index=True)
    both = np.concatenate([parts[~areal], rings])
    return both, np.concatenate([index[~areal], index[areal][owner]]).astype(np.int64)


_SOUND: WeakValueDictionary[int, Any] = WeakValueDictionary()
"""Geometries of many vertices that were found valid, by identity, while they live: they never change."""
_MANY: Final = 100


def _valid(flat: Geoms) -> Bools:
    """shapely.is_valid, asked once for each geometry of many vertices: kernels meet the same countries again."""
    many = shapely.get_num_coordinates(flat) >= _MANY
    asked = ~many
    asked[many] = [_SOUND.get(id(g)) is not g for g in flat[many]]
    out = np.ones(len(flat), dtype=bool)
    out[asked] = shapely.is_valid(flat[asked])
    for geometry in flat[asked & many & out]:
        _SOUND[id(geometry)] = geometry
    return out


def geometries(
    geoms: Any, *, kinds: Collection[str] | None = None, valid: bool = True, ndim1: bool = False
) -> Geoms:
    """A shapely object array of the given shape (a single geometry gives shape ``()``; ``ndim1`` makes it
    1-D).

    ``kinds`` limits the kinds to some of ``point``, ``line``, ``surface``; ``valid`` also asks for OGC
    validity of lines and surfaces on the lon-lat plane.

    Raises :class:`GeometryError` with the flat index as place for: something that is not a geometry, an empty
    geometry, a kind that is not asked for, a geometry collection, coordinates that are not finite or out of
    range, an edge that jumps across the antimeridian (:func:`jumps`), an invalid geometry.
    """
    out: Geoms = np.asarray(geoms, dtype=object)
    if ndim1:
        out = np.atleast_1d(out)
    flat = out.ravel()
    bad = ~np.asarray(shapely.is_geometry(flat), dtype=bool)
    if bad.any():
        raise GeometryError("not a geometry.", place=_first(bad), mend="Drop the row.")
    bad = shapely.is_empty(flat)
    if bad.any():
        raise GeometryError("empty geometry.", place=_first(bad), mend="Drop the row.")
    ids = shapely.get_type_id(flat)
    allowed = [i for k in (kinds or KIND_IDS) for i in KIND_IDS[k]]
    bad = ~np.isin(ids, allowed)
    if bad.any():
        at = _first(bad)
        wanted = ", ".join(kinds or KIND_IDS)
        raise GeometryError(f"{flat[at].geom_type} where one of {wanted} is needed.", place=at)
    xy, index = shapely.get_coordinates(flat, return_index=True)
    wrong = ~(np.isfinite(xy).all(axis=1) & (np.abs(xy[:, 0]) <= 180) & (np.abs(xy[:, 1]) <= 90))
    if wrong.any():
        at = int(index[_first(wrong)])
        x, y = xy[_first(wrong)]
        raise GeometryError(
            f"coordinate ({x}, {y}) is not finite or outside longitude ±180, latitude ±90.",
            place=at,
            mend="Check the axis order; topology.split_antimeridian wraps longitudes beyond 180.",
        )
    extended = ~np.isin(ids, POINTS)
    if extended.any():
        spans = shapely.bounds(flat)
        wide = extended & (spans[:, 2] - spans[:, 0] > 180)
        if wide.any():
            bad = np.zeros(len(flat), dtype=bool)
            bad[wide] = jumps(flat[wide])
            if bad.any():
                raise GeometryError(
                    "an edge spans more than 180 degrees of longitude.",
                    place=_first(bad),
                    mend="Cut the geometry at the antimeridian first (topology.split_antimeridian).",
                )
        if valid:
            bad = np.zeros(len(flat), dtype=bool)
            bad[extended] = ~_valid(flat[extended])
            if bad.any():
                at = _first(bad)
                raise GeometryError(
                    f"invalid geometry: {shapely.is_valid_reason(flat[at])}.",
                    place=at,
                    mend="Repair it first (topology.repair).",
                )
    return out
