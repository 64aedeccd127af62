"""Means over scored replies: EM, NE, coverage, refusal rates, each with its denominator.

EM, NE and coverage are over true-premise questions; refusals and format errors count as wrong there.

- EM = right / questions; Cov = answered / questions; EM_cov = right / answered; so EM = Cov x EM_cov exactly.
- FRR = declined / questions, NRR = declined / false-premise questions. A reply that used up its budget is no
  refusal and leaves the numerator; the rates over terminated runs leave it out of the denominator too.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from multiglobeqa.answers.reply import STATUSES
from multiglobeqa.errors import InputError


@dataclass(frozen=True)
class Scores:
    """Counts of one group; every rate is None where its denominator is 0."""

    group: tuple[Any, ...]
    questions: int  # true premise
    answered: int
    right: int
    error_sum: float
    declined: int
    budget: int
    unparseable: int
    harness: int  # context overflow included
    false_premise: int
    false_declined: int
    false_budget: int

    @property
    def em(self) -> Fraction | None:
        """Share of right answers."""
        return _rate(self.right, self.questions)

    @property
    def ne(self) -> float | None:
        """Mean normalised error."""
        return self.error_sum / self.questions if self.questions else None

    @property
    def coverage(self) -> Fraction | None:
        """Share of questions with a parseable answer."""
        return _rate(self.answered, self.questions)

    @property
    def em_covered(self) -> Fraction | None:
        """Share of right answers among the answered."""
        return _rate(self.right, self.answered)

    @property
    def frr(self) -> Fraction | None:
        """False refusals over answerable questions."""
        return _rate(self.declined, self.questions)

    @property
    def frr_terminated(self) -> Fraction | None:
        """False refusals over answerable questions whose run ended within its budget."""
        return _rate(self.declined, self.questions - self.budget)

    @property
    def nrr(self) -> Fraction | None:
        """Refusals over false-premise questions."""
        return _rate(self.false_declined, self.false_premise)

    @property
    def nrr_terminated(self) -> Fraction | None:
        """Refusals over false-premise questions whose run ended within its budget."""
        return _rate(self.false_declined, self.false_premise - self.false_budget)


def _rate(part: int, whole: int) -> Fraction | None:
    return Fraction(part, whole) if whole else None


def summarize(rows: Iterable[Mapping[str, Any]], by: Sequence[str] = ()) -> list[Scores]:
    """Scores of each group, sorted by group; a group without rows does not appear.

    Parameters
    ----------
    rows : scored replies with the keys ``status``, ``premise``, ``em`` (0 or 1), ``ne`` and those of ``by``.
    by : columns that make the groups; empty for one group of all.

    Raises
    ------
    InputError : a row lacks a key, or holds a status or a number that no scored reply has.
    """
    groups: dict[tuple[Any, ...], list[Mapping[str, Any]]] = defaultdict(list)
    for number, row in enumerate(rows):
        try:
            valid = row["status"] in STATUSES and row["em"] in (0, 1) and 0.0 <= row["ne"] <= 1.0
            groups[tuple(row[column] for column in by)].append(row)
            row["premise"]
        except KeyError as error:
            raise InputError(f"has no {error.args[0]!r}.", source="scores", place=number) from error
        if not valid or (row["em"] and row["status"] != "answered"):
            raise InputError(f"is no scored reply: {dict(row)!r}.", source="scores", place=number)
    return [
        _scores(group, groups[group])
        for group in sorted(groups, key=lambda g: [(v is None, str(v)) for v in g])
    ]


def _scores(group: tuple[Any, ...], rows: list[Mapping[str, Any]]) -> Scores:
    true = [row for row in rows if row["premise"]]
    false = [row for row in rows if not row["premise"]]
    return Scores(
        group=group,
        questions=len(true),
        answered=_count(true, "answered"),
        right=sum(int(row["em"]) for row in true),
        error_sum=math.fsum(row["ne"] for row in true),
        declined=_count(true, "declined"),
        budget=_count(true, "budget"),
        unparseable=_count(true, "unparseable"),
        harness=_count(true, "harness") + _count(true, "overflow"),
        false_premise=len(false),
        false_declined=_count(false, "declined"),
        false_budget=_count(false, "budget"),
    )


def _count(rows: list[Mapping[str, Any]], status: str) -> int:
    return sum(row["status"] == status for row in rows)
