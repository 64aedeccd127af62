"""Completes the raw entities of an importer and writes them as one part of a snapshot.

Two passes in bounded memory. The first cleans each batch, computes what a row needs of itself and spools
it; the second reads the spool back in the order of the S2 curve (DuckDB's external sort), adds the admin
parents and writes.
"""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import shapely

from multiglobeqa.geo import s2
from multiglobeqa.geo.measure import area_km2, centroid, length_km, main_share, perimeter_km
from multiglobeqa.kg.clean import clean
from multiglobeqa.kg.density import cells_of
from multiglobeqa.kg.hierarchy import NO_LEVEL, AdminAreas
from multiglobeqa.kg.report import ImportReport
from multiglobeqa.kg.schema import BBOX, ENTITY_SCHEMA, LABEL_SCHEMA
from multiglobeqa.kg.store import (
    COMPRESSION_LEVEL,
    ROW_GROUP,
    Part,
    geoparquet_schema,
    sha256_of,
    write_labels,
    write_table,
)
from multiglobeqa.kg.strata import Strata

H3_RESOLUTION: Final = 9
BATCH_ROWS: Final = 65_536
MEMORY_LIMIT: Final = "512MB"
_TIMES: Final = ("time_start", "time_end")
_SPOOL: Final = pa.schema(
    [
        *(
            pa.field(f.name, pa.int64() if f.name in _TIMES else f.type)
            for f in ENTITY_SCHEMA
            if f.name not in ("kg", "layer")
        ),
        pa.field("seq", pa.int64(), nullable=False),
        pa.field("curve", pa.uint64(), nullable=False),
    ]
)


def write_part(
    directory: str | Path,
    name: str,
    kg: str,
    raw: Iterable[pa.RecordBatch],
    labels: Iterable[pa.RecordBatch],
    *,
    report: ImportReport,
    licence: str,
    attribution: str,
    coverage: str | None = None,
    supplement: bool = False,
    hierarchy: bool = False,
    strata: Strata | None = None,
    memory_limit: str = MEMORY_LIMIT,
    compression_level: int = COMPRESSION_LEVEL,
) -> Part:
    """Complete raw entities and write ``NAME.entities.parquet`` and ``NAME.labels.parquet`` into
    ``directory``.

    Parameters
    ----------
    raw, labels : batches of RAW_SCHEMA and LABEL_SCHEMA; ``raw`` is read to its end before ``labels``.
    report : the import's report; drops are added and ``kept`` is set to what was written.
    coverage : WKT (longitude latitude) of the area in which the part is complete; None for the whole world.
    hierarchy : compute the parents of rows whose ``admin`` is null from the surfaces of this part that have a
        level (``kg.hierarchy``); else such rows have none.
    strata : where country and tiers come from; else the embedded strata.
    memory_limit : of the sort (DuckDB's notation).
    compression_level : zstd level of the two files.

    A row whose source states a country that the strata know keeps it; else the country is that of the
    reference point. The first of several rows with one IRI is kept. Rows are in the order of the S2 leaf
    cell of the reference point, then of the IRI; labels follow their entities, then language, kind and
    text. Equal input gives equal bytes.
    """
    folder = Path(directory)
    folder.mkdir(parents=True, exist_ok=True)
    spool = Path(tempfile.mkdtemp(prefix=f".{name}.", dir=folder))
    entity_file, label_file = folder / f"{name}.entities.parquet", folder / f"{name}.labels.parquet"
    try:
        places = strata if strata is not None else Strata.load()
        _spool_entities(spool / "entities.parquet", raw, places, report)
        _spool_labels(spool / "labels.parquet", labels)
        with duckdb.connect(
            config={"threads": 1, "memory_limit": memory_limit, "temp_directory": str(spool / "sort")}
        ) as connection:
            _mark_duplicates(connection, spool, report)
            areas = _admin_areas(connection) if hierarchy else None
            bounds, kinds = _extent(connection)
            schema = geoparquet_schema(bounds, kinds)
            report.kept = Counter()
            rows = _sorted_rows(connection, kg, name, areas, report)
            entities = write_table(entity_file, schema, rows, compression_level=compression_level)
            texts = _sorted_labels(connection, spool)
            count = write_labels(label_file, texts, compression_level=compression_level)
    finally:
        shutil.rmtree(spool, ignore_errors=True)
    return Part(
        name=name,
        entities=entities,
        labels=count,
        licence=licence,
        attribution=attribution,
        coverage=coverage,
        supplement=supplement,
        sha256={path.name: sha256_of(path) for path in (entity_file, label_file)},
        report=report.as_dict(),
    )


