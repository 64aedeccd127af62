"""Small worlds in N-Triples, in the vocabularies of the three knowledge graphs."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time
from typing import Any

import pytest

from multiglobeqa.solver import Solution, solve

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
GEO = "http://www.opengis.net/ont/geosparql#"
SF = "http://www.opengis.net/ont/sf#"
KWG = "http://stko-kwg.geog.ucsb.edu/lod/ontology/"
KWGR = "http://stko-kwg.geog.ucsb.edu/lod/resource/"
WKG = "http://www.worldkg.org/resource/"
WKGS = "http://www.worldkg.org/schema/"
TIME = "http://www.w3.org/2006/time#"
SOSA = "http://www.w3.org/ns/sosa/"
XSD = "http://www.w3.org/2001/XMLSchema#"


class World:
    """Facts under construction: ``add`` states an entity, ``ask`` solves a question over all facts."""

    def __init__(self, kg: str) -> None:
        self.kg = kg
        self.lines: list[str] = []

    def iri(self, name: str) -> str:
        """The entity IRI of a short name."""
        base = {"osmh3kg": "https://www.openstreetmap.org/node/", "worldkg": WKG, "knowwheregraph": KWGR}
        return name if ":" in name else base[self.kg] + name

    def class_iri(self, name: str) -> str:
        """The class IRI of a short name."""
        return (KWG if self.kg == "knowwheregraph" else WKGS) + name

    def link(self, subject: str, predicate: str, target: str) -> None:
        """State a triple between two IRIs."""
        self.lines.append(f"<{subject}> <{predicate}> <{target}> .")

    def text(self, subject: str, predicate: str, value: str, datatype: str = "") -> None:
        """State a literal."""
        tail = f"^^<{datatype}>" if datatype else ""
        self.lines.append(f'<{subject}> <{predicate}> "{value}"{tail} .')

    def add(
        self, name: str, wkt: str | None = None, cls: str = "", parents: tuple[str, ...] = (), crs: str = ""
    ) -> str:
        """State class, label, geometry and direct parents of an entity, as the KG writes them."""
        iri = self.iri(name)
        if cls:
            self.link(iri, RDF + "type", self.class_iri(cls))
        self.text(iri, RDFS + "label", name)
        if wkt is not None:
            node = (
                WKG + "geo" + name
                if self.kg == "worldkg"
                else iri + ("." if "#" in iri else "#") + "geometry"
            )
            self.link(iri, WKGS + "spatialObject" if self.kg == "worldkg" else GEO + "hasGeometry", node)
            if self.kg == "worldkg":
                self.link(node, RDF + "type", SF + "Point")
            self.text(node, GEO + "asWKT", crs + wkt, GEO + "wktLiteral")
        within = GEO + "sfWithin" if self.kg == "osmh3kg" else KWG + "administrativePartOf"
        for parent in parents:
            self.link(iri, within, self.iri(parent))
        return iri

    def instant(self, iri: str, time: str) -> None:
        """State the time of an event or a fix."""
        node = iri + ("." if "#" in iri else "#") + "time"
        self.link(iri, KWG + "hasTemporalScope", node)
        self.link(node, RDF + "type", TIME + "Instant")
        self.text(node, TIME + "inXSDDateTime", time, XSD + "dateTime")

    def storm(self, name: str, fixes: list[tuple[str, float, float, float | None]]) -> str:
        """State a storm track: time, longitude, latitude, diameter in nautical miles of each fix."""
        iri = self.iri(name)
        for number, (time, lon, lat, diameter) in enumerate(fixes):
            fix = f"{iri}#fix.{number}"
            self.link(iri, KWG + "hasStormTracklet", fix)
            self.link(fix, GEO + "hasGeometry", fix + ".geometry")
            self.text(fix + ".geometry", GEO + "asWKT", f"POINT ({lon} {lat})", GEO + "wktLiteral")
            self.instant(fix, time)
            if diameter is not None:
                wind = fix + ".wind"
                self.link(fix, SOSA + "isFeatureOfInterestOf", wind)
                wanted = KWGR + "stormObservableProperty.tropicalStormForceDiameter"
                self.link(wind, SOSA + "observedProperty", wanted)
                self.text(wind, SOSA + "hasSimpleResult", str(diameter), XSD + "double")
        return iri

    def ask(self, subtemplate: str, cls: str = "", **rest: Any) -> Solution:
        """Solve: capital keywords are roles (short names), the others parameters."""
        roles = {key: self.iri(value) for key, value in rest.items() if key.isupper()}
        params = {key: value for key, value in rest.items() if not key.isupper()}
        if cls:
            params["class_iri"] = self.class_iri(cls)
        question = {
            "subtemplate": subtemplate,
            "kg": self.kg,
            "format": "",
            "roles": roles,
            "params": params,
        }
        return solve(question, self.lines)


@pytest.fixture
def world() -> Callable[[str], World]:
    """A new world of a KG."""
    return World


@pytest.fixture
def osm() -> World:
    """An empty osmh3kg world."""
    return World("osmh3kg")


@pytest.fixture
def kwg() -> World:
    """An empty knowwheregraph world."""
    return World("knowwheregraph")


@pytest.fixture
def quick() -> Callable[[Callable[[], Any], float], bool]:
    """Whether a call takes less than a number of processor seconds in one of three tries.

    Others share the machine: one slow try says little.
    """

    def measure(call: Callable[[], Any], limit: float) -> bool:
        for _ in range(3):
            start = process_time()
            call()
            if process_time() - start < limit:
                return True
        return False

    return measure
