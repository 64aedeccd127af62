"""Many replies scored at once get the rows that each gets alone: over all cases, and over a mixture in 17 languages."""

from __future__ import annotations

import importlib
import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from multiglobeqa import answers
from multiglobeqa.answers import AliasIndex, Reply
from multiglobeqa.build.schema import QUESTION_SCHEMA
from multiglobeqa.evaluate.predictions import record
from multiglobeqa.evaluate.predictions.record import Record, tables
from multiglobeqa.evaluate.scoring import Outcome, Scorer, pipeline
from multiglobeqa.evaluate.scoring.schema import USED
from multiglobeqa.evaluate.scoring.single import predicted

HERE = Path(__file__).resolve()
CASES = HERE.parents[1] / "answers" / "cases"
sys.path.insert(0, str(HERE.parents[2] / "benchmarks"))

reply_mixture: Any = importlib.import_module("reply_mixture")
KINDS, LANGUAGES, mixture = reply_mixture.KINDS, reply_mixture.LANGUAGES, reply_mixture.mixture

COLUMNS = Outcome._fields
FILES = ("hand_table", "numbers", "tolerances", "points", "polygons", "grids", "names", "others")


def load(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (CASES / f"{name}.jsonl").read_text("utf-8").splitlines()]


def question(case: dict[str, Any], number: int) -> dict[str, Any]:
    """A row of the question table for a case; false premise where it has no gold."""
    given = case.get("question", {})
    row: dict[str, Any] = {
        "id": f"c{number:04d}", "kg": "cases", "subtemplate": "X01.a", "template": "X01", "language": "eng",
        "accepted_iris": [], "entities": [], "roles": "{}", "slips": "{}", **given,
    }  # fmt: skip
    row["params"] = json.dumps(given.get("params", {}))
    row["accepted"] = [
        value if isinstance(value, str) else json.dumps(value) for value in given.get("accepted") or ()
    ]
    for name in ("roles", "slips"):
        if not isinstance(row[name], str):
            row[name] = json.dumps(row[name])
    row["format"] = case["format"]
    row["premise"] = case.get("gold") is not None
    row["gold"] = json.dumps(case["gold"]) if row["premise"] else None
    return row


def table(rows: Sequence[dict[str, Any]]) -> pa.Table:
    names = [name for name in USED if any(name in row for row in rows)]
    texts = [name for name in ("options", "labels", "origins") if name in names]
    fields = [QUESTION_SCHEMA.field(name).with_nullable(True) for name in names if name not in texts]
    schema = pa.schema([*fields, *(pa.field(name, pa.list_(pa.string())) for name in texts)])
    return pa.Table.from_pylist([{name: row.get(name) for name in schema.names} for row in rows], schema)


def alone(row: dict[str, Any], one: Record, names: AliasIndex | None, credit: str) -> Outcome:
    asked = {**row, "language": one.language or row["language"]}
    fmt = answers.get(row["format"], names=names, h3_credit=credit)
    return predicted(asked, fmt, one.kind, one.body, one.reason, one.otherwise)


def differences(
    rows: Sequence[dict[str, Any]],
    replies: Sequence[tuple[int, Record]],
    names: AliasIndex | None,
    credit: str,
) -> list[str]:
    """Replies (row of the question, record) whose outcome at once differs from that alone."""
    questions = [number for number, _ in replies]
    predictions = pa.concat_tables(tables(one for _, one in replies))
    predictions = predictions.append_column("question", pa.array(questions, pa.int64()))
    scorer = Scorer(table(rows), {"cases": names} if names else {}, credit)
    found = scorer.score(predictions)
    at_once = zip(*(found[name].to_pylist() for name in COLUMNS), strict=True)
    wrong = []
    for (number, one), got in zip(replies, at_once, strict=True):
        expected = alone(rows[number], one, names, credit)
        if tuple(got) != tuple(expected):
            wrong.append(
                f"{rows[number]['format']} {one.language} {one.body!r}: {got} is not {tuple(expected)}"
            )
    return wrong


def records(identity: str, value: Any, languages: Sequence[str]) -> list[Record]:
    """A case's value as an answer, as a text with the answer, and as a raw text."""
    found = []
    for language in languages:
        bodies = [
            record.answer_body(value)[:2],
            record.text_body(json.dumps({"answer": value, "declined": False})),
        ]
        bodies += [record.text_body(json.dumps({"answer": value}, ensure_ascii=False))]
        bodies += [record.text_body(value), (record.LOOSE, value)] if isinstance(value, str) else []
        found += [Record(0, identity, False, language, "", "", 0, kind, body) for kind, body in bodies]
    return [one for one in found if one.kind != record.LOOSE or "\ud800" not in str(one.body)]


