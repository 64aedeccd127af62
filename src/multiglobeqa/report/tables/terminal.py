"""A table on a terminal: as a grid where it fits, else a block a row. No number is ever cut."""

from __future__ import annotations

from typing import Final

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from multiglobeqa.report.tables.cell import DAGGER, Cell, Table

_WHOLE: Final = 24
"""Text up to this length is not broken."""
_GAP: Final = 2


def show_table(table: Table, console: Console) -> None:
    """Print title, rows (the first ``shown``) and notes; bold stands for above the baseline.

    Where the output is no terminal the lines are as long as the table needs.
    """
    console.print(Text(table.title, style="bold"), soft_wrap=True)
    rows = table.rows[: table.shown]
    widths = _widths(table, rows)
    needed = sum(widths) + _GAP * len(widths)
    if needed <= console.width:
        console.print(_grid(table, rows, widths))
    elif console.is_terminal:
        _blocks(table, rows, console)
    else:
        Console(file=console.file, width=needed, highlight=False).print(_grid(table, rows, widths))
    if len(rows) < len(table.rows):
        more = f"{len(table.rows) - len(rows):,} more rows: --only {table.name} --out DIR"
        console.print(Text(more), soft_wrap=True)
    for note in table.notes:
        console.print(Text(note), soft_wrap=True)
    console.print()


def _widths(table: Table, rows: tuple[tuple[Cell, ...], ...]) -> list[int]:
    """The least width of each column: its heading's longest word, its longest number, its text up to ``_WHOLE``."""
    widths = []
    for place, column in enumerate(table.columns):
        head = max((Text(word).cell_len for word in column.full.split()), default=1)
        body = max((_text(row[place], table.intervals).cell_len for row in rows), default=1)
        widths.append(max(head, min(body, _WHOLE) if column.text else body))
    return widths


def _grid(table: Table, rows: tuple[tuple[Cell, ...], ...], widths: list[int]) -> RichTable:
    grid = RichTable(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for column, width in zip(table.columns, widths, strict=True):
        grid.add_column(
            Text(column.full), justify="left" if column.text else "right", overflow="fold", min_width=width
        )
    for place, row in enumerate(rows):
        grid.add_row(*(_text(cell, table.intervals) for cell in row), end_section=place + 1 in table.rules)
    return grid


def _blocks(table: Table, rows: tuple[tuple[Cell, ...], ...], console: Console) -> None:
    """A row as a line of its text, and below it each number with its heading."""
    for row in rows:
        pairs = list(zip(table.columns, row, strict=True))
        head = ", ".join(cell.main() for column, cell in pairs if column.text)
        console.print(Text(head, style="underline"), soft_wrap=True)
        for column, cell in pairs:
            if not column.text:
                console.print(
                    Text(f"  {column.full}: ").append_text(_text(cell, table.intervals)), soft_wrap=True
                )
    console.print()


def _text(cell: Cell, intervals: bool) -> Text:
    text = Text(cell.main(), style="bold" if cell.bold else "")
    if spread := cell.spread(interval=intervals):
        text.append(f" {spread}", style="not bold")
    if cell.dagger:
        text.append(DAGGER, style="not bold")
    return text
