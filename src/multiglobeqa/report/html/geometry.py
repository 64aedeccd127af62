"""The geometries that the page draws: entities from the gold triples, answers from their canonical values.

A drawn geometry is ``[kind, part, ...]``: kind 0 points, 1 lines, 2 rings. A part is a flat list of longitude and
latitude in units of 1e-5 degrees, the first pair absolute, the others as steps. Outlines are thinned for drawing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import shapely
from numpy.typing import NDArray

from multiglobeqa.answers.base import params_of
from multiglobeqa.errors import MultiGlobeQAError
from multiglobeqa.geo import cells
from multiglobeqa.geo.distance import destination

Drawn = list[Any]
_WKT: Final = r'^<(?P<node>[^>]+)> <http://www\.opengis\.net/ont/geosparql#asWKT> "(?P<wkt>[^"]+)"'
_LINK: Final = (
    r"^<(?P<of>[^>]+)> "
    r"<(?:[^>]+#hasGeometry|http://www\.worldkg\.org/schema/spatialObject)> <(?P<node>[^>]+)>"
)
_FIX: Final = re.compile(r"#fix\.\d+$")
_UNITS: Final = 1e5
_VERTICES: Final = 60
_THIN: Final = 0.004
"""First tolerance of the thinning, as a share of the geometry's larger side."""


@dataclass(frozen=True)
class Places:
    """The geometries of the facts. ``at``: fact_id -> place in the lists; ``owner``: IRI of the entity; ``fix``: it is
    a fix of a storm's track; ``drawn``; ``point``: longitude and latitude of the first vertex."""

    at: dict[int, int]
    owner: list[str]
    fix: list[bool]
    drawn: list[Drawn]
    point: list[tuple[float, float]]


def places(facts: pa.Table) -> Places:
    """The geometries of facts (``fact_id``, ``triple``); those that cannot be read are left out."""
    triples = facts["triple"].combine_chunks()
    ids = np.asarray(facts["fact_id"])
    found = pc.extract_regex(triples, _WKT)
    rows = np.flatnonzero(np.asarray(pc.is_valid(found)))
    chosen = found.take(pa.array(rows))
    shapes = shapely.from_wkt(np.array(chosen.field("wkt").to_pylist(), object), on_invalid="ignore")
    links = pc.drop_null(pc.extract_regex(triples, _LINK))
    of = dict(zip(links.field("node").to_pylist(), links.field("of").to_pylist(), strict=True))
    result = Places({}, [], [], [], [])
    nodes = chosen.field("node").to_pylist()
    for row, node, shape in zip(rows.tolist(), nodes, thinned(shapes), strict=True):
        if shape is None or shape.is_empty:
            continue
        subject = of.get(node, node)
        result.at[int(ids[row])] = len(result.drawn)
        result.owner.append(_FIX.sub("", subject))
        result.fix.append(bool(_FIX.search(subject)))
        result.drawn.append(drawn(shape))
        lon, lat = shapely.get_coordinates(shape)[0].tolist()
        result.point.append((lon, lat))
    return result


def thinned(shapes: Sequence[Any]) -> NDArray[np.object_]:
    """Lines and surfaces with few vertices, by Douglas and Peucker with a tolerance that doubles until they are few."""
    result = np.array(shapes, object)
    bounds = shapely.bounds(result)
    side = np.nan_to_num(np.maximum(bounds[:, 2] - bounds[:, 0], bounds[:, 3] - bounds[:, 1]))
    share = _THIN
    while share < 1:
        many = np.flatnonzero(shapely.get_num_coordinates(result) > _VERTICES)
        if not len(many):
            break
        simpler = shapely.simplify(result[many], side[many] * share, preserve_topology=False)
        kept = ~shapely.is_empty(simpler)
        result[many[kept]] = simpler[kept]
        share *= 2
    return result


def drawn(shape: Any) -> Drawn:
    """A geometry as the page draws it."""
    kind = max(0, int(shapely.get_dimensions(shape)))
    parts: list[Any] = []
    for part in shapely.get_parts(shape):
        if kind < 2:
            parts.append(steps(shapely.get_coordinates(part)))
        elif part.geom_type == "Polygon":
            parts += [steps(shapely.get_coordinates(ring)) for ring in (part.exterior, *part.interiors)]
    return [kind, *parts]


def steps(coordinates: NDArray[np.float64]) -> list[int]:
    """(n, 2) degrees to a part of a drawn geometry."""
    whole = np.rint(coordinates * _UNITS).astype(np.int64)
    moves = np.diff(whole, axis=0, prepend=0)
    kept = np.r_[True, np.any(moves[1:] != 0, axis=1)]
    flat: list[int] = moves[kept].ravel().tolist()
    return flat


def outlines(named: Iterable[tuple[str, str]]) -> dict[tuple[str, str], list[Any]]:
    """(system, written cell) -> parts of the cell's outline; those that are no cells are left out."""
    by_system: dict[str, set[str]] = {}
    for system, text in named:
        by_system.setdefault(system, set()).add(text)
    result: dict[tuple[str, str], list[Any]] = {}
    for system, texts in by_system.items():
        listed = sorted(texts)
        for text, outline in zip(listed, _boundaries(listed, system), strict=True):
            if outline is not None:
                result[system, text] = drawn(outline)[1:]
    return result


def _boundaries(texts: Sequence[str], system: str) -> Sequence[Any]:
    try:
        found: list[Any] = cells.boundary(cells.from_text(list(texts), system), system).tolist()
    except MultiGlobeQAError:
        if len(texts) == 1:
            return [None]
        half = len(texts) // 2
        return [*_boundaries(texts[:half], system), *_boundaries(texts[half:], system)]
    return found


def cells_of(value: Any, question: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The cells that an answer names, as (system, written cell)."""
    match question["format"]:
        case "cell":
            return [(str(params_of(question).get("system", "h3")), str(value))]
        case "geohash":
            return [("geohash", str(value))]
        case "composite" if isinstance(value, Mapping):
            return [(system, str(value[system])) for system in ("h3", "s2") if system in value]
    return []


def answer(
    value: Any,
    question: Mapping[str, Any],
    origin: tuple[float, float] | None,
    known: Mapping[tuple[str, str], list[Any]],
) -> Drawn | None:
    """What a canonical answer looks like on a map; None where it is no place.

    ``origin``: longitude and latitude from which a polar answer starts. ``known``: outlines of cells.
    """
    if named := cells_of(value, question):
        parts = [part for cell in named for part in known.get(cell, ())]
        return [2, *parts] if parts else None
    try:
        return _answer(value, question, origin)
    except (MultiGlobeQAError, ValueError, KeyError, TypeError, shapely.errors.ShapelyError):
        return None  # an answer that no map can show is still listed as text


def _answer(value: Any, question: Mapping[str, Any], origin: tuple[float, float] | None) -> Drawn | None:
    match question["format"]:
        case "point":
            return [0, steps(np.array([[value["lon"], value["lat"]]], float))]
        case "polar" if origin is not None:
            away = np.linspace(0, min(float(value["distance_km"]), 20_000.0), 17)
            lon, lat = destination(origin[0], origin[1], float(value["azimuth_deg"]), away)
            return [1, steps(np.column_stack((np.unwrap(lon, period=360), lat)))]
        case "polygon":
            shape = _box(value) if isinstance(value, Mapping) else shapely.from_wkt(value)
            return drawn(thinned([shape])[0])
    return None


def _box(value: Mapping[str, float]) -> Any:
    west, east = value["west"], value["east"]
    return shapely.box(west, value["south"], east if east >= west else east + 360, value["north"])
