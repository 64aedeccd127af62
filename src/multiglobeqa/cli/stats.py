"""``mgqa stats``: the tables and figures of a benchmark."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from multiglobeqa.cli.console import JsonFlag, emit, say, show
from multiglobeqa.cli.targets import snapshot_path


def stats(
    benchmark: Annotated[
        Path,
        typer.Argument(metavar="BENCHMARK", help="A benchmark folder, a release, or a file of questions."),
    ],
    kg: Annotated[
        list[str] | None,
        typer.Option(
            metavar="DIR|NAME", help="Snapshot the questions come from; by default found by itself."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", help="Write the tables as CSV and the figures as PNG and SVG.", file_okay=False
        ),
    ] = None,
    split: Annotated[str, typer.Option(help="Of a release: test or train.")] = "test",
    json_: JsonFlag = False,
) -> None:
    """Print what a benchmark holds: taxonomy, strata, languages, KGs, classes, continents, answers."""
    from multiglobeqa.errors import InputError
    from multiglobeqa.report.stats import collect, draw, write
    from multiglobeqa.report.stats.questions import SPLITS

    if split not in SPLITS:
        raise InputError(f"{split!r} is no split.", mend=f"Use one of {', '.join(SPLITS)}.")
    found = collect(benchmark, [snapshot_path(name) for name in kg] if kg else None, split=split)
    written = write(found, out) if out is not None else []
    if json_:
        emit(found.as_dict())
        return
    say(f"{found.questions:,} questions ({found.language}) of {benchmark}")
    if found.repeated:
        say(f"Rows that repeat the id of another: {found.repeated:,}. Each question is counted once.")
    for table in found.tables:
        columns, rows = table.narrow or (table.columns, table.rows)
        text = (
            sum(isinstance(value, str | None) for value in rows[0]) if table.narrow and rows else table.text
        )
        show(table.title, columns, rows, text=text)
        for note in table.notes:
            say(note)
    if out is not None:
        say(f"{len(written)} files in {out}")
        if not draw.available():
            say("No figures: they need matplotlib (pip install 'multiglobeqa[figures]').")
