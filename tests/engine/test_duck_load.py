"""What the embedded engine loads: rows as stored, classes beside the own, the distance to a covered extent's edge."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import shapely

from multiglobeqa.build import embedded_snapshots
from multiglobeqa.engine import DuckEngine
from multiglobeqa.engine.duck import _to_edge
from multiglobeqa.geo.distance import boundary_distance_km
from multiglobeqa.kg import classes
from multiglobeqa.kg.schema import ENTITY_SCHEMA
from multiglobeqa.kg.store import open_snapshot

WORLD = {path.name: open_snapshot(path) for path in embedded_snapshots()}


@pytest.fixture(scope="module")
def towns() -> DuckEngine:
    return DuckEngine([WORLD["osmh3kg"]])


@pytest.mark.parametrize("kg", ["osmh3kg", "knowwheregraph"])
def test_rows_are_those_of_the_snapshot(kg: str) -> None:
    engine = DuckEngine([WORLD[kg]])
    stored = pa.concat_tables(pq.read_table(file) for file in WORLD[kg].entity_files).to_pylist()
    by_key = {(row["layer"], row["iri"]): row for row in stored}
    count = len(stored)
    ids = np.random.default_rng(4).permutation(np.arange(1, count + 1))[:400].astype(np.int64)
    for found in engine.rows(ids):
        expected = by_key[(found["layer"], found["iri"])]
        assert list(found) == ENTITY_SCHEMA.names
        shape = found.pop("geometry"), expected.pop("geometry")
        assert shapely.equals_exact(*shapely.from_wkb(np.array(shape, dtype=object)), tolerance=0.0)
        assert found == expected


def test_classes_beside_the_own_are_those_of_each_entity_alone(towns: DuckEngine) -> None:
    known = classes.load()
    expected = set()
    for row in towns.query("SELECT id, class, attributes FROM entity").to_pylist():
        tags = {k: str(v) for k, v in json.loads(row["attributes"]).items()}
        others = known.matching({k: v for k, v in tags.items() if k in known.condition_keys})
        expected |= {(row["id"], c) for c in others if c != row["class"] and not known[c].generic}
    found = towns.query("SELECT id, class FROM also").to_pylist()
    assert {(row["id"], row["class"]) for row in found} == expected
    assert len(found) == len(expected) > 30


def test_distance_to_the_edge_of_an_extent_of_several_areas() -> None:
    areas = shapely.from_wkt(
        "MULTIPOLYGON (((0 0, 4 0, 4 4, 0 4, 0 0), (1 1, 1 2, 2 2, 2 1, 1 1)), ((4 4, 6 4, 6 6, 4 6, 4 4)), "
        "((10 50, 11 50, 11 51, 10 51, 10 50)))"
    )
    random = np.random.default_rng(2)
    lon = np.r_[random.uniform(-1, 7, 300), random.uniform(9.9, 11.1, 100), 1.5, 4.0]
    lat = np.r_[random.uniform(-1, 7, 300), random.uniform(49.9, 51.1, 100), 1.5, 4.0]
    distance, inside = _to_edge(lon, lat, areas)
    expected, within = boundary_distance_km(shapely.points(lon, lat), np.full(lon.size, areas))
    assert 50 < inside.sum() < 400
    np.testing.assert_array_equal(inside, within)
    np.testing.assert_allclose(distance[inside], expected[within], rtol=1e-12, atol=1e-9)
    assert not inside[-2]  # in the hole
    assert inside[-1]  # where two areas touch
    assert distance[-1] == pytest.approx(0, abs=1e-9)
