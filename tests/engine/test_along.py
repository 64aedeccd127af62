"""Places along a waterway and UTM zones: kernels and operators."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyproj
import pytest
import shapely

from multiglobeqa.engine import DuckEngine, run_operator
from multiglobeqa.geo import utm
from multiglobeqa.geo.stream import feet, one_way
from multiglobeqa.kg.flow import is_told
from multiglobeqa.kg.store import Snapshot

LON_KM, LAT_KM = 111.3195, 110.574


def test_feet_on_a_straight_line_are_where_a_ruler_puts_them() -> None:
    line = shapely.LineString([(0, 0), (0.1, 0), (0.3, 0)])
    found = feet(line, [0.05, 0.2, 0.3], [0.001, -0.002, 0.0])
    assert found.part.tolist() == [0, 0, 0]
    assert found.at_km == pytest.approx([0.05 * LON_KM, 0.2 * LON_KM, 0.3 * LON_KM], abs=0.011)
    assert found.off_km == pytest.approx([0.001 * LAT_KM, 0.002 * LAT_KM, 0.0], abs=0.002)
    half = np.sqrt((1.2 * 0.110574 + 0.05) ** 2 - 0.110574**2)
    assert found.high_km[0] - found.at_km[0] == pytest.approx(half, abs=0.031)  # two samples
    assert (found.low_km <= found.at_km).all() and found.high_km[2] <= 0.3 * LON_KM + 1e-6


def test_feet_between_two_stretches_are_of_no_stretch() -> None:
    line = shapely.MultiLineString([[(0, 0), (0.1, 0)], [(0.1, 0.002), (0, 0.002)]])
    found = feet(line, [0.05, 0.05], [0.001, -0.003])
    assert found.part.tolist() == [-1, 0]


def test_feet_across_the_antimeridian() -> None:
    line = shapely.LineString([(179.9, 10), (180, 10)])
    assert float(feet(line, [-179.999], [10.0]).at_km[0]) == pytest.approx(10.96, abs=0.02)


@pytest.mark.parametrize(
    ("wkt", "expected"),
    [
        ("LINESTRING(0 0,1 0)", True),
        ("MULTILINESTRING((0 0,1 0),(1 0,2 0))", True),
        ("MULTILINESTRING((0 0,1 0),(2 0,1 0))", False),  # head to head
        ("MULTILINESTRING((1 0,0 0),(1 0,2 0))", False),  # tail to tail
        ("MULTILINESTRING((0 1,1 0),(0 -1,1 0),(1 0,2 0))", True),  # two springs flow together
        ("MULTILINESTRING((0 0,1 0),(1 0,2 1),(1 0,2 -1),(2 1,3 0),(2 -1,3 0),(3 0,4 0))", True),  # an island
        ("LINESTRING(0 0,1 0,1 1,0 0)", False),
    ],
)
def test_stretches_that_run_against_each_other_are_seen(wkt: str, expected: bool) -> None:
    assert bool(one_way([shapely.from_wkt(wkt)])[0]) is expected


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ({"waterway": "river"}, True),
        ({"waterway": "stream"}, True),
        ({"waterway": "canal"}, False),
        ({}, False),
        ({"waterway": "river", "flow_direction": "both"}, False),
        ({"waterway": "river", "osm_flow_unclear": True}, False),
        ({"waterway": "river", "osm_overlap": True}, False),
    ],
)
def test_flow_is_told_by_rivers_and_streams_only(tags: dict[str, Any], expected: bool) -> None:
    assert is_told(tags, shapely.LineString([(0, 0), (1, 0)])) is expected


def test_zones_of_norway_and_svalbard() -> None:
    places = {
        (-180, 0): 1, (180, 0): 1, (179.9, 0): 60, (0, 0): 31, (5.9, 60): 32, (2.9, 60): 31, (3, 56): 32, (3, 64): 31,
        (3, 55.999): 31, (11.9, 63.9): 32, (12, 60): 33, (8.9, 78): 31, (9, 78): 33, (20.9, 78): 33, (21, 78): 35,
        (33, 78): 37, (41.9, 84): 37, (42, 78): 38, (-1, 78): 30, (10, 84.1): 0, (10, -80.1): 0, (10, -80): 32,
    }  # fmt: skip
    lon, lat = np.array(list(places), dtype=float).T
    assert utm.zone(lon, lat).tolist() == list(places.values())
    assert utm.names([9.0, 9.0, 9.0], [1.0, -1.0, -85.0]).tolist() == ["32N", "32S", ""]


def test_zones_agree_with_those_of_the_epsg_registry_outside_the_exceptions() -> None:
    rng = np.random.default_rng(5)
    for lon, lat in zip(rng.uniform(-180, 180, 25), rng.uniform(-79, 55, 25), strict=True):
        area = pyproj.aoi.AreaOfInterest(lon, lat, lon, lat)
        info = pyproj.database.query_utm_crs_info("WGS 84", area, contains=True)
        assert {one.name.split("zone ")[1] for one in info} == {str(utm.names([lon], [lat])[0])}


def test_a_zone_is_stable_10_m_from_its_edge_only() -> None:
    assert utm.is_stable(
        [6.0002, 6.00005, 5.99995, 9.0, 9.0], [0.5, 0.5, 0.5, 0.00005, 83.99995]
    ).tolist() == [
        True,
        False,
        False,
        False,
        False,
    ]


@pytest.fixture(scope="module")
def engine(
    tmp_path_factory: pytest.TempPathFactory,
    make_snapshot: Callable[..., Snapshot],
    small_rows: list[dict[str, Any]],
) -> DuckEngine:
    rows = [row | {"class": "waterway"} if row["name"].endswith("Road") else row for row in small_rows]
    for row in rows:
        if row["name"] == "Long Road":  # now a river from 0.5 E to 3.5 E at 1 N
            row["attributes"] = json.dumps({"waterway": "river"})
    folder: Path = tmp_path_factory.mktemp("waterways")
    return DuckEngine([make_snapshot(folder, rows)])


def test_operator_along(engine: DuckEngine) -> None:
    lines = (
        "SELECT a.id AS a_id, b.id AS b_id, c.id AS c_id FROM entity a, entity b, entity c "
        "WHERE a.name IN ('P2', 'P3') AND b.name = 'P1' AND c.name IN ('Long Road', 'Cross Road')"
    )
    run_operator(engine, "measure", "found", {"lines": lines})
    rows = engine.query(
        "SELECT a.name AS a, c.name AS c, f.* FROM found f JOIN entity a ON a.id = f.a_id JOIN entity c ON c.id = f.c_id "
        "ORDER BY c, a"
    ).to_pylist()
    assert [(row["a"], row["c"]) for row in rows] == [
        ("P2", "Cross Road"), ("P3", "Cross Road"), ("P2", "Long Road"), ("P3", "Long Road"),
    ]  # fmt: skip
    assert [row["told"] for row in rows] == [False, False, True, True]
    parallel = LON_KM * np.cos(np.radians(1))
    assert [row["flow_km"] for row in rows[2:]] == pytest.approx([0.5 * parallel, 1.5 * parallel], rel=1e-3)
    assert rows[3]["a_off_km"] == pytest.approx(0.5 * LAT_KM, rel=1e-3)
    assert [row["apart"] for row in rows[2:]] == [
        False,
        True,
    ]  # 55 km off: feet 37 km to either side could be meant


def test_operator_cells_of_utm(engine: DuckEngine) -> None:
    run_operator(
        engine, "cells", "found", {"ids": "SELECT id FROM entity WHERE name = 'P0'", "system": "utm"}
    )
    assert engine.query("SELECT cell, stable FROM found").to_pylist() == [{"cell": "31N", "stable": True}]


def test_measures_that_mistakes_would_take(engine: DuckEngine) -> None:
    """The outer ring of a square with a hole, the main part of a pair of squares, the ends of a line."""
    surfaces = "SELECT id FROM entity WHERE name IN ('Hole', 'Dateline')"
    run_operator(
        engine, "measure", "found", {"ids": surfaces, "of": ["perimeter_km", "outer_km", "main_outline_km"]}
    )
    rows = engine.query("SELECT e.name, f.* FROM found f JOIN entity e USING (id) ORDER BY name").to_pylist()
    dateline, hole = rows
    assert hole["perimeter_km"] == pytest.approx(1.5 * hole["outer_km"], rel=1e-3)  # 8 and 4 degrees
    assert hole["main_outline_km"] == hole["perimeter_km"]
    # each half is 1 by 1 degree, its edge on the seam left out: both halves are 2 * 3 degrees
    assert dateline["perimeter_km"] == pytest.approx(2 * dateline["main_outline_km"], rel=1e-9)
    roads = "SELECT id FROM entity WHERE name IN ('Long Road', 'Cross Road')"
    run_operator(engine, "measure", "found", {"ids": roads, "of": ["line_km", "ends_km"]})
    ends = engine.query("SELECT e.name, f.* FROM found f JOIN entity e USING (id) ORDER BY name").to_pylist()
    assert ends[0]["ends_km"] == pytest.approx(LAT_KM, rel=1e-4)
    assert ends[1]["ends_km"] == pytest.approx(ends[1]["line_km"], rel=1e-3)
