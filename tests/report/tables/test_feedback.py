"""Feedback: training questions for weak cells, and never a test question."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from multiglobeqa.errors import InputError
from multiglobeqa.report.feedback import write_feedback
from multiglobeqa.report.tables import Study, open_study

Make = Callable[..., Path]
Question = Callable[..., dict[str, Any]]


@pytest.fixture
def weak(tmp_path: Path, bench: Path, scored: Callable[..., Any], make_scores: Make) -> Study:
    """EM 62.5; weak are A in both regions, and J in Western Europe: see test_own_tables."""
    rows = scored("m", "T1", {"A": 0, "C": 20, "H": 20, "J": 10})
    return open_study([make_scores(tmp_path / "r.parquet", rows)], bench, draws=200)


def _train(make_question: Question) -> list[dict[str, Any]]:
    rows = [
        make_question(f"t{family}{number:014d}", family, number)
        for family in "ACJ"
        for number in (1, 3, 12, 14)
    ]
    rows += [
        make_question("tz00000000000001", "A", 5, premise=False),
        make_question("tz00000000000002", "A", 5, image=True),
        make_question("tz00000000000003", "A", 5, language="fra"),
    ]
    return rows


def test_questions_of_the_weak_cells_are_written(
    tmp_path: Path, bench: Path, weak: Study, make_question: Question, make_benchmark: Make
) -> None:
    train = make_benchmark(tmp_path / "train", _train(make_question))
    result = write_feedback(weak, bench, train, tmp_path / "out")
    rows = [
        json.loads(line) for line in (tmp_path / "out" / "questions.jsonl").read_text("utf-8").splitlines()
    ]
    # A 1, 3 (Middle Africa), 12, 14 (Western Europe); J 12, 14; no C, no false premise, no image, no French.
    assert sorted(row["id"] for row in rows) == [
        *(f"tA{number:014d}" for number in (1, 3, 12, 14)), *(f"tJ{number:014d}" for number in (12, 14)),
    ]  # fmt: skip
    summary = json.loads((tmp_path / "out" / "summary.json").read_text("utf-8"))
    for row in rows:
        for number in row["cells"]:
            cell = summary["cells"][number]
            assert (cell["language"], cell["region"]) == ("eng", row["subregion"])
            assert cell["value"] == row[cell["kind"]]
        assert len(row["cells"]) == 2  # by family and by type
    first = next(row for row in rows if row["id"] == f"tA{1:014d}")
    assert (first["gold"], first["format"], first["unit"]) == (15.0, "distance", "km")
    assert first["triples"] == ["<urn:a0> <urn:b> <urn:c> .", "<urn:a1> <urn:b> <urn:c> ."]
    triples = (tmp_path / "out" / "triples.nt").read_text("utf-8").splitlines()
    assert triples == [f"<urn:a{number}> <urn:b> <urn:c> ." for number in range(4)]
    assert (result.questions, result.triples, result.empty, len(result.cells)) == (6, 4, 0, 6)
    assert (summary["cells_weak"], summary["cells_tested"], summary["questions"]) == (6, 16, 6)
    assert all(cell["high"] < cell["overall"] == 0.625 for cell in summary["cells"])
    assert summary["scope"][-1].startswith("A score is not readiness")


def test_no_more_than_asked_for_and_empty_cells_are_counted(
    tmp_path: Path, bench: Path, weak: Study, make_question: Question, make_benchmark: Make
) -> None:
    rows = [row for row in _train(make_question) if not row["id"].startswith("tJ")]
    train = make_benchmark(tmp_path / "train", rows)
    result = write_feedback(weak, bench, train, tmp_path / "out", most=1)
    written = [
        json.loads(line)["id"]
        for line in (tmp_path / "out" / "questions.jsonl").read_text("utf-8").splitlines()
    ]
    assert sorted(written) == [f"tA{1:014d}", f"tA{12:014d}"]
    assert [(one.found, one.written) for one in result.cells if one.cell.value in ("A", "numeric")] == [
        (2, 1)
    ] * 4
    assert result.empty == 2
    with pytest.raises(InputError, match="0 questions a cell are too few"):
        write_feedback(weak, bench, train, tmp_path / "out", most=0)


def test_test_questions_are_refused(
    tmp_path: Path, bench: Path, weak: Study, make_question: Question, make_benchmark: Make
) -> None:
    with pytest.raises(InputError, match="94 of 94 questions are test questions"):
        write_feedback(weak, bench, bench, tmp_path / "out")
    clean = _train(make_question)
    worded = {**clean[0], "question_en": "Question 3 of A (A000000000000003)?"}
    one = make_benchmark(tmp_path / "worded", [worded, *clean[1:]])
    with pytest.raises(InputError, match=r"worded:tA00000000000001: 1 of 15 questions are test questions"):
        write_feedback(weak, bench, one, tmp_path / "out")
    about = {**clean[1], "entities": ["urn:C000000000000007"]}
    two = make_benchmark(tmp_path / "entities", [clean[0], about, *clean[2:]])
    with pytest.raises(
        InputError, match=r"1 of 15 questions are about entities of the test.*--disjoint-entities-from"
    ):
        write_feedback(weak, bench, two, tmp_path / "out")
    assert not (tmp_path / "out").exists()
