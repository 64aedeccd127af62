"""Drift: the queries of a benchmark on a newer snapshot of the small world (tests/conftest.py)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import shapely

from multiglobeqa.build import BuildConfig, build
from multiglobeqa.build.drift import Drift, counted, drift
from multiglobeqa.kg.store import Snapshot
from multiglobeqa.taxonomy import Step, load

SUBS = ["A01.a", "B02.b", "F01.c", "J04.a", "N01.b", "H03"]


@pytest.fixture(scope="module")
def old(
    tmp_path_factory: pytest.TempPathFactory,
    make_snapshot: Callable[..., Snapshot],
    small_rows: list[dict[str, Any]],
) -> tuple[Path, Snapshot]:
    snapshot = make_snapshot(tmp_path_factory.mktemp("old"), small_rows)
    out = tmp_path_factory.mktemp("benchmark")
    build(BuildConfig(out, [snapshot.path], threads=1, subtemplates=SUBS))
    return out, snapshot


def moved(rows: list[dict[str, Any]], name: str, lon: float, lat: float) -> list[dict[str, Any]]:
    point = shapely.Point(lon, lat)
    box = {"xmin": lon, "ymin": lat, "xmax": lon, "ymax": lat}
    change = {"geometry": point.wkb, "ref_lon": lon, "ref_lat": lat, "bbox": box}
    return [{**row, **change} if row["name"] == name else row for row in rows]


def asked(benchmark: Path, one: Drift) -> dict[str, Any]:
    rows = pq.read_table(benchmark / "questions.parquet").to_pylist()
    return next(row for row in rows if row["id"] == one.id)


def test_nothing_drifts_on_the_same_snapshot(old: tuple[Path, Snapshot]) -> None:
    benchmark, snapshot = old
    found = drift(benchmark, [snapshot])
    assert len(found) == len(pq.read_table(benchmark / "questions.parquet")) > 20
    assert counted(found) == {"same": len(found)}


def test_a_step_called_asked_is_the_template_s_own(old: tuple[Path, Snapshot]) -> None:
    """Several templates have one; the tables of what is asked again have names that no step can have."""
    benchmark, snapshot = old
    own = Step.model_validate({"as": "asked", "sql": "SELECT id FROM entity WHERE id < 0"})
    subs = [sub.model_copy(update={"steps": (own, *sub.steps)}) for sub in load(only=SUBS)]
    assert counted(drift(benchmark, [snapshot], templates=subs)).keys() == {"same"}


def test_a_place_that_moved_changes_its_answers_and_says_so(
    old: tuple[Path, Snapshot],
    tmp_path: Path,
    make_snapshot: Callable[..., Snapshot],
    small_rows: list[dict[str, Any]],
) -> None:
    """P2 goes from 1.5 E to 1.7 E, inside Westland still."""
    benchmark, _ = old
    found = drift(benchmark, [make_snapshot(tmp_path, moved(small_rows, "P2", 1.7, 0.5))])
    about = [one for one in found if '"P2"' in asked(benchmark, one)["roles"]]
    assert about and {one.status for one in about} <= {
        "changed",
        "within_tolerance",
        "no_longer_valid",
        "same",
    }
    here = next(one for one in about if one.subtemplate == "N01.b")
    assert here.status == "changed" and json.loads(str(here.new)) == {"lat": 0.5, "lon": 1.7}
    assert any("geometry" in reason and "changed" in reason for reason in here.why)
    apart = [one for one in found if "P2" not in str(asked(benchmark, one)) and one.subtemplate == "A01.a"]
    assert apart and {one.status for one in apart} == {"same"}


def test_a_place_that_is_gone_and_the_answer_it_leaves(
    old: tuple[Path, Snapshot],
    tmp_path: Path,
    make_snapshot: Callable[..., Snapshot],
    small_rows: list[dict[str, Any]],
) -> None:
    """Without P4 the place furthest east in Realm is P3."""
    benchmark, _ = old
    found = drift(benchmark, [make_snapshot(tmp_path, [row for row in small_rows if row["name"] != "P4"])])
    gone = [one for one in found if '"P4"' in asked(benchmark, one)["roles"]]
    assert gone and {one.status for one in gone} == {"entity_gone"}
    eastmost = [
        one for one in found if one.subtemplate == "F01.c" and '"Realm"' in asked(benchmark, one)["roles"]
    ]
    for one in eastmost:
        assert one.status in ("changed", "no_longer_valid")
        if one.status == "changed":
            assert any("no longer answers" in reason for reason in one.why)


def test_questions_of_a_kg_without_a_snapshot_are_left_out(old: tuple[Path, Snapshot]) -> None:
    benchmark, _ = old
    assert drift(benchmark, []) == []
