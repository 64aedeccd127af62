"""Scoring as a library: three lines from a file of predictions to metrics.

import multiglobeqa

scores = multiglobeqa.score("predictions.jsonl", "benchmark")
scores.metrics("family", "income")          # list of report.metrics.Scores
scores.table                                # one row a question (pyarrow)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from multiglobeqa.errors import InputError
from multiglobeqa.evaluate.predictions import Intake
from multiglobeqa.evaluate.scoring import Options, Questions, prepare

if TYPE_CHECKING:
    from multiglobeqa.kg.store import Snapshot
    from multiglobeqa.report.metrics import Scores


@dataclass(frozen=True)
class Result:
    """Scored predictions: the table (``evaluate.scoring.SCORE_SCHEMA``), the questions, and what the file held."""

    table: pa.Table
    questions: Questions
    intake: Intake

    @cached_property
    def joined(self) -> pa.Table:
        """The scores with the columns of their questions (``report.metrics.joined``)."""
        from multiglobeqa.report.metrics import joined

        return joined(_for_metrics(self.questions.table), self.table)

    def metrics(self, *by: str) -> list[Scores]:
        """The metrics of each group that the columns make; of all questions without columns."""
        from multiglobeqa.report.metrics import GROUPS, tabulate

        for name in by:
            if name not in GROUPS:
                raise InputError(f"{name!r} makes no groups.", mend=f"Columns: {', '.join(GROUPS)}.")
        return tabulate(self.joined, by)


def score(
    predictions: str | Path,
    benchmark: str | Path | Questions,
    *,
    snapshots: Iterable[Snapshot] | None = None,
    **options: Any,
) -> Result:
    """Score a file of predictions against a benchmark.

    Parameters
    ----------
    predictions : a file of any form (see docs/evaluator.md), or a run folder.
    benchmark : a benchmark folder, a release, or a Parquet file of questions.
    snapshots : KG snapshots with the names; by default those of the benchmark that are at hand.
    options : fields of ``evaluate.scoring.Options``.

    Raises
    ------
    InputError : nothing can be scored; the message names file and place.
    """
    scored = prepare(predictions, benchmark, Options(**options), snapshots=snapshots)
    return Result(scored.table(), scored.questions, scored.intake)


def _for_metrics(questions: pa.Table) -> pa.Table:
    """Questions as ``report.metrics.joined`` needs them: without a sub-template, the format stands for it."""
    if "subtemplate" in questions.column_names:
        return questions
    return questions.append_column("subtemplate", questions["format"])
