"""Refusals told in words: natural sentences by language, and sentences that only look like refusals."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

from multiglobeqa.answers import read_reply, refusals
from multiglobeqa.answers.refusals import languages, plain, refusal_language

CASES: list[dict[str, Any]] = [
    json.loads(line)
    for line in Path(__file__).with_name("cases").joinpath("refusals.jsonl").read_text("utf-8").splitlines()
]
LANGUAGES = Path(__file__).parents[2] / "src/multiglobeqa/data/languages.csv"
each_case = pytest.mark.parametrize(
    "case", [pytest.param(case, id=f"{case['language']}: {case['text'][:40]}") for case in CASES]
)


def test_every_language_has_phrases_and_cases() -> None:
    wanted = {line.split(",")[0] for line in LANGUAGES.read_text("utf-8").splitlines()[1:]} | {"swa", "hau"}
    assert len(wanted) == 19
    assert set(languages()) == wanted
    refusing = Counter(case["language"] for case in CASES if case["refuses"])
    others = Counter(case["language"] for case in CASES if not case["refuses"])
    assert all(refusing[code] >= 12 and others[code] >= 6 for code in wanted)


@each_case
def test_words_decide_where_no_object_does(case: dict[str, Any]) -> None:
    reply = read_reply(case["text"], case["language"])
    assert reply.status == ("declined" if case["refuses"] else "unparseable")
    if case["refuses"]:
        assert reply.rule == f"reply: refusal in words ({case['language']})"
        assert reply.reason
    assert (refusal_language(case["text"]) is not None) == case["refuses"], (
        "the language only orders the search"
    )


@each_case
def test_the_object_decides_first(case: dict[str, Any]) -> None:
    answered = read_reply(case["text"] + '\n{"answer": 5}', case["language"])
    assert (answered.status, answered.value, answered.rule) == ("answered", 5, None)
    assert read_reply('{"answer": 5} ' + case["text"], case["language"]).status == "answered"
    assert read_reply(case["text"] + '\n{"answer": null, "declined": true}').status == "declined"
    assert read_reply(case["text"] + '\n{"answer": null, "declined": false}').status == "unparseable"
    name = json.dumps({"answer": case["text"]}, ensure_ascii=False)
    assert read_reply(name, case["language"]).status == "answered"


def test_null_answer_with_words() -> None:
    assert read_reply('{"answer": null, "reason": "there is no such place"}').status == "declined"
    assert read_reply('I cannot determine this. {"answer": null}').rule == "reply: refusal in words (eng)"
    assert read_reply('{"answer": null, "reason": "thinking"}').status == "unparseable"


def test_refusing_keys() -> None:
    reply = read_reply('{"refuse": true, "reason": "no such route"}')
    assert (reply.status, reply.reason, reply.rule) == (
        "declined",
        "no such route",
        'reply: "refuse" declines',
    )
    assert read_reply('{"refused": true}').status == "declined"
    assert read_reply('{"answer": 5, "refuse": false}').value == 5
    assert read_reply('{"answer": 5, "refused": "perhaps"}').status == "unparseable"


def test_a_json_text_refuses_by_a_phrase_but_not_by_a_word() -> None:
    assert read_reply('"I cannot determine this."').status == "declined"
    assert read_reply('"Unknown"').value == "Unknown"
    assert read_reply("null").status == "unparseable"


def test_reasoning_is_no_refusal() -> None:
    assert read_reply("<think>I cannot determine this.</think>").status == "unparseable"
    assert read_reply("<think>I cannot determine this.").status == "unparseable"


def test_only_the_ends_of_a_long_text_refuse() -> None:
    working = "We add the two lengths and compare. " * 40
    assert read_reply(working + "I cannot determine this." + working).status == "unparseable"
    assert read_reply(working + "I cannot determine this.").status == "declined"
    assert read_reply("I cannot determine this. " + working).status == "declined"
    assert read_reply(working + "Unknown").status == "unparseable"


def test_words_in_quotation_marks_are_read_where_nothing_else_stands() -> None:
    assert refusal_language("“I cannot determine this.”") == "eng"
    assert refusal_language("He said “I cannot determine this.”") is None


def test_plain() -> None:
    assert plain("I can’t… DÉCIDER, İSTANBUL!") == "i cant . decider istanbul ."
    assert plain("") == ""
    assert refusal_language("") is None
    assert refusal_language("I don't know", "xyz") == "eng"


def test_the_search_by_first_words_misses_nothing() -> None:
    """Every half of two sentences of the cases: searched by all phrases, the same languages refuse."""
    random = Random(11)
    for _ in range(1500):
        a, b = (random.choice(CASES)["text"] for _ in range(2))
        part = refusals._Part(plain(a[: random.randint(0, len(a))] + " " + b[random.randint(0, len(b)) :]))
        for words in refusals._words().values():
            found = words.phrases.search(part.text)
            told = found is not None and words.hedge.search(part.text, found.end()) is None
            assert part.refuses(words) == told
