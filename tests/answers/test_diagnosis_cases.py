"""Hand-made wrong answers, at least one a kind, and what they are diagnosed as."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from multiglobeqa import answers
from multiglobeqa.answers.diagnosis import diagnose, diagnose_values, explain, kinds
from multiglobeqa.answers.diagnosis.kinds import SLIP

CASES: list[dict[str, Any]] = [
    json.loads(line)
    for line in Path(__file__).with_name("cases").joinpath("diagnosis.jsonl").read_text("utf-8").splitlines()
]
BY_MANY = {"majority_answer"}
"""Kinds that only a whole benchmark shows."""


def names_of(case: dict[str, Any]) -> answers.AliasIndex | None:
    return answers.AliasIndex.from_rows([tuple(row) for row in case["labels"]]) if "labels" in case else None


@pytest.mark.parametrize(
    "case", [pytest.param(case, id=f"{case['format']}: {case['case']}") for case in CASES]
)
def test_case(case: dict[str, Any]) -> None:
    found = diagnose(case["question"], case["format"], case["value"], names=names_of(case))
    assert (found.key if found else None) == case["key"]
    if found:
        assert explain(found.key).says in str(found)
        assert set(case.get("also", ())) <= set(found.also)
        for name, value in case.get("details", {}).items():
            assert found.details[name] == value


def test_every_kind_has_a_case() -> None:
    wanted = {key for key in kinds() if not key.startswith(SLIP)} - BY_MANY
    assert wanted - {case["key"] for case in CASES} == set()


def test_every_format_has_a_case_with_and_one_without_a_diagnosis() -> None:
    seen: defaultdict[str, set[bool]] = defaultdict(set)
    for case in CASES:
        seen[case["format"]].add(case["key"] is None)
    assert set(seen) == set(answers.FORMATS)
    assert {name for name, both in seen.items() if both != {True, False}} <= {"composite", "polygon", "set"}


def test_many_at_once_say_the_same_as_one_at_a_time() -> None:
    groups: defaultdict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for case in CASES:
        groups[case["format"], json.dumps(case.get("labels"))].append(case)
    for (name, _), cases in groups.items():
        store = names_of(cases[0])
        scorer = answers.get(name, names=store)
        rows: list[Any] = []
        for case in cases:
            try:
                value = scorer.parse(case["value"], case["question"])
            except answers.FormatError:
                continue
            gold = answers.gold_of(case["question"])
            if gold is None or not scorer.exact_match(value, gold, case["question"]):
                rows.append((case["question"], value, case["key"], case["question"].get("language", "eng")))
        if not rows:
            continue
        questions, values, keys, languages = (list(column) for column in zip(*rows, strict=True))
        assert diagnose_values(name, questions, values, names=store) == keys
        assert diagnose_values(name, questions, values, names=store, languages=languages) == keys
