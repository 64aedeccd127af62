"""WKT literals of RDF: CRS prefix, axis order, range check, antimeridian.

A literal is ``[<CRS IRI>] WKT`` (GeoSPARQL 1.1, 8.5.1), or ``SRID=4326;WKT``. Axis order, by rule "crs":

* no CRS, OGC CRS84, ``SRID=4326;`` (PostGIS): longitude latitude.
* EPSG:4326, EPSG:4258, EPSG:4269 (degrees): latitude longitude, as the EPSG registry defines them.
* any other CRS: dropped as ``unknown_crs``.

Sources break the rule both ways, so a source may be read with ``axis_order`` "lonlat" or "latlon", which
holds whatever the prefix says. Nothing is swapped back by guess: a literal whose latitude is beyond 90 is
dropped, as ``axes_swapped`` where the exchange would fit and as ``out_of_range`` where not.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import shapely

from multiglobeqa.errors import InputError
from multiglobeqa.kg.schema import COORDINATE_DECIMALS

AxisOrder = Literal["crs", "lonlat", "latlon"]
AXIS_ORDERS: Final = ("crs", "lonlat", "latlon")

_PREFIX: Final = r"^\s*(?:<(?P<crs>[^<>\s]+)>|(?i:SRID)=(?P<srid>\d+);)?\s*(?P<wkt>(?s:.*?))\s*$"
_LONLAT = re.compile(
    r"^https?://www\.opengis\.net/def/crs/OGC/[^/]+/CRS84$|^urn:ogc:def:crs:OGC:[^:]*:CRS84$"
)
_LATLON = re.compile(
    r"^https?://www\.opengis\.net/def/crs/EPSG/[^/]+/(4326|4258|4269)$|^urn:ogc:def:crs:EPSG:[^:]*:(4326|4258|4269)$"
)
_KIND_OF_TYPE: Final = np.array(
    # by shapely type id: Point, LineString, LinearRing, Polygon, then the Multi forms, GeometryCollection
    ["point", "line", "line", "surface", "", "line", "surface", ""],
    dtype=object,
)


@dataclass(frozen=True)
class Parsed:
    """The outcome of n literals.

    ``geometries``: (n,) shapely objects in longitude latitude, rounded to 7 decimals, None where dropped.
    ``kinds``: (n,) point | line | surface, "" where dropped. ``causes``: (n,) cause of the drop, "" where
    kept. ``cut``: how many geometries were cut at longitude 180.
    """

    geometries: Any
    kinds: Any
    causes: Any
    cut: int


def parse(literals: Any, axis_order: AxisOrder = "crs") -> Parsed:
    """Parse WKT literals (sequence or Arrow array of str, null = no geometry).

    Causes: ``no_geometry``, ``unknown_crs``, ``wkt_unreadable``, ``geometry_empty``, ``geometry_not_finite``,
    ``axes_swapped``, ``out_of_range``, ``geometry_collection``, ``antimeridian_unresolved``.
    Raises InputError for an unknown ``axis_order``.
    """
    if axis_order not in AXIS_ORDERS:
        raise InputError(
            f"{axis_order!r} is not an axis order.", mend=f"Use one of {', '.join(AXIS_ORDERS)}."
        )
    if not isinstance(literals, pa.Array | pa.ChunkedArray):
        literals = pa.array(literals, pa.string())
    n = len(literals)
    causes = np.full(n, "", dtype=object)
    fields = pc.extract_regex(literals, _PREFIX)
    crs, srid, text = (
        np.asarray(pc.struct_field(fields, name).to_numpy(zero_copy_only=False), dtype=object)
        if isinstance(fields, pa.Array)
        else np.asarray(pc.struct_field(fields, name).to_numpy(), dtype=object)
        for name in ("crs", "srid", "wkt")
    )
    missing = np.array([t is None for t in text], dtype=bool)
    causes[missing] = "no_geometry"
    latlon, unknown = _axes(crs, srid, missing)
    if axis_order != "crs":
        latlon[:] = axis_order == "latlon"
    geometries = shapely.from_wkt(text, on_invalid="ignore")
    geometries = np.atleast_1d(shapely.force_2d(geometries))
    _mark(causes, unknown, "unknown_crs")
    _mark(causes, text == "", "geometry_empty")  # GeoSPARQL 1.1, 8.5.1: an empty literal is an empty geometry
    _mark(causes, shapely.is_missing(geometries), "wkt_unreadable")
    _mark(causes, shapely.is_empty(geometries), "geometry_empty")
    geometries = _oriented(geometries, causes, latlon)
    kinds = _KIND_OF_TYPE[shapely.get_type_id(geometries)]
    geometries, kinds = _single_parts(geometries, kinds)
    _mark(causes, kinds == "", "geometry_collection")
    cut = _cut_all(geometries, causes)
    dropped = causes != ""
    geometries[dropped] = None
    kinds = np.where(dropped, "", kinds)
    return Parsed(geometries, kinds, causes, cut)


def stated_country_swaps(lon: Any, lat: Any, stated: Any, country_of: Callable[[Any, Any], Any]) -> Any:
    """Points (n,) whose axes are swapped though both numbers are in range: the country check of case K082.

    ``stated`` (n,) is the country the source states ("" = none), ``country_of(lon, lat)`` the country found
    there. True where the point lies in another country or in none, and the exchanged point lies in the stated
    one.
    """
    stated = np.asarray(stated, dtype=object)
    possible = (stated != "") & (np.abs(lon) <= 90)
    result = np.zeros(len(stated), dtype=bool)
    rows = np.flatnonzero(possible)
    if len(rows):
        here = np.asarray(country_of(lon[rows], lat[rows]), dtype=object)
        there = np.asarray(country_of(lat[rows], lon[rows]), dtype=object)
        result[rows] = (here != stated[rows]) & (there == stated[rows])
    return result


def cut_at_antimeridian(geometry: Any) -> Any | None:
    """A line or surface whose edges jump by more than 180 degrees, cut at longitude 180 (RFC 7946, 3.1.9).

    Each edge is taken the short way round. None where a ring winds round a pole and so does not close.
    """
    parts = [_cut_part(part) for part in shapely.get_parts(geometry)]
    if any(part is None for part in parts):
        return None
    pieces = [piece for part in parts for piece in shapely.get_parts(part)]
    if shapely.get_dimensions(geometry) == 1:
        return pieces[0] if len(pieces) == 1 else shapely.multilinestrings(pieces)
    return pieces[0] if len(pieces) == 1 else shapely.multipolygons(pieces)


def _axes(crs: Any, srid: Any, missing: Any) -> tuple[Any, Any]:
    """(n,) latitude first, (n,) unknown CRS; decided once for each distinct prefix."""
    latlon, unknown = np.zeros(len(crs), dtype=bool), np.zeros(len(crs), dtype=bool)
    for name in set(crs[~missing]) - {""}:
        rows = crs == name
        if _LATLON.match(name):
            latlon[rows] = True
        elif not _LONLAT.match(name):
            unknown[rows] = True
    for name in set(srid[~missing]) - {"", "4326"}:
        unknown[srid == name] = True
    return latlon, unknown


def _mark(causes: Any, rows: Any, cause: str) -> None:
    causes[rows & (causes == "")] = cause


def _oriented(geometries: Any, causes: Any, latlon: Any) -> Any:
    """Longitude latitude, rounded; marks what is not finite or out of range."""
    geometries = geometries.copy()
    coordinates, index = shapely.get_coordinates(geometries, return_index=True)
    swap = latlon[index]
    coordinates[swap] = coordinates[swap][:, ::-1]
    finite = np.isfinite(coordinates).all(axis=1)
    coordinates[finite] = np.round(coordinates[finite], COORDINATE_DECIMALS) + 0.0  # no negative zero
    lon, lat = np.abs(coordinates[:, 0]), np.abs(coordinates[:, 1])
    n = len(geometries)
    bad = _any(~finite, index, n)
    _mark(causes, bad, "geometry_not_finite")
    outside = _any(finite & ((lon > 180) | (lat > 90)), index, n)
    fits_exchanged = ~_any(finite & ((lat > 180) | (lon > 90)), index, n)
    _mark(causes, outside & fits_exchanged, "axes_swapped")
    _mark(causes, outside, "out_of_range")
    keep = ~bad
    geometries[keep] = shapely.set_coordinates(geometries[keep], coordinates[keep[index]])
    return geometries


def _any(flags: Any, index: Any, n: int) -> Any:
    return np.bincount(index[flags], minlength=n).astype(bool)


def _single_parts(geometries: Any, kinds: Any) -> tuple[Any, Any]:
    """A multipoint of one point is that point."""
    lone = (shapely.get_type_id(geometries) == 4) & (shapely.get_num_geometries(geometries) == 1)
    geometries[lone] = shapely.get_geometry(geometries[lone], 0)
    return geometries, np.where(lone, "point", kinds)


def _cut_all(geometries: Any, causes: Any) -> int:
    bounds = shapely.bounds(geometries)
    cut = 0
    for row in np.flatnonzero((bounds[:, 2] - bounds[:, 0] > 180) & (causes == "")):
        if not _jumps(geometries[row]):
            continue
        mended = cut_at_antimeridian(geometries[row])
        if mended is None:
            causes[row] = "antimeridian_unresolved"
        else:
            geometries[row], cut = mended, cut + 1
    return cut


def _jumps(geometry: Any) -> bool:
    """Whether an edge is longer than 180 degrees of longitude, edges along the seam or a pole apart."""
    for part in shapely.get_parts(geometry):
        for ring in shapely.get_rings(part) if part.geom_type == "Polygon" else [part]:
            if _jump_rows(shapely.get_coordinates(ring)).any():
                return True
    return False


def _jump_rows(coordinates: Any) -> Any:
    lon, lat = coordinates[:, 0], coordinates[:, 1]
    on_seam = (np.abs(lon[:-1]) == 180) & (np.abs(lon[1:]) == 180)
    at_pole = (np.abs(lat[:-1]) == 90) & (lat[1:] == lat[:-1])
    return (np.abs(np.diff(lon)) > 180) & ~on_seam & ~at_pole


def _cut_part(part: Any) -> Any | None:
    if part.geom_type == "Polygon":
        rings = [_unwrap(shapely.get_coordinates(ring)) for ring in shapely.get_rings(part)]
        if any(ring[0, 0] != ring[-1, 0] for ring in rings):
            return None
        centre = (rings[0][:, 0].min() + rings[0][:, 0].max()) / 2
        holes = [_nearest_turn(ring, centre) for ring in rings[1:]]
        whole = shapely.Polygon(rings[0], holes)
        if not shapely.is_valid(whole):
            return None
    else:
        whole = shapely.linestrings(_unwrap(shapely.get_coordinates(part)))
    west, _, east, _ = shapely.bounds(whole)
    pieces = []
    for turn in range(int(np.floor((west + 180) / 360)), int(np.floor((east + 180) / 360)) + 1):
        window = shapely.box(360 * turn - 180, -90, 360 * turn + 180, 90)
        piece = shapely.intersection(whole, window)
        wanted = [
            p for p in shapely.get_parts(piece) if shapely.get_dimensions(p) == shapely.get_dimensions(whole)
        ]
        pieces += [_shift(p, -360.0 * turn) for p in wanted]
    return shapely.geometrycollections(pieces)


def _unwrap(coordinates: Any) -> Any:
    out = coordinates.copy()
    step = np.diff(coordinates[:, 0])
    turns = np.concatenate(
        [[0.0], np.cumsum(np.where(step > 180, -1.0, 0.0) + np.where(step < -180, 1.0, 0.0))]
    )
    out[:, 0] = coordinates[:, 0] + 360.0 * turns
    return out


def _nearest_turn(ring: Any, centre: float) -> Any:
    out = ring.copy()
    out[:, 0] -= 360.0 * np.round(((ring[:, 0].min() + ring[:, 0].max()) / 2 - centre) / 360.0)
    return out


def _shift(geometry: Any, degrees: float) -> Any:
    coordinates = shapely.get_coordinates(geometry)
    coordinates[:, 0] += degrees
    return shapely.set_coordinates(geometry, np.round(coordinates, COORDINATE_DECIMALS))
