"""Every sub-template on the golden world: answers that a reader can check by eye, and planted violations."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from multiglobeqa.geo.distance import distance_km
from multiglobeqa.taxonomy import SubTemplate, load

CASES: list[dict[str, Any]] = [
    {
        "false" if key is False else key: value for key, value in case.items()
    }  # YAML reads the key `false` as a boolean
    for file in sorted(Path(__file__).with_name("cases").glob("*.yaml"))
    for case in yaml.safe_load(file.read_text("utf-8"))
]
TOLERANCE = 2e-4


def _identity(case: dict[str, Any]) -> str:
    roles = "-".join(case["roles"].values())
    what = ("false " if case.get("false") else "") + str(case.get("discard", "answer"))
    return f"{case['sub']} {case.get('kg', 'knowwheregraph')} {roles} {what}"


@pytest.mark.parametrize("case", CASES, ids=_identity)
def test_case(case: dict[str, Any], golden: Callable[[str], Any], subs: dict[str, SubTemplate]) -> None:
    world, sub, false = golden(case.get("kg", "knowwheregraph")), subs[case["sub"]], case.get("false", False)
    outcomes: Counter[str] = Counter()
    for row in world.matching(sub, case["roles"], case.get("params", {}), false):
        found, cause = world.false_outcome(sub, row) if false else world.outcome(sub, row)
        outcomes[str(cause)] += 1
        if found is not None and "failure" in case:
            question = world.question(found)
            assert question["gold"] is None and question["premise_failure"] == case["failure"]
            assert world.disagreements([question]) == []
            return
        if found is not None and {"answer", "by_resolution"} & set(case):
            question = world.question(found)
            wanted = case["answer"] if "answer" in case else case["by_resolution"][found.params["resolution"]]
            wrong = unlike(sub, world.gold(question), wanted, case.get("tol", TOLERANCE))
            assert wrong is None, f"{question['question']}: {wrong}"
            assert world.disagreements([question]) == []
            return
        if cause is not None and cause == case.get("discard"):
            return
    assert case.get("absent") and not outcomes, f"expected {case}; found {dict(outcomes)}"


def test_a_storm_is_spoken_of_as_the_track_of_its_centre(
    golden: Callable[[str], Any], subs: dict[str, SubTemplate]
) -> None:
    for kg, roles, tracks in (
        ("knowwheregraph", {"A": "Storm Crosser (2001)", "B": "border between March and Realm"}, 1),
        ("osmh3kg", {"A": "Long Road", "B": "Cross Road"}, 0),
    ):
        world, sub = golden(kg), subs["C03"]
        found, _ = world.outcome(sub, next(world.matching(sub, roles, {})))
        text = world.question(found)["question"]
        assert text.count("do the track of the centre of Storm") == tracks and "{" not in text


def unlike(sub: SubTemplate, gold: Any, wanted: Any, tol: float) -> str | None:
    """How the gold differs from what is wanted, None where it does not."""
    if sub.format in ("point", "polar"):
        return _place(sub.format, gold, wanted, tol)
    if sub.format in ("distance", "area", "ratio"):
        return None if abs(gold - wanted) <= tol * abs(wanted) else f"{gold}, not {wanted}"
    return None if gold == wanted else f"{gold}, not {wanted}"


def _place(format_name: str, gold: dict[str, float], wanted: dict[str, float], tol: float) -> str | None:
    """Points within ``tol`` km or 20 m, directions within 0.01 degrees and distances within ``tol``."""
    if format_name == "point":
        apart = float(distance_km(gold["lon"], gold["lat"], wanted["lon"], wanted["lat"]))
        return None if apart <= max(tol, 0.02) else f"{gold}, {apart} km from {wanted}"
    turn = abs((gold["azimuth_deg"] - wanted["azimuth_deg"] + 180) % 360 - 180)
    far = abs(gold["distance_km"] - wanted["distance_km"]) / wanted["distance_km"]
    return None if turn <= 0.01 and far <= tol else f"{gold}, not {wanted}"


UNPLANTED = {
    "value_not_a_number": "no surface that the kernels take has such a value; a guard",
    "simplified_outline_not_stable": "G03 plants it; for K05 no surface of this world hangs on how edges are split",
    "distance_and_topology_differ": "only at the antimeridian: test_awkward_world",
    "below_0": "the metric cannot be negative",
}
"""Causes that no hand-made entity brings about, and why."""
PLANTED_APART = {(template, "fewer_than_5_elsewhere") for template in ("C05", "D03", "E05", "F02")}
"""Causes that take a world of their own: test_planted_rules."""


def test_every_sub_template_has_an_answered_case() -> None:
    answered = {case["sub"] for case in CASES if {"answer", "by_resolution"} & set(case)}
    assert {sub.id for sub in load()} - answered == set()


def test_every_false_premise_has_a_case() -> None:
    told = {(case["sub"], case["failure"]) for case in CASES if "failure" in case}
    assert {(s.id, s.false_premise.failure) for s in load() if s.false_premise} - told == set()


def test_every_cause_of_a_template_is_planted() -> None:
    planted = {(case["sub"][:3], case["discard"]) for case in CASES if "discard" in case}
    stated = {
        (sub.template, cause)
        for sub in load()
        for text in (
            sub.sql,
            sub.false_premise.sql if sub.false_premise else "",
            *map(str, sub.bind.values()),
        )
        for cause in re.findall(r"THEN '([a-z_0-9.]+)'", text)
        if "_" in cause
    }
    assert {pair for pair in stated - planted - PLANTED_APART if pair[1] not in UNPLANTED} == set()
