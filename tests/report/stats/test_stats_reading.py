"""What the statistics read: folders, releases, files; and what they refuse."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from multiglobeqa.build import BuildConfig, build
from multiglobeqa.build.schema import FACT_SCHEMA, QUESTION_SCHEMA
from multiglobeqa.errors import InputError
from multiglobeqa.kg.store import Snapshot
from multiglobeqa.report.stats import collect, read
from multiglobeqa.report.stats.classes import question_classes
from multiglobeqa.report.stats.table import Table
from multiglobeqa.report.stats.world import World, open_world
from multiglobeqa.taxonomy import load

TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
KWG = "<http://stko-kwg.geog.ucsb.edu/lod/ontology/"
WKGS = "<http://www.worldkg.org/schema/"


def write_release(root: Path, rows: list[dict[str, Any]], triples: list[list[str]]) -> Path:
    """large: all English rows in two shards; small: the second; train: the first; the rest in its own language."""
    schema = pa.schema([*QUESTION_SCHEMA, ("triples", pa.list_(pa.string()))])
    full = [row | {"triples": lines} for row, lines in zip(rows, triples, strict=True)]
    english = [row for row in full if row["language"] == "eng"]
    others = [row for row in full if row["language"] != "eng"]
    parts = {
        "eng/large/test-00000-of-00002": english[:4],
        "eng/large/test-00001-of-00002": english[4:],
        "eng/small/test-00000-of-00001": english[1:2],
        "eng/large/train-00000-of-00001": english[:1],
        "fra/large/test-00000-of-00001": others,
    }
    for name, mine in parts.items():
        path = root / "data" / f"{name}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.Table.from_pylist(mine, schema=schema), path)
    return root


def test_a_release_is_read_by_split_and_its_small_variant_counted(
    rows: list[dict[str, Any]], snapshot: Snapshot, tmp_path: Path
) -> None:
    triples = [["<urn:a> <urn:b> <urn:c> ."] * len(row["fact_ids"]) for row in rows]
    root = write_release(tmp_path / "rel", rows, triples)
    found = read(root)
    assert found.table.num_rows == 11
    assert found.repeated == 0
    assert np.asarray(found.column("id"))[found.small].tolist() == [rows[1]["id"]]
    assert found.by_language() == {"eng": 10, "fra": 1}
    assert read(root, "train").column("id") == [rows[0]["id"]]
    stats = collect(root, [snapshot.path])
    assert stats.table("variants").rows[-1] == ("all", "", 10, 1)
    assert stats.table("gold_triples").rows[-1] == ("all", 10, 2, 4.5, 5.5, 10)


def test_a_file_of_lines_tells_the_same_as_the_folder(
    benchmark: Path, rows: list[dict[str, Any]], tmp_path: Path
) -> None:
    file = tmp_path / "q.jsonl"
    file.write_text("".join(json.dumps(row) + "\n\n" for row in rows), "utf-8")
    folder, lines = read(benchmark), read(file)
    assert folder.table.equals(lines.table)
    assert (folder.small == lines.small).all()


def test_decoded_json_columns_in_lines_are_taken(rows: list[dict[str, Any]], tmp_path: Path) -> None:
    file = tmp_path / "q.jsonl"
    plain = rows[2] | {
        "roles": json.loads(rows[2]["roles"]),
        "params": {"class": "city15000"},
        "gold": ["P0", "P1"],
    }
    file.write_text(json.dumps(plain), "utf-8")
    found = read(file)
    assert json.loads(found.column("gold")[0]) == ["P0", "P1"]
    assert json.loads(found.column("params")[0]) == {"class": "city15000"}


def test_columns_of_later_versions_may_be_absent(benchmark: Path, tmp_path: Path) -> None:
    table = pq.read_table(benchmark / "questions.parquet")
    pq.write_table(
        table.drop_columns(["modality", "image", "slips", "premise_failure"]), tmp_path / "old.parquet"
    )
    found = read(tmp_path / "old.parquet")
    assert set(found.column("modality")) == {"text"}
    assert found.column("facts")[0] == 4


def test_a_repeated_row_is_counted_once_and_told(rows: list[dict[str, Any]], tmp_path: Path) -> None:
    twice = [*rows, rows[3] | {"derived_from": "x"}]
    pq.write_table(pa.Table.from_pylist(twice, schema=QUESTION_SCHEMA), tmp_path / "q.parquet")
    found = read(tmp_path / "q.parquet")
    assert (found.table.num_rows, found.repeated) == (11, 1)


def test_an_id_of_two_questions_is_an_error(rows: list[dict[str, Any]], tmp_path: Path) -> None:
    other = [*rows, rows[4] | {"gold": '"P1"'}]
    pq.write_table(pa.Table.from_pylist(other, schema=QUESTION_SCHEMA), tmp_path / "q.parquet")
    with pytest.raises(InputError, match=f"{rows[4]['id']}: their gold differs"):
        read(tmp_path / "q.parquet")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"gold": '"three"'}, "gold of question 0000000000000003 is no set"),
        ({"gold": "[P0"}, "gold of question 0000000000000003 is not JSON"),
        ({"slips": "{"}, "slips of question 0000000000000003 is not JSON"),
        ({"image": '"x.jpg"'}, "image that names no iri"),
    ],
)
def test_values_that_cannot_be_read_name_the_question(
    rows: list[dict[str, Any]], tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    pq.write_table(pa.Table.from_pylist([rows[2] | change], schema=QUESTION_SCHEMA), tmp_path / "q.parquet")
    with pytest.raises(InputError, match=message):
        collect(tmp_path / "q.parquet")


def test_files_that_are_no_questions_are_refused(benchmark: Path, tmp_path: Path) -> None:
    whole = pq.read_table(benchmark / "questions.parquet")
    pq.write_table(whole.drop_columns(["template"]), tmp_path / "short.parquet")
    with pytest.raises(InputError, match="has no column template"):
        read(tmp_path / "short.parquet")
    pq.write_table(whole.slice(0, 0), tmp_path / "none.parquet")
    with pytest.raises(InputError, match="holds no questions"):
        read(tmp_path / "none.parquet")
    (tmp_path / "cut.parquet").write_bytes((benchmark / "questions.parquet").read_bytes()[:300])
    with pytest.raises(InputError, match="is no whole Parquet file"):
        read(tmp_path / "cut.parquet")
    lines = tmp_path / "q.jsonl"
    lines.write_text('{"id": "1"}\n', "utf-8")
    with pytest.raises(InputError, match="has no column kg"):
        read(lines)
    lines.write_text('\n{"id": \n', "utf-8")
    with pytest.raises(InputError, match=r"q\.jsonl.*2.*is not JSON"):
        read(lines)
    with pytest.raises(InputError, match="Only a release folder has splits"):
        read(benchmark, "train")


def test_a_snapshot_from_which_no_question_comes_is_refused(
    benchmark: Path, make_snapshot: Callable[..., Snapshot], small_rows: list[dict[str, Any]], tmp_path: Path
) -> None:
    other = make_snapshot(tmp_path, small_rows[:3])
    with pytest.raises(InputError, match="from which no question comes"):
        open_world(read(benchmark), [other.path])


def test_two_kgs_may_hold_one_iri_of_two_classes(rows: list[dict[str, Any]], tmp_path: Path) -> None:
    iri = "https://sws.geonames.org/1/"
    both = [
        row
        | {
            "id": identity,
            "kg": kg,
            "snapshot_id": "gone",
            "roles": json.dumps({"A": {"iri": iri, "name": "A"}}),
        }
        for row, kg, identity in zip(rows[:2], ("worldkg", "knowwheregraph"), "ab", strict=True)
    ]
    pq.write_table(pa.Table.from_pylist(both, schema=QUESTION_SCHEMA), tmp_path / "questions.parquet")
    lines = [f"<{iri}> {TYPE} {KWG}City15000> .", f"<{iri}> {TYPE} {WKGS}Place> ."]
    facts = pa.table({"fact_id": pa.array([0, 1], pa.int32()), "triple": lines}, schema=FACT_SCHEMA)
    pq.write_table(facts, tmp_path / "facts.parquet")
    questions = read(tmp_path)
    subs = {sub.id: sub for sub in load(only=["A01"])}
    assert question_classes(questions, open_world(questions), subs) == ["settlement", "city15000"]


def test_a_build_is_counted_whole_and_both_sources_of_classes_agree(
    make_snapshot: Callable[..., Snapshot], small_rows: list[dict[str, Any]], tmp_path: Path
) -> None:
    kg = make_snapshot(tmp_path / "kg" / "north", small_rows)
    names = ["A01.a", "B02.b", "F01.c", "N01.b", "N02.a"]
    done = build(BuildConfig(tmp_path, [kg.path], threads=1, subtemplates=names))
    stats = collect(tmp_path)
    assert stats.questions == done.questions > 0
    assert stats.table("table7_families").rows[-1][-1] == done.questions
    matrix = sum(cell["questions"] for cell in done.summary["matrix"])
    assert stats.table("table7_families").rows[-1][1] == matrix  # true premises
    assert stats.table("class_by_stratum").columns[-1] == "questions"
    assert sum(row[-1] for row in stats.table("class_by_stratum").rows) == done.questions
    questions, subs = read(tmp_path), {sub.id: sub for sub in load(only=names)}
    world = open_world(questions)
    assert world.missing == []
    nowhere = World([], world.entities.slice(0, 0), [], frozenset())
    by_snapshot, by_triples = (question_classes(questions, each, subs) for each in (world, nowhere))
    assert by_snapshot == by_triples
    assert {"city15000", "admin1"} <= set(by_snapshot)


def test_a_row_of_another_width_is_a_fault_of_ours() -> None:
    with pytest.raises(ValueError, match="has not the 2 columns"):
        Table("t", "T", ("a", "b"), [(1,)])


def test_an_unclassified_economy_has_a_country_and_no_stratum(
    rows: list[dict[str, Any]], tmp_path: Path
) -> None:
    other = rows[0] | {"id": "v", "income": "unclassified", "country": "VEN"}
    pq.write_table(pa.Table.from_pylist([rows[0], other], schema=QUESTION_SCHEMA), tmp_path / "q.parquet")
    found = collect(tmp_path / "q.parquet").table("table2_strata").rows
    assert found[3] == ("LIC", 1, 0, 0, 1, 50.0, 1)
    assert found[4] == ("no stratum", None, None, None, 1, 50.0, 1)
    assert found[5] == ("all", 1, 0, 0, 2, 100.0, 2)


def test_two_entities_at_one_place_are_one_site(rows: list[dict[str, Any]], tmp_path: Path) -> None:
    cafe = rows[6]
    beside = [cafe, cafe | {"id": "a", "entities": ["urn:other"]}, cafe | {"id": "b", "lon": 7.43}]
    pq.write_table(pa.Table.from_pylist(beside, schema=QUESTION_SCHEMA), tmp_path / "q.parquet")
    found = collect(tmp_path / "q.parquet")
    assert found.sites.lon.tolist() == [7.42, 7.43]
    assert found.table("figure5_summary").rows[0] == ("HIC", 2, 1)
