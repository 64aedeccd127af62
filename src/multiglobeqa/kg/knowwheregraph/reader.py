"""KnowWhereGraph's RDF to entity and label batches.

Candidates are the subjects with a geometry (geo:hasGeometry or geo:hasDefaultGeometry -> geo:asWKT), and
those whose type maps to a class. Types map through the ``kwg`` names of ``kg/classes.yaml``; administrative
regions by their level (``regions``): 0 country, 1 admin1, 2 county. S2 cells are an index, not places with
names: they are counted as ``s2_cell`` and left out.

Values: sosa observations (``isFeatureOfInterestOf`` [-> ``hasMember``] -> ``observedProperty``,
``hasSimpleResult``) become attributes under the last word of the property
(``earthquakeObservableProperty.mag``: ``mag``), literals of ``kwg-ont:`` properties under the property's
name.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from multiglobeqa.kg import wkt
from multiglobeqa.kg.classes import Classes, load
from multiglobeqa.kg.countries import country_names
from multiglobeqa.kg.knowwheregraph import regions, scopes, storms
from multiglobeqa.kg.rdf_assemble import (
    CLASSED,
    CountryOf,
    assemble,
    best_geometry,
    class_table,
    note_unmapped,
)  # fmt: skip
from multiglobeqa.kg.rdf_labels import ALIAS, ATTRIBUTE, LABEL, SCRIPT, language
from multiglobeqa.kg.rdf_spool import JSON, Spool
from multiglobeqa.kg.report import ImportReport
from multiglobeqa.kg.triples import GEO, KWG_ONT, KWGR, RDF_TYPE, RDFS_LABEL, SOSA

Batches = Iterator[pa.RecordBatch]
LITE: Final = "http://stko-kwg.geog.ucsb.edu/lod/lite-ontology/"
_SKOS: Final = "http://www.w3.org/2004/02/skos/core#"
_LABEL_RANKS: Final = {RDFS_LABEL: LABEL, _SKOS + "prefLabel": LABEL, _SKOS + "altLabel": ALIAS}
_REGION_CLASSES: Final = {0: "country", 1: "admin1", 2: "county"}


def read(
    path: str | Path | list[str | Path],
    report: ImportReport,
    *,
    axis_order: wkt.AxisOrder = "crs",
    country_of: CountryOf | None = None,
    memory: str = "1GB",
    directory: str | Path | None = None,
) -> tuple[Batches, Batches]:
    """Read one or several files (.ttl, .nt, .nq, also .gz, .bz2, .xz); returns (RAW_SCHEMA, LABEL_SCHEMA
    batches).

    Several files are read as one graph: a subject's geometry may stand in another file. ``report`` is filled
    before this returns; ``country_code_unknown`` counts entities whose IRI or region states a code that is no
    country (only the code is dropped). Options as in ``worldkg.read``; ``axis_order`` "crs" follows the CRS
    IRI before the WKT.
    """
    paths = [Path(p) for p in path] if isinstance(path, list) else [Path(path)]
    spool = Spool(memory=memory, directory=directory)
    try:
        for each in paths:
            spool.load(each, report)
        scopes.prepare(spool, report)
        regions.prepare(spool, report)
        storms.prepare(spool, report, axis_order)
        _prepare(spool, load(), report, paths[0].name)
        assemble(spool, axis_order, report, paths[0].name, country_of)
        return spool.finish()
    except BaseException:
        spool.close()
        raise


_SHAPES: Final = f"""
    SELECT link.iri, shape.o AS wkt, link.preference FROM link JOIN t AS shape ON shape.s = link.node
    WHERE shape.p = '{GEO}asWKT' AND shape.literal
"""
_BASE: Final = f"""
    CREATE TABLE link AS
    SELECT DISTINCT s AS iri, o AS node, CAST(p <> '{GEO}hasDefaultGeometry' AS INTEGER) AS preference FROM t
    WHERE p IN ('{GEO}hasGeometry', '{GEO}hasDefaultGeometry') AND NOT literal;

    CREATE TABLE typed AS
    SELECT DISTINCT s AS iri, regexp_replace(o, '^({KWG_ONT}|{LITE})', '') AS type, coalesce(level, -1) AS
        level
    FROM t LEFT JOIN region ON region.node = t.s
    WHERE p = '{RDF_TYPE}' AND (starts_with(o, '{KWG_ONT}') OR starts_with(o, '{LITE}'));

    CREATE TABLE cell AS SELECT DISTINCT iri FROM typed WHERE starts_with(type, 'S2Cell');
"""

_CANDIDATES: Final = f"""
    CREATE TABLE base AS
    SELECT iri, coalesce(geometry.wkt, track.wkt) AS wkt, shapes, mapped, point, line, surface,
           CASE WHEN mapped THEN region.level END AS level,
           coalesce(chain.admin, CASE WHEN region.level = 0 THEN CAST([] AS VARCHAR[]) END) AS admin,
           coalesce(time_start, begin) AS time_start, coalesce(time_end, finish) AS time_end,
           regexp_extract(coalesce(chain.admin[-1], iri),
               '(?:\\.|^{KWGR}administrativeRegion\\.)([A-Z]{{3}})(?:\\.|$)', 1) AS stated
    FROM (SELECT iri FROM typed SEMI JOIN (SELECT * FROM class_of WHERE mapped) USING (type, level)
          UNION SELECT iri FROM link) AS subject
    ANTI JOIN (SELECT o AS iri FROM t WHERE p = '{storms.TRACKLET}') USING (iri)
    ANTI JOIN cell USING (iri)
    LEFT JOIN ({best_geometry(_SHAPES)}) AS geometry USING (iri) LEFT JOIN ({CLASSED}) USING (iri)
    LEFT JOIN track USING (iri) LEFT JOIN region ON region.node = subject.iri
    LEFT JOIN chain USING (iri) LEFT JOIN dated USING (iri)
    WHERE NOT starts_with(iri, '_:')
    ORDER BY iri
