"""Lines that keep to the run log's form, many at once.

Arrow reads a block of JSON Lines in which each line is an object with an ``id`` that is a text, a ``text`` (or one of
the runner's statuses) and otherwise fields of the run log in their own types; other keys are passed over, as they are
line by line. Any block that is not so (a broken line, a number as id, an answer instead of a text) is left to be read
line by line, which says what is wrong.
"""

from __future__ import annotations

import io
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json as paj

from multiglobeqa.evaluate.predictions.record import COSTS, RUNNER, SCHEMA, TEXT, RecordError
from multiglobeqa.evaluate.predictions.rows import language_code
from multiglobeqa.evaluate.predictions.source import Block

_OWN: Final = ("id", "language", "model", "tier", "seed", "final", "attempt", *COSTS)
_FIELDS: Final = pa.schema(
    [
        *(pa.field(name, SCHEMA.field(name).type) for name in _OWN),
        *(pa.field(name, pa.string()) for name in ("text", "status", "error", "reason")),
    ]
)
_DEFAULTS: Final = {"model": "", "tier": "", "seed": 0}
_ID: Final = "^[0-9A-Za-z]+$"


def bulk_table(block: Block) -> pa.Table | None:
    """The block's replies as a table of ``record.SCHEMA``; None where it must be read line by line."""
    data = block.data
    if block.number == 1 and data.startswith(b"\xef\xbb\xbf"):
        data = data[3:]
    try:
        data.decode("utf-8")
        found = paj.read_json(
            io.BytesIO(data),
            read_options=paj.ReadOptions(use_threads=False, block_size=len(data) + 1),
            parse_options=paj.ParseOptions(explicit_schema=_FIELDS, unexpected_field_behavior="ignore"),
        )
    except (pa.ArrowInvalid, UnicodeDecodeError):
        return None
    lines = data.count(b"\n") + (not data.endswith(b"\n"))
    if found.num_rows != lines or found["id"].null_count:
        return None
    columns: dict[str, Any] = {name: found[name].combine_chunks() for name in _FIELDS.names}
    if not _all(pc.match_substring_regex(columns["id"], _ID)) or not _costs_fit(columns):
        return None
    stated = pc.index_in(columns["status"], value_set=pa.array(list(RUNNER)))
    runner = pc.is_valid(stated)
    if not _all(pc.or_(runner, pc.is_valid(columns["text"]))):
        return None
    language = _languages(columns["language"])
    if language is None:
        return None
    kinds = pa.array([RUNNER[name] for name in RUNNER], pa.int8())
    why = pc.coalesce(_text(columns["error"]), _text(columns["reason"]), "")
    columns |= {
        "place": pa.array(np.arange(block.number, block.number + lines)),
        "number": pa.repeat(False, lines),
        "language": language,
        "kind": pc.coalesce(kinds.take(stated), pa.scalar(TEXT, pa.int8())),
        "body": pc.if_else(runner, None, columns["text"]),
        "reason": pc.if_else(runner, why, ""),
        "otherwise": pa.repeat(pa.scalar(0, pa.int8()), lines),
        **{name: pc.fill_null(columns[name], value) for name, value in _DEFAULTS.items()},
    }
    return pa.Table.from_arrays([columns[field.name].cast(field.type) for field in SCHEMA], schema=SCHEMA)


def _all(mask: Any) -> bool:
    return bool(pc.all(mask, min_count=0).as_py())


def _text(column: Any) -> Any:
    """A column of texts, the empty ones as null."""
    return pc.if_else(pc.equal(column, ""), None, column)


def _costs_fit(columns: dict[str, Any]) -> bool:
    """Whether no cost is an infinity, which a line alone would not count."""
    floats = (columns[name] for name in COSTS if pa.types.is_floating(columns[name].type))
    return all(_all(pc.fill_null(pc.is_finite(column), True)) for column in floats)


def _languages(column: Any) -> Any:
    """ISO 639-3 codes; None where one is no code."""
    coded = column.dictionary_encode()
    try:
        names = [language_code(name) for name in coded.dictionary.to_pylist()]
    except RecordError:
        return None
    return pa.array(names, pa.string()).take(coded.indices)
