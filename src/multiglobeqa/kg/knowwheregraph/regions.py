"""Administrative regions of both IRI generations: their level and the chain of parents.

First generation (GADM): ``kwgr:Earth.North_America.United_States.USA.5.42_1``, where AdministrativeRegion_1
is the country, _2 the state, _3 the county. Second: ``kwgr:administrativeRegion.USA.17``, where _0 is the
country, _1 the state, _2 the county. The level, 0 for the country, is the number of codes after the ISO code
of the IRI; where the IRI has neither form, the number in the type, read as of the second generation.

A region's parent is its ``administrativePartOf``, else the deepest region of a higher rank that it is
``sfWithin``. Any other entity's is the deepest region it is ``sfWithin``; where several of one level claim
it, the next level up.
"""

from __future__ import annotations

from typing import Final

from multiglobeqa.kg.rdf_spool import Spool
from multiglobeqa.kg.report import ImportReport
from multiglobeqa.kg.triples import GEO, KWG_ONT, KWGR, RDF_TYPE

FIRST: Final = rf"^{KWGR}Earth\..*\.([A-Z]{{3}})((?:\.\d+(?:_\d+)?)*)$".replace("/", r"\/")
SECOND: Final = rf"^{KWGR}administrativeRegion\.([A-Z]{{3}})((?:\.[^.]+)*)$".replace("/", r"\/")
_DEPTH: Final = 12

_CODES: Final = f"""
    CASE WHEN regexp_matches(node, '{FIRST}') THEN regexp_extract(node, '{FIRST}', 2)
         WHEN regexp_matches(node, '{SECOND}') THEN regexp_extract(node, '{SECOND}', 2) END
"""
_TABLES: Final = f"""
    CREATE TABLE region AS
    WITH typed AS (
        SELECT s AS node, max(TRY_CAST(regexp_extract(o, 'AdministrativeRegion_(\\d+)$', 1) AS TINYINT)) AS
            number
        FROM t WHERE p = '{RDF_TYPE}' AND regexp_matches(o, '^{KWG_ONT}AdministrativeRegion_\\d+$') GROUP BY
            s),
    mentioned AS (
        SELECT o AS node FROM t WHERE p IN ('{KWG_ONT}administrativePartOf', '{KWG_ONT}sfWithin',
            '{GEO}sfWithin')
            AND NOT literal
        UNION SELECT s FROM t WHERE p IN ('{KWG_ONT}sfContains', '{GEO}sfContains',
            '{KWG_ONT}administrativePartOf')
        UNION SELECT node FROM typed),
    coded AS (SELECT node, number, {_CODES} AS codes FROM mentioned LEFT JOIN typed USING (node))
    SELECT node, CAST(CASE WHEN codes IS NOT NULL THEN length(codes) - length(replace(codes, '.', ''))
        WHEN starts_with(node, '{KWGR}Earth') THEN NULL ELSE number END AS TINYINT) AS level, number
    FROM coded;
    DELETE FROM region WHERE level IS NULL;

    CREATE TABLE within AS
    SELECT DISTINCT iri, node, level FROM (
        SELECT s AS iri, o AS node FROM t WHERE p IN ('{KWG_ONT}sfWithin', '{GEO}sfWithin') AND NOT literal
        UNION ALL SELECT o, s FROM t WHERE p IN ('{KWG_ONT}sfContains', '{GEO}sfContains') AND NOT literal
    ) JOIN region USING (node) WHERE iri <> node;

    CREATE TABLE parent AS
    WITH stated AS (
        SELECT s AS iri, min(o) AS node, count(DISTINCT o) AS claims
        FROM t JOIN region ON t.o = region.node WHERE p = '{KWG_ONT}administrativePartOf' AND t.s <> t.o GROUP
            BY s
        HAVING count(DISTINCT o) = 1),
    higher AS (
        SELECT within.iri, within.node, within.level FROM within LEFT JOIN region AS own ON own.node =
            within.iri
        WHERE own.level IS NULL OR within.level < own.level),
    lone AS (SELECT iri, level, min(node) AS node FROM higher GROUP BY iri, level HAVING count(*) = 1),
    deepest AS (SELECT iri, arg_max(node, level) AS node FROM lone GROUP BY iri)
    SELECT iri, coalesce(stated.node, deepest.node) AS node FROM stated FULL JOIN deepest USING (iri);

    CREATE TABLE region_chain AS
    WITH RECURSIVE climb(iri, node, depth) AS (
        SELECT iri, parent.node, 1 FROM parent JOIN region ON region.node = parent.iri
        UNION ALL
        SELECT climb.iri, parent.node, depth + 1 FROM climb JOIN parent ON parent.iri = climb.node
        WHERE depth < {_DEPTH})
    SELECT iri, list(node ORDER BY depth) AS admin, bool_or(depth = {_DEPTH}) AS circular FROM climb GROUP BY
        iri;

    CREATE TABLE chain AS
    SELECT parent.iri, list_prepend(parent.node, coalesce(above.admin, CAST([] AS VARCHAR[]))) AS admin,
           coalesce(above.circular, false) AS circular
    FROM parent LEFT JOIN region_chain AS above ON above.iri = parent.node;
"""


def prepare(spool: Spool, report: ImportReport) -> None:
    """Tables ``region`` (node, level) and ``chain`` (iri, admin: parents, direct first).

    Counts ``parent_circular`` (chain dropped) and ``parent_ambiguous`` (several parents of one level).
    """
    spool.con.execute(_TABLES)
    for (iri,) in spool.rows("SELECT iri FROM chain WHERE circular ORDER BY iri"):
        report.drop("parent_circular", iri)
    spool.con.execute("DELETE FROM chain WHERE circular")
    ambiguous = spool.rows("""
        SELECT DISTINCT within.iri FROM within LEFT JOIN region AS own ON own.node = within.iri
        WHERE own.level IS NULL OR within.level < own.level
        GROUP BY within.iri, within.level HAVING count(*) > 1 ORDER BY 1
    """)
    for (iri,) in ambiguous:
        report.drop("parent_ambiguous", iri)
