"""JSON Lines: the run log, plain records, and files that hold one JSON array of records."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from multiglobeqa.errors import InputError
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


def objects(source: Source) -> Iterator[tuple[int, dict[str, Any]] | Fault]:
    """The object of each line, or the fault of a line that holds none. Empty lines are nothing.

    A last line without a line break that breaks off is "truncated"; NaN is read, and its reader must refuse it.
    """
    number = 0
    for line in source.lines():
        number = line.number
        if line.bad is not None:
            yield encoding_fault(line, source)
        elif text := line.text.strip():
            yield _object(line, text)
    if source.cut:
        yield Fault(number, "the compressed file breaks off here", "truncated")


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


def read_json_lines(source: Source) -> Iterator[Record | Fault]:
    """A record, or a fault, for each line."""
    for found in objects(source):
        yield from [found] if isinstance(found, Fault) else _records(*found)


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


def _records(place: int, row: dict[str, Any]) -> Iterator[Record | Fault]:
    try:
        record, bad_costs = record_of(row, place)
    except RecordError as error:
        yield Fault(place, f"is no reply: {error}; its keys: {', '.join(map(str, row)) or 'none'}")
        return
    if bad_costs:
        yield Fault(place, f"{bad_costs} costs are no numbers", "cost")
    yield record


__all__ = ["FORM", "encoding_fault", "objects", "read_json_array", "read_json_lines", "whole_json"]
