"""A benchmark of the small world with false premises, image questions and fetched pictures, and its release."""

from __future__ import annotations

import importlib
import io
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from multiglobeqa.build import BuildConfig, build
from multiglobeqa.cli.main import main
from multiglobeqa.images.check import Limits, fit
from multiglobeqa.images.store import ImageStore
from multiglobeqa.kg.store import Snapshot
from multiglobeqa.release import ReleaseConfig, Released, release

SUBS = ["A01.a", "A04.a", "B02.b", "E01.b", "F01.c", "G02", "H03", "J04.a", "M01", "N01.b", "N02.a"]
OSM = "https://www.openstreetmap.org/node/"
SHOWN = {OSM + "1": (160, 120), OSM + "2": (120, 90)}
"""Entity -> width and height of its picture."""
NO_LICENCE, NEVER_FETCHED = OSM + "3", OSM + "4"


@pytest.fixture(scope="session")
def kg(
    tmp_path_factory: pytest.TempPathFactory,
    make_snapshot: Callable[..., Snapshot],
    small_rows: list[dict[str, Any]],
) -> Snapshot:
    return make_snapshot(tmp_path_factory.mktemp("release_kg"), small_rows)


@pytest.fixture(scope="session")
def benchmark(tmp_path_factory: pytest.TempPathFactory, kg: Snapshot) -> Path:
    """A built benchmark: text questions, some with a false premise; image questions made of four of them."""
    out = tmp_path_factory.mktemp("release_source")
    build(BuildConfig(out, [kg.path], threads=1, subtemplates=SUBS))
    table = pq.read_table(out / "questions.parquet")
    rows = table.to_pylist()
    assert not all(row["premise"] for row in rows)
    originals = [row for row in rows if row["subtemplate"] == "N01.b"]
    for number, (iri, row) in enumerate(
        zip([*SHOWN, NO_LICENCE, NEVER_FETCHED], originals[:4], strict=True), 1
    ):
        image = {"iri": iri, "source": "commons", "name": f"Place {number}.jpg"}
        rows.append(
            row
            | {"id": f"{number:016x}", "modality": "image", "image": json.dumps(image)}
            | {"question": f"Where is the place in picture {number}?", "derived_from": row["id"]}
        )
    write_rows(out, rows, table.schema)
    store = ImageStore(out)
    for iri, size in SHOWN.items():
        fetched(store, iri, list(SHOWN).index(iri) + 1, size, usable=True)
    fetched(store, NO_LICENCE, 3, (100, 100), usable=False)
    return out


def fetched(store: ImageStore, iri: str, number: int, size: tuple[int, int], *, usable: bool) -> None:
    """Put a picture into the store, as `mgqa images fetch` does."""
    data = io.BytesIO()
    Image.new("RGB", size, (10 * number, 20, 30)).save(data, "JPEG")
    picture = fit(data.getvalue(), Limits())
    store.put(picture)
    rights = {
        "author": "A. Photographer",
        "licence": "CC BY 4.0",
        "licence_url": "https://e.org/by",
        "credit": None,
    }
    store.record(
        {
            "iri": iri,
            "source": "commons",
            "name": f"Place {number}.jpg",
            "url": f"https://e.org/{number}.jpg",
            "lasting": True,
            "status": "ok",
            "usable": usable,
            "unusable": None if usable else "no_licence",
            "sha256": picture.sha256,
            "type": picture.kind,
            **(rights if usable else {}),
        }
    )


def write_rows(folder: Path, rows: list[dict[str, Any]], schema: pa.Schema) -> None:
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), folder / "questions.parquet")


def rows_of(path: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pq.read_table(path).to_pylist()
    return rows


@pytest.fixture
def changed(benchmark: Path, tmp_path: Path) -> Callable[[Callable[[dict[str, Any]], Any]], Path]:
    """A copy of the benchmark with each row changed in place; a change that returns False drops the row."""

    def make(change: Callable[[dict[str, Any]], Any]) -> Path:
        folder = tmp_path / "changed"
        shutil.copytree(benchmark, folder)
        table = pq.read_table(folder / "questions.parquet")
        rows = [row for row in table.to_pylist() if change(row) is not False]
        write_rows(folder, rows, table.schema)
        return folder

    return make


@pytest.fixture(scope="session")
def train(benchmark: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Questions that only the train split has: the boxes of N02.a under new ids and in other words."""
    folder = tmp_path_factory.mktemp("release_train") / "train"
    shutil.copytree(benchmark, folder, ignore=shutil.ignore_patterns("images"))
    table = pq.read_table(folder / "questions.parquet")
    rows = [
        row | {"id": row["id"][::-1], "question": "Train: " + row["question"]}
        for row in table.to_pylist()
        if row["subtemplate"] == "N02.a"
    ]
    write_rows(folder, rows, table.schema)
    return folder


@pytest.fixture(scope="session")
def released(
    benchmark: Path, train: Path, kg: Snapshot, tmp_path_factory: pytest.TempPathFactory
) -> Released:
    out = tmp_path_factory.mktemp("release_out") / "hub"
    return release(ReleaseConfig(benchmark, out, train, [kg], threads=1))


@pytest.fixture(scope="session")
def datasets(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The package datasets, offline, with its caches in a temporary folder."""
    patch = pytest.MonkeyPatch()
    for name in ("HF_DATASETS_OFFLINE", "HF_HUB_OFFLINE", "HF_HUB_DISABLE_TELEMETRY"):
        patch.setenv(name, "1")
    patch.setenv("HF_HOME", str(tmp_path_factory.mktemp("hf")))
    pytest.importorskip("datasets", reason="datasets is not installed; it is a development dependency")
    yield importlib.import_module("datasets")
    patch.undo()


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    """Run ``mgqa``: exit code, and what was printed."""

    def call(*arguments: object) -> tuple[int, str]:
        with pytest.raises(SystemExit) as stop:
            main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return int(stop.value.code or 0), out + err

    return call
