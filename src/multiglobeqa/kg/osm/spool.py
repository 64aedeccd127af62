"""Rows on their way to disk: Arrow IPC files in a folder that goes when its last reader goes."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

ROWS: Final = 16_384
"""Rows kept in memory before they are written."""


class Workspace:
    """A temporary folder; it is removed when no one refers to it any more."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="mgqa-osm-", ignore_cleanup_errors=True)
        self.path = Path(self._folder.name)


class Spool:
    """Rows of one schema, written in batches to one IPC file and read back in order."""

    def __init__(self, workspace: Workspace, name: str, schema: pa.Schema) -> None:
        self._workspace = workspace
        self._path = workspace.path / f"{name}.arrow"
        self.schema = schema
        self._columns: dict[str, list[Any]] = {field: [] for field in schema.names}
        self._writer: pa.RecordBatchFileWriter | None = None
        self.rows = 0

    def add(self, row: Mapping[str, Any]) -> None:
        """Add one row; absent fields are null."""
        for field, values in self._columns.items():
            values.append(row.get(field))
        self.rows += 1
        if len(values) >= ROWS:
            self.flush()

    def flush(self) -> None:
        """Write what is in memory."""
        first = next(iter(self._columns.values()))
        if not first:
            return
        arrays = [pa.array(self._columns[field.name], field.type) for field in self.schema]
        self.write(pa.RecordBatch.from_arrays(arrays, schema=self.schema))
        for values in self._columns.values():
            values.clear()

    def write(self, batch: pa.RecordBatch) -> None:
        """Write one batch of the schema."""
        if self._writer is None:
            self._writer = pa.ipc.new_file(
                str(self._path), self.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")
            )
        self._writer.write_batch(batch)

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Close the file and yield its batches, one in memory at a time."""
        self.flush()
        if self._writer is None:
            return
        self._writer.close()
        workspace = self._workspace  # keeps the folder while the file is read
        with pa.OSFile(str(self._path)) as stream:
            reader = pa.ipc.open_file(stream)
            for index in range(reader.num_record_batches):
                yield reader.get_batch(index)
        del workspace


def pack(value: object) -> str:
    """JSON text of a value for a spool column."""
    return json.dumps(value, ensure_ascii=False)
