"""The metrics, each as sums of counts over sums of counts: one definition for tables, intervals and comparisons.

Every row of a joined table is one reply to one question. It belongs to one *kind* (a question with a true premise,
or with a false one; the *carriers* are the true ones of sub-templates that have false ones too) and ends in one
status. A metric is a sum of terms ``sign x part / whole``, where part and whole are sums over rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from multiglobeqa.answers.reply import STATUSES as REPLY_STATUSES
from multiglobeqa.errors import InputError

MISSING: Final = "missing"
"""The status of a question that was to be asked and has no reply: wrong, and in every denominator."""
STATUSES: Final[tuple[str, ...]] = (*(one for one in REPLY_STATUSES if one != MISSING), MISSING)

Kind = Literal["true", "carriers", "false", "all"]
Amount = Literal["rows", "right", "error", "zero", "between", "one"]


@dataclass(frozen=True)
class Part:
    """A sum over the rows of one kind that end in one of these statuses.

    ``amount``: "rows" counts them, "right" sums EM, "error" sums NE, "zero", "between" and "one" count NE = 0,
    between, 1.
    """

    kind: Kind
    statuses: tuple[str, ...] = STATUSES
    amount: Amount = "rows"


@dataclass(frozen=True)
class Term:
    """``sign x part / whole``."""

    part: Part
    whole: Part
    sign: int = 1


@dataclass(frozen=True)
class Metric:
    """One metric: its short label, which direction is better, what it says, and its terms."""

    name: str
    label: str
    better: Literal["high", "low", "neither"]
    description: str
    terms: tuple[Term, ...]

    @property
    def whole(self) -> Part:
        """What it is a share of (of its first term)."""
        return self.terms[0].whole


def _without(*left_out: str) -> tuple[str, ...]:
    return tuple(status for status in STATUSES if status not in left_out)


_TRUE: Final = Part("true")
_CARRIERS: Final = Part("carriers")
_FALSE: Final = Part("false")
_DECLINED: Final = ("declined",)
_ENDED: Final = _without("budget")


def _share(
    name: str,
    label: str,
    better: Literal["high", "low", "neither"],
    description: str,
    part: Part,
    whole: Part = _TRUE,
) -> Metric:
    return Metric(name, label, better, description, (Term(part, whole),))


_ALL: Final = (
    _share("em", "EM", "high", "right / true-premise questions", Part("true", amount="right")),
    _share("ne", "NE", "low", "mean normalised error of true-premise questions", Part("true", amount="error")),
    _share("coverage", "Cov", "high", "answered / true-premise questions", Part("true", ("answered",))),
    _share(
        "em_covered", "EM_cov", "high", "right / answered, true premise",
        Part("true", amount="right"), Part("true", ("answered",)),
    ),
    _share(
        "em_without_harness", "EM without harness errors", "high",
        "right / true-premise questions that ended neither in a harness error nor in an overflow",
        Part("true", amount="right"), Part("true", _without("harness", "overflow")),
    ),
    _share("frr", "FRR", "low", "declined / true-premise questions", Part("true", _DECLINED)),
    _share(
        "frr_terminated", "FRR, terminated", "low",
        "declined / true-premise questions whose run ended within its budget",
        Part("true", _DECLINED), Part("true", _ENDED),
    ),
    _share(
        "frr_carriers", "FRR, same sub-templates", "low",
        "declined / true-premise questions of the sub-templates that carry false premises",
        Part("carriers", _DECLINED), _CARRIERS,
    ),
    _share(
        "frr_carriers_terminated", "FRR, same sub-templates, terminated", "low",
        "the same among runs that ended within their budget",
        Part("carriers", _DECLINED), Part("carriers", _ENDED),
    ),
    _share("nrr", "NRR", "high", "declined / false-premise questions", Part("false", _DECLINED), _FALSE),
    _share(
        "nrr_terminated", "NRR, terminated", "high",
        "declined / false-premise questions whose run ended within its budget",
        Part("false", _DECLINED), Part("false", _ENDED),
    ),
    Metric(
        "premise_balance", "NRR - FRR", "high",
        "Youden's J: NRR minus FRR on the sub-templates that carry false premises; 0 is chance",
        (Term(Part("false", _DECLINED), _FALSE), Term(Part("carriers", _DECLINED), _CARRIERS, -1)),
    ),
    _share(
        "refusals", "Refusals", "neither", "declined / all questions, whatever their premise",
        Part("all", _DECLINED), Part("all"),
    ),
    _share(
        "unparseable_share", "Format errors", "low", "replies that cannot be read / true-premise questions",
        Part("true", ("unparseable",)),
    ),
    _share(
        "budget_share", "Budget used up", "low", "steps or tokens used up / true-premise questions",
        Part("true", ("budget",)),
    ),
    _share(
        "overflow_share", "Overflow", "low", "context overflow / true-premise questions", Part("true", ("overflow",)),
    ),
    _share(
        "harness_share", "Harness errors", "low", "server or sandbox failed / true-premise questions",
        Part("true", ("harness",)),
    ),
    _share("missing_share", "Missing", "low", "no reply / true-premise questions", Part("true", (MISSING,))),
    _share("ne_zero", "NE = 0", "high", "NE = 0 / true-premise questions", Part("true", amount="zero")),
    _share(
        "ne_between", "0 < NE < 1", "neither", "partial credit / true-premise questions",
        Part("true", amount="between"),
    ),
    _share("ne_one", "NE = 1", "low", "NE = 1 / true-premise questions", Part("true", amount="one")),
)  # fmt: skip

METRICS: Final[dict[str, Metric]] = {metric.name: metric for metric in _ALL}
"""Name -> metric, in the order of docs/metrics.md."""


def metric_of(name: str) -> Metric:
    """The metric of this name; InputError where there is none."""
    if name not in METRICS:
        raise InputError(f"{name!r} is not a metric.", mend=f"Metrics: {', '.join(METRICS)}.")
    return METRICS[name]