@pytest.mark.parametrize("credit", ["geometric", "paper", "none"])
def test_all_cases(credit: str) -> None:
    """Each value of each case file, to its own question, in its own language and in two others."""
    cases = [case for name in FILES for case in load(name)]
    labels = {tuple(row) for case in cases for row in case.get("labels") or ()}
    names = AliasIndex.from_rows(sorted(labels))
    rows = [question(case, number) for number, case in enumerate(cases)]
    replies = []
    for number, (row, case) in enumerate(zip(rows, cases, strict=True)):
        value = case.get("value", case.get("reply"))
        if "reply" in case and value is not None:
            kind, body = record.text_body(value)
            replies.append((number, Record(0, row["id"], False, row["language"], "", "", 0, kind, body)))
        if value is not None:
            replies += [(number, one) for one in records(row["id"], value, (row["language"], "deu", "tur"))]
    assert len(replies) > 4_000
    assert {row["format"] for row in rows} >= set(answers.FORMATS) - {"choice"}
    assert differences(rows, replies, names, credit) == []


def test_all_texts_of_replies() -> None:
    """The texts of the reply and refusal cases, and what the runner states, to a question of each format."""
    hand = [case for case in load("hand_table") if case["gold"] is not None]
    rows = [question(case, number) for number, case in enumerate(hand)]
    firsts = {row["format"]: number for number, row in reversed(list(enumerate(rows)))}
    texts = [case["text"] for name in ("replies", "refusals") for case in load(name)]
    languages = [*(case.get("language", "eng") for name in ("replies", "refusals") for case in load(name))]
    replies = []
    for number in firsts.values():
        for text, language in zip(texts, languages, strict=True):
            kind, body = record.text_body(text) if text else (record.EMPTY, None)
            for otherwise in (0, record.BUDGET):
                one = Record(0, rows[number]["id"], False, language, "", "", 0, kind, body, "", otherwise)
                replies.append((number, one))
        stated = (record.BUDGET, record.OVERFLOW, record.HARNESS, record.DECLINED, record.BAD)
        replies += [(number, Record(0, "x", False, "eng", "", "", 0, kind, None, "why")) for kind in stated]
    assert len(replies) > 3_000
    assert differences(rows, replies, None, "geometric") == []


@pytest.fixture(scope="module")
def mixed() -> tuple[list[dict[str, Any]], list[tuple[int, Record]], AliasIndex]:
    """20,000 replies to the questions of the hand table, in 17 languages."""
    hand = load("hand_table")
    rows = [question(case, number) for number, case in enumerate(hand) if case["format"] != "choice"]
    names = AliasIndex.from_rows(sorted({tuple(row) for case in hand for row in case.get("labels") or ()}))
    number = {row["id"]: at for at, row in enumerate(rows)}
    replies: list[tuple[int, Record]] = []
    seed = 0
    while len(replies) < 20_000:
        for one in mixture(rows, seed=seed):
            kind, body = record.text_body(one["text"])
            reply = Record(0, one["id"], False, one["language"], "m", "", seed, kind, body)
            replies.append((number[one["id"]], reply))
        seed += 1
    return rows, replies, names


def test_a_mixture_of_20_000_replies(
    mixed: tuple[list[dict[str, Any]], list[tuple[int, Record]], AliasIndex],
) -> None:
    rows, replies, names = mixed
    assert {one.language for _, one in replies} == set(LANGUAGES)
    assert sum(KINDS.values()) == 100
    assert differences(rows, replies, names, "geometric") == []


def test_processes_give_what_one_gives(
    mixed: tuple[list[dict[str, Any]], list[tuple[int, Record]], AliasIndex], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, replies, _ = mixed
    some = sorted(replies[:2_000], key=lambda pair: pair[0])
    predictions = pa.concat_tables(tables(one for _, one in some))
    predictions = predictions.append_column("question", pa.array([number for number, _ in some], pa.int64()))
    whole = pa.concat_tables(pipeline.scored(table(rows), predictions, {}, threads=1))
    monkeypatch.setattr(pipeline, "CHUNK", 300)
    monkeypatch.setattr(pipeline, "ALONE", 500)
    parts = list(pipeline.scored(table(rows), predictions, {}, threads=2))
    assert len(parts) == 7
    assert pa.concat_tables(parts).equals(whole)
    cut = list(pipeline.chunks(predictions))
    assert sum(size for _, size in cut) == 2_000
    numbers = predictions["question"].to_pylist()
    assert all(numbers[start - 1] != numbers[start] for start, _ in cut[1:]), (
        "a question's replies stay together"
    )


def test_a_gold_that_is_not_canonical_is_named() -> None:
    from multiglobeqa.errors import InputError
    from multiglobeqa.evaluate import score

    cases: list[dict[str, Any]] = [{"format": "distance", "gold": 5}, {"format": "point", "gold": {"lat": 1}}]
    for case, value in zip(cases, (5, {"lat": 1, "lon": 2}), strict=True):
        rows = table([question(case, 0)])
        with (
            pytest.raises(InputError, match="questions:c0000: gold")
            if case["format"] == "point"
            else _nothing()
        ):
            assert score(rows, {"c0000": Reply("answered", value)})["em"].to_pylist() == [1]


def _nothing() -> Any:
    from contextlib import nullcontext

    return nullcontext()


def test_what_a_mixture_ends_in(
    mixed: tuple[list[dict[str, Any]], list[tuple[int, Record]], AliasIndex],
) -> None:
    rows, replies, names = mixed
    ends = Counter(alone(rows[number], one, names, "geometric").status for number, one in replies[:3000])
    assert min(ends["answered"], ends["declined"], ends["unparseable"]) > 100
