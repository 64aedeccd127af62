"""A table as CSV, Markdown, LaTeX and JSON."""

from __future__ import annotations

import csv
import io
import re
from itertools import groupby
from typing import Any, Final

from multiglobeqa.report.tables.cell import DAGGER, Cell, Column, Table, plain

_LATEX: Final = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "%": r"\%", "#": r"\#", "_": r"\_",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\N{MINUS SIGN}": "$-$", "\N{EN DASH}": "--", "<": "$<$",
    ">": "$>$", "\N{DAGGER}": r"$^\dagger$", "\N{MULTIPLICATION SIGN}": r"$\times$", "\N{RIGHTWARDS ARROW}": r"$\to$",
    "\N{GREEK CAPITAL LETTER DELTA}": r"$\Delta$", "\N{GREEK SMALL LETTER RHO}": r"$\rho$", "|": r"\textbar{}",
    "\n": " ",
}  # fmt: skip
_MARKDOWN: Final = re.compile(r"([\\`*_\[\]<>|~])")


def to_csv(table: Table) -> str:
    """CSV (RFC 4180, UTF-8, LF): a line of names, then the rows; numbers are not rounded to what is printed.

    Shares are percent. Behind a column stand, where any of its cells has one, ``NAME sd``, ``NAME low``, ``NAME high``,
    ``NAME mark`` ("bold", "dagger").
    """
    extras: list[list[str]] = []
    for place in range(len(table.columns)):
        cells = [row[place] for row in table.rows]
        found = [
            name for name in ("sd", "low", "high") if any(getattr(cell, name) is not None for cell in cells)
        ]
        extras.append([*found, "mark"] if any(cell.bold or cell.dagger for cell in cells) else found)
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    heads = [column.full for column in table.columns]
    writer.writerow(
        [
            part
            for head, more in zip(heads, extras, strict=True)
            for part in (head, *(f"{head} {x}" for x in more))
        ]
    )
    for row in table.rows:
        writer.writerow(
            [part for cell, more in zip(row, extras, strict=True) for part in _values(cell, more)]
        )
    return stream.getvalue()


def _values(cell: Cell, extras: list[str]) -> list[Any]:
    values = [plain(cell.value, cell.kind)]
    for name in extras:
        if name == "mark":
            values.append(" ".join(mark for mark in ("bold", "dagger") if getattr(cell, mark)))
        else:
            values.append(plain(getattr(cell, name), "percent"))
    return values


def to_markdown(table: Table) -> str:
    """A Markdown table (GitHub's form) with title and notes."""
    heads = [markdown(column.full) or " " for column in table.columns]
    lines = [f"### {markdown(table.title)}", "", _line(heads)]
    lines.append(_line([":---" if column.text else "---:" for column in table.columns]))
    lines += [_line([_markdown_cell(cell, table.intervals) for cell in row]) for row in table.rows]
    if table.notes:
        lines += ["", *(f"{markdown(note)}  " for note in table.notes)]
    return "\n".join(lines) + "\n"


def markdown(text: str) -> str:
    """Text with what Markdown would read as its own escaped."""
    return _MARKDOWN.sub(r"\\\1", text.replace("\n", " "))


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _markdown_cell(cell: Cell, intervals: bool) -> str:
    main = markdown(cell.main())
    parts = [f"**{main}**" if cell.bold else main, markdown(cell.spread(interval=intervals))]
    return " ".join(part for part in parts if part) + (DAGGER if cell.dagger else "")


def to_latex(table: Table) -> str:
    """A LaTeX table (package booktabs). Text in other scripts than Latin needs XeLaTeX or LuaLaTeX with a font "
    "for it."""
    width = "".join("l" if column.text else "r" for column in table.columns)
    lines = [
        r"\begin{table}[t]", r"\centering", rf"\caption{{{latex(table.title)}}}", rf"\label{{tab:{table.name}}}",
        rf"\begin{{tabular}}{{@{{}}{width}@{{}}}}", r"\toprule",
    ]  # fmt: skip
    lines += _heads(table.columns)
    lines.append(r"\midrule")
    for place, row in enumerate(table.rows):
        if place and place in table.rules:
            lines.append(r"\midrule")
        lines.append(" & ".join(_latex_cell(cell, table.intervals) for cell in row) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}"]
    if table.notes:
        lines += [
            r"\par\smallskip",
            rf"{{\footnotesize {' '.join(latex(note) for note in table.notes)}\par}}",
        ]
    lines.append(r"\end{table}")
    return "\n".join(lines) + "\n"


def _heads(columns: tuple[Column, ...]) -> list[str]:
    lines = []
    if any(column.group for column in columns):
        cells, rules, start = [], [], 1
        for group, members in groupby(columns, key=lambda column: column.group):
            size = len(list(members))
            cells.append(
                rf"\multicolumn{{{size}}}{{c}}{{{latex(group)}}}" if group else " & ".join([""] * size)
            )
            if group:
                rules.append(rf"\cmidrule(lr){{{start}-{start + size - 1}}}")
            start += size
        lines += [" & ".join(cells) + r" \\", " ".join(rules)]
    lines.append(" & ".join(latex(column.name) for column in columns) + r" \\")
    return lines


def latex(text: str) -> str:
    """Text with LaTeX's special characters escaped."""
    return "".join(_LATEX.get(character, character) for character in text)


def _latex_cell(cell: Cell, intervals: bool) -> str:
    main = latex(cell.main())
    spread = latex(cell.spread(interval=intervals))
    text = rf"\textbf{{{main}}}" if cell.bold else main
    text += rf" {{\scriptsize {spread}}}" if spread else ""
    return text + (r"$^\dagger$" if cell.dagger else "")


def to_json(table: Table) -> dict[str, Any]:
    """The table as JSON values: each row as an object of its columns, shares in percent."""
    rows = []
    for row in table.rows:
        line: dict[str, Any] = {}
        for column, cell in zip(table.columns, row, strict=True):
            line[column.full] = plain(cell.value, cell.kind)
            for name in ("sd", "low", "high"):
                if getattr(cell, name) is not None:
                    line[f"{column.full} {name}"] = plain(getattr(cell, name), "percent")
            if cell.bold or cell.dagger:
                line[f"{column.full} mark"] = [mark for mark in ("bold", "dagger") if getattr(cell, mark)]
        rows.append(line)
    return {"title": table.title, "rows": rows, "notes": list(table.notes)}
