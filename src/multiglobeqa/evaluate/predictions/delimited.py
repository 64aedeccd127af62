"""Tables of text: CSV, TSV and their like, with a head line."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from typing import Any, Final

from multiglobeqa.errors import InputError
from multiglobeqa.evaluate.predictions.json_lines import cut_fault, encoding_fault
from multiglobeqa.evaluate.predictions.record import Fault, Record, RecordError
from multiglobeqa.evaluate.predictions.rows import ID_KEYS, REPLY_KEYS, has_reply, record_of
from multiglobeqa.evaluate.predictions.source import Line, Source

DELIMITERS: Final = (",", "\t", ";", "|")
_MEND: Final = f"It needs a column id and one of {', '.join(REPLY_KEYS)}."


def head_of(line: str) -> tuple[str, list[str]] | None:
    """Delimiter and column names of a head line that has an id and more; None where it is no head."""
    for delimiter in DELIMITERS:
        names = [name.strip().casefold() for name in next(csv.reader([line], delimiter=delimiter), [])]
        if len(names) > 1 and any(key in names for key in ID_KEYS) and has_reply(names):
            return delimiter, names
    return None


def read_delimited(source: Source) -> Iterator[Record | Fault]:
    """A record, or a fault, for each row; its place is its last line.

    Quotes are doubled inside quoted cells, which may hold line breaks. An empty cell is none. A row with a stray quote
    is a fault, and what follows its first line is read anew: a quote that is never closed costs one row.

    Raises InputError : the head lacks the id or the reply; it tells the columns that are there.
    """
    lines = _Lines(source)
    head = head_of(lines.first)
    if head is None:
        raise InputError(f"has no replies; its first line is {lines.first[:200]!r}.", source=source.path, place=1,
                         mend=_MEND)  # fmt: skip
    delimiter, names = head
    limit = csv.field_size_limit(sys.maxsize)
    try:
        yield from _rows(lines, delimiter, names)
    finally:
        csv.field_size_limit(limit)
    if source.cut:
        yield cut_fault(lines.number)


def _rows(lines: _Lines, delimiter: str, names: list[str]) -> Iterator[Record | Fault]:
    while True:
        try:
            start = lines.number
            cells = next(lines.reader(delimiter), None)
        except csv.Error as error:
            lines.back_to(start + 1)
            yield Fault(start + 1, f"cannot be read: {error}")
            continue
        if cells is None:
            return
        if (bad := lines.bad()) is not None:
            yield bad
        elif cells:
            yield from _record(names, cells, lines)


def _record(names: list[str], cells: list[str], lines: _Lines) -> Iterator[Record | Fault]:
    if len(cells) != len(names):
        cut = len(cells) < len(names) and not lines.line_ended
        what = f"has {len(cells)} cells, and the head has {len(names)}"
        yield Fault(lines.number, what, "truncated" if cut else "broken")
        return
    row: dict[str, Any] = {name: cell or None for name, cell in zip(names, cells, strict=True)}
    try:
        record, bad_costs = record_of(row, lines.number)
    except RecordError as error:
        yield Fault(lines.number, f"is no reply: {error}")
        return
    if bad_costs:
        yield Fault(lines.number, f"{bad_costs} costs are no numbers", "cost")
    yield record


class _Lines:
    """The lines behind the head, as ``csv.reader`` takes them, and what is known of the last ones."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._lines = source.lines()
        self._kept: list[Line] = []  # lines of the row that is being read
        self._again: list[Line] = []
        first = next((line for line in self._lines if line.text.strip()), None)
        self.first = first.text if first else ""
        self.number = first.number if first else 0
        self.line_ended = True

    def reader(self, delimiter: str) -> Iterator[list[str]]:
        """A reader that starts at the next line."""
        self._kept = []
        return csv.reader(self, delimiter=delimiter, strict=True)

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._again.pop() if self._again else next(self._lines, None)
        if line is None:
            raise StopIteration
        self._kept.append(line)
        self.number, self.line_ended = line.number, line.ended
        return line.text + "\n"

    def back_to(self, number: int) -> None:
        """Give the lines behind this one a second time."""
        again = [line for line in self._kept if line.number > number]
        self._again += reversed(again)
        self.number = min(self.number, number)

    def bad(self) -> Fault | None:
        """The encoding fault of the row that was read."""
        line = next((line for line in self._kept if line.bad is not None), None)
        return None if line is None else encoding_fault(line, self._source)
