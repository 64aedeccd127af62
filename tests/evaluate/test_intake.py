"""Which reply a question gets, and that nothing leaves a denominator unseen."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from multiglobeqa.errors import InputError
from multiglobeqa.evaluate.predictions import Asked, Taken, open_predictions, take
from multiglobeqa.evaluate.predictions.record import MISSING

IDS = ["q1", "q2", "q3", "q4"]
QUESTIONS = pa.table({"id": IDS, "language": ["eng"] * 4})
TWO = pa.table({"id": [*IDS, *IDS[:2]], "language": ["eng"] * 4 + ["deu"] * 2})
ALL = [{"id": identity, "answer": number} for number, identity in enumerate(IDS)]


def taken(
    folder: Path, rows: Iterable[dict[str, Any] | str], questions: pa.Table = QUESTIONS, **options: Any
) -> Taken:
    file = folder / "p.jsonl"
    file.write_text(
        "".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows), "utf-8"
    )
    return take(open_predictions(file), questions, **options)


def replies(found: Taken) -> list[tuple[str, str, str | None]]:
    """(id, language, body); the body of a missing one is "-"."""
    return [
        (row["id"], row["language"], "-" if row["kind"] == MISSING else row["body"])
        for row in found.table.to_pylist()
    ]


def check_sum(found: Taken) -> None:
    """Every reply read is scored or counted; every question asked has one row."""
    count = found.intake.count
    assert found.intake.read == found.intake.scored + sum(
        map(count, ("unknown", "conflicting", "identical", "attempts", "not asked"))
    )
    assert found.intake.questions == found.table.num_rows == found.intake.scored + count("missing")


def test_a_whole_file(tmp_path: Path) -> None:
    found = taken(tmp_path, reversed(ALL))
    assert replies(found) == [(identity, "eng", str(number)) for number, identity in enumerate(IDS)]
    assert found.intake.counts == {}
    assert found.intake.lines() == [
        "4 replies read (JSON Lines), 4 scored; all questions are in the denominator."
    ]
    check_sum(found)


def test_missing_questions_stay_in_the_denominator(tmp_path: Path) -> None:
    found = taken(tmp_path, ALL[:2])
    assert replies(found)[2:] == [("q3", "eng", "-"), ("q4", "eng", "-")]
    assert found.intake.named["missing"] == ["q3 (eng)", "q4 (eng)"]
    check_sum(found)


def test_unknown_ids_are_named(tmp_path: Path) -> None:
    found = taken(tmp_path, [*ALL, {"id": "zzz", "answer": 1}])
    assert found.intake.named["unknown"] == ["5: zzz"]
    check_sum(found)


def test_twenty_are_named_and_all_are_counted(tmp_path: Path) -> None:
    rows: list[dict[str, Any] | str] = [*ALL, *({"id": f"z{n}", "answer": 1} for n in range(50)), *["{"] * 30]
    found = taken(tmp_path, rows)
    assert (found.intake.count("unknown"), found.intake.count("broken")) == (50, 30)
    assert len(found.intake.named["unknown"]) == len(found.intake.named["broken"]) == 20
    assert any("and 45 more" in line for line in found.intake.lines())
    check_sum(found)


def test_nothing_of_this_benchmark(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none of its 1 replies .* 1: zzz.*Its ids look like q1"):
        taken(tmp_path, [{"id": "zzz", "answer": 1}])
    with pytest.raises(InputError, match=r"holds no reply. Line 1: is not JSON"):
        taken(tmp_path, ["{"])


def test_duplicates(tmp_path: Path) -> None:
    found = taken(tmp_path, [*ALL, ALL[0], {"id": "q2", "answer": 7}, ALL[1]])
    assert replies(found)[1] == ("q2", "eng", "1"), "the first counts"
    assert found.intake.named["identical"] == ["5: q1 again after line 1", "7: q2 again after line 2"]
    assert found.intake.named["conflicting"] == ["6: q2 again after line 2"]
    check_sum(found)
    with pytest.raises(InputError, match=r"conflicting: .*5: q2 again"):
        taken(tmp_path, [*ALL, {"id": "q2", "answer": 7}], strict=True)
    taken(tmp_path, [*ALL, ALL[0]], strict=True)


def test_attempts_of_a_run_log(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"id": "q1", "attempt": 1, "status": "harness", "final": False},
        {"id": "q1", "attempt": 2, "text": "final", "final": True},
        {"id": "q1", "attempt": 3, "text": "not final", "final": False},
        {"id": "q2", "attempt": 2, "text": "second"},
        {"id": "q2", "attempt": 1, "text": "first"},
        {"id": "q3", "final": True, "text": "a"},
        {"id": "q3", "final": True, "text": "b"},
        {"id": "q4", "text": "x"},
    ]
    found = taken(tmp_path, rows)
    assert [body for _, _, body in replies(found)] == ["final", "second", "b", "x"]
    assert found.intake.count("attempts") == 4
    check_sum(found)


def test_one_file_of_many_seeds_models_and_tiers(tmp_path: Path) -> None:
    rows = [
        {**row, "seed": seed, "model": model} for seed in (0, 1) for model in "ab" for row in ALL[: 4 - seed]
    ]
    found = taken(tmp_path, rows)
    assert found.table.num_rows == 16
    assert found.intake.count("missing") == 2
    assert found.intake.named["missing"] == ["q4 (eng, a, 1)", "q4 (eng, b, 1)"]
    check_sum(found)


def test_languages_that_the_benchmark_has_and_has_not(tmp_path: Path) -> None:
    rows = [{**row, "language": "eng"} for row in ALL] + [
        {**ALL[0], "language": "de"},
        {**ALL[3], "language": "fra"},
    ]
    found = taken(tmp_path, rows, TWO)
    asked = {(identity, language) for identity, language, _ in replies(found)}
    assert asked == {(i, "eng") for i in IDS} | {("q1", "deu"), ("q2", "deu")} | {(i, "fra") for i in IDS}
    assert found.intake.count("missing") == 1 + 3
    question = {(row["id"], row["language"]): row["question"] for row in found.table.to_pylist()}
    assert (question["q1", "eng"], question["q1", "deu"], question["q1", "fra"]) == (0, 4, 0)
    check_sum(found)


def test_languages_without_a_reply_are_told(tmp_path: Path) -> None:
    found = taken(tmp_path, [{**row, "language": "eng"} for row in ALL], TWO)
    assert found.intake.asked.endswith("none in deu")
    assert not found.intake.restricted
    whole = taken(tmp_path, [{**row, "language": "eng"} for row in ALL], TWO, asked=Asked("all"))
    assert whole.intake.named["missing"] == ["q1 (deu)", "q2 (deu)"]
    check_sum(whole)


def test_replies_that_state_no_language(tmp_path: Path) -> None:
    found = taken(tmp_path, ALL, TWO)
    assert found.intake.count("unknown") == 2, "q1 and q2 stand in two languages, q3 and q4 in one"
    assert "states no language" in found.intake.named["unknown"][0]
    assert [row for row in replies(found) if row[2] != "-"] == [("q3", "eng", "2"), ("q4", "eng", "3")]
    check_sum(found)
    named = taken(tmp_path, ALL, TWO, language="deu")
    assert [row[1] for row in replies(named) if row[2] != "-"] == ["deu"] * 4
    with pytest.raises(InputError, match="Name the language with --language"):
        taken(tmp_path, ALL[:2], TWO)


def test_ids_that_are_numbers(tmp_path: Path) -> None:
    questions = pa.table({"id": ["0000000000000042", "77", "1234567890123456"], "language": ["eng"] * 3})
    rows: list[dict[str, Any]] = [
        {"id": 42, "answer": 1},
        {"id": 77, "answer": 2},
        {"id": 1234567890123456.0, "answer": 3},
    ]
    found = taken(tmp_path, rows, questions)
    assert [body for _, _, body in replies(found)] == ["1", "2", "3"]
    assert found.intake.count("number") == 3
    assert found.table["id"].to_pylist() == questions["id"].to_pylist()


def test_null_replies_are_counted(tmp_path: Path) -> None:
    found = taken(tmp_path, [*ALL[:3], {"id": "q4", "text": None}])
    assert found.intake.named["null"] == ["4: q4"]
    assert found.intake.scored == 4


def test_a_restricted_denominator_says_so(tmp_path: Path) -> None:
    answered = taken(tmp_path, ALL[:2], asked=Asked.parse("answered"))
    assert answered.table.num_rows == 2
    assert answered.intake.restricted
    assert "only questions with a reply" in answered.intake.lines()[0]
    listed = tmp_path / "asked.txt"
    listed.write_text('id\nq1\n{"id": "q3", "language": "eng"}\n\n', "utf-8")
    found = taken(tmp_path, ALL[:2], asked=Asked.parse(listed))
    assert replies(found) == [("q1", "eng", "0"), ("q3", "eng", "-")]
    assert found.intake.named["not asked"] == ["2: q2"]
    assert "only the 2 questions of asked.txt" in found.intake.asked
    check_sum(found)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("zzz\n", "asked.txt:zzz: is no question"),
        ("", "does not exist|names no question"),
        ("{\n", "names no question"),
    ],
)
def test_lists_of_questions_that_are_none(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "asked.txt").write_text(content, "utf-8")
    with pytest.raises(InputError, match=message):
        taken(tmp_path, ALL, asked=Asked.parse(tmp_path / "asked.txt"))


def test_the_order_of_the_file_does_not_matter(tmp_path: Path) -> None:
    rows = [{**row, "seed": seed} for row in ALL for seed in (0, 1)]
    first, second = taken(tmp_path, rows).table, taken(tmp_path, list(reversed(rows))).table
    assert first.drop_columns("place").equals(second.drop_columns("place"))
