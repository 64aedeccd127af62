"""Scored runs joined to their benchmark, and their metrics by group (``answers.metrics``)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from multiglobeqa.answers.metrics import Scores, summarize
from multiglobeqa.errors import InputError
from multiglobeqa.report.benchmark import Benchmark

SCORE_COLUMNS = ("id", "status", "parsed", "em", "ne")
_GROUPS = ("id", "kg", "family", "subtemplate", "format", "income", "density", "premise")


@dataclass(frozen=True)
class Run:
    """One scored run over a benchmark.

    ``rows`` holds one mapping a question, in the benchmark's order: id, kg, family, subtemplate, format,
    income, density, premise, and status, parsed, em, ne. A question without a score is a wrong answer: status
    ``harness``, EM 0, NE 1; ``missing`` counts them.
    """

    name: str
    rows: list[dict[str, Any]]
    missing: int

    def by(self, *columns: str) -> list[Scores]:
        """Metrics for each group of the columns that has a question with a true premise, sorted by group."""
        return [scores for scores in summarize(self.rows, columns) if scores.questions]

    @property
    def overall(self) -> Scores | None:
        """Metrics over all questions, or None where no premise is true."""
        return next(iter(self.by()), None)


def read_run(benchmark: Benchmark, file: str | Path, name: str | None = None) -> Run:
    """Join a scored Parquet file (columns id, status, parsed, em, ne) to its benchmark's questions.

    ``name`` defaults to the file's stem.

    Raises
    ------
    InputError : not Parquet, a column missing, an id twice, or an id that the benchmark does not have.
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
    _check_ids(benchmark, path, scores["id"].combine_chunks())
    scored = {row["id"]: row for row in scores.select(list(SCORE_COLUMNS)).to_pylist()}
    unscored = {"status": "harness", "parsed": None, "em": 0.0, "ne": 1.0}
    questions = benchmark.questions.select(list(_GROUPS)).to_pylist()
    rows = [{**unscored, **scored.get(row["id"], {}), **row} for row in questions]
    return Run(name or path.stem, rows, len(questions) - len(scored))


def _check_ids(benchmark: Benchmark, path: Path, ids: pa.Array) -> None:
    counts = pc.value_counts(ids).to_pylist()
    if twice := [row["values"] for row in counts if row["counts"] > 1]:
        raise InputError("the question is scored twice.", source=path, place=twice[0])
    unknown = ids.filter(pc.invert(pc.is_in(ids, value_set=benchmark.questions["id"].combine_chunks())))
    if len(unknown):
        raise InputError(
            f"scores a question that {benchmark.name} does not have.",
            source=path,
            place=unknown[0].as_py(),
            mend="Score the replies against this benchmark.",
        )
