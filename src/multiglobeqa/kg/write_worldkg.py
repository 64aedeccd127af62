"""OSM nodes to a file in WorldKG's schema (Turtle or N-Triples), as the public dump has them.

A node with more than one tag and at least one type gives ``wkg:ID`` with its types, ``rdfs:label`` (tag
``name``), every tag as ``wkgs:camelCase`` property (``name:de`` as ``nameDe``), ``wkgs:osmLink`` and
``wkgs:spatialObject`` towards ``wkg:geoID``, an ``sf:Point`` with ``geo:asWKT "Point(lon lat)"``.

Types: with WorldKG's ontology, the class whose dcterms:source is one of the node's tags, else the class of
the tag's key (``wkgs:Shop``); and always the ``wkgs`` name of the node's class in ``kg/classes.yaml``, which
also sees conditions on several tags.
"""

from __future__ import annotations

import gzip
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final

import osmium

from multiglobeqa.errors import InputError
from multiglobeqa.kg import rdf
from multiglobeqa.kg.classes import Classes, load, wkgs_sources
from multiglobeqa.kg.report import ImportReport
from multiglobeqa.kg.schema import COORDINATE_DECIMALS
from multiglobeqa.kg.store import replacing
from multiglobeqa.kg.triples import (
    GEO,
    RDF_TYPE,
    RDFS_LABEL,
    SF,
    WKG,
    WKGS,
    WKT_LITERAL,
    camel_case,
    decimal,
    iri,
    literal,
)  # fmt: skip

OSM_NODE: Final = "https://www.openstreetmap.org/node/"
WIKIDATA: Final = "http://www.wikidata.org/wiki/"
_ITEM: Final = re.compile(r"Q[0-9]+")
_SOURCE: Final = "http://purl.org/dc/terms/source"
_KEY_PAGE: Final = "wiki/Key:"
_PREFIXES: Final = {
    "geo": GEO,
    "osmn": OSM_NODE,
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "sf": SF,
    "wkg": WKG,
    "wkgs": WKGS,
}
_LOCAL: Final = re.compile(r"[A-Za-z0-9_]+(?:-[A-Za-z0-9_]+)*")


@dataclass(frozen=True)
class Types:
    """The ``wkgs`` types of a node's tags: by tag and by key from the ontology, and by the table of
    classes.
    """

    classes: Classes
    by_tag: Mapping[str, str] = field(default_factory=dict)
    by_key: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, ontology: str | Path | None) -> Types:
        """Types through the ontology file, or through kg/classes.yaml alone."""
        if ontology is None:
            return cls(load())
        by_key: dict[str, str] = {}
        properties: set[str] = set()
        for batch in rdf.read(ontology, ImportReport(str(ontology))):
            for row in batch.to_pylist():
                if row["p"] == RDF_TYPE and row["o"] == WKGS + "WKGProperty":
                    properties.add(row["s"])
                if row["p"] == _SOURCE and _KEY_PAGE in row["o"]:
                    by_key[row["s"]] = row["o"].rpartition(_KEY_PAGE)[2]
        keys = {
            key: name.removeprefix(WKGS) for name, key in sorted(by_key.items()) if name not in properties
        }
        tags = {tag: name for name, tag in sorted(wkgs_sources(ontology).items())}
        return cls(load(), tags, keys)

    def of(self, tags: Mapping[str, str]) -> list[str]:
        """Local names of the types, sorted."""
        found: set[str] = set()
        for key, value in tags.items():
            name = self.by_tag.get(f"{key}={value}") or (self.by_key.get(key) if value != "no" else None)
            if name is not None:
                found.add(name)
        own = self.classes.of_tags(tags, "point")
        if own is not None:
            found.add(self.classes.type_name(own, "worldkg"))
        return sorted(found)


def write(
    source: str | Path, target: str | Path, report: ImportReport, *, ontology: str | Path | None = None
) -> int:
    """Write the nodes of an OSM file (.osm.pbf, .osm) to ``target`` (.ttl or .nt, also .gz); returns their
    number.

    ``report.read["node"]`` counts tagged nodes; drops are ``one_tag``, ``no_type`` and ``no_location``. The
    file appears only when it is whole. Raises InputError for a source that cannot be read or a target of
    another form.
    """
    target = Path(target)
    turtle = {".ttl": True, ".nt": False}.get(Path(target.name.removesuffix(".gz")).suffix)
    if turtle is None:
        raise InputError(
            "is not named as Turtle or N-Triples.", source=target, mend="Use .ttl or .nt, also with .gz."
        )
    types = Types.read(ontology)
    with replacing(target) as temporary, temporary.open("wb") as raw, _text(raw, target) as out:
        if turtle:
            out.writelines(f"@prefix {name}: <{base}> .\n" for name, base in _PREFIXES.items())
        for statements in resources(source, types, report):
            out.write(_turtle(statements) if turtle else "".join(_n_triples(statements)))
    return report.kept["point"]