"""

_FACTS: Final = f"""
    CREATE TABLE fact AS
    WITH observed AS (
        SELECT s AS iri, o AS node FROM t WHERE p = '{SOSA}isFeatureOfInterestOf' AND NOT literal
        UNION SELECT o, s FROM t WHERE p = '{SOSA}hasFeatureOfInterest' AND NOT literal),
    observation AS (
        SELECT iri, node FROM observed
        UNION SELECT observed.iri, t.o FROM observed JOIN t ON t.s = observed.node AND t.p =
            '{SOSA}hasMember'),
    measured AS (
        SELECT iri, regexp_extract(property.o, '([^./#]+)$', 1) AS key, result.o, result.datatype FROM
            observation
        JOIN t AS property ON property.s = observation.node AND property.p = '{SOSA}observedProperty'
        JOIN t AS result ON result.s = observation.node AND result.p = '{SOSA}hasSimpleResult' AND
            result.literal)
    SELECT * FROM (
        SELECT iri, {ATTRIBUTE} AS rank, NULL AS lang, key, o, datatype FROM measured
        UNION ALL
        SELECT s, {ATTRIBUTE}, NULL, regexp_extract(p, '([^./#]+)$', 1), o, datatype FROM t
        WHERE literal AND (starts_with(p, '{KWG_ONT}') OR starts_with(p, '{LITE}'))
        UNION ALL
        SELECT s, {SCRIPT}, 'und', 'hasZipCode', o, NULL FROM t WHERE p = '{KWG_ONT}hasZipCode' AND literal
        UNION ALL
        SELECT s, {ATTRIBUTE}, NULL, 'of', CAST(to_json(list_sort(list(DISTINCT o))) AS VARCHAR), '{JSON}'
            FROM t
        WHERE p = '{KWG_ONT}borderOf' AND NOT literal GROUP BY s
        UNION ALL
        SELECT s, {ATTRIBUTE}, NULL, 'track', o, NULL FROM t WHERE p = '{KWG_ONT}isFootprintOf' AND NOT
            literal
        UNION ALL
        SELECT iri, {ATTRIBUTE}, NULL, 'fixes', fixes, '{JSON}' FROM track
        UNION ALL
        SELECT s, rank, property.lang, key, o, datatype FROM t
        JOIN property ON t.p = property.p AND t.lang IS NOT DISTINCT FROM property.tag WHERE literal
    ) ORDER BY iri
"""


def _prepare(spool: Spool, classes: Classes, report: ImportReport, file: str) -> None:
    spool.con.execute(_BASE)
    class_table(spool, classes, lambda name, level: _class_of(name, level, classes))
    count, example = spool.rows("SELECT count(*), min(iri) FROM cell")[0]
    if count:
        report.drop("s2_cell", example, count)
    spool.con.execute(_CANDIDATES)
    several = spool.rows("SELECT count(*) FROM base WHERE shapes > 1")[0][0]
    if several:
        report.notes.append(
            f"{several} entities have several geometries: the default one was taken, else the largest kind."
        )
    note_unmapped(spool, report)
    for code, count, example in spool.rows(
        "SELECT stated, count(*), min(iri) FROM base WHERE stated <> '' GROUP BY 1 ORDER BY 1"
    ):
        if code not in country_names():
            report.drop("country_code_unknown", f"{file}: {example} ({code})", count)
    _property_table(spool, report)
    spool.con.execute(_FACTS)


def _class_of(name: str, level: int, classes: Classes) -> str | None:
    if name.startswith("AdministrativeRegion"):
        return _REGION_CLASSES.get(level)
    return classes.of_kwg(name)


def _property_table(spool: Spool, report: ImportReport) -> None:
    """Table property (p, tag, rank, lang, key): the label properties by language tag."""
    rows: dict[str, list[Any]] = {"p": [], "tag": [], "rank": [], "lang": [], "key": []}
    known = ", ".join(f"'{p}'" for p in _LABEL_RANKS)
    for predicate, tag in spool.rows(f"SELECT DISTINCT p, lang FROM t WHERE p IN ({known}) ORDER BY 1, 2"):
        said = language(tag)
        if said is None:
            report.notes.append(
                f"Labels with the language tag {tag!r}, which has no ISO 639-3 code, are left out."
            )
            continue
        rank = max(said[0], _LABEL_RANKS[predicate])
        for column, value in zip(rows, (predicate, tag, rank, said[1], predicate), strict=True):
            rows[column].append(value)
    types = {"p": "VARCHAR", "tag": "VARCHAR", "rank": "TINYINT", "lang": "VARCHAR", "key": "VARCHAR"}
    spool.table("property", rows, types)
