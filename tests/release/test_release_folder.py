"""A release as its users meet it: loaded, checked, described; and what may not be released."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from PIL import Image

from multiglobeqa.build.variants import small
from multiglobeqa.errors import InputError, VerificationError
from multiglobeqa.kg.store import Snapshot
from multiglobeqa.release import ReleaseConfig, Released, release

ADDED = {"triples"}


def questions(folder: Path, modality: str) -> dict[str, dict[str, Any]]:
    rows = pq.read_table(folder / "questions.parquet").to_pylist()
    return {row["id"]: row for row in rows if row["modality"] == modality}


def facts(folder: Path) -> dict[int, str]:
    table = pq.read_table(folder / "facts.parquet")
    return dict(zip(table["fact_id"].to_pylist(), table["triple"].to_pylist(), strict=True))


def files_of(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize("config", ["eng-large", "eng-small"])
def test_load_dataset_gives_every_row_back(
    datasets: Any, released: Released, benchmark: Path, tmp_path: Path, config: str
) -> None:
    loaded = datasets.load_dataset(str(released.path), config, split="test", cache_dir=str(tmp_path))
    source, lines = questions(benchmark, "text"), facts(benchmark)
    assert loaded.num_rows == len(source) > 20  # the small world is smaller than the quota
    assert {row["premise"] for row in loaded} == {True, False}
    for row in loaded:
        original = source[row["id"]]
        assert set(row) - set(original) == ADDED
        assert {name: row[name] for name in original} == original
        assert row["triples"] == [lines[fact] for fact in original["fact_ids"]]


def test_load_dataset_without_a_config_is_the_small_variant(
    datasets: Any, released: Released, tmp_path: Path
) -> None:
    loaded = datasets.load_dataset(str(released.path), cache_dir=str(tmp_path))
    assert loaded["test"].num_rows == released.rows["eng-small", "test"]


def test_image_config_carries_the_pictures(
    datasets: Any, released: Released, benchmark: Path, tmp_path: Path
) -> None:
    source = questions(benchmark, "image")
    for config in ("eng-large-image", "eng-small-image"):
        loaded = datasets.load_dataset(str(released.path), config, split="test", cache_dir=str(tmp_path))
        assert {row["id"]: row["picture"].size for row in loaded} == {
            f"{1:016x}": (160, 120),
            f"{2:016x}": (120, 90),
        }
        raw = loaded.cast_column("picture", datasets.Image(decode=False))
        for row in raw:
            original = source[row["id"]]
            assert {name: row[name] for name in original} == original
            name = Path(row["picture"]["path"])
            stored = benchmark / "images" / name.name[:2] / name.name
            assert row["picture"]["bytes"] == stored.read_bytes()
            assert hashlib.sha256(row["picture"]["bytes"]).hexdigest() == name.stem
            assert (row["picture_author"], row["picture_licence"]) == ("A. Photographer", "CC BY 4.0")
    assert released.left_out == {("test", "no_licence"): 1, ("test", "not_fetched"): 1}


def test_a_changed_picture_is_left_out(benchmark: Path, kg: Snapshot, tmp_path: Path) -> None:
    folder = tmp_path / "b"
    shutil.copytree(benchmark, folder)
    victim = next(path for path in (folder / "images").rglob("*.jpg") if Image.open(path).width == 120)
    data = io.BytesIO()
    Image.new("RGB", (120, 90)).save(data, "JPEG")
    victim.write_bytes(data.getvalue())
    done = release(ReleaseConfig(folder, tmp_path / "o", None, [kg], threads=1))
    assert done.rows["eng-large-image", "test"] == 1
    assert done.left_out["test", "file_changed"] == 1


def test_train_is_a_split_of_large_alone(
    datasets: Any, released: Released, train: Path, tmp_path: Path
) -> None:
    loaded = datasets.load_dataset(str(released.path), "eng-large", cache_dir=str(tmp_path))
    assert set(loaded) == {"test", "train"}
    source = questions(train, "text")
    assert {row["id"]: row["gold"] for row in loaded["train"]} == {k: r["gold"] for k, r in source.items()}
    assert ("eng-small", "train") not in released.rows


def test_same_input_gives_the_same_bytes_and_replaces(
    released: Released, benchmark: Path, train: Path, kg: Snapshot
) -> None:
    before = files_of(released.path)
    (released.path / "stale.txt").write_text("old")
    release(ReleaseConfig(benchmark, released.path, train, [kg], threads=1))
    assert files_of(released.path) == before
    assert [path.name for path in released.path.parent.iterdir()] == [released.path.name]


def test_checksums_cover_every_file(released: Released) -> None:
    for folder in (released.path, released.path / released.snapshots[0].folder):
        lines = (folder / "SHA256SUMS").read_text().splitlines()
        listed = {name: digest for digest, name in (line.split("  ") for line in lines)}
        assert listed == {name: digest for name, digest in files_of(folder).items() if name != "SHA256SUMS"}


def test_snapshot_is_whole(released: Released, kg: Snapshot) -> None:
    folder = released.path / "kg" / kg.snapshot_id
    for file in [*kg.entity_files, *kg.label_files]:
        assert (folder / Path(file).name).read_bytes() == Path(file).read_bytes()
    for part, count in released.snapshots[0].triples.items():
        with gzip.open(folder / f"{part}.triples.nt.gz", "rt") as stream:
            lines = stream.read().splitlines()
        assert len(lines) == count > 0
        assert all(line.endswith(" .") for line in lines)
    assert "| north | CC0-1.0 | hand-made |" in (folder / "LICENCES.md").read_text()


def test_card_counts_what_is_released(released: Released, benchmark: Path) -> None:
    text = (released.path / "README.md").read_text()
    _, head, body = text.split("---\n", 2)
    matter = yaml.safe_load(head)
    assert matter["language"] == ["en"]
    assert matter["license"] == ["cc0-1.0"]
    assert matter["size_categories"] == ["n<1K"]
    assert "visual-question-answering" in matter["task_categories"]
    configs = {
        each["config_name"]: [file["split"] for file in each["data_files"]] for each in matter["configs"]
    }
    assert configs == {
        "eng-large": ["test", "train"],
        "eng-small": ["test"],
        "eng-large-image": ["test"],
        "eng-small-image": ["test"],
    }
    source = questions(benchmark, "text")
    false = sum(not row["premise"] for row in source.values())
    assert f"| `eng-large` | test | {len(source)} | {false} |" in body
    assert f"{false} test questions have a false premise" in body
    every = len(source) + len(questions(benchmark, "image"))
    told = (
        f"it agreed on {every} of {every} questions (100 %), the image questions left out below among them."
    )
    assert told in body
    families = Counter(row["family"] for row in source.values())
    assert f"| N Reference | {families['N']} | {families['N']} | 2 | 2 |" in body
    assert "| test | no licence | 1 |" in body
    assert "| knowwheregraph | north | CC0-1.0 | hand-made |" in body
    assert "Natural Earth, 1:10" not in body  # no part of this KG is from there
    assert "share no question and" in body


def test_card_follows_the_data(
    changed: Callable[..., Path], released: Released, kg: Snapshot, tmp_path: Path
) -> None:
    """With a third of the questions, other counts are printed, and no image slice."""
    folder = changed(lambda row: row["subtemplate"] == "J04.a")
    count = len(questions(folder, "text"))
    release(ReleaseConfig(folder, tmp_path / "o", None, None, threads=1))
    text = (tmp_path / "o" / "README.md").read_text()
    assert f"| `eng-large` | test | {count} | 0 |" in text
    assert "picture" not in text.replace("the picture that the KG states", "")
    assert "false premise:" not in text
    assert not (tmp_path / "o" / "kg").exists()


@pytest.mark.parametrize("shard_rows", [10, 1000])
def test_croissant_is_valid_and_gives_the_records(
    benchmark: Path, tmp_path: Path, shard_rows: int, caplog: pytest.LogCaptureFixture
) -> None:
    mlcroissant = pytest.importorskip(
        "mlcroissant", reason="mlcroissant is not installed; it is for development"
    )
    out = tmp_path / "o"
    release(ReleaseConfig(benchmark, out, threads=1, shard_rows=shard_rows, date="2026-12-01"))
    dataset = mlcroissant.Dataset(str(out / "croissant.json"))
    issues = dataset.metadata.ctx.issues
    assert not issues.errors
    assert [text for text in issues.warnings if "citeAs" not in text] == []
    assert "not standard" not in caplog.text
    source = questions(benchmark, "text")
    records = list(dataset.records("eng-large/test"))
    found = {
        record["eng-large/test/id"].decode(): record["eng-large/test/question"].decode() for record in records
    }
    assert found == {key: row["question"] for key, row in source.items()}
    assert len(list((out / "data/eng/large").glob("test-*.parquet"))) == -(-len(source) // shard_rows)
    content = json.loads((out / "croissant.json").read_text())
    listed = {each["@id"]: each["sha256"] for each in content["distribution"] if "sha256" in each}
    tables = {k: v for k, v in files_of(out).items() if k.startswith("data/")}
    assert {name: listed[name] for name in tables} == tables


def test_shards_load_as_one_split(datasets: Any, benchmark: Path, tmp_path: Path) -> None:
    release(ReleaseConfig(benchmark, tmp_path / "o", threads=1, shard_rows=7))
    loaded = datasets.load_dataset(
        str(tmp_path / "o"), "eng-large", split="test", cache_dir=str(tmp_path / "c")
    )
    order = [row["id"] for row in pq.read_table(benchmark / "questions.parquet").to_pylist()]
    assert loaded["id"][:] == [key for key in order if key in questions(benchmark, "text")]


def test_languages_have_configs_of_their_own(
    datasets: Any, benchmark: Path, changed: Callable[..., Path], tmp_path: Path
) -> None:
    folder = changed(lambda row: row["modality"] == "text")
    table = pq.read_table(folder / "questions.parquet")
    rows = table.to_pylist()
    german = [row | {"language": "deu", "question": f"Frage: {row['question']}"} for row in rows]
    pq.write_table(pa.Table.from_pylist(rows + german, schema=table.schema), folder / "questions.parquet")
    done = release(ReleaseConfig(folder, tmp_path / "o", threads=1))
    assert done.rows == {
        (f"{code}-{v}", "test"): len(rows) for code in ("eng", "deu") for v in ("large", "small")
    }
    matter = yaml.safe_load((tmp_path / "o/README.md").read_text().split("---\n")[1])
    assert matter["language"] == ["de", "en"]
    loaded = datasets.load_dataset(
        str(tmp_path / "o"), "deu-small", split="test", cache_dir=str(tmp_path / "c")
    )
    assert loaded[:]["question"] == [row["question"] for row in german]


def test_a_failed_release_leaves_the_old_one(
    benchmark: Path, changed: Callable[..., Path], tmp_path: Path
) -> None:
    """A column ``image`` that names no picture stops the release; the one that stood there stays."""
    release(ReleaseConfig(benchmark, tmp_path / "o", threads=1))
    before = files_of(tmp_path / "o")

    def spoil(row: dict[str, Any]) -> None:
        if row["modality"] == "image":
            row["image"] = "{}"

    with pytest.raises(InputError, match="no object of iri, source and name"):
        release(ReleaseConfig(changed(spoil), tmp_path / "o", threads=1))
    assert files_of(tmp_path / "o") == before


def test_small_of_the_release_is_the_small_variant(released: Released, benchmark: Path) -> None:
    whole = pq.read_table(benchmark / "questions.parquet")
    fixed = set(small(whole)["id"].to_pylist()) & set(questions(benchmark, "text"))
    written = pq.read_table(released.path / "data/eng/small", columns=["id"])["id"].to_pylist()
    assert set(written) == fixed


def test_a_wrong_answer_stops_the_release(changed: Callable[..., Path], kg: Snapshot, tmp_path: Path) -> None:
    def spoil(row: dict[str, Any]) -> None:
        if row["subtemplate"] == "A01.a":
            row["gold"] = json.dumps(json.loads(row["gold"]) * 1.01)

    with pytest.raises(VerificationError, match=r"A01\.a"):
        release(ReleaseConfig(changed(spoil), tmp_path / "o", None, [kg], threads=1))
    assert not (tmp_path / "o").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["changed"]


def test_a_false_premise_with_an_answer_stops_the_release(
    changed: Callable[..., Path], tmp_path: Path
) -> None:
    def spoil(row: dict[str, Any]) -> None:
        if row["subtemplate"] == "G02":
            row |= {"premise": False, "gold": None, "premise_failure": row["premise_failure"] or "outside"}

    with pytest.raises(VerificationError, match="G02"):
        release(ReleaseConfig(changed(spoil), tmp_path / "o", threads=1))


def test_a_snapshot_that_was_changed_stops_the_release(benchmark: Path, kg: Snapshot, tmp_path: Path) -> None:
    """Found while the folder is written: nothing of it stays, and an older release does."""
    release(ReleaseConfig(benchmark, tmp_path / "o", threads=1))
    before = files_of(tmp_path / "o")
    shutil.copytree(kg.path, tmp_path / "kg")
    file = tmp_path / "kg" / Path(kg.label_files[0]).name
    file.write_bytes(file.read_bytes() + b"PAR1")
    copy = Snapshot(tmp_path / "kg", kg.kg, kg.snapshot_id, kg.parts)
    with pytest.raises(InputError, match="SHA-256 differs"):
        release(ReleaseConfig(benchmark, tmp_path / "o", None, [copy], threads=1))
    assert files_of(tmp_path / "o") == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kg", "o"]


def test_train_may_not_share_a_question(
    benchmark: Path, changed: Callable[..., Path], tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="stand in the test too"):
        release(ReleaseConfig(benchmark, tmp_path / "o", benchmark, threads=1))

    def renamed(row: dict[str, Any]) -> None:
        row["id"] = row["id"][::-1]

    with pytest.raises(InputError, match="stand in the test too"):
        release(ReleaseConfig(benchmark, tmp_path / "o", changed(renamed), threads=1))


def test_snapshots_must_be_those_of_the_questions(
    benchmark: Path, kg: Snapshot, changed: Callable[..., Path], tmp_path: Path
) -> None:
    def other(row: dict[str, Any]) -> None:
        row["snapshot_id"] = f"{kg.snapshot_id}+osmh3kg-1234"

    with pytest.raises(InputError, match=r"snapshot osmh3kg-1234, which is not at hand.*--kg"):
        release(ReleaseConfig(changed(other), tmp_path / "o", None, [kg], threads=1))
    with pytest.raises(InputError, match="from which no question comes"):
        stranger = Snapshot(kg.path, kg.kg, "knowwheregraph-0000", kg.parts)
        release(ReleaseConfig(benchmark, tmp_path / "o", None, [kg, stranger], threads=1))


def test_out_may_not_be_something_else(benchmark: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    with pytest.raises(InputError, match="is no release"):
        release(ReleaseConfig(benchmark, tmp_path / "mine", threads=1))
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "years of work"
    with pytest.raises(InputError, match="lies in the benchmark folder"):
        release(ReleaseConfig(benchmark, benchmark / "hub", threads=1))
    with pytest.raises(InputError, match="no date"):
        release(ReleaseConfig(benchmark, tmp_path / "o", threads=1, date="1.12.2026"))


def test_missing_facts_and_columns(benchmark: Path, tmp_path: Path) -> None:
    folder = tmp_path / "b"
    shutil.copytree(benchmark, folder)
    table = pq.read_table(folder / "facts.parquet")
    pq.write_table(table.slice(1), folder / "facts.parquet")
    with pytest.raises(InputError, match=r"names fact \d+, which is not there"):
        release(ReleaseConfig(folder, tmp_path / "o", threads=1))
    pq.write_table(table, folder / "facts.parquet")
    whole = pq.read_table(folder / "questions.parquet")
    pq.write_table(whole.drop_columns(["slips"]), folder / "questions.parquet")
    with pytest.raises(InputError, match="no column 'slips'"):
        release(ReleaseConfig(folder, tmp_path / "o", threads=1))
    pq.write_table(whole.drop_columns(["derived_from"]), folder / "questions.parquet")
    release(ReleaseConfig(folder, tmp_path / "o", threads=1))
    written = pq.read_table(tmp_path / "o/data/eng/large")
    assert written["derived_from"].null_count == written.num_rows
    assert written.schema.names[:-1] == whole.schema.names
