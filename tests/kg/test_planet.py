"""The synthetic planet: what the readers take, what copies keep of their originals and what they do not."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import shapely
from h3.api.basic_int import latlng_to_cell

from multiglobeqa.build import embedded_snapshots
from multiglobeqa.engine import DuckEngine
from multiglobeqa.errors import InputError
from multiglobeqa.kg.store import Snapshot, open_snapshot

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
WORLD = {path.name: path for path in embedded_snapshots()}


@pytest.fixture(scope="module")
def planet() -> Any:
    sys.path.insert(0, str(BENCHMARKS))
    try:
        import planet as module

        yield module
    finally:
        sys.path.remove(str(BENCHMARKS))


@pytest.fixture(scope="module")
def towns(planet: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    """About 24,000 entities of copied OSM extracts alone."""
    snapshot: Snapshot = planet.write_planet(tmp_path_factory.mktemp("towns"), "osmh3kg", 24_000, alone=True)
    return snapshot


@pytest.fixture(scope="module")
def events(planet: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    """About 3,000 entities of KnowWhereGraph alone."""
    snapshot: Snapshot = planet.write_planet(
        tmp_path_factory.mktemp("events"), "knowwheregraph", 3_000, alone=True
    )
    return snapshot


def rows_of(snapshot: Snapshot, *columns: str) -> pa.Table:
    return pa.concat_tables(
        pq.read_table(file, columns=list(columns) or None) for file in snapshot.entity_files
    )


def original(kg: str, *columns: str) -> pa.Table:
    names = [f for f in open_snapshot(WORLD[kg]).entity_files if "osm_" in f or kg != "osmh3kg"]
    return pa.concat_tables(pq.read_table(file, columns=list(columns) or None) for file in names)


def test_every_stratum_occurs_and_ids_and_parents_hold(towns: Snapshot) -> None:
    table = rows_of(towns)
    assert 20_000 < table.num_rows <= 24_000
    iris = table["iri"].to_pylist()
    assert len(set(iris)) == len(iris)
    assert not set(iris) & set(original("osmh3kg", "iri")["iri"].to_pylist())
    parents = {iri for admin in table["admin"].to_pylist() for iri in admin}
    assert parents
    assert parents <= set(iris)
    assert sum(part.report["dropped"] != {} for part in towns.parts) == 0
    strata = DuckEngine([towns]).query("SELECT DISTINCT cell FROM entity WHERE cell IS NOT NULL")
    assert strata.num_rows == 12


def test_copies_keep_shape_size_and_class(towns: Snapshot) -> None:
    copies, model = rows_of(towns), original("osmh3kg")
    model_rows, names = model.to_pylist(), ("Vaduz", "Schaan", "Ruggell", "Balzers")
    areas = {row["name"]: row for row in model_rows if row["class"] == "admin_area"}
    found = [
        row for row in copies.to_pylist() if row["class"] == "admin_area" and row["name"].split()[0] in names
    ]
    assert len(found) >= 4
    for row in found:  # a rigid motion of the sphere, measured on the ellipsoid
        was = areas[row["name"].rpartition(" ")[0]]
        assert row["length_km"] == pytest.approx(was["length_km"], rel=0.01)
        assert row["area_km2"] == pytest.approx(was["area_km2"], rel=0.015)
    xy = shapely.get_num_coordinates(shapely.from_wkb(copies["geometry"].to_numpy()))
    assert set(xy.tolist()) <= set(
        shapely.get_num_coordinates(shapely.from_wkb(model["geometry"].to_numpy())).tolist()
    )
    assert set(copies["class"].to_pylist()) <= set(model["class"].to_pylist())


def test_extracts_stand_apart_and_hold_what_they_held(towns: Snapshot) -> None:
    (part,) = towns.parts
    areas = shapely.get_parts(shapely.from_wkt(part.coverage))
    left, right = shapely.STRtree(areas).query(areas, predicate="intersects")
    assert (left == right).all()
    engine = DuckEngine([towns])
    row = engine.query(
        "SELECT avg(CAST(covered AS INTEGER)) AS share, min(edge_km) AS least FROM entity"
    ).to_pylist()[0]
    base = DuckEngine([open_snapshot(WORLD["osmh3kg"])]).query(
        "SELECT avg(CAST(covered AS INTEGER)) AS share FROM entity"
    )
    assert row["share"] == pytest.approx(base["share"][0].as_py(), abs=0.1)
    assert row["least"] >= 0


def test_names_of_two_copies_differ_and_originals_are_not_named(towns: Snapshot) -> None:
    table = rows_of(towns, "iri", "name", "attributes", "image")
    words: dict[str, set[str]] = {}
    for name in table["name"].to_pylist():
        words.setdefault(name.rpartition(" ")[2].rstrip(")"), set()).add(name)
    assert len(words) >= 12
    text = " ".join(table["attributes"].to_pylist()).lower()
    assert "wikidata" not in text
    assert table["image"].null_count == table.num_rows
    labels = pa.concat_tables(pq.read_table(file) for file in towns.label_files)
    assert set(labels["iri"].to_pylist()) <= set(table["iri"].to_pylist())
    named = dict(zip(table["iri"].to_pylist(), table["name"].to_pylist(), strict=True))
    assert any(named[row["iri"]] == row["label"] for row in labels.slice(0, 200).to_pylist())


def test_storms_move_with_their_fixes_and_footprints(events: Snapshot) -> None:
    rows = rows_of(events).to_pylist()
    storms = {row["iri"]: row for row in rows if row["class"] == "storm"}
    assert storms
    for row in storms.values():
        fixes = np.array([fix[1:3] for fix in json.loads(row["attributes"])["fixes"]], dtype=float)
        assert fixes[:, 0].min() == pytest.approx(row["bbox"]["xmin"], abs=1e-6)
        assert fixes[:, 1].max() == pytest.approx(row["bbox"]["ymax"], abs=1e-6)
        assert -180 <= fixes[:, 0].min() < fixes[:, 0].max() <= 180
    footprints = [row for row in rows if row["class"] == "storm_footprint"]
    assert {json.loads(row["attributes"])["track"] for row in footprints} <= set(storms)
    cities = [row for row in rows if row["class"] == "city15000"]
    assert cities
    assert all(row["admin"] and row["admin"][-1].endswith(row["country"]) for row in cities)


def test_equal_seeds_give_equal_bytes(planet: ModuleType, tmp_path: Path) -> None:
    made = [
        planet.write_planet(tmp_path / str(n), "worldkg", 2_000, seed, alone=True)
        for n, seed in enumerate((3, 3, 4))
    ]
    ids = [snapshot.snapshot_id for snapshot in made]
    assert ids[0] == ids[1] != ids[2]


def test_words_differ(planet: ModuleType) -> None:
    numbers = [*range(10_000), 10**6, 10**9]
    assert len({planet.word(number) for number in numbers}) == len(numbers)


def test_land_that_is_full_is_an_error(planet: ModuleType) -> None:
    from planet_places import LARGE, _extract_places

    class Full:
        def slots(self, radius_km: float, random: np.random.Generator) -> list[int]:
            return [latlng_to_cell(47.0, 9.5, LARGE)]

    land: Any = Full()
    with pytest.raises(InputError, match="no room for 60 extracts"):
        _extract_places(np.full(60, 1.0), land, np.random.default_rng(1))
