"""Controls: English forms, the four cells, the three causes; none of them in a language table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import binomtest

from multiglobeqa.evaluate.choices import evaluate
from multiglobeqa.evaluate.choices.controls import english_controls
from multiglobeqa.evaluate.choices.load import load

OPTIONS = ["Kisumu", "Kampala", "Mwanza", "Entebbe"]


def dump(path: Path, rows: list[Any]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def question(name: str, language: str = "sw", **fields: Any) -> dict[str, Any]:
    return {
        "id": name,
        "language": language,
        "question": "?",
        "options": OPTIONS,
        "answer_index": 0,
        **fields,
    }


def test_english_forms(tmp_path: Path) -> None:
    rows = [
        question("a", question_en="Which?"), question("a", "ha", question_en="Which?"), question("b"),
        question("c", "en", question_en="Which?"), question("d", question_en="Who?", options_en=["1", "2", "3", "4"]),
        question("e", question_en="One"), question("e", "ha", question_en="Other"), question("f", question_en="x", options_en=["1"]),
        question("g", "en", control="english", control_of="b"),
    ]  # fmt: skip
    made = english_controls(load(dump(tmp_path / "q", rows)).items)
    assert [item.id for item in made] == ["a#en", "d#en", "e#en", "e#en-hau", "f#en"]
    assert {(item.language.code, item.control) for item in made} == {("eng", "english")}
    assert (
        made[1].options == ("1", "2", "3", "4")
        and made[1].question == "Who?"
        and made[4].options == tuple(OPTIONS)
    )
    assert made[0].control_of == "a"


def files(tmp_path: Path, pairs: dict[str, tuple[int, int, int, int]]) -> tuple[Path, Path]:
    """Questions whose local and English replies fall into the four cells as often as told."""
    questions, replies = [], []
    for language, counts in pairs.items():
        right = [
            cell
            for cell, count in zip(((1, 1), (0, 1), (1, 0), (0, 0)), counts, strict=True)
            for _ in range(count)
        ]
        for number, (local, english) in enumerate(right):
            name = f"{language}{number}"
            questions.append(question(name, language, question_en="Which?"))
            replies.append({"id": name, "text": "AB"[1 - local]})
            replies.append({"id": f"{name}#en", "text": "AB"[1 - english]})
    return dump(tmp_path / "q.jsonl", questions), dump(tmp_path / "r.jsonl", replies)


def test_four_cells_and_mcnemar(tmp_path: Path) -> None:
    data = evaluate(*files(tmp_path, {"sw": (5, 12, 2, 6), "ha": (4, 3, 3, 0)})).as_json()
    cell = data["controls"]["cells"]["sw"]
    assert (cell["both_right"], cell["only_english_right"], cell["only_local_right"], cell["both_wrong"]) == (
        5,
        12,
        2,
        6,
    )
    assert (cell["pairs"], cell["accuracy"], cell["accuracy_english"]) == (25, 0.28, 0.68)
    assert (cell["language_failures"], cell["knowledge_failures"]) == (0.48, 0.24)
    assert cell["p"] == pytest.approx(binomtest(12, 14).pvalue) and cell["p_holm"] == pytest.approx(
        2 * cell["p"]
    )
    assert data["controls"]["cells"]["ha"]["p"] == 1.0
    assert set(data["summary"]) & {"lang / en"} == set() and data["summary"]["all"]["total"] == 35
    assert data["controls"]["english"]["lang / en"]["total"] == 35
    assert [row["language"] for row in data["ranking"]] == ["ha", "sw"]
    assert [row["place"] for row in data["ranking"]] == [1, 2]


def test_controls_nobody_asked_for_are_not_missing(tmp_path: Path) -> None:
    questions, replies = files(tmp_path, {"sw": (3, 1, 0, 0)})
    rows = [json.loads(line) for line in replies.read_text().splitlines()]
    data = evaluate(
        questions, dump(tmp_path / "own", [row for row in rows if "#" not in row["id"]])
    ).as_json()
    assert data["controls"] == {"english": {}, "plain": {}, "cells": {}, "attribution": {}}
    some = [row for row in rows if row["id"] != "sw0#en"]
    cell = evaluate(questions, dump(tmp_path / "some", some)).as_json()["controls"]["cells"]["sw"]
    assert (cell["pairs"], cell["only_local_right"]) == (4, 1)  # asked and missing is wrong


def test_three_causes(tmp_path: Path) -> None:
    questions, replies = files(tmp_path, {"sw": (4, 12, 0, 4), "ha": (10, 0, 0, 0)})
    plain = [question(f"p{language}{n}", language) for language in ("sw", "en", "yo") for n in range(10)]
    right = {"sw": 6, "en": 8, "yo": 1}
    said = [
        {"id": f"p{language}{n}", "text": "A" if n < right[language] else "B"}
        for language in right
        for n in range(10)
    ]
    data = evaluate(
        questions, replies, plain=dump(tmp_path / "p", plain), plain_replies=dump(tmp_path / "pr", said)
    ).as_json()
    # E = 16/20, P / P_en = 0.75: 0.8 x 0.25 = 0.2 of the 0.6 that only English gets right
    assert data["controls"]["attribution"] == {
        "sw": {
            "pairs": 20, "plain_questions": 10, "plain_accuracy": 0.6, "plain_accuracy_english": 0.8,
            "knowledge": 0.2, "plain_language": 0.2, "geographic_language": 0.4,
        }
    }  # fmt: skip
    assert data["controls"]["plain"]["lang / yo"]["accuracy"] == 0.1
    assert "lang / yo" not in data["summary"] and {row["language"] for row in data["ranking"]} == {"sw", "ha"}
    assert len(data["intake"]) == 2


def test_plain_questions_in_the_same_file(tmp_path: Path) -> None:
    questions, replies = files(tmp_path, {"sw": (1, 1, 0, 0)})
    own = [json.loads(line) for line in questions.read_text().splitlines()]
    said = [json.loads(line) for line in replies.read_text().splitlines()]
    own += [question("p", control="plain")]
    data = evaluate(
        dump(tmp_path / "q2", own), dump(tmp_path / "r2", [*said, {"id": "p", "text": "B"}])
    ).as_json()
    assert data["summary"]["all"]["total"] == 2
    cause = data["controls"]["attribution"]["sw"]
    assert (cause["plain_accuracy_english"], cause["plain_language"], cause["geographic_language"]) == (
        None,
        0.5,
        0.0,
    )
