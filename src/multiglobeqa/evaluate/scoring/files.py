"""A file of predictions and a benchmark in, a file of scores out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from multiglobeqa import __version__
from multiglobeqa.answers.cell import CREDITS
from multiglobeqa.errors import InputError
from multiglobeqa.evaluate.predictions import Asked, Intake, open_predictions, take
from multiglobeqa.evaluate.scoring.benchmark import Questions, open_questions, stores_of
from multiglobeqa.evaluate.scoring.pipeline import scored
from multiglobeqa.evaluate.scoring.schema import SCORE_SCHEMA
from multiglobeqa.evaluate.scoring.tables import metadata_of
from multiglobeqa.kg.store import Snapshot, replacing


@dataclass(frozen=True)
class Options:
    """How a file is scored.

    ``asked``: see ``predictions.Asked``. ``language``: that of replies which state none. ``encoding``: of the file;
    None to tell it by its byte order mark. ``strict``: take a problem of the intake for an error. ``run``, ``model``,
    ``tier``: names for the score table; the run's is the file's stem, model and tier are those of the file.
    ``variant``: of a released benchmark. ``threads``: processes.
    """

    asked: str | Path | None = None
    language: str | None = None
    encoding: str | None = None
    strict: bool = False
    run: str | None = None
    model: str | None = None
    tier: str | None = None
    h3_credit: str = "geometric"
    variant: str = "large"
    threads: int = 2


@dataclass(frozen=True)
class Scored:
    """The scores of a file: the benchmark's questions, the intake, and the parts of the table, to be taken once."""

    questions: Questions
    intake: Intake
    metadata: dict[str, Any]
    parts: Iterator[pa.Table]

    def table(self) -> pa.Table:
        """All scores."""
        parts = list(self.parts)
        table = pa.concat_tables(parts) if parts else SCORE_SCHEMA.empty_table()
        return table.replace_schema_metadata(metadata_of(self.metadata))

    def write(self, path: str | Path) -> None:
        """Write all scores as Parquet; the file appears whole or not at all."""
        schema = SCORE_SCHEMA.with_metadata(metadata_of(self.metadata))
        with (
            replacing(Path(path)) as temporary,
            pq.ParquetWriter(temporary, schema, compression="zstd") as writer,
        ):
            for part in self.parts:
                writer.write_table(part.replace_schema_metadata(schema.metadata))


def prepare(
    predictions: str | Path,
    benchmark: str | Path | Questions,
    options: Options | None = None,
    *,
    snapshots: Iterable[Snapshot] | None = None,
) -> Scored:
    """Read predictions (a file of any form, or a run folder) and score them against a benchmark.

    ``snapshots`` give the names and aliases of their KGs; by default those of the benchmark that are at hand. A KG
    without one is scored by the names as printed.

    Raises
    ------
    InputError : see ``predictions.take``, ``benchmark.open_questions``.
    """
    options = options or Options()
    if options.h3_credit not in CREDITS:
        raise InputError(
            f"{options.h3_credit!r} is not an H3 credit.", mend=f"Credits: {', '.join(CREDITS)}."
        )
    questions = benchmark if isinstance(benchmark, Questions) else open_questions(benchmark, options.variant)
    opened = open_predictions(predictions, options.encoding)
    taken = take(
        opened,
        questions.table,
        asked=Asked.parse(options.asked),
        language=options.language,
        strict=options.strict,
    )
    table = _named(taken.table, options)
    labels = stores_of(questions, snapshots)
    name = Path(predictions).resolve()
    run = options.run or (name.name if name.is_dir() else name.name.split(".")[0])
    metadata = {
        "version": __version__,
        "benchmark": questions.name,
        "snapshots": list(questions.snapshots),
        "h3_credit": options.h3_credit,
        "names": sorted(labels),
        "run": run,
        "intake": taken.intake.as_json(),
    }
    parts = scored(
        questions.table, table, labels, run=run, h3_credit=options.h3_credit, threads=options.threads
    )
    return Scored(questions, taken.intake, metadata, parts)


def score_file(
    replies: str | Path,
    benchmark: str | Path,
    out: str | Path,
    *,
    snapshots: Iterable[Snapshot] | None = None,
    options: Options | None = None,
) -> pa.Table:
    """Score a file of predictions against a benchmark and write the scores as Parquet; returns them."""
    result = prepare(replies, benchmark, options, snapshots=snapshots)
    result.write(out)
    return pq.read_table(out)


def _named(table: pa.Table, options: Options) -> pa.Table:
    """Predictions with the model and tier that the user names."""
    given: Mapping[str, str | None] = {"model": options.model, "tier": options.tier}
    for name, value in given.items():
        if value is not None:
            if len(table[name].unique()) > 1:
                raise InputError(f"The predictions are of several, so that --{name} cannot name them.")
            column = pa.repeat(pa.scalar(value), table.num_rows)
            table = table.set_column(table.column_names.index(name), table.schema.field(name), column)
    return table
