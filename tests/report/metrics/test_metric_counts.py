"""Means, denominators and identities."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from multiglobeqa.errors import InputError
from multiglobeqa.report.metrics import METRICS, STATUSES, merged, summarize, tabulate

Scored = Callable[[list[dict[str, Any]]], pa.Table]


def shared() -> Path:
    return Path(os.environ.get("MGQA_SHARED", Path(__file__).resolve().parents[3].parent / "shared"))


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


def test_every_status_and_rate_of_a_table_worked_out_by_hand(scored: Scored) -> None:
    """Ten true questions, of which four are of a sub-template with false premises, and four false ones."""
    table = scored(
        [
            {"em": 1, "ne": 0.0},
            {"em": 1, "ne": 0.25, "carrier": True},
            {"em": 0, "ne": 0.75},
            {"em": 0},
            {"status": "declined"},
            {"status": "declined", "carrier": True},
            {"status": "unparseable", "carrier": True},
            {"status": "budget", "carrier": True},
            {"status": "overflow"},
            {"status": "missing"},
            {"premise": False, "status": "declined"},
            {"premise": False, "status": "declined"},
            {"premise": False, "status": "budget"},
            {"premise": False},
        ]
    )
    (one,) = tabulate(table)
    by_hand = {
        "em": Fraction(2, 10),
        "ne": (Fraction(1, 4) + Fraction(3, 4) + 7) / 10,
        "coverage": Fraction(4, 10),
        "em_covered": Fraction(2, 4),
        "em_without_harness": Fraction(2, 9),  # the overflow is out; a missing reply stays in
        "frr": Fraction(2, 10),
        "frr_terminated": Fraction(2, 9),
        "frr_carriers": Fraction(1, 4),
        "frr_carriers_terminated": Fraction(1, 3),
        "nrr": Fraction(2, 4),
        "nrr_terminated": Fraction(2, 3),
        "premise_balance": Fraction(2, 4) - Fraction(1, 4),
        "refusals": Fraction(4, 14),
        "unparseable_share": Fraction(1, 10),
        "budget_share": Fraction(1, 10),
        "overflow_share": Fraction(1, 10),
        "harness_share": Fraction(0),
        "missing_share": Fraction(1, 10),
        "ne_zero": Fraction(1, 10),
        "ne_between": Fraction(2, 10),
        "ne_one": Fraction(7, 10),
    }
    assert {name: one.rate(name) for name in METRICS} == by_hand
    denominators = {"em_covered": 4, "em_without_harness": 9, "frr_terminated": 9, "nrr": 4, "refusals": 14}
    assert {name: one.items(name) for name in denominators} == denominators
    assert (one.questions, one.false_premise, one.missing, one.overflow, one.harness) == (10, 4, 1, 1, 0)
    assert one.ne == 0.8
    named = {"em", "coverage", "em_covered", "em_without_harness", "frr", "frr_terminated", "frr_carriers", "nrr",
             "nrr_terminated", "premise_balance"}  # fmt: skip
    assert all(getattr(one, name) == by_hand[name] for name in named)
    assert (one.answered, one.declined, one.unparseable, one.budget, one.error_sum) == (4, 2, 1, 1, 8.0)


def test_k028_of_the_shared_cases() -> None:
    path = shared() / "cases" / "cases.jsonl"
    if not path.is_file():
        pytest.skip("the shared cases are not beside the repository")
    cases = {case["id"]: case for case in map(json.loads, path.read_text("utf-8").splitlines())}
    words = {
        "refusal": "declined",
        "answer": "answered",
        "answer_correct": "answered",
        "budget_exhausted": "budget",
    }
    rows = [
        row(
            not item["false_premise"],
            words[item["status"]],
            int(right := item["status"] == "answer_correct"),
            1.0 - right,
        )
        for item in cases["K028"]["input"]["items"]
    ]
    (one,) = summarize(rows)
    found = {
        "NRR": one.nrr_terminated,
        "FRR": one.frr_terminated,
        "EM_true_premise": one.em,
        "Cov": one.coverage,
    }
    assert {name: round(float(value or 0), 4) for name, value in found.items()} == cases["K028"]["expected"]


replies = st.lists(
    st.tuples(
        st.booleans(), st.sampled_from(STATUSES), st.booleans(), st.floats(0, 1), st.sampled_from("AB"),
        st.sampled_from((None, "LIC", "HIC")), st.booleans(),
    ),
    min_size=1,
    max_size=50,
)  # fmt: skip


def from_replies(items: list[Any]) -> pa.Table:
    rows = []
    for premise, status, right, ne, family, income, carrier in items:
        answered = status == "answered"
        rows.append(
            {
                "premise": premise, "status": status, "em": int(answered and premise and right),
                "ne": ne if answered else 1.0, "family": family, "income": income, "carrier": carrier,
            }
        )  # fmt: skip
    return pa.Table.from_pylist(rows)


@given(replies, st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_identities_order_and_merging(items: list[Any], random: random.Random) -> None:
    table = from_replies(items)
    groups = tabulate(table, ("family", "income"))
    shuffled = items.copy()
    random.shuffle(shuffled)
    assert tabulate(from_replies(shuffled), ("family", "income")) == groups  # to the last bit, NE too
    (whole,) = tabulate(table)
    assert merged(groups) == whole
    for one in (*groups, whole):
        statuses = ("unparseable_share", "budget_share", "overflow_share", "harness_share", "missing_share")
        if one.questions:
            assert one.em == (one.coverage or 0) * (one.em_covered or 0)
            assert sum((one.rate(name) or 0) for name in ("coverage", "frr", *statuses)) == 1
            assert sum((one.rate(name) or 0) for name in ("ne_zero", "ne_between", "ne_one")) == 1
        else:
            assert {one.rate(name) for name in ("em", "ne", "coverage", "frr", *statuses)} == {None}
        for name in METRICS:
            rate = one.rate(name)
            assert (rate is None) or (-1 <= rate <= 1)


def test_groups_of_any_columns_sort_with_none_last_and_numbers_by_size(scored: Scored) -> None:
    table = scored([{"seed": seed, "income": income} for seed in (10, 2) for income in (None, "LIC")])
    assert [one.group for one in tabulate(table, ("seed", "income"))] == [
        (2, "LIC"), (2, None), (10, "LIC"), (10, None),
    ]  # fmt: skip
    coded = table.set_column(
        table.column_names.index("income"), "income", table["income"].dictionary_encode()
    )
    assert tabulate(coded, ("seed", "income")) == tabulate(table, ("seed", "income"))
    kept = coded.filter(
        pa.array([False, True, False, True])
    )  # None is left out; its code stays in the dictionary
    assert [one.group for one in tabulate(kept, ("income",))] == [("LIC",)]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ne": float("nan")}, "scores:2: is no scored reply.*q2"),
        ({"ne": 1.5}, "scores:2"),
        ({"ne": None}, "scores:2"),
        ({"em": None, "ne": 1.0}, "scores:2"),
        ({"status": "refused"}, "scores:2"),
        ({"status": None}, "scores:2"),
        ({"premise": None}, "scores:2"),
        ({"status": "declined", "ne": 0.5}, "scores:2"),
        ({"premise": False, "em": 1}, "scores:2"),
    ],
)
def test_a_row_that_is_no_scored_reply_is_named(scored: Scored, change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        tabulate(scored([{}, {}, change, {}]))


def test_columns_and_metrics_that_are_not_there_are_named(scored: Scored) -> None:
    table = scored([{}])
    with pytest.raises(InputError, match="no column 'planet'"):
        tabulate(table, ("planet",))
    with pytest.raises(InputError, match="no 'ne'"):
        tabulate(table.drop_columns(["ne"]))
    with pytest.raises(InputError, match=r"'accuracy' is not a metric.*em, ne"):
        tabulate(table)[0].rate("accuracy")
    with pytest.raises(InputError, match="'x' holds NaN"):
        tabulate(table.append_column("x", pa.array([float("nan")])), ("x",))
    assert tabulate(table.slice(0, 0), ("family",)) == tabulate(table.slice(0, 0)) == []
