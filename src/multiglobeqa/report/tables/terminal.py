"""A table on a terminal."""

from __future__ import annotations

from typing import Final

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from multiglobeqa.report.tables.cell import DAGGER, Cell, Table

_WHOLE: Final = 20
"""Text up to this length is not broken."""


def show_table(table: Table, console: Console) -> None:
    """Print title, rows (the first ``shown``) and notes; bold stands for above the baseline."""
    console.print(Text(table.title, style="bold"), soft_wrap=True)
    grid = RichTable(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    rows = table.rows[: table.shown]
    for place, column in enumerate(table.columns):
        longest = max((len(row[place].main()) for row in rows), default=0)
        grid.add_column(
            Text(column.full), justify="left" if column.text else "right", overflow="fold",
            no_wrap=not column.text, min_width=longest if column.text and longest <= _WHOLE else None,
        )  # fmt: skip
    for place, row in enumerate(rows):
        grid.add_row(*(_text(cell, table.intervals) for cell in row), end_section=place + 1 in table.rules)
    console.print(grid)
    if len(rows) < len(table.rows):
        console.print(
            Text(f"{len(table.rows) - len(rows):,} more rows: --only {table.name} --out DIR"), soft_wrap=True
        )
    for note in table.notes:
        console.print(Text(note), soft_wrap=True)
    console.print()


def _text(cell: Cell, intervals: bool) -> Text:
    text = Text(cell.main(), style="bold" if cell.bold else "")
    if spread := cell.spread(interval=intervals):
        text.append(f" {spread}", style="not bold")
    if cell.dagger:
        text.append(DAGGER, style="not bold")
    return text
