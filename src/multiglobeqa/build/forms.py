"""The gold triples in three forms: N-Triples lines, structured JSON, and prose.

All three say the same: every entity, number and date of the triples stands in each form. They are made of the lines
alone, so a released file is enough.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import pyoxigraph as ox

from multiglobeqa.errors import InputError
from multiglobeqa.kg import classes, triples

FORMS: Final = ("raw", "structured", "prose")

_GEOMETRY: Final = (
    f"{triples.GEO}hasGeometry",
    f"{triples.GEO}hasDefaultGeometry",
    f"{triples.WKGS}spatialObject",
)
_WITHIN: Final = (
    f"{triples.GEO}sfWithin",
    f"{triples.KWG_ONT}sfWithin",
    f"{triples.KWG_ONT}administrativePartOf",
)
_LINKS: Final = {
    **dict.fromkeys(_WITHIN, "within"),
    f"{triples.KWG_ONT}borderOf": "border_of",
    f"{triples.KWG_ONT}isFootprintOf": "footprint_of",
}
_SCOPE: Final = f"{triples.KWG_ONT}hasTemporalScope"
_FIX: Final = f"{triples.KWG_ONT}hasStormTracklet"
_WIND: Final = f"{triples.SOSA}isFeatureOfInterestOf"
_OWNED: Final = (_SCOPE, _FIX, _WIND, f"{triples.TIME}hasBeginning", f"{triples.TIME}hasEnd")
_WKT: Final = f"{triples.GEO}asWKT"
_CRS: Final = re.compile(r"^<[^>]*>\s*")
_COORDINATES: Final = re.compile(r"\(([^()]+)\)")


@dataclass
class _Node:
    """A subject and what is said of it, in the order of the lines."""

    values: dict[str, list[Any]] = field(default_factory=dict)

    def first(self, *predicates: str) -> Any:
        return next((self.values[p][0] for p in predicates if p in self.values), None)


class _Graph:
    def __init__(self, lines: Iterable[str]) -> None:
        text = "\n".join(lines)
        self.nodes: dict[str, _Node] = {}
        try:
            for quad in ox.parse(input=text, format=ox.RdfFormat.N_TRIPLES):
                node = self.nodes.setdefault(_plain(quad.subject), _Node())
                node.values.setdefault(quad.predicate.value, []).append(quad.object)
        except SyntaxError as error:
            raise InputError(f"is not N-Triples: {error}.", source="triples") from error

    def of(self, term: Any) -> _Node:
        return self.nodes.get(_plain(term), _Node())


def raw(lines: Sequence[str]) -> str:
    """The triples as they are, one a line."""
    return "\n".join(lines)


def structured(lines: Iterable[str]) -> list[dict[str, Any]]:
    """The entities as JSON objects.

    Keys: id (IRI), label, class, geometry (WKT, longitude latitude), within, border_of and footprint_of (IRIs), cells,
    time (ISO 8601, or begin and end), fixes (geometry, time, wind_diameter_nmi), and further properties by their local
    names. Raises InputError where a line is not N-Triples.
    """
    graph = _Graph(lines)
    parts = _parts(graph)
    return [_entity(graph, iri, node) for iri, node in graph.nodes.items() if iri not in parts]


def prose(lines: Iterable[str]) -> str:
    """The entities in English sentences, a paragraph an entity; coordinates are latitude and longitude in words for
    points, and (longitude latitude) pairs for lines and outlines."""
    entities = structured(lines)
    names = {entity["id"]: _name(entity) for entity in entities}
    return "\n".join(_paragraph(entity, names) for entity in entities)


def _parts(graph: _Graph) -> set[str]:
    """Nodes that belong to an entity: geometries, times, fixes, winds."""
    return {
        _plain(term)
        for node in graph.nodes.values()
        for predicate in (*_GEOMETRY, *_OWNED)
        for term in node.values.get(predicate, ())
    }


def _entity(graph: _Graph, iri: str, node: _Node) -> dict[str, Any]:
    out: dict[str, Any] = {"id": iri}
    for predicate, terms in node.values.items():
        values = [_plain(term) for term in terms]
        if predicate == triples.RDFS_LABEL:
            out["label"] = values[0]
        elif predicate == triples.RDF_TYPE:
            out["class"] = ", ".join(map(_class_words, values))
        elif predicate in _GEOMETRY:
            out["geometry"] = _geometry(graph, terms[0])
        elif predicate in _LINKS:
            out.setdefault(_LINKS[predicate], []).extend(values)
        elif predicate == _SCOPE:
            out["time"] = _time(graph, terms[0])
        elif predicate == _FIX:
            out["fixes"] = [_fix(graph, term) for term in terms]
        elif predicate == f"{triples.GEO}asDGGS":
            out["cells"] = [_CRS.sub("", value) for value in values]
        else:
            out[_local(predicate)] = values[0] if len(values) == 1 else values
    return out


def _geometry(graph: _Graph, term: Any) -> str | None:
    wkt = graph.of(term).first(_WKT)
    return _CRS.sub("", wkt.value) if wkt is not None else None


def _time(graph: _Graph, term: Any) -> Any:
    node = graph.of(term)
    begin, end = node.first(f"{triples.TIME}hasBeginning"), node.first(f"{triples.TIME}hasEnd")
    if begin is None and end is None:
        stated = next((values[0] for p, values in node.values.items() if _local(p).startswith("inXSD")), None)
        return stated.value if stated is not None else None
    return {"begin": _time(graph, begin), "end": _time(graph, end)}


def _fix(graph: _Graph, term: Any) -> dict[str, Any]:
    node = graph.of(term)
    out: dict[str, Any] = {"geometry": _geometry(graph, node.first(*_GEOMETRY))}
    out["time"] = _time(graph, node.first(_SCOPE))
    wind = node.first(_WIND)
    if wind is not None:
        value = graph.of(wind).first(f"{triples.SOSA}hasSimpleResult")
        out["wind_diameter_nmi"] = value.value if value is not None else None
    return out


def _plain(term: Any) -> str:
    return str(term.value) if hasattr(term, "value") else str(term)


def _local(iri: str) -> str:
    return re.split(r"[/#]", iri)[-1]


def _class_words(iri: str) -> str:
    known = classes.load()
    name = _local(iri)
    key = known.of_kwg(name) if iri.startswith(triples.KWG_ONT) else known.of_wkgs(name)
    return known.label(key) if key is not None else " ".join(re.findall(r"[A-Z]?[^A-Z]+", name)).lower()


def _name(entity: dict[str, Any]) -> str:
    return str(entity.get("label") or f"the {entity.get('class', 'entity')} <{entity['id']}>")


def _paragraph(entity: dict[str, Any], names: dict[str, str]) -> str:
    name = names[entity["id"]]
    words = []
    if "label" in entity:
        article = "an" if str(entity.get("class", ""))[:1] in "aeiou" else "a"
        kind = f"{article} {entity['class']}" if "class" in entity else "an entity"
        words.append(f"{name} is {kind}, identified as <{entity['id']}>.")
    for key, value in entity.items():
        if key in ("id", "label", "class") or value in (None, []):
            continue
        words.append(_sentence(name, key, value, names))
    return " ".join(words) or f"{name} is mentioned."


def _sentence(name: str, key: str, value: Any, names: dict[str, str]) -> str:
    if key == "geometry":
        return f"{name} {_where(value)}."
    if key in ("within", "border_of", "footprint_of"):
        others = " and ".join(names.get(iri, f"<{iri}>") for iri in value)
        link = {
            "within": "lies within",
            "border_of": "is a border of",
            "footprint_of": "is the area swept by the winds of",
        }
        return f"{name} {link[key]} {others}."
    if key == "time":
        return f"{name} {_when(value)}."
    if key == "fixes":
        return f"The centre of {name} was observed as follows: {'; '.join(map(_fix_words, value))}."
    if key == "cells":
        return f"{name} stands in the grid cells {', '.join(value)}."
    spoken = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", key).replace("_", " ").lower()
    listed = ", ".join(map(str, value)) if isinstance(value, list) else value
    return f"The {spoken} of {name} is {listed}."


def _where(wkt: str) -> str:
    kind = wkt.partition("(")[0].strip().upper()
    if kind == "POINT":
        lon, lat = _COORDINATES.findall(wkt)[0].split()
        return f"lies at latitude {lat}, longitude {lon}"
    rings = _COORDINATES.findall(wkt)
    if kind in ("LINESTRING", "MULTILINESTRING"):
        runs = "; then, in another part, ".join(rings)
        return f"runs, in degrees of longitude and latitude, through {runs}"
    if kind == "MULTIPOINT":
        return f"consists of the points, in degrees of longitude and latitude, {', '.join(rings)}"
    return f"has, in degrees of longitude and latitude, {_outlines(wkt)}"


def _outlines(wkt: str) -> str:
    """The outer and inner rings of a polygon or multipolygon in words."""
    body = wkt[wkt.index("(") :]
    if not wkt.lstrip().upper().startswith("MULTI"):
        body = f"({body})"
    parts = []
    for number, polygon in enumerate(re.findall(r"\((?:\([^()]*\)[,\s]*)+\)", body), 1):
        outer, *holes = _COORDINATES.findall(polygon)
        text = f"the outline {outer}" if number == 1 else f"a further part with the outline {outer}"
        parts.append(text + "".join(f", without the hole {hole}" for hole in holes))
    return "; ".join(parts)


def _when(value: Any) -> str:
    if isinstance(value, dict):
        return f"lasted from {value['begin']} to {value['end']}"
    return f"is dated {value}"


def _fix_words(fix: dict[str, Any]) -> str:
    text = f"at {fix['time']} it {_where(fix['geometry']) if fix.get('geometry') else 'was unplaced'}"
    if fix.get("wind_diameter_nmi") is not None:
        text += f", with tropical-storm-force winds inside a diameter of {fix['wind_diameter_nmi']} nautical miles"
    return text
