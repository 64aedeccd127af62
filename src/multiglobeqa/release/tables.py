"""The question tables of a release: a source folder in, Parquet files with the triples inside each row out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from multiglobeqa.build.schema import FACT_SCHEMA, QUESTION_SCHEMA
from multiglobeqa.errors import InputError
from multiglobeqa.kg.store import require_parquet

TRIPLES: Final = "triples"
"""The column that a release adds: the N-Triples lines of ``fact_ids``, in their order."""

SHARD_ROWS: Final = 65_536
_GROUP_ROWS: Final = 8_192
_DICTIONARY_BYTES: Final = 64 << 20
"""A triple stands in many rows: one dictionary a row group keeps each once (a third less than plain pages)."""
_MEND: Final = "Make a benchmark with `mgqa build`."


@dataclass(frozen=True)
class Source:
    """A benchmark folder: its questions, and its facts sorted by ``fact_id``."""

    path: Path
    questions: pa.Table
    facts: pa.Table


@dataclass(frozen=True)
class Split:
    """One split of one config: rows with all columns but ``triples``, and the facts they name."""

    language: str
    variant: str
    name: str  # test | train
    questions: pa.Table
    facts: pa.Table
    metadata: dict[bytes, bytes] | None = None  # of the Parquet schema

    @property
    def config(self) -> str:
        """The config's name, such as ``eng-large``."""
        return f"{self.language}-{self.variant}"

    @property
    def folder(self) -> str:
        """Where its files stand, from the release's root."""
        return f"data/{self.language}/{self.variant}"


def read_source(directory: str | Path) -> Source:
    """Read a benchmark folder.

    A nullable column that the folder was made without is filled with nulls; further columns are kept.

    Raises
    ------
    InputError : a file is missing, no whole Parquet file, or lacks a column; or a question names a missing fact.
    """
    path = Path(directory)
    questions = _read(path / "questions.parquet", QUESTION_SCHEMA)
    facts = _read(path / "facts.parquet", FACT_SCHEMA).sort_by("fact_id").combine_chunks()
    source = Source(path, questions, facts)
    _check_facts(source)
    return source


def _read(file: Path, schema: pa.Schema) -> pa.Table:
    if not file.is_file():
        raise InputError("is not there.", source=file, mend=_MEND)
    require_parquet(file, mend=_MEND)
    try:
        table = pq.read_table(file)
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(f"cannot be read as Parquet: {error}.", source=file, mend=_MEND) from error
    for place, column in enumerate(schema):
        if column.name in table.column_names:
            continue
        if not column.nullable:
            raise InputError(f"has no column {column.name!r}.", source=file, mend=_MEND)
        table = table.add_column(place, column, pa.nulls(table.num_rows, column.type))
    return table


def _check_facts(source: Source) -> None:
    lists = source.questions["fact_ids"].combine_chunks()
    missing = pc.invert(pc.is_in(lists.flatten(), value_set=source.facts["fact_id"].combine_chunks()))
    if pc.any(missing).as_py():
        row = pc.list_parent_indices(lists).filter(missing)[0].as_py()
        raise InputError(
            f"question {source.questions['id'][row].as_py()} names fact {lists.flatten().filter(missing)[0]}, "
            "which is not there.",
            source=source.path / "facts.parquet",
            mend=_MEND,
        )


def with_triples(questions: pa.Table, facts: pa.Table) -> pa.Table:
    """Questions with the column ``triples`` at the end. ``facts``: sorted by ``fact_id``, none missing."""
    ids = questions["fact_ids"].combine_chunks()
    if isinstance(ids, pa.ChunkedArray):
        ids = pa.concat_arrays(ids.chunks)
    places = np.searchsorted(facts["fact_id"].to_numpy(), ids.flatten().to_numpy(zero_copy_only=False))
    lengths = np.asarray(pc.list_value_length(ids), dtype=np.int64)
    offsets = pa.array(np.r_[0, np.cumsum(lengths)], pa.int32())
    lines = facts["triple"].combine_chunks().take(pa.array(places))
    return questions.append_column(
        pa.field(TRIPLES, pa.list_(pa.string()), nullable=False), pa.ListArray.from_arrays(offsets, lines)
    )


def write_split(root: Path, split: Split, *, shard_rows: int = SHARD_ROWS) -> list[Path]:
    """Write the files of a split, ``test-00000-of-0000N.parquet``; returns their paths, in order."""
    rows = split.questions.num_rows
    count = max(1, -(-rows // shard_rows))
    folder = root / split.folder
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for number in range(count):
        part = split.questions.slice(number * shard_rows, shard_rows)
        path = folder / f"{split.name}-{number:05d}-of-{count:05d}.parquet"
        _write(path, part, split)
        written.append(path)
    return written


def _write(path: Path, questions: pa.Table, split: Split) -> None:
    writer: pq.ParquetWriter | None = None
    for group in _groups(questions):
        table = with_triples(group, split.facts).replace_schema_metadata(split.metadata)
        if writer is None:
            writer = pq.ParquetWriter(
                path,
                table.schema,
                compression="zstd",
                compression_level=9,
                dictionary_pagesize_limit=_DICTIONARY_BYTES,
            )
        writer.write_table(table, row_group_size=_GROUP_ROWS)
    if writer is not None:
        writer.close()


def _groups(table: pa.Table) -> Iterator[pa.Table]:
    for start in range(0, max(table.num_rows, 1), _GROUP_ROWS):
        yield table.slice(start, _GROUP_ROWS)
