"""Scoring a whole file: chunks of questions, in several processes, written as they come."""

from __future__ import annotations

import sys
import tempfile
from collections import deque
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa

from multiglobeqa.answers import AliasIndex
from multiglobeqa.evaluate.scoring.batch import Scorer

CHUNK: Final = 16_384
"""Replies a chunk, about; a question's replies stay together."""
ALONE: Final = 2 * CHUNK
"""Up to here one process is faster."""
_AHEAD: Final = 4


@dataclass(frozen=True)
class Job:
    """What a process needs: Arrow files of questions and predictions, label files by KG, options."""

    questions: str
    predictions: str
    labels: dict[str, list[str]]
    cache: str
    h3_credit: str
    run: str


def scored(
    questions: pa.Table,
    predictions: pa.Table,
    labels: Mapping[str, list[str]],
    *,
    run: str = "",
    h3_credit: str = "geometric",
    threads: int = 2,
) -> Iterator[pa.Table]:
    """The scores of predictions (as ``predictions.Taken.table``), some thousands of rows at a time, in their order.

    Parameters
    ----------
    questions : see ``batch.Scorer``.
    labels : KG -> label files of its snapshots.
    threads : processes; few predictions are scored in this one.
    """
    if not predictions.num_rows:
        return
    parts = list(chunks(predictions))
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="mgqa-score-"))
        if threads <= 1 or predictions.num_rows <= ALONE:
            names = {kg: AliasIndex.read(files, cache=folder) for kg, files in labels.items()}
            scorer = Scorer(questions, names, h3_credit)
            for start, size in parts:
                yield scorer.score(predictions.slice(start, size), run)
            return
        for files in labels.values():
            AliasIndex.read(files, cache=folder)  # made once, mapped by all processes
        job = Job(
            _spooled(Path(folder, "questions.arrow"), questions),
            _spooled(Path(folder, "predictions.arrow"), predictions),
            dict(labels), folder, h3_credit, run,
        )  # fmt: skip
        del predictions
        context = get_context("spawn")
        pool = stack.enter_context(ProcessPoolExecutor(threads, context, _start, (job,)))
        waiting: deque[Future[pa.Table]] = deque()
        for part in parts:
            if len(waiting) == _AHEAD * threads:
                yield waiting.popleft().result()
            with _program_apart():  # a process starts where none is idle
                waiting.append(pool.submit(_chunk, *part))
        while waiting:
            yield waiting.popleft().result()


@contextmanager
def _program_apart() -> Iterator[None]:
    """Start processes that do not run the user's program again: a script need not be guarded by its name."""
    program = sys.modules["__main__"].__dict__
    kept: dict[str, Any] = {name: program[name] for name in ("__spec__", "__file__") if name in program}
    program.pop("__file__", None)
    program["__spec__"] = None
    try:
        yield
    finally:
        program.update(kept)


def chunks(predictions: pa.Table) -> Iterator[tuple[int, int]]:
    """(start, size) of chunks that end where a question ends."""
    question = np.asarray(predictions["question"])
    ends = np.flatnonzero(np.r_[question[1:] != question[:-1], True]) + 1
    start = 0
    while start < len(question):
        end = int(ends[min(int(np.searchsorted(ends, start + CHUNK)), len(ends) - 1)])
        yield start, end - start
        start = end


def _spooled(path: Path, table: pa.Table) -> str:
    """A table as an Arrow file that processes map into memory."""
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=CHUNK)
    return str(path)


class _Process:
    """One process's scorer and predictions."""

    scorer: Scorer
    predictions: pa.Table
    run: str


def _start(job: Job) -> None:
    pa.set_cpu_count(1)
    names = {kg: AliasIndex.read(files, cache=job.cache) for kg, files in job.labels.items()}
    _Process.scorer = Scorer(_mapped(job.questions), names, job.h3_credit)
    _Process.predictions = _mapped(job.predictions)
    _Process.run = job.run


def _mapped(path: str) -> pa.Table:
    return pa.ipc.open_file(pa.memory_map(path)).read_all()


def _chunk(start: int, size: int) -> pa.Table:
    return _Process.scorer.score(_Process.predictions.slice(start, size), _Process.run)
