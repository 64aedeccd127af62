"""``mgqa images``: the pictures of the image questions. Only these commands reach the network for them."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from multiglobeqa.cli.console import JsonFlag, emit, progress, say, show
from multiglobeqa.cli.targets import snapshot_path

app = typer.Typer(no_args_is_help=True, help="Pictures of the image questions: resolve, fetch, look at.")

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="A benchmark folder.")]
Rate = Annotated[float, typer.Option(min=0.01, help="Most requests a second.")]
Retries = Annotated[int, typer.Option(min=0, help="Further tries of a request that fails.")]
Timeout = Annotated[float, typer.Option(min=0.1, help="Seconds without a byte before a try fails.")]
Contact = Annotated[
    str, typer.Option(help="Your address or mailbox for the User-Agent; Wikimedia asks for it.")
]
Again = Annotated[bool, typer.Option("--again", help="Ask also for what was answered with nothing before.")]


@app.command()
def resolve(
    directory: Folder,
    kg: Annotated[
        list[str] | None,
        typer.Option(metavar="DIR|NAME", help="Resolve also the picturable entities of this snapshot."),
    ] = None,
    api: Annotated[str, typer.Option(help="Address of the Wikidata API.")] = "",
    rate: Rate = 2.0,
    retries: Retries = 5,
    timeout: Timeout = 30.0,
    contact: Contact = "",
    again: Again = False,
    json_: JsonFlag = False,
) -> None:
    """Ask Wikidata for the pictures of items. What was asked is not asked again."""
    from multiglobeqa.images import resolve as room
    from multiglobeqa.images.wanted import of_benchmark, of_snapshots
    from multiglobeqa.images.web import Web
    from multiglobeqa.kg.store import open_snapshot

    snapshots = [open_snapshot(snapshot_path(target)) for target in kg or []]
    wanted = [*of_benchmark(directory), *of_snapshots(snapshots)]
    with (
        Web(rate=rate, retries=retries, timeout=timeout, contact=contact) as web,
        progress() as show_progress,
    ):
        result = room.resolve(
            directory,
            wanted,
            web,
            api=api or room.API,
            again=again,
            progress=lambda done, total: show_progress("resolve", done, total),
        )
    if json_:
        emit(asdict(result))
        return
    say(f"Wikidata items: {result.items:,}, asked now: {result.asked:,}")
    say(f"With a picture: {result.with_picture:,}, without: {result.without:,}")


@app.command()
def fetch(
    directory: Folder,
    width: Annotated[
        int, typer.Option(min=0, help="Width of Commons pictures in pixels; 0: as uploaded.")
    ] = 1280,
    max_bytes: Annotated[int, typer.Option(min=1, help="Most bytes of a download.")] = 20_000_000,
    max_pixels: Annotated[int, typer.Option(min=1, help="Most pixels of a picture.")] = 40_000_000,
    licences: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.csv", help="Rights of pictures outside Commons: url, author, licence, licence_url."
        ),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Download also what may not be redistributed; it stays unusable.")
    ] = False,
    again: Again = False,
    local: Annotated[bool, typer.Option("--local", help="Allow addresses in private networks.")] = False,
    api: Annotated[str, typer.Option(help="Address of the Commons API.")] = "",
    files: Annotated[str, typer.Option(help="Address before a Commons file's name.")] = "",
    rate: Rate = 2.0,
    retries: Retries = 5,
    timeout: Timeout = 30.0,
    contact: Contact = "",
    json_: JsonFlag = False,
) -> None:
    """Download the pictures of the image questions. What is there is not fetched again."""
    from multiglobeqa.images import fetch as room
    from multiglobeqa.images import licences as rights
    from multiglobeqa.images.check import Limits
    from multiglobeqa.images.wanted import of_benchmark
    from multiglobeqa.images.web import Web

    wanted = of_benchmark(directory)
    options = room.Options(
        width=width,
        limits=Limits(bytes=max_bytes, pixels=max_pixels),
        api=api or rights.API,
        files=files or room.FILES,
        rights=rights.of_file(licences) if licences else {},
        every=every,
        again=again,
        local=local,
    )
    with (
        Web(rate=rate, retries=retries, timeout=timeout, contact=contact) as web,
        progress() as show_progress,
    ):
        result = room.fetch(
            directory, wanted, web, options, lambda done, total: show_progress("fetch", done, total)
        )
    if json_:
        emit({**vars(result), "failed": dict(result.failed)})
        return
    say(f"Pictures wanted: {result.wanted:,}, kept: {result.kept:,}, fetched now: {result.fetched:,}")
    say(f"Usable: {result.usable:,}")
    _causes("Not usable", "pictures", result.failed)
    if result.failed["not_resolved"]:
        say("Run `mgqa images resolve` to find the pictures of Wikidata items.")


@app.command("list")
def list_(directory: Folder, json_: JsonFlag = False) -> None:
    """Show how many image questions have a usable picture, and why the others are left out."""
    from multiglobeqa.images.store import ImageStore
    from multiglobeqa.images.wanted import of_benchmark, questions

    store = ImageStore(directory)
    pictures = of_benchmark(directory)
    columns = questions(directory)
    left_out = store.left_out(columns)
    rows = [store.row(picture) for picture in pictures if store.cause(picture) is None]
    found: dict[str, Any] = {
        "questions": len(columns),
        "usable_questions": len(columns) - left_out.total(),
        "left_out": dict(left_out.most_common()),
        "pictures": len(pictures),
        "usable_pictures": len(rows),
        "licences": dict(Counter(row["licence"] for row in rows if row).most_common()),
    }
    if json_:
        emit(found)
        return
    say(f"Image questions: {found['questions']:,}, with a usable picture: {found['usable_questions']:,}")
    say(f"Pictures: {found['pictures']:,}, usable: {found['usable_pictures']:,}")
    _causes("Left out", "questions", left_out)
    _causes("Licences of usable pictures", "pictures", Counter(found["licences"]), "licence")


def _causes(title: str, what: str, counts: Counter[str], column: str = "cause") -> None:
    if counts:
        show(title, (column, what), [(name.replace("_", " "), n) for name, n in counts.most_common()])
