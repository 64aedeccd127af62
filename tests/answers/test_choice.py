"""The choice format: replies in 19 languages and their scripts' letters (cases/choice.jsonl), and what it asks."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from multiglobeqa import answers
from multiglobeqa.answers.choice import Choice
from multiglobeqa.answers.choice_text import DISAGREE
from multiglobeqa.answers.option_letters import letter, number_of, place_of

CASES: list[dict[str, Any]] = [
    json.loads(line)
    for line in Path(__file__).with_name("cases").joinpath("choice.jsonl").read_text("utf-8").splitlines()
]
CITIES = ["Kisumu", "Kampala", "Mwanza", "Entebbe"]
LANGUAGES = [
    "eng",
    "sqi",
    "bul",
    "zho",
    "fra",
    "kat",
    "deu",
    "ell",
    "ita",
    "jpn",
    "por",
    "ron",
    "rus",
    "spa",
    "tur",
    "urd",
    "vie",
    "swa",
    "hau",
]
FMT = answers.get("choice")


def test_cases_cover_the_languages() -> None:
    statuses = {(case["language"], case["status"]) for case in CASES}
    for language in LANGUAGES:
        assert {(language, status) for status in ("answered", "declined", "unparseable")} <= statuses


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['language']} {case['reply'][:40]!r}")
def test_reply(case: dict[str, Any]) -> None:
    question = {
        "language": case["language"],
        "options": case.get("options", CITIES),
        "labels": case.get("labels"),
    }
    reply = answers.parse_reply(case["reply"], FMT, question)
    assert (reply.status, reply.value) == (case["status"], case["value"]), reply
    if "rule" in case:
        assert reply.rule is not None and case["rule"] in reply.rule
    else:
        assert DISAGREE not in (reply.rule or "")


def test_every_position_is_read_alike() -> None:
    """No form may read one letter and not another: that would look like a bias of the model."""
    mark = re.compile("(?<![A-Za-z])C(?![A-Za-z])")
    tried = 0
    for form in (
        case["reply"] for case in CASES if case["value"] == "Mwanza" and len(mark.findall(case["reply"])) == 1
    ):
        for place, city in enumerate(CITIES):
            text = mark.sub(letter(place), form).replace("Mwanza", city)
            for language in ("eng", "deu", "zho"):
                reply = answers.parse_reply(text, FMT, {"language": language, "options": CITIES})
                assert reply.value == city, text
                tried += 1
    assert tried > 400


def test_a_reading_does_not_depend_on_what_was_read_before() -> None:
    question = {"language": "deu", "options": ["1.5 km", "2.25 km", "7 km"]}
    first = answers.parse_reply("2,25 km", FMT, question)
    assert first == answers.parse_reply("2,25 km", FMT, question)
    assert first.rule is None and first.value == "2.25 km"


def test_schema_and_description() -> None:
    question = {"options": CITIES}
    assert FMT.value_schema(question)["enum"] == ["A", "B", "C", "D", *CITIES]
    assert FMT.describe(question) == (
        "The letter or the text of one option: A. Kisumu; B. Kampala; C. Mwanza; D. Entebbe."
    )
    labelled = {"params": {"options": ["да", "нет"], "labels": ["А", "Б"]}}
    assert FMT.value_schema(labelled)["enum"] == ["А", "Б", "да", "нет"]
    assert FMT.value_schema({"options": ["B", "A"], "labels": ["one"]})["enum"] == ["A", "B"]
    assert FMT.describe({}) == "The letter of one option."


def test_scores_and_slips() -> None:
    question = {"options": CITIES, "origins": ["gold", "slip:opposite", "pool"], "accepted": ['"Mwanza"']}
    assert isinstance(FMT, Choice)
    assert FMT.exact_match("Kisumu", "Kisumu", question) and FMT.exact_match("Mwanza", "Kisumu", question)
    assert not FMT.exact_match("Kampala", "Kisumu", question)
    assert FMT.normalized_error("Kampala", "Kisumu", question) == 1.0
    assert FMT.place("Mwanza", question) == 2
    assert [FMT.slip(city, question) for city in CITIES] == [None, "opposite", None, None]


def test_values_that_are_no_option() -> None:
    for value in (
        None,
        True,
        2.5,
        float("nan"),
        float("inf"),
        10**400,
        [],
        ["A", "B"],
        {"a": "A"},
        {},
        "\ud800",
    ):
        with pytest.raises(answers.FormatError):
            FMT.parse(value, {"options": CITIES})
    assert FMT.parse(2.0, {"options": CITIES}) == "Kampala"


def test_letters() -> None:
    assert [letter(place) for place in (0, 25, 26, 51, 52, 701, 702)] == [
        "A",
        "Z",
        "AA",
        "AZ",
        "BA",
        "ZZ",
        "AAA",
    ]
    for place in (0, 25, 26, 701, 702, 800):
        mark = place_of(letter(place), 900)
        assert mark is not None and mark.place == place and mark.rule is None
    assert place_of("AAAA", 10**6) is None and place_of("?", 4) is None and place_of("Ω", 4) is None
    assert [number_of(text, 12) for text in ("1", "12", "13", "0", "十", "x", "12345", "")] == [
        0, 11, None, None, 9, None, None, None,
    ]  # fmt: skip
