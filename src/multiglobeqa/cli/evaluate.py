"""``mgqa baseline`` and ``mgqa score``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from multiglobeqa.cli.console import JsonFlag, emit, say, show
from multiglobeqa.cli.targets import snapshot_path, snapshots_of
from multiglobeqa.report.benchmark import open_benchmark
from multiglobeqa.report.scores import Run, read_run


def baseline(
    name: Annotated[str, typer.Argument(metavar="majority|oracle-solver", help="The baseline.")],
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="A benchmark folder.")],
    out: Annotated[Path, typer.Option("--out", help="The replies file to write (.jsonl).", dir_okay=False)],
    threads: Annotated[int, typer.Option(min=1)] = 2,
) -> None:
    """Write the replies of a baseline that needs no model."""
    from multiglobeqa.evaluate.files import run_baseline

    say(f"{run_baseline(name, directory, out, threads=threads):,} replies in {out}")


def score(
    replies: Annotated[
        Path, typer.Argument(metavar="REPLIES.jsonl", help="One reply a line; see docs/evaluator.md.")
    ],
    benchmark: Annotated[
        Path, typer.Option("--benchmark", metavar="DIR", help="The benchmark that was asked.")
    ],
    out: Annotated[Path, typer.Option("--out", help="The scores to write (.parquet).", dir_okay=False)],
    kg: Annotated[
        list[str] | None,
        typer.Option(metavar="DIR|NAME", help="Snapshot with the names; by default those of the benchmark."),
    ] = None,
    json_: JsonFlag = False,
) -> None:
    """Score replies and print exact match by family and stratum."""
    from multiglobeqa.evaluate.files import score_file
    from multiglobeqa.kg.store import open_snapshot

    opened = open_benchmark(benchmark)
    names = [open_snapshot(snapshot_path(target)) for target in kg or []] or snapshots_of(opened)
    score_file(replies, benchmark, out, snapshots=names)
    run = read_run(opened, out)
    if json_:
        emit(metrics(run))
        return
    show_runs([run])
    say(f"Scores in {out}")


def metrics(run: Run) -> dict[str, object]:
    """A run's metrics as JSON values."""
    groups = {"all": (), "family": ("family",), "stratum": ("income", "density"), "format": ("format",)}
    rows = {
        name: [
            {
                **dict(zip(by, scores.group, strict=True)),
                "questions": scores.questions,
                "em": None if scores.em is None else float(scores.em),
                "ne": scores.ne,
                "coverage": None if scores.coverage is None else float(scores.coverage),
            }
            for scores in run.by(*by)
        ]
        for name, by in groups.items()
    }
    return {"run": run.name, "missing": run.missing, **rows}


def show_runs(runs: list[Run]) -> None:
    """Print exact match by family and by stratum, one column a run."""
    from multiglobeqa.report import percent, stratum_label
    from multiglobeqa.report.page import em_table
    from multiglobeqa.taxonomy.model import FAMILIES

    names = [run.name for run in runs]
    rows = em_table(runs, ("family",))
    show(
        "Exact match by family",
        ("", "family", "questions", *names),
        [(r["key"][0], FAMILIES[r["key"][0]], r["questions"], *map(percent, r["em"])) for r in rows],
        text=2,
    )
    rows = em_table(runs, ("income", "density"))
    show(
        "Exact match by stratum",
        ("stratum", "questions", *names),
        [(stratum_label(r["key"]), r["questions"], *map(percent, r["em"])) for r in rows],
    )
    for run in runs:
        if run.overall:
            say(f"EM {run.name}: {percent(run.overall.em)} of {run.overall.questions:,} questions")
        if run.missing:
            say(f"{run.name}: {run.missing:,} questions have no reply and count as wrong.")
