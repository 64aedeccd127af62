"""Runs as they are given to a report: scores, run folders and predictions, read into one table of scores."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from multiglobeqa.errors import InputError
from multiglobeqa.report.benchmark import open_benchmark
from multiglobeqa.report.metrics import DEFAULTS, completed, with_defaults
from multiglobeqa.report.tables.study import Study, study

NEEDED: Final = ("id", "status", "em", "ne")
KEPT: Final = ("id", "language", "status", "parsed", "em", "ne", *DEFAULTS)
"""The columns of scores that reports read."""
_METADATA: Final = b"mgqa"


def open_study(
    runs: Sequence[str | Path],
    benchmark: str | Path,
    *,
    small: bool = False,
    draws: int = 2000,
    seed: int = 0,
) -> Study:
    """Read runs over a benchmark.

    Parameters
    ----------
    runs : each a Parquet file of scores, a run folder (its scores, else its log), or a file of predictions, which is
        scored first.
    small : only the questions of the small variant count.

    Raises
    ------
    InputError : no run, a file cannot be read, or a score belongs to no question of the benchmark.
    """
    opened = open_benchmark(benchmark)
    questions = pq.read_table(opened.path / "questions.parquet")
    if not runs:
        raise InputError("no run was named.", mend="Name a file of scores, a run folder, or predictions.")
    tables, intake, taken = [], [], set[str]()
    for run in runs:
        path = Path(run)
        scores, told = read_scores(path, opened.path)
        scores = _named(scores, path, taken)
        taken |= set(scores["run"].unique().to_pylist())
        try:
            scores = scores if told.get("restricted") else completed(questions, scores)
        except InputError as error:
            source = path if error.source == "scores" else error.source
            raise InputError(error.what, source=source, place=error.place, mend=error.mend) from error
        tables.append(_kept(scores))
        intake.append({"source": path.name, **told})
    whole = pa.concat_tables(tables, promote_options="default")
    facts = opened.path / "facts.parquet"
    return study(
        opened.name,
        questions,
        whole,
        snapshots=opened.info.snapshots,
        facts=pq.read_table(facts, columns=["fact_id", "triple"]) if facts.is_file() else None,
        small=small,
        intake=intake,
        draws=draws,
        seed=seed,
    )


def read_scores(path: Path, benchmark: Path) -> tuple[pa.Table, dict[str, Any]]:
    """A run's scores and what its metadata says of the intake; predictions are scored against the benchmark folder."""
    if path.is_dir():
        scored = path / "scores.parquet"
        if scored.is_file():
            return read_scores(scored, benchmark)
        return _scored(path, benchmark)
    if not path.is_file():
        raise InputError(
            "does not exist.", source=path, mend="Name scores of `mgqa score`, a run folder or predictions."
        )
    with path.open("rb") as stream:
        parquet = stream.read(4) == b"PAR1" or path.suffix == ".parquet"
    if not parquet:
        return _scored(path, benchmark)
    try:
        scores = pq.read_table(path)
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(f"cannot be read as Parquet: {error}.", source=path) from error
    if missing := [column for column in NEEDED if column not in scores.column_names]:
        raise InputError(f"has no column {missing[0]!r}.", source=path, mend="Make it with `mgqa score`.")
    return scores, _intake(scores)


def _scored(path: Path, benchmark: Path) -> tuple[pa.Table, dict[str, Any]]:
    from multiglobeqa.evaluate.scoring import prepare

    scores = prepare(path, benchmark).table()
    return scores, _intake(scores)


def _intake(scores: pa.Table) -> dict[str, Any]:
    told = json.loads((scores.schema.metadata or {}).get(_METADATA, b"{}"))
    intake = told.get("intake", {}) if isinstance(told, dict) else {}
    return dict(intake) if isinstance(intake, dict) else {}


def _named(scores: pa.Table, path: Path, taken: set[str]) -> pa.Table:
    """Every row names a run; a run of the same name in another file bears the file's name too."""
    scores = with_defaults(scores)
    stem = path.name if path.is_dir() else path.stem
    run = pc.if_else(pc.equal(scores["run"], ""), stem, scores["run"])
    if taken & set(run.unique().to_pylist()):
        run = pc.binary_join_element_wise(run, stem, " / ")
        names = np.asarray(run.to_pylist(), dtype=np.object_)
        number = 2
        while taken & set(names.tolist()):
            names = np.array([f"{name} ({number})" for name in run.to_pylist()], dtype=np.object_)
            number += 1
        run = pa.chunked_array([pa.array(names.tolist(), pa.string())])
    return scores.set_column(scores.column_names.index("run"), "run", run)


def _kept(scores: pa.Table) -> pa.Table:
    """Only the columns that reports read, in one type each."""
    arrays: dict[str, Any] = {}
    for name in KEPT:
        if name in DEFAULTS:
            arrays[name] = scores[name].cast(DEFAULTS[name][0])
        elif name in scores.column_names:
            arrays[name] = scores[name].cast(_TYPES[name])
        else:
            arrays[name] = pa.nulls(scores.num_rows, _TYPES[name])
    return pa.table(arrays)


_TYPES: Final = {
    "id": pa.string(), "language": pa.string(), "status": pa.string(), "parsed": pa.string(), "em": pa.float64(),
    "ne": pa.float64(),
}  # fmt: skip
