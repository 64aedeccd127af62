"""Files of predictions scored from end to end: library, command, written scores, and every kind of bad input."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import multiglobeqa
from multiglobeqa.build.schema import QUESTION_SCHEMA
from multiglobeqa.cli.main import main
from multiglobeqa.errors import InputError
from multiglobeqa.evaluate import score_one
from multiglobeqa.evaluate.scoring import METADATA, SCORE_SCHEMA, open_questions, score_file
from multiglobeqa.report.benchmark import Benchmark as Opened
from multiglobeqa.report.benchmark import BuildInfo
from multiglobeqa.report.scores import read_run

LOGS = Path(__file__).with_name("logs")
Mgqa = Callable[..., tuple[int, str, str]]


class Benchmark(Protocol):
    """See conftest."""

    @property
    def questions(self) -> pa.Table: ...


@pytest.fixture
def folder(benchmark: Benchmark, tmp_path: Path) -> Path:
    """The thirty questions as a benchmark folder."""
    rows = [
        {
            name: "" if row.get(name) is None and not QUESTION_SCHEMA.field(name).nullable else row.get(name)
            for name in QUESTION_SCHEMA.names
        }
        for row in benchmark.questions.to_pylist()
    ]
    out = tmp_path / "bench"
    out.mkdir()
    pq.write_table(pa.Table.from_pylist(rows, QUESTION_SCHEMA), out / "questions.parquet")
    return out


@pytest.fixture
def mgqa(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Mgqa:
    """Run ``mgqa score`` with arguments; exit code, output, errors."""
    monkeypatch.setenv("COLUMNS", "200")

    def run(*arguments: Any) -> tuple[int, str, str]:
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main(["score", *map(str, arguments)])
        printed = capsys.readouterr()
        return int(ended.value.code or 0), printed.out, printed.err

    return run


def golds(benchmark: Benchmark) -> list[dict[str, Any]]:
    """A right reply to each of the 29 true premises, and a refusal of the false one."""
    return [
        {"id": row["id"], "text": json.dumps({"answer": json.loads(row["gold"])})}
        if row["premise"]
        else {"id": row["id"], "text": '{"answer": null, "declined": true}'}
        for row in benchmark.questions.to_pylist()
    ]


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    return path


def test_three_lines_of_the_library(benchmark: Benchmark, folder: Path, tmp_path: Path) -> None:
    file = write(tmp_path / "mine.v2.jsonl", golds(benchmark))
    scores = multiglobeqa.score(file, folder)
    (whole,) = scores.metrics()
    assert (whole.em, whole.nrr, whole.questions) == (Fraction(1), Fraction(1), 29)
    assert {one.group[0]: one.questions for one in scores.metrics("format")}["distance"] == 6
    assert scores.table.schema.equals(SCORE_SCHEMA)
    assert set(scores.table["run"].to_pylist()) == {"mine"}
    assert scores.intake.counts == {}
    with pytest.raises(InputError, match="'colour' makes no groups"):
        scores.metrics("colour")


def test_a_score_of_one_question(benchmark: Benchmark) -> None:
    row = benchmark.questions.to_pylist()[0]
    right = score_one(row, '<think>?</think> {"answer": "11,131949 km"}')
    assert (right.status, right.em, right.rule) == ("answered", 1, "number: comma read as decimal (eng)")
    assert score_one(row, None).status == "unparseable"
    assert score_one({**row, "language": "deu"}, '{"answer": "11,132"}').em == 1
    assert score_one(row, '{"answer": "11,132"}').em == 0


def test_everything_that_can_be_wrong_with_a_file(
    benchmark: Benchmark, folder: Path, tmp_path: Path, mgqa: Mgqa
) -> None:
    """The issue's list at once: unknown ids, duplicates, missing questions, encoding, a truncated last line."""
    rows = golds(benchmark)
    lines = [json.dumps(row, ensure_ascii=False).encode() for row in rows[:20]]
    lines += [
        lines[0], b'{"id": "q02", "text": "{\\"answer\\": 5}"}',  # a duplicate of each kind
        b'{"id": "zzz", "text": "x"}', b'{"id": "q21", "text": "\xe9"}', b"not JSON", b'{"id": "q23", "text": null}',
        b'{"text": "no id"}', b'{"id": "q24", "text": "half',
    ]  # fmt: skip
    file = tmp_path / "bad.jsonl"
    file.write_bytes(b"\n".join(lines))
    out = tmp_path / "scores.parquet"
    code, printed, _ = mgqa(file, "--benchmark", folder, "--out", out)
    assert code == 0
    for told in (
        "24 replies read (JSON Lines), 21 scored",
        "1 further, identical replies to the same question: 21: q01 again after line 1",
        "1 further, different replies to the same question; the first counts: 22: q02 again after line 2",
        "1 replies to no question of this benchmark: 23: zzz",
        "1 lines that are not of the file's encoding: 24: byte ",
        "2 lines that cannot be read as a reply: 25: is not JSON",
        "1 replies that are null: they count as unparseable: 26: q23",
        "1 lines that break off at the end of the file: 28: the last line breaks off",
        "9 questions without a reply: they count as wrong: q21 (eng); q22 (eng)",
        "EM bad: 65.5 % of 29 questions; 100 % of 1 false premises declined",
    ):
        assert told in printed.replace("\n", " ")
    table = pq.read_table(out)
    assert table.num_rows == 30
    by_id = {row["id"]: row for row in table.to_pylist()}
    assert (by_id["q24"]["status"], by_id["q24"]["em"], by_id["q24"]["ne"]) == ("missing", 0, 1.0)
    assert (by_id["q23"]["status"], by_id["q23"]["reason"]) == ("unparseable", "The reply is empty.")
    assert by_id["q02"]["em"] == 1
    stored = json.loads(table.schema.metadata[METADATA])["intake"]
    assert stored["read"] == 24
    assert {kind: stored[kind] for kind in ("broken", "encoding", "truncated", "unknown", "missing")} == {
        "broken": 2, "encoding": 1, "truncated": 1, "unknown": 1, "missing": 9
    }  # fmt: skip
    assert len(stored["named"]["missing"]) == 9
    code, _, errors = mgqa(file, "--benchmark", folder, "--strict")
    assert code == 1
    assert "broken, truncated, encoding, unknown, conflicting, null, missing" in errors


