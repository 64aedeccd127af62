"""Rows of KnowWhereGraph exported as CSV (the answer table of a SPARQL query) to entity and label batches.

The header names the columns: the first is the entity (``fire``, ``hospital``, ...: a class of
``kg/classes.yaml``) with its IRI; ``name``, ``wkt``, ``temporal_scope`` and ``year`` have their meaning;
``geom`` is left out; every other column is an attribute. A table that begins with ``sign`` holds road
segments without IRI: segments of one sign whose ends touch become one road ``urn:kwg:road:SIGN:N``, N
counting the roads of a sign from 1 in the order of the file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import shapely
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from multiglobeqa.errors import InputError
from multiglobeqa.kg import wkt
from multiglobeqa.kg.classes import load
from multiglobeqa.kg.osm.languages import PLAIN
from multiglobeqa.kg.rdf_assemble import count_drops
from multiglobeqa.kg.report import ImportReport
from multiglobeqa.kg.schema import LABEL_SCHEMA, RAW_SCHEMA
from multiglobeqa.kg.triples import KWGR

Batches = Iterator[pa.RecordBatch]
ROAD_COLUMN: Final = "sign"
_MEANT: Final = ("name", "wkt", "geom", "temporal_scope", "year")
_DATE: Final = re.compile(r"(\d{4})(?:-(\d{2})-(\d{2}))?$")


def read_csv(
    path: str | Path, report: ImportReport, *, axis_order: wkt.AxisOrder = "crs"
) -> tuple[Batches, Batches]:
    """Read an exported table; returns (RAW_SCHEMA batches, LABEL_SCHEMA batches).

    Drops, with the line of the file: ``unnamed``, ``iri_unreadable``, ``iri_repeated``, ``time_unreadable``
    (only the time is dropped), ``kind_not_of_class`` and the causes of ``wkt.parse``. Raises InputError for a
    file that is no such table.
    """
    path = Path(path)
    table = _table(path)
    head = table.column_names[0]
    key = "road" if head == ROAD_COLUMN else head
    classes = load()
    if key not in classes or "wkt" not in table.column_names:
        raise InputError(
            f"has the columns {', '.join(table.column_names)}: no class of kg/classes.yaml or no column wkt.",
            source=path,
            place=1,
        )
    report.read["row"] += table.num_rows
    parsed = wkt.parse(table["wkt"].combine_chunks(), axis_order)
    causes = parsed.causes.copy()
    causes[(causes == "") & ~np.isin(parsed.kinds, classes[key].kinds)] = "kind_not_of_class"
    roads = head == ROAD_COLUMN
    rows = _roads(table, parsed, causes) if roads else _entities(table, parsed, causes, report, path)
    # a quoted field may hold line feeds, so the place is the row under the header
    count_drops(
        report, causes, np.array([f"row {n + 1}" for n in range(len(causes))], dtype=object), path.name
    )
    return _batches(rows, key, report)


def _table(path: Path) -> pa.Table:
    if not path.is_file():
        raise InputError("is not a file.", source=path)
    try:
        names = pacsv.read_csv(
            path, parse_options=pacsv.ParseOptions(newlines_in_values=True), read_options=_block(path)
        ).column_names
        options = pacsv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=True
        )
        return pacsv.read_csv(
            path,
            parse_options=pacsv.ParseOptions(newlines_in_values=True),
            read_options=_block(path),
            convert_options=options,
        )
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(f"cannot be read as CSV: {error}.", source=path) from error


def _block(path: Path) -> pacsv.ReadOptions:
    return pacsv.ReadOptions(block_size=min(max(path.stat().st_size, 1 << 20), 1 << 30), use_threads=False)


def _entities(
    table: pa.Table, parsed: wkt.Parsed, causes: Any, report: ImportReport, path: Path
) -> dict[str, list[Any]]:
    iris = table.column(0).to_pylist()
    names = table["name"].to_pylist() if "name" in table.column_names else [None] * table.num_rows
    scopes = (
        table["temporal_scope"].to_pylist() if "temporal_scope" in table.column_names else [None] * len(iris)
    )
    years = table["year"].to_pylist() if "year" in table.column_names else [None] * len(iris)
    extra = {n: table[n].to_pylist() for n in table.column_names[1:] if n not in _MEANT}
    rows: dict[str, list[Any]] = {
        name: [] for name in ("iri", "name", "kind", "geometry", "begin", "end", "extra")
    }
    seen: set[str] = set()
    for n, address in enumerate(iris):
        if causes[n]:
            continue
        text = " ".join((names[n] or "").split())
        if not text:
            causes[n] = "unnamed"
        elif not re.fullmatch(r"https?://[^\x00-\x20<>\"{}|\\^`]+", address or ""):
            causes[n] = "iri_unreadable"
        elif address in seen:
            causes[n] = "iri_repeated"
        if causes[n]:
            continue
        seen.add(address)
        begin, end = _period(scopes[n] or years[n])
        if begin is None and (scopes[n] or years[n]):
            report.drop("time_unreadable", f"{path.name}: row {n + 1}")
        values = {name: _value(column[n]) for name, column in extra.items() if column[n] is not None}
        kept = (address, text, parsed.kinds[n], parsed.geometries[n], begin, end, values)
        for name, value in zip(rows, kept, strict=True):
            rows[name].append(value)
    return rows


def _roads(table: pa.Table, parsed: wkt.Parsed, causes: Any) -> dict[str, list[Any]]:
    signs = np.array(
        [" ".join((sign or "").split()) for sign in table[ROAD_COLUMN].to_pylist()], dtype=object
    )
    causes[(causes == "") & (signs == "")] = "unnamed"
    rows: dict[str, list[Any]] = {
        name: [] for name in ("iri", "name", "kind", "geometry", "begin", "end", "extra")
    }
    for sign in dict.fromkeys(signs[causes == ""]):
        members = np.flatnonzero((signs == sign) & (causes == ""))
        labels = _touching(parsed.geometries[members])
        for number, label in enumerate(dict.fromkeys(labels), start=1):
            lines = [p for g in parsed.geometries[members[labels == label]] for p in shapely.get_parts(g)]
            whole = lines[0] if len(lines) == 1 else shapely.line_merge(shapely.multilinestrings(lines))
            row = (
                f"urn:kwg:road:{quote(sign)}:{number}",
                sign,
                "line",
                whole,
                None,
                None,
                {"segments": len(lines)},
            )
            for name, value in zip(rows, row, strict=True):
                rows[name].append(value)
    return rows


def _touching(geometries: Any) -> Any:
    """(n,) number of the connected group of each line: lines that share an end point."""
    parts, owner = shapely.get_parts(geometries, return_index=True)
    ends = np.concatenate([shapely.get_point(parts, 0), shapely.get_point(parts, -1)])
    _, node = np.unique(shapely.get_coordinates(ends), axis=0, return_inverse=True)
    node, line = node.reshape(-1), np.concatenate([owner, owner])
    n = len(geometries)
    size = n + int(node.max()) + 1
    graph = coo_matrix((np.ones(len(node)), (line, n + node)), shape=(size, size))
    return connected_components(graph, directed=False)[1][:n]


def _period(text: str | None) -> tuple[datetime | None, datetime | None]:
    """Begin and end of a day or a year at the end of an IRI or a text."""
    match = _DATE.search(text or "")
    if match is None:
        return None, None
    year, month, day = match.groups()
    try:
        begin = datetime(int(year), int(month or 1), int(day or 1), tzinfo=UTC)
        after = begin + timedelta(days=1) if month else datetime(int(year) + 1, 1, 1, tzinfo=UTC)
    except ValueError:
        return None, None
    return begin, after - timedelta(milliseconds=1)


def _value(text: str) -> object:
    """A number where the text is one, the local name where it is an IRI of the graph, else the text."""
    if re.fullmatch(r"-?\d{1,15}", text):
        return int(text)
    if re.fullmatch(r"-?\d{1,15}\.\d+", text):
        return float(text)
    return text.removeprefix(KWGR)


def _batches(rows: dict[str, list[Any]], key: str, report: ImportReport) -> tuple[Batches, Batches]:
    n = len(rows["iri"])
    report.kept.update({kind: rows["kind"].count(kind) for kind in dict.fromkeys(rows["kind"])})
    columns: dict[str, Any] = {
        "iri": rows["iri"],
        "name": rows["name"],
        "class": [key] * n,
        "kind": rows["kind"],
        "geometry": [shapely.to_wkb(geometry) for geometry in rows["geometry"]],
        "time_start": rows["begin"],
        "time_end": rows["end"],
        "attributes": [json.dumps(values, sort_keys=True, ensure_ascii=False) for values in rows["extra"]],
    }
    raw = pa.record_batch(
        [pa.array(columns.get(f.name, [None] * n), f.type) for f in RAW_SCHEMA], schema=RAW_SCHEMA
    )
    labels = pa.record_batch([rows["iri"], [PLAIN] * n, rows["name"], ["name"] * n], names=LABEL_SCHEMA.names)
    return iter([raw] if n else []), iter([labels.cast(LABEL_SCHEMA)] if n else [])
