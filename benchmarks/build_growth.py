"""How time and memory of `mgqa build` grow with the number of entities.

    python benchmarks/build_growth.py [--factors 1,2,5,10] [--per-cell 30] [--subtemplate A01.a ...] [--work DIR]

Each size is the embedded world, enlarged by benchmarks/planet.py to so many times its entities (KG by KG), and built
by `mgqa build` in a process of its own. A line a size: entities; seconds of the build; the peak memory of the building
process, and of it with its checkers (sampled); questions; the slopes d log(seconds) / d log(entities) and
d log(memory) / d log(entities) since the size before: 1 is linear growth, 0 is none. Then the stages that took longest
at the last size, with their slopes since the first. Snapshots stay in ``--work`` and are used again.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from planet import write_planet

from multiglobeqa.build import embedded_snapshots
from multiglobeqa.kg.schema import KGS
from multiglobeqa.kg.store import MANIFEST, open_snapshot

SHOWN: Final = 12
"""Stages listed."""
EVERY_S: Final = 0.5
"""Time between two looks at memory."""


@dataclass(frozen=True)
class Run:
    """One build: entities, seconds, peak memory in MB (the building process; with its checkers), questions, stages."""

    entities: int
    seconds: float
    peak_mb: int
    tree_mb: int
    questions: int
    stages: dict[str, float]


def slope(before: tuple[float, float], after: tuple[float, float]) -> float:
    """d log y / d log x between two points (x, y); NaN where x does not grow or a value is not positive."""
    (x1, y1), (x2, y2) = before, after
    return math.log(y2 / y1) / math.log(x2 / x1) if min(x1, y1, y2) > 0 and x2 > x1 else math.nan


def memory_mb(root: int) -> tuple[int, int]:
    """Peak memory of a process so far, and what it and its descendants hold now, in MB; 0 where it has ended."""
    children: dict[int, list[int]] = {}
    held: dict[int, int] = {}
    peak = 0
    for folder in Path("/proc").iterdir():
        if not folder.name.isdecimal():
            continue
        try:
            text = (folder / "status").read_text("ascii", errors="replace")
        except OSError:
            continue  # it ended meanwhile
        found = dict(re.findall(r"^(PPid|VmRSS|VmHWM):\s+(\d+)", text, re.MULTILINE))
        pid = int(folder.name)
        children.setdefault(int(found["PPid"]), []).append(pid)
        held[pid] = int(found.get("VmRSS", 0))
        if pid == root:
            peak = int(found.get("VmHWM", 0))
    waiting, total = [root], 0
    while waiting:
        pid = waiting.pop()
        total += held.get(pid, 0)
        waiting += children.get(pid, [])
    return peak // 1024, total // 1024


def enlarged(folder: Path, factor: float, seed: int) -> list[Path]:
    """Snapshots with ``factor`` times the embedded entities of each KG; those that are there are used again."""
    if factor == 1:
        return embedded_snapshots()
    out = []
    for path in embedded_snapshots():
        target = folder / f"x{factor:g}"
        if not (target / path.name / MANIFEST).is_file():
            size = sum(part.entities for part in open_snapshot(path).parts)
            write_planet(target, path.name, round(size * factor), seed)
        out.append(target / path.name)
    return out


def build(snapshots: list[Path], out: Path, options: list[str]) -> Run:
    """Run `mgqa build` and watch its memory. Stops with the build's own words where it fails."""
    command = [sys.executable, __file__, "--build", str(out), *options]
    command += [text for path in snapshots for text in ("--kg", str(path))]
    started = time.perf_counter()
    with (
        tempfile.TemporaryFile("w+", encoding="utf-8") as errors,
        tempfile.TemporaryFile("w+", encoding="utf-8") as said,
    ):
        process = subprocess.Popen(command, stdout=said, stderr=errors)
        peak = tree = 0
        while process.poll() is None:
            alone, all_ = memory_mb(process.pid)
            peak, tree = max(peak, alone), max(tree, all_)
            time.sleep(EVERY_S)
        seconds = time.perf_counter() - started
        if process.returncode:
            errors.seek(0)
            raise SystemExit(f"build_growth: the build of {out} failed:\n{errors.read()[-3000:]}")
        said.seek(0)
        stages = json.loads(said.read().splitlines()[-1])
    entities = sum(part.entities for path in snapshots for part in open_snapshot(path).parts)
    summary = json.loads((out / "build.json").read_text("utf-8"))
    return Run(entities, seconds, peak, max(peak, tree), int(summary["questions"]), stages)


