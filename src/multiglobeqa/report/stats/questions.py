"""Reading the questions of a benchmark folder, a release folder or a file, without their triples."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from multiglobeqa.build import variants
from multiglobeqa.build.released import TRIPLES, files_of, json_lines
from multiglobeqa.build.schema import QUESTION_SCHEMA
from multiglobeqa.errors import InputError
from multiglobeqa.kg.store import require_parquet

REQUIRED: Final = (
    "id", "kg", "family", "template", "subtemplate", "paraphrase", "language", "question", "format", "gold", "roles",
    "params", "entities", "premise",
)  # fmt: skip
FILLED: Final[dict[str, Any]] = {
    "snapshot_id": "", "country": None, "continent": None, "income": None, "density": None, "lon": None, "lat": None,
    "premise_failure": None, "modality": "text", "image": None, "slips": "{}", "accepted": [], "accepted_iris": [],
}  # fmt: skip
"""Columns that a file may lack, and what then stands in them."""
_JSON: Final = ("gold", "roles", "params", "image", "slips")
_MEND: Final = "Name a benchmark folder, a release folder, or a Parquet or JSON Lines file of questions."
SPLITS: Final = ("test", "train")


@dataclass(frozen=True)
class Questions:
    """The questions, each once.

    ``table``: columns `REQUIRED`, those of `FILLED`, and ``facts``, the number of gold triples. ``small``: (n,) which
    are in the small variant. ``files``: what was read. ``repeated``: rows left out because they repeat another's id
    and language; a release repeats by design and counts none.
    """

    path: Path
    files: list[Path]
    table: pa.Table
    small: NDArray[np.bool_]
    repeated: int = 0

    @property
    def language(self) -> str:
        """The language that is counted: English where there is one, else the first."""
        codes: list[str] = self.table["language"].unique().to_pylist()
        return min(codes, key=lambda code: (code != "eng", code))

    def counted(self) -> Questions:
        """The questions of one language: translations repeat them."""
        keep = np.asarray(pc.equal(self.table["language"], self.language))
        return Questions(
            self.path, self.files, self.table.filter(pa.array(keep)), self.small[keep], self.repeated
        )

    def column(self, name: str) -> list[Any]:
        """A column as a list."""
        values: list[Any] = self.table[name].to_pylist()
        return values

    def by_language(self) -> Counter[str]:
        """Questions by language."""
        return Counter(self.column("language"))


def read(path: str | Path, split: str = "test") -> Questions:
    """Read the questions of one split; folders and files without splits are all ``test``.

    A release repeats the questions of its large variant in the small one: they are counted once.

    Raises
    ------
    InputError : a file cannot be read, lacks a column, holds no JSON where it should, or gives one id and language
        to two questions; or no question is there.
    """
    source = Path(path)
    released = source.is_dir() and not (source / "questions.parquet").is_file()
    found = [file for file in files_of(source) if not released or file.name.startswith(f"{split}-")]
    if not released and split != "test":
        raise InputError(f"has no split {split!r}.", source=source, mend="Only a release folder has splits.")
    tables = [_read(file) for file in found]
    if not sum(table.num_rows for table in tables):
        raise InputError(f"holds no questions of the split {split!r}.", source=source, mend=_MEND)
    whole = pa.concat_tables(tables).combine_chunks()
    first = _first_of_each(whole, source)
    table = whole.take(pa.array(first))
    if released:
        drawn = np.repeat(
            [file.parent.name.startswith("small") for file in found], [table.num_rows for table in tables]
        )
        small = np.isin(_keys(table), _keys(whole)[drawn])
    else:
        small = variants.chosen(table)
    repeated = 0 if released else whole.num_rows - table.num_rows
    return Questions(source, found, table, small, repeated)


def _keys(table: pa.Table) -> NDArray[Any]:
    joined = pc.binary_join_element_wise(table["id"], table["language"], " ")
    return np.asarray(joined.to_pylist(), dtype=np.str_)


def _first_of_each(table: pa.Table, source: Path) -> NDArray[np.int64]:
    """The rows at which an id and language stand first, ascending; the others must repeat them."""
    _, first, group = np.unique(_keys(table), return_index=True, return_inverse=True)
    for name in ("question", "gold", "subtemplate"):
        values = pc.fill_null(table[name], "\N{EMPTY SET}")
        differs = np.asarray(pc.not_equal(values, values.take(pa.array(first[group]))))
        if differs.any():
            identity = table["id"][int(np.flatnonzero(differs)[0])].as_py()
            raise InputError(
                f"has two questions of the id {identity}: their {name} differs.",
                source=source, place=identity, mend="Take one benchmark at a time.",
            )  # fmt: skip
    rows: NDArray[np.int64] = np.sort(first)
    return rows


def _read(file: Path) -> pa.Table:
    raw = _lines(file) if file.suffix == ".jsonl" else _parquet(file)
    if missing := [name for name in REQUIRED if name not in raw.column_names]:
        raise InputError(
            f"has no column {missing[0]}.", source=file,
            mend="It is no file of questions; another benchmark's goes through `mgqa import-benchmark`.",
        )  # fmt: skip
    columns = {}
    for name in (*REQUIRED, *FILLED):
        kind = QUESTION_SCHEMA.field(name).type
        try:
            columns[name] = (
                raw[name].cast(kind)
                if name in raw.column_names
                else pa.chunked_array([pa.array([FILLED[name]] * raw.num_rows, kind)])
            )
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise InputError(f"column {name} is not of {kind}: {error}.", source=file) from error
        if name in REQUIRED and name != "gold" and columns[name].null_count:
            row = int(np.flatnonzero(np.asarray(columns[name].is_null()))[0])
            raise InputError(f"has no {name}.", source=file, place=f"row {row + 1}")
    columns["facts"] = raw["facts"].cast(pa.int32())
    return pa.table(columns)


def _parquet(file: Path) -> pa.Table:
    require_parquet(file, mend=_MEND)
    try:
        names = pq.read_schema(file).names
        counted = "fact_ids" if "fact_ids" in names else TRIPLES
        wanted = [name for name in names if name in (*REQUIRED, *FILLED, counted)]
        table = pq.read_table(file, columns=wanted)
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"cannot be read as Parquet: {error}.", source=file, mend=_MEND) from error
    if counted not in names:
        return table.append_column("facts", pa.nulls(table.num_rows, pa.int32()))
    return table.append_column("facts", pc.list_value_length(table[counted])).drop_columns([counted])


def _lines(file: Path) -> pa.Table:
    rows = []
    for number, row in json_lines(file):
        facts = row.get("fact_ids", row.get(TRIPLES))
        kept = {
            name: json.dumps(row[name], ensure_ascii=False)
            if name in _JSON and not isinstance(row[name], str | None)
            else row[name]
            for name in (*REQUIRED, *FILLED)
            if name in row
        }
        if missing := [name for name in REQUIRED if name not in kept]:
            raise InputError(f"has no column {missing[0]}.", source=file, place=number)
        rows.append({**kept, "facts": None if facts is None else len(facts)})
    schema = pa.schema([*(QUESTION_SCHEMA.field(n).with_nullable(True) for n in (*REQUIRED, *FILLED)),
                        pa.field("facts", pa.int32())])  # fmt: skip
    try:
        return pa.Table.from_pylist([{**FILLED, **row} for row in rows], schema=schema)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise InputError(f"is no file of questions: {error}.", source=file, mend=_MEND) from error


def decoded(questions: Questions, name: str) -> list[Any]:
    """A JSON column decoded, None where it is null. Raises InputError naming the question."""
    out: list[Any] = []
    for identity, text in zip(questions.column("id"), questions.column(name), strict=True):
        try:
            out.append(None if text is None else json.loads(text))
        except ValueError as error:
            raise InputError(
                f"{name} of question {identity} is not JSON: {error}.", source=questions.path, place=identity
            ) from error
    return out
