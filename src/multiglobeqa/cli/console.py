"""What all commands print with: tables, JSON, progress."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

console = Console(highlight=False, soft_wrap=False)

JsonFlag = Annotated[bool, typer.Option("--json", help="Print JSON for a machine.")]
OutFolder = Annotated[Path, typer.Option("--out", help="The folder to write.", file_okay=False)]


def say(text: str) -> None:
    """Print a line; brackets are text, not markup, and long lines are not cut."""
    console.print(escape(text), soft_wrap=True)


def emit(data: Any) -> None:
    """Print JSON on standard output."""
    sys.stdout.write(json.dumps(data, indent=1, ensure_ascii=False, default=str) + "\n")


def show(title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]], *, text: int = 1) -> None:
    """Print a table: the first ``text`` columns to the left, the others as numbers to the right."""
    console.print(f"[bold]{escape(title)}[/bold]", soft_wrap=True)
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.pad_edge = False
    for place, column in enumerate(columns):
        table.add_column(column, justify="left" if place < text else "right", overflow="fold")
    for row in rows:
        table.add_row(*(escape(_cell(value)) for value in row))
    console.print(table)


def _cell(value: Any) -> str:
    match value:
        case None:
            return "\N{EN DASH}"
        case bool():
            return "yes" if value else "no"
        case int():
            return f"{value:,}"
        case float():
            return f"{value:,.1f}"
        case _:
            return str(value)


@contextmanager
def progress() -> Iterator[Callable[[str, int, int], None]]:
    """A progress display on standard error; silent where that is no terminal.

    Yields ``callback(stage, done, total)``.
    """
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    terminal = Console(stderr=True)
    with Progress(*columns, console=terminal, transient=True, disable=not terminal.is_terminal) as display:
        tasks: dict[str, Any] = {}

        def update(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = display.add_task(stage, total=total or None)
            display.update(tasks[stage], completed=done, total=total or None)

        yield update
