"""Cells, columns and tables: what a table holds, apart from how it is written."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, Literal

Number = Fraction | float | int
Kind = Literal["text", "count", "percent", "signed", "number", "p"]
DASH: Final = "\N{EN DASH}"
MINUS: Final = "\N{MINUS SIGN}"
DAGGER: Final = "\N{DAGGER}"


class NotDrawn(Exception):
    """A table or figure whose runs were not given; the text says what it needs."""


@dataclass(frozen=True)
class Cell:
    """One cell. ``value`` is text or a number; None prints as a dash.

    ``kind``: how a number is printed: "count", "percent" (a share x 100, one decimal), "signed" (a difference of shares
    in points, with its sign), "number" (three digits or thousands), "p" (a p-value). ``sd``: standard deviation of a
    share, in parentheses; ``low``, ``high``: interval of a share, in brackets; ``dagger``: fewer seeds; ``bold``: above
    the baseline.
    """

    value: Any = None
    kind: Kind = "text"
    sd: float | None = None
    low: float | None = None
    high: float | None = None
    dagger: bool = False
    bold: bool = False

    def main(self) -> str:
        """The value alone, as text."""
        return shown(self.value, self.kind)

    def spread(self, *, interval: bool = True) -> str:
        """What stands behind the value: SD in parentheses, interval in brackets; empty where there is neither."""
        parts = []
        if self.sd is not None:
            parts.append(f"({100 * self.sd:.1f})")
        if interval and self.low is not None and self.high is not None:
            kind: Kind = "signed" if self.kind == "signed" else "percent"
            parts.append(f"[{shown(self.low, kind)}, {shown(self.high, kind)}]")
        return " ".join(parts)


@dataclass(frozen=True)
class Column:
    """A column: ``name`` heads it, ``group`` heads several neighbours together; ``text`` columns are set to "
    "the left."""

    name: str
    group: str = ""
    text: bool = False

    @property
    def full(self) -> str:
        """Group and name in one."""
        return f"{self.group} {self.name}".strip()


@dataclass(frozen=True)
class Table:
    """A table: ``name`` is the stem of its files; ``rules``: numbers of rows before which a line is drawn.

    ``shown``: how many rows are printed on a terminal (None: all); files hold all. ``intervals``: whether intervals are
    printed in cells; CSV always has them.
    """

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    rules: tuple[int, ...] = ()
    shown: int | None = None
    intervals: bool = True

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"{self.name}: a row of {len(row)} cells for {len(self.columns)} columns")

    def column(self, full: str) -> list[Any]:
        """The values of the column with this full name, row by row."""
        place = [column.full for column in self.columns].index(full)
        return [row[place].value for row in self.rows]


def columns(*named: str, text: int = 1) -> tuple[Column, ...]:
    """Columns of these names, the first ``text`` of them to the left."""
    return tuple(Column(name, text=place < text) for place, name in enumerate(named))


def words(*values: str | None) -> tuple[Cell, ...]:
    """Cells of text."""
    return tuple(Cell(value) for value in values)


def count(value: int | None) -> Cell:
    """A number of questions."""
    return Cell(value, "count")


def percent(value: Number | None, **more: Any) -> Cell:
    """A share in [0, 1], printed x 100."""
    return Cell(value, "percent", **more)


def signed(value: Number | None, **more: Any) -> Cell:
    """A difference of shares, printed in points with its sign."""
    return Cell(value, "signed", **more)


def number(value: Number | None) -> Cell:
    """Any other number."""
    return Cell(value, "number")


def rows_of(rows: Iterable[Iterable[Cell]]) -> tuple[tuple[Cell, ...], ...]:
    """Rows as a table keeps them."""
    return tuple(tuple(row) for row in rows)


def shown(value: Any, kind: Kind) -> str:
    """A value as people read it."""
    if value is None or value == "":
        return DASH
    match kind:
        case "count":
            return f"{value:,}"
        case "percent":
            return _minus(f"{100 * float(value):.1f}")
        case "signed":
            text = f"{100 * float(value):+.1f}"
            return "0.0" if float(text) == 0 else _minus(text)
        case "number":
            return _minus(_number(float(value)))
        case "p":
            return "< 0.001" if value < 0.001 else f"{float(value):.3f}"
        case _:
            return str(value)


def plain(value: Any, kind: Kind) -> Any:
    """A value as CSV holds it: shares and differences x 100, four decimals; None is empty."""
    if value is None:
        return None
    if kind in ("percent", "signed"):
        return round(100 * float(value), 4)
    if isinstance(value, Fraction | float):
        return float(f"{float(value):.6g}")
    return value


def _number(value: float) -> str:
    if value == round(value) and abs(value) < 1e15:
        return f"{value:,.0f}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def _minus(text: str) -> str:
    return text.replace("-", MINUS)
