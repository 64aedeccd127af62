"""A table of numbers: what is printed, written as CSV and put into JSON."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from multiglobeqa.kg.store import replacing

Row = tuple[Any, ...]


@dataclass(frozen=True)
class Table:
    """One table.

    ``name`` is the file's stem. The first ``text`` columns hold text, the others numbers; None is an empty cell.
    ``narrow`` (columns, rows) is a form for the terminal where the whole is too wide for it.
    """

    name: str
    title: str
    columns: tuple[str, ...]
    rows: list[Row]
    text: int = 1
    notes: tuple[str, ...] = ()
    narrow: tuple[tuple[str, ...], list[Row]] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"{self.name}: {row!r} has not the {len(self.columns)} columns")

    def as_dict(self) -> dict[str, Any]:
        """JSON form: each row as an object of its columns."""
        return {
            "title": self.title,
            "rows": [dict(zip(self.columns, row, strict=True)) for row in self.rows],
            "notes": list(self.notes),
        }


def write_csv(directory: Path, tables: Sequence[Table]) -> list[Path]:
    """Write each table as ``NAME.csv`` (UTF-8, one header line; notes are left out)."""
    written = []
    for table in tables:
        path = directory / f"{table.name}.csv"
        with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as stream:
            writer = csv.writer(stream, lineterminator="\n")
            writer.writerow(table.columns)
            writer.writerows(table.rows)
        written.append(path)
    return written


def share(part: int, whole: int) -> float | None:
    """Percent of the whole, one decimal; None of nothing."""
    return round(100 * part / whole, 1) if whole else None
