"""Scores and baselines on thirty questions whose answers follow by hand."""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from multiglobeqa import evaluate
from multiglobeqa.answers import AliasIndex, Reply
from multiglobeqa.errors import InputError, MultiGlobeQAError
from multiglobeqa.report.metrics import summarize


class Benchmark(Protocol):
    """See conftest."""

    @property
    def questions(self) -> pa.Table: ...
    @property
    def facts(self) -> pa.Table: ...
    @property
    def names(self) -> Mapping[str, str]: ...


def golds(benchmark: Benchmark) -> dict[str, Any]:
    return {r["id"]: json.loads(r["gold"]) for r in benchmark.questions.to_pylist() if r["premise"]}


def by_id(scores: pa.Table) -> dict[str, dict[str, Any]]:
    return {row["id"]: row for row in scores.to_pylist()}


def test_table_has_thirty_questions(benchmark: Benchmark) -> None:
    assert benchmark.questions.num_rows == 30
    assert len(golds(benchmark)) == 29


def test_gold_scores_one(benchmark: Benchmark) -> None:
    scores = evaluate.score_values(benchmark.questions, golds(benchmark))
    assert scores.schema == evaluate.SCORE_SCHEMA
    assert scores["em"].to_pylist() == [1] * 29
    assert scores["ne"].to_pylist() == [0.0] * 29


@pytest.mark.parametrize("named", [True, False], ids=["names", "iris"])
def test_oracle_answers_every_question(benchmark: Benchmark, named: bool) -> None:
    replies = evaluate.oracle_replies(
        benchmark.questions, benchmark.facts, benchmark.names if named else None
    )
    scores = by_id(evaluate.score(benchmark.questions, replies))
    assert len(scores) == 30
    assert {key for key, row in scores.items() if row["em"] == 0} == {"q15"}
    assert scores["q15"]["status"] == "declined"
    assert replies["q12"].value == (
        ["Café Due", "Café Tre"]
        if named
        else ["https://www.openstreetmap.org/node/2", "https://www.openstreetmap.org/node/3"]
    )


def test_oracle_in_two_processes_is_the_same(benchmark: Benchmark) -> None:
    arguments = (benchmark.questions, benchmark.facts, benchmark.names)
    assert evaluate.oracle_replies(*arguments, threads=2) == evaluate.oracle_replies(*arguments)


def test_oracle_needs_its_facts(benchmark: Benchmark) -> None:
    with pytest.raises(InputError, match=r"questions:q01: names fact 15, which is not there"):
        evaluate.oracle_replies(benchmark.questions, benchmark.facts.slice(0, 15))
    no_geometry = benchmark.facts.set_column(
        1,
        "triple",
        pa.array([line.replace("asWKT", "asText") for line in benchmark.facts["triple"].to_pylist()]),
    )
    with pytest.raises(MultiGlobeQAError):
        evaluate.oracle_replies(benchmark.questions, no_geometry)


def test_majority(benchmark: Benchmark) -> None:
    values = evaluate.majority_answers(benchmark.questions)
    assert values["A04.a"] == "Café Due"
    assert values["B01.a"] == 1, "1 and 2 are equally frequent; the first by its text wins"
    assert values["J01.c"] is False
    assert values["J04.a"] == "east"
    assert values["B02.a"] == ["Café Due", "Café Tre"], "all sets differ; a comma sorts before a bracket"
    replies = evaluate.majority_replies(benchmark.questions)
    assert len(replies) == 30, "a baseline that knows no premise answers all"
    scores = evaluate.score(benchmark.questions, replies)
    rows = evaluate.with_questions(scores, benchmark.questions, ("subtemplate",))
    em = {s.group[0]: s.em for s in summarize(rows, ("subtemplate",))}
    assert em == {
        "A01.a": Fraction(2, 6),
        "A04.a": Fraction(3, 4),
        "B01.a": Fraction(1, 2),
        "B02.a": Fraction(1, 4),
        "J01.c": Fraction(1, 2),
        "J04.a": Fraction(1, 2),
        "M01.a": Fraction(1, 2),
        "N01.b": Fraction(1, 3),
    }


def test_majority_ignores_key_order_and_false_premises(benchmark: Benchmark) -> None:
    rows = [row for row in benchmark.questions.to_pylist() if row["subtemplate"] == "M01.a"]
    spelled = [
        '{"distance_km": 1.0, "azimuth_deg": 5.0}',
        '{"azimuth_deg": 5.0, "distance_km": 1.0}',
        None,
        '{"a": 1}',
    ]
    table = pa.Table.from_pylist(
        [{**rows[0], "gold": gold, "premise": gold is not None} for gold in spelled],
        benchmark.questions.schema,
    )
    assert evaluate.majority_answers(table) == {"M01.a": {"azimuth_deg": 5.0, "distance_km": 1.0}}