def _spool_entities(path: Path, raw: Iterable[pa.RecordBatch], strata: Strata, report: ImportReport) -> None:
    seq = 0
    with pq.ParquetWriter(path, _SPOOL, compression="lz4") as writer:
        for batch in raw:
            for start in range(0, batch.num_rows, BATCH_ROWS):
                part = batch.slice(start, BATCH_ROWS)
                table = complete(part, strata, report)
                order = pa.array(np.arange(seq, seq + table.num_rows), pa.int64())
                writer.write_table(table.append_column("seq", order).select(_SPOOL.names).cast(_SPOOL))
                seq += table.num_rows


def complete(batch: pa.RecordBatch, strata: Strata, report: ImportReport) -> pa.Table:
    """The rows of a RAW_SCHEMA batch that can be kept, with every column a row gives of itself.

    ``admin`` stays null where it is not stated. Drops are counted in ``report``.
    """
    geometries, causes = clean(batch.column("geometry").to_pylist(), batch.column("kind").to_pylist())
    iris = batch.column("iri").to_pylist()
    lon, lat = np.full(len(causes), np.nan), np.full(len(causes), np.nan)
    good = np.flatnonzero(causes == "")
    lon[good], lat[good] = centroid(geometries[good]) if len(good) else (lon[good], lat[good])
    causes[(causes == "") & ~np.isfinite(lon)] = "centroid_undefined"
    for row in np.flatnonzero(causes != "").tolist():
        report.drop(causes[row], iris[row])
    keep = np.flatnonzero(causes == "")
    rows = pa.Table.from_batches([batch]).take(pa.array(keep))
    geometry, lon, lat = geometries[keep], np.round(lon[keep], 7) + 0.0, np.round(lat[keep], 7) + 0.0
    kind = np.array(rows.column("kind").to_pylist(), dtype=object)
    country = _countries(rows.column("country").to_pylist(), lon, lat, strata, report)
    columns: dict[str, Any] = {name: rows.column(name) for name in rows.column_names}
    for name in _TIMES:
        columns[name] = rows.column(name).cast(pa.int64())
    box = np.asarray(shapely.bounds(geometry)).reshape(-1, 4)
    length = np.zeros(len(keep))
    surface, line = kind == "surface", kind == "line"
    if surface.any():
        length[surface] = perimeter_km(geometry[surface])
    if line.any():
        length[line] = length_km(geometry[line])
    area = area_km2(geometry[surface]) if surface.any() else np.zeros(0)
    whole = np.zeros(len(keep))
    whole[surface] = area
    columns |= {
        "geometry": pa.array(shapely.to_wkb(geometry).tolist(), pa.binary()),
        "bbox": pa.StructArray.from_arrays([pa.array(box[:, i]) for i in range(4)], fields=list(BBOX)),
        "ref_lon": pa.array(lon),
        "ref_lat": pa.array(lat),
        "main_share": pa.array(main_share(geometry) if len(keep) else np.zeros(0)),
        "area_km2": pa.array(whole, mask=~surface),
        "length_km": pa.array(length, mask=kind == "point"),
        "country": pa.array(country, pa.string()),
        "continent": pa.array(strata.continent(country), pa.string()),
        "subregion": pa.array(strata.subregion(country), pa.string()),
        "income": pa.array(strata.income(country), pa.string()),
        "density": pa.array(strata.density(lon, lat), pa.string()),
        "h3": pa.array(cells_of(lon, lat, H3_RESOLUTION), pa.uint64()),
        "curve": pa.array(s2.leaf(lon, lat), pa.uint64()),
    }
    return pa.table(columns)


def _countries(stated: list[str | None], lon: Any, lat: Any, strata: Strata, report: ImportReport) -> Any:
    """Stated countries that the strata know, else the country of the reference point."""
    out = np.empty(len(stated), dtype=object)
    out[:] = stated
    open_rows = np.array([code not in strata.attributes for code in stated], dtype=bool)
    unknown = sorted({code for code in stated if code is not None and code not in strata.attributes})
    for code in unknown:
        note = f"The country code {code} is not in the strata: the country of the reference point is taken."
        if note not in report.notes:
            report.notes.append(note)
    if open_rows.any():
        out[open_rows] = strata.country(lon[open_rows], lat[open_rows])
    return out


def _spool_labels(path: Path, labels: Iterable[pa.RecordBatch]) -> None:
    with pq.ParquetWriter(path, LABEL_SCHEMA, compression="lz4") as writer:
        for batch in labels:
            writer.write_table(pa.Table.from_batches([batch]).cast(LABEL_SCHEMA))