def test_costs_and_keys_pass_through(benchmark: Benchmark, folder: Path, tmp_path: Path) -> None:
    row = {
        **golds(benchmark)[0], "model": "m", "tier": "T3a", "seed": 4, "tokens_in": 7, "tokens_out": 8,
        "tokens_reasoning": 2, "steps": 3, "tool_calls": 5, "seconds": 1.25, "cost": 0.5, "cap_hit": False,
        "confidence": 0.75,
    }  # fmt: skip
    file = write(tmp_path / "run.jsonl", [row])
    table = score_file(file, folder, tmp_path / "s.parquet")
    first, second = table.slice(0, 2).to_pylist()
    for name in set(row) - {"text"}:
        assert first[name] == row[name], name
    assert (first["language"], first["run"], first["em"], first["diagnosis"]) == ("eng", "run", 1, None)
    assert (second["model"], second["tier"], second["seed"], second["status"]) == ("m", "T3a", 4, "missing")
    assert second["tokens_in"] is None


def test_wrong_answers_are_diagnosed(benchmark: Benchmark, folder: Path, tmp_path: Path) -> None:
    km = json.loads(benchmark.questions["gold"][0].as_py())
    replies = [
        {"id": "q01", "text": json.dumps({"answer": km / 1.609344})},
        {"id": "q15", "text": '{"answer": ["Café Uno"]}'},
        {"id": "q24", "text": '{"answer": {"lat": 100.0, "lon": 0.0}}'},
        {"id": "q02", "text": "no idea at all, sorry to say so"},
    ]
    table = multiglobeqa.score(write(tmp_path / "r.jsonl", replies), folder, asked="answered").table
    found = dict(zip(table["id"].to_pylist(), table["diagnosis"].to_pylist(), strict=True))
    assert str(found["q01"]).startswith("unit_slip")
    assert found["q15"] == "premise_overlooked"
    assert found["q24"] == "axes_swapped.out_of_range"
    assert found["q02"] is None


