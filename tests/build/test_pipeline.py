"""The build as a whole on the small world: verified, the same bytes each time, stopped by a wrong answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from multiglobeqa.build import BuildConfig, build, pipeline, verify
from multiglobeqa.errors import InputError, VerificationError
from multiglobeqa.kg.store import Snapshot
from multiglobeqa.taxonomy import SubTemplate, load

FILES = ("questions.parquet", "questions.jsonl", "facts.parquet", "build.json")
SUBS = [
    "A01.a",
    "A04.a",
    "A09.a",
    "B02.b",
    "E01.b",
    "F01.c",
    "H03",
    "J04.a",
    "K01.a",
    "M01",
    "N01.b",
    "N02.a",
]


@pytest.fixture(scope="module")
def snapshot(
    tmp_path_factory: pytest.TempPathFactory,
    make_snapshot: Callable[..., Snapshot],
    small_rows: list[dict[str, Any]],
) -> Path:
    return make_snapshot(tmp_path_factory.mktemp("kg"), small_rows).path


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, snapshot: Path) -> Path:
    out = tmp_path_factory.mktemp("built")
    build(BuildConfig(out, [snapshot], threads=1, subtemplates=SUBS, gazetteer=[]))
    return out


def rows(folder: Path) -> list[dict[str, Any]]:
    return list(pq.read_table(folder / "questions.parquet").to_pylist())


def test_all_questions_are_verified(built: Path) -> None:
    summary = json.loads((built / "build.json").read_text())
    assert summary["questions"] == len(rows(built)) > 20
    assert summary["verified"] == {"questions": summary["questions"], "agreed": summary["questions"]}
    again = verify(built, threads=1)
    assert (again.total, again.agreed, again.differences) == (summary["questions"], summary["questions"], [])


def test_golden_questions(built: Path) -> None:
    """Three answers that a reader can check on the map in tests/conftest.py."""
    by_sub: dict[str, list[dict[str, Any]]] = {}
    for row in rows(built):
        by_sub.setdefault(row["subtemplate"], []).append(row)
    eastmost = {"Realm": "P4", "Westland": "P2", "Eastland": "P4"}
    asked = {json.loads(r["roles"])["B"]["name"]: json.loads(r["gold"]) for r in by_sub["F01.c"]}
    assert asked and asked.items() <= eastmost.items()
    home = [r for r in by_sub["N01.b"] if json.loads(r["roles"])["A"]["name"] == "P0"]
    assert [json.loads(r["gold"]) for r in home] == [{"lat": 0.5, "lon": 0.5}]
    box = [r for r in by_sub["N02.a"] if json.loads(r["roles"])["A"]["name"] == "Dateline"]
    assert [json.loads(r["gold"]) for r in box] == [
        {"east": -179.0, "north": 1.0, "south": 0.0, "west": 179.0}
    ]


def test_same_bytes_on_two_runs_and_for_two_threads(tmp_path: Path, built: Path, snapshot: Path) -> None:
    build(BuildConfig(tmp_path, [snapshot], threads=2, subtemplates=SUBS, gazetteer=[]))
    for name in FILES:
        assert (tmp_path / name).read_bytes() == (built / name).read_bytes(), name


def test_another_seed_draws_in_another_order(tmp_path: Path, built: Path, snapshot: Path) -> None:
    build(BuildConfig(tmp_path, [snapshot], seed=7, threads=1, per_cell=2, subtemplates=["A01.a"]))
    few = {row["id"] for row in rows(tmp_path)}
    assert len(few) == 2


def test_matrix_names_a_cause_for_each_empty_cell(built: Path) -> None:
    cells = json.loads((built / "build.json").read_text())["matrix"]
    assert len(cells) == 12 * len(SUBS)
    assert all((cell["questions"] > 0) == (cell["cause"] is None) for cell in cells)
    empty = [cell for cell in cells if (cell["income"], cell["density"]) == ("HIC", "low")]
    assert {cell["cause"] for cell in empty} == {"no entity of the kinds and classes asked"}


def test_ids_and_wordings_are_unique(built: Path) -> None:
    found = rows(built)
    assert len({row["id"] for row in found}) == len(found)
    assert len({(row["question"], row["gold"]) for row in found}) == len(found)


def test_a_wrong_query_stops_the_build_and_leaves_nothing(
    tmp_path: Path, snapshot: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(directories: Any, only: Any = None) -> list[SubTemplate]:
        (sub,) = load(only=["A01.a"])
        return [
            sub.model_copy(
                update={"sql": sub.sql.replace("distance_km AS answer", "distance_km * 1.001 AS answer")}
            )
        ]

    monkeypatch.setattr(pipeline, "load", wrong)
    with pytest.raises(VerificationError, match="nothing was written") as caught:
        build(BuildConfig(tmp_path / "out", [snapshot], threads=1))
    assert all("query" in row and "solver" in row for row in caught.value.rows)
    assert not (tmp_path / "out").exists()


def test_a_changed_fact_is_found_by_verify(tmp_path: Path, built: Path) -> None:
    for name in FILES:
        (tmp_path / name).write_bytes((built / name).read_bytes())
    facts = pq.read_table(tmp_path / "facts.parquet").to_pylist()
    for fact in facts:
        fact["triple"] = fact["triple"].replace("POINT (0.5 0.5)", "POINT (0.6 0.5)")
    pq.write_table(
        pa.Table.from_pylist(facts, schema=pq.read_schema(built / "facts.parquet")),
        tmp_path / "facts.parquet",
    )
    result = verify(tmp_path, threads=1)
    assert 0 < len(result.differences) == result.total - result.agreed


def test_a_missing_fact_is_an_error(tmp_path: Path, built: Path) -> None:
    for name in FILES:
        (tmp_path / name).write_bytes((built / name).read_bytes())
    table = pq.read_table(tmp_path / "facts.parquet")
    pq.write_table(table.slice(1), tmp_path / "facts.parquet")
    with pytest.raises(InputError, match="names fact 0"):
        verify(tmp_path, threads=1)


def test_a_folder_that_is_no_benchmark_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"holds no questions.*questions\.parquet"):
        verify(tmp_path)


def test_a_build_shares_no_question_with_another(tmp_path: Path, built: Path, snapshot: Path) -> None:
    """With another seed and the same data, what was asked is not asked again, whatever the quota."""
    build(BuildConfig(tmp_path / "small", [snapshot], threads=1, per_cell=2, subtemplates=["A01.a", "J04.a"]))
    taken = rows(tmp_path / "small")
    fresh = BuildConfig(
        tmp_path / "fresh", [snapshot], seed=9, threads=1, subtemplates=["A01.a", "J04.a"],
        disjoint_from=[tmp_path / "small"],
    )  # fmt: skip
    build(fresh)
    found = rows(tmp_path / "fresh")
    assert found and not {row["question"] for row in found} & {row["question"] for row in taken}
    pairs = {(row["subtemplate"], row["roles"]) for row in found}
    assert not pairs & {(row["subtemplate"], row["roles"]) for row in taken}
    causes = {row["cause"] for row in json.loads((tmp_path / "fresh/build.json").read_text())["discards"]}
    assert "asked_in_other_benchmark" in causes


def test_a_train_split_shares_no_entity(tmp_path: Path, snapshot: Path) -> None:
    build(BuildConfig(tmp_path / "test", [snapshot], threads=1, per_cell=1, subtemplates=["N01.b"]))
    (asked,) = rows(tmp_path / "test")
    config = BuildConfig(
        tmp_path / "train", [snapshot], threads=1, subtemplates=["N01.b", "A01.a"],
        disjoint_entities_from=[tmp_path / "test"],
    )  # fmt: skip
    build(config)
    found = rows(tmp_path / "train")
    assert len(found) > 3
    assert not {iri for row in found for iri in row["entities"]} & set(asked["entities"])


def test_disjoint_from_what_is_no_benchmark(tmp_path: Path, snapshot: Path) -> None:
    with pytest.raises(InputError, match="cannot be read as questions"):
        build(BuildConfig(tmp_path / "out", [snapshot], disjoint_from=[tmp_path]))
