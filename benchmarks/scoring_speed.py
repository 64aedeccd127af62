"""How fast all replies of a benchmark in 17 languages are scored, against one reply at a time and a harness's scorer.

    python benchmarks/scoring_speed.py --benchmark DIR

Replies are a seeded mixture (``reply_mixture.py``) to 46,060 questions in 17 languages: 783,020. They are written as a
run log, then read, settled, scored, diagnosed and written as Parquet by ``evaluate.scoring``: time, CPU time, and peak
memory of all processes together. The same functions one reply at a time (``score_one``, ``diagnose``) score an even
sample of the file, and must give the same rows. Where ``inspect_ai`` is installed, its ``match(numeric=True)`` scores
the English replies to questions for numbers, which is the nearest it has. Without ``--benchmark`` a small build of the
embedded world is made and its questions repeated under new ids. Exit code 1 where a row differs.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import json
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq
from reply_mixture import LANGUAGES, mixture

from multiglobeqa.answers import AliasIndex
from multiglobeqa.answers.diagnosis import diagnose
from multiglobeqa.answers.diagnosis.many import majorities
from multiglobeqa.evaluate.scoring import Options, Questions, open_questions, prepare, score_one
from multiglobeqa.evaluate.scoring.benchmark import stores_of
from multiglobeqa.evaluate.scoring.schema import USED

COMPARED: Final = ("status", "parsed", "em", "ne", "reason", "rule")
NUMBERS: Final = ("distance", "area", "count", "ratio")
_PARTS: Final = ("model", "scorer", "solver")
PAPER: Final = 46_060


class Memory:
    """Peak of the proportional set sizes of this process and its children, in MB; 0 where the system has none."""

    def __init__(self, every: float = 0.1) -> None:
        self.peak = 0.0
        self._every, self._stop = every, threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Memory:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._stop.wait(self._every):
            self.peak = max(self.peak, sum(map(_megabytes, _family())))


def _family() -> list[str]:
    found, new = ["self"], ["self"]
    while new:
        children = []
        for name in new:
            for task in Path(f"/proc/{name}/task").glob("*/children"):
                try:
                    children += task.read_text().split()
                except OSError:
                    continue
        found += children
        new = children
    return found


def _megabytes(name: str) -> float:
    try:
        lines = Path(f"/proc/{name}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def cpu_seconds() -> float:
    """CPU time of this process and of its children that ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def questions_of(directory: Path | None, wanted: int, folder: Path) -> Questions:
    """``wanted`` questions of a benchmark, drawn by a seed; those of a small build, repeated under new ids."""
    if directory is None:
        directory = folder / "demo"
        command = [
            sys.executable,
            "-m",
            "multiglobeqa.cli.main",
            "build",
            "--out",
            str(directory),
            "--per-cell",
            "5",
        ]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    opened = open_questions(directory)
    table = opened.table
    picked = sorted(Random(0).sample(range(table.num_rows), min(wanted, table.num_rows)))
    parts = [table.take(pa.array(picked))]
    for number in range(1, -(-wanted // len(picked))):
        rest = parts[0].slice(0, wanted - number * len(picked))
        ids = pa.array(
            [sha256(f"{key} {number}".encode()).hexdigest()[:16] for key in rest["id"].to_pylist()]
        )
        parts.append(rest.set_column(rest.column_names.index("id"), rest.schema.field("id"), ids))
    return Questions(opened.path, pa.concat_tables(parts), opened.snapshots)


def labels_of(files: dict[str, list[str]], wanted: set[str]) -> dict[str, list[str]]:
    """IRI -> labels in all languages."""
    found: dict[str, list[str]] = {}
    for path in (path for paths in files.values() for path in paths):
        table = pq.read_table(path, columns=["iri", "label"])
        for iri, label in zip(table["iri"].to_pylist(), table["label"].to_pylist(), strict=True):
            if iri in wanted:
                found.setdefault(iri, []).append(label)
    return found


def write_log(file: Path, questions: Questions, languages: Sequence[str]) -> int:
    """Write the mixture as a run log; returns the number of replies."""
    columns = ["id", "format", "gold", "accepted_iris"]
    rows = questions.table.select(columns).to_pylist()
    labels = labels_of(stores_of(questions), {iri for row in rows for iri in row["accepted_iris"]})
    with file.open("w", encoding="utf-8") as stream:
        for one in mixture(rows, languages, aliases=lambda iri: labels.get(iri, ())):
            stream.write(json.dumps(one, ensure_ascii=False) + "\n")
    return len(rows) * len(languages)


def one_at_a_time(
    file: Path, questions: Questions, every: int
) -> tuple[float, float, dict[Any, tuple[Any, ...]]]:
    """Score each ``every``-th reply alone: CPU seconds of scoring, of diagnosis, and the outcome by (id, language)."""
    table = questions.table.select([name for name in USED if name in questions.table.column_names])
    by_id = {row["id"]: row for row in table.to_pylist()}
    names = {kg: AliasIndex.read(files) for kg, files in stores_of(questions).items()}
    golds = majorities(table)
    found: dict[Any, tuple[Any, ...]] = {}
    scoring = telling = 0.0
    with file.open(encoding="utf-8") as stream:
        for number, line in enumerate(stream):
            if number % every:
                continue
            started = time.process_time()
            one = json.loads(line)
            row = {**by_id[one["id"]], "language": one["language"]}
            store = names.get(row["kg"])
            outcome = score_one(row, one["text"], names=store)
            scored = time.process_time()
            if outcome.status == "answered" and not outcome.em:
                value = json.loads(outcome.parsed or "null")
                said = diagnose(row, row["format"], value, names=store)
                _ = said or golds.get(row["subtemplate"]) == value
            found[one["id"], one["language"]] = tuple(outcome)
            telling += time.process_time() - scored
            scoring += scored - started
    return scoring, telling, found


def harness(file: Path, questions: Questions) -> tuple[str, int, int] | None:
    """CPU time of Inspect's numeric matcher in words, how many it takes for right, and of how many; None without it."""
    try:
        model, scorers, solvers = (importlib.import_module(f"inspect_ai.{name}") for name in _PARTS)
    except ImportError:
        return None
    table = questions.table
    golds = {
        key: str(json.loads(gold))
        for key, kind, gold in zip(
            *(table[name].to_pylist() for name in ("id", "format", "gold")), strict=True
        )
        if kind in NUMBERS and gold is not None
    }
    with file.open(encoding="utf-8") as stream:
        rows = [one for one in map(json.loads, stream) if one["language"] == "eng" and one["id"] in golds]
    scorer = scorers.match(numeric=True)

    async def run() -> int:
        right = 0
        for one in rows:
            output = model.ModelOutput.from_content("m", one["text"])
            state = solvers.TaskState(
                model="m", sample_id=one["id"], epoch=1, input="", messages=[], output=output
            )
            score = await scorer(state, scorers.Target(golds[one["id"]]))
            right += score is not None and score.value == "C"
        return right

    started = time.process_time()
    right = asyncio.run(run())
    micros = (time.process_time() - started) / max(1, len(rows)) * 1e6
    return f"{micros:.0f} µs a reply", right, len(rows)


def main() -> int:
    """Run and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--benchmark", type=Path, help="a benchmark folder; without it one is built")
    parser.add_argument("--questions", type=int, default=PAPER)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--sample", type=int, default=40_000, help="replies that are scored one at a time")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        questions = questions_of(arguments.benchmark, arguments.questions, folder)
        log, out = folder / "log.jsonl", folder / "scores.parquet"
        replies = write_log(log, questions, LANGUAGES)
        print(
            f"{replies:,} replies to {questions.table.num_rows:,} questions, {log.stat().st_size / 2**20:,.0f} MB"
        )
        started, used = time.perf_counter(), cpu_seconds()
        with Memory() as memory:
            scored = prepare(log, questions, Options(threads=arguments.threads))
            intake = time.perf_counter() - started
            scored.write(out)
        whole, used = time.perf_counter() - started, cpu_seconds() - used
        print(f"at once, {arguments.threads} processes: {whole:.1f} s, of it {intake:.1f} s intake; "
              f"{used:.1f} s of CPU, {used / replies * 1e6:.1f} µs a reply; peak {memory.peak:,.0f} MB")  # fmt: skip
        scoring, telling, alone = one_at_a_time(log, questions, max(1, replies // arguments.sample))
        each, more = scoring / len(alone), telling / len(alone)
        print(f"one at a time ({len(alone):,} replies): {each * 1e6:.1f} µs of CPU a reply, and {more * 1e6:.1f} µs of "
              f"diagnosis; all would take {(each + more) * replies:.0f} s")  # fmt: skip
        print(
            f"ratio: {(each + more) * replies / whole:.1f} in time, {(each + more) * replies / used:.1f} in CPU time"
        )
        different = _differences(out, alone)
        print(f"rows that differ: {different}")
        compared = harness(log, questions)
        if compared is None:
            print("Inspect's match(numeric=True): skipped, inspect_ai is not installed")
        else:
            words, right, asked = compared
            print(f"Inspect's match(numeric=True): {words}; right {right:,} of {asked:,} numbers in English, here "
                  f"{_right(out, questions):,}")  # fmt: skip
    return 1 if different else 0


def _differences(out: Path, alone: dict[Any, tuple[Any, ...]]) -> int:
    table = pq.read_table(out, columns=["id", "language", *COMPARED])
    different = 0
    for batch in table.to_batches():
        columns = [batch[name].to_pylist() for name in ("id", "language", *COMPARED)]
        for key, language, *row in zip(*columns, strict=True):
            different += (key, language) in alone and alone[key, language] != tuple(row)
    return different


def _right(out: Path, questions: Questions) -> int:
    formats = dict(zip(questions.table["id"].to_pylist(), questions.table["format"].to_pylist(), strict=True))
    table = pq.read_table(
        out, columns=["id", "language", "em"], filters=[("language", "=", "eng"), ("em", "=", 1)]
    )
    return sum(formats[key] in NUMBERS for key in table["id"].to_pylist())


if __name__ == "__main__":
    sys.exit(main())
