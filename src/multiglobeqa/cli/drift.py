"""``mgqa drift``: what a newer snapshot says of a released benchmark."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from multiglobeqa.cli.console import JsonFlag, emit, progress, say, show
from multiglobeqa.cli.targets import snapshot_path


def drift(
    benchmark: Annotated[
        Path,
        typer.Argument(metavar="BENCHMARK", help="A benchmark folder, a release, or a file of questions."),
    ],
    kg: Annotated[list[str], typer.Argument(metavar="KG...", help="The newer snapshots: folders or names.")],
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE.jsonl", help="Write a line a question, with old and new answer."),
    ] = None,
    shown: Annotated[int, typer.Option(min=0, help="How many changed answers to print.")] = 20,
    json_: JsonFlag = False,
) -> None:
    """Execute a benchmark's queries again on newer snapshots, and say which answers changed and why."""
    import json
    from dataclasses import asdict

    from multiglobeqa.build.drift import STATUSES, counted
    from multiglobeqa.build.drift import drift as run
    from multiglobeqa.kg.store import open_snapshot, replacing

    snapshots = [open_snapshot(snapshot_path(target)) for target in kg]
    with progress() as callback:
        found = run(benchmark, snapshots, progress=callback)
    if out is not None:
        with replacing(out) as temporary, temporary.open("w", encoding="utf-8") as stream:
            stream.writelines(json.dumps(asdict(one), ensure_ascii=False) + "\n" for one in found)
    counts = counted(found)
    if json_:
        emit({"questions": len(found), **{status: counts[status] for status in STATUSES}})
        return
    show(
        f"{len(found):,} questions",
        ("status", "questions"),
        [(s.replace("_", " "), counts[s]) for s in STATUSES],
    )
    moved = [one for one in found if one.status not in ("same", "not_reached")]
    for one in moved[:shown]:
        say(f"{one.id} ({one.subtemplate}, {one.kg}) {one.status.replace('_', ' ')}: {one.old} -> {one.new}")
        for reason in one.why[:5]:
            say(f"    {reason}")
    if len(moved) > shown:
        say(
            f"... and {len(moved) - shown:,} more"
            + (f" in {out}" if out else "; --out FILE.jsonl writes all")
        )
