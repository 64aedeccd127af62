"""Verification: every question is solved again from its facts alone by code that shares nothing with the query."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from multiglobeqa.build.compare import same
from multiglobeqa.build.released import names_fault, rows_of
from multiglobeqa.errors import InputError

_CHUNK = 64


@dataclass
class VerifyResult:
    """How many questions were solved again, how many agree, and a line for each that does not."""

    total: int = 0
    agreed: int = 0
    differences: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Task:
    """One question as the solver sees it, and the answer it must find.

    ``expected``: the canonical answer; IRIs for formats entity (the gold and its ties, sorted) and set (sorted);
    None where the premise fails, and ``failure`` says which. ``fault``: a difference seen before solving.
    """

    identity: str
    question: dict[str, Any]
    expected: Any
    lines: list[str]
    failure: str | None = None
    fault: str | None = None


class Checker:
    """Solves tasks in other processes while their maker goes on; with one thread in this one, at once.

    At most ``AHEAD`` chunks a process are held. Use as a context manager.
    """

    AHEAD = 8

    def __init__(self, threads: int = 2, progress: Callable[[int], None] | None = None) -> None:
        from multiglobeqa.solver.user import register_all, registered

        self._found: list[tuple[str, str | None]] = []
        self._progress = progress
        self._waiting: deque[tuple[list[str], Future[list[str | None]]]] = deque()
        self._threads = threads
        self._pool: ProcessPoolExecutor | None = None
        if threads > 1:
            self._pool = ProcessPoolExecutor(
                threads, mp_context=get_context("spawn"), initializer=register_all, initargs=(registered(),)
            )

    def __enter__(self) -> Checker:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=kind is None, cancel_futures=kind is not None)

    def submit(self, tasks: Iterable[Task]) -> None:
        """Add tasks; returns when not too many wait."""
        for chunk in _chunks(iter(tasks)):
            names = [task.identity for task in chunk]
            if self._pool is None:
                self._keep(names, _check_chunk(chunk))
                continue
            self._waiting.append((names, self._pool.submit(_check_chunk, chunk)))
            while len(self._waiting) > self.AHEAD * self._threads:
                self._take()

    def finish(self, counted: Collection[str] | None = None) -> VerifyResult:
        """Wait for all; totals are over the ids ``counted`` (by default all), differences over every task."""
        while self._waiting:
            self._take()
        every = [line for _, line in self._found]
        outcomes = dict(self._found)  # a question that two tuples lead to is one
        mine = every if counted is None else [outcomes[name] for name in counted]
        return VerifyResult(
            total=len(mine),
            agreed=sum(line is None for line in mine),
            differences=[line for line in every if line is not None],
        )

    def _take(self) -> None:
        names, future = self._waiting.popleft()
        self._keep(names, future.result())

    def _keep(self, names: list[str], outcomes: list[str | None]) -> None:
        self._found += zip(names, outcomes, strict=True)
        if self._progress is not None:
            self._progress(len(self._found))


def check(
    tasks: Iterable[Task], threads: int = 2, progress: Callable[[int], None] | None = None
) -> VerifyResult:
    """Solve the tasks and compare; with more than one thread in as many processes."""
    with Checker(threads, progress) as checker:
        checker.submit(tasks)
        return checker.finish()


def _chunks(tasks: Iterable[Task]) -> Iterator[list[Task]]:
    chunk: list[Task] = []
    for task in tasks:
        chunk.append(task)
        if len(chunk) == _CHUNK:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def _check_chunk(tasks: Sequence[Task]) -> list[str | None]:
    return [difference(task) for task in tasks]


def difference(task: Task) -> str | None:
    """None where the solver agrees, else a line with both values."""
    from multiglobeqa.solver import refute, solve

    if task.fault is not None:
        return task.fault
    name = f"{task.identity} ({task.question['subtemplate']}, {task.question['kg']})"
    try:
        solution = solve(task.question, task.lines)
        proof = refute(task.question, task.lines) if task.failure is not None else solution
    except Exception as error:  # a fault of the solver is a difference, never the end of the check
        return f"{name}: query {_short(task.expected)}, solver failed: {type(error).__name__}: {error}"
    if task.failure is not None:
        told = {solution.premise_failure, proof.premise_failure}
        if solution.answer is None and told == {task.failure}:
            return None
        return f"{name}: query {task.failure}, solver {_short(solution.answer)} {sorted(map(str, told))}"
    kind = task.question["format"]
    found = solution.answer
    if found is None:
        pass
    elif kind == "entity":
        found = sorted({solution.answer, *solution.accepted})
    elif kind == "set":
        found = sorted(solution.answer)
    if same(kind, task.expected, found, str(task.question["subtemplate"])[:3]):
        return None
    return f"{name}: query {_short(task.expected)}, solver {_short(found)}"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 200 else text[:200] + "..."


def tasks_of(path: Path) -> Iterator[Task]:
    """The verification tasks of a benchmark folder, a release folder or a file of questions, from its text alone."""
    seen: set[tuple[Any, ...]] = set()
    for row, lines in rows_of(path):
        key = (row["id"], row.get("language"))
        twice = id_fault(row) if key in seen else None
        seen.add(key)
        yield _task(row, lines, twice or names_fault(row, lines))


def id_fault(row: dict[str, Any]) -> str:
    """The difference of a question whose id another one has: the two may contradict each other."""
    return f"{row['id']} ({row['subtemplate']}, {row['kg']}): another question has this id, and differs"


def task_of(row: dict[str, Any], lines: dict[int, str]) -> Task:
    """The verification task of one question row; ``lines``: fact id -> N-Triples line."""
    missing = [i for i in row["fact_ids"] if i not in lines]
    if missing:
        raise InputError(
            f"question {row['id']} names fact {missing[0]}, which is not there.", source="facts.parquet"
        )
    return _task(row, [lines[i] for i in row["fact_ids"]])


def _task(row: dict[str, Any], lines: list[str], fault: str | None = None) -> Task:
    question = {
        "subtemplate": row["subtemplate"],
        "kg": row["kg"],
        "format": row["format"],
        "roles": {role: value["iri"] for role, value in json.loads(row["roles"]).items()},
        "params": json.loads(row["params"]),
    }
    if not row["premise"]:
        expected = None
    elif row["format"] in ("entity", "set"):
        expected = sorted(row["accepted_iris"])
    else:
        expected = json.loads(row["gold"])
    failure = None if row["premise"] else str(row["premise_failure"])
    return Task(row["id"], question, expected, lines, failure, fault)


def verify(path: str | Path, threads: int = 2, progress: Callable[[int], None] | None = None) -> VerifyResult:
    """Recompute the answers of a benchmark folder, a release folder or a file of questions; report every difference."""
    return check(tasks_of(Path(path)), threads, progress)
