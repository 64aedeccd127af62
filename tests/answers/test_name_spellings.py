"""Spellings that are one name and spellings that are not, by language (cases/spellings.jsonl)."""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from multiglobeqa.answers import AliasIndex
from multiglobeqa.answers.names import fold, fold_many, same_name

CASES: list[dict[str, Any]] = [
    json.loads(line)
    for line in Path(__file__).with_name("cases").joinpath("spellings.jsonl").read_text("utf-8").splitlines()
]


def ids(case: dict[str, Any]) -> str:
    sign = "is" if case["same"] else "is not"
    return f"{case['language']} {case['rule']}: {case['a']} {sign} {case['b']}"


@pytest.mark.parametrize("case", CASES, ids=ids)
def test_spelling(case: dict[str, Any]) -> None:
    """Compared as printed, and looked up among labels, in both directions."""
    language, a, b = case["language"], case["a"], case["b"]
    assert a != b
    for reply, label in ((a, b), (b, a)):
        assert same_name(reply, label, language) is case["same"]
        index = AliasIndex.from_rows([("p:1", label, "name"), ("p:2", "Elsewhere", "name")])
        found = frozenset(("p:1",)) if case["same"] else frozenset()
        assert index.resolve(reply, language) == found
        assert index.resolve_many(["Elsewhere", reply], language) == [{"p:2"}, found]


def test_every_language_has_cases_of_both_kinds() -> None:
    table = resources.files("multiglobeqa") / "data" / "languages.csv"
    languages = {row["code"] for row in csv.DictReader(table.read_text("utf-8").splitlines())}
    assert len(languages) == 17
    rules: defaultdict[tuple[str, bool], set[str]] = defaultdict(set)
    for case in CASES:
        rules[case["language"], case["same"]].add(case["rule"])
    assert all(len(rules[language, same]) >= 2 for language in languages for same in (True, False))


def test_all_cases_at_once_in_one_index() -> None:
    """Spellings of one name share an entity; the rest of the cases do not disturb them."""
    for language in ("eng", "tur"):
        cases = [case for case in CASES if (case["language"] in ("tur", "aze", "tr")) == (language == "tur")]
        rows = [(f"p:{number}", case["b"], "name") for number, case in enumerate(cases)]
        found = AliasIndex.from_rows(rows).resolve_many([case["a"] for case in cases], language)
        for number, (case, iris) in enumerate(zip(cases, found, strict=True)):
            assert (f"p:{number}" in iris) is case["same"], ids(case)


def test_keys_of_many_are_keys_of_each() -> None:
    texts = [case[side] for case in CASES for side in "ab"] + ["", "?!", "\n", "a\nb", "..", "é\n\nè"]
    for language in ("eng", "tur"):
        assert fold_many(texts, language) == [fold(text, language) for text in texts]
    ascii_texts = [text for text in texts if text.isascii()]
    assert fold_many(ascii_texts) == [fold(text) for text in ascii_texts]
