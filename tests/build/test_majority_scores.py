"""TAXONOMY rule 14: the score of the most frequent answers stands in build.json and in what the build prints."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from multiglobeqa.build import BuildConfig, build
from multiglobeqa.build.schema import QUESTION_SCHEMA
from multiglobeqa.cli.build import show_benchmark
from multiglobeqa.evaluate.majority import by_family, majority_scores, summary
from multiglobeqa.kg.store import Snapshot
from multiglobeqa.report import open_benchmark
from multiglobeqa.report.stats import collect

SUBS = ["B02.b", "F01.c", "H03", "J04.a", "K01.a"]
"""Formats that have no tolerance: there a majority answer is right exactly where its own text stands."""


@pytest.fixture(scope="module")
def built(
    tmp_path_factory: pytest.TempPathFactory,
    make_snapshot: Callable[..., Snapshot],
    small_rows: list[dict[str, Any]],
) -> Path:
    snapshot = make_snapshot(tmp_path_factory.mktemp("kg"), small_rows).path
    out = tmp_path_factory.mktemp("majority")
    build(BuildConfig(out, [snapshot], threads=1, subtemplates=SUBS))
    return out


def test_build_json_holds_the_majority_scores(built: Path) -> None:
    golds: dict[str, Counter[str]] = defaultdict(Counter)
    for row in pq.read_table(built / "questions.parquet").to_pylist():
        if row["premise"] and row["modality"] == "text":
            golds[row["subtemplate"]][row["gold"]] += 1
    told = json.loads((built / "build.json").read_text())["majority"]
    assert {row["subtemplate"]: (row["questions"], row["right"]) for row in told["subtemplates"]} == {
        sub: (counts.total(), max(counts.values())) for sub, counts in golds.items()
    }
    assert told["questions"] == sum(counts.total() for counts in golds.values()) > 15
    assert told["right"] == sum(max(counts.values()) for counts in golds.values())
    assert told["em"] == round(told["right"] / told["questions"], 4)
    for row in told["subtemplates"]:
        assert golds[row["subtemplate"]][json.dumps(row["answer"], ensure_ascii=False)] == row["right"]


def test_the_build_prints_them_and_stats_agrees(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    benchmark = open_benchmark(built)
    show_benchmark(benchmark)
    printed = capsys.readouterr().out
    assert benchmark.info.majority is not None and benchmark.info.majority.share is not None
    assert "Majority baseline" in printed
    assert f"of {benchmark.info.majority.questions:,} true text questions" in printed
    for row in benchmark.info.majority.subtemplates:
        assert f"{row.subtemplate} {100 * row.right / row.questions:.1f}" in " ".join(printed.split())
    told = {row[0]: row[2:] for row in collect(built, []).table("majority").rows}
    assert {row.subtemplate: row.questions for row in benchmark.info.majority.subtemplates} == {
        sub: questions for sub, (questions, _) in told.items() if sub != "all"
    }
    assert told["all"][1] == pytest.approx(100 * benchmark.info.majority.share, abs=0.05)


def row(number: int, gold: Any, *, premise: bool = True, modality: str = "text") -> dict[str, Any]:
    empty: dict[str, Any] = {field.name: None for field in QUESTION_SCHEMA}
    return empty | {
        "id": f"{number:016x}",
        "subtemplate": "A01.a",
        "format": "distance",
        "gold": json.dumps(gold) if premise else None,
        "accepted": [],
        "accepted_iris": [],
        "entities": [],
        "params": "{}",
        "language": "eng",
        "premise": premise,
        "modality": modality,
    }


def test_a_constant_is_scored_under_the_tolerance_and_over_true_text_questions_only() -> None:
    """10 km stands twice; 10.2 km is within the tolerance of 0.25 km and 500 km is not. The rest is not asked."""
    rows = [row(k, gold) for k, gold in enumerate((10.0, 10.0, 10.2, 500.0))]
    rows += [row(4, None, premise=False), row(5, 500.0, modality="image"), row(6, 500.0, modality="image")]
    table = pa.Table.from_pylist(rows, schema=pa.schema([f.with_nullable(True) for f in QUESTION_SCHEMA]))
    (score,) = majority_scores(table)
    assert (score.subtemplate, score.answer, score.questions, score.right) == ("A01.a", 10.0, 4, 3)
    told = summary([score])
    assert (told["questions"], told["right"], told["em"]) == (4, 3, 0.75)


def test_no_question_no_score() -> None:
    table = pa.Table.from_pylist([], schema=QUESTION_SCHEMA)
    assert majority_scores(table) == []
    assert summary([]) == {"questions": 0, "right": 0, "em": None, "subtemplates": []}


def test_families_list_the_worst_first() -> None:
    scores = [("A01.a", 10, 1), ("A01.b", 10, 9), ("C01.a", 2, 1)]
    assert by_family(scores) == [
        ("A", "A01.b 90.0, A01.a 10.0", 20, 50.0),
        ("C", "C01.a 50.0", 2, 50.0),
    ]
