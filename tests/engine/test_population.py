"""The operator population: circles over a density table and over rasters, each value by a formula or by hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h3
import numpy as np
import pytest
import rasterio
import shapely
from rasterio.transform import from_origin

from multiglobeqa.engine import DuckEngine, run_operator
from multiglobeqa.engine import population as people
from multiglobeqa.errors import EngineError, InputError
from multiglobeqa.geo.distance import distance_km
from multiglobeqa.kg.density import DensityTable, cells_of
from multiglobeqa.kg.population import PopulationGrid
from multiglobeqa.kg.store import Snapshot

EARTH_KM = 6371.0


def table(lon: float, lat: float, value: float, rings: int = 8, gap: int | None = None) -> DensityTable:
    """A table of one density in the cells round a place; ``gap``: the ring of which one cell is missing."""
    middle = h3.latlng_to_cell(lat, lon, 3)
    cells = set(h3.grid_disk(middle, rings))
    if gap is not None:
        cells.discard(sorted(h3.grid_ring(middle, gap))[0])
    ids = np.array(sorted(h3.str_to_int(c) for c in cells), dtype=np.uint64)
    return DensityTable(ids, np.full(len(ids), value), (1.0, 2.0), "even 2020")


@pytest.mark.parametrize(("lon", "lat"), [(10.0, 50.0), (-179.9, -17.0), (25.0, 88.0)])
def test_even_density_is_density_times_the_area_of_the_circle(lon: float, lat: float) -> None:
    found = people.overlaps(lon, lat, 500, table(lon, lat, 2.5))
    assert found is not None
    cap = 2 * np.pi * EARTH_KM**2 * (1 - np.cos(500 / EARTH_KM))
    assert found.people.sum() == pytest.approx(2.5 * cap, rel=3e-3)
    assert (found.area * found.share).sum() == pytest.approx(cap, rel=3e-3)
    assert found.share.min() > 0 and found.share.max() == 1


def test_a_cell_that_the_circle_holds_counts_whole_and_none_outside() -> None:
    lon, lat = 10.0, 50.0
    even = table(lon, lat, 0.0)
    value = even.density.copy()
    value[even.cells == cells_of(np.array([lon]), np.array([lat]))[0]] = 100.0
    found = people.overlaps(lon, lat, 300, DensityTable(even.cells, value, (1, 2), ""))
    assert found is not None
    at = found.density > 0
    assert found.people.sum() == pytest.approx(float(100 * found.area[at][0]), rel=1e-9)


def test_a_missing_cell_that_meets_the_circle_leaves_no_sum() -> None:
    assert people.overlaps(10, 50, 500, table(10, 50, 1, gap=2)) is None
    assert people.overlaps(10, 50, 500, table(10, 50, 1, gap=7)) is not None


def test_no_vertex_of_a_cell_lies_beyond_the_reach() -> None:
    every = people._all_cells()
    sample = np.random.default_rng(1).choice(len(every.cell), 3000, replace=False)
    pentagons = np.flatnonzero(np.isin(every.cell, [h3.str_to_int(c) for c in h3.get_pentagons(3)]))
    for k in np.r_[sample, pentagons].tolist():
        y, x = np.array(h3.cell_to_boundary(h3.int_to_str(int(every.cell[k])))).T
        assert distance_km(every.lon[k], every.lat[k], x, y).max() < people._CELL_REACH_KM


def write(
    folder: Path, values: Any, west: float = 0, north: float = 10, side: float = 0.1, **more: Any
) -> Path:
    """A GeoTIFF of people."""
    path = folder / "people_2020.tif"
    values = np.asarray(values, dtype=np.float32)
    profile = {"crs": "EPSG:4326", "nodata": -9999, "transform": from_origin(west, north, side, side)} | more
    with rasterio.open(
        path,
        "w",
        driver="GTiff",
        width=values.shape[1],
        height=values.shape[0],
        count=1,
        dtype="float32",
        **profile,
    ) as out:
        out.write(values, 1)
    return path


def by_hand(
    west: float, north: float, side: float, values: Any, lon: float, lat: float, radius: float
) -> float:
    """People of the cells whose centre lies in the circle, cell by cell."""
    rows, columns = np.indices(np.shape(values))
    km = distance_km(lon, lat, west + (columns + 0.5) * side, north - (rows + 0.5) * side)
    return float(np.asarray(values)[km <= radius].sum())


def test_grid_sums_the_cells_whose_centre_lies_in_the_circle(tmp_path: Path) -> None:
    values = np.random.default_rng(4).integers(0, 500, (100, 100)).astype(float)
    grid = PopulationGrid(write(tmp_path, values))
    assert grid.name == "people 2020" and grid.radii_km() == (100, 250)
    circle = grid.circle(5.03, 5.07, 100)
    assert circle.total == by_hand(0, 10, 0.1, values, 5.03, 5.07, 100)
    assert circle.by_area == pytest.approx(circle.total, rel=0.02)
    assert circle.whole and not grid.circle(9.5, 5, 100).whole


def test_grid_goes_round_the_world_and_over_the_pole(tmp_path: Path) -> None:
    values = np.random.default_rng(5).integers(0, 500, (180, 360)).astype(float)
    grid = PopulationGrid(write(tmp_path, values, -180, 90, 1.0))
    for lon, lat in ((179.6, -17.2), (-179.9, 0.0), (30.0, 88.5)):
        circle = grid.circle(lon, lat, 1000)
        assert circle.whole
        assert circle.total == by_hand(-180, 90, 1.0, values, lon, lat, 1000)


def test_nodata_holds_nobody_and_negative_numbers_are_refused(tmp_path: Path) -> None:
    values = np.full((100, 100), -9999.0)
    values[50, 50] = 7
    assert PopulationGrid(write(tmp_path, values)).circle(5, 5, 100).total == 7
    values[52, 50] = -3
    with pytest.raises(InputError, match=r"people_2020\.tif:row 52, column 50: holds -3 people"):
        PopulationGrid(write(tmp_path, values)).circle(5, 5, 100)


@pytest.mark.parametrize(
    ("more", "message"),
    [({"crs": "EPSG:3857"}, "must be in EPSG:4326"), ({"north": 95}, "reaches from latitude")],
)
def test_bad_rasters_are_refused(tmp_path: Path, more: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        PopulationGrid(write(tmp_path, np.ones((10, 10)), **more))
    (tmp_path / "text.tif").write_text("no raster")
    with pytest.raises(InputError, match="cannot be read as a raster"):
        PopulationGrid(tmp_path / "text.tif")


def test_gpw_holds_the_people_of_java_and_few_in_the_sahara(shared: Path) -> None:
    path = shared / "data" / "public" / "gpw_github" / "gpw_v4_population_count_rev11_2020_30_min.tif"
    if not path.is_file():
        pytest.skip(f"no {path.name} in the shared data")
    grid = PopulationGrid(path, "GPW v4.11 (2020)")
    assert grid.radii_km() == (500, 1000)
    assert 1.4e8 < grid.circle(110.4, -7.0, 500).total < 1.8e8  # Semarang: most of Java's 150 million
    assert grid.circle(10.0, 23.0, 500).total < 1e6


@pytest.fixture
def engine(
    tmp_path: Path, make_snapshot: Callable[..., Snapshot], small_rows: list[dict[str, Any]]
) -> DuckEngine:
    """The small world with a raster of 10 people a cell from 5 W to 10 E and 5 S to 5 N."""
    grid = PopulationGrid(write(tmp_path, np.full((100, 150), 10.0), -5, 5))
    return DuckEngine([make_snapshot(tmp_path, small_rows)], threads=1, population=grid)


def test_operator_and_facts(engine: DuckEngine) -> None:
    city = "SELECT id FROM entity WHERE name = 'P1'"
    arguments = {"ids": city, "source": "grid", "radius_km": [100, 250, 500]}
    assert run_operator(engine, "population", "found", arguments) == 2
    (row, _) = engine.query("SELECT * FROM found ORDER BY radius_km").to_pylist()
    assert row["people"] == 10 * row["cells"] and row["complete"] and row["source"] == "people 2020"
    assert row["cells"] == pytest.approx(np.pi * 100**2 / (11.13 * 11.06), rel=0.02)
    lines = people.facts(engine, "people", 1.0, 0.5, 100)
    centres = [line for line in lines if "asWKT" in line]
    assert len(centres) * 2 == len(lines) and len(centres) > row["cells"]
    run_operator(engine, "population", "none", {"ids": city, "source": "table", "radius_km": [500]})
    assert engine.query("SELECT complete, people FROM none").to_pylist() == [
        {"complete": False, "people": None}
    ]
    with pytest.raises(EngineError, match="no source 'survey'"):
        run_operator(engine, "population", "x", {"ids": city, "source": "survey", "radius_km": [1]})


def test_tracks_within_days(
    tmp_path: Path, make_snapshot: Callable[..., Snapshot], small_rows: list[dict[str, Any]]
) -> None:
    """A storm of one degree each 6 hours along the equator from 170 E over the antimeridian, seen from its first fix."""
    hours = [f"2020-09-{1 + k // 4:02d}T{6 * (k % 4):02d}:00:00Z" for k in range(17)]
    fixes = [[t, (170 + k + 180) % 360 - 180, 0.0, None] for k, t in enumerate(hours)]
    line = shapely.from_wkt("MULTILINESTRING((170 0,180 0),(-180 0,-174 0))")
    storm = small_rows[0] | {
        "iri": "urn:storm", "name": "Storm", "class": "storm", "kind": "line", "geometry": line.wkb, "level": None,
        "attributes": json.dumps({"fixes": fixes}),
    }  # fmt: skip
    watcher = small_rows[0] | {
        "iri": "urn:watcher", "name": "Watcher", "class": "city15000", "kind": "point", "level": None,
        "geometry": shapely.Point(170, 0).wkb, "attributes": "{}",
    }  # fmt: skip
    engine = DuckEngine([make_snapshot(tmp_path, [*small_rows, storm, watcher])], threads=1)
    spans = (
        "SELECT s.id AS left_id, w.id AS right_id, d.* FROM entity s, entity w, "
        "(VALUES ('2020-09-02', '2020-09-03'), ('2020-09-04', '2020-09-09'), ('2020-10-01', '2020-10-02')) "
        "AS d(begins, ends) WHERE s.name = 'Storm' AND w.name = 'Watcher'"
    )
    run_operator(engine, "measure", "found", {"spans": spans})
    first, second, third = engine.query("SELECT * FROM found ORDER BY begins").to_pylist()
    assert first["distance_km"] == pytest.approx(4 * 111.3195, rel=1e-5) and first["at_fixes"]
    assert second["distance_km"] == pytest.approx(12 * 111.3195, rel=1e-5)  # at 178 W
    assert third["distance_km"] is None
    with pytest.raises(EngineError, match="has no fixes"):
        swapped = spans.replace("s.id AS left_id, w.id AS right_id", "w.id AS left_id, s.id AS right_id")
        run_operator(engine, "measure", "x", {"spans": swapped})
