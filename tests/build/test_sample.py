"""Drawing and balance: each rule of TAXONOMY 14 with a planted violation."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, cast

from multiglobeqa.build.gold import Instance, instance
from multiglobeqa.build.sample import CLASSES, CONSTANT, LEAST_OF_A_CLASS, balance_classes, draw, pick_of
from multiglobeqa.taxonomy import SubTemplate


@dataclass
class Sub:
    """The part of a sub-template that drawing looks at."""

    id: str = "T00"
    format: str = "boolean"
    unit: str | None = None
    roles: tuple[str, ...] = ("A",)
    set_size: tuple[int, int] = (1, 30)
    count_range: tuple[int, int] | None = (1, 20)
    floor: bool = True
    constant_cap: bool = True
    family: str = "A"
    stratified: bool = True


def make(
    sub: Sub, number: int, gold: Any, cell: str = "LIC/low", country: str = "TCD", **more: Any
) -> Instance:
    row = {"_cell": cell, "_country": country, "_class": more.pop("class_", "city")}
    found = Instance(cast(SubTemplate, sub), row, {"A": number}, {}, gold=gold, **more)
    found.pick = f"{number * 7919 % 10007:08d}"
    return found


def no_tolerance(found: Instance) -> float:
    return 0.0


def five_percent(found: Instance) -> float:
    return float(max(0.5, 0.05 * found.gold))


def test_quota_a_cell() -> None:
    rows = [make(Sub(format="distance"), i, 10.0 * 1.2**i) for i in range(50)]
    drawn, discards = draw(rows, 30, five_percent)
    assert len(drawn) == 30
    assert discards["beyond_cell_quota"] == 20


def test_countries_take_turns() -> None:
    rows = [
        make(Sub(format="distance"), i, 10.0 * 1.3**i, country="USA" if i < 40 else "MUS") for i in range(44)
    ]
    drawn, _ = draw(rows, 8, five_percent)
    assert Counter(found.row["_country"] for found in drawn) == {"USA": 4, "MUS": 4}


def test_classes_take_turns_within_a_country() -> None:
    rows = [
        make(Sub(format="distance"), i, 10.0 * 1.3**i, class_="bank" if i < 40 else "school")
        for i in range(44)
    ]
    drawn, _ = draw(rows, 8, five_percent)
    assert Counter(found.row["_class"] for found in drawn) == {"bank": 4, "school": 4}


def test_booleans_are_balanced() -> None:
    rows = [make(Sub(), i, i % 10 == 0) for i in range(200)]
    drawn, _ = draw(rows, 30, no_tolerance)
    share = sum(found.gold for found in drawn) / len(drawn)
    assert 0.45 <= share <= 0.55


def test_balance_takes_from_the_fullest_cell() -> None:
    rows = [make(Sub(), i, True, cell="HIC/high") for i in range(20)]
    rows += [make(Sub(), 100 + i, bool(i % 2), cell="LIC/low") for i in range(10)]
    drawn, discards = draw(rows, 30, no_tolerance)
    cells = Counter(found.cell for found in drawn)
    assert cells["LIC/low"] >= 8 > cells["HIC/high"] - 8
    assert discards["balance_labels"] == 30 - len(drawn) > 0


def test_one_sided_booleans_are_no_question() -> None:
    drawn, discards = draw([make(Sub(), i, True) for i in range(9)], 30, no_tolerance)
    assert drawn == []
    assert discards["balance_labels"] == 9


def test_labels_are_nearly_uniform() -> None:
    winds = ["north", "east", "south", "west"]
    rows = [make(Sub(format="label"), i, winds[min(i % 8, 3)]) for i in range(400)]
    drawn, _ = draw(rows, 400, no_tolerance)
    shares = [count / len(drawn) for count in Counter(found.gold for found in drawn).values()]
    assert max(shares) <= 0.25 + 0.03 + 1e-9


def test_the_rarest_label_is_within_3_percent_too() -> None:
    golds = ["true"] * 91 + ["false"] * 91 + ["plausibly"] * 69
    drawn, _ = draw([make(Sub(), i, gold) for i, gold in enumerate(golds)], 400, no_tolerance)
    shares = [count / len(drawn) for count in Counter(found.gold for found in drawn).values()]
    assert len(shares) == 3 and len(drawn) > 215
    assert min(shares) >= 1 / 3 - 0.03 - 1e-9 and max(shares) <= 1 / 3 + 0.03 + 1e-9


def test_a_ternary_question_needs_all_three_answers() -> None:
    rows = [make(Sub(), i, "false" if i % 2 else "plausibly") for i in range(20)]
    assert draw(rows, 30, no_tolerance)[0] == []


def test_single_member_sets_are_at_most_30_percent() -> None:
    sub = Sub(format="set")
    rows = [make(sub, i, None, answer_ids=[i] if i % 3 else [i, i + 1000]) for i in range(30)]
    drawn, _ = draw(rows, 30, no_tolerance)
    assert sum(len(found.answer_ids) == 1 for found in drawn) <= 0.3 * len(drawn)
    assert sum(len(found.answer_ids) == 2 for found in drawn) == 10


def test_no_constant_count_wins_more_than_a_fifth() -> None:
    sub = Sub(format="count")
    rows = [make(sub, i, 1 if i < 25 else i - 23) for i in range(40)]
    drawn, _ = draw(rows, 40, lambda found: max(1.0, 0.05 * found.gold))
    best = Counter(found.gold for found in drawn).most_common(1)[0][1]
    assert best <= 0.2 * len(drawn)


def test_no_constant_distance_wins_more_than_a_fifth_under_the_tolerance() -> None:
    sub = Sub(format="distance")
    rows = [make(sub, i, 100.0 + i * 0.1 if i < 20 else 200.0 * 1.2 ** (i - 20)) for i in range(40)]
    drawn, _ = draw(rows, 40, five_percent)
    golds = [found.gold for found in drawn]
    best = max(sum(abs(c - g) < max(0.5, 0.05 * g) for g in golds) for c in golds)
    assert best <= 0.2 * len(drawn)


def test_drawing_does_not_depend_on_the_order_of_rows() -> None:
    rows = [make(Sub(), i, bool(i % 3)) for i in range(90)]
    first, _ = draw(rows, 7, no_tolerance)
    second, _ = draw(list(reversed(rows)), 7, no_tolerance)
    assert [found.roles for found in first] == [found.roles for found in second]


def test_pick_depends_on_seed_entities_and_parameters_only() -> None:
    found = make(Sub(), 1, True)
    names = {1: "http://x/1"}
    assert pick_of(found, 1, names) == pick_of(make(Sub(), 1, False), 1, names)
    assert pick_of(found, 1, names) != pick_of(found, 2, names)


def test_rows_that_fail_a_rule_name_the_cause() -> None:
    sub = cast(SubTemplate, Sub(format="distance"))
    row = {"_cell": "LIC/low", "A": 1, "answer": 1.2}
    assert instance(sub, row) == (None, "distance_below_2_km")
    assert instance(sub, row | {"answer": 20_100.0}) == (None, "distance_above_20004_km")
    assert instance(sub, row | {"answer": float("nan")}) == (None, "not_a_number")
    assert instance(sub, row | {"answer": None}) == (None, "no_answer")
    assert instance(sub, row | {"A": None}) == (None, "role_missing")
    assert instance(sub, row | {"discard": "margin"}) == (None, "margin")
    count = cast(SubTemplate, Sub(format="count"))
    assert instance(count, row | {"answer": 21}) == (None, "count_outside_1_to_20")
    assert instance(count, row | {"answer": 0}) == (None, "count_outside_1_to_20")
    many = cast(SubTemplate, Sub(format="set"))
    assert instance(many, row | {"answer_ids": list(range(31))}) == (None, "set_outside_1_to_30")
    assert instance(many, row | {"answer_ids": [None]}) == (None, "no_answer")
    twice = cast(SubTemplate, Sub(format="boolean", roles=("A", "B")))
    assert instance(twice, row | {"B": 1, "answer": True}) == (None, "same_entity_twice")
    kept, cause = instance(sub, row | {"answer": 12.123456789, "p_radius_km": 5.0})
    assert cause is None and kept is not None
    assert (kept.gold, kept.params) == (12.123457, {"radius_km": 5.0})


def test_no_class_makes_up_more_than_half_of_a_family_in_a_stratum() -> None:
    sub = Sub(format="distance")
    roads = [make(sub, i, 10.0 * 1.2**i, class_="road") for i in range(25)]
    lakes = [make(sub, 100 + i, 9.0 * 1.2**i, class_="lake") for i in range(12)]
    alone = [make(sub, 200 + i, 9.0 * 1.2**i, cell="HIC/high", class_="road") for i in range(25)]
    (kept, others), discards = balance_classes([roads + lakes, alone], five_percent)
    assert Counter(found.row["_class"] for found in kept) == {"road": 12, "lake": 12}
    assert len(others) == 25, "no other class is there"
    assert [counts[CLASSES] for counts in discards] == [13, 0]


def test_a_handful_of_another_class_does_not_empty_a_stratum() -> None:
    sub = Sub(format="distance")
    rows = [make(sub, i, 10.0 * 1.2**i, class_="road") for i in range(25)]
    rows.append(make(sub, 100, 9.0, class_="lake"))
    (kept,), _ = balance_classes([rows], five_percent)
    assert Counter(found.row["_class"] for found in kept) == {"road": LEAST_OF_A_CLASS, "lake": 1}


def test_answers_are_balanced_again_after_classes() -> None:
    """Roads are all true, lakes mostly false: what the rule on classes takes out leaves booleans even."""
    roads = [make(Sub(), i, True, class_="road") for i in range(24)]
    lakes = [make(Sub(), 100 + i, i < 2, class_="lake") for i in range(14)]
    (kept,), _ = balance_classes([roads + lakes], no_tolerance)
    assert 0.45 <= sum(found.gold for found in kept) / len(kept) <= 0.55


def test_no_constant_point_is_right_for_more_than_a_fifth_over_all_kgs() -> None:
    """Thirty shops of one town, fifteen places far from each other: one in five may stay of the town's."""
    sub = Sub(format="point")
    town = [make(sub, i, {"lat": 60.17 + i * 1e-3, "lon": 24.94}, country="FIN") for i in range(30)]
    world = [make(sub, 100 + i, {"lat": float(i), "lon": 5.0 * i}) for i in range(15)]
    kept, discards = balance_classes([town, world], no_tolerance)
    assert [len(group) for group in kept] == [3, 15]
    assert discards[0][CONSTANT] == 27


def guessed(number: int, first: bool, last: bool, cell: str = "LIC/low") -> Instance:
    found = make(Sub(format="date"), number, f"2012-{number:03d}", cell)
    found.row |= {"guess_first_date": first, "guess_last_date": last}
    return found


def test_no_guess_is_right_more_often_than_not() -> None:
    """Of 40, the first month is right for 30 and the last for 12: 10 of either stay, and none for which both are."""
    rows = [guessed(i, first=i < 30, last=i >= 28) for i in range(40)]
    drawn, discards = draw(rows, 40, no_tolerance)
    right = [(found.row["guess_first_date"], found.row["guess_last_date"]) for found in drawn]
    assert sum(first for first, _ in right) <= len(drawn) / 2 >= sum(last for _, last in right)
    assert len(drawn) >= 18 and discards["balance_guesses"] == 40 - len(drawn)


def test_questions_that_a_guess_answers_alone_are_none() -> None:
    assert draw([guessed(i, first=True, last=False) for i in range(9)], 40, no_tolerance)[0] == []
