"""Tables on terminals of any width: no number is cut."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from multiglobeqa.report.tables import Cell, Column, Table, show_table

TABLE = Table(
    "wide",
    "A wide table",
    (Column("model", text=True), Column("question", text=True), *(Column(f"column {n}") for n in range(12))),
    (
        (Cell("a [red]model"), Cell("Which of the many places is it?"), *(Cell(1_234_567 + n, "count") for n in range(12))),
        (Cell("b"), Cell(None), *(Cell(0.5, "percent", low=0.25, high=0.75, dagger=True, bold=True) for _ in range(12))),
    ),
    ("A note.",),
    shown=2,
)  # fmt: skip


@pytest.mark.parametrize(
    ("width", "terminal"), [(40, True), (80, True), (80, False), (400, True), (400, False)]
)
def test_no_number_is_cut(width: int, terminal: bool) -> None:
    stream = io.StringIO()
    show_table(TABLE, Console(file=stream, width=width, force_terminal=terminal, color_system=None))
    shown = stream.getvalue()
    for n in range(12):
        assert f"{1_234_567 + n:,}" in shown
    assert shown.count("50.0 [25.0, 75.0]†") == 12
    assert "a [red]model" in shown and "A note." in shown


def test_rows_that_are_not_shown_are_told() -> None:
    stream = io.StringIO()
    one = Table("long", "t", (Column("n"),), tuple((Cell(n, "count"),) for n in range(2000, 2010)), shown=3)
    show_table(one, Console(file=stream, width=80, color_system=None))
    assert "2,002" in stream.getvalue() and "2,003" not in stream.getvalue()
    assert "7 more rows: --only long --out DIR" in stream.getvalue()
