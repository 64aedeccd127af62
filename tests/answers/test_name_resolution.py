"""Homonyms: when a name in a reply tells the gold from the other candidates."""

from __future__ import annotations

import json
from typing import Any

import pytest

from multiglobeqa import answers
from multiglobeqa.answers import AliasIndex
from multiglobeqa.answers.resolution import stands_for, stands_for_many

INDEX = AliasIndex.from_rows([
    ("city:1", "Springfield", "name"),
    ("city:1", "Flower Town", "alias"),
    ("city:1", "The Mill", "name"),
    ("city:2", "Springfield", "name"),
    ("city:2", "Flower Town", "alias"),
    ("city:3", "Springfield", "name"),
    ("city:4", "Shelbyville", "name"),
    ("city:4", "The Mill", "alias"),
    ("lake:1", "Lake Springfield", "name"),
    ("lake:1", "Springfield", "alias"),
    ("city:5", "Chicago", "name"),
    ("city:6", "ISPARTA", "name"),
    ("city:7", "isparta", "name"),
])  # fmt: skip

GOLD = "Springfield (Illinois)"
OTHER = {"iri": "lake:1", "name": "Lake Springfield"}


def question(**columns: Any) -> dict[str, Any]:
    return {
        "language": "eng", "format": "entity", "gold": json.dumps(GOLD), "accepted": [], "premise": True,
        "accepted_iris": ["city:1"], "entities": ["city:1"], "roles": {}, "slips": {}, **columns,
    }  # fmt: skip


CASES = [
    ("a homonym that the row does not name", "Springfield", question(), True),
    ("a rival among the members", "Springfield", question(entities=["city:1", "city:2"]), False),
    ("an alias shared with a rival", "Flower Town", question(entities=["city:1", "city:2"]), False),
    ("a name that is only an alias of the rival", "The Mill", question(entities=["city:1", "city:4"]), True),
    ("a name of its own beside a rival", "The Mill", question(entities=["city:1", "city:2"]), True),
    (
        "what an open question asks about is no rival",
        "Springfield",
        question(entities=["city:1", "lake:1"], roles={"B": OTHER}),
        True,
    ),
    (
        "a place that the question offers is one",
        "Springfield",
        question(
            entities=["city:1", "city:2"],
            roles={"A": {"iri": "city:1", "name": GOLD}, "B": {"iri": "city:2", "name": "Springfield (Ohio)"}},
        ),
        False,
    ),
    ("roles as the table stores them", "Springfield",
     question(entities=["city:1", "lake:1"], roles=json.dumps({"B": OTHER})), True),
    ("a stored wrong answer of the same name", "Springfield",
     question(slips={"second": "Springfield (Ohio)"}), False),
    ("the same as the table stores it", "springfield",
     question(slips=json.dumps({"second": ["Chicago", "Springfield (Ohio)"]})), False),
    ("an alias of the only bearer of a stored wrong answer's name", "The Mill",
     question(slips={"second": "Shelbyville"}), True),
    ("a stored wrong answer of another name", "Springfield", question(slips={"second": "Chicago"}), True),
    ("a slip that is no name", "Springfield", question(slips={"second": 4.5, "third": None}), True),
    ("slips that are no table", "Springfield", question(slips="[]"), True),
    ("a slip that is the gold itself", "Springfield", question(slips={"any": [GOLD, "Chicago"]}), True),
    ("no columns but the answer's", "Springfield", {"accepted_iris": ["city:1"]}, True),
    ("the IRI", "city:1", question(entities=["city:1", "city:2"]), True),
    ("the IRI of a rival", "city:2", question(entities=["city:1", "city:2"]), False),
    ("the name of a rival alone", "Shelbyville", question(entities=["city:1", "city:4"]), False),
    ("a part of a name", "Spring", question(), False),
    ("nothing accepted", "Springfield", question(accepted_iris=[]), False),
    ("Turkish", "ISPARTA", question(language="tur", accepted_iris=["city:6"], entities=["city:6", "city:7"]), True),
    ("English", "ISPARTA", question(accepted_iris=["city:6"], entities=["city:6", "city:7"]), False),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "row", "right"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_stands_for(name: str, row: dict[str, Any], right: bool) -> None:
    found = stands_for(name, row, INDEX)
    assert bool(found) is right
    assert found <= frozenset(row["accepted_iris"])


def test_the_stored_wrong_answer_that_is_an_alias_of_a_rival() -> None:
    """Flower Town is city:1 and city:2; the slip names city:2's other name, which city:1 and city:3 bear too."""
    index = AliasIndex.from_rows([
        ("p:1", "Alt", "alias"), ("p:1", "Alpha", "name"), ("p:2", "Alt", "alias"), ("p:2", "Beta", "name"),
    ])  # fmt: skip
    row = question(accepted_iris=["p:1"], entities=["p:1"], gold='"Alpha"')
    assert stands_for("Alt", {**row, "slips": {"second": "Beta (town)"}}, index) == frozenset()
    assert stands_for("Alt", {**row, "slips": {"second": "Gamma"}}, index) == {"p:1"}


def test_many_are_settled_as_each() -> None:
    names, rows = [case[1] for case in CASES], [case[2] for case in CASES]
    assert stands_for_many(names, rows, INDEX) == [
        stands_for(n, r, INDEX) for n, r in zip(names, rows, strict=True)
    ]
    without = stands_for_many(names, rows, None)
    assert without == [stands_for(n, r, None) for n, r in zip(names, rows, strict=True)]
    assert {name for name, found in zip(names, without, strict=True) if found} == {"city:1"}
    assert stands_for_many([], [], INDEX) == []


def test_the_printed_name_is_right_whatever_bears_it() -> None:
    entity = answers.get("entity", names=INDEX)
    row = question(entities=["city:1", "city:2"], slips={"second": "Springfield (Ohio)"})
    assert entity.exact_match("springfield, Illinois", GOLD, row)
    assert not entity.exact_match("Springfield (Ohio)", GOLD, row)
    assert not entity.exact_match("Springfield", GOLD, row)
