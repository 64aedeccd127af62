"""``mgqa questions`` from end to end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from multiglobeqa.cli.main import app, main

RUNNER = CliRunner()
OPTIONS = ["Kisumu", "Kampala", "Mwanza", "Entebbe"]


def run(*arguments: object, code: int = 0) -> str:
    result = RUNNER.invoke(app, ["questions", *map(str, arguments)])
    assert result.exit_code == code, result.output
    return result.output


def question(name: str, **fields: Any) -> dict[str, Any]:
    own = {
        "id": name,
        "language": "sw",
        "question": "?",
        "question_en": "Which?",
        "options": OPTIONS,
        "answer_index": 0,
    }
    return {**own, **fields}


def dump(path: Path, rows: list[Any]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def test_check(tmp_path: Path) -> None:
    good = dump(tmp_path / "good.jsonl", [question(f"q{n}") for n in range(9)])
    assert "9 items: 9 read, 0 disputed, 0 refused" in run("check", good)
    assert "always A" in run("check", good, "--guesses")
    bad = dump(
        tmp_path / "bad.jsonl",
        [question("a"), question("b", answer_index=9), question("c", options=["x", "X"])],
    )
    told = run("check", bad, code=1)
    assert "refused: bad.jsonl:2: b: has answer_index 9" in told and "disputed: bad.jsonl:3: c:" in told
    data = json.loads(run("check", bad, "--json", "--guesses", code=1))
    assert [fault["severity"] for fault in data["list"]] == ["refused", "disputed"] and data["guesses"]


def test_shuffle_controls_score(tmp_path: Path) -> None:
    rows = [question(f"q{n}", region="East Africa", language="sw" if n % 2 else "ha") for n in range(40)]
    rows += [question("d", disputed=True), question("r", answer_index=7)]
    questions = dump(tmp_path / "q.jsonl", rows)
    mixed = tmp_path / "mixed.jsonl"
    told = run("shuffle", questions, "--out", mixed, "--seed", 3)
    assert "40 items in" in told and "1 items refused" in told and "set aside: d" in told
    made = [json.loads(line) for line in mixed.read_text("utf-8").splitlines()]
    assert sorted(item["answer_index"] for item in made) == sorted([0, 1, 2, 3] * 10)
    english = tmp_path / "en.jsonl"
    run("controls", mixed, "--out", english)
    controls = [json.loads(line) for line in english.read_text("utf-8").splitlines()]
    assert [item["answer_index"] for item in controls] == [item["answer_index"] for item in made]
    replies = [
        {"id": item["id"], "text": "Kisumu" if n % 4 else "Entebbe", "confidence": 0.9}
        for n, item in enumerate(made)
    ]
    replies += [{"id": item["id"], "text": item["answer"]} for item in controls] + [{"id": "x", "text": "A"}]
    plain = dump(tmp_path / "p.jsonl", [question(f"p{n}") for n in range(4)])
    said = dump(tmp_path / "pr.jsonl", [{"id": f"p{n}", "text": "A"} for n in range(4)])
    out, figure = tmp_path / "eval_result.json", tmp_path / "plot.svg"
    arguments = (
        "score",
        mixed,
        dump(tmp_path / "r.jsonl", replies),
        "--out",
        out,
        "--plain",
        plain,
        "--plain-replies",
        said,
    )
    told = run(*arguments, "--figure", figure)
    for text in (
        "lang / sw",
        "75.0",
        "chance 25.0 %",
        "English controls",
        "Causes of wrong answers",
        "calibration, all",
        "is no question",
    ):
        assert text in told
    assert figure.stat().st_size > 5000
    data = json.loads(out.read_text("utf-8"))
    assert data["summary"]["all"] == {"accuracy": 0.75, "correct": 30, "total": 40, "failures": 0}
    assert data["summary"]["lang / ha / region / East Africa"]["total"] == 20
    assert {row["original_index"] for row in data["detail"]} == {0, 3}
    assert json.loads(run(*arguments, "--json"))["summary"] == data["summary"]


def test_scores_without_extras(tmp_path: Path) -> None:
    questions = dump(tmp_path / "q.jsonl", [question(f"q{n}", answer_index=n % 4) for n in range(60)])
    replies = dump(tmp_path / "r.jsonl", [{"id": f"q{n}", "text": "A"} for n in range(60)])
    told = run("score", questions, replies, "--out", tmp_path / "o.json")
    assert "spread evenly over the letters: p = 0.0000" in told and "English controls" not in told
    refused = dump(tmp_path / "n.jsonl", [{"id": f"q{n}", "text": "Sijui."} for n in range(60)])
    assert "Letters" not in run("score", questions, refused, "--out", tmp_path / "o.json")


def test_errors_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    questions = dump(tmp_path / "q.jsonl", [question("a", question_en="")])
    replies = dump(tmp_path / "r.jsonl", [{"id": "a", "text": "A"}])
    for arguments, message in (
        (["controls", str(questions), "--out", str(tmp_path / "x")], "no question with an English form"),
        (
            [
                "score",
                str(questions),
                str(replies),
                "--out",
                str(tmp_path / "x"),
                "--figure",
                str(tmp_path / "x.svg"),
            ],
            "no log-probabilities",
        ),
        (["check", str(tmp_path / "none")], "does not exist"),
    ):
        with pytest.raises(SystemExit) as stop:
            main(["questions", *arguments])
        assert stop.value.code == 1 and message in capsys.readouterr().err


def test_make_choice(tmp_path: Path) -> None:
    data = Path(__file__).with_name("data")
    benchmark = tmp_path / "b"
    benchmark.mkdir()
    (benchmark / "questions.parquet").write_bytes((data / "questions.parquet").read_bytes())
    out = tmp_path / "choice.jsonl"
    with pytest.raises(SystemExit):
        main(["questions", "make-choice", str(tmp_path / "none"), "--out", str(out)])
    told = run("make-choice", data, "--out", out, "--kg", "osmh3kg", "--seed", 1)
    assert "Questions left out" in told and "most like the others" in told
    assert run("check", out).strip().endswith("0 disputed, 0 refused")
    found = json.loads(
        run("make-choice", data, "--out", out, "--kg", "osmh3kg", "--options", 3, "--premise", "--json")
    )
    assert (
        found["items"] == len(out.read_text("utf-8").splitlines()) and found["left_out"] and found["origins"]
    )
