"""``mgqa templates``: list, show, check and begin sub-templates."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

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
    rows = [(sub.id, sub.title, sub.format, _variants(sub), len(sub.paraphrases)) for sub in subs]
    show(f"{len(subs)} sub-templates", ("id", "title", "format", "variants", "wordings"), rows, text=4)
    say(", ".join(f"{count} {name.replace('_', ' ')}" for name, count in _totals(subs).items()))


def _totals(subs: list[Any]) -> dict[str, int]:
    return {
        "templates": len({sub.template for sub in subs}),
        "sub-templates": len(subs),
        "wordings": sum(len(sub.paraphrases) for sub in subs),
        "false_premise_variants": sum(sub.false_premise is not None for sub in subs),
        "image_variants": sum(sub.image is not None for sub in subs),
    }


def _variants(sub: Any) -> str:
    named = (("false premise", sub.false_premise), ("image", sub.image))
    return ", ".join(name for name, part in named if part is not None)


@app.command("show")
def show_(
    identity: Annotated[str, typer.Argument(metavar="ID", help="A01.a, A01 or A.")], json_: JsonFlag = False
) -> None:
    """Print a sub-template: roles, parameters, wordings, SQL, and its variants."""
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
        for title, values in (("Parameters", sub.params), ("Slips", sub.slips)):
            if values:
                rows = [
                    (name, ", ".join(value) if isinstance(value, tuple) else str(value))
                    for name, value in values.items()
                ]
                show(title, ("name", "value"), rows, text=2)
        wordings = [(f"{sub.id}.{n}", text) for n, text in enumerate(sub.paraphrases, 1)]
        show("Wordings", ("id", "text"), wordings, text=2)
        if sub.scale_hint:
            say(f"Scale hint: {sub.scale_hint}")
        say(sub.sql)
        if sub.image is not None:
            say(f"Image: a picture may stand for {sub.image.role}.")
        if sub.false_premise is not None:
            say(f"False premise: {sub.false_premise.failure}")
            say(sub.false_premise.sql)


@app.command("check")
def check_(
    targets: Annotated[
        list[str] | None,
        typer.Argument(metavar="[DIR|FILE|ID]...", help="Templates to check; by default ours."),
    ] = None,
    solver: Annotated[
        list[Path] | None, typer.Option(metavar="FILE.py", help="Solvers of your own templates.")
    ] = None,
    cases: Annotated[Path | None, typer.Option(metavar="DIR", help="Golden cases in another place.")] = None,
    json_: JsonFlag = False,
) -> None:
    """Report every fault of templates, with file, line and mend."""
    from multiglobeqa.solver import SOLVERS
    from multiglobeqa.solver.user import load_solvers
    from multiglobeqa.taxonomy.check import check

    own = {identity: function for file in solver or [] for identity, function in load_solvers(file).items()}
    faults, checked = check(targets or (), solvers={**SOLVERS, **own}, cases=cases)
    if json_:
        emit(
            {
                "checked": checked,
                "faults": [
                    {
                        "file": str(f.file),
                        "line": f.line,
                        "subtemplate": f.sub,
                        "what": f.what,
                        "mend": f.mend,
                    }
                    for f in faults
                ],
            }
        )
    else:
        for fault in faults:
            say(str(fault))
        say(f"{len(checked)} sub-templates checked, {len(faults)} faults")
    if faults:
        raise typer.Exit(1)


@app.command("new")
def new(
    identity: Annotated[str, typer.Argument(metavar="ID", help="A family and two digits: A99.")],
    title: Annotated[str, typer.Option(help="What is asked, in a few words.")],
    format_: Annotated[
        str, typer.Option("--format", help="The answer's format: distance, boolean, entity, ...")
    ],
    roles: Annotated[str, typer.Option(help="The entities in the wording: A:point,B:surface.")],
    out: Annotated[Path, typer.Option(help="The folder of your templates.", file_okay=False)] = Path(
        "templates"
    ),
) -> None:
    """Begin a template: YAML, SQL, solver and golden case, to be filled in."""
    from multiglobeqa.taxonomy.scaffold import Plan, read_roles, write

    files = write(Plan(identity, title, format_, read_roles(roles)), out)
    for file in files:
        say(f"Wrote {file}")
    say(f"Next: fill in the lines marked TODO, then mgqa templates check {out} --solver {files[2]}")
