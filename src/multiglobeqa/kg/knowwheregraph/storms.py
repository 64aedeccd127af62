"""Storm tracks: tracklets with a point, an instant and a wind diameter to fixes and a line.

``kwgr:stormTrack.ID kwg-ont:hasStormTracklet FIX``; each FIX has a point geometry and a time, and where known
the diameter in nautical miles inside which winds reach 34 kt. A track becomes the attribute ``fixes``: [iso
time, lon, lat, diameter or null] by time, and, where it has no geometry of its own, the line through its
fixes.
"""

from __future__ import annotations

import json
from itertools import groupby
from typing import Any, Final

from multiglobeqa.kg import wkt
from multiglobeqa.kg.rdf_spool import Spool
from multiglobeqa.kg.report import ImportReport
from multiglobeqa.kg.triples import GEO, KWG_ONT, KWGR, SOSA, date_time, decimal

TRACKLET: Final = KWG_ONT + "hasStormTracklet"
_WIND: Final = r"[.#/]tropicalStormForceDiameter$"

_FIXES: Final = f"""
    WITH tracklet AS (SELECT DISTINCT s AS track, o AS fix FROM t WHERE p = '{TRACKLET}' AND NOT literal),
    place AS (
        SELECT tracklet.fix, min(shape.o) AS wkt FROM tracklet
        JOIN t AS link ON link.s = tracklet.fix AND link.p IN ('{GEO}hasGeometry', '{GEO}hasDefaultGeometry')
        JOIN t AS shape ON shape.s = link.o AND shape.p = '{GEO}asWKT' GROUP BY tracklet.fix),
    wind AS (
        SELECT tracklet.fix, min(TRY_CAST(result.o AS DOUBLE)) AS diameter FROM tracklet
        JOIN t AS link ON link.s = tracklet.fix AND link.p = '{SOSA}isFeatureOfInterestOf'
        JOIN t AS property ON property.s = link.o AND property.p = '{SOSA}observedProperty'
            AND starts_with(property.o, '{KWGR}') AND regexp_matches(property.o, '{_WIND}')
        JOIN t AS result ON result.s = link.o AND result.p = '{SOSA}hasSimpleResult' GROUP BY tracklet.fix)
    SELECT track, fix, time_start, wkt, diameter FROM tracklet
    LEFT JOIN place USING (fix) LEFT JOIN wind USING (fix) LEFT JOIN dated ON dated.iri = fix
    ORDER BY track, time_start, fix
"""


def prepare(spool: Spool, report: ImportReport, axis_order: wkt.AxisOrder) -> None:
    """Table ``track`` (iri, wkt, fixes as JSON, begin, finish).

    Fixes without time or point are counted as ``fix_without_time``, ``fix_without_point``, the second of two
    of one time as ``fix_repeated``.
    """
    columns: dict[str, list[Any]] = {"iri": [], "wkt": [], "fixes": [], "begin": [], "finish": []}
    rows = spool.rows(_FIXES)
    parsed = wkt.parse([row[3] for row in rows], axis_order)
    points = [g if kind == "point" else None for g, kind in zip(parsed.geometries, parsed.kinds, strict=True)]
    for track, group in groupby(zip(rows, points, strict=True), key=lambda item: item[0][0]):
        fixes: list[list[Any]] = []
        times: list[Any] = []
        for (_, fix, time, _, diameter), point in group:
            if time is None or point is None or (times and times[-1] == time):
                cause = "time" if time is None else "point"
                report.drop(f"fix_without_{cause}" if time is None or point is None else "fix_repeated", fix)
                continue
            times.append(time)
            fixes.append([date_time(time), point.x, point.y, diameter])
        places = list(dict.fromkeys((fix[1], fix[2]) for fix in fixes))
        line = ", ".join(f"{decimal(fix[1])} {decimal(fix[2])}" for fix in fixes)
        if fixes:
            columns["iri"].append(track)
            columns["wkt"].append(f"LINESTRING ({line})" if len(places) > 1 else None)
            columns["fixes"].append(json.dumps(fixes))
            columns["begin"].append(times[0])
            columns["finish"].append(times[-1])
    types = {
        "iri": "VARCHAR",
        "wkt": "VARCHAR",
        "fixes": "VARCHAR",
        "begin": "TIMESTAMP",
        "finish": "TIMESTAMP",
    }
    spool.table("track", columns, types)
