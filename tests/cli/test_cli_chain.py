"""Source, build, verify, baselines, scores and report in one go, on a hand-made town."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from multiglobeqa.cli.main import main

Mgqa = Callable[..., Any]


ONLY = ("--subtemplate", "A01", "--subtemplate", "H03", "--threads", "1")


@dataclass(frozen=True)
class Town:
    """A built benchmark, and what the build printed."""

    path: Path
    printed: str


@pytest.fixture(scope="module")
def town(osm_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Town:
    out = tmp_path_factory.mktemp("built") / "town"
    arguments = ["build", "--source", str(osm_file), "--out", str(out), *ONLY]
    with redirect_stdout(StringIO()) as printed, pytest.raises(SystemExit) as ended:
        main(arguments)
    assert not ended.value.code
    return Town(out, printed.getvalue())


def test_the_whole_chain(mgqa: Mgqa, town: Town, tmp_path: Path) -> None:
    out, shown = town.path, town.printed
    info = json.loads((out / "build.json").read_text("utf-8"))
    questions = pq.read_table(out / "questions.parquet")
    total = questions.num_rows
    assert total > 4
    assert info["snapshots"].keys() == {"osmh3kg", "worldkg"}
    for words in (
        "Dropped",
        "osmh3kg: ",
        "worldkg: ",
        "Why cells are empty",
        "Metric distance and proximity",
    ):
        assert words in shown
    assert f"Verified: 100 % ({total} of {total} answers)" in shown

    assert f"({total} of {total} answers)" in mgqa("verify", out, "--threads", "1").out

    scores = []
    for name in ("majority", "oracle-solver"):
        replies, scored = tmp_path / f"{name}.jsonl", tmp_path / f"{name}.parquet"
        assert mgqa("baseline", name, out, "--out", replies, "--threads", "1").code == 0
        metrics = json.loads(mgqa("score", replies, "--benchmark", out, "--out", scored, "--json").out)
        assert metrics["all"][0]["questions"] == total
        assert sum(row["questions"] for row in metrics["family"]) == total
        scores.append(scored)
        if name == "oracle-solver":
            assert metrics["all"][0]["em"] == 1.0
        else:
            assert 0 < metrics["all"][0]["em"] < 1
    assert "EM oracle-solver: 100 %" in mgqa("score", replies, "--benchmark", out, "--out", scored).out

    page = tmp_path / "report.html"
    assert mgqa("report", *scores, "--benchmark", out, "--html", page).code == 0
    html = page.read_text("utf-8")
    assert "oracle-solver" in html
    assert "© OpenStreetMap contributors" in html
    assert questions["snapshot_id"][0].as_py() in html


def test_a_changed_fact_is_found_by_verify(mgqa: Mgqa, town: Town, tmp_path: Path) -> None:
    out = shutil.copytree(town.path, tmp_path / "town")
    file = out / "facts.parquet"
    facts = pq.read_table(file)
    moved = [text.replace("POINT (9.", "POINT (8.", 1) for text in facts["triple"].to_pylist()]
    assert moved != facts["triple"].to_pylist()
    pq.write_table(facts.set_column(1, facts.schema.field("triple"), [moved]), file)
    ended = mgqa("verify", out, "--threads", "1", "--json")
    assert ended.code == 1
    found = json.loads(ended.out)
    assert found["agreed"] < found["questions"]
    assert len(found["differences"]) == found["questions"] - found["agreed"]


def test_replies_to_another_benchmark_are_refused(mgqa: Mgqa, town: Town, tmp_path: Path) -> None:
    replies = tmp_path / "replies.jsonl"
    replies.write_text('{"id": "feedfeedfeedfeed", "answer": 1}\n', "utf-8")
    ended = mgqa("score", replies, "--benchmark", town.path, "--out", tmp_path / "s.parquet")
    assert ended.code == 1
    assert "feedfeedfeedfeed" in ended.err
    assert not (tmp_path / "s.parquet").exists()


def test_equal_seeds_give_equal_files_from_the_snapshots_alone(
    mgqa: Mgqa, town: Town, tmp_path: Path
) -> None:
    kgs = ("--kg", town.path / "kg" / "worldkg", "--kg", town.path / "kg" / "osmh3kg")
    again = json.loads(mgqa("build", *kgs, "--out", tmp_path / "again", *ONLY, "--json").out)
    assert again["seed"] == 2026
    for name in ("questions.parquet", "questions.jsonl", "facts.parquet"):
        assert (tmp_path / "again" / name).read_bytes() == (town.path / name).read_bytes(), name
    other = json.loads(
        mgqa("build", *kgs[:2], "--out", tmp_path / "other", "--seed", "5", *ONLY, "--json").out
    )
    assert other["snapshots"].keys() == {"worldkg"}
    assert (tmp_path / "other" / "questions.jsonl").read_bytes() != (
        town.path / "questions.jsonl"
    ).read_bytes()
