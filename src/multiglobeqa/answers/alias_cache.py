"""Flat arrays in one Arrow IPC file, read by mapping it into memory."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from multiglobeqa.kg.store import replacing


def write_arrays(path: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays; the file appears whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fields = [
        pa.field(name, pa.large_binary(), metadata={"dtype": array.dtype.str})
        for name, array in arrays.items()
    ]
    columns = [pa.array([array.tobytes()], pa.large_binary()) for array in arrays.values()]
    batch = pa.record_batch(columns, schema=pa.schema(fields))
    with replacing(path) as temporary, pa.ipc.new_file(str(temporary), batch.schema) as writer:
        writer.write_batch(batch)


def read_arrays(path: Path) -> dict[str, NDArray[Any]] | None:
    """Arrays as views of the mapped file; None where there is no such file or it is broken."""
    try:
        batch = pa.ipc.open_file(pa.memory_map(str(path))).get_batch(0)
        return {
            field.name: _view(column, np.dtype(field.metadata[b"dtype"].decode()))
            for field, column in zip(batch.schema, batch.columns, strict=True)
        }
    except (OSError, ValueError, TypeError):  # a field of another file has no dtype
        return None


def _view(column: pa.Array, dtype: np.dtype[Any]) -> NDArray[Any]:
    return np.frombuffer(column[0].as_buffer(), dtype)
