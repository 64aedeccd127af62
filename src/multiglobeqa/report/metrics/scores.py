"""Exact counts of one group of replies, and the rates made of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from multiglobeqa.report.metrics.measures import STATUSES, Part, metric_of

UNIT_BITS: Final = 62
"""Sums of NE are whole multiples of 2^-62, so that they do not depend on the order of the rows."""


@dataclass(frozen=True)
class Counts:
    """Replies by status."""

    answered: int = 0
    declined: int = 0
    unparseable: int = 0
    budget: int = 0
    overflow: int = 0
    harness: int = 0
    missing: int = 0

    @property
    def total(self) -> int:
        """All replies."""
        return sum(getattr(self, status) for status in STATUSES)

    def of(self, statuses: Iterable[str]) -> int:
        """Replies that end in one of these statuses."""
        return sum(getattr(self, status) for status in statuses)

    def __add__(self, other: Counts) -> Counts:
        return Counts(**{status: getattr(self, status) + getattr(other, status) for status in STATUSES})


@dataclass(frozen=True)
class Scores:
    """Counts of one group; every rate is None where its denominator is 0.

    ``group``: the values of the columns that make it. ``true``: true-premise questions by status; ``carriers``:
    those of them in sub-templates that have false premises too; ``false``: false-premise questions. ``right``: EM =
    1. ``error_units``: the sum of NE in units of 2^-62. ``zero``, ``between``: true-premise questions with NE = 0,
    0 < NE < 1.
    """

    group: tuple[Any, ...]
    true: Counts
    false: Counts
    carriers: Counts
    right: int
    error_units: int
    zero: int
    between: int

    def amount(self, part: Part) -> Fraction:
        """The sum that a metric's part stands for."""
        if part.amount == "rows":
            kinds = {"true": (self.true,), "false": (self.false,), "carriers": (self.carriers,)}
            counted = kinds.get(part.kind, (self.true, self.false))
            return Fraction(sum(one.of(part.statuses) for one in counted))
        one = self.questions - self.zero - self.between
        sums = {
            "right": Fraction(self.right),
            "error": Fraction(self.error_units, 1 << UNIT_BITS),
            "zero": Fraction(self.zero),
            "between": Fraction(self.between),
            "one": Fraction(one),
        }
        return sums[part.amount]

    def rate(self, metric: str) -> Fraction | None:
        """A metric of ``METRICS``, exact; None where a denominator is 0.

        Raises InputError for a name that is no metric.
        """
        value = Fraction(0)
        for term in metric_of(metric).terms:
            whole = self.amount(term.whole)
            if not whole:
                return None
            value += term.sign * self.amount(term.part) / whole
        return value

    def items(self, metric: str) -> int:
        """The denominator of a metric (of its first term)."""
        return int(self.amount(metric_of(metric).whole))

    @property
    def questions(self) -> int:
        """True-premise questions."""
        return self.true.total

    @property
    def false_premise(self) -> int:
        """False-premise questions."""
        return self.false.total

    @property
    def answered(self) -> int:
        """True-premise questions with a readable answer."""
        return self.true.answered

    @property
    def declined(self) -> int:
        """True-premise questions that were declined."""
        return self.true.declined

    @property
    def unparseable(self) -> int:
        """True-premise questions with a reply that cannot be read."""
        return self.true.unparseable

    @property
    def budget(self) -> int:
        """True-premise questions whose steps or tokens were used up."""
        return self.true.budget

    @property
    def overflow(self) -> int:
        """True-premise questions that did not fit the context window."""
        return self.true.overflow

    @property
    def harness(self) -> int:
        """True-premise questions at which server or sandbox failed; overflow is apart."""
        return self.true.harness

    @property
    def missing(self) -> int:
        """True-premise questions without a reply."""
        return self.true.missing

    @property
    def error_sum(self) -> float:
        """Sum of NE over true-premise questions."""
        return float(Fraction(self.error_units, 1 << UNIT_BITS))

    @property
    def em(self) -> Fraction | None:
        """Share of right answers."""
        return self.rate("em")

    @property
    def ne(self) -> float | None:
        """Mean normalised error, correctly rounded."""
        value = self.rate("ne")
        return None if value is None else float(value)

    @property
    def coverage(self) -> Fraction | None:
        """Share of questions with a readable answer."""
        return self.rate("coverage")

    @property
    def em_covered(self) -> Fraction | None:
        """Share of right answers among the answered: EM = Cov x EM_cov."""
        return self.rate("em_covered")

    @property
    def em_without_harness(self) -> Fraction | None:
        """EM over questions without harness error or overflow."""
        return self.rate("em_without_harness")

    @property
    def frr(self) -> Fraction | None:
        """False refusals over answerable questions."""
        return self.rate("frr")

    @property
    def frr_terminated(self) -> Fraction | None:
        """False refusals over answerable questions whose run ended within its budget."""
        return self.rate("frr_terminated")

    @property
    def frr_carriers(self) -> Fraction | None:
        """False refusals over answerable questions of the sub-templates that carry false premises."""
        return self.rate("frr_carriers")

    @property
    def nrr(self) -> Fraction | None:
        """Refusals over false-premise questions."""
        return self.rate("nrr")

    @property
    def nrr_terminated(self) -> Fraction | None:
        """Refusals over false-premise questions whose run ended within its budget."""
        return self.rate("nrr_terminated")

    @property
    def premise_balance(self) -> Fraction | None:
        """NRR - FRR on the same sub-templates (Youden's J); (1 + J) / 2 is the balanced accuracy."""
        return self.rate("premise_balance")


def merged(scores: Iterable[Scores], group: tuple[Any, ...] = ()) -> Scores:
    """The scores of disjoint groups taken as one group: all counts add."""
    parts = list(scores)
    return Scores(
        group=group,
        true=sum((one.true for one in parts), Counts()),
        false=sum((one.false for one in parts), Counts()),
        carriers=sum((one.carriers for one in parts), Counts()),
        right=sum(one.right for one in parts),
        error_units=sum(one.error_units for one in parts),
        zero=sum(one.zero for one in parts),
        between=sum(one.between for one in parts),
    )
