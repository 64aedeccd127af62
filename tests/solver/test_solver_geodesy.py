"""The solver's geodesy against closed formulas, pyproj and brute force."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import shapely
from pyproj import Geod

from multiglobeqa.solver import centre, edges, geodesy, n_reference, plane
from multiglobeqa.solver.separation import Extent, _lower, _upper, separation

GEOD = Geod(ellps="WGS84")
EQUATOR_DEG = 6378.137 * math.pi / 180  # 111.3195 km
FIJI = shapely.multipolygons([shapely.box(179, -18, 180, -16), shapely.box(-180, -18, -179, -16)])
CAP = shapely.from_wkt("POLYGON ((-180 -90, 180 -90, 180 -70, -180 -70, -180 -90))")


def dense(geometry: Any, step: float) -> Any:
    parts, _ = edges.densify(edges.of(geometry), step)
    return np.vstack([parts[:, :2], parts[-1:, 2:]])


def brute(a: Any, b: Any, step: float = 1.0) -> float:
    """Least distance between points 1 km or less apart along both."""
    p, q = dense(a, step), dense(b, step)
    best = math.inf
    for chunk in np.array_split(p, max(1, len(p) * len(q) // 1_000_000)):
        lon, lat = np.repeat(chunk, len(q), axis=0).T
        other = np.tile(q, (len(chunk), 1))
        best = min(best, float(GEOD.inv(lon, lat, other[:, 0], other[:, 1])[2].min()) / 1000)
    return best


def test_meridian_arc_known_values() -> None:
    assert geodesy.meridian_arc(0, 1) == pytest.approx(110.57439, abs=1e-5)
    assert geodesy.meridian_arc(0, 90) == pytest.approx(10001.96573, abs=1e-5)


def test_edges_are_straight_in_degrees_along_a_parallel() -> None:
    line = shapely.from_wkt("LINESTRING (0 60, 30 60)")
    normal = 6378.137 / math.sqrt(1 - geodesy.E2 * 0.75)
    assert geodesy.length(line) == pytest.approx(normal * 0.5 * math.radians(30), rel=1e-6)


def test_area_of_a_quadrangle_cap_hole_and_seam() -> None:
    def zone(south: float, north: float) -> float:
        return float(geodesy.authalic(north) - geodesy.authalic(south)) * 2 * math.pi * geodesy.R_AUTHALIC**2

    assert pytest.approx(510_065_621.7, rel=1e-9) == geodesy.EARTH_AREA  # WGS84, km²
    assert geodesy.area(shapely.box(10, 20, 46, 50)) == pytest.approx(zone(20, 50) / 10, rel=1e-6)
    assert geodesy.area(CAP) == pytest.approx(zone(-90, -70), rel=1e-6)
    assert geodesy.area(FIJI) == pytest.approx(zone(-18, -16) / 180, rel=1e-6)
    same_direction = shapely.from_wkt("POLYGON ((0 0, 9 0, 9 9, 0 9, 0 0), (1 1, 2 1, 2 2, 1 2, 1 1))")
    assert geodesy.area(same_direction) == pytest.approx(zone(0, 9) / 40 - zone(1, 2) / 360, rel=1e-6)


def quadrature(ring: list[tuple[float, float]]) -> tuple[float, float]:
    """Area and perimeter by Gauss-Legendre integrals along edges straight in degrees, without geodesics."""
    nodes, weights = np.polynomial.legendre.leggauss(40)
    area = around = 0.0
    for (lon1, lat1), (lon2, lat2) in zip(ring, [*ring[1:], ring[0]], strict=True):
        phi = lat1 + (lat2 - lat1) * (nodes + 1) / 2
        area += float(geodesy.authalic(phi) @ weights) / 2 * math.radians(lon2 - lon1)
        w2 = 1 - geodesy.E2 * np.sin(np.radians(phi)) ** 2
        east = geodesy.A / np.sqrt(w2) * np.cos(np.radians(phi)) * math.radians(lon2 - lon1)
        north = geodesy.A * (1 - geodesy.E2) / w2**1.5 * math.radians(lat2 - lat1)
        around += float(np.hypot(east, north) @ weights) / 2
    return abs(area) * geodesy.R_AUTHALIC**2, around


@pytest.mark.parametrize(
    "ring",
    [
        [(10, 40), (30, 45), (25, 70), (5, 60)],
        [(0, 0), (3, 1), (1, 3)],
        [(20, 78), (20.4, 78), (20.2, 78.001)],  # a sliver of 9 by 0.1 km
        [(-60, -30), (-59.99, -30.01), (-59.98, -29.9)],
    ],
)
def test_area_and_perimeter_of_slanting_edges(ring: list[tuple[float, float]]) -> None:
    polygon = shapely.Polygon(ring)
    area, around = quadrature(ring)
    assert geodesy.area(polygon) == pytest.approx(area, rel=2e-6)
    assert geodesy.perimeter(polygon) == pytest.approx(around, rel=1e-6)


def test_perimeter_counts_holes_and_leaves_out_the_seam() -> None:
    ring = shapely.from_wkt("POLYGON ((0 0, 9 0, 9 9, 0 9, 0 0), (1 1, 2 1, 2 2, 1 2, 1 1))")
    outer, hole = shapely.box(0, 0, 9, 9), shapely.box(1, 1, 2, 2)
    assert geodesy.perimeter(ring) == pytest.approx(geodesy.perimeter(outer) + geodesy.perimeter(hole))
    whole = shapely.box(-1, -18, 1, -16)
    assert geodesy.perimeter(FIJI) == pytest.approx(geodesy.perimeter(whole), rel=1e-8)
    circle = (
        6378.137 / math.sqrt(1 - geodesy.E2 * math.sin(math.radians(70)) ** 2) * math.cos(math.radians(70))
    )
    assert geodesy.perimeter(CAP) == pytest.approx(2 * math.pi * circle, rel=1e-6)


def test_chord_bounds_hold_for_all_pairs() -> None:
    rng = np.random.default_rng(5)
    n = 20000
    lon, lat = rng.uniform(-180, 180, (2, n)), rng.uniform(-90, 90, (2, n))
    lon[1, ::2], lat[1, ::2] = (
        lon[0, ::2] + rng.normal(0, 2, n // 2),
        np.clip(lat[0, ::2] + rng.normal(0, 2, n // 2), -90, 90),
    )
    lon[1, ::7], lat[1, ::7] = lon[0, ::7] + 180 + rng.normal(0, 0.5, len(lon[0, ::7])), -lat[0, ::7]
    _, km = geodesy.inverse(lon[0], lat[0], lon[1], lat[1])
    chord = np.linalg.norm(geodesy.ecef(lon[0], lat[0]) - geodesy.ecef(lon[1], lat[1]), axis=1)
    assert (_lower(chord) <= km + 1e-9).all()
    assert (_upper(chord) >= km - 1e-9).all()


def test_length_bound_is_a_bound_for_each_half() -> None:
    rng = np.random.default_rng(6)
    pieces = np.column_stack([rng.uniform(-180, 180, 2000), rng.uniform(-89, 89, 2000)] * 2)
    pieces[:, 2:] = np.clip(pieces[:, :2] + rng.normal(0, 5, (2000, 2)), (-180, -90), (180, 90))
    assert (edges.length_bound(pieces) >= geodesy.edge_lengths(pieces) - 1e-9).all()


@pytest.mark.parametrize("seed", range(6))
def test_separation_equals_brute_force(seed: int) -> None:
    rng = np.random.default_rng(seed)
    lat = [0, 55, -70, 80, 15, 40][seed]
    first, second = (
        shapely.convex_hull(shapely.multipoints(rng.normal((x, lat), 0.4, (7, 2)))) for x in (0, 2.5 + seed)
    )
    lower = separation(Extent(first), Extent(second))
    # brute force overestimates by at most about (step / 2)² / d
    assert lower == pytest.approx(brute(first, second), rel=1e-4)
    assert lower <= brute(first, second) + 1e-6


def test_separation_where_the_middle_of_long_edges_is_nearest() -> None:
    point, line = shapely.Point(0, 40), shapely.from_wkt("LINESTRING (-60 0, 60 60)")
    assert separation(Extent(point), Extent(line)) == pytest.approx(brute(point, line, 0.2), rel=1e-7)


def test_separation_of_facing_meridians() -> None:
    a, b = shapely.box(0, 50, 1, 51), shapely.box(2, 50.2, 3, 52)
    foot = min(
        geodesy.distance(1, 51, 2, lat) for lat in np.linspace(51, 51.02, 2001)
    )  # a little north of 51
    assert separation(Extent(a), Extent(b)) == pytest.approx(foot, rel=1e-8)


def test_separation_across_antimeridian_and_pole() -> None:
    east, west = shapely.box(178, 0, 179, 1), shapely.box(-179, -1, -178, 0)
    assert separation(Extent(east), Extent(west)) == pytest.approx(2 * EQUATOR_DEG, rel=1e-9)
    over = separation(Extent(shapely.box(-10, 80, 10, 89)), Extent(shapely.box(170, 80, 180, 89)))
    assert over == pytest.approx(geodesy.distance(10, 89, 170, 89), rel=1e-6)


def test_separation_is_zero_inside_and_where_seam_parts_meet() -> None:
    assert separation(Extent(shapely.Point(-179.5, -17)), Extent(FIJI)) == 0
    assert separation(
        Extent(shapely.Point(180, -17)), Extent(shapely.box(-180, -18, -179, -16))
    ) == pytest.approx(0, abs=1e-6)
    assert separation(Extent(shapely.Point(0, -90)), Extent(CAP)) == 0
    assert separation(Extent(shapely.Point(3, 3)), Extent(shapely.box(0, 0, 9, 9))) == 0


def test_outline_leaves_out_the_seam() -> None:
    at = Extent(shapely.Point(180, -16.5))
    assert separation(at, Extent(FIJI).outline) == pytest.approx(
        geodesy.distance(180, -16.5, 180, -16), rel=1e-6
    )
    to_cap = separation(Extent(shapely.Point(0, -89)), Extent(CAP).outline)
    assert to_cap == pytest.approx(geodesy.meridian_arc(-89, -70), rel=1e-9)


def test_centroid_box_at_high_latitude() -> None:
    """The box of docs: the planar centroid is 61 km from the equal-area centroid."""
    lon, lat = centre.centroid(shapely.box(0, 60, 30, 75))
    assert lon == pytest.approx(15, abs=1e-9)
    assert geodesy.distance(lon, lat, 15, 67.5) == pytest.approx(61.4, abs=0.1)


def test_centroid_symmetric_cases() -> None:
    assert centre.centroid(FIJI)[0] == pytest.approx(-180, abs=1e-9)
    assert centre.centroid(CAP)[1] == pytest.approx(-90, abs=1e-5)
    assert centre.centroid(shapely.box(-3, -2, 3, 2)) == pytest.approx((0, 0), abs=1e-9)
    ring = shapely.from_wkt("POLYGON ((-9 -9, 9 -9, 9 9, -9 9, -9 -9), (-8 -1, -6 -1, -6 1, -8 1, -8 -1))")
    lon, lat = centre.centroid(ring)
    share = geodesy.area(shapely.box(-8, -1, -6, 1)) / geodesy.area(ring)
    assert lat == pytest.approx(0, abs=1e-9)
    assert lon == pytest.approx(7 * share, rel=5e-3)


def test_centroid_of_lines_and_points() -> None:
    line = shapely.from_wkt("MULTILINESTRING ((0 0, 2 0), (10 0, 11 0))")
    assert centre.centroid(line) == pytest.approx(((2 * 1 + 1 * 10.5) / 3, 0), abs=2e-3)
    assert centre.centroid(shapely.Point(5, 6)) == (5, 6)
    across = shapely.from_wkt("MULTILINESTRING ((178 0, 180 0), (-180 0, -178 0))")
    assert abs(centre.centroid(across)[0]) == pytest.approx(180, abs=1e-9)


def test_centroid_equals_the_fine_mean_on_the_plane() -> None:
    """Definition: the origin of the equal-area plane is the mean of points spread evenly by area."""
    polygon = shapely.from_wkt("POLYGON ((10 40, 60 45, 45 70, 5 60, 10 40))")
    local = plane.plane_of(polygon)
    rng = np.random.default_rng(1)
    n = 400_000
    low, high = np.sin(np.radians([40, 70]))
    xy = np.column_stack([rng.uniform(5, 60, n), np.degrees(np.arcsin(rng.uniform(low, high, n)))])
    shapely.prepare(polygon)
    flat = local.forward(xy[shapely.contains_xy(polygon, xy[:, 0], xy[:, 1])])
    assert np.hypot(*flat.mean(axis=0)) < 8  # km; the standard error is about 2.5


def test_elongation_of_true_squares_and_bars() -> None:
    assert plane.elongation(shapely.box(0, -0.05, 0.1, 0.05)) == pytest.approx(
        1 - 110.574 / 111.3195, abs=1e-4
    )
    assert plane.elongation(shapely.box(0, 59.995, 0.02, 60.005)) == pytest.approx(0.0, abs=0.005)
    turned = shapely.from_wkt("POLYGON ((0 0, 1 1, 0.9 1.1, -0.1 0.1, 0 0))")
    assert plane.elongation(turned) == pytest.approx(0.9, abs=0.005)
    assert plane.elongation(FIJI) == pytest.approx(plane.elongation(shapely.box(-1, -18, 1, -16)), abs=1e-5)


def test_projection_dissolves_the_seam_and_the_pole() -> None:
    fiji = plane.project(FIJI, plane.plane_of(FIJI))
    assert fiji.geom_type == "Polygon"
    assert fiji.area == pytest.approx(geodesy.area(FIJI), rel=2e-4)
    rim = ", ".join(f"{lon} {-75 + 5 * np.cos(np.radians(2 * lon)):.6f}" for lon in range(180, -181, -1))
    surface = shapely.from_wkt(f"POLYGON ((-180 -90, 180 -90, {rim}, -180 -90))")
    cap = plane.project(surface, plane.Plane(0, -90))
    assert cap.is_valid
    assert cap.area == pytest.approx(geodesy.area(surface), rel=1e-3)
    assert cap.length == pytest.approx(geodesy.perimeter(surface), rel=0.02)  # no spike to the pole


def test_simplify_keeps_the_stored_start_and_drops_small_bends() -> None:
    square = shapely.from_wkt("POLYGON ((0 0, 0.5 0.001, 1 0, 1 1, 0 1, 0 0))")
    local = plane.plane_of(square)
    assert len(plane.simplify(square, local, 1.0).exterior.coords) == 5
    assert len(plane.simplify(square, local, 0.05).exterior.coords) == 6


@pytest.mark.parametrize(
    ("wkt", "box"),
    [
        ("POLYGON ((1 2, 5 2, 5 3, 1 2))", (1, 2, 5, 3)),
        (FIJI.wkt, (179, -18, -179, -16)),
        ("MULTIPOINT ((170 0), (-170 5), (175 1))", (170, 0, -170, 5)),
        ("MULTIPOINT ((-10 0), (10 5))", (-10, 0, 10, 5)),
        ("POLYGON ((-180 -90, 180 -90, 180 -70, -180 -70, -180 -90))", (-180, -90, 180, -70)),
        ("MULTILINESTRING ((-180 1, -170 2), (20 1, 180 1))", (20, 1, -170, 2)),
    ],
)  # fmt: skip
def test_bounds_the_narrow_way(wkt: str, box: tuple[float, ...]) -> None:
    assert n_reference.bounds(shapely.from_wkt(wkt)) == box


def star(n: int, lon: float, lat: float, size: float) -> Any:
    turn = np.linspace(0, 2 * np.pi, n, endpoint=False)
    radius = size * (1 + 0.3 * np.sin(7 * turn) + 0.002 * np.sin(4001 * turn))
    return shapely.polygons(np.column_stack([lon + radius * np.cos(turn), lat + 0.5 * radius * np.sin(turn)]))


@pytest.mark.parametrize(
    "work",
    [
        geodesy.area,
        geodesy.perimeter,
        centre.centroid,
        plane.elongation,
        lambda g: separation(Extent(g), Extent(shapely.Point(100, -30))),
        lambda g: separation(Extent(g), Extent(star(50_000, 40, 20, 6))),
    ],
)
def test_large_surfaces_are_quick(work: Any, quick: Any) -> None:
    country = star(50_000, 10, 50, 8)
    assert quick(lambda: work(country), 0.5)


def test_elongation_of_a_triangle_is_that_of_its_narrowest_rectangle() -> None:
    legs = shapely.from_wkt("POLYGON ((0 0, 0.4 0, 0 0.1, 0 0))")  # rectangles 4 by 1 and 4.12 by 0.97
    assert plane.elongation(legs) == pytest.approx(1 - 4 * 1 / (4**2 + 1), abs=2e-3)
