"""The reward is the evaluation's own score, for any reply; broken questions are told, broken replies are not."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

import multiglobeqa
from multiglobeqa.answers import AliasIndex
from multiglobeqa.errors import InputError
from multiglobeqa.evaluate import score_texts


def made(answer_format: str, gold: Any, **more: Any) -> dict[str, Any]:
    return {
        "id": "0" * 16,
        "kg": "worldkg",
        "format": answer_format,
        "gold": json.dumps(gold),
        "premise": True,
        "accepted": [],
        "accepted_iris": [],
        "entities": [],
        "params": "{}",
        "subtemplate": "A01.a",
        "language": "eng",
    } | more


def answer(value: Any) -> str:
    return "Let me see. " + json.dumps({"answer": value, "declined": False})


DECLINED = '{"answer": null, "declined": true, "reason": "no such place"}'
DISTANCE = made("distance", 100.0)
FALSE = made("distance", None) | {"premise": False, "gold": None}
BAD_REPLIES: list[Any] = [
    None,
    "",
    "It is near the river.",
    "<think>12.5",
    '{"answer": NaN}',
    '{"answer": 1, "answer": 2}',
    "[" * 200_000,
    b"bytes",
    object(),
    {1, 2},
    float("nan"),
    float("inf"),
    10**400,
    [],
    {},
    [[[]]],
    {"answer": object()},
    {"answer": None},
    {"answer": float("nan")},
    {"declined": "maybe"},
    {3: 4},
    [{"role": "assistant", "content": None}],
    [{"role": "assistant", "content": 7j}],
    "\ud800",
]


def test_same_as_the_scorer_for_every_question_and_reply(benchmark: Path) -> None:
    table = pq.read_table(benchmark / "questions.parquet")
    rows = table.to_pylist()
    golds = [json.loads(row["gold"]) for row in rows if row["gold"]]
    own = [answer(json.loads(row["gold"])) if row["gold"] else "nothing" for row in rows]
    others = [[answer(golds[(n + step) % len(golds)]) for n in range(len(rows))] for step in (1, 7, 20)]
    fixed = [[text] * len(rows) for text in (DECLINED, answer(17.25), "nothing")]
    right = 0
    for replies in (own, *others, *fixed):
        texts = dict(zip((row["id"] for row in rows), replies, strict=True))
        scores = {row["id"]: row for row in score_texts(table, texts).to_pylist()}
        for row in rows:
            scored, text = scores[row["id"]], texts[row["id"]]
            if row["premise"]:
                assert multiglobeqa.reward(row, text) == scored["em"]
                assert multiglobeqa.reward(row, text, shaped=True) == 1.0 - scored["ne"]
            else:
                assert multiglobeqa.reward(row, text) == float(scored["status"] == "declined")
            right += scored["em"]
    assert right > len(golds)


def test_loaded_rows_give_the_same(datasets: Any, released: Any, tmp_path: Path) -> None:
    loaded = datasets.load_dataset(str(released.path), "eng-small", split="test", cache_dir=str(tmp_path))
    for row in loaded:
        right = answer(json.loads(row["gold"])) if row["premise"] else DECLINED
        assert multiglobeqa.reward(row, right) == 1.0
        assert multiglobeqa.reward(row, DECLINED if row["premise"] else answer(1)) == 0.0
    batch = loaded[:]
    texts = [answer(json.loads(gold)) if gold else DECLINED for gold in batch["gold"]]
    assert multiglobeqa.rewards(texts, **batch) == [1.0] * loaded.num_rows


@pytest.mark.parametrize("shaped", [False, True])
def test_false_premise(shaped: bool) -> None:
    assert multiglobeqa.reward(FALSE, DECLINED, shaped=shaped) == 1.0
    assert multiglobeqa.reward(FALSE, {"declined": True, "answer": None}, shaped=shaped) == 1.0
    assert multiglobeqa.reward(FALSE, "I do not know.", shaped=shaped) == 1.0, "a refusal in words"
    for reply in (answer(100), "It is near the river.", None, {"answer": 5}, 5):
        assert multiglobeqa.reward(FALSE, reply, shaped=shaped) == 0.0


def test_exact_and_shaped() -> None:
    """Tolerance of a gold of 100 km: 5 km."""
    expected = {100: (1.0, 1.0), 104: (1.0, 0.2), 106: (0.0, 0.0), 200: (0.0, 0.0)}
    for value, (exact, shaped) in expected.items():
        assert multiglobeqa.reward(DISTANCE, answer(value)) == exact
        assert multiglobeqa.reward(DISTANCE, answer(value), shaped=True) == pytest.approx(shaped)
    three = made("set", ["Chad", "Mali", "Niger"])
    assert multiglobeqa.reward(three, answer(["Niger", "Chad"])) == 0.0
    assert multiglobeqa.reward(three, answer(["Niger", "Chad"]), shaped=True) == pytest.approx(2 / 3)


def test_forms_of_a_reply() -> None:
    for reply in (
        answer("101 km"),
        "101",
        101,
        101.0,
        {"answer": 101},
        [{"role": "user", "content": "How far?"}, {"role": "assistant", "content": answer(101)}],
    ):
        assert multiglobeqa.reward(DISTANCE, reply) == 1.0
    point = made("point", {"lat": 48.2, "lon": 16.4})
    assert multiglobeqa.reward(point, {"lat": 48.2, "lon": 16.4}) == 1.0
    assert multiglobeqa.reward(made("boolean", True), True) == 1.0
    assert multiglobeqa.reward(made("boolean", False), False) == 1.0
    assert multiglobeqa.reward(made("set", ["Chad"]), ["Chad"]) == 1.0
    assert multiglobeqa.reward(made("distance", 90.0, accepted=["300.0"]), 300) == 1.0


@pytest.mark.parametrize("reply", BAD_REPLIES, ids=lambda reply: repr(reply)[:30])
def test_bad_replies_earn_nothing(reply: Any) -> None:
    for question in (
        DISTANCE,
        FALSE,
        made("set", ["Chad"]),
        made("point", {"lat": 1.0, "lon": 2.0}),
        made("entity", "Chad"),
        made("polygon", {"west": 0.0, "south": 0.0, "east": 1.0, "north": 1.0}),
    ):
        for shaped in (False, True):
            assert multiglobeqa.reward(question, reply, shaped=shaped) == 0.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"gold": None}, "no canonical distance"),
        ({"gold": "{"}, "no canonical distance"),
        ({"gold": '"far"'}, "no canonical distance"),
        ({"gold": "-5"}, "no canonical distance"),
        ({"format": "length"}, "is not an answer format"),
        ({"format": ["distance"]}, "is no text"),
        ({"premise": None}, "neither true nor false"),
        ({"premise": "no"}, "neither true nor false"),
        ({"accepted": None}, "no canonical distance"),
        ({"accepted": ["{"]}, "no canonical distance"),
        ({"accepted_iris": None}, "no canonical distance"),
    ],
)
@pytest.mark.parametrize("reply", [answer(100), None])
def test_bad_questions_raise(change: dict[str, Any], message: str, reply: Any) -> None:
    with pytest.raises(InputError, match=message):
        multiglobeqa.reward(DISTANCE | change, reply)


@pytest.mark.parametrize("column", ["format", "gold", "premise", "accepted", "params", "entities"])
def test_missing_columns_raise(column: str) -> None:
    with pytest.raises(InputError, match=f"has no '{column}'"):
        multiglobeqa.reward({key: value for key, value in DISTANCE.items() if key != column}, "1")


def test_rows_of_arrays() -> None:
    """As pandas and the NumPy format of datasets give them."""
    row = DISTANCE | {"accepted": np.array(["300.0"]), "premise": np.True_}
    row |= {"accepted_iris": np.array([]), "entities": np.array([])}
    assert [multiglobeqa.reward(row, value) for value in (300, 100, 200)] == [1.0, 1.0, 0.0]


def test_names_resolve_with_an_alias_store() -> None:
    munich = made("entity", "Munich", accepted_iris=["urn:m"], entities=["urn:m", "urn:v"])
    names = AliasIndex.from_rows(
        [("urn:m", "Munich", "name"), ("urn:m", "München", "alias"), ("urn:v", "Wien", "name")]
    )
    assert multiglobeqa.reward(munich, answer("munich")) == 1.0
    assert multiglobeqa.reward(munich, answer("München")) == 0.0
    assert multiglobeqa.reward(munich, answer("München"), names=names) == 1.0
    assert multiglobeqa.reward(munich, answer("München"), names={"worldkg": names}) == 1.0
    assert multiglobeqa.reward(munich, answer("München"), names={"osmh3kg": names}) == 0.0
    assert multiglobeqa.reward(munich, answer("Wien"), names=names) == 0.0


def test_batches_as_trainers_call() -> None:
    rows = [DISTANCE, FALSE, made("boolean", True)]
    columns: dict[str, Any] = {name: [row[name] for row in rows] for name in DISTANCE}
    empty: dict[str, Any] = {name: [] for name in DISTANCE}
    replies = [[{"role": "assistant", "content": text}] for text in (answer(104), DECLINED, answer(False))]
    more: dict[str, Any] = {
        "prompts": ["a", "b", "c"],
        "trainer_state": object(),
        "completion_ids": [[1], [2], [3]],
    }
    assert multiglobeqa.rewards(replies, **columns, **more) == [1.0, 1.0, 0.0]
    assert multiglobeqa.rewards(replies, shaped=True, **columns, **more) == [pytest.approx(0.2), 1.0, 0.0]
    assert multiglobeqa.rewards([], **empty) == []
    with pytest.raises(InputError, match=r"no column 'gold' with 3 values.*remove_unused_columns"):
        multiglobeqa.rewards(replies, **{name: v for name, v in columns.items() if name != "gold"})


def test_loads_no_engine() -> None:
    code = (
        "import sys, multiglobeqa; multiglobeqa.reward; from multiglobeqa import rewards;"
        "print([m for m in ('duckdb', 'osmium', 'datasets', 'jinja2', 'multiglobeqa.engine') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_name_is_the_function() -> None:
    assert callable(multiglobeqa.reward) and callable(multiglobeqa.rewards)
    name = "penalty"
    with pytest.raises(AttributeError, match=name):
        getattr(multiglobeqa, name)
