"""Macro and micro means, standardisation, seeds, splits: numbers worked out by hand."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from multiglobeqa.errors import InputError
from multiglobeqa.report.metrics import (
    aggregate,
    family_mix,
    means,
    over_seeds,
    representativeness,
    sample_sd,
    standardised,
    tabulate,
)

SHARED = (
    Path(os.environ.get("MGQA_SHARED", Path(__file__).resolve().parents[3].parent / "shared"))
    / "cases"
    / "cases.jsonl"
)
Scored = Callable[[list[dict[str, Any]]], pa.Table]


def many(right: int, wrong: int, **columns: Any) -> list[dict[str, Any]]:
    return [{"em": int(place < right), **columns} for place in range(right + wrong)]


def shared_case(name: str) -> dict[str, Any]:
    if not SHARED.is_file():
        pytest.skip("the shared cases are not beside the repository")
    found: dict[str, Any] = next(
        case for case in map(json.loads, SHARED.read_text("utf-8").splitlines()) if case["id"] == name
    )
    return found


def test_k100_micro_and_macro() -> None:
    case = shared_case("K100")
    groups = {name: {"items": items, "acc": acc} for name, (items, acc) in case["input"]["groups"].items()}
    found = aggregate(groups, "acc", "items")
    assert round(float(found.micro), 2) == case["expected"]["micro"]
    assert found.macro == Fraction(str(case["expected"]["macro"]))
    assert (found.groups, found.items) == (4, 14042)


def test_k101_a_metric_missing_in_a_group_is_an_error() -> None:
    case = shared_case("K101")
    with pytest.raises(InputError, match=case["expected"]["error"]):
        aggregate(case["input"]["group"], "acc")


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ({}, "no group"),
        ({"a": {"acc": 0.5, "n": 0}}, "n is 0.0, not a number of items"),
        ({"a": {"acc": float("nan"), "n": 1}}, "acc is nan"),
        ({"a": {"acc": "high", "n": 1}}, "acc is 'high'"),
        ({"a": {"acc": 1, "n": 1}, "b": {"acc": 1}}, "metric missing in b: it has no 'n'"),
    ],
)
def test_numbers_that_cannot_be_aggregated(groups: dict[str, dict[str, Any]], message: str) -> None:
    with pytest.raises(InputError, match=message):
        aggregate(groups, "acc", "n")


def test_means_over_groups_of_a_table(scored: Scored) -> None:
    table = scored([*many(3, 1, family="A"), *many(1, 9, family="B"), {"family": "C", "premise": False}])
    groups = tabulate(table, ("family",))
    with pytest.raises(InputError, match="metric 'em' missing in C: no item"):
        means(groups)
    found = means(groups, skip_empty=True)
    assert (found.micro, found.macro) == (Fraction(4, 14), (Fraction(3, 4) + Fraction(1, 10)) / 2)
    assert (found.groups, found.items) == (2, 14)
    with pytest.raises(InputError, match="no group has an item"):
        means(groups[2:], skip_empty=True)


def test_a_stratum_is_weighted_by_the_benchmarks_mix(scored: Scored) -> None:
    """Mix A 1/2, B 3/10, C 1/5. HIC: 4/5, 1/5, 0/1; LIC: 1/5, 1/2, no C."""
    table = scored(
        [
            *many(4, 1, family="A", income="HIC"), *many(1, 4, family="B", income="HIC"), *many(0, 2, family="C", income="HIC"),
            *many(1, 4, family="A", income="LIC"), *many(1, 0, family="B", income="LIC"),
            *many(0, 2, family="C", income=None),
            {"family": "C", "income": "LIC", "premise": False},
        ]
    )  # fmt: skip
    mix = family_mix(table)
    assert mix == {"A": Fraction(10, 20), "B": Fraction(6, 20), "C": Fraction(4, 20)}
    high, low, none = standardised(table, ("income",), mix)
    assert high.value == Fraction(1, 2) * Fraction(4, 5) + Fraction(3, 10) * Fraction(1, 5)
    assert (high.present, high.absent, high.raw) == (Fraction(1), (), Fraction(5, 12))
    assert low.value == (Fraction(1, 2) * Fraction(1, 5) + Fraction(3, 10)) / Fraction(4, 5)
    assert (low.present, low.absent, low.families) == (
        Fraction(4, 5), ("C",), {"A": (Fraction(1, 5), 5), "B": (Fraction(1), 1)},
    )  # fmt: skip
    assert (none.value, none.present, none.low, none.high) == (Fraction(0), Fraction(1, 5), None, None)


def test_standardised_over_its_own_mix_is_the_raw_metric_and_its_interval_holds_it(scored: Scored) -> None:
    table = scored(
        [
            {**row, "cluster": f"e{n // 2}"}
            for n, row in enumerate([*many(30, 30, family="A"), *many(5, 35, family="B")])
        ]
    )
    (one,) = standardised(table, (), family_mix(table), draws=500)
    assert one.value == one.raw == Fraction(35, 100)
    assert one.low is not None
    assert one.high is not None
    assert 0.2 < one.low < 0.35 < one.high < 0.5


def test_weights_that_are_no_mix_are_refused(scored: Scored) -> None:
    table = scored(many(1, 1))
    for mix in ({}, {"A": Fraction(1, 2)}, {"A": Fraction(2), "B": Fraction(-1)}):
        with pytest.raises(InputError, match="sum to 1"):
            standardised(table, (), mix)
    with pytest.raises(InputError, match="'A' is not in the mix"):
        standardised(table, (), {"B": Fraction(1)})
    with pytest.raises(InputError, match="no question has a true premise"):
        family_mix(scored([{"premise": False}]))


def test_mean_and_sample_sd_over_seeds(scored: Scored) -> None:
    rows = [
        row for seed, right in enumerate((2, 4, 9)) for row in many(right, 10 - right, seed=seed, tier="T1")
    ]
    table = scored([*rows, *many(5, 5, seed=0, tier="T2"), *many(0, 0), {"tier": "T3a", "premise": False}])
    one, two, three = over_seeds(table, ("tier",))
    assert (one.mean, one.seeds, one.dagger, one.label, one.items) == (
        Fraction(5, 10),
        3,
        False,
        "SD over 3 seeds",
        30,
    )
    assert one.sd == pytest.approx(math.sqrt((0.3**2 + 0.1**2 + 0.4**2) / 2))
    assert (two.mean, two.sd, two.dagger, two.label) == (Fraction(1, 2), None, True, "one seed")
    assert (three.mean, three.sd, three.seeds, three.dagger, three.label) == (None, None, 0, True, "no seed")
    assert [cell.dagger for cell in over_seeds(table, ("tier",), most=1)] == [False, False, True]
    assert sample_sd([Fraction(1, 3)] * 3) == 0.0


def test_table_13_the_small_split_under_the_large_splits_mix(scored: Scored) -> None:
    """Large: A 6/10, B 2/10 (EM 8/20, mix 1/2 each). Small: A 3/4, B 0/1: EM 3/5; re-weighted 3/8."""
    large = scored([*many(6, 4, family="A"), *many(2, 8, family="B")])
    small = scored([*many(3, 1, family="A"), *many(0, 1, family="B")])
    em, frr = representativeness(large, small, metrics=("em", "frr"))
    assert (em.large, em.small, em.delta) == (Fraction(2, 5), Fraction(3, 5), Fraction(1, 5))
    assert (em.reweighted, em.delta_reweighted, em.present) == (Fraction(3, 8), Fraction(-1, 40), Fraction(1))
    assert (em.questions_large, em.questions_small, em.group) == (20, 5, ("r",))
    assert frr.large == frr.small == frr.delta_reweighted == 0
    (lacking,) = representativeness(large, small.slice(0, 4), metrics=("em",))
    assert (lacking.reweighted, lacking.present) == (Fraction(3, 4), Fraction(1, 2))
