"""``mgqa report``: tables, figures and the HTML page of scored runs."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from multiglobeqa.cli.console import JsonFlag, console, emit, progress, say
from multiglobeqa.report import country_surfaces, open_benchmark, read_run, render, write

if TYPE_CHECKING:
    import pyarrow as pa

    from multiglobeqa.report.html import Figure
    from multiglobeqa.report.output import Content
    from multiglobeqa.report.scores import Run
    from multiglobeqa.report.tables import Study


def report(
    benchmark: Annotated[
        Path, typer.Option("--benchmark", metavar="DIR", help="The benchmark folder that was asked.")
    ],
    runs: Annotated[
        list[Path] | None,
        typer.Argument(metavar="RUN", help="Scores (.parquet), run folders or predictions; none: HTML only."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="Write all tables, figures and the HTML page here.", file_okay=False),
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", help="Write the HTML page, one file.", dir_okay=False)
    ] = None,
    only: Annotated[
        str | None, typer.Option(metavar="NAME,...", help="Only these tables and figures, as table4,figure2.")
    ] = None,
    formats: Annotated[
        str | None,
        typer.Option(
            "--format", metavar="NAME,...", help="Of csv, latex, markdown, svg, png; by default all."
        ),
    ] = None,
    variant: Annotated[
        str, typer.Option(metavar="large|small", help="Report on all questions or on the small variant.")
    ] = "large",
    draws: Annotated[int, typer.Option(min=1, help="Draws of each bootstrap.")] = 2000,
    feedback: Annotated[
        Path | None,
        typer.Option("--feedback", help="Write training questions for weak cells here.", file_okay=False),
    ] = None,
    train: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="With --feedback: a benchmark built with --disjoint-entities-from."),
    ] = None,
    per_cell: Annotated[int, typer.Option(min=1, help="With --feedback: most questions a weak cell.")] = 200,
    json_: JsonFlag = False,
) -> None:
    """Report on runs: tables on the terminal, or tables, figures and one HTML page as files."""
    from multiglobeqa.build.variants import VARIANTS
    from multiglobeqa.errors import InputError
    from multiglobeqa.report.output import chosen, formats_of

    if variant not in VARIANTS:
        raise InputError(f"{variant!r} is no variant.", mend=f"Variants: {', '.join(VARIANTS)}.")
    if (feedback is None) != (train is None):
        raise InputError(
            "--feedback and --train go together.", mend="Name the folder to write and the train benchmark."
        )
    if not runs:
        _page_alone(benchmark, out, html, wanted=only is not None or feedback is not None or json_)
        return
    from multiglobeqa.report.output import PICTURES, make, write_report
    from multiglobeqa.report.tables import open_study

    tables, figures = chosen(only)
    kinds = formats_of(formats)
    study = open_study(runs, benchmark, small=variant == "small", draws=draws)
    whole = out is not None or only is not None or json_
    if whole or html is not None:
        content = make(study, tables if whole else (), figures)
    else:
        content = make(study, _printed(), ())
    if json_:
        from multiglobeqa.report.output import as_json

        emit(as_json(study, content))
    if out is not None:
        with progress() as told:
            files = write_report(study, content, out, kinds, told)
        html = html or (None if only is not None else out / "report.html")
        if not json_:
            say(f"{len(files)} files in {out}")
            _not_made(content, any(kind in PICTURES for kind in kinds))
    if html is not None:
        page = write_page(benchmark, html, runs, content)
        if not json_:
            say(f"Report: {page}")
    if feedback is not None and train is not None:
        _feedback(study, benchmark, train, feedback, per_cell, quiet=json_)
    elif not json_ and out is None and html is None:
        show_content(study, content)


def _printed() -> tuple[str, ...]:
    from multiglobeqa.report.tables import PRINTED

    return PRINTED


def _page_alone(benchmark: Path, out: Path | None, html: Path | None, *, wanted: bool) -> None:
    """Without runs there is only the page of the benchmark."""
    from multiglobeqa.errors import InputError

    target = html or (out / "report.html" if out is not None else None)
    if target is None or wanted:
        raise InputError(
            "no run was named.", mend="Name scores, run folders or predictions; or only --html FILE."
        )
    say(f"Report: {write_page(benchmark, target)}")


def show_content(study: Study, content: Content) -> None:
    """Print scope, warning and tables; figures print as their data's title, since they need files."""
    from multiglobeqa.report.tables import lines, show_table

    told = lines(study)
    for line in told[:-1]:
        say(line)
    console.print(told[-1], style="bold", markup=False, soft_wrap=True)
    console.print()
    for table in content.tables:
        show_table(table, console)
    for data in content.figures:
        say(f"{data.title}: --out DIR draws it ({len(data.rows):,} rows of data).")
    _not_made(content, pictures=False)


def _not_made(content: Content, pictures: bool) -> None:
    from multiglobeqa.report.figures import available
    from multiglobeqa.report.output import NO_MATPLOTLIB

    for name, need in content.missing.items():
        say(f"{name}: not made, needs {need}.")
    if pictures and content.figures and not available():
        say(f"No figure is drawn: that needs {NO_MATPLOTLIB}. Their data is written.")


def write_page(benchmark: Path, out: Path, runs: Sequence[Path] = (), content: Content | None = None) -> Path:
    """Write the HTML page of a benchmark and its runs, with the figures of ``content``."""
    opened = open_benchmark(benchmark)
    with tempfile.TemporaryDirectory() as folder:
        files = [_scores_file(run, benchmark, Path(folder) / str(place)) for place, run in enumerate(runs)]
        read = [
            _with_replies(read_run(opened, file, name), run, opened.questions)
            for run, (file, name) in zip(runs, files, strict=True)
        ]
    return write(out, render(opened, read, countries=country_surfaces(), figures=_figures(content)))


def _scores_file(run: Path, benchmark: Path, folder: Path) -> tuple[Path, str]:
    """The Parquet file of a run's scores, made of its predictions where there is none, and the run's name."""
    from multiglobeqa.evaluate.scoring import prepare

    name = run.name if run.is_dir() else run.name.split(".")[0]
    if run.is_dir() and (run / "scores.parquet").is_file():
        return run / "scores.parquet", name
    if run.suffix == ".parquet" or not run.exists():
        return run, name
    folder.mkdir()
    prepare(run, benchmark).write(folder / "scores.parquet")
    return folder / "scores.parquet", name


def _with_replies(read: Run, run: Path, questions: pa.Table) -> Run:
    """The run with its raw replies, where it was given as a folder with a log or as predictions."""
    from multiglobeqa.evaluate.predictions.detect import LOGS
    from multiglobeqa.report.html import with_replies

    if run.suffix == ".parquet" or (run.is_dir() and not any((run / name).is_file() for name in LOGS)):
        return read
    return with_replies(read, run, questions)


def _figures(content: Content | None) -> list[Figure]:
    from multiglobeqa.report.figures import available, picture
    from multiglobeqa.report.html import Figure

    if content is None or not available():
        return []
    return [
        Figure(data.title, picture(data, "svg").decode("utf-8"), data.caption) for data in content.figures
    ]


def _feedback(study: Study, benchmark: Path, train: Path, out: Path, per_cell: int, *, quiet: bool) -> None:
    from multiglobeqa.report.feedback import write_feedback

    result = write_feedback(study, benchmark, train, out, most=per_cell)
    if not quiet:
        say(
            f"{len(result.cells):,} weak cells of {result.tested:,} tested, {result.empty:,} of them without a "
            f"train question; {result.questions:,} questions and {result.triples:,} triples in {out}"
        )