def _build(arguments: list[str]) -> None:
    """The child: one build; prints the seconds of its stages as JSON."""
    from multiglobeqa.build.pipeline import BuildConfig
    from multiglobeqa.build.pipeline import build as run

    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("--kg", type=Path, action="append")
    parser.add_argument("--per-cell", type=int)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--subtemplate", action="append")
    o = parser.parse_args(arguments)
    config = BuildConfig(o.out, kgs=o.kg, per_cell=o.per_cell, threads=o.threads, subtemplates=o.subtemplate)
    print(json.dumps(run(config).seconds))


def line(run: Run, before: Run | None) -> str:
    """A row of the table."""
    text = (
        f"{run.entities:>12,} {run.seconds:>9.1f} {run.peak_mb:>10,} {run.tree_mb:>10,} {run.questions:>10,}"
    )
    if before is None:
        return text
    time_ = slope((before.entities, before.seconds), (run.entities, run.seconds))
    memory = slope((before.entities, before.tree_mb), (run.entities, run.tree_mb))
    return f"{text} {time_:>9.2f} {memory:>9.2f}"


def stage_lines(first: Run, last: Run) -> list[str]:
    """The stages that took longest at the last size: seconds at both, and the slope between."""
    out = [f"{'stage':<28} {'first s':>9} {'last s':>9} {'slope':>7}"]
    for name, seconds in sorted(last.stages.items(), key=lambda item: -item[1])[:SHOWN]:
        start = first.stages.get(name, 0.0)
        out.append(
            f"{name:<28} {start:>9.1f} {seconds:>9.1f} "
            f"{slope((first.entities, start), (last.entities, seconds)):>7.2f}"
        )
    return out


def main() -> None:
    """Build at every size and print the table."""
    if sys.argv[1:2] == ["--build"]:
        _build(sys.argv[2:])
        return
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--factors", default="1,2,5,10", help="Times the embedded world's entities.")
    parser.add_argument("--per-cell", type=int, default=30)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--subtemplate", action="append", default=[], help="By default all.")
    parser.add_argument("--work", type=Path, help="Where snapshots and builds stay; else a temporary folder.")
    o = parser.parse_args()
    factors = sorted({float(text) for text in o.factors.split(",")})
    if factors[0] < 1:
        raise SystemExit("build_growth: --factors must be 1 or more.")
    options = ["--per-cell", str(o.per_cell), "--threads", str(o.threads)]
    options += [text for sub in o.subtemplate for text in ("--subtemplate", sub)]
    with tempfile.TemporaryDirectory(prefix="mgqa-growth-") as temporary:
        work = o.work or Path(temporary)
        print(f"`mgqa build {' '.join(options)}`, KGs {', '.join(KGS)}, {os.cpu_count()} CPUs")
        titles = ("entities", "seconds", "peak MB", "with all", "questions", "d time", "d memory")
        widths = (12, 9, 10, 10, 10, 9, 9)
        print(" ".join(title.rjust(width) for title, width in zip(titles, widths, strict=True)))
        runs: list[Run] = []
        for factor in factors:
            snapshots = enlarged(work, factor, o.seed)
            run = build(snapshots, work / f"build_x{factor:g}", options)
            print(line(run, runs[-1] if runs else None), flush=True)
            runs.append(run)
        print("\n".join(stage_lines(runs[0], runs[-1])))


if __name__ == "__main__":
    main()
