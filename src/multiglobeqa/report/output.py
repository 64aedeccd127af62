"""A whole report as files: tables, figures and their data, the scope, and one Markdown page that shows them all."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from multiglobeqa.errors import InputError
from multiglobeqa.kg.store import replacing
from multiglobeqa.report.figures import FIGURES, FigureData, available, make_figures, picture
from multiglobeqa.report.tables import (
    TABLES,
    Study,
    Table,
    lines,
    make_tables,
    scope,
    to_csv,
    to_json,
    to_latex,
    to_markdown,
)
from multiglobeqa.report.tables.written import markdown

WRITERS: Final[dict[str, tuple[str, Callable[[Table], str]]]] = {
    "csv": ("csv", to_csv),
    "latex": ("tex", to_latex),
    "markdown": ("md", to_markdown),
}
PICTURES: Final = ("svg", "png")
FORMATS: Final = (*WRITERS, *PICTURES)
NO_MATPLOTLIB: Final = "matplotlib (pip install 'multiglobeqa[figures]')"


@dataclass(frozen=True)
class Content:
    """The tables and figures of a report; ``missing``: name -> what it would need."""

    tables: tuple[Table, ...]
    figures: tuple[FigureData, ...]
    missing: dict[str, str] = field(default_factory=dict)


def chosen(only: str | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(tables, figures) of a list of names with commas; all where there is none.

    Raises InputError for a name that is neither.
    """
    if only is None:
        return tuple(TABLES), tuple(FIGURES)
    names = list(dict.fromkeys(part.strip() for part in only.split(",") if part.strip()))
    if unknown := [name for name in names if name not in TABLES and name not in FIGURES]:
        raise InputError(
            f"{unknown[0]!r} is no table and no figure.",
            mend=f"Tables: {', '.join(TABLES)}. Figures: {', '.join(FIGURES)}.",
        )
    return tuple(name for name in names if name in TABLES), tuple(name for name in names if name in FIGURES)


def formats_of(value: str | None) -> tuple[str, ...]:
    """The formats of a list with commas; all where there is none. Raises InputError for an unknown one."""
    names = (
        list(dict.fromkeys(part.strip() for part in value.split(",") if part.strip()))
        if value
        else list(FORMATS)
    )
    if unknown := [name for name in names if name not in FORMATS]:
        raise InputError(f"{unknown[0]!r} is no format.", mend=f"Formats: {', '.join(FORMATS)}.")
    return tuple(names)


def make(study: Study, tables: Sequence[str], figures: Sequence[str]) -> Content:
    """Make the tables and the figures' data of these names."""
    made, missing = make_tables(study, tuple(tables))
    drawn, undrawn = make_figures(study, tuple(figures))
    return Content(tuple(made), tuple(drawn), missing | undrawn)


def write_report(
    study: Study,
    content: Content,
    directory: str | Path,
    formats: Sequence[str] = FORMATS,
    progress: Callable[[str, int, int], None] | None = None,
) -> list[Path]:
    """Write ``report.md``, ``scope.json``, ``tables/NAME.*``, ``figures/NAME.*``; returns the files.

    A figure's data stands beside it as CSV, whatever the formats. Without matplotlib no picture is written. Equal input
    gives equal files.
    """
    folder = Path(directory)
    files: list[Path] = []
    pictures = [suffix for suffix in formats if suffix in PICTURES] if available() else []
    total = len(content.tables) + len(content.figures)
    for done, table in enumerate(content.tables):
        for name in formats:
            if name in WRITERS:
                suffix, write = WRITERS[name]
                files.append(_put(folder / "tables" / f"{table.name}.{suffix}", write(table)))
        if progress:
            progress("tables and figures", done + 1, total)
    for done, data in enumerate(content.figures):
        files.append(_put(folder / "figures" / f"{data.name}.csv", data.csv()))
        files += [
            _put(folder / "figures" / f"{data.name}.{suffix}", picture(data, suffix)) for suffix in pictures
        ]
        if progress:
            progress("tables and figures", len(content.tables) + done + 1, total)
    told = {**scope(study), "not_made": content.missing}
    files.append(
        _put(folder / "scope.json", json.dumps(told, indent=1, ensure_ascii=False, default=str) + "\n")
    )
    files.append(_put(folder / "report.md", page(study, content, pictures)))
    return files


def page(study: Study, content: Content, pictures: Sequence[str] = PICTURES) -> str:
    """The report as one Markdown page: scope and warning first, then tables and figures, then what could not "
    "be made."""
    scoped = lines(study)
    parts = [f"# Report: {markdown(study.name)}", "", "## Scope", ""]
    parts += [f"- {markdown(line)}" for line in scoped[:-1]]
    parts += ["", f"**{markdown(scoped[-1])}**", "", "## Tables", ""]
    parts += [to_markdown(_short(table)) for table in content.tables]
    parts += ["## Figures", ""]
    for data in content.figures:
        parts += [f"### {markdown(data.title)}", ""]
        if pictures:
            parts += [f"![{markdown(data.title)}](figures/{data.name}.{pictures[0]})", ""]
        parts += [markdown(data.caption), "", f"Data: [figures/{data.name}.csv](figures/{data.name}.csv)", ""]
    if content.missing:
        parts += ["## Not made", ""]
        parts += [f"- {name}: not made, needs {markdown(need)}." for name, need in content.missing.items()]
    return "\n".join(parts).rstrip() + "\n"


def as_json(study: Study, content: Content) -> dict[str, Any]:
    """The report as JSON values."""
    return {
        "scope": scope(study),
        "warning": lines(study)[-1],
        "tables": {table.name: to_json(table) for table in content.tables},
        "figures": {
            data.name: {"title": data.title, "caption": data.caption, "rows": data.records()}
            for data in content.figures
        },
        "not_made": content.missing,
    }


def _short(table: Table) -> Table:
    """The table with the rows that are printed, and a note of the others."""
    if table.shown is None or len(table.rows) <= table.shown:
        return table
    note = f"{len(table.rows) - table.shown:,} more rows in tables/{table.name}.csv."
    return Table(
        table.name, table.title, table.columns, table.rows[: table.shown], (*table.notes, note), table.rules, None,
        table.intervals,
    )  # fmt: skip


def _put(path: Path, content: str | bytes) -> Path:
    with replacing(path) as temporary:
        temporary.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    return path
