"""Rows of other tables: Parquet, JSON Lines or CSV files, or a folder of them, each row with its place."""

from __future__ import annotations

import csv
import json
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from multiglobeqa.errors import InputError

SUFFIXES: Final = (".parquet", ".jsonl", ".csv")
_MEND: Final = f"Name a {', '.join(SUFFIXES)} file, or a folder of them."


@dataclass(frozen=True)
class ForeignRow:
    """One row: the file, its row (Parquet, from 1) or line, and its values by their columns."""

    file: Path
    place: int
    values: dict[str, Any]


def table_files(path: str | Path) -> list[Path]:
    """The table files of a path, sorted. Raises InputError where there is none."""
    source = Path(path)
    if source.is_file():
        found = [source] if source.suffix in SUFFIXES else []
    elif source.is_dir():
        found = sorted(file for file in source.iterdir() if file.suffix in SUFFIXES and file.is_file())
    else:
        raise InputError("does not exist.", source=source, mend=_MEND)
    if not found:
        raise InputError("is no table.", source=source, mend=_MEND)
    return found


def columns_of(file: Path) -> list[str]:
    """The columns of a table file; of JSON Lines, those of any row."""
    if file.suffix == ".parquet":
        return list(_parquet(file).schema_arrow.names)
    if file.suffix == ".csv":
        with _csv(file) as reader:
            head: list[str] = next(reader, [])
            return head
    names: dict[str, None] = {}
    for row in _json_lines(file):
        names.update(dict.fromkeys(row.values))
    return list(names)


def rows_of(file: Path, columns: Collection[str]) -> Iterator[ForeignRow]:
    """The rows of a table file; of Parquet only these columns. CSV values are text; an empty one is null.

    Raises InputError naming the file and the line that cannot be read.
    """
    match file.suffix:
        case ".parquet":
            yield from _parquet_rows(file, columns)
        case ".csv":
            yield from _csv_rows(file)
        case _:
            yield from _json_lines(file)


def _parquet(file: Path) -> pq.ParquetFile:
    try:
        return pq.ParquetFile(file)
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(f"cannot be read as Parquet: {error}.", source=file, mend=_MEND) from error


def _parquet_rows(file: Path, columns: Collection[str]) -> Iterator[ForeignRow]:
    place = 0
    opened = _parquet(file)
    wanted = [name for name in opened.schema_arrow.names if name in columns]
    for batch in opened.iter_batches(4096, columns=wanted):
        for values in batch.to_pylist():
            place += 1
            yield ForeignRow(file, place, values)


@contextmanager
def _csv(file: Path) -> Iterator[Any]:
    """A reader of a CSV file; what it cannot read is an InputError."""
    try:
        with file.open(encoding="utf-8-sig", newline="") as stream:
            yield csv.reader(stream, strict=True)
    except (csv.Error, UnicodeDecodeError) as error:
        raise InputError(
            f"cannot be read as CSV: {error}.", source=file, mend="Save it as UTF-8 CSV."
        ) from error


def _csv_rows(file: Path) -> Iterator[ForeignRow]:
    with _csv(file) as reader:
        names: list[str] = next(reader, [])
        for cells in reader:
            if not cells:
                continue
            if len(cells) != len(names):
                raise InputError(
                    f"has {len(cells)} cells, and the head has {len(names)}.",
                    source=file,
                    place=reader.line_num,
                    mend="Mend the line.",
                )
            values = {name: cell if cell != "" else None for name, cell in zip(names, cells, strict=True)}
            yield ForeignRow(file, reader.line_num, values)


def _json_lines(file: Path) -> Iterator[ForeignRow]:
    try:
        with file.open(encoding="utf-8") as stream:
            for number, line in enumerate(stream, 1):
                if not line.strip():
                    continue
                try:
                    values = json.loads(line)
                except (ValueError, RecursionError) as error:
                    raise InputError(
                        f"is not JSON: {error}.", source=file, place=number, mend="Mend the line."
                    ) from error
                if not isinstance(values, dict):
                    raise InputError(
                        "is no object.", source=file, place=number, mend="Write one object a line."
                    )
                yield ForeignRow(file, number, values)
    except UnicodeDecodeError as error:
        raise InputError("is not UTF-8.", source=file, place=f"byte {error.start}", mend=_MEND) from error
