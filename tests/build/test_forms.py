"""The three forms of the gold triples say the same."""

from __future__ import annotations

import json
import re

import pytest

from multiglobeqa.build.forms import prose, raw, structured
from multiglobeqa.errors import InputError
from multiglobeqa.kg import triples

KWGR, ONT = triples.KWGR, triples.KWG_ONT


def entity(iri: str, name: str, class_: str, wkt: str) -> list[str]:
    return [
        triples.triple(iri, triples.RDF_TYPE, f"<{ONT}{class_}>"),
        triples.triple(iri, triples.RDFS_LABEL, f'"{name}"'),
        triples.triple(iri, triples.GEO + "hasGeometry", f"<{iri}#geometry>"),
        triples.triple(iri + "#geometry", triples.GEO + "asWKT", f'"{wkt}"^^<{triples.WKT_LITERAL}>'),
    ]


AREA = entity(
    KWGR + "region.1",
    "Westland",
    "AdministrativeRegion_1",
    "MULTIPOLYGON (((0 0, 2 0, 2 2, 0 0), (0.5 0.2, 1 0.2, 1 0.4, 0.5 0.2)), ((5 5, 6 5, 6 6, 5 5)))",
)
CITY = [
    *entity(KWGR + "city.1", "Alpha", "City15000", "POINT (0.5 0.25)"),
    triples.triple(KWGR + "city.1", ONT + "sfWithin", f"<{KWGR}region.1>"),
]
STORM = [
    triples.triple(KWGR + "stormTrack.1", triples.RDF_TYPE, f"<{ONT}StormTrack>"),
    triples.triple(KWGR + "stormTrack.1", triples.RDFS_LABEL, '"Storm Ada (2001)"'),
    triples.triple(KWGR + "stormTrack.1", ONT + "hasStormTracklet", f"<{KWGR}stormTrack.1#fix.0>"),
    triples.triple(
        KWGR + "stormTrack.1#fix.0", triples.GEO + "hasGeometry", f"<{KWGR}stormTrack.1#fix.0.geometry>"
    ),
    triples.triple(KWGR + "stormTrack.1#fix.0.geometry", triples.GEO + "asWKT", '"POINT (-60.5 15.25)"'),
    triples.triple(KWGR + "stormTrack.1#fix.0", ONT + "hasTemporalScope", f"<{KWGR}stormTrack.1#fix.0.time>"),
    triples.triple(
        KWGR + "stormTrack.1#fix.0.time", triples.TIME + "inXSDDateTime", '"2001-09-03T06:00:00Z"'
    ),
    triples.triple(
        KWGR + "stormTrack.1#fix.0",
        triples.SOSA + "isFeatureOfInterestOf",
        f"<{KWGR}stormTrack.1#fix.0.wind>",
    ),
    triples.triple(KWGR + "stormTrack.1#fix.0.wind", triples.SOSA + "hasSimpleResult", '"120"'),
]
EVERY = [*AREA, *CITY, *STORM]


def numbers(text: str) -> set[str]:
    """Decimal numbers and dates that stand in a text, IRIs left out."""
    return set(re.findall(r"\d{4}-\d\d-\d\dT[\d:]+Z|-?\d+\.\d+", re.sub(r"<[^>]*>|http\S+", "", text)))


def test_structured() -> None:
    region, city, storm = structured(EVERY)
    assert city == {
        "id": KWGR + "city.1",
        "class": "place of 15,000 people or more",
        "label": "Alpha",
        "geometry": "POINT (0.5 0.25)",
        "within": [KWGR + "region.1"],
    }
    assert region["class"] == "first-level administrative region"
    assert storm["fixes"] == [
        {"geometry": "POINT (-60.5 15.25)", "time": "2001-09-03T06:00:00Z", "wind_diameter_nmi": "120"}
    ]


def test_prose() -> None:
    region, city, storm = prose(EVERY).splitlines()
    assert city == (
        f"Alpha is a place of 15,000 people or more, identified as <{KWGR}city.1>. "
        "Alpha lies at latitude 0.25, longitude 0.5. Alpha lies within Westland."
    )
    assert region.endswith(
        "has, in degrees of longitude and latitude, the outline 0 0, 2 0, 2 2, 0 0, "
        "without the hole 0.5 0.2, 1 0.2, 1 0.4, 0.5 0.2; a further part with the outline 5 5, 6 5, 6 6, 5 5."
    )
    assert (
        "at 2001-09-03T06:00:00Z it lies at latitude 15.25, longitude -60.5, with tropical-storm-force"
        in storm
    )


def test_nothing_is_lost_in_any_form() -> None:
    said = numbers(raw(EVERY))
    assert len(said) == 7
    assert said == numbers(json.dumps(structured(EVERY))) == numbers(prose(EVERY))


def test_an_unnamed_entity_is_told_apart() -> None:
    lines = [line for line in CITY if "label" not in line]
    assert f"the place of 15,000 people or more <{KWGR}city.1> lies at latitude" in prose(lines)


def test_a_property_that_has_no_words_of_its_own_is_spoken() -> None:
    lines = [triples.triple("urn:h3:8308", ONT + "populationDensity", '"12.5"')]
    assert prose(lines) == "The population density of the entity <urn:h3:8308> is 12.5."


def test_lines_that_are_no_triples() -> None:
    with pytest.raises(InputError, match="is not N-Triples"):
        structured(["this is no triple"])
