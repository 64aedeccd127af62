"""Runs as files: names, completeness, what was not asked, and errors that name the place."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from multiglobeqa.errors import InputError
from multiglobeqa.report.metrics import tabulate
from multiglobeqa.report.tables import lines, open_study

RIGHT = {"A": 4, "C": 10, "H": 2, "J": 4}
Scored = Callable[..., list[dict[str, Any]]]
Make = Callable[..., Path]


def test_a_run_folder_a_file_and_predictions(
    tmp_path: Path, bench: Path, scored: Scored, make_scores: Make, asked: Callable[[], list[dict[str, Any]]]
) -> None:
    folder = tmp_path / "my-run"
    folder.mkdir()
    make_scores(folder / "scores.parquet", scored("", "T1", RIGHT))
    table = pq.read_table(folder / "scores.parquet").drop_columns(["run", "model"])
    pq.write_table(table, folder / "scores.parquet")
    predictions = tmp_path / "other.jsonl"
    golds = [{"id": q["id"], "answer": json.loads(q["gold"])} for q in asked() if q["premise"]]
    predictions.write_text("".join(json.dumps(row) + "\n" for row in golds[:-1]), "utf-8")
    study = open_study([folder, predictions], bench)
    assert study.models == ["my-run", "other"]
    scores = {one.group[0]: one for one in tabulate(study.main, ("model",))}
    assert (scores["my-run"].right, scores["other"].right, scores["other"].questions) == (20, 80, 80)
    assert tabulate(study.images)[0].missing == 1  # the last image question has no reply


def test_equal_names_are_told_apart(tmp_path: Path, bench: Path, scored: Scored, make_scores: Make) -> None:
    files = []
    for name, right in (("one", RIGHT), ("two", RIGHT | {"A": 6})):
        (tmp_path / name).mkdir()
        files.append(make_scores(tmp_path / name / "scores.parquet", scored("m", "T1", right, run="same")))
    assert open_study(files, bench).models == ["m (same / scores)", "m (same)"]
    seeds = [
        make_scores(tmp_path / f"{seed}.parquet", scored("m", "T1", RIGHT, seed=seed, run=f"pass{seed}"))
        for seed in (0, 1)
    ]
    assert open_study(seeds, bench).models == ["m"]  # two runs, one a seed


def test_what_was_not_asked_is_left_out_and_told_only_where_that_was_said(
    tmp_path: Path, bench: Path, scored: Scored, make_scores: Make
) -> None:
    few = [row for row in scored("m", "T1", RIGHT) if row["id"][0] == "C"]
    whole = open_study([make_scores(tmp_path / "whole.parquet", few)], bench)
    assert tabulate(whole.main)[0].questions == 80 and tabulate(whole.main)[0].missing == 60
    meta = {
        "intake": {"restricted": True, "asked": "only the 20 questions of list.txt are in the denominator"}
    }
    part = open_study([make_scores(tmp_path / "part.parquet", few, meta)], bench)
    assert tabulate(part.main)[0].questions == 20
    assert "part.parquet: only the 20 questions of list.txt are in the denominator." in lines(part)


def test_another_language_than_english(
    tmp_path: Path, bench: Path, scored: Scored, make_scores: Make
) -> None:
    study = open_study([make_scores(tmp_path / "u.parquet", scored("m", "T1", RIGHT, language="urd"))], bench)
    assert study.language == "urd"
    assert study.main.num_rows == 90
    assert tabulate(study.majority)[0].right == 22


def test_columns_of_other_types_are_taken(
    tmp_path: Path, bench: Path, scored: Scored, make_scores: Make
) -> None:
    file = make_scores(tmp_path / "r.parquet", scored("m", "T1", RIGHT))
    table = pq.read_table(file)
    for name, kind in (
        ("em", pa.float64()),
        ("seed", pa.int64()),
        ("model", pa.dictionary(pa.int32(), pa.string())),
    ):
        table = table.set_column(table.column_names.index(name), name, pc.cast(table[name], kind))
    pq.write_table(table.drop_columns(["parsed", "diagnosis"]), file)
    study = open_study([file], bench)
    assert (tabulate(study.main)[0].right, study.table["parsed"].null_count) == (20, study.table.num_rows)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("gone.parquet", None, "does not exist"),
        (
            "torn.parquet",
            lambda path: path.write_bytes(path.read_bytes()[:500]),
            "torn.parquet: cannot be read as Parquet",
        ),
        (
            "bare.parquet",
            lambda path: pq.write_table(pq.read_table(path).drop_columns(["em"]), path),
            "no column 'em'",
        ),
    ],
)
def test_bad_files_are_named(
    tmp_path: Path, bench: Path, scored: Scored, make_scores: Make, name: str, change: Any, message: str
) -> None:
    path = tmp_path / name
    if change is not None:
        make_scores(path, scored("m", "T1", RIGHT))
        change(path)
    with pytest.raises(InputError, match=message):
        open_study([path], bench)


def test_a_score_of_another_benchmark_is_named(
    tmp_path: Path, bench: Path, scored: Scored, make_scores: Make
) -> None:
    made = scored("m", "T1", RIGHT)
    made[3]["id"] = "feedfeedfeedfeed"
    with pytest.raises(InputError, match=r"other.parquet:feedfeedfeedfeed: is no question of this benchmark"):
        open_study([make_scores(tmp_path / "other.parquet", made)], bench)
    with pytest.raises(InputError, match="no run was named"):
        open_study([], bench)


def test_no_reply_at_all_is_an_error(tmp_path: Path, bench: Path, scored: Scored, make_scores: Make) -> None:
    made = [
        row | {"status": "missing", "parsed": None, "em": 0, "ne": 1.0} for row in scored("m", "T1", RIGHT)
    ]
    with pytest.raises(InputError, match="no question has a reply"):
        open_study([make_scores(tmp_path / "none.parquet", made)], bench)
