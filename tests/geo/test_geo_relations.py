"""Directions, boxes and topology."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from pyproj import Geod, Transformer
from scipy.optimize import minimize_scalar

from multiglobeqa.errors import GeometryError
from multiglobeqa.geo import boxes, direction, distance, measure, topology
from multiglobeqa.geo.awkward import INVALID, RAW, VALID

GEOD = Geod(ellps="WGS84")


@given(
    st.floats(-180, 180),
    st.floats(-80, 80),
    st.floats(0, 360),
    st.floats(50, 6000),
    st.floats(0.05, 0.95),
    st.floats(-3000, 3000),
)
@settings(max_examples=40, deadline=None)
def test_cross_track_is_the_least_distance(
    lon: float, lat: float, azimuth: float, length: float, share: float, off: float
) -> None:
    x2, y2, _ = GEOD.fwd(lon, lat, azimuth, length * 1000)
    mx, my, back = GEOD.fwd(lon, lat, azimuth, length * 1000 * share)
    px, py, _ = GEOD.fwd(mx, my, back + 180 + 90, off * 1000)
    along, cross = direction.route_position(px, py, lon, lat, x2, y2)
    assert cross == pytest.approx(off, abs=1e-5)
    assert along == pytest.approx(length * share, abs=1e-4 + 1e-6 * abs(off))
    if abs(off) > 0.001:
        assert direction.side_of_route(px, py, lon, lat, x2, y2) == ("right" if off > 0 else "left")

    def metres(s: float) -> float:
        fx, fy, _ = GEOD.fwd(lon, lat, azimuth, s)
        return float(GEOD.inv(fx, fy, px, py)[2])

    least = minimize_scalar(metres, bounds=(-1e6, length * 1000 + 1e6), method="bounded").fun / 1000
    assert abs(float(cross)) <= least + 1e-4


def test_sides_and_positions() -> None:
    assert direction.side_of_route([10, 10, 10], [60, 40, 0], 0, 50, 20, 50).tolist() == [
        "left",
        "right",
        "right",
    ]
    assert direction.side_of_route(0, 5, 0, 0, 0, 10) == "on"
    assert direction.side_of_route(-179, 1, 179, 0, -178, 0) == "left"
    assert direction.along_track_km(-1, 0, 0, 0, 5, 0) == pytest.approx(-111.319491, abs=1e-5)
    with pytest.raises(GeometryError, match="coincide"):
        direction.cross_track_km(1, 1, 5, 5, 5, 5)


def test_winds() -> None:
    assert direction.winds([0, 359.9, 45.1, 90, 180, 224.9, 270, 315.1], 4).tolist() == (
        ["north", "north", "east", "east", "south", "south", "west", "north"]
    )
    assert direction.winds([22.4, 22.6, 337.6], 8).tolist() == ["north", "northeast", "north"]
    assert direction.winds(np.arange(16) * 22.5, 16).tolist() == list(direction.WINDS)
    assert direction.winds(202.5, 16) == "south-southwest"
    assert direction.sector_margin_deg([0, 45, 50, 350, 359.999], 4) == pytest.approx([45, 0, 5, 35, 44.999])
    assert direction.sector_margin_deg([0, 10, 11.25], 16) == pytest.approx([11.25, 1.25, 0])
    assert direction.angle_between_deg([350, 10, 0], [10, 350, 180]).tolist() == [20, 20, 180]
    with pytest.raises(GeometryError, match="winds"):
        direction.winds(0, 5)
    with pytest.raises(GeometryError, match="finite"):
        direction.winds(np.nan, 4)


def test_box_overlap_of_the_cases() -> None:  # K049, K050
    usa = [172.34784599966287, 51.17509200018345, -129.97416699982122, 71.43978600002835]
    wide = [-179.23108599959195, 51.17509200018345, 179.85968100035376, 71.43978600002835]
    assert boxes.box_iou(usa, [wide, [172.3478, 51.1751, -129.9742, 71.4398]]) == pytest.approx(
        [0.1577, 1], abs=5e-5
    )
    fiji = [176.72958, -21.943428, -178.0035, -12.261387]
    got = boxes.box_iou(
        fiji, [[-180, -21.943428, 180, -12.261387], [176.72958, -21.943428, 181.9965, -12.261387]]
    )
    assert got == pytest.approx([0.01463, 1], abs=5e-6)


def test_6933_is_that_of_proj() -> None:
    points = np.array([shapely.Point(x, y) for x, y in ((0, 0), (100, 60), (-180, -89.9), (33, 30))])
    got = shapely.get_coordinates(boxes.to_6933(points)) * 1000
    there = Transformer.from_crs("OGC:CRS84", "EPSG:6933", always_xy=True)
    assert got == pytest.approx(
        np.column_stack(there.transform(*shapely.get_coordinates(points).T)), abs=0.01
    )


def test_boxes() -> None:
    assert boxes.split(179, 0, -179, 1) == [(179, 0, 180, 1), (-180, 0, -179, 1)]
    assert boxes.split(170, 0, 190, 1) == [(170, 0, 180, 1), (-180, 0, -170, 1)]
    assert boxes.split(10, 0, 20, 1) == [(10, 0, 20, 1)]
    assert boxes.split(170, 0, -180, 1) == [(170, 0, 180, 1)]
    assert boxes.box(179, 0, -179, 1).item().normalize() == VALID["box over 180"].normalize()
    assert measure.area_km2(boxes.box(-180, -90, 180, 90)) == pytest.approx(510_065_621.724, rel=1e-11)
    assert measure.area_km2(boxes.box(0, 0, 360, 1)) == pytest.approx(360 * 12308.4639, rel=1e-7)
    west, south, east, north = measure.bounds(boxes.box([179, -5], 0, [-179, 5], 1))
    assert list(zip(west, south, east, north, strict=True)) == [(179, 0, -179, 1), (-5, 0, 5, 1)]
    assert boxes.iou(VALID["box"], VALID["overlap"]) == pytest.approx(0.25 / 1.75, abs=1e-3)
    for bad, words in (
        ((0, 5, 1, 4), "north"),
        ((0, 0, 1, 91), "latitude"),
        ((0, np.nan, 1, 1), "finite"),
        ((0, 0, 999, 1), "longitude"),
        ((0, 0, 0, 1), "no area"),
    ):
        with pytest.raises(GeometryError, match=words):
            boxes.box(*bad)


@pytest.mark.parametrize("name", RAW)
def test_split(name: str) -> None:
    got = topology.split_antimeridian(RAW[name]).item()
    west, south, east, north = shapely.bounds(got)
    assert got.is_valid and west >= -180 and east <= 180 and -90 <= south <= north <= 90
    expected = {
        "jumping box": "box over 180",
        "box beyond 180": "box over 180",
        "box beyond -180": "box over 180",
        "jumping hole": "hole across the antimeridian",
    }
    if name in expected:
        assert got.equals(VALID[expected[name]])
    length = {"jumping line": (179, 10, -179, 11), "line beyond 180": (179, 10, -179, 11)}
    if name in length:
        assert measure.length_km(got) == pytest.approx(float(distance.distance_km(*length[name])), rel=1e-5)
        assert shapely.get_num_geometries(got) == 2
    if name == "line twice across":
        assert shapely.get_num_geometries(got) == 3
    if "ring round" in name:
        pole = 90 if "north" in name else -90
        assert shapely.covers(got, shapely.Point(0, pole))


def test_split_leaves_the_rest_alone() -> None:
    geoms = np.array(list(VALID.values()), dtype=object)
    got = topology.split_antimeridian(geoms)
    assert all(a is b for a, b in zip(geoms, got, strict=True))
    for bad in (shapely.Point(), shapely.Point(np.inf, 0), shapely.Point(0, 95), shapely.Point(2000, 0)):
        with pytest.raises(GeometryError):
            topology.split_antimeridian(bad)


def test_dissolve_seam() -> None:
    got = topology.dissolve_seam(VALID["box over 180"]).item()
    assert got.geom_type == "Polygon" and shapely.bounds(got).tolist() == [179, 0, 181, 1]
    got = topology.dissolve_seam(VALID["three parts round 180"]).item()
    assert shapely.get_num_geometries(got) == 2
    assert topology.dissolve_seam(VALID["line across the antimeridian"]).item().geom_type == "LineString"
    assert topology.dissolve_seam(VALID["box"]).item() is VALID["box"]


def test_repair() -> None:
    geoms = np.array([VALID["box"], *INVALID.values()], dtype=object)
    fixed, change = topology.repair(geoms)
    assert fixed[0] is VALID["box"] and change[0] == 0
    assert shapely.is_valid(fixed).all()
    got = dict(zip(INVALID, zip(fixed[1:], change[1:], strict=True), strict=True))
    assert got["spike"][1] < 1e-9
    assert got["bow-tie"][1] > 0.5  # its lobes cancel: any repair is a guess, and says so
    assert got["overlapping parts"][1] == pytest.approx(1 / 8, abs=0.01)
    assert got["flat ring"][0].is_empty and got["flat ring"][1] == 1
    assert {g.geom_type for g, _ in got.values()} <= {"Polygon", "MultiPolygon"}


def test_relations() -> None:
    box = VALID["box"]
    assert topology.relate(box, VALID["neighbour"]) == "FF2F11212"
    assert topology.relate(box, VALID["neighbour in a point"]) == "FF2F01212"
    assert topology.matches(box, [VALID["neighbour"], VALID["enclave"]], "F***1****").tolist() == [
        True,
        False,
    ]
    # the hole's filling touches its ring, all round
    assert topology.matches(VALID["hole"], VALID["enclave"], "F***1****")
    across, east = VALID["box over 180"], VALID["point at 180"]
    assert topology.matches(shapely.Point(180, 0.5), across, "T*F**F***")  # within, though the cut runs there
    assert topology.matches(shapely.Point(-180, 0.5), across, "T*F**F***")
    assert topology.matches(east, VALID["point at -180"], "T*F**FFF*")
    with pytest.raises(GeometryError, match="DE-9IM"):
        topology.matches(box, box, "T**")


def test_shared_and_common() -> None:
    box = VALID["box"]
    assert topology.shared_boundary_km(box, VALID["neighbour"]) == pytest.approx(110.574389, abs=1e-5)
    assert topology.shared_boundary_km(box, VALID["neighbour in a point"]) == 0
    east, west = VALID["box over 180"].geoms
    assert topology.shared_boundary_km(east, west) == 0
    assert topology.shared_boundary_km(VALID["hole"], VALID["enclave"]) == pytest.approx(
        float(measure.perimeter_km(VALID["enclave"])), rel=1e-9
    )
    assert topology.intersection_area_km2(box, VALID["overlap"]) == pytest.approx(
        float(measure.area_km2(shapely.box(0.5, 0.5, 1, 1))), rel=1e-9
    )
    assert topology.intersection_area_km2(box, VALID["neighbour"]) == 0
    assert topology.intersection_area_share(box, VALID["overlap"]) == pytest.approx(0.25, abs=1e-3)
    both = topology.intersection_area_km2(VALID["box over 180"], [VALID["box over 180"], east])
    assert both == pytest.approx([2 * 12308.4639, 12308.4639], rel=1e-7)


def test_line_inside() -> None:
    line = shapely.LineString([(-1, 0.5), (2, 0.5)])
    inside = float(measure.length_km(shapely.LineString([(0, 0.5), (1, 0.5)])))
    assert topology.line_length_inside_km(line, VALID["box"]) == pytest.approx(inside, rel=1e-9)
    across = topology.split_antimeridian(shapely.LineString([(178, 0.5), (183, 0.5)])).item()
    assert topology.line_length_inside_km(across, VALID["box over 180"]) == pytest.approx(
        2 * inside, rel=1e-9
    )
    assert topology.line_length_inside_km(line, VALID["neighbour in a point"]) == 0


def wave(n: int, lon0: float) -> Any:
    x = np.linspace(0, n, 8 * n + 1)
    return shapely.LineString(np.column_stack([lon0 + x, np.sin(np.pi * (x + 0.5))]))


@pytest.mark.parametrize("lon0", [0.0, 176.3])
def test_crossings(lon0: float) -> None:
    a = topology.split_antimeridian(wave(6, lon0)).item()
    b = topology.split_antimeridian(shapely.LineString([(lon0 - 1, 0.013), (lon0 + 7, 0.013)])).item()
    count, shared = topology.crossing_points(a, b)
    assert (int(count), bool(shared)) == (6, False)


def test_crossings_that_count_once() -> None:
    axis = shapely.LineString([(0, 0), (10, 0)])
    zigzag = shapely.LineString([(1, -1), (1, 1), (1.000001, -1), (5, -1), (5, 1)])  # 11 cm apart, then far
    assert topology.crossing_points(axis, zigzag)[0] == 2
    assert topology.crossing_points(axis, zigzag, apart_m=0.01)[0] == 3
    count, shared = topology.crossing_points(
        axis, shapely.LineString([(1, 1), (2, 0), (3, 0), (4, -1), (5, 1)])
    )
    assert (int(count), bool(shared)) == (1, True)
    assert topology.crossing_points(axis, shapely.LineString([(0, 1), (1, 1)]))[0] == 0
    seam = shapely.MultiLineString([[(180, -1), (180, 1)], [(-180, -1), (-180, 1)]])
    across = shapely.MultiLineString([[(179, 0), (180, 0)], [(-180, 0), (-179, 0)]])
    assert topology.crossing_points(seam, across)[0] == 1
