"""The facts of one question: its N-Triples lines, read into entities, for the three KG vocabularies.

Nothing is guessed: a fact that a solver asks for and the triples do not state raises a SolverError that names
the entity and the fact.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise

import numpy as np
import shapely
from numpy.typing import NDArray
from pyoxigraph import BlankNode, Literal, NamedNode, RdfFormat, parse
from shapely.geometry.base import BaseGeometry

from multiglobeqa.solver.errors import SolverError
from multiglobeqa.solver.separation import Extent

RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
RDFS_LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
GEO = "http://www.opengis.net/ont/geosparql#"
KWG = "http://stko-kwg.geog.ucsb.edu/lod/ontology/"
KWGR = "http://stko-kwg.geog.ucsb.edu/lod/resource/"
TIME = "http://www.w3.org/2006/time#"
SOSA = "http://www.w3.org/ns/sosa/"
GEOMETRY_LINKS = (
    GEO + "hasGeometry",
    GEO + "hasDefaultGeometry",
    "http://www.worldkg.org/schema/spatialObject",
)
PARENT_LINKS = (GEO + "sfWithin", KWG + "administrativePartOf", KWG + "sfWithin")
INSTANTS = (TIME + "inXSDDateTime", TIME + "inXSDDateTimeStamp", TIME + "inXSDDate")
CRS84 = re.compile(r"^<https?://www\.opengis\.net/def/crs/OGC/(1\.3|0)/CRS84>\s*")
DGGS_CELL = re.compile(r"\(\s*([0-9a-f]{15})\s*\)")
KM_PER_NAUTICAL_MILE = 1.852


@dataclass(frozen=True)
class Fix:
    """One fix of a storm: UTC time, position in degrees, radius of 34 kt winds in km (None = not known)."""

    time: datetime
    lon: float
    lat: float
    radius_km: float | None


class Facts:
    """The triples of one question.

    Parameters
    ----------
    triples : N-Triples lines; order and repeats do not matter.
    source : the sub-template, for error messages.
    """

    def __init__(self, triples: Iterable[str], source: str = "") -> None:
        self.source = source
        self._objects: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
        self._subjects: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
        self._predicates: set[str] = set()
        self._extents: dict[str, Extent] = {}
        for number, line in enumerate(triples, 1):
            self._read(number, line)

    def _read(self, number: int, line: str) -> None:
        try:
            for triple in parse(input=line, format=RdfFormat.N_TRIPLES):
                subject, predicate, value = triple.subject, triple.predicate, triple.object
                if not isinstance(value, NamedNode | BlankNode | Literal) or not isinstance(
                    subject, NamedNode | BlankNode
                ):
                    raise self.error("Quoted triples are not facts.", f"fact {number}")
                self._objects[subject.value, predicate.value][value.value] = None
                self._subjects[predicate.value, value.value][subject.value] = None
                self._predicates.add(predicate.value)
        except SyntaxError as error:
            raise self.error(f"Not an N-Triples line: {error}.", f"fact {number}") from None

    def error(self, what: str, place: str | int, mend: str = "") -> SolverError:
        """An error that names the sub-template and the entity."""
        return SolverError(what, source=self.source, place=place, mend=mend)

    def missing(self, iri: str, fact: str) -> SolverError:
        """The error for a fact that the triples do not state."""
        return self.error(f"The triples do not state its {fact}.", iri, "Add the fact to the gold triples.")

    def values(self, subject: str, *predicates: str) -> list[str]:
        """Values (IRIs or lexical forms) of a subject for any of the predicates, in the order stated."""
        return [v for p in predicates for v in self._objects.get((subject, p), ())]

    def types(self, iri: str) -> set[str]:
        """The rdf:type IRIs."""
        return set(self.values(iri, RDF_TYPE))

    def label(self, iri: str) -> str:
        """The label; the first one stated where there are more."""
        labels = self.values(iri, RDFS_LABEL)
        if not labels:
            raise self.missing(iri, "label")
        return labels[0]

    def of_class(self, *class_iris: str) -> list[str]:
        """The subjects of a class or of any of several classes, sorted, each once."""
        found: set[str] = set()
        for class_iri in class_iris:
            found.update(self._subjects.get((RDF_TYPE, class_iri), ()))
        return sorted(found)

    def linked(self, predicate: str, iri: str) -> set[str]:
        """The subjects that a predicate links to an entity."""
        return set(self._subjects.get((predicate, iri), ()))

    # Geometry

    def extent(self, iri: str) -> Extent:
        """The geometry with its search structures, read once."""
        if iri not in self._extents:
            self._extents[iri] = Extent(self._geometry(iri))
        return self._extents[iri]

    def geometry(self, iri: str) -> BaseGeometry:
        """The geometry, longitude latitude in degrees, valid and not empty."""
        return self.extent(iri).geometry

    def surface(self, iri: str) -> BaseGeometry:
        """The geometry of an entity that must be a surface."""
        return self._of_dimension(iri, 2, "surface")

    def line(self, iri: str) -> BaseGeometry:
        """The geometry of an entity that must be a line."""
        return self._of_dimension(iri, 1, "line")

    def _of_dimension(self, iri: str, dimension: int, word: str) -> BaseGeometry:
        geometry = self.geometry(iri)
        if shapely.get_dimensions(geometry) != dimension:
            raise self.error(f"A {word} is needed, the geometry is a {geometry.geom_type}.", iri)
        return geometry

    def _geometry(self, iri: str) -> BaseGeometry:
        nodes = self.values(iri, *GEOMETRY_LINKS)
        texts = {text for node in nodes for text in self.values(node, GEO + "asWKT")}
        if not texts:
            raise self.missing(iri, "geometry")
        if len(texts) > 1:
            raise self.error(f"The triples state {len(texts)} different geometries.", iri)
        text = CRS84.sub("", texts.pop().strip(), count=1)
        if text.startswith("<"):
            raise self.error(f"The WKT is in {text.split('>')[0]}>, not in longitude, latitude (CRS84).", iri)
        try:
            geometry = shapely.from_wkt(text)
        except shapely.errors.GEOSException as error:
            raise self.error(f"The WKT cannot be read: {error}.", iri) from None
        return self._checked(iri, geometry)

    def _checked(self, iri: str, geometry: BaseGeometry) -> BaseGeometry:
        if geometry is None or shapely.is_empty(geometry):
            raise self.error("The geometry is empty.", iri)
        if geometry.geom_type == "GeometryCollection":
            raise self.error("The geometry is a GeometryCollection.", iri)
        xy = shapely.get_coordinates(geometry)
        if not np.isfinite(xy).all():
            raise self.error("The geometry has a coordinate that is not a number.", iri)
        if (np.abs(xy) > (180.0, 90.0)).any():
            raise self.error(
                "The geometry leaves longitude -180..180, latitude -90..90.", iri, "Are the axes swapped?"
            )
        if not shapely.is_valid(geometry):
            raise self.error(f"The geometry is not valid: {shapely.is_valid_reason(geometry)}.", iri)
        return geometry

    # Containment

    def parents(self, iri: str) -> list[str]:
        """The direct parents by the containment triples."""
        return self.values(iri, *PARENT_LINKS)

    def ancestors(self, iri: str) -> set[str]:
        """All that contains the entity by the containment triples, itself left out."""
        found: set[str] = set()
        stack = self.parents(iri)
        while stack:
            parent = stack.pop()
            if parent not in found:
                found.add(parent)
                stack.extend(self.parents(parent))
        return found - {iri}

    def states_containment(self) -> bool:
        """Whether any triple states containment."""
        return not self._predicates.isdisjoint(PARENT_LINKS)

    # Time, cells, storms

    def instant(self, node: str) -> datetime | None:
        """The UTC time of a time:Instant node, or None; times without an offset are UTC."""
        for text in self.values(node, *INSTANTS):
            try:
                time = datetime.fromisoformat(text.strip())
            except ValueError:
                raise self.error(f"Not a date and time: {text!r}.", node) from None
            return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
        return None

    def period(self, iri: str) -> tuple[datetime, datetime]:
        """Begin and end of the temporal scope (equal for an instant)."""
        for scope in self.values(iri, KWG + "hasTemporalScope"):
            at = self.instant(scope)
            if at is not None:
                return at, at
            ends = [
                self.instant(node)
                for link in ("hasBeginning", "hasEnd")
                for node in self.values(scope, TIME + link)
            ]
            if len(ends) == 2 and ends[0] is not None and ends[1] is not None:
                return ends[0], ends[1]
        raise self.missing(iri, "time")

    def has_geometry(self, iri: str) -> bool:
        """Whether the triples state a geometry of an entity."""
        return bool(self.values(iri, *GEOMETRY_LINKS))

    def has_fixes(self, iri: str) -> bool:
        """Whether the triples state fixes of an entity."""
        return bool(self.values(iri, KWG + "hasStormTracklet"))

    def fixes(self, iri: str) -> list[Fix]:
        """The fixes of a storm track in the order of time."""
        nodes = self.values(iri, KWG + "hasStormTracklet")
        if not nodes:
            raise self.missing(iri, "fixes")
        fixes = []
        for node in nodes:
            point = self.geometry(node)
            if point.geom_type != "Point":
                raise self.error(f"A fix is a Point, this is a {point.geom_type}.", node)
            fixes.append(Fix(self.period(node)[0], point.x, point.y, self._radius(node)))
        fixes.sort(key=lambda fix: fix.time)
        if any(a.time == b.time for a, b in pairwise(fixes)):
            raise self.error("Two fixes have the same time.", iri)
        return fixes

    def _radius(self, fix: str) -> float | None:
        wanted = KWGR + "stormObservableProperty.tropicalStormForceDiameter"
        for observation in self.values(fix, SOSA + "isFeatureOfInterestOf"):
            if wanted in self.values(observation, SOSA + "observedProperty"):
                values = {
                    self._number(observation, v) for v in self.values(observation, SOSA + "hasSimpleResult")
                }
                if len(values) != 1:
                    raise self.error(f"The triples state {len(values)} diameters.", observation)
                return values.pop() * KM_PER_NAUTICAL_MILE / 2
        return None

    def densities(self) -> dict[str, float]:
        """People per km² of each H3 cell (lower-case hexadecimal) that the triples name."""
        found: dict[str, float] = {}
        for (subject, predicate), values in self._objects.items():
            if predicate == KWG + "populationDensity":
                if not subject.startswith("urn:h3:") or len(values) != 1:
                    raise self.error("Not one density of one H3 cell.", subject)
                found[subject.removeprefix("urn:h3:")] = self._number(subject, next(iter(values)))
        return found

    def people(self) -> tuple[list[str], NDArray[np.float64], NDArray[np.float64]]:
        """The cells of a grid of people that the triples name: IRIs, centres (cells, 2) lon lat, people (cells,)."""
        cells = sorted(subject for subject, predicate in self._objects if predicate == KWG + "population")
        centres, people = [], []
        for cell in cells:
            texts, numbers = self.values(cell, GEO + "asWKT"), self.values(cell, KWG + "population")
            point = shapely.from_wkt(texts[0]) if len(texts) == 1 else None
            if point is None or point.geom_type != "Point" or len(numbers) != 1:
                raise self.error("Not one centre and one number of people of a cell.", cell)
            centres.append((point.x, point.y))
            people.append(self._number(cell, numbers[0]))
        return cells, np.array(centres, dtype=np.float64).reshape(-1, 2), np.array(people, dtype=np.float64)

    def cells(self, iri: str) -> list[str]:
        """The H3 cells of the entity's geo:asDGGS literals."""
        literals = self.values(iri, GEO + "asDGGS")
        found = [match[1] for text in literals if (match := DGGS_CELL.search(text))]
        if len(found) != len(literals) or not found:
            raise self.missing(iri, "cell")
        return found

    def _number(self, subject: str, text: str) -> float:
        try:
            number = float(text)
        except ValueError:
            number = float("nan")
        if not 0 <= number < float("inf"):
            raise self.error(f"Not a number of 0 or more: {text!r}.", subject)
        return number