def test_a_log_of_inspect_by_the_command(folder: Path, mgqa: Mgqa) -> None:
    code, printed, _ = mgqa(
        LOGS / "inspect.json", "--benchmark", folder, "--json", "--by", "seed", "--by", "model"
    )
    assert code == 0
    found = json.loads(printed)
    assert found["run"] == "inspect"
    assert found["intake"]["form"] == "Inspect log"
    assert found["missing"] == 2 * 24
    assert found["all"][0]["questions"] == 2 * 29
    assert [(row["seed"], row["questions"], round(row["em"] * 29)) for row in found["by"]["seed"]] == [
        (0, 29, 3),
        (1, 29, 0),
    ]
    assert found["by"]["model"][0]["model"] == "mockllm/model"
    assert found["statuses"]["budget"] == {"true": 2, "false": 0}
    assert found["statuses"]["harness"] == {"true": 2, "false": 0}
    assert found["statuses"]["missing"] == {"true": 48, "false": 0}
    assert sum(row["true"] + row["false"] for row in found["statuses"].values()) == 60


def test_both_forms_of_a_log_and_the_samples_score_alike(folder: Path) -> None:
    tables = [
        multiglobeqa.score(LOGS / name, folder, model="m", run="r", asked="answered").table
        for name in ("inspect.eval", "inspect.json", "samples_geo.jsonl")
    ]
    columns = ["id", "seed", "status", "parsed", "em", "ne"]
    first, second, third = (table.filter(pa.compute.field("id") != "q30").select(columns) for table in tables)
    assert first.equals(second)
    one = [row for row in first.to_pylist() if row["seed"] == 0 and row["id"] != "q02"]
    assert [row for row in third.to_pylist() if row["seed"] == 0 and row["id"] != "q02"] == one


def test_a_restricted_denominator_reaches_the_report(
    benchmark: Benchmark, folder: Path, tmp_path: Path
) -> None:
    file = write(tmp_path / "r.jsonl", golds(benchmark)[:10])
    opened = Opened(folder, _no_info(), pq.read_table(folder / "questions.parquet"))
    for asked, expected in ((None, (29, 19 + 1)), ("answered", (10, 0))):
        out = tmp_path / "s.parquet"
        from multiglobeqa.evaluate.scoring import Options

        score_file(file, folder, out, options=Options(asked=asked))
        run = read_run(opened, out)
        assert run.overall is not None
        assert (run.overall.questions, run.missing) == expected
        assert len(run.rows) == len(run.ids)


def _no_info() -> BuildInfo:
    fixed: dict[str, Any] = {
        "version": "0", "seed": 0, "per_cell": 1, "snapshots": {}, "entities": [], "matrix": [], "discards": [],
        "verified": {"questions": 0, "agreed": 0},
    }  # fmt: skip
    return BuildInfo.model_validate(fixed)