def _mark_duplicates(connection: duckdb.DuckDBPyConnection, spool: Path, report: ImportReport) -> None:
    """Make the view ``entity`` of the spool's rows with the first row of each IRI."""
    source = _quoted(spool / "entities.parquet")
    connection.execute(f"CREATE VIEW spool AS SELECT * FROM read_parquet('{source}')")
    connection.execute(
        "CREATE TEMP TABLE again AS SELECT seq, iri FROM (SELECT seq, iri, "
        "row_number() OVER (PARTITION BY iri ORDER BY seq) AS n FROM spool) WHERE n > 1"
    )
    for seq, iri in connection.execute("SELECT seq, iri FROM again ORDER BY seq").fetchall():
        report.drop("duplicate_iri", f"{iri} (row {seq})")
    connection.execute("CREATE VIEW entity AS SELECT * FROM spool WHERE seq NOT IN (SELECT seq FROM again)")


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")


def _admin_areas(connection: duckdb.DuckDBPyConnection) -> AdminAreas:
    rows = connection.execute(
        "SELECT iri, geometry, level FROM entity WHERE kind = 'surface' AND level IS NOT NULL ORDER BY iri"
    ).fetchall()
    wkb = np.empty(len(rows), dtype=object)
    wkb[:] = [row[1] for row in rows]
    return AdminAreas([row[0] for row in rows], shapely.from_wkb(wkb), [row[2] for row in rows])


def _extent(
    connection: duckdb.DuckDBPyConnection,
) -> tuple[tuple[float, float, float, float] | None, list[str]]:
    row = connection.execute(
        "SELECT min(bbox.xmin), min(bbox.ymin), max(bbox.xmax), max(bbox.ymax), "
        "list(DISTINCT kind) FROM entity"
    ).fetchone()
    if row is None or row[0] is None:
        return None, []
    return (row[0], row[1], row[2], row[3]), row[4]


def _sorted_rows(
    connection: duckdb.DuckDBPyConnection, kg: str, layer: str, areas: AdminAreas | None, report: ImportReport
) -> Iterator[pa.RecordBatch]:
    reader = connection.execute("SELECT * FROM entity ORDER BY curve, iri").to_arrow_reader(ROW_GROUP)
    for batch in reader:
        table = pa.Table.from_batches([batch])
        columns: dict[str, Any] = {n: table.column(n) for n in _SPOOL.names if n in ENTITY_SCHEMA.names}
        for name in _TIMES:
            columns[name] = table.column(name).cast(pa.timestamp("ms", tz="UTC"))
        columns["kg"] = pa.array([kg] * len(table), pa.string())
        columns["layer"] = pa.array([layer] * len(table), pa.string())
        columns["admin"] = _parents(table, areas)
        report.kept.update(table.column("kind").to_pylist())
        out = pa.table({name: columns[name] for name in ENTITY_SCHEMA.names}).cast(ENTITY_SCHEMA)
        yield from out.combine_chunks().to_batches()


def _parents(table: pa.Table, areas: AdminAreas | None) -> pa.Array:
    """The admin column: as stated; where null, by containment or empty."""
    stated = table.column("admin").combine_chunks()
    values: list[list[str] | None] = stated.to_pylist()
    missing = np.flatnonzero(pc.is_null(stated).to_numpy(zero_copy_only=False))
    found: list[list[str]] = [[] for _ in missing]
    if areas is not None and len(areas) and len(missing):
        some = table.take(pa.array(missing))
        wkb = np.empty(len(missing), dtype=object)
        wkb[:] = some.column("geometry").to_pylist()
        level = np.asarray(pc.fill_null(some.column("level").cast(pa.int64()), NO_LEVEL).to_numpy())
        found = areas.parent_column(shapely.from_wkb(wkb), level).to_pylist()
    for row, parents in zip(missing.tolist(), found, strict=True):
        values[row] = parents
    return pa.array(values, pa.list_(pa.string()))


def _sorted_labels(connection: duckdb.DuckDBPyConnection, spool: Path) -> Iterator[pa.RecordBatch]:
    reader = connection.execute(
        "SELECT DISTINCT l.iri, l.lang, l.label, l.kind, e.curve FROM "
        f"read_parquet('{_quoted(spool / 'labels.parquet')}') l JOIN entity e USING (iri) "
        "ORDER BY e.curve, l.iri, l.lang, l.kind DESC, l.label"
    ).to_arrow_reader(ROW_GROUP)
    for batch in reader:
        yield pa.RecordBatch.from_arrays([batch.column(n) for n in LABEL_SCHEMA.names], schema=LABEL_SCHEMA)
