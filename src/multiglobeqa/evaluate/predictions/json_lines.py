"""JSON Lines: the run log, plain records, and files that hold one JSON array of records."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa

from multiglobeqa.errors import InputError
from multiglobeqa.evaluate.predictions.bulk import bulk_table
from multiglobeqa.evaluate.predictions.record import Fault, Record, RecordError
from multiglobeqa.evaluate.predictions.rows import FORM, record_of
from multiglobeqa.evaluate.predictions.source import Line, Source


class RepeatedKeyError(ValueError):
    """A key stands twice in one object."""


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    row = dict(pairs)
    if len(row) != len(pairs):
        keys = [key for key, _ in pairs]
        raise RepeatedKeyError(
            f"the key {next(k for k in keys if keys.count(k) > 1)!r} stands twice in one object"
        )
    return row


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs)


def objects(
    source: Source, lines: Iterable[Line] | None = None
) -> Iterator[tuple[int, dict[str, Any]] | Fault]:
    """The object of each line, or the fault of a line that holds none. Empty lines are nothing.

    A last line without a line break that breaks off is "truncated"; NaN is read, and its reader must refuse it.
    ``lines``: those to read, by default all and, behind them, the fault of a stream that broke off.
    """
    number = 0
    for line in source.lines() if lines is None else lines:
        number = line.number
        if line.bad is not None:
            yield encoding_fault(line, source)
        elif text := line.text.strip():
            yield _object(line, text)
    if source.cut and lines is None:
        yield cut_fault(number)


def cut_fault(number: int) -> Fault:
    """The fault of a file whose stream broke off behind a line."""
    return Fault(number, "the file breaks off here in the middle of its stream", "truncated")


def _object(line: Line, text: str) -> tuple[int, dict[str, Any]] | Fault:
    try:
        row = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        if not line.ended:
            return Fault(line.number, "the last line breaks off", "truncated")
        return Fault(line.number, f"is not JSON: {error.msg} at character {error.pos + 1}")
    except (ValueError, RecursionError) as error:
        return Fault(line.number, f"is not JSON: {error}")
    if not isinstance(row, dict):
        return Fault(line.number, f"is no object but a {type(row).__name__}")
    return line.number, row


def encoding_fault(line: Line, source: Source) -> Fault:
    """The fault of a line that is not of the file's encoding."""
    return Fault(line.number, f"byte {line.bad} is not {source.encoding.upper()}", "encoding")


def read_json_lines(source: Source, lines: Iterable[Line] | None = None) -> Iterator[Record | Fault]:
    """A record, or a fault, for each line."""
    for found in objects(source, lines):
        if isinstance(found, Fault):
            yield found
        else:
            yield from _records(*found)


def read_blocks(source: Source) -> Iterator[pa.Table | Record | Fault]:
    """As ``read_json_lines``, but one table of ``record.SCHEMA`` for a block of lines that all keep to the run log."""
    number = 0
    for block in source.blocks():
        table = bulk_table(block) if source.encoding.startswith("utf-8") or source.wide else None
        if table is not None:
            yield table
        else:
            yield from read_json_lines(source, source.lines_of(block))
        number = block.number + block.data.count(b"\n")
    if source.cut:
        yield cut_fault(number)


def read_json_array(source: Source) -> Iterator[Record | Fault]:
    """The records of a file that is one JSON array; their places are their numbers in it.

    Raises InputError where the file is not JSON: nothing can be read of an array that breaks off.
    """
    for place, row in enumerate(whole_json(source), 1):
        if isinstance(row, dict):
            yield from _records(place, row)
        else:
            yield Fault(place, f"is no object but a {type(row).__name__}")


def whole_json(source: Source) -> Any:
    """The value of a file that is one JSON text; raises InputError."""
    try:
        with source.open() as stream:
            return _DECODER.decode(stream.read().decode(source.encoding).strip())
    except UnicodeDecodeError as error:
        raise InputError(
            f"byte {error.start} is not {source.encoding.upper()}.",
            source=source.path,
            mend="Save it as UTF-8.",
        ) from error
    except (ValueError, RecursionError, EOFError, OSError) as error:
        raise InputError(
            f"is not JSON: {error}.", source=source.path, mend="Write JSON Lines: of a file that breaks off they keep "
            "all that is whole.",
        ) from error  # fmt: skip


def _records(place: int, row: dict[str, Any]) -> tuple[Record | Fault, ...]:
    try:
        record, bad_costs = record_of(row, place)
    except RecordError as error:
        return (Fault(place, f"is no reply: {error}; its keys: {', '.join(map(str, row)) or 'none'}"),)
    if bad_costs:
        return Fault(place, f"{bad_costs} costs are no numbers", "cost"), record
    return (record,)


__all__ = [
    "FORM", "cut_fault", "encoding_fault", "objects", "read_blocks", "read_json_array", "read_json_lines", "whole_json",
]  # fmt: skip
