"""``mgqa templates``: the sub-templates that are implemented."""

from __future__ import annotations

from typing import Annotated

import typer

from multiglobeqa.cli.console import JsonFlag, emit, say, show

app = typer.Typer(no_args_is_help=True, help="The sub-templates.")


@app.command("list")
def list_(json_: JsonFlag = False) -> None:
    """List the sub-templates."""
    from multiglobeqa.taxonomy import load

    subs = load()
    if json_:
        emit([sub.model_dump(include={"id", "family", "template", "title", "format", "kgs"}) for sub in subs])
        return
    rows = [(sub.id, sub.title, sub.format, len(sub.paraphrases)) for sub in subs]
    show(f"{len(subs)} sub-templates", ("id", "title", "format", "wordings"), rows, text=3)


@app.command("show")
def show_(
    identity: Annotated[str, typer.Argument(metavar="ID", help="A01.a, A01 or A.")], json_: JsonFlag = False
) -> None:
    """Print a sub-template: roles, parameters, wordings, SQL."""
    from multiglobeqa.taxonomy import load

    subs = load(only=[identity])
    if json_:
        emit([sub.model_dump() for sub in subs])
        return
    for sub in subs:
        say(f"{sub.id} {sub.title}")
        unit = f" in {sub.unit}" if sub.unit else ""
        say(f"Answer: {sub.format}{unit}. KGs: {', '.join(sub.kgs)}. File: taxonomy/templates/{sub.source}")
        show("Roles", ("role", "what"), sub.roles.items(), text=2)
        if sub.params:
            show(
                "Parameters",
                ("name", "value"),
                [(name, str(value)) for name, value in sub.params.items()],
                text=2,
            )
        show(
            "Wordings",
            ("id", "text"),
            [(f"{sub.id}.{n}", text) for n, text in enumerate(sub.paraphrases, 1)],
            text=2,
        )
        say(sub.sql)
