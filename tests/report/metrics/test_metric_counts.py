"""Means, denominators and identities."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from multiglobeqa.errors import InputError
from multiglobeqa.report.metrics import STATUSES, summarize


def row(premise: bool, status: str, em: int = 0, ne: float = 1.0, **more: Any) -> dict[str, Any]:
    return {"premise": premise, "status": status, "em": em, "ne": ne, **more}


def test_refusals_and_budget() -> None:
    rows = [
        row(False, "declined"),
        row(False, "answered"),
        row(True, "declined"),
        row(True, "answered", 1, 0.0),
        row(True, "budget"),
    ]
    (scores,) = summarize(rows)
    assert (scores.em, scores.coverage, scores.em_covered) == (Fraction(1, 3), Fraction(1, 3), Fraction(1))
    assert (scores.frr, scores.frr_terminated) == (Fraction(1, 3), Fraction(1, 2))
    assert (scores.nrr, scores.nrr_terminated) == (Fraction(1, 2), Fraction(1, 2))
    assert scores.ne == pytest.approx(2 / 3)


def test_groups_are_sorted_and_never_empty() -> None:
    rows = [row(True, "answered", 1, 0.0, kg="b", tier=None), row(False, "declined", kg="a", tier="LIC")]
    first, second = summarize(rows, ("kg", "tier"))
    assert (first.group, second.group) == (("a", "LIC"), ("b", None))
    assert (first.em, first.ne, first.coverage, first.em_covered, first.frr) == (None, None, None, None, None)
    assert second.nrr is None
    assert summarize([]) == []


@given(
    st.lists(
        st.tuples(st.booleans(), st.sampled_from(STATUSES), st.sampled_from((0, 1)), st.floats(0, 1)),
        max_size=60,
    )
)
@settings(max_examples=150, deadline=None)
def test_em_is_coverage_times_em_covered(items: list[tuple[bool, str, int, float]]) -> None:
    rows = [
        row(p, s, em if s == "answered" and p else 0, ne if s == "answered" else 1.0)
        for p, s, em, ne in items
    ]
    for scores in summarize(rows, ("premise",)):
        if scores.answered:
            assert scores.em is not None
            assert scores.coverage is not None
            assert scores.em_covered is not None
            assert scores.em == scores.coverage * scores.em_covered
        parts = [scores.answered, scores.declined, scores.unparseable, scores.budget]
        assert sum(parts) + scores.overflow + scores.harness + scores.missing == scores.questions


@pytest.mark.parametrize(
    "bad",
    [
        {"premise": True, "status": "answered", "em": 1},
        row(True, "refused"),
        row(True, "declined", 1),
        row(True, "answered", 1, float("nan")),
        row(True, "answered", 2),
    ],
)
def test_bad_rows_are_named(bad: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="scores:1:"):
        summarize([row(True, "answered"), bad])
