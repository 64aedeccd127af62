"""``mgqa release`` and ``mgqa import-benchmark``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from multiglobeqa.cli.console import JsonFlag, OutFolder, emit, progress, say, show
from multiglobeqa.cli.targets import snapshot_path
from multiglobeqa.errors import InputError


def release(
    directory: Annotated[
        Path, typer.Argument(metavar="DIR", help="The benchmark to publish, as the test split.")
    ],
    out: OutFolder,
    train: Annotated[
        Path | None, typer.Option(metavar="DIR", help="A benchmark to add as the train split.")
    ] = None,
    kg: Annotated[
        list[str] | None,
        typer.Option(
            metavar="DIR|NAME", help="Snapshot the questions come from; by default found by itself."
        ),
    ] = None,
    snapshots: Annotated[bool, typer.Option(help="Put the KG snapshots into the release.")] = True,
    images: Annotated[
        bool, typer.Option(help="Put in the image questions whose picture was fetched (`mgqa images fetch`).")
    ] = True,
    date: Annotated[
        str | None, typer.Option(metavar="YYYY-MM-DD", help="Day of publication, for the Croissant file.")
    ] = None,
    threads: Annotated[int, typer.Option(min=1)] = 2,
    json_: JsonFlag = False,
) -> None:
    """Verify a benchmark anew and write it as a Hugging Face dataset folder."""
    from multiglobeqa.kg.store import MANIFEST, open_snapshot
    from multiglobeqa.release import ReleaseConfig
    from multiglobeqa.release import release as run
    from multiglobeqa.release.snapshots import used_snapshots
    from multiglobeqa.report import words

    if kg and not snapshots:
        raise InputError(
            "names a snapshot, and --no-snapshots leaves all out.", source="--kg", mend="Drop one."
        )
    chosen = None
    if snapshots and kg:
        chosen = [open_snapshot(snapshot_path(target)) for target in kg]
    elif snapshots:
        from multiglobeqa.build import embedded_snapshots

        folders = [folder for folder in (directory, train) if folder is not None]
        own = sorted(path.parent for folder in folders for path in (folder / "kg").glob(f"*/{MANIFEST}"))
        chosen = used_snapshots([*own, *embedded_snapshots()], folders)
    with progress() as callback:
        done = run(
            ReleaseConfig(
                directory, out, train, chosen, images=images, date=date, threads=threads, progress=callback
            )
        )
    if json_:
        emit(
            {
                "path": str(done.path),
                "questions": [
                    {"config": config, "split": split, "questions": count}
                    for (config, split), count in done.rows.items()
                ],
                "left_out": [
                    {"split": split, "cause": cause, "questions": count}
                    for (split, cause), count in done.left_out.items()
                ],
                "bytes": done.size,
            }
        )
        return
    show(
        "Released questions",
        ("config", "split", "questions"),
        [(config, split, count) for (config, split), count in done.rows.items()],
        text=2,
    )
    if done.left_out:
        show(
            "Image questions left out",
            ("split", "cause", "questions"),
            [(split, words(cause), count) for (split, cause), count in done.left_out.items()],
            text=2,
        )
    say(f"Release in {out}, {done.size / 1e6:,.1f} MB; its card is {out / 'README.md'}")


def _print_mapping(name: str | None) -> None:
    if name is None:
        return
    from multiglobeqa.release.mapping import shipped

    known = shipped()
    if name not in known:
        raise InputError(f"no mapping {name!r} comes with mgqa.", mend=f"There are: {', '.join(known)}.")
    typer.echo(known[name].read_text("utf-8"), nl=False)
    raise typer.Exit


def import_benchmark(
    path: Annotated[
        Path, typer.Argument(metavar="PATH", help="A .parquet, .jsonl or .csv file, or a folder of them.")
    ],
    mapping: Annotated[
        str,
        typer.Option(
            metavar="FILE.yaml|NAME", help="What their columns mean; `paper` and `release` come along."
        ),
    ],
    out: OutFolder,
    show_mapping: Annotated[
        str | None,
        typer.Option(metavar="NAME", callback=_print_mapping, is_eager=True, help="Print a mapping to edit."),
    ] = None,
    json_: JsonFlag = False,
) -> None:
    """Take in another benchmark: its table and a column mapping become a benchmark folder."""
    from multiglobeqa.release import import_benchmark as run

    done = run(path, mapping, out)
    if json_:
        emit(
            {
                "path": str(done.path),
                "questions": done.questions,
                "facts": done.facts,
                "dropped": dict(done.dropped),
                "examples": done.examples,
            }
        )
        return
    if done.dropped:
        show("Rows dropped", ("cause", "rows"), list(done.dropped.most_common()))
        for lines in done.examples.values():
            for line in lines:
                say(line)
    facts = f"{done.facts:,} triples" if done.facts else "no triples: `mgqa verify` has nothing to solve from"
    say(f"{done.questions:,} questions in {out}; {facts}")
