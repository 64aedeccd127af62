"""``mgqa report``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from multiglobeqa.cli.console import say
from multiglobeqa.report import country_surfaces, open_benchmark, read_run, render, write


def report(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="A benchmark folder.")],
    out: Annotated[Path, typer.Option("--out", help="The page to write (.html).", dir_okay=False)],
    scores: Annotated[
        list[Path] | None, typer.Option(metavar="FILE", help="Scores of a run; may be given several times.")
    ] = None,
) -> None:
    """Write the report: one HTML page that opens offline."""
    benchmark = open_benchmark(directory)
    runs = [read_run(benchmark, file) for file in scores or []]
    say(f"Report: {write(out, render(benchmark, runs, countries=country_surfaces()))}")
