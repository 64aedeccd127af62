"""The majority baseline, and which cells beat it (paper, section 4 and Table 4: bold)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import pyarrow as pa

from multiglobeqa.errors import InputError
from multiglobeqa.report.metrics.join import joined
from multiglobeqa.report.metrics.rows import tabulate

NAME: Final = "majority"
_OF_RUNS: Final = ("run", "model", "tier", "seed", "status", "diagnosis")


@dataclass(frozen=True)
class Flag:
    """``above``: the cell's metric is strictly above the baseline's on the same group of questions."""

    value: Fraction | None
    baseline: Fraction | None
    above: bool


def majority_table(questions: pa.Table, **options: Any) -> pa.Table:
    """The baseline that gives each sub-template's most frequent gold answer, scored and joined; its run is
    "majority".

    ``questions``: rows of ``build.schema.QUESTION_SCHEMA``. Options as ``evaluate.scoring.score``.
    """
    from multiglobeqa.evaluate.baselines import majority_replies
    from multiglobeqa.evaluate.scoring import score

    scores = score(questions, majority_replies(questions), **options)
    for name in ("run", "model"):
        column = pa.array([NAME] * scores.num_rows)
        if name in scores.column_names:
            scores = scores.set_column(scores.column_names.index(name), name, column)
        else:
            scores = scores.append_column(name, column)
    return joined(questions, scores)


def above(
    table: pa.Table, baseline: pa.Table, by: Sequence[str], metric: str = "em"
) -> dict[tuple[Any, ...], Flag]:
    """Group -> whether it is above the baseline, on the baseline's rows of the same question columns.

    ``by`` may name columns of the run (run, model, tier, seed, ...), which the baseline does not have, and the
    language, which it shares where it was scored in several.

    Raises InputError where the baseline lacks a group.
    """
    languages = len(baseline["language"].unique()) > 1
    shared = [
        place for place, name in enumerate(by) if name not in _OF_RUNS and (name != "language" or languages)
    ]
    columns = tuple(by[place] for place in shared)
    lines = {one.group: one.rate(metric) for one in tabulate(baseline, columns)}
    flags = {}
    for one in tabulate(table, by):
        key = tuple(one.group[place] for place in shared)
        if key not in lines:
            raise InputError(
                f"has no row of {key!r}.", source="baseline", mend="Score the baseline on all questions."
            )
        value, line = one.rate(metric), lines[key]
        flags[one.group] = Flag(value, line, value is not None and line is not None and value > line)
    return flags
