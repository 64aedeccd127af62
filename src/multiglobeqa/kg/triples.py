"""Entities as N-Triples, in the vocabulary of the entity's knowledge graph (docs/contracts.md, "IRIs and
triples").

``render`` writes the lines of one entity; ``kg.triples_snapshot`` writes a whole snapshot with the same
terms. Literals are escaped by the canonical N-Triples rule (RDF 1.1 N-Triples, 4): only the quote, the
backslash, line feed and carriage return need an escape. WKT numbers carry up to 7 decimals, no exponent, no
trailing zeros, so that they parse back to the stored floats.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any, Final
from urllib.parse import quote

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import shapely

from multiglobeqa.errors import InputError
from multiglobeqa.kg.classes import load as load_classes
from multiglobeqa.kg.schema import COORDINATE_DECIMALS

RDF_TYPE: Final = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
RDFS_LABEL: Final = "http://www.w3.org/2000/01/rdf-schema#label"
XSD: Final = "http://www.w3.org/2001/XMLSchema#"
GEO: Final = "http://www.opengis.net/ont/geosparql#"
SF: Final = "http://www.opengis.net/ont/sf#"
TIME: Final = "http://www.w3.org/2006/time#"
SOSA: Final = "http://www.w3.org/ns/sosa/"
WKG: Final = "http://www.worldkg.org/resource/"
WKGS: Final = "http://www.worldkg.org/schema/"
KWGR: Final = "http://stko-kwg.geog.ucsb.edu/lod/resource/"
KWG_ONT: Final = "http://stko-kwg.geog.ucsb.edu/lod/ontology/"
WKT_LITERAL: Final = GEO + "wktLiteral"
DGGS_LITERAL: Final = GEO + "dggsLiteral"
WIND_PROPERTY: Final = KWGR + "stormObservableProperty.tropicalStormForceDiameter"

ASPECTS: Final = ("type", "label", "geometry", "parent", "cell", "time", "fixes", "border", "footprint")
"""The named aspects; ``attribute:NAME`` is the open one."""

_BAD_IRI = re.compile(r'[\x00-\x20<>"{}|\\^`]|#.*#')
_NOT_IN_NAME = re.compile(r'[\x00-\x20<>"{}|\\^`%#?/\[\]]')
_EXPONENT = re.compile(r"-?\d+(?:\.\d+)?[eE][-+]?\d+")
_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r"})


# --- terms ---


def iri(value: str) -> str:
    """An IRI term ``<...>``; raises InputError where the text holds a character that no IRI may hold."""
    if ":" not in value or _BAD_IRI.search(value):
        raise InputError(f"{value!r} is not an IRI.", mend="Escape spaces and brackets as %20, %3C, ...")
    return f"<{value}>"


def literal(value: object, datatype: str | None = None) -> str:
    """A literal term of a Python value: str plain, bool xsd:boolean, int xsd:integer, float xsd:double.

    ``datatype`` overrides the type. Raises InputError on NaN and infinite numbers.
    """
    if datatype is None:
        if isinstance(value, bool | np.bool_):
            return f'"{"true" if value else "false"}"^^<{XSD}boolean>'
        if isinstance(value, int | np.integer):
            return f'"{int(value)}"^^<{XSD}integer>'
        if isinstance(value, float | np.floating):
            return f'"{_number(float(value))}"^^<{XSD}double>'
        return f'"{str(value).translate(_ESCAPES)}"'
    text = _number(float(value)) if isinstance(value, float | np.floating) else str(value)
    return f'"{text.translate(_ESCAPES)}"^^<{datatype}>'


def triple(subject: str, predicate: str, term: str) -> str:
    """One N-Triples line; subject and predicate are bare IRIs, ``term`` a rendered object."""
    return f"{iri(subject)} {iri(predicate)} {term} ."


def part_iri(entity: str, suffix: str) -> str:
    """IRI of something that belongs to an entity: ``IRI#suffix``, or ``IRI.suffix`` where the IRI has a
    fragment.

    (An IRI holds at most one ``#``, RFC 3987, 2.2; merged OSM features already have one.)
    """
    return f"{entity}{'.' if '#' in entity else '#'}{suffix}"


def geometry_iri(kg: str, entity: str) -> str:
    """IRI of an entity's geometry node; WorldKG's own nodes are ``wkg:geoID``."""
    if kg == "worldkg" and entity.startswith(WKG):
        return f"{WKG}geo{entity.removeprefix(WKG)}"
    return part_iri(entity, "geometry")


@cache
def class_iri(kg: str, key: str) -> str:
    """rdf:type IRI of a class of ``kg/classes.yaml`` in one KG: ``kwg-ont:`` for KnowWhereGraph, else
    ``wkgs:``.

    Raises InputError for an unknown class.
    """
    table = load_classes()
    if key not in table:
        raise InputError(f"{key!r} is not a class of kg/classes.yaml.", mend="Add it to the table.")
    return (KWG_ONT if kg == "knowwheregraph" else WKGS) + table.type_name(key, kg)


def camel_case(key: str) -> str:
    """WorldKG's property name of an OSM key: ``addr:city`` gives ``addrCity``, ``name:zh-Hant``
    ``nameZh-Hant``.

    The first word stays, the others get title case; this reproduces the property names of WorldKG's ontology.
    A name without ``:``, ``_`` or space is its own camel case.
    """
    words = [word for word in re.split(r"[:_\s]+", key) if word]
    name = "".join([*words[:1], *(word.title() for word in words[1:])])
    return _NOT_IN_NAME.sub(lambda match: quote(match.group(), safe=""), name)


def attribute_iri(kg: str, name: str) -> str:
    """Predicate IRI of an attribute: ``kwg-ont:NAME`` or ``wkgs:camelCase(NAME)``."""
    return KWG_ONT + name if kg == "knowwheregraph" else WKGS + camel_case(name)


def wkt(geometry: Any) -> str:
    """WKT (longitude latitude) of one shapely geometry; see ``wkt_array``."""
    return str(wkt_array(np.asarray([geometry], dtype=object))[0])


def wkt_array(geometries: Any) -> Any:
    """WKT of an object array of shapely geometries: up to 7 decimals, no exponent, no negative zero.

    Equal floats after parsing, for coordinates that are rounded to 7 decimals (``|value| <= 180`` needs at
    most 10 significant digits; a float64 holds 15).
    """
    texts = shapely.to_wkt(geometries, rounding_precision=COORDINATE_DECIMALS, trim=True, output_dimension=2)
    exponents = pc.match_substring(pa.array(texts, pa.large_string()), "e-").to_numpy(zero_copy_only=False)
    for row in np.flatnonzero(exponents):  # only numbers below 0.0001
        texts[row] = _EXPONENT.sub(_fixed, texts[row])
    return texts


# --- one entity ---


def render(entity: Mapping[str, Any], aspects: Collection[str]) -> list[str]:
    """N-Triples lines of one entity, without newlines, in the order of ``ASPECTS``, then attributes by name.

    Parameters
    ----------
    entity : a row of ENTITY_SCHEMA (``pa.Table.to_pylist`` form; geometry as WKB).
    aspects : out of ``ASPECTS`` and ``attribute:NAME``. What an entity lacks gives no line.

    Raises InputError for an unknown aspect, a class outside the table, or attributes that are not a JSON
    object.
    """
    wanted = set(aspects)
    attributes = sorted(a.removeprefix("attribute:") for a in wanted if a.startswith("attribute:"))
    unknown = sorted(a for a in wanted if a not in ASPECTS and not a.startswith("attribute:"))
    if unknown:
        raise InputError(f"unknown aspects {unknown}.", mend=f"Known: {', '.join(ASPECTS)}, attribute:NAME.")
    lines: list[str] = []
    for aspect in ASPECTS:
        if aspect in wanted:
            lines.extend(_RENDERERS[aspect](entity))
    if attributes:
        values = _attributes(entity)
        for name in attributes:
            lines.extend(_attribute(entity, name, values.get(name)))
    return list(dict.fromkeys(lines))


def _type(entity: Mapping[str, Any]) -> Iterator[str]:
    yield triple(entity["iri"], RDF_TYPE, iri(class_iri(entity["kg"], entity["class"])))


def _label(entity: Mapping[str, Any]) -> Iterator[str]:
    yield triple(entity["iri"], RDFS_LABEL, literal(entity["name"]))


def _geometry_link(entity: Mapping[str, Any]) -> str:
    node = geometry_iri(entity["kg"], entity["iri"])
    predicate = WKGS + "spatialObject" if entity["kg"] == "worldkg" else GEO + "hasGeometry"
    return triple(entity["iri"], predicate, iri(node))


def _geometry(entity: Mapping[str, Any]) -> Iterator[str]:
    shape = shapely.from_wkb(entity["geometry"])
    node = geometry_iri(entity["kg"], entity["iri"])
    text = wkt(shape)
    yield _geometry_link(entity)
    if entity["kg"] == "worldkg":
        yield triple(node, RDF_TYPE, iri(SF + shape.geom_type))
        text = text.replace("POINT (", "Point(") if shape.geom_type == "Point" else text
    yield triple(node, GEO + "asWKT", literal(text, WKT_LITERAL))


def _parent(entity: Mapping[str, Any]) -> Iterator[str]:
    parents = entity["admin"]
    if entity["kg"] == "worldkg" or parents is None or len(parents) == 0:
        return
    yield triple(entity["iri"], parent_predicate(entity["kg"], entity["iri"]), iri(parents[0]))


def parent_predicate(kg: str, entity: str) -> str:
    """The containment predicate towards the direct parent."""
    if kg != "knowwheregraph":
        return GEO + "sfWithin"
    region = entity.startswith((KWGR + "administrativeRegion.", KWGR + "Earth."))
    return KWG_ONT + ("administrativePartOf" if region else "sfWithin")


def _cell(entity: Mapping[str, Any]) -> Iterator[str]:
    if entity["kg"] != "osmh3kg" or entity["h3"] is None:
        return
    text = f"<https://h3geo.org/res/9> CELL ({int(entity['h3']):x})"
    yield triple(entity["iri"], GEO + "asDGGS", literal(text, DGGS_LITERAL))


def _time(entity: Mapping[str, Any]) -> Iterator[str]:
    start, end = entity["time_start"], entity["time_end"]
    if start is None and end is None:
        return
    scope = part_iri(entity["iri"], "time")
    yield triple(entity["iri"], KWG_ONT + "hasTemporalScope", iri(scope))
    if start is None or end is None or start == end:
        yield from _instant(scope, end if start is None else start)
        return
    yield triple(scope, RDF_TYPE, iri(TIME + "Interval"))
    for word, predicate, moment in (("begin", "hasBeginning", start), ("end", "hasEnd", end)):
        node = part_iri(entity["iri"], word)
        yield triple(scope, TIME + predicate, iri(node))
        yield from _instant(node, moment)


def _instant(node: str, moment: Any) -> Iterator[str]:
    yield triple(node, RDF_TYPE, iri(TIME + "Instant"))
    yield triple(node, TIME + "inXSDDateTime", literal(date_time(moment), XSD + "dateTime"))


def date_time(moment: datetime | np.datetime64 | str) -> str:
    """xsd:dateTime in UTC with ``Z``; milliseconds only where they are not zero. Naive values are UTC."""
    if isinstance(moment, np.datetime64):
        moment = moment.astype("datetime64[ms]").item()
    elif isinstance(moment, str):
        moment = datetime.fromisoformat(moment)
    if not isinstance(moment, datetime):
        raise InputError(f"{moment!r} is not a date and time.")
    moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    text = moment.replace(tzinfo=None).isoformat(timespec="milliseconds" if moment.microsecond else "seconds")
    return text + "Z"


def _fixes(entity: Mapping[str, Any]) -> Iterator[str]:
    for number, fix in enumerate(_attributes(entity).get("fixes") or ()):
        moment, lon, lat, *rest = fix
        node = part_iri(entity["iri"], f"fix.{number}")
        shape = shapely.Point(round(lon, COORDINATE_DECIMALS), round(lat, COORDINATE_DECIMALS))
        yield triple(entity["iri"], KWG_ONT + "hasStormTracklet", iri(node))
        yield triple(node, GEO + "hasGeometry", iri(node + ".geometry"))
        yield triple(node + ".geometry", GEO + "asWKT", literal(wkt(shape), WKT_LITERAL))
        yield triple(node, KWG_ONT + "hasTemporalScope", iri(node + ".time"))
        yield from _instant(node + ".time", moment)
        if rest and rest[0] is not None:
            yield triple(node, SOSA + "isFeatureOfInterestOf", iri(node + ".wind"))
            yield triple(node + ".wind", SOSA + "observedProperty", iri(WIND_PROPERTY))
            yield triple(node + ".wind", SOSA + "hasSimpleResult", literal(float(rest[0])))


def _border(entity: Mapping[str, Any]) -> Iterator[str]:
    for region in _attributes(entity).get("of") or ():
        yield triple(entity["iri"], KWG_ONT + "borderOf", iri(region))


def _footprint(entity: Mapping[str, Any]) -> Iterator[str]:
    prefix = KWGR + "stormFootprint."
    track = _attributes(entity).get("track")
    if track is None and entity["iri"].startswith(prefix):
        track = KWGR + "stormTrack." + entity["iri"].removeprefix(prefix)
    if track is not None:
        yield triple(entity["iri"], KWG_ONT + "isFootprintOf", iri(track))


def _attribute(entity: Mapping[str, Any], name: str, value: object) -> Iterator[str]:
    predicate = attribute_iri(entity["kg"], name)
    for item in value if isinstance(value, list) else [value]:
        if item is None:
            continue
        text = json.dumps(item, sort_keys=True, ensure_ascii=False) if isinstance(item, dict | list) else item
        yield triple(entity["iri"], predicate, literal(text))


_RENDERERS: Final = {
    "type": _type,
    "label": _label,
    "geometry": _geometry,
    "parent": _parent,
    "cell": _cell,
    "time": _time,
    "fixes": _fixes,
    "border": _border,
    "footprint": _footprint,
}


# --- helpers ---


def _attributes(entity: Mapping[str, Any]) -> dict[str, Any]:
    try:
        values = json.loads(entity["attributes"] or "{}")
    except ValueError as error:
        raise InputError(f"attributes are not JSON: {error}.", place=entity["iri"]) from error
    if not isinstance(values, dict):
        raise InputError("attributes are not a JSON object.", place=entity["iri"])
    return values


def _number(value: float) -> str:
    if not np.isfinite(value):
        raise InputError(f"{value} is not a finite number.")
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)


def decimal(value: float) -> str:
    """A coordinate with up to 7 decimals, without exponent, trailing zeros or negative zero."""
    text = f"{value:.{COORDINATE_DECIMALS}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _fixed(match: re.Match[str]) -> str:
    return decimal(float(match.group()))
