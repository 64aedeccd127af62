"""The command ``mgqa``."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from multiglobeqa import __version__
from multiglobeqa.cli import (
    build,
    demo,
    drift,
    evaluate,
    facts,
    images,
    kg,
    questions,
    release,
    report,
    stats,
    templates,
)
from multiglobeqa.errors import MultiGlobeQAError

app = typer.Typer(
    name="mgqa",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Make and score a multilingual, globally balanced benchmark of geospatial reasoning.",
)
app.add_typer(kg.app, name="kg")
app.add_typer(templates.app, name="templates")
app.add_typer(images.app, name="images")
app.add_typer(questions.app, name="questions")
app.command()(build.build)
app.command()(build.verify)
app.command()(drift.drift)
app.command()(facts.facts)
app.command()(evaluate.baseline)
app.command()(evaluate.score)
app.command()(report.report)
app.command()(stats.stats)
app.command()(release.release)
app.command("import-benchmark")(release.import_benchmark)
app.command()(demo.demo)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"mgqa {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


def main(arguments: list[str] | None = None) -> None:
    """Run ``mgqa``. Exit codes: 0 done; 1 an error of input or system, told on stderr; 2 wrong usage."""
    try:
        app(arguments)
    except MultiGlobeQAError as error:
        sys.exit(_told(str(error)))
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except OSError as error:
        sys.exit(_told(f"{error.filename}: {error.strerror}" if error.filename else str(error)))


def _told(message: str) -> int:
    print(f"mgqa: {message}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    main()
