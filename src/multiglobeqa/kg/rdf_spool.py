"""Disk-backed tables for the RDF importers: triples in, entity and label batches out, bounded memory.

Triples go into a DuckDB file in a temporary folder, are joined and sorted there (DuckDB spills beyond
``memory``), and are assembled by ranges of subjects. Results wait in Arrow files until they are read. The
folder goes when the last iterator is read to its end or dropped.
"""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import duckdb
import pyarrow as pa

from multiglobeqa.kg import rdf
from multiglobeqa.kg.rdf_columns import TRIPLE_SCHEMA
from multiglobeqa.kg.report import ImportReport
from multiglobeqa.kg.schema import LABEL_SCHEMA, RAW_SCHEMA

RANGE_ROWS: Final = 100_000
"""Entities assembled at once."""
_INSERT_ROWS: Final = 200_000

JSON: Final = "urn:json"
"""Datatype of objects that are JSON already (made by the importer)."""
_XSD: Final = "http://www.w3.org/2001/XMLSchema#"
_INTEGERS: Final = ", ".join(f"'{_XSD}{name}'" for name in ("integer", "int", "long", "short"))
_NUMBERS: Final = ", ".join(f"'{_XSD}{name}'" for name in ("double", "float", "decimal"))

JSON_VALUE: Final = f"""
    CASE WHEN datatype = '{JSON}' THEN o
         WHEN datatype IN ({_INTEGERS}) AND TRY_CAST(o AS HUGEINT) IS NOT NULL
             THEN CAST(TRY_CAST(o AS HUGEINT) AS VARCHAR)
         WHEN datatype IN ({_NUMBERS}) AND isfinite(TRY_CAST(o AS DOUBLE))
             THEN CAST(TRY_CAST(o AS DOUBLE) AS VARCHAR)
         WHEN datatype = '{_XSD}boolean' AND o IN ('true', 'false') THEN o
         ELSE CAST(to_json(o) AS VARCHAR) END
"""
"""SQL: the JSON value of a triple's object (columns o, datatype); numbers and booleans keep their type."""


def json_object(source: str) -> str:
    """SQL of one JSON object for each ``iri`` from rows ``(iri, key, value)`` of JSON values, keys sorted.

    A key with several distinct values gives their sorted list.
    """
    return f"""
        SELECT iri,
            '{{' || string_agg(CAST(to_json(key) AS VARCHAR) || ': ' || value, ', ' ORDER BY key) || '}}' AS
            attributes
        FROM (
            SELECT iri, key, CASE WHEN count(DISTINCT value) = 1 THEN min(value)
                   ELSE '[' || string_agg(DISTINCT value, ', ' ORDER BY value) || ']' END AS value
            FROM ({source}) GROUP BY iri, key
        ) GROUP BY iri
    """


class Spool:
    """A temporary folder with a DuckDB file (``con``, table ``t`` of triples) and two output files."""

    def __init__(self, *, memory: str = "1GB", threads: int = 2, directory: str | Path | None = None) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="mgqa-rdf-", dir=directory))
        self._remove = weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)
        self.con = duckdb.connect(
            str(self.path / "triples.duckdb"),
            config={
                "memory_limit": memory,
                "threads": threads,
                "temp_directory": str(self.path / "spill"),
                "autoinstall_known_extensions": False,
                "autoload_known_extensions": False,
            },
        )
        self.con.execute("SET TimeZone = 'UTC'")
        self.con.execute(
            "CREATE TABLE t (s VARCHAR, p VARCHAR, o VARCHAR, literal BOOLEAN, lang VARCHAR,"
            " datatype VARCHAR)"
        )
        self._writers: dict[str, Any] = {}

    def load(self, path: str | Path, report: ImportReport) -> None:
        """Read a file's triples into table ``t``."""
        waiting: list[pa.RecordBatch] = []
        for batch in rdf.read(path, report):
            waiting.append(batch)
            if sum(b.num_rows for b in waiting) >= _INSERT_ROWS:
                self._insert(waiting)
                waiting = []
        self._insert(waiting)

    def _insert(self, batches: list[pa.RecordBatch]) -> None:
        if batches:
            table = pa.Table.from_batches(batches, schema=TRIPLE_SCHEMA)
            self.con.register("incoming", table)
            self.con.execute("INSERT INTO t SELECT * FROM incoming")
            self.con.unregister("incoming")

    def table(self, name: str, columns: dict[str, list[Any]], types: dict[str, str]) -> None:
        """Make a small table from Python columns; ``types`` are DuckDB's."""
        fields = ", ".join(f"{column} {kind}" for column, kind in types.items())
        self.con.execute(f"CREATE OR REPLACE TABLE {name} ({fields})")
        if columns and len(next(iter(columns.values()))):
            incoming = pa.table({column: columns[column] for column in types})
            self.con.register("incoming", incoming)
            self.con.execute(f"INSERT INTO {name} SELECT * FROM incoming")
            self.con.unregister("incoming")

    def rows(self, sql: str, parameters: list[Any] | None = None) -> list[tuple[Any, ...]]:
        """Run a query whose answer is small."""
        return self.con.execute(sql, parameters or []).fetchall()

    def arrow(self, sql: str, parameters: list[Any] | None = None) -> pa.Table:
        """Run a query and give its answer as an Arrow table."""
        result: Any = self.con.execute(sql, parameters or []).arrow()
        return result.read_all() if isinstance(result, pa.RecordBatchReader) else result

    def ranges(self, table: str, column: str) -> list[tuple[str, str | None]]:
        """Half-open ranges [from, to) of ``column`` of about RANGE_ROWS rows each; the table is sorted by
        it.
        """
        bounds = self.rows(
            f"SELECT DISTINCT {column} FROM {table} WHERE rowid % {RANGE_ROWS} = 0 AND rowid > 0 ORDER BY 1"
        )
        starts = ["", *(row[0] for row in bounds)]
        return list(zip(starts, [*starts[1:], None], strict=True))

    def write(self, kind: str, batch: pa.RecordBatch | pa.Table) -> None:
        """Append to the output ``raw`` or ``labels``."""
        schema = {"raw": RAW_SCHEMA, "labels": LABEL_SCHEMA}[kind]
        if kind not in self._writers:
            self._writers[kind] = pa.ipc.new_file(
                self.path / f"{kind}.arrow", schema, options=pa.ipc.IpcWriteOptions(compression="zstd")
            )
        table = batch if isinstance(batch, pa.Table) else pa.Table.from_batches([batch])
        self._writers[kind].write_table(table.cast(schema), max_chunksize=65_536)

    def finish(self) -> tuple[Iterator[pa.RecordBatch], Iterator[pa.RecordBatch]]:
        """Close the database and give the iterators over the two outputs."""
        self.con.close()
        for writer in self._writers.values():
            writer.close()
        return self._read("raw"), self._read("labels")

    def _read(self, kind: str) -> Iterator[pa.RecordBatch]:
        if kind in self._writers:
            with pa.OSFile(str(self.path / f"{kind}.arrow")) as file, pa.ipc.open_file(file) as reader:
                for number in range(reader.num_record_batches):
                    yield reader.get_batch(number)

    def close(self) -> None:
        """Remove the folder now (after an error)."""
        self.con.close()
        self._remove()
