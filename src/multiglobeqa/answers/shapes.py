"""Polygons from WKT and GeoJSON, and IoU on the equal-area plane EPSG:6933.

Longitude, latitude in degrees. An edge that spans more than 180° of longitude is read as the short way across
the antimeridian, except one from -180 to 180 exactly, which runs along the whole parallel; such polygons are
cut at 180 (RFC 7946, 3.1.9). Unclosed rings are closed. Invalid surfaces are repaired by ``make_valid``.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

import numpy as np
import pyproj
import shapely
from numpy.typing import NDArray
from shapely.geometry.base import BaseGeometry

from multiglobeqa.answers.base import FormatError
from multiglobeqa.answers.rules import note
from multiglobeqa.answers.text import shown, strip_invisible

MAX_TEXT: Final = 1_000_000
_SRID: Final = re.compile(r"\s*(?:SRID=(\d+);|<([^<>\s]*)>)\s*", re.IGNORECASE)
_CRS84: Final = "http://www.opengis.net/def/crs/OGC/1.3/CRS84"


def read_wkt(text: str) -> str:
    """Canonical WKT of a POLYGON or MULTIPOLYGON; raises FormatError with the cause."""
    if len(text) > MAX_TEXT or "\x00" in text:
        raise FormatError(f"{shown(text)} is not WKT.")
    text = strip_invisible(text).strip()
    prefix = _SRID.match(text)
    if prefix:
        if prefix[1] not in (None, "4326") or prefix[2] not in (None, _CRS84):
            raise FormatError(
                f"{shown(prefix[0])} is not a reference system in longitude, latitude.", mend="Use CRS84."
            )
        text = text[prefix.end() :]
    if not re.match(r"(?:MULTI)?POLYGON\b", text, re.IGNORECASE):
        raise FormatError(f"{shown(text)} is neither a box nor a polygon in WKT.")
    if re.match(r"POLYGON\s*Z?\s*\(\s*[-+.\d]", text, re.IGNORECASE):
        raise FormatError(
            f"{shown(text)} has a ring without its own brackets.",
            mend="Write POLYGON ((lon lat, lon lat, ...)).",
        )
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            geometry = _as_written(text)
    except (shapely.errors.ShapelyError, ValueError) as error:
        raise FormatError(f"{shown(text)} cannot be read as WKT: {str(error)[:80]}.") from error
    return canonical(geometry, text)


def _as_written(text: str) -> BaseGeometry | None:
    """The geometry of a WKT, its rings closed where they are open; None or a shapely error where it has none."""
    geometry = shapely.from_wkt(text, on_invalid="ignore")
    if geometry is None:
        geometry = shapely.from_wkt(text, on_invalid="fix")
        note("polygon: open ring closed")
    return geometry


def read_geojson(value: Mapping[Any, Any]) -> str:
    """Canonical WKT of a GeoJSON Polygon or MultiPolygon (a Feature around it is looked through)."""
    if value.get("type") == "Feature" and isinstance(value.get("geometry"), Mapping):
        value = value["geometry"]
    kind, rings = value.get("type"), value.get("coordinates")
    if kind not in ("Polygon", "MultiPolygon") or not isinstance(rings, list):
        raise FormatError(f"{shown(dict(value))} is not a GeoJSON polygon.")
    polygons = [rings] if kind == "Polygon" else rings
    try:
        texts = [
            "(" + ", ".join("(" + ", ".join(_position(p) for p in ring) + ")" for ring in polygon) + ")"
            for polygon in polygons
        ]
    except TypeError as error:
        raise FormatError(f"{shown(dict(value))} has broken coordinates.") from error
    return read_wkt("MULTIPOLYGON (" + ", ".join(texts) + ")")


def _position(position: Any) -> str:
    if not isinstance(position, list | tuple) or len(position) not in (2, 3):
        raise TypeError("not a position")
    if any(isinstance(c, bool) or not isinstance(c, int | float) for c in position):
        raise TypeError("not a number")
    return " ".join(json.dumps(c) for c in position[:2])


def canonical(geometry: BaseGeometry | None, source: str) -> str:
    """WKT of a surface that is finite, on the Earth, valid, cut at 180 and not empty; else FormatError."""
    if geometry is None:
        raise FormatError(f"{shown(source)} cannot be read as WKT.", mend="Close its brackets and its rings.")
    if geometry.is_empty:
        raise FormatError(f"{shown(source)} is empty.")
    coordinates = shapely.get_coordinates(geometry)
    if not np.isfinite(coordinates).all():
        raise FormatError(f"{shown(source)} has a coordinate that is not finite.")
    if (np.abs(coordinates[:, 1]) > 90).any() or (np.abs(coordinates[:, 0]) > 360).any():
        raise FormatError(
            f"{shown(source)} has a coordinate out of range.", mend="Write longitude before latitude."
        )
    try:
        pieces = [_cut(part, source) for part in shapely.get_parts(shapely.force_2d(geometry))]
        whole = _short_edges(_surface(shapely.union_all(pieces)))
    except shapely.errors.ShapelyError as error:
        raise FormatError(f"{shown(source)} cannot be repaired: {str(error)[:80]}.") from error
    if whole.is_empty or whole.area == 0:
        raise FormatError(f"{shown(source)} encloses no area.")
    return str(shapely.to_wkt(shapely.normalize(whole), rounding_precision=-1))


def _surface(geometry: BaseGeometry) -> BaseGeometry:
    """The surfaces of a geometry repaired by its structure: shells are united, holes taken out of them."""
    valid = shapely.make_valid(geometry, method="structure", keep_collapsed=False)
    parts = shapely.get_parts(shapely.get_parts(valid))
    return shapely.union_all(parts[shapely.get_type_id(parts) == shapely.GeometryType.POLYGON])


def _short_edges(geometry: BaseGeometry) -> BaseGeometry:
    """The geometry with vertices on edges that span 180° or more: no reader takes them the other way."""
    rings = shapely.get_rings(shapely.get_parts(geometry))
    spans = [np.abs(np.diff(shapely.get_coordinates(ring)[:, 0])).max() for ring in rings]
    return shapely.segmentize(geometry, 90.0) if max(spans, default=0.0) >= 180 else geometry


def _unwrapped(ring: NDArray[np.float64], source: str) -> NDArray[np.float64]:
    """Ring with longitudes that run on across the antimeridian."""
    step = np.diff(ring[:, 0])
    turns = np.where((np.abs(step) > 180) & (np.abs(step) < 360), -np.sign(step), 0.0)
    if turns.sum() != 0:
        raise FormatError(f"{shown(source)} runs round a pole.", mend="Cut the polygon at longitude 180.")
    out = ring.copy()
    out[1:, 0] += 360.0 * np.cumsum(turns)
    return out


def _cut(polygon: BaseGeometry, source: str) -> BaseGeometry:
    """One polygon with all longitudes in [-180, 180], as a valid surface."""
    shell = _unwrapped(shapely.get_coordinates(polygon.exterior), source)
    holes = [_unwrapped(shapely.get_coordinates(ring), source) for ring in polygon.interiors]
    middle = (shell[:, 0].min() + shell[:, 0].max()) / 2
    for hole in holes:
        hole[:, 0] += 360.0 * np.round((middle - (hole[:, 0].min() + hole[:, 0].max()) / 2) / 360.0)
    drawn = shapely.Polygon(shell, holes)
    if not shapely.is_valid(drawn):
        note("polygon: invalid surface repaired")
    whole = _surface(drawn)
    west, _, east, _ = shapely.bounds(whole)
    if np.isnan(west) or (west >= -180 and east <= 180):
        return whole
    note("polygon: cut at the 180th meridian")
    pieces = []
    for turn in range(int(np.floor((west + 180) / 360)), int(np.floor((east + 180) / 360)) + 1):
        part = shapely.intersection(whole, shapely.box(360.0 * turn - 180, -90, 360.0 * turn + 180, 90))
        pieces.append(shapely.transform(part, lambda xy, turn=turn: xy - [360.0 * turn, 0.0]))
    return _surface(shapely.union_all(pieces))


@lru_cache(maxsize=1)
def _equal_area() -> pyproj.Transformer:
    return pyproj.Transformer.from_crs(4326, 6933, always_xy=True)


def _project(xy: NDArray[np.float64]) -> NDArray[np.float64]:
    x, y = _equal_area().transform(xy[:, 0], xy[:, 1])
    return np.column_stack([np.where(xy[:, 0] == -180, -np.abs(x), x), y])


@lru_cache(maxsize=4096)
def _plane(west: float, south: float, east: float, north: float) -> BaseGeometry:
    spans = [(west, east)] if west < east else [(west, 180.0), (-180.0, east)]
    boxes = [shapely.box(a, south, b, north) for a, b in spans if a < b]
    return shapely.transform(shapely.union_all(boxes), _project)


@lru_cache(maxsize=256)
def _plane_wkt(wkt: str) -> BaseGeometry:
    return _surface(shapely.transform(shapely.from_wkt(wkt), _project))


def intersection_over_union(a: Any, b: Any) -> float:
    """IoU in [0, 1] of two canonical values (boxes or WKT), on EPSG:6933; 0 where both have no area."""
    first, second = (
        _plane_wkt(v) if isinstance(v, str) else _plane(v["west"], v["south"], v["east"], v["north"])
        for v in (a, b)
    )
    if first.equals_exact(second, 0.0):
        return 1.0
    union = float(shapely.area(shapely.union(first, second)))
    return min(1.0, float(shapely.area(shapely.intersection(first, second))) / union) if union > 0 else 0.0
