"""J03 and M02.d: the order along a waterway, and UTM coordinates."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import shapely
from pyproj import Geod

from multiglobeqa.solver import SolverError
from multiglobeqa.solver.m_transformation import utm_zone
from multiglobeqa.solver.stream import contradicts_itself, foot, way_km

GEOD = Geod(ellps="WGS84")


def test_j03_order_along_a_bent_river(osm: Any) -> None:
    osm.add(
        "river", "LINESTRING (10 0, 10.1 0, 10.1 0.02, 10 0.02)"
    )  # out to the east, back 2.2 km farther north
    osm.add("a", "POINT (10.02 0.021)")  # west, by the arm that comes back
    osm.add("b", "POINT (10.05 -0.001)")  # by the arm that goes out
    assert osm.ask("J03", A="a", B="b", C="river").answer == "downstream"
    assert osm.ask("J03", A="b", B="a", C="river").answer == "upstream"
    osm.add("turned", "LINESTRING (10 0.02, 10.1 0.02, 10.1 0, 10 0)")
    assert osm.ask("J03", A="a", B="b", C="turned").answer == "upstream"


def test_j03_refuses_what_has_no_order(osm: Any) -> None:
    osm.add("river", "LINESTRING (10 0, 10.1 0)")
    osm.add("a", "POINT (10.02 0)")
    osm.add("near", "POINT (10.024 0)")  # 445 m
    osm.add("far", "POINT (10.05 0.0091)")  # 1.006 km
    osm.add("torn", "MULTILINESTRING ((10 0, 10.05 0), (10.1 0, 10.05 0))")
    osm.add("parted", "MULTILINESTRING ((10 0, 10.05 0), (10.06 0, 10.1 0))")
    osm.add("b", "POINT (10.08 0)")
    osm.add("lake", "POLYGON ((10 0, 10.1 0, 10.1 0.1, 10 0))")
    for b, c, message in (
        ("near", "river", "0.445 km apart"),
        ("far", "river", "not within 1 km"),
        ("b", "torn", "against each other"),
        ("b", "parted", "two stretches"),
        ("b", "lake", "A line is needed"),
    ):
        with pytest.raises(SolverError, match=message):
            osm.ask("J03", A="a", B=b, C=c)


def test_the_foot_is_the_nearest_of_many_points_of_the_line() -> None:
    rng = np.random.default_rng(3)
    line = shapely.LineString(np.cumsum(rng.uniform(-0.02, 0.03, (40, 2)), axis=0) + np.array([20, 55]))
    fine = shapely.segmentize(line, 1e-5)
    xy = shapely.get_coordinates(fine)
    for lon, lat in shapely.get_coordinates(line)[5:35:5] + rng.uniform(-0.004, 0.004, (6, 2)):
        found = foot(line, lon, lat)
        metres = np.asarray(GEOD.inv(np.full(len(xy), lon), np.full(len(xy), lat), *xy.T)[2])
        assert found.km == pytest.approx(float(metres.min()) / 1000, abs=0.001)
        edge = shapely.get_coordinates(line)[found.edge : found.edge + 2]
        spot = edge[0] + found.share * (edge[1] - edge[0])
        assert GEOD.inv(*spot, *xy[int(metres.argmin())])[2] < 2


def test_the_way_between_feet_is_the_length_between_them() -> None:
    line = shapely.LineString([(0, 0), (0.1, 0), (0.1, 0.1)])
    first, last = foot(line, 0.04, 0.001), foot(line, 0.099, 0.05)
    assert way_km(line, last, first) == pytest.approx(0.06 * 111.3195 + 0.05 * 110.5743, rel=1e-6)
    assert way_km(line, first, last) == -way_km(line, last, first)


@pytest.mark.parametrize(
    ("wkt", "expected"),
    [
        ("LINESTRING (0 0, 1 0)", False),
        ("MULTILINESTRING ((0 0, 1 0), (1 0, 2 0), (2 1, 1 0))", False),
        ("MULTILINESTRING ((0 0, 1 0), (2 0, 1 0))", True),
        ("MULTILINESTRING ((1 0, 0 0), (1 0, 2 0))", True),
        ("LINESTRING (0 0, 1 0, 1 1, 0 0)", True),
    ],
)
def test_contradictions(wkt: str, expected: bool) -> None:
    assert contradicts_itself(shapely.from_wkt(wkt)) is expected


@pytest.mark.parametrize(
    ("lon", "lat", "zone"),
    [
        (24.9, 60.2, 35), (5.0, 60.2, 32), (2.9, 60.2, 31), (5.0, 64.0, 31), (5.0, 55.9, 31), (8.9, 78.0, 31),
        (15.6, 78.2, 33), (25.0, 80.0, 35), (41.0, 75.0, 37), (43.0, 75.0, 38), (-180.0, 0.0, 1), (180.0, 0.0, 1),
        (179.9, -16.0, 60), (-70.0, -33.0, 19),
    ],
)  # fmt: skip
def test_utm_zones(lon: float, lat: float, zone: int) -> None:
    assert utm_zone(lon, lat) == zone


def test_m02_utm_of_a_point(osm: Any) -> None:
    osm.add("longyear", "POINT (15.63 78.22)")
    osm.add("south", "POINT (-70.6 -33.4)")
    osm.add("pole", "POINT (0 -85)")
    assert osm.ask("M02.d", A="longyear", system="utm").answer == {"lat": 78.22, "lon": 15.63}
    assert osm.ask("M02.d", A="south", system="utm").answer == {"lat": -33.4, "lon": -70.6}
    with pytest.raises(SolverError, match="UTM ends"):
        osm.ask("M02.d", A="pole", system="utm")
