"""WorldKG: the Turtle or N-Triples dump in WorldKG's own vocabulary, to entity and label batches.

A resource ``wkg:ID`` has an ``rdf:type`` (a ``wkgs:`` class), ``rdfs:label``, tag properties
(``wkgs:addrCity``), ``wkgs:osmLink``, and ``wkgs:spatialObject`` towards a node with ``geo:asWKT "Point(lon
lat)"``. The node may stand before or after the resource: triples are spooled to disk and joined there
(``kg.rdf_spool``).

A type's class comes from ``kg/classes.yaml`` (the ``wkgs`` names), else through the ontology: the type's OSM
tag (dcterms:source), else its superclasses. Among several types the class of the lowest rank wins, out of
those that allow the geometry's kind. Of several geometries of one resource the one of the highest dimension,
then the first in text order, is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from multiglobeqa.errors import InputError
from multiglobeqa.kg import rdf, wkt
from multiglobeqa.kg.classes import Classes, load, wkgs_sources
from multiglobeqa.kg.rdf_assemble import (
    BASE_COLUMNS,
    CLASSED,
    assemble,
    best_geometry,
    class_table,
    note_unmapped,
)  # fmt: skip
from multiglobeqa.kg.rdf_labels import ATTRIBUTE, language, name_property
from multiglobeqa.kg.rdf_spool import Spool
from multiglobeqa.kg.report import ImportReport
from multiglobeqa.kg.triples import GEO, RDF_TYPE, RDFS_LABEL, WKGS

Batches = Iterator[pa.RecordBatch]
_SUBCLASS: Final = "http://www.w3.org/2000/01/rdf-schema#subClassOf"
_SOURCE: Final = "http://purl.org/dc/terms/source"
_LINKS: Final = (WKGS + "spatialObject", GEO + "hasGeometry", GEO + "hasDefaultGeometry")
_MENDED: Final = r"""replace(replace(o, '\"', '"'), '\\', '\')"""
"""SQL: literals of the public dump are escaped twice, so that a quote reads back as a backslash and a
quote.
"""
_NOT_ATTRIBUTES: Final = (*_LINKS, WKGS + "osmLink", RDF_TYPE, RDFS_LABEL)


@dataclass(frozen=True)
class Ontology:
    """WorldKG's ontology by local names.

    ``sources``: the OSM tag of a class (``amenity=cafe``). ``parents``: its superclasses, sorted. ``keys``:
    the classes that stand for a whole OSM key (``Place``; a few, such as ``Craft``, stand for a tag as well).
    """

    sources: Mapping[str, str]
    parents: Mapping[str, tuple[str, ...]]
    keys: frozenset[str]

    @classmethod
    def read(cls, path: str | Path) -> Ontology:
        """Read the ontology's Turtle file; raises InputError where it cannot be read or has no class with a
        tag.
        """
        parents: dict[str, set[str]] = {}
        keys: set[str] = set()
        for batch in rdf.read(path, ImportReport(str(path))):
            wanted = pc.is_in(batch["p"], pa.array([_SUBCLASS, _SOURCE]))
            for row in batch.filter(wanted).to_pylist():
                name = row["s"].removeprefix(WKGS)
                if row["p"] == _SUBCLASS:
                    parents.setdefault(name, set()).add(row["o"].removeprefix(WKGS))
                elif "wiki/Key:" in row["o"]:
                    keys.add(name)
        sources = wkgs_sources(path)
        if not sources:
            raise InputError(
                "names no OSM tag of a class (dcterms:source).", source=path, mend="Is it WorldKG's?"
            )
        return cls(sources, {name: tuple(sorted(found)) for name, found in parents.items()}, frozenset(keys))


def class_of_type(name: str, classes: Classes, ontology: Ontology | None) -> str | None:
    """Class of a ``wkgs:`` type by local name: by name, by OSM tag, by superclass; None where nothing maps.

    A superclass that stands for a whole OSM key (``wkgs:Place``) says too little unless its class is a
    generic one: a sea is a ``wkgs:Place`` and no settlement, a shop of a rare kind is still a ``shop``.
    Nothing lies above such a class. The nearest superclass wins, then the first by name.
    """
    found = classes.of_wkgs(name, ontology.sources if ontology else None)
    if found is not None or ontology is None:
        return found
    seen, level = {name}, ontology.parents.get(name, ())
    while level:
        for parent in level:
            whole_key = parent in ontology.keys
            found = classes.of_wkgs(parent, None if whole_key else ontology.sources)
            if found is not None and (classes[found].generic or not whole_key):
                return found
        seen.update(level)
        narrow = [parent for parent in level if parent not in ontology.keys]
        level = tuple(sorted({up for parent in narrow for up in ontology.parents.get(parent, ())} - seen))
    return None


def read(
    path: str | Path,
    report: ImportReport,
    *,
    ontology: str | Path | None = None,
    axis_order: wkt.AxisOrder = "lonlat",
    memory: str = "1GB",
    directory: str | Path | None = None,
) -> tuple[Batches, Batches]:
    """Read a dump (.ttl, .nt, .nq, also .gz, .bz2, .xz); returns (RAW_SCHEMA batches, LABEL_SCHEMA batches).

    Parameters
    ----------
    path : the dump.
    report : filled before this returns. Drops: ``syntax_error``, ``blank_node``, ``class_unmapped``,
        ``unnamed``, ``kind_not_of_class`` and the causes of ``wkt.parse``.
    ontology : WorldKG's ontology file; without it only the ``wkgs`` names of kg/classes.yaml map.
    axis_order : of the WKT. WorldKG writes longitude first whatever the prefix.
    memory : DuckDB's limit, beyond which it spills to disk.
    directory : where the temporary files go (about twice the size of the dump's distinct text).
    """
    spool = Spool(memory=memory, directory=directory)
    try:
        spool.load(path, report)
        _prepare(spool, load(), Ontology.read(ontology) if ontology else None, report)
        assemble(spool, axis_order, report, Path(path).name)
        return spool.finish()
    except BaseException:
        spool.close()
        raise


def _prepare(spool: Spool, classes: Classes, ontology: Ontology | None, report: ImportReport) -> None:
    """Tables for ``rdf_assemble``: typed, class_of, base, fact."""
    links = ", ".join(f"'{p}'" for p in _LINKS)
    con = spool.con
    con.execute(f"""
        CREATE TABLE link AS SELECT DISTINCT s AS iri, o AS node FROM t WHERE p IN ({links}) AND NOT literal;
        CREATE TABLE typed AS SELECT DISTINCT s AS iri, replace(o, '{WKGS}', '') AS type, CAST(-1 AS TINYINT)
            AS level
            FROM t WHERE p = '{RDF_TYPE}' AND starts_with(o, '{WKGS}');
    """)
    class_table(spool, classes, lambda name, level: class_of_type(name, classes, ontology))
    shapes = f"""SELECT iri, t.o AS wkt, 0 AS preference FROM link JOIN t ON t.s = link.node
        WHERE t.p = '{GEO}asWKT' AND t.literal"""
    absent = ", ".join(f"CAST(NULL AS {kind}) AS {name}" for name, kind in BASE_COLUMNS.items())
    con.execute(f"""
        CREATE TABLE base AS SELECT iri, wkt, shapes, mapped, point, line, surface, {absent}
            FROM (SELECT iri FROM typed UNION SELECT iri FROM link)
            LEFT JOIN ({best_geometry(shapes)}) USING (iri) LEFT JOIN ({CLASSED}) USING (iri) ORDER BY iri;
    """)
    blank = spool.rows("SELECT count(*), min(iri) FROM base WHERE starts_with(iri, '_:')")[0]
    if blank[0]:
        report.drop("blank_node", "resources without IRI", blank[0])
        con.execute(
            "CREATE OR REPLACE TABLE base AS SELECT * FROM base WHERE NOT starts_with(iri, '_:') ORDER BY iri"
        )
    several = spool.rows("SELECT count(*) FROM base WHERE shapes > 1")[0][0]
    if several:
        report.notes.append(
            f"{several} resources have several geometries; the one of the highest dimension was taken."
        )
    note_unmapped(spool, report)
    _property_table(spool)
    con.execute(f"""
        CREATE TABLE fact AS
        SELECT s AS iri, rank, property.lang AS lang, key, datatype, CASE WHEN literal THEN {_MENDED}
            WHEN key = 'wikidata' AND regexp_matches(o, '/Q[0-9]+$') THEN regexp_extract(o, '(Q[0-9]+)$', 1)
            ELSE o END AS o
        FROM t JOIN property ON t.p = property.p AND t.lang IS NOT DISTINCT FROM property.tag
        ORDER BY iri
    """)


def _property_table(spool: Spool) -> None:
    """Table property (p, tag, rank, lang, key): what a predicate with a language tag says."""
    rows: dict[str, list[Any]] = {"p": [], "tag": [], "rank": [], "lang": [], "key": []}
    for predicate, tag in spool.rows("SELECT DISTINCT p, lang FROM t ORDER BY 1, 2"):
        key = predicate.removeprefix(WKGS)
        said: tuple[int, str | None] | None
        if predicate == RDFS_LABEL:
            said = language(tag)
        elif predicate in _NOT_ATTRIBUTES or not predicate.startswith(WKGS):
            said = None
        else:
            said = name_property(key) or (ATTRIBUTE, None)
        if said is not None:
            for column, value in zip(rows, (predicate, tag, *said, key), strict=True):
                rows[column].append(value)
    types = {"p": "VARCHAR", "tag": "VARCHAR", "rank": "TINYINT", "lang": "VARCHAR", "key": "VARCHAR"}
    spool.table("property", rows, types)