def test_texts_by_status(benchmark: Benchmark) -> None:
    texts = {
        "q01": 'About this: {"answer": "11.1 km", "declined": false}',
        "q02": '{"answer": null, "declined": true, "reason": "unknown place"}',
        "q03": "<think>66 km",
        "q04": '{"answer": "ten apples"}',
        "q07": '{"answer": "CAFE\u0301 DUE"}',
        "q08": '{"answer": "Café"}',
        "q12": '{"answer": ["Café Tre", "café due", "Café Tre"]}',
        "q13": '{"answer": ["Café Uno"]}',
        "q15": '{"answer": null, "declined": true}',
        "q20": '{"answer": "yes"}',
        "q24": '{"answer": {"lat": "0.05 N", "lon": 0.1}}',
        "q29": '{"answer": "E"}',
    }
    scores = by_id(evaluate.score_texts(benchmark.questions, texts))
    status = {key: row["status"] for key, row in scores.items()}
    assert status == dict.fromkeys(texts, "answered") | {
        "q02": "declined", "q03": "unparseable", "q04": "unparseable", "q15": "declined"
    }  # fmt: skip
    em = {key for key, row in scores.items() if row["em"]}
    assert em == {"q01", "q07", "q12", "q20", "q24", "q29"}
    assert all(
        row["ne"] == 1 and row["parsed"] is None for row in scores.values() if row["status"] != "answered"
    )
    assert scores["q13"]["ne"] == 0.5
    assert scores["q01"]["parsed"] == "11.1"
    assert json.loads(scores["q12"]["parsed"]) == ["Café Tre", "café due"]
    assert scores["q02"]["reason"] == "unknown place"
    assert "apples" in scores["q04"]["reason"]
    rows = evaluate.with_questions(evaluate.score_texts(benchmark.questions, texts), benchmark.questions, ())
    (total,) = summarize(rows)
    assert (total.questions, total.answered, total.right) == (11, 8, 6)
    assert (total.frr, total.nrr) == (Fraction(1, 11), Fraction(1))


def test_aliases_decide_by_entity(benchmark: Benchmark) -> None:
    iris = {name: iri for iri, name in benchmark.names.items()}
    labels = [(iri, name, "name") for name, iri in iris.items()]
    labels += [(iris["Café Due"], "Second Café", "alias"), (iris["Café Tre"], "Third Café", "alias")]
    names = {"osmh3kg": AliasIndex.from_rows(labels)}
    values = {"q07": "second cafe\u0301", "q08": "Second Café", "q12": ["Third Café", "Second Café"]}
    scores = by_id(evaluate.score_values(benchmark.questions, values, names=names))
    assert {key: row["em"] for key, row in scores.items()} == {"q07": 1, "q08": 0, "q12": 1}
    plain = evaluate.score_values(benchmark.questions, values)
    assert plain["em"].to_pylist() == [0, 0, 0]


def test_runner_statuses_stay(benchmark: Benchmark) -> None:
    replies = {"q01": Reply("budget"), "q02": Reply("overflow"), "q03": Reply("harness", reason="timeout")}
    scores = evaluate.score(benchmark.questions, replies)
    assert scores["status"].to_pylist() == ["budget", "overflow", "harness"]
    assert scores["ne"].to_pylist() == [1.0, 1.0, 1.0]


def test_reply_to_no_question(benchmark: Benchmark) -> None:
    with pytest.raises(InputError, match="replies:q99: is no question"):
        evaluate.score_values(benchmark.questions, {"q99": 1})


def test_gold_that_is_not_canonical(benchmark: Benchmark) -> None:
    rows = benchmark.questions.to_pylist()
    rows[0]["gold"] = '"eleven"'
    table = pa.Table.from_pylist(rows, benchmark.questions.schema)
    with pytest.raises(InputError, match=r"questions:q01: gold .* is no canonical distance"):
        evaluate.score_values(table, {"q01": 11})


def test_written_scores_read_back(benchmark: Benchmark, tmp_path: Path) -> None:
    scores = evaluate.score_values(benchmark.questions, golds(benchmark))
    evaluate.write_scores(tmp_path / "runs" / "gold.parquet", scores)
    assert pq.read_table(tmp_path / "runs" / "gold.parquet").equals(scores)
    assert [path.name for path in (tmp_path / "runs").iterdir()] == ["gold.parquet"]
