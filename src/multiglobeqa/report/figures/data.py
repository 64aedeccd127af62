"""The data of a figure: what its CSV holds is what is drawn."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

Row = tuple[Any, ...]


@dataclass(frozen=True)
class FigureData:
    """``rows`` of ``columns``; shares and their differences are percent. ``lines``: name -> a value drawn across (the
    majority baseline). ``name``: the stem of its files."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    caption: str = ""
    lines: tuple[tuple[str, float], ...] = ()

    def records(self, **where: Any) -> list[dict[str, Any]]:
        """The rows as mappings, of those with these values only."""
        found = [dict(zip(self.columns, row, strict=True)) for row in self.rows]
        return [row for row in found if all(row[name] == value for name, value in where.items())]

    def values(self, column: str) -> list[Any]:
        """The different values of a column, in order of first sight."""
        place = self.columns.index(column)
        return list(dict.fromkeys(row[place] for row in self.rows))

    def csv(self) -> str:
        """CSV (UTF-8, LF): one line of names, then the rows; None is empty."""
        stream = io.StringIO()
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows([[_plain(value) for value in row] for row in self.rows])
        return stream.getvalue()


def points(value: Any) -> float | None:
    """A share as percent; None stays None."""
    return None if value is None else float(100 * value)


def mean(values: Sequence[Fraction]) -> Fraction:
    """The arithmetic mean, exact."""
    return sum(values, Fraction(0)) / len(values)


def _plain(value: Any) -> Any:
    return round(value, 6) if isinstance(value, float) else value
