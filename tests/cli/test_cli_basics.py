"""Exit codes, messages, help, templates."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from multiglobeqa import __version__
from multiglobeqa.taxonomy import load

Mgqa = Callable[..., Any]


def test_version_and_help(mgqa: Mgqa) -> None:
    assert mgqa("--version").out.strip() == f"mgqa {__version__}"
    shown = mgqa("--help")
    assert shown.code == 0
    for command in ("build", "verify", "baseline", "score", "report", "demo", "kg", "templates"):
        assert command in shown.out
    assert mgqa("kg", "--help").code == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ("nothing",),
        ("build",),
        ("build", "--out", "x", "--threads", "0"),
        ("build", "--out", "x", "--seed", "many"),
        ("kg", "import", "osm"),
        ("score", "replies.jsonl"),
    ],
)
def test_wrong_usage_exits_with_2(mgqa: Mgqa, arguments: tuple[str, ...]) -> None:
    ended = mgqa(*arguments)
    assert ended.code == 2
    assert ended.err
    assert not ended.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("kg", "info", "nowhere"), ("'nowhere'", "osmh3kg")),
        (("kg", "import", "oracle", "x.osm", "--out", "new"), ("'oracle'", "osm, worldkg, knowwheregraph")),
        (("kg", "import", "osm", "none.osm.pbf", "--out", "new"), ("none.osm.pbf", "does not exist")),
        (("report", "--benchmark", "nowhere", "--html", "r.html"), ("build.json", "mgqa build")),
        (("verify", "nowhere"), ("nowhere",)),
        (("baseline", "psychic", "nowhere", "--out", "r.jsonl"), ("'psychic'", "majority, oracle-solver")),
        (("baseline", "majority", "nowhere", "--out", "r.jsonl"), ("questions.parquet",)),
        (("templates", "show", "Z99"), ("'Z99'",)),
        (("build", "--kg", "nowhere", "--out", "new"), ("'nowhere'",)),
    ],
)
def test_errors_exit_with_1_and_say_what_and_where(
    mgqa: Mgqa,
    arguments: tuple[str, ...],
    words: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    ended = mgqa(*arguments)
    assert ended.code == 1
    assert ended.err.startswith("mgqa: ")
    for word in words:
        assert word in ended.err
    assert "Traceback" not in ended.err
    assert not list(tmp_path.rglob("*.parquet"))


def test_a_fresh_process_prints_no_traceback() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "multiglobeqa.cli.main", "kg", "info", "nowhere"],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": str(Path(__file__).resolve().parents[2] / "src"), "PATH": ""},
    )
    assert ended.returncode == 1
    assert ended.stdout == ""
    assert ended.stderr.startswith("mgqa: 'nowhere'")
    assert ended.stderr.count("\n") == 1


def test_a_folder_that_cannot_be_written_is_no_traceback(mgqa: Mgqa, osm_file: Path, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file", "utf-8")
    ended = mgqa("kg", "import", "osm", osm_file, "--out", tmp_path / "taken" / "kg")
    assert ended.code == 1
    assert "taken" in ended.err


def test_templates_are_listed_and_shown(mgqa: Mgqa) -> None:
    subs = load()
    rows = json.loads(mgqa("templates", "list", "--json").out)
    assert [row["id"] for row in rows] == [sub.id for sub in subs]
    listed = mgqa("templates", "list").out
    assert all(sub.id in listed for sub in subs)
    shown = mgqa("templates", "show", subs[0].id).out
    assert subs[0].paraphrases[0] in " ".join(shown.split())
    assert "SELECT" in shown
    (whole,) = json.loads(mgqa("templates", "show", subs[0].id, "--json").out)
    assert whole["sql"] == subs[0].sql
