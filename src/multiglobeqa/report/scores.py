"""Exact match of scored runs, by group, with denominators.

EM is the mean over the questions whose premise is true; a question without an answer counts as wrong, as does
one that is missing from the scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from multiglobeqa.errors import InputError
from multiglobeqa.report.benchmark import Benchmark

SCORE_COLUMNS = ("id", "status", "parsed", "em", "ne")


@dataclass(frozen=True)
class Accuracy:
    """EM of one group. ``key``: the group's values; ``items``: the denominator; ``em``: in [0, 1]."""

    key: tuple[str | None, ...]
    items: int
    em: float


@dataclass(frozen=True)
class Run:
    """One scored run over a benchmark.

    ``rows`` holds one row a question of the benchmark, in the benchmark's order: id, kg, family, subtemplate,
    format, income, density, premise, and status, parsed, em, ne (null where the run has no row).
    """

    name: str
    rows: pa.Table

    @property
    def missing(self) -> int:
        """Questions of the benchmark that the run has no row for."""
        return int(self.rows["status"].null_count)

    def accuracy(self, by: Sequence[str] = ()) -> list[Accuracy]:
        """EM for each group of the columns ``by``, sorted by key; groups without questions do not appear."""
        rows = self.rows.filter(self.rows["premise"])
        em = pc.fill_null(rows["em"], 0.0)
        grouped = rows.select(list(by)).append_column("em", em)
        if not by:
            return [Accuracy((), len(em), float(pc.mean(em).as_py()))] if len(em) else []
        result = grouped.group_by(list(by)).aggregate([("em", "count"), ("em", "mean")]).to_pylist()
        found = [
            Accuracy(tuple(row[name] for name in by), row["em_count"], float(row["em_mean"]))
            for row in result
        ]
        return sorted(found, key=lambda group: tuple(value or "" for value in group.key))

    @property
    def overall(self) -> Accuracy | None:
        """EM over all true-premise questions, or None without any."""
        return next(iter(self.accuracy()), None)


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
    ids, known = scores["id"].combine_chunks(), benchmark.questions["id"].combine_chunks()
    if len(pc.unique(ids)) != len(ids):
        counts = pc.value_counts(ids).to_pylist()
        twice = next(row["values"] for row in counts if row["counts"] > 1)
        raise InputError("the question is scored twice.", source=path, place=twice)
    position = pc.index_in(ids, value_set=known)
    if position.null_count:
        stranger = ids.filter(pc.is_null(position))[0].as_py()
        raise InputError(
            f"scores a question that {benchmark.name} does not have.",
            source=path,
            place=stranger,
            mend="Score the replies against this benchmark.",
        )
    taken = scores.take(pc.index_in(known, value_set=ids))
    columns = ("id", "kg", "family", "subtemplate", "format", "income", "density", "premise")
    rows = benchmark.questions.select(list(columns))
    for column in ("status", "parsed"):
        rows = rows.append_column(column, taken[column])
    for column in ("em", "ne"):
        rows = rows.append_column(column, taken[column].cast(pa.float64()))
    return Run(name or path.stem, rows)
