"""The case files: one line an input, with what it must become and how it must score."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from multiglobeqa import answers

CASES = Path(__file__).with_name("cases")
FILES = ("numbers", "tolerances", "points", "polygons", "grids", "names", "others")


def load(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (CASES / f"{name}.jsonl").read_text("utf-8").splitlines()]


def answer_format(case: dict[str, Any]) -> answers.Format:
    labels = case.get("labels")
    names = answers.AliasIndex.from_rows([tuple(row) for row in labels]) if labels else None
    return answers.get(case["format"], names=names)


@pytest.mark.parametrize(
    "case", [pytest.param(case, id=f"{name}: {case['case']}") for name in FILES for case in load(name)]
)
def test_case(case: dict[str, Any]) -> None:
    fmt, question = answer_format(case), case.get("question", {})
    assert set(case) & {"is", "near", "error", "em", "d"}, "a case must expect something"
    if "error" in case:
        with pytest.raises(answers.FormatError) as raised:
            fmt.parse(case["value"], question)
        assert case["error"] in str(raised.value)
        return
    value = fmt.parse(case["value"], question)
    if "is" in case:
        assert value == (pytest.approx(case["is"], rel=1e-12) if type(value) in (float, dict) else case["is"])
        assert type(value) is type(case["is"])
    if "near" in case:
        assert value == pytest.approx(case["near"], abs=1e-6)
    assert fmt.parse(json.loads(json.dumps(value)), question) == value, "a canonical value stays itself"
    if "tau" in case:
        assert fmt.tolerance(case["gold"], question) == pytest.approx(case["tau"], abs=1e-12)
    if "d" in case:
        d = fmt.distance(value, case["gold"], question)
        assert d is None if case["d"] is None else d == pytest.approx(case["d"], abs=1e-3)
    if "em" in case:
        assert fmt.exact_match(value, case["gold"], question) is bool(case["em"])
    if "ne" in case:
        assert fmt.normalized_error(value, case["gold"], question) == pytest.approx(case["ne"], abs=1e-4)


@pytest.mark.parametrize("case", [pytest.param(case, id=case["case"]) for case in load("replies")])
def test_reply(case: dict[str, Any]) -> None:
    reply = answers.read_reply(case["text"])
    assert reply.status == case["status"]
    assert reply.value == case.get("value")
    assert type(reply.value) is type(case.get("value"))
    assert case.get("reason", "") in reply.reason
