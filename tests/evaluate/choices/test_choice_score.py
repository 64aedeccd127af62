"""Scoring files: replies in 19 languages, every status, the article's form of the result."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from multiglobeqa.errors import InputError
from multiglobeqa.evaluate.choices import evaluate, write_result
from multiglobeqa.evaluate.choices.items import Item
from multiglobeqa.evaluate.choices.languages import read_language
from multiglobeqa.evaluate.choices.score import score_one
from multiglobeqa.evaluate.choices.summary import baselines, grouped, position_bias

OPTIONS = ["Kisumu", "Kampala", "Mwanza", "Entebbe"]
REPLIES = {  # right, wrong letter, refusal, not to be read; the right one is C
    "en": ("The answer is C.", "B. Kampala", "I don't know.", "B or C"),
    "sq": ("Përgjigja është C.", "B", "Nuk e di.", "B ose C"),
    "bg": ("Отговор: В", "Б", "Не знам.", "Б или В"),
    "zh": ("答案是C。", "选B", "我不知道。", "B或C"),
    "fr": ("Réponse : C", "B.", "Je ne sais pas.", "B ou C"),
    "ka": ("პასუხი: გ", "ბ", "არ ვიცი.", "ბ ან გ"),
    "de": ("Antwort: Mwanza", "(b)", "Ich weiß es nicht.", "B oder C"),
    "el": ("Γ", "Β.", "Δεν ξέρω.", "Β ή Γ"),
    "it": ("Risposta: C", "B) Kampala", "Non lo so.", "B o C"),
    "ja": ("ウ", "イ", "わかりません。", "イかウ"),
    "pt": ("Resposta: C", "alternativa B", "Não sei.", "B ou C"),
    "ro": ("Răspuns: C", "varianta 2", "Nu știu.", "B sau C"),
    "ru": ("Ответ: С", "В", "Я не знаю.", "В или С"),
    "es": ("Respuesta: C", "opción B", "No lo sé.", "B o C"),
    "tr": ("Cevap: C", "B şıkkı", "Bilmiyorum.", "B veya C"),
    "ur": ("جواب: ج", "ب", "مجھے نہیں معلوم۔", "ب یا ج"),
    "vi": ("Đáp án: C", "B", "Tôi không biết.", "B hoặc C"),
    "sw": ("Jibu: C", "B", "Sijui.", "B au C"),
    "ha": ("Amsa: C", "B", "Ban sani ba.", "B ko C"),
}
TYPES = ("fact_retrieval", "spatial_relation")


def dump(path: Path, rows: list[Any]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    questions, replies = [], []
    for language, texts in REPLIES.items():
        for number, text in enumerate((*texts, None)):
            name = f"{language}{number}"
            questions.append({
                "id": name, "language": language, "question": "?", "options": OPTIONS, "answer_index": 2,
                "question_type": TYPES[number % 2], "region": "East Africa",
            })  # fmt: skip
            if text is not None:
                replies.append({"id": name, "prediction": text})
    return dump(tmp_path / "q.jsonl", questions), dump(tmp_path / "r.jsonl", replies)


def test_nineteen_languages(files: tuple[Path, Path], tmp_path: Path) -> None:
    result = evaluate(*files)
    for language in REPLIES:
        rows = [row for row in result.rows if row.item.language.tag == language]
        assert [row.status for row in rows] == [
            "answered",
            "answered",
            "declined",
            "unparseable",
            "missing",
        ], language
        assert [row.place for row in rows] == [2, 1, None, None, None], language
        assert [row.correct for row in rows] == [True, False, False, False, False]
    data = result.as_json()
    assert data["summary"]["all"] == {"accuracy": 0.2, "correct": 19, "total": 95, "failures": 19}
    assert data["summary"]["lang / sw"] == {"accuracy": 0.2, "correct": 1, "total": 5, "failures": 1}
    assert data["summary"]["type / fact_retrieval"]["total"] == 57
    assert data["summary"]["region / East Africa"]["total"] == 95
    assert data["summary"]["lang / sw / type / spatial_relation"] == {
        "accuracy": 0.0, "correct": 0, "total": 2, "failures": 0
    }  # fmt: skip
    assert data["outcomes"]["lang / ka"] == {
        "total": 5, "answered": 2, "refusals": 1, "parse_failures": 1, "failures": 1, "flagged": 0, "accuracy_answered": 0.5,
    }  # fmt: skip
    assert data["detail"][0] | {"rule": None, "reason": ""} == {
        "id": "en0", "language": "en", "question_type": "fact_retrieval", "region": "East Africa",
        "prediction": "The answer is C.", "correct": True, "status": "answered", "answered_index": 2, "answer_index": 2,
        "original_index": 2, "flagged": False, "rule": None, "reason": "", "confidence": None, "option_mass": None,
        "unlisted_options": None,
    }  # fmt: skip
    write_result(tmp_path / "eval_result.json", result)
    assert json.loads((tmp_path / "eval_result.json").read_text("utf-8")) == json.loads(json.dumps(data))
    again = evaluate(files[0], tmp_path / "eval_result.json")  # the article's file is a replies file as well
    assert [row.correct for row in again.rows] == [row.correct for row in result.rows]


def test_english_is_not_ranked(files: tuple[Path, Path]) -> None:
    ranking = evaluate(*files).as_json()["ranking"]
    assert len(ranking) == 18 and {row["place"] for row in ranking} == {1}
    assert "en" not in {row["language"] for row in ranking}


def test_intake_names_what_it_cannot_use(files: tuple[Path, Path], tmp_path: Path) -> None:
    lines = files[1].read_bytes().splitlines()[:8]
    extra = [
        {"id": "nobody", "text": "A"}, {"text": "A"}, {"id": "en0", "prediction": "The answer is C."},
        {"id": "en1", "prediction": "C"}, {"id": "en2", "language": "fr", "text": "A"}, {"id": "en3", "language": "English"},
    ]  # fmt: skip
    path = tmp_path / "r2.jsonl"
    path.write_bytes(
        b"\n".join([*lines, *(json.dumps(row).encode() for row in extra), b'{"id": "\xff"}', b'{"id": "en'])
    )
    result = evaluate(files[0], path)
    (intake,) = result.intakes
    assert (intake.read, intake.used, intake.repeated, intake.replaced, intake.unknown, intake.broken) == (
        16,
        8,
        1,
        1,
        4,
        2,
    )
    assert len(intake.named) == 7 and "r2.jsonl:9: nobody" in " ".join(intake.named)
    by_id = {row.item.id: row for row in result.rows}
    assert by_id["en1"].correct  # the last of two differing replies
    assert len(result.rows) == 95 and sum(row.status == "missing" for row in result.rows) == 87


def test_no_reply_to_any_question_is_an_error(files: tuple[Path, Path], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no reply to a question"):
        evaluate(files[0], dump(tmp_path / "x.jsonl", [{"id": "x", "text": "A"}]))
    with pytest.raises(InputError, match="does not exist"):
        evaluate(files[0], tmp_path / "none.jsonl")
    controls = dump(
        tmp_path / "c.jsonl",
        [
            {
                "id": "p",
                "language": "sw",
                "question": "?",
                "options": OPTIONS,
                "answer_index": 0,
                "control": "plain",
            }
        ],
    )
    with pytest.raises(InputError, match="control questions only"):
        evaluate(controls, files[1])


def test_disputed_items_are_set_aside_and_named(tmp_path: Path) -> None:
    rows = [
        {"id": name, "language": "sw", "question": "?", "options": options, "answer_index": 0}
        for name, options in (("a", OPTIONS), ("b", ["x", "X", "y"]))
    ]
    result = evaluate(
        dump(tmp_path / "q", rows), dump(tmp_path / "r", [{"id": name, "text": "A"} for name in "ab"])
    )
    data = result.as_json()
    assert data["questions"]["disputed"] == ["b"] and data["summary"]["all"]["total"] == 1
    assert data["intake"][0]["aside"] == 1 and data["intake"][0]["unknown"] == 0


ITEM = Item("q", read_language("sw"), "?", tuple(OPTIONS), 2)


@pytest.mark.parametrize(
    ("row", "status", "place"),
    [
        (None, "missing", None),
        ({"text": "C"}, "answered", 2),
        ({"text": ""}, "unparseable", None),
        ({"text": None}, "harness", None),
        ({}, "harness", None),
        ({"error": "timeout"}, "harness", None),
        ({"status": "budget", "text": "C"}, "budget", None),
        ({"status": "overflow"}, "overflow", None),
        ({"status": "answered", "text": "C"}, "answered", 2),
        ({"status": "declined"}, "declined", None),
        ({"declined": True, "reason": "no"}, "declined", None),
        ({"answer": "Mwanza"}, "answered", 2),
        ({"answer": 3}, "answered", 2),
        ({"response": 3}, "answered", 2),
        ({"answer": "Nairobi"}, "unparseable", None),
        ({"text": '{"answer": "C", "declined": false}'}, "answered", 2),
        ({"logprobs": {"A": -3.0, "C": -0.1}}, "answered", 2),
        ({"logprobs": {"A": -1.0, "C": -1.0}}, "harness", None),
        ({"text": "A", "logprobs": {"A": -3.0, "C": -0.1}}, "answered", 0),
    ],
)
def test_statuses(row: dict[str, Any] | None, status: str, place: int | None) -> None:
    scored = score_one(ITEM, row)
    assert (scored.status, scored.place, scored.correct) == (status, place, place == 2)
    assert scored.failed == (status in ("missing", "harness", "budget", "overflow"))


def test_a_wrong_status_is_an_error() -> None:
    with pytest.raises(InputError, match="status 'done' is not known"):
        score_one(ITEM, {"status": "done"})


def test_text_against_letter_is_flagged() -> None:
    scored = score_one(ITEM, {"text": "B. Mwanza"})
    assert scored.correct and scored.flagged and not score_one(ITEM, {"text": "C. Mwanza"}).flagged


def items_with(places: list[int]) -> list[Item]:
    return [Item(f"q{n}", read_language("sw"), "?", tuple(OPTIONS), place) for n, place in enumerate(places)]


def test_baselines_and_chance() -> None:
    items = items_with([0, 0, 1, 2])
    items.append(Item("two", read_language("sw"), "?", ("x", "y"), 1))
    assert baselines(items) == {
        "chance": 0.3, "always": {"A": 0.4, "B": 0.4, "C": 0.2, "D": 0.0}, "best_letter": {"A": 0.4}
    }  # fmt: skip


def test_a_preference_for_a_letter_shows() -> None:
    items = items_with([n % 4 for n in range(200)])
    biased = position_bias(
        [
            score_one(item, {"text": "A" if n % 3 else "ABCD"[item.answer_index]})
            for n, item in enumerate(items)
        ]
    )
    assert biased["letters"]["A"]["answered"] > 0.7 and biased["p"] < 1e-6
    assert biased["letters"]["A"]["accuracy"] == 1.0
    fair = position_bias(
        [score_one(item, {"text": "ABCD"[(item.answer_index + n // 4) % 4]}) for n, item in enumerate(items)]
    )
    assert fair["p"] > 0.5 and fair["wrong_answers"] == 148
    assert position_bias([]) == {"answered": 0, "letters": {}, "wrong_answers": 0, "p": None}
    assert position_bias([score_one(items[0], None)])["letters"] == {}
    assert position_bias([score_one(items[0], {"text": "B"})])["p"] is None


def test_groups_have_items() -> None:
    groups = grouped([score_one(ITEM, None)])
    assert list(groups) == ["all", "lang / sw", "type / unknown", "region / unknown", "lang / sw / type / unknown",
                            "lang / sw / region / unknown", "type / unknown / region / unknown"]  # fmt: skip
