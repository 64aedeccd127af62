"""``mgqa facts``: the gold triples of a question in one of three forms."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from multiglobeqa.cli.console import say


def facts(
    benchmark: Annotated[
        Path,
        typer.Argument(metavar="BENCHMARK", help="A benchmark folder, a release, or a file of questions."),
    ],
    identity: Annotated[str, typer.Argument(metavar="ID", help="A question's id.")],
    form: Annotated[str, typer.Option(help="raw (N-Triples), structured (JSON) or prose.")] = "raw",
) -> None:
    """Print the facts from which a question's answer follows."""
    import json

    from multiglobeqa.build import forms
    from multiglobeqa.build.released import rows_of
    from multiglobeqa.errors import InputError

    if form not in forms.FORMS:
        raise InputError(f"{form!r} is no form.", mend=f"Use one of {', '.join(forms.FORMS)}.")
    lines = next((lines for row, lines in rows_of(benchmark) if row["id"] == identity), None)
    if lines is None:
        raise InputError("has no such question.", source=benchmark, place=identity)
    if form == "structured":
        say(json.dumps(forms.structured(lines), ensure_ascii=False, indent=1))
    else:
        say(forms.raw(lines) if form == "raw" else forms.prose(lines))