def test_benchmarks_in_other_layouts(benchmark: Benchmark, folder: Path, tmp_path: Path) -> None:
    file = write(tmp_path / "r.jsonl", golds(benchmark))
    questions = pq.read_table(folder / "questions.parquet")
    one = tmp_path / "one.parquet"
    pq.write_table(questions.drop_columns(["roles", "slips", "language", "family", "subtemplate"]), one)
    hub = tmp_path / "hub"
    for language in ("eng", "deu"):
        for variant, part in (("large", questions), ("small", questions.slice(0, 5))):
            where = hub / "data" / language / variant
            where.mkdir(parents=True)
            column = pa.array([language] * part.num_rows)
            part = part.set_column(part.column_names.index("language"), "language", column)
            pq.write_table(part.slice(0, 3), where / "test-00000-of-00002.parquet")
            pq.write_table(part.slice(3), where / "test-00001-of-00002.parquet")
            pq.write_table(part, where / "train-00000-of-00001.parquet")
    assert multiglobeqa.score(file, one).metrics()[0].em == 1
    assert multiglobeqa.score(file, hub / "data" / "deu" / "large").metrics()[0].em == 1
    assert open_questions(hub).table.num_rows == 60
    assert open_questions(hub, "small").table.num_rows == 10
    german = multiglobeqa.score(file, hub, language="deu")
    assert set(german.table["language"].to_pylist()) == {"deu"}
    assert german.intake.asked.endswith("none in eng")
    pq.write_table(pa.concat_tables([questions, questions.slice(0, 1)]), one)
    with pytest.raises(InputError, match=r"one.parquet:q01: stands twice in eng"):
        multiglobeqa.score(file, one)
    pq.write_table(questions.drop_columns("gold"), one)
    with pytest.raises(InputError, match=r"one.parquet: has no column 'gold'"):
        multiglobeqa.score(file, one)
    with pytest.raises(InputError, match="'middle' is no variant"):
        multiglobeqa.score(file, hub, variant="middle")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"h3_credit": "much"}, "'much' is not an H3 credit"),
        ({"asked": "never"}, "never: does not exist"),
        ({"model": "x"}, "--model cannot name them"),
    ],
)
def test_options_that_cannot_be(
    benchmark: Benchmark, folder: Path, tmp_path: Path, options: dict[str, Any], message: str
) -> None:
    rows = [{**golds(benchmark)[0], "model": model} for model in "ab"]
    with pytest.raises(InputError, match=message):
        multiglobeqa.score(write(tmp_path / "r.jsonl", rows), folder, **options)


def test_h3_credit_is_kept_with_the_scores(tmp_path: Path) -> None:
    cell, finer = "8928308280fffff", "8a28308280c7fff"
    rows = [
        {
            "id": "h", "format": "cell", "gold": json.dumps(cell), "premise": True, "params": '{"system": "h3"}',
            "subtemplate": "H03.a", "language": "eng",
        }
    ]  # fmt: skip
    bench = tmp_path / "b.parquet"
    pq.write_table(pa.Table.from_pylist(rows), bench)
    file = write(tmp_path / "r.jsonl", [{"id": "h", "answer": finer}])
    for credit, em in (("geometric", 1), ("paper", 1), ("none", 0)):
        result = multiglobeqa.score(file, bench, h3_credit=credit)
        assert result.table["em"].to_pylist() == [em]
        assert json.loads(result.table.schema.metadata[METADATA])["h3_credit"] == credit


def test_without_a_benchmark_nothing_is_written(folder: Path, tmp_path: Path, mgqa: Mgqa) -> None:
    file = write(tmp_path / "r.jsonl", [{"id": "zzz", "text": "x"}])
    for arguments in (
        (file, "--benchmark", tmp_path / "none"),
        (file, "--benchmark", folder),
        (folder, "--benchmark", folder),
    ):
        code, _, errors = mgqa(*arguments, "--out", tmp_path / "s.parquet")
        assert code == 1
        assert errors.startswith("mgqa: ")
    assert not (tmp_path / "s.parquet").exists()
    assert mgqa(file)[0] == 2


def test_a_script_that_scores_is_run_once(benchmark: Benchmark, folder: Path, tmp_path: Path) -> None:
    """Processes do not run the user's script again, though it is not guarded by its name."""
    file = write(
        tmp_path / "r.jsonl", [{**row, "seed": seed} for row in golds(benchmark) for seed in range(4)]
    )
    script, runs = tmp_path / "script.py", tmp_path / "runs.txt"
    script.write_text(
        "import multiglobeqa\n"
        "from multiglobeqa.evaluate.scoring import pipeline\n"
        "pipeline.CHUNK, pipeline.ALONE = 30, 50\n"
        f"open({str(runs)!r}, 'a').write('run ')\n"
        f"scores = multiglobeqa.score({str(file)!r}, {str(folder)!r}, threads=2)\n"
        "print(scores.metrics()[0].em, scores.table.num_rows, __file__[-9:])\n",
        "utf-8",
    )
    ended = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (0, "1 120 script.py\n"), ended.stderr
    assert runs.read_text("utf-8") == "run "
