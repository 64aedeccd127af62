"""Scored runs joined to their benchmark, and their metrics by group (``report.metrics``)."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from multiglobeqa.errors import InputError
from multiglobeqa.report.benchmark import Benchmark
from multiglobeqa.report.metrics import MISSING, Scores, completed, joined, tabulate

SCORE_COLUMNS = ("id", "status", "parsed", "em", "ne")


@dataclass(frozen=True)
class Run:
    """One scored run over a benchmark: ``table`` as ``report.metrics.joined`` gives it.

    A question without a score is a wrong answer: status ``missing``, EM 0, NE 1. ``info``: what the scores' file says
    of itself (version, intake counts, ...); empty where it says nothing.
    """

    name: str
    table: pa.Table
    ids: tuple[str, ...]
    info: dict[str, Any] = field(default_factory=dict)

    def by(self, *columns: str) -> list[Scores]:
        """Metrics for each group of the columns that has a question with a true premise, sorted by group."""
        return [scores for scores in tabulate(self.table, columns) if scores.questions]

    @property
    def overall(self) -> Scores | None:
        """Metrics over all questions, or None where no premise is true."""
        return next(iter(self.by()), None)

    @property
    def missing(self) -> int:
        """How many questions have no reply."""
        status: list[str] = self.table["status"].to_pylist()
        return status.count(MISSING)

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """One score a question, in the benchmark's order: id, status, parsed, em, ne; of several seeds or languages the
        first of the file."""
        first: dict[str, dict[str, Any]] = {}
        for row in self.table.select(list(SCORE_COLUMNS)).to_pylist():
            first.setdefault(row["id"], row)
        return [first[key] for key in self.ids]


def read_run(benchmark: Benchmark, file: str | Path, name: str | None = None) -> Run:
    """Join a scored Parquet file (columns id, status, parsed, em, ne and more) to its benchmark's questions.

    ``name`` defaults to the file's stem.

    Raises
    ------
    InputError : not Parquet, a column missing, a question scored twice, an id that the benchmark does not have, or a
        row that is no scored reply.
    """
    path = Path(file)
    if not path.is_file():
        raise InputError("does not exist.", source=path, mend="Make it with `mgqa score`.")
    try:
        scores = pq.read_table(path)
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(f"cannot be read as Parquet: {error}.", source=path) from error
    if missing := [column for column in SCORE_COLUMNS if column not in scores.column_names]:
        raise InputError(f"has no column {missing[0]!r}.", source=path, mend="Make it with `mgqa score`.")
    _check_ids(benchmark, path, scores)
    info = _info(scores.schema.metadata)
    try:
        whole = scores if _restricted(info) else completed(benchmark.questions, scores)
        table = joined(benchmark.questions, whole)
        tabulate(table)
    except InputError as error:
        place = f"{error.place}" if error.place is not None else None
        raise InputError(error.what, source=path, place=place, mend=error.mend) from error
    scored = set(whole["id"].to_pylist())
    ids = tuple(key for key in benchmark.questions["id"].to_pylist() if key in scored)
    return Run(name or path.stem, table, ids, info)


def _info(metadata: dict[bytes, bytes] | None) -> dict[str, Any]:
    """The JSON object under the key ``mgqa`` of a scores file's metadata."""
    try:
        info = json.loads((metadata or {}).get(b"mgqa", b"{}"))
    except ValueError:
        return {}
    return info if isinstance(info, dict) else {}


def _restricted(info: dict[str, Any]) -> bool:
    """Whether the scorer was told that some questions were not asked: the others are then not missing."""
    intake = info.get("intake")
    return isinstance(intake, dict) and intake.get("restricted") is True


def _check_ids(benchmark: Benchmark, path: Path, scores: pa.Table) -> None:
    keys = [
        name for name in ("id", "run", "model", "tier", "language", "seed") if name in scores.column_names
    ]
    counts = scores.select(keys).group_by(keys).aggregate([([], "count_all")])
    if counts.num_rows < scores.num_rows:
        twice = counts.filter(pc.greater(counts["count_all"], 1))["id"][0].as_py()
        raise InputError("the question is scored twice.", source=path, place=twice)
    known = benchmark.questions["id"].combine_chunks()
    unknown = scores["id"].filter(pc.invert(pc.is_in(scores["id"], value_set=known)))
    if len(unknown):
        raise InputError(
            f"scores a question that {benchmark.name} does not have.",
            source=path,
            place=unknown[0].as_py(),
            mend="Score the replies against this benchmark.",
        )