Statements = dict[str, list[tuple[str, str]]]
"""Subject IRI to (predicate IRI, rendered N-Triples term)."""


def resources(source: str | Path, types: Types, report: ImportReport) -> Iterator[Statements]:
    """The statements of each node that becomes a resource, in the order of the file."""
    path = Path(source)
    if not path.is_file():
        raise InputError("is not a file.", source=path)
    last = 0
    try:
        for node in osmium.FileProcessor(str(path), osmium.osm.NODE).with_filter(
            osmium.filter.EmptyTagFilter()
        ):
            assert isinstance(node, osmium.osm.Node)  # the filter lets no other object through
            last = node.id
            report.read["node"] += 1
            if len(node.tags) < 2:
                report.drop("one_tag", f"node {node.id}")
                continue
            tags = {tag.k: tag.v for tag in node.tags}
            names = types.of(tags)
            if not names:
                report.drop("no_type", f"node {node.id}")
                continue
            if not node.location.valid():
                report.drop("no_location", f"node {node.id}")
                continue
            report.kept["point"] += 1
            yield _statements(node.id, node.location.lon, node.location.lat, tags, names)
    except RuntimeError as error:
        raise InputError(
            f"cannot be read as OSM data: {error}.",
            source=path,
            place=f"after node {last}",
            mend="Fetch it again.",
        ) from error


def _statements(number: int, lon: float, lat: float, tags: Mapping[str, str], names: list[str]) -> Statements:
    node = f"{WKG}geo{number}"
    facts = [(RDF_TYPE, iri(WKGS + name)) for name in names]
    if "name" in tags:
        facts.append((RDFS_LABEL, literal(tags["name"])))
    facts += sorted(
        (WKGS + camel_case(key), _term(key, value)) for key, value in tags.items() if key != "name"
    )
    facts += [(WKGS + "osmLink", iri(f"{OSM_NODE}{number}")), (WKGS + "spatialObject", iri(node))]
    point = f"Point({decimal(round(lon, COORDINATE_DECIMALS))} {decimal(round(lat, COORDINATE_DECIMALS))})"
    shape = [(RDF_TYPE, iri(SF + "Point")), (GEO + "asWKT", literal(point, WKT_LITERAL))]
    return {f"{WKG}{number}": facts, node: shape}


def _term(key: str, value: str) -> str:
    """A Wikidata item as its IRI, every other value as a literal."""
    if key == "wikidata" and _ITEM.fullmatch(value):
        return iri(WIKIDATA + value)
    return literal(value)


def _n_triples(statements: Statements) -> Iterator[str]:
    for subject, facts in statements.items():
        for predicate, term in facts:
            yield f"<{subject}> {iri(predicate)} {term} .\n"


def _turtle(statements: Statements) -> str:
    blocks = []
    for subject, facts in statements.items():
        lines = [f"{_short(iri(predicate), True)} {_short(term)}" for predicate, term in facts]
        blocks.append(f"{_short(iri(subject))} " + " ;\n    ".join(lines) + " .\n")
    return "\n" + "\n".join(blocks)


def _short(term: str, predicate: bool = False) -> str:
    """A term with a prefix where its local name allows."""
    if predicate and term == f"<{RDF_TYPE}>":
        return "a"
    head, mark, datatype = term.rpartition("^^")
    if mark and term.startswith('"') and datatype.startswith("<"):
        return f"{head}^^{_short(datatype)}"
    if term.startswith("<"):
        for name, base in _PREFIXES.items():
            local = term[1:-1].removeprefix(base)
            if local != term[1:-1] and _LOCAL.fullmatch(local):
                return f"{name}:{local}"
    return term


def _text(raw: IO[bytes], target: Path) -> io.TextIOWrapper:
    """UTF-8 text into ``raw``, compressed where the target says so, the same bytes each time."""
    if target.suffix == ".gz":
        packed = gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0)
        return io.TextIOWrapper(packed, "utf-8", newline="\n")
    return io.TextIOWrapper(raw, "utf-8", newline="\n")
