"""What answers cost: medians over answered questions, tokens per correct answer, cap hits (paper, G.4, Table 14)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from multiglobeqa.errors import InputError
from multiglobeqa.report.metrics.groups import grouped
from multiglobeqa.report.metrics.measures import STATUSES
from multiglobeqa.report.metrics.rows import rows_of, tabulate

_AMOUNTS: Final = (
    "tokens",
    "tokens_in",
    "tokens_out",
    "tokens_reasoning",
    "steps",
    "tool_calls",
    "seconds",
    "cost",
)


@dataclass(frozen=True)
class Costs:
    """Costs of one group's true-premise questions.

    ``medians``: amount -> median over the answered questions that tell it (None where none does), ``told``: amount
    -> how many do; amounts are tokens (in + out), tokens_in, tokens_out, tokens_reasoning, steps, tool_calls,
    seconds, cost. ``tokens_per_correct``: median tokens / EM, None where EM is 0. ``cap_hit``: share of the
    questions that tell it whose budget was used up. ``tool_calls_right``, ``tool_calls_wrong``: mean tool calls of
    right and of wrong answers.
    """

    group: tuple[Any, ...]
    questions: int
    answered: int
    em: Fraction | None
    medians: dict[str, float | None]
    told: dict[str, int]
    tokens_per_correct: float | None
    cap_hit: Fraction | None
    harness_share: Fraction | None
    tool_calls_right: float | None
    tool_calls_wrong: float | None

    @property
    def tokens(self) -> float | None:
        """Median tokens of an answered question, in and out."""
        return self.medians["tokens"]

    @property
    def steps(self) -> float | None:
        """Median steps of an answered question."""
        return self.medians["steps"]

    @property
    def tool_calls(self) -> float | None:
        """Median tool calls of an answered question."""
        return self.medians["tool_calls"]

    @property
    def seconds(self) -> float | None:
        """Median seconds of an answered question."""
        return self.medians["seconds"]

    @property
    def cost(self) -> float | None:
        """Median cost of an answered question, in the currency of the run."""
        return self.medians["cost"]


def costs(table: pa.Table, by: Sequence[str] = ()) -> list[Costs]:
    """The costs of each group, sorted by group. Harness errors and overflows are not answered, so they are in no
    median.

    Raises InputError naming the row of a negative or NaN amount.
    """
    rows, groups = rows_of(table), grouped(table, by)
    size = len(groups)
    true = rows.kind > 0
    answered = true & (rows.status == STATUSES.index("answered"))
    amounts = {name: _amount(table, name) for name in _AMOUNTS if name != "tokens"}
    amounts["tokens"] = amounts["tokens_in"] + amounts["tokens_out"]
    medians, told = {}, {}
    for name in _AMOUNTS:
        known = answered & np.isfinite(amounts[name])
        told[name] = np.bincount(groups.codes[known], minlength=size).tolist()
        medians[name] = _medians(groups.codes[known], amounts[name][known], size)
    cap = _amount(table, "cap_hit")
    known = true & np.isfinite(cap)
    asked = np.bincount(groups.codes[known], minlength=size).tolist()
    hits = np.bincount(groups.codes[known & (cap == 1)], minlength=size).tolist()
    calls = {
        name: _means(groups.codes, amounts["tool_calls"], answered & (rows.em == em), size)
        for name, em in (("right", 1), ("wrong", 0))
    }
    found = []
    for at, one in enumerate(tabulate(table, by)):
        middle, em = medians["tokens"][at], one.em
        found.append(
            Costs(
                group=one.group,
                questions=one.questions,
                answered=one.answered,
                em=em,
                medians={name: medians[name][at] for name in _AMOUNTS},
                told={name: told[name][at] for name in _AMOUNTS},
                tokens_per_correct=middle / float(em) if middle is not None and em else None,
                cap_hit=Fraction(hits[at], asked[at]) if asked[at] else None,
                harness_share=_share(one.harness + one.overflow, one.questions),
                tool_calls_right=calls["right"][at],
                tool_calls_wrong=calls["wrong"][at],
            )
        )
    return found


def _amount(table: pa.Table, name: str) -> NDArray[np.float64]:
    """(n,) float64, NaN where the row does not tell."""
    if name not in table.column_names:
        return np.full(table.num_rows, np.nan)
    column = pc.cast(table[name], pa.float64())
    values = np.asarray(pc.fill_null(column, float("nan")), dtype=np.float64)
    bad = np.asarray(pc.is_valid(column), dtype=np.bool_) & ~(np.isfinite(values) & (values >= 0))
    if bad.any():
        place = int(np.argmax(bad))
        raise InputError(f"{name} is {values[place]}, not an amount.", source="scores", place=place)
    return values


def _medians(codes: NDArray[np.int64], values: NDArray[np.float64], size: int) -> list[float | None]:
    order = np.lexsort((values, codes))
    ranked = values[order]
    bounds = np.searchsorted(codes[order], np.arange(size + 1))
    start, count = bounds[:-1], np.diff(bounds)
    filled = np.flatnonzero(count)
    low, high = start + (count - 1) // 2, start + count // 2
    result: list[float | None] = [None] * size
    for at in filled.tolist():
        result[at] = float((ranked[low[at]] + ranked[high[at]]) / 2)
    return result


def _means(
    codes: NDArray[np.int64], values: NDArray[np.float64], chosen: NDArray[np.bool_], size: int
) -> list[float | None]:
    known = chosen & np.isfinite(values)
    count = np.bincount(codes[known], minlength=size).tolist()
    total = np.bincount(codes[known], weights=values[known], minlength=size).tolist()
    return [whole / items if items else None for whole, items in zip(total, count, strict=True)]


def _share(part: int, whole: int) -> Fraction | None:
    return Fraction(part, whole) if whole else None
