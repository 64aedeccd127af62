"""Reading benchmarks and scores, matrices, numbers as text."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from multiglobeqa.build.schema import QUESTION_SCHEMA
from multiglobeqa.errors import InputError
from multiglobeqa.report import answer_text, matrices, open_benchmark, percent, read_run
from multiglobeqa.report.benchmark import QUESTION_COLUMNS, MatrixCell
from multiglobeqa.report.matrix import STRATA, cause_letters, causes_of


def cell(questions: int, cause: str | None = None, **changes: Any) -> MatrixCell:
    row = {"kg": "worldkg", "family": "A", "subtemplate": "A01.a", "income": "LIC", "density": "low"}
    return MatrixCell(**{**row, "questions": questions, "cause": cause, **changes})


def test_columns_that_reports_read_are_in_the_question_schema() -> None:
    assert set(QUESTION_COLUMNS) <= set(QUESTION_SCHEMA.names)


def test_runs_are_joined_by_id_and_missing_questions_are_wrong(
    benchmark_dir: Path, oracle: Path, tmp_path: Path
) -> None:
    benchmark = open_benchmark(benchmark_dir)
    whole = read_run(benchmark, oracle)
    assert whole.name == "oracle-solver"
    assert [row["parsed"] for row in whole.rows[:2]] == ["1234.5", "12.25"]
    assert whole.overall is not None
    assert (whole.overall.em, whole.overall.questions, whole.missing) == (Fraction(1), 5, 0)

    part = tmp_path / "part.parquet"
    pq.write_table(pq.read_table(oracle).slice(0, 2), part)
    cut = read_run(benchmark, part)
    assert cut.overall is not None
    assert (cut.overall.em, cut.overall.questions, cut.missing) == (Fraction(2, 5), 5, 4)


def test_false_premises_do_not_count_for_exact_match(benchmark_dir: Path, majority: Path) -> None:
    groups = read_run(open_benchmark(benchmark_dir), majority).by("subtemplate")
    assert [scores.group for scores in groups] == [("A01.a",), ("A01.b",), ("C01.a",), ("D01.b",)]
    assert [(scores.em, scores.questions) for scores in groups] == [
        (0, 1),
        (1, 1),
        (Fraction(1, 2), 2),
        (0, 1),
    ]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.drop_columns(["em"]), "no column 'em'"),
        (lambda t: pa.concat_tables([t, t.slice(0, 1)]), "scored twice"),
        (lambda t: t.set_column(0, "id", pa.array(["x"] * t.num_rows)), "scored twice"),
        (
            lambda t: t.slice(0, 1).set_column(0, "id", pa.array(["feedfeedfeedfeed"])),
            "feedfeedfeedfeed: scores a question that sample-world does not have",
        ),
    ],
)
def test_scores_that_do_not_fit_are_refused(
    benchmark_dir: Path, oracle: Path, tmp_path: Path, change: Any, message: str
) -> None:
    file = tmp_path / "bad.parquet"
    pq.write_table(change(pq.read_table(oracle)), file)
    with pytest.raises(InputError, match=message):
        read_run(open_benchmark(benchmark_dir), file)


def test_files_that_are_no_scores_are_refused(benchmark_dir: Path, tmp_path: Path) -> None:
    benchmark = open_benchmark(benchmark_dir)
    with pytest.raises(InputError, match="does not exist"):
        read_run(benchmark, tmp_path / "none.parquet")
    (tmp_path / "text.parquet").write_text("no parquet", "utf-8")
    with pytest.raises(InputError, match="cannot be read as Parquet"):
        read_run(benchmark, tmp_path / "text.parquet")


def test_broken_benchmarks_are_refused_with_file_and_place(benchmark_dir: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"build\.json: is not a benchmark"):
        open_benchmark(tmp_path / "nowhere")
    info = benchmark_dir / "build.json"
    content = json.loads(info.read_text("utf-8"))
    content["matrix"][0]["questions"] = "many"
    info.write_text(json.dumps(content), "utf-8")
    with pytest.raises(InputError, match=r"build\.json:matrix\.0\.questions"):
        open_benchmark(benchmark_dir)
    info.write_text("{", "utf-8")
    with pytest.raises(InputError, match="is not JSON"):
        open_benchmark(benchmark_dir)


def test_questions_without_a_needed_column_are_refused(benchmark_dir: Path) -> None:
    file = benchmark_dir / "questions.parquet"
    pq.write_table(pq.read_table(file).drop_columns(["gold"]), file)
    with pytest.raises(InputError, match="no column 'gold'"):
        open_benchmark(benchmark_dir)


def test_matrix_sums_subtemplates_and_keeps_causes_of_those_without_questions() -> None:
    (table,) = matrices([cell(2), cell(3, subtemplate="A02.a"), cell(0, "no_point", subtemplate="A03.a")])
    assert table.questions == 5
    first = table.row("A")[0]
    assert (first.questions, first.causes) == (5, {"no_point": ["A03.a"]})
    assert table.strata == list(STRATA)
    assert table.row("A")[1].causes == {"no cause stated": []}
    assert table.empty_causes() == {"no cause stated": 11}


def test_causes_of_discards_stand_alone_without_counts() -> None:
    assert causes_of("all discarded: tolerance_floor 12, margin 3") == [
        "discarded: tolerance_floor",
        "discarded: margin",
    ]
    assert causes_of("no entity of the kinds") == ["no entity of the kinds"]
    assert causes_of(None) == ["no cause stated"]


def test_letters_go_by_frequency_and_past_z() -> None:
    rows = [
        cell(0, f"cause {n:02}", family=chr(65 + n % 14), density="low", subtemplate=f"s{n}")
        for n in range(28)
    ]
    rows.append(cell(0, "cause 27", income="HIC"))
    letters = cause_letters(matrices(rows))
    assert letters["no cause stated"] == "a"
    assert letters["cause 27"] == "b"
    assert sorted(letters.values(), key=lambda mark: (len(mark), mark))[-1] == "ac"
    assert len(set(letters.values())) == 29


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        ("12.25", "km", "12.25 km"),
        ("1234.56", "km", "1,234.6 km"),
        ("7", None, "7"),
        ("true", "km", "yes"),
        ('"plausibly"', None, "plausibly"),
        ('["a", "b"]', None, "a, b"),
        (json.dumps([str(n) for n in range(10)]), None, "0, 1, 2, 3, 4, 5, 6, 7 and 2 more"),
        ('{"lat": 1.5, "lon": -2.123456}', None, "lat 1.5000, lon -2.1235"),
        ("null", None, "\N{EN DASH}"),
        (None, "km", "\N{EN DASH}"),
        ("0.0", None, "0"),
    ],
)
def test_answers_as_text(value: str | None, unit: str | None, text: str) -> None:
    assert answer_text(value, unit) == text


def test_percent_is_whole_only_where_exact() -> None:
    assert [percent(share) for share in (0, 1, Fraction(1, 3), 0.99999, 1e-9, None)] == [
        "0 %",
        "100 %",
        "33.3 %",
        "99.9 %",
        "0.1 %",
        "\N{EN DASH}",
    ]
