"""Verification of released files: every form is read, and any change of an answer, a name or a triple is a difference."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from multiglobeqa.build import BuildConfig, build, verify
from multiglobeqa.build.released import TRIPLES, files_of, rows_of
from multiglobeqa.errors import InputError

Rows = list[dict[str, Any]]


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small benchmark: distances, entities, sets, booleans."""
    world = Path(__file__).parents[2] / "src" / "multiglobeqa" / "data" / "world" / "osmh3kg"
    if not (world / "manifest.json").is_file():
        pytest.skip("the embedded world is not there")
    out = tmp_path_factory.mktemp("bench")
    build(
        BuildConfig(
            out=out, kgs=[world], threads=1, per_cell=3, subtemplates=["A01", "A04", "B02.a", "J01.a"]
        )
    )
    return out


@pytest.fixture(scope="module")
def rows(bench: Path) -> Rows:
    """The questions with their triples inside, as a release has them."""
    facts = pq.read_table(bench / "facts.parquet")
    lines = dict(zip(facts["fact_id"].to_pylist(), facts["triple"].to_pylist(), strict=True))
    return [
        {**row, TRIPLES: [lines[i] for i in row["fact_ids"]]}
        for row in pq.read_table(bench / "questions.parquet").to_pylist()
    ]


def as_parquet(folder: Path, rows: Rows) -> Path:
    pq.write_table(pa.Table.from_pylist(rows), folder / "released.parquet")
    return folder / "released.parquet"


def as_jsonl(folder: Path, rows: Rows) -> Path:
    file = folder / "released.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def as_decoded_jsonl(folder: Path, rows: Rows) -> Path:
    return as_jsonl(
        folder, [{**r, "roles": json.loads(r["roles"]), "params": json.loads(r["params"])} for r in rows]
    )


def as_release(folder: Path, rows: Rows) -> Path:
    """Two variants in two languages' folders; the small one repeats rows."""
    for name, part in (("eng/large", rows), ("eng/small", rows[:3])):
        home = folder / "data" / name
        home.mkdir(parents=True)
        pq.write_table(pa.Table.from_pylist(part), home / "test-00000-of-00001.parquet")
    return folder


FORMS = [as_parquet, as_jsonl, as_decoded_jsonl, as_release]


@pytest.mark.parametrize("form", FORMS)
def test_every_form_verifies(tmp_path: Path, rows: Rows, form: Callable[[Path, Rows], Path]) -> None:
    result = verify(form(tmp_path, rows), threads=1)
    assert result.differences == []
    assert result.total == result.agreed == len(rows) > 5


def test_a_folder_and_a_file_beside_its_facts(bench: Path, rows: Rows) -> None:
    for path in (bench, bench / "questions.parquet", bench / "questions.jsonl"):
        result = verify(path, threads=1)
        assert (result.total, result.differences) == (len(rows), [])


def tampered(rows: Rows, subtemplate: str, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Rows:
    place = next(i for i, row in enumerate(rows) if row["subtemplate"].startswith(subtemplate))
    return [*rows[:place], {**rows[place], **change(rows[place])}, *rows[place + 1 :]]


def without_last_geometry(row: dict[str, Any]) -> dict[str, Any]:
    return {TRIPLES: [line for line in row[TRIPLES] if "asWKT" not in line]}


CHANGES: dict[str, tuple[str, Callable[[dict[str, Any]], dict[str, Any]], str]] = {
    "distance": ("A01", lambda r: {"gold": json.dumps(json.loads(r["gold"]) * 1.01)}, "solver"),
    "boolean": ("J01", lambda r: {"gold": json.dumps(not json.loads(r["gold"]))}, "solver"),
    "entity": ("A04", lambda r: {"accepted_iris": [next(v["iri"] for v in json.loads(r["roles"]).values()
                                                         if v["iri"] not in r["accepted_iris"])]}, "does not name"),
    "entity name": ("A04", lambda r: {"gold": json.dumps("Nowhere")}, "does not name"),
    "set": ("B02", lambda r: {"accepted_iris": [*r["accepted_iris"], "https://example.org/x"]}, "entities"),
    "set name": ("B02", lambda r: {"gold": json.dumps([*json.loads(r["gold"])[1:], "Nowhere"])}, "does not name"),
    "set size": ("B02", lambda r: {"gold": json.dumps([*json.loads(r["gold"]), "Nowhere"])}, "gold names"),
    "triples": ("A01", without_last_geometry, "solver failed"),
    "premise": ("A01", lambda r: {"premise": False, "premise_failure": "no_member"}, "solver"),
    "sub-template": ("A01", lambda r: {"subtemplate": "A77.a"}, "solver failed"),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_any_change_is_reported(tmp_path: Path, rows: Rows, name: str) -> None:
    subtemplate, change, message = CHANGES[name]
    changed = tampered(rows, subtemplate, change)
    result = verify(as_jsonl(tmp_path, changed), threads=1)
    assert (result.total, len(result.differences)) == (len(rows), 1)
    identity = next(new["id"] for new, old in zip(changed, rows, strict=True) if new != old)
    assert result.differences[0].startswith(identity) and message in result.differences[0]


def test_a_small_variant_that_differs_is_reported(tmp_path: Path, rows: Rows) -> None:
    """The same id with another answer is another question, checked on its own."""
    folder = as_release(tmp_path, rows)
    changed = tampered(rows, "A01", CHANGES["distance"][1])
    pq.write_table(
        pa.Table.from_pylist(changed), folder / "data" / "eng" / "small" / "test-00000-of-00001.parquet"
    )
    result = verify(folder, threads=1)
    assert (result.total, len(result.differences)) == (len(rows) + 1, 1)


def test_names_in_another_language_are_not_compared_with_english_labels(tmp_path: Path, rows: Rows) -> None:
    changed = tampered(rows, "A04", lambda r: {"gold": json.dumps("Nimi"), "language": "fin"})
    assert verify(as_jsonl(tmp_path, changed), threads=1).differences == []


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("x.jsonl", '{"id": "1"}\n', "x.jsonl:1: has no column subtemplate"),
        ("x.jsonl", "\n{\n", "x.jsonl:2: is not JSON"),
        ("x.jsonl", "[]\n", "x.jsonl:1: is no JSON object"),
        ("x.parquet", "PAR1", "is no whole Parquet file"),
        ("x.csv", "id,gold\n", "Name a Parquet or a JSON Lines"),
    ],
)
def test_bad_files_are_named(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=message):
        list(rows_of(tmp_path / name))


def test_missing_triples_and_folders_are_named(tmp_path: Path, rows: Rows) -> None:
    bare = [{k: v for k, v in rows[0].items() if k != TRIPLES}]
    with pytest.raises(InputError, match="has no triples"):
        list(rows_of(as_jsonl(tmp_path, bare)))
    with pytest.raises(InputError, match="holds no questions"):
        files_of(tmp_path)
    with pytest.raises(InputError, match="neither a file nor a folder"):
        files_of(tmp_path / "none")
    with pytest.raises(InputError, match=r"roles of question .* is not JSON"):
        list(rows_of(as_jsonl(tmp_path, [{**rows[0], "roles": "{"}])))
