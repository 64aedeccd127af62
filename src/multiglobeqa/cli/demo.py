"""``mgqa demo``: the whole way once, on the embedded world."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from multiglobeqa.cli.build import build, verify
from multiglobeqa.cli.console import OutFolder, say
from multiglobeqa.cli.evaluate import show_runs
from multiglobeqa.cli.kg import show_strata
from multiglobeqa.cli.report import write_page
from multiglobeqa.cli.targets import snapshots_of
from multiglobeqa.kg.schema import KINDS


def demo(
    out: OutFolder,
    threads: Annotated[int, typer.Option(min=1)] = 2,
    per_cell: Annotated[int, typer.Option(min=1, help="Most questions a sub-template, KG and stratum.")] = 5,
) -> None:
    """Build, verify, answer and score a benchmark of the embedded world, and write its report."""
    from multiglobeqa.evaluate.files import BASELINES, run_baseline, score_file
    from multiglobeqa.report import open_benchmark, read_run

    seconds: dict[str, float] = {}
    with _timed(seconds, "entities"):
        show_world()
    with _timed(seconds, "build"):
        build(out, threads=threads, per_cell=per_cell)
    with _timed(seconds, "verify"):
        verify(out, threads=threads)
    scores: list[Path] = []
    with _timed(seconds, "baselines and scores"):
        benchmark = open_benchmark(out)
        snapshots = snapshots_of(benchmark)
        for name in BASELINES:
            replies, scored = out / f"{name}.jsonl", out / f"{name}.parquet"
            run_baseline(name, out, replies, threads=threads)
            score_file(replies, out, scored, snapshots=snapshots)
            scores.append(scored)
        show_runs([read_run(benchmark, file) for file in scores])
    with _timed(seconds, "report"):
        say(f"Report: {write_page(out, out / 'report.html', scores)}")
    parts = ", ".join(f"{stage} {value:.1f} s" for stage, value in seconds.items())
    say(f"Done in {sum(seconds.values()):.1f} s: {parts}")


def show_world() -> None:
    """Print the embedded entities by KG, kind and stratum."""
    from multiglobeqa.build import embedded_snapshots
    from multiglobeqa.kg.store import open_snapshot
    from multiglobeqa.report import summarize

    for path in embedded_snapshots():
        summary = summarize(open_snapshot(path))
        title = f"{summary.kg}: {summary.entities:,} entities by stratum and kind"
        show_strata(summary.strata, list(KINDS), title)


@contextmanager
def _timed(seconds: dict[str, float], stage: str) -> Iterator[None]:
    started = time.perf_counter()
    yield
    seconds[stage] = time.perf_counter() - started
