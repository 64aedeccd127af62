"""Temporal scopes: time:Instant and time:Interval to begin and end in UTC.

A value of day, month or year precision stands for the whole of it: ``inXSDDate "1994-09-08"`` begins at 00:00
and ends at 23:59:59.999. A time without an offset is UTC. Of several values of one instant the most precise
holds. A scope that the file does not describe is read from a date at the end of its IRI
(``kwgr:time.1994-09-08``).
"""

from __future__ import annotations

from typing import Final

from multiglobeqa.kg.rdf_spool import Spool
from multiglobeqa.kg.report import ImportReport
from multiglobeqa.kg.triples import KWG_ONT, TIME

_DAY: Final = r"^-?\d{4,}-\d{2}-\d{2}"
_LAST: Final = "INTERVAL 1 MILLISECOND"

_TABLES: Final = f"""
    CREATE TABLE stated_instant AS
    SELECT s AS node, o, CASE p
        WHEN '{TIME}inXSDDateTime' THEN 0 WHEN '{TIME}inXSDDateTimeStamp' THEN 0 WHEN '{TIME}inXSDDate' THEN 1
        WHEN '{TIME}inXSDgYearMonth' THEN 2 ELSE 3 END AS precision
    FROM t WHERE literal AND p IN ('{TIME}inXSDDateTime', '{TIME}inXSDDateTimeStamp', '{TIME}inXSDDate',
        '{TIME}inXSDgYearMonth', '{TIME}inXSDgYear');
    INSERT INTO stated_instant
    SELECT DISTINCT o, regexp_extract(o, '(\\d{{4}}-\\d{{2}}-\\d{{2}})$', 1), 1 FROM t
    WHERE p IN ('{KWG_ONT}hasTemporalScope', '{TIME}hasBeginning', '{TIME}hasEnd') AND NOT literal
        AND regexp_matches(o, '\\d{{4}}-\\d{{2}}-\\d{{2}}$')
        AND o NOT IN (SELECT s FROM t WHERE starts_with(p, '{TIME}'));
    CREATE TABLE instant AS
    WITH dated AS (
        SELECT node, o, precision, CASE precision
            WHEN 0 THEN CAST(TRY_CAST(o AS TIMESTAMPTZ) AS TIMESTAMP)
            WHEN 1 THEN CAST(TRY_CAST(regexp_extract(o, '{_DAY}') AS DATE) AS TIMESTAMP)
            WHEN 2 THEN CAST(TRY_CAST(regexp_extract(o, '^-?\\d{{4,}}-\\d{{2}}') || '-01' AS DATE) AS
                TIMESTAMP)
            ELSE CAST(TRY_CAST(regexp_extract(o, '^-?\\d{{4,}}') || '-01-01' AS DATE) AS TIMESTAMP) END AS
                begin
        FROM stated_instant),
    bounded AS (
        SELECT *, CASE precision WHEN 0 THEN begin WHEN 1 THEN begin + INTERVAL 1 DAY - {_LAST}
            WHEN 2 THEN begin + INTERVAL 1 MONTH - {_LAST} ELSE begin + INTERVAL 1 YEAR - {_LAST} END AS
                finish
        FROM dated)
    SELECT node, arg_min(begin, (precision, begin)) AS begin, arg_min(finish, (precision, begin)) AS finish,
           min(o) AS example
    FROM bounded GROUP BY node;
    CREATE TABLE scope AS
    SELECT node, begin, finish FROM instant WHERE begin IS NOT NULL
    UNION ALL
    SELECT t.s, min(begin) FILTER (p = '{TIME}hasBeginning'), max(finish) FILTER (p = '{TIME}hasEnd')
    FROM t JOIN instant ON t.o = instant.node WHERE p IN ('{TIME}hasBeginning', '{TIME}hasEnd') GROUP BY t.s;
    CREATE TABLE dated AS
    SELECT s AS iri, date_trunc('milliseconds', min(begin)) AS time_start,
           date_trunc('milliseconds', max(coalesce(finish, begin))) AS time_end
    FROM t JOIN scope ON t.o = scope.node WHERE p = '{KWG_ONT}hasTemporalScope' GROUP BY s;
"""


def prepare(spool: Spool, report: ImportReport) -> None:
    """Table ``dated`` (iri, time_start, time_end); unreadable times are counted as ``time_unreadable``."""
    spool.con.execute(_TABLES)
    unreadable = spool.rows("SELECT node, example FROM instant WHERE begin IS NULL ORDER BY node LIMIT 5")
    for node, text in unreadable:
        report.drop("time_unreadable", f"{node} {text!r}")
    total = spool.rows("SELECT count(*) FROM instant WHERE begin IS NULL")[0][0]
    report.dropped["time_unreadable"] += total - len(unreadable)
    if not report.dropped["time_unreadable"]:
        del report.dropped["time_unreadable"]
    reversed_ = spool.rows("SELECT iri FROM dated WHERE time_end < time_start ORDER BY iri")
    for (iri,) in reversed_:
        report.drop("time_reversed", iri)
    spool.con.execute("DELETE FROM dated WHERE time_end < time_start")
