"""Families G to N on small worlds whose answers follow from a stated formula."""

from __future__ import annotations

import math
from typing import Any

import h3
import numpy as np
import pytest
import s2sphere
import shapely

from multiglobeqa.solver import SolverError, geodesy, sweep
from multiglobeqa.solver.facts import Facts

LON = 6378.137 * math.pi / 180
LAT = 110.57439
FIJI = (
    "MULTIPOLYGON (((179 -18, 180 -18, 180 -16, 179 -16, 179 -18)), "
    "((-180 -18, -179 -18, -179 -16, -180 -16, -180 -18)))"
)
CAP = "POLYGON ((-180 -90, 180 -90, 180 -70, -180 -70, -180 -90))"


def box(west: float, south: float, east: float, north: float) -> str:
    return f"POLYGON (({west} {south}, {east} {south}, {east} {north}, {west} {north}, {west} {south}))"


# G


def test_g01_n01_centroids(osm: Any) -> None:
    osm.add("a", box(10, -3, 20, 3))
    assert osm.ask("G01.a", A="a").answer == pytest.approx({"lat": 0, "lon": 15}, abs=1e-9)
    osm.add("two", "MULTIPOLYGON (((0 -1, 3 -1, 3 1, 0 1, 0 -1)), ((10 -1, 11 -1, 11 1, 10 1, 10 -1)))")
    two = osm.ask("N01.a", A="two").answer  # areas 3 : 1, centres 1.5 and 10.5
    assert two["lon"] == pytest.approx((3 * 1.5 + 10.5) / 4, abs=0.01)
    osm.add("fiji", FIJI)
    assert abs(osm.ask("N01.a", A="fiji").answer["lon"]) == pytest.approx(180)
    osm.add("cap", CAP)
    assert osm.ask("N01.a", A="cap").answer["lat"] == pytest.approx(-90, abs=1e-5)
    osm.add("dot", "POINT (1.25 -2.5)")
    assert osm.ask("N01.b", A="dot").answer == {"lat": -2.5, "lon": 1.25}


def test_g02_b_must_lie_in_a(osm: Any) -> None:
    osm.add("a", box(10, -3, 20, 3))
    osm.add("in", "POINT (11 1)")
    osm.add("out", "POINT (9 1)")
    assert osm.ask("G02", A="a", B="in").answer == pytest.approx({"lat": 0, "lon": 15}, abs=1e-9)
    assert osm.ask("G02.a", A="a", B="out").premise_failure == "not_inside"


def test_g03_shift_by_a_bay_that_the_coarse_shape_loses(osm: Any) -> None:
    # A square of 1 by 1 degree, its north-west corner 0.1 degrees in, so that it is cut from south-west to north-east;
    # in its east side a triangular bay 1/4 degree wide and 1/8 deep: the bay (14 km) survives 1 km and goes at 30 km.
    # Its area is 1/64 of 0.95, its centroid at (11/24, 0); that of the whole at -0.05/0.95 times (-7/15, 1/6).
    bay = "0.5 -0.125, 0.375 0, 0.5 0.125"
    osm.add("a", f"POLYGON ((-0.5 -0.5, 0.5 -0.5, {bay}, 0.5 0.5, -0.4 0.5, -0.5 -0.5))")
    east, north = 11 / 24 - 0.05 / 0.95 * 7 / 15, 0.05 / 0.95 / 6
    shift = (1 / 64) / (0.95 - 1 / 64) * math.hypot(east * LON, north * LAT)
    assert osm.ask("G03.b", A="a", v1_km=1, v2_km=30).answer == pytest.approx(shift, rel=2e-3)
    assert osm.ask("G03.a", A="a", v1_km=0.5, v2_km=5).answer == pytest.approx(0, abs=1e-6)


def test_g03_the_seam_makes_no_difference(osm: Any) -> None:
    def bay(west: float) -> list[tuple[float, float]]:
        ring = [(0, -18), (2, -18), (2, -17.3), (1.7, -17), (2, -16.7), (2, -16), (0.2, -16)]
        return [(west + x, y) for x, y in ring]

    osm.add("whole", shapely.Polygon(bay(10)).wkt)
    turned = shapely.Polygon(bay(179))
    east = shapely.transform(turned.intersection(shapely.box(180, -90, 182, 90)), lambda xy: xy - (360, 0))
    west = turned.intersection(shapely.box(178, -90, 180, 90))
    osm.add("cut", shapely.MultiPolygon([west, east]).wkt)
    whole, cut = (osm.ask("G03.b", A=name, v1_km=5, v2_km=60).answer for name in ("whole", "cut"))
    assert whole > 1
    assert cut == pytest.approx(whole, rel=1e-4)


# H


def test_h01_h02_h03_cells(osm: Any) -> None:
    osm.add("a", "POINT (24.94 60.17)")
    osm.add("b", "POINT (24.95 60.17)")
    osm.add("far", "POINT (-70 -30)")
    cell = osm.ask("H01.a", A="a", B="b").answer
    level = h3.get_resolution(cell)
    assert h3.latlng_to_cell(60.17, 24.94, level) == h3.latlng_to_cell(60.17, 24.95, level) == cell
    finer = [h3.latlng_to_cell(60.17, lon, r) for r in range(level + 1, 16) for lon in (24.94, 24.95)]
    assert all(x != y for x, y in zip(finer[::2], finer[1::2], strict=True))
    assert osm.ask("H02.a", A="a", B="b", resolution=level).answer == cell
    assert osm.ask("H02.a", A="a", B="b", resolution=level + 1).premise_failure == "different_cells"
    assert osm.ask("H01.b", A="a", B="far").premise_failure == "different_cells"

    def token(lon: float, s2_level: int) -> str:
        leaf = s2sphere.CellId.from_lat_lng(s2sphere.LatLng.from_degrees(60.17, lon))
        return str(leaf.parent(s2_level).to_token())

    common = max(lv for lv in range(31) if token(24.94, lv) == token(24.95, lv))
    assert osm.ask("H01.b", A="a", B="b").answer == token(24.94, common)
    assert osm.ask("H02.b", A="a", B="b", resolution=common).answer == token(24.95, common)
    both = osm.ask("H03", A="a", resolution=7, level=12).answer
    assert both == {"h3": h3.latlng_to_cell(60.17, 24.94, 7), "s2": token(24.94, 12)}


def test_h_and_m_known_cells(osm: Any) -> None:
    osm.add("a", "POINT (-122.418307 37.775938)")  # the example of h3's documentation
    assert osm.ask("M02.a", A="a", resolution=9).answer == "8928308280fffff"
    osm.add("jutland", "POINT (10.40744 57.64911)")  # the example of geohash.org
    assert osm.ask("M02.c", A="jutland", resolution=11).answer == "u4pruydqqvj"
    osm.add("zero", "POINT (0 0)")
    assert osm.ask("M02.b", A="zero", resolution=1).answer == "14"  # face 0, its centre's upper quarter
    with pytest.raises(SolverError, match="resolution"):
        osm.ask("M02.a", A="a", resolution=16)
    with pytest.raises(SolverError, match="resolution"):
        osm.ask("M02.a", A="a", resolution=7.5)


def test_geohash_of_corners_and_random_points(osm: Any) -> None:
    import pygeohash

    from multiglobeqa.solver.cells import geohash

    rng = np.random.default_rng(3)
    for lon, lat in rng.uniform((-180, -90), (180, 90), (200, 2)).tolist():
        assert geohash(lon, lat, 7) == pygeohash.encode(lat, lon, 7)
    assert geohash(180, 90, 3) == "zzz"


# I

DAY = ["2005-08-01T00:00:00Z", "2005-08-02T00:00:00Z", "2005-08-03T00:00:00Z", "2005-08-04T00:00:00Z"]


def test_i01_i02_events(kwg: Any) -> None:
    kwg.add("quake", "POINT (0.5 0.5)")
    kwg.add("town", "POINT (0.5 1.5)")
    kwg.add("track", "LINESTRING (-3 0, 3 0)")
    kwg.add("print", box(0, 0, 1.5, 0.5))
    for n in range(3):
        kwg.add(f"u{n}", box(n, 0, n + 1, 1), "State")
    assert kwg.ask("I01.a", A="quake", B="town").answer == pytest.approx(LAT, abs=1e-3)
    assert kwg.ask("I01.b", A="track", B="town").answer == pytest.approx(1.5 * LAT, abs=1e-3)
    assert kwg.ask("I02.a", "State", A="print").answer == [kwg.iri("u0"), kwg.iri("u1")]
    assert kwg.ask("I02.b", "State", A="quake").answer == [kwg.iri("u0")]


def test_i03_first_contact_by_hand(kwg: Any) -> None:
    # 5 degrees a day along the equator, winds to 1 degree: the edge of the winds reaches longitude 9 when the
    # centre is at 8, 0.6 of day two.
    nm = 2 * LON / 1.852
    kwg.storm("s", [(t, 5.0 * n, 0.0, nm) for n, t in enumerate(DAY)])
    kwg.add("b", box(9, -2, 12, 2))
    assert kwg.ask("I03.a", A="s", B="b").answer == "2005-08-02"
    assert kwg.ask("I03.b", A="s", B="b").answer == "2005-08"
    at = sweep.first_contact(Facts(kwg.lines).fixes(kwg.iri("s")), Facts(kwg.lines).extent(kwg.iri("b")))
    assert at is not None
    assert at.hour + at.minute / 60 == pytest.approx(0.6 * 24, abs=0.02)
    kwg.add("far", box(5, 3, 6, 4))
    assert kwg.ask("I03.a", A="s", B="far").premise_failure == "no_contact"
    kwg.add("start", box(-1, -1, 1, 1))
    assert kwg.ask("I03.a", A="s", B="start").answer == "2005-08-01"


def test_i03_growing_winds(kwg: Any) -> None:
    # A storm that stands still while its radius grows from 0 to 2 degrees in a day reaches a shore at 1.5
    # degrees after 18 hours.
    kwg.storm("s", [(DAY[0], 0.0, 0.0, 0.0), (DAY[1], 0.0, 0.0, 4 * LON / 1.852)])
    kwg.add("b", box(1.5, -2, 3, 2))
    at = sweep.first_contact(Facts(kwg.lines).fixes(kwg.iri("s")), Facts(kwg.lines).extent(kwg.iri("b")))
    assert at is not None
    assert at.hour + at.minute / 60 == pytest.approx(18, abs=0.02)


def test_i03_unknown_radius_sweeps_nothing(kwg: Any) -> None:
    nm = 2 * LON / 1.852
    kwg.storm(
        "s",
        [
            (DAY[0], 0.0, 0.0, None),
            (DAY[1], 5.0, 0.0, None),
            (DAY[2], 10.0, 0.0, nm),
            (DAY[3], 15.0, 0.0, nm),
        ],
    )
    kwg.add("early", box(2, -1, 3, 1))
    kwg.add("late", box(8, -1, 9.5, 1))
    assert kwg.ask("I03.a", A="s", B="early").premise_failure == "no_contact"
    assert kwg.ask("I03.a", A="s", B="late").answer == "2005-08-03"


def test_i03_across_the_antimeridian(kwg: Any) -> None:
    nm = 2 * LON / 1.852
    kwg.storm("s", [(DAY[0], 174.0, -17.0, nm), (DAY[1], 179.0, -17.0, nm), (DAY[2], -176.0, -17.0, nm)])
    kwg.add("fiji", FIJI)
    kwg.add("tonga", box(-177, -18, -176, -16))
    assert kwg.ask("I03.a", A="s", B="fiji").answer == "2005-08-01"
    assert kwg.ask("I03.a", A="s", B="tonga").answer == "2005-08-02"


def cap_area(radius: float) -> float:
    return 2 * math.pi * geodesy.R_AUTHALIC**2 * (1 - math.cos(radius / geodesy.R_AUTHALIC))


@pytest.mark.parametrize(("lon", "lat"), [(-60.0, 25.0), (179.8, -17.0)])
def test_i04_one_disc_and_a_straight_corridor(kwg: Any, lon: float, lat: float) -> None:
    radius = 100 * 1.852
    kwg.storm("disc", [(DAY[0], lon, lat, 200.0)])
    assert kwg.ask("I04", A="disc").answer == pytest.approx(cap_area(radius), rel=1e-3)
    # Along 10 degrees of a meridian: a disc and a corridor twice the radius wide, less the scallops between
    # discs, which take step²/(24·r) of the half width; the sphere narrows it by r²/(6·R²).
    kwg.storm("move", [(DAY[0], lon, lat - 5, 200.0), (DAY[1], lon, lat + 5, 200.0)])
    length = geodesy.meridian_arc(lat - 5, lat + 5)
    step = length / math.ceil(length / 10)
    corridor = 2 * length * (radius - step**2 / (24 * radius)) * (1 - (radius / 6371) ** 2 / 6)
    assert kwg.ask("I04.a", A="move").answer == pytest.approx(cap_area(radius) + corridor, rel=1e-3)


def test_i05_half_of_a_disc(kwg: Any) -> None:
    kwg.storm("s", [(DAY[0], 180.0, 0.0, 200.0)])
    kwg.add("east", box(-180, -5, -170, 5))
    kwg.add(
        "all",
        "MULTIPOLYGON (((170 -5, 180 -5, 180 5, 170 5, 170 -5)), "
        "((-180 -5, -170 -5, -170 5, -180 5, -180 -5)))",
    )
    whole = kwg.ask("I04", A="s").answer
    assert kwg.ask("I05", A="s", B="east").answer == pytest.approx(whole / 2, rel=1e-3)
    assert kwg.ask("I05", A="s", B="all").answer == pytest.approx(whole, rel=1e-9)
    kwg.add("far", box(100, 0, 101, 1))
    assert kwg.ask("I05.a", A="s", B="far").premise_failure == "no_contact"


def test_i_storms_without_winds_or_fixes_are_errors(kwg: Any) -> None:
    kwg.storm("calm", [(DAY[0], 0.0, 0.0, None), (DAY[1], 1.0, 0.0, 0.0)])
    with pytest.raises(SolverError, match=r"I04.*34 kt"):
        kwg.ask("I04", A="calm")
    kwg.add("none", "POINT (0 0)")
    with pytest.raises(SolverError, match="fixes"):
        kwg.ask("I04", A="none")


def test_i_a_long_storm_is_quick(kwg: Any, quick: Any) -> None:
    fixes = [
        (f"2005-08-{1 + n // 4:02d}T{n % 4 * 6:02d}:00:00Z", -30.0 - n, 15 + 8 * math.sin(n / 12), 120.0 + n)
        for n in range(60)
    ]
    kwg.storm("s", fixes)
    turn = np.linspace(0, 2 * np.pi, 50_000)[:-1]
    shore = shapely.Polygon(
        np.column_stack([-84 + 3 * np.cos(turn), 11 + (3 + 0.001 * np.sin(9999 * turn)) * np.sin(turn)])
    )
    kwg.add("b", shapely.to_wkt(shore, rounding_precision=7))
    assert kwg.ask("I03.a", A="s", B="b").answer.startswith("2005-08-1")
    for subtemplate in ("I03.a", "I04", "I05"):
        assert quick(lambda name=subtemplate: kwg.ask(name, A="s", B="b"), 1.5), subtemplate


# J


@pytest.mark.parametrize(
    ("lon", "lat", "north", "east", "winds"),
    [
        (10, 1, False, True, ("east", "east", "east")),
        (1, 10, True, False, ("north", "north", "north")),
        (4.8, 5, True, False, ("north", "northeast", "northeast")),
        (3, 5, True, False, ("north", "northeast", "north-northeast")),
        (-5, -3, False, False, ("west", "southwest", "west-southwest")),
        (-1, 10, True, False, ("north", "north", "north")),
    ],
)
def test_j01_j04_directions(
    osm: Any, lon: float, lat: float, north: bool, east: bool, winds: tuple[str, str, str]
) -> None:
    osm.add("o", "POINT (0 0)")
    osm.add("p", f"POINT ({lon} {lat})")
    assert osm.ask("J01.a", A="p", B="o").answer is north
    assert osm.ask("J01.c", A="p", B="o").answer is east
    assert tuple(osm.ask(f"J04.{letter}", A="o", B="p").answer for letter in "abc") == winds


def test_j01_opposites_and_antimeridian(osm: Any) -> None:
    osm.add("o", "POINT (179 -17)")
    osm.add("p", "POINT (-179 -17)")
    assert osm.ask("J01.c", A="p", B="o").answer is True
    assert osm.ask("J01.d", A="o", B="p").answer is True
    assert osm.ask("J01.b", A="p", B="o").answer is False
    assert osm.ask("J04.c", A="o", B="p", winds=16).answer == "east"


def test_j02_left_and_right_of_the_geodesic(osm: Any) -> None:
    osm.add("b", "POINT (0 50)")
    osm.add("c", "POINT (60 50)")
    osm.add(
        "a", "POINT (30 51)"
    )  # north of the parallel, south of the geodesic (55 degrees north at its middle)
    osm.add("n", "POINT (30 60)")
    assert osm.ask("J02", A="a", B="b", C="c").answer == "right"
    assert osm.ask("J02.a", A="n", B="b", C="c").answer == "left"
    assert osm.ask("J02", A="n", B="c", C="b").answer == "right"
    osm.add("e", "POINT (179 0)")
    osm.add("w", "POINT (-179 0)")
    osm.add("up", "POINT (180 0.5)")
    assert osm.ask("J02", A="up", B="e", C="w").answer == "left"
    osm.add("on", "POINT (180 0)")
    with pytest.raises(SolverError, match="on the route"):
        osm.ask("J02", A="on", B="e", C="w")


# K


def test_k01_k02_k03_comparisons(osm: Any) -> None:
    osm.add("square", box(0, 0, 2, 2))
    osm.add("bar", box(0, 0, 9, 0.5))
    osm.add("north", box(0, 70, 2.5, 72))  # more square degrees than square, less ground
    assert osm.ask("K01.a", A="bar", B="square").answer is True
    assert osm.ask("K01.b", A="north", B="square").answer is True
    assert osm.ask("K02.a", A="square", B="bar").answer is True
    assert osm.ask("K02.b", A="square", B="bar").answer is False
    assert osm.ask("K03.a", A="bar", B="square").answer is True
    assert osm.ask("K03.b", A="bar", B="square").answer is False


def test_k02_a_hole_makes_a_surface_less_compact(osm: Any) -> None:
    osm.add("square", box(0, 0, 2, 2))
    osm.add("holed", "POLYGON ((0 0, 2 0, 2 2, 0 2, 0 0), (0.9 0.9, 1.1 0.9, 1.1 1.1, 0.9 1.1, 0.9 0.9))")
    assert osm.ask("K02.b", A="holed", B="square").answer is True


def test_k04_perimeter_and_length(osm: Any) -> None:
    osm.add("square", box(0, 0, 1, 1))
    osm.add("holed", "POLYGON ((-1 -1, 2 -1, 2 2, -1 2, -1 -1), (0 0, 1 0, 1 1, 0 1, 0 0))")
    osm.add("outer", box(-1, -1, 2, 2))
    north_side = geodesy.length(shapely.from_wkt("LINESTRING (0 1, 1 1)"))
    square = osm.ask("K04.a", A="square").answer
    assert square == pytest.approx(2 * LAT + LON + north_side, abs=1e-3)
    assert osm.ask("K04.a", A="holed").answer == pytest.approx(square + osm.ask("K04.a", A="outer").answer)
    osm.add("fiji", FIJI)
    osm.add("same", box(10, -18, 12, -16))
    assert osm.ask("K04.a", A="fiji").answer == pytest.approx(osm.ask("K04.a", A="same").answer)
    osm.add("line", "MULTILINESTRING ((0 0, 1 0), (179 0, 180 0), (-180 0, -179 0))")
    assert osm.ask("K04.b", A="line").answer == pytest.approx(3 * LON, abs=1e-6)


def test_k05_metrics_of_a_square_and_a_notched_square(osm: Any) -> None:
    d = 0.4  # degrees, on the equator: sides of 44.5 and 44.2 km
    osm.add("square", box(-d / 2, -d / 2, d / 2, d / 2))
    a, b = d * LON, d * LAT
    want = {
        "a": (a + b) / math.sqrt(math.pi * a * b),
        "b": math.pi * a * b / (a + b) ** 2,
        "c": 1.0,
        "d": 0.0,
    }
    for letter, value in want.items():
        assert osm.ask(f"K05.{letter}", A="square", scale_km=1).answer == pytest.approx(value, abs=1e-4)
    # a notch half as wide and half as deep: a quarter of the area is gone, the outline is longer by 2 depths
    h, q = d / 2, d / 4
    osm.add(
        "notch",
        f"POLYGON (({-h} {-h}, {h} {-h}, {h} {h}, {q} {h}, {q} 0, {-q} 0, {-q} {h}, {-h} {h}, {-h} {-h}))",
    )
    assert osm.ask("K05.c", A="notch", scale_km=5, metric="convexity").answer == pytest.approx(0.75, abs=1e-4)
    assert osm.ask("K05.d", A="notch", scale_km=5).answer == pytest.approx(b / (2 * (a + b)), abs=1e-4)
    tiny = shapely.from_wkt(box(-h, -h, h, h)).difference(
        shapely.box(-0.002, 0, 0.002, 1)
    )  # 0.45 km wide slit
    osm.add("slit", tiny.wkt)
    assert osm.ask("K05.c", A="slit", scale_km=1).answer == pytest.approx(1, abs=0.01)


# L


def test_l01_l02_l03_thresholds(osm: Any) -> None:
    osm.add("a", "POINT (0 0)")
    osm.add("b", "POINT (0.1 0)")  # 11.1 km
    osm.add("c", "POINT (0 1)")  # 110.6 km
    osm.add("park", box(0.2, -1, 1, 1))
    assert osm.ask("L01", A="a", B="b", threshold_km=15).answer is True
    assert osm.ask("L01", A="a", B="c", threshold_km=15).answer is False
    assert osm.ask("L01", A="a", B="park", threshold_km=25).answer is True
    assert osm.ask("L02", A="a", B="c", threshold_km=15).answer is True
    assert osm.ask("L02", A="a", B="c", threshold_km=25).answer is False
    assert osm.ask("L03", A="a", B="b", C="c").answer is True
    assert osm.ask("L03", A="a", B="c", C="b").answer is False


def test_l04_roughly_closest(osm: Any) -> None:
    osm.add("b", "POINT (0 0)", "Town")
    for name, lon in (("p", 1.0), ("q", 1.15), ("r", -1.19), ("s", 1.6)):
        osm.add(name, f"POINT ({lon} 0)", "Town")
    assert osm.ask("L04", "Town", B="b").answer == sorted(osm.iri(n) for n in "pqr")
    assert osm.ask("L04", "City", B="b").premise_failure == "no_member"


@pytest.mark.parametrize(
    ("point", "answer"),
    [
        ("POINT (0.5 0)", "true"),
        ("POINT (0.05 0)", "plausibly"),
        ("POINT (-0.05 0)", "plausibly"),
        ("POINT (-0.5 0)", "false"),
    ],
)
def test_l05_three_values(osm: Any, point: str, answer: str) -> None:
    osm.add("a", point)
    osm.add("b", box(0, -1, 2, 1))
    assert osm.ask("L05", A="a", B="b", epsilon_km=10).answer == answer


def test_l05_the_seam_is_no_boundary(osm: Any) -> None:
    osm.add("a", "POINT (-179.99 -17)")
    osm.add("fiji", FIJI)
    assert osm.ask("L05", A="a", B="fiji", epsilon_km=10).answer == "true"


# M, N


def test_m01_polar(osm: Any) -> None:
    osm.add("a", "POINT (-179 0)")
    osm.add("b", "POINT (179 0)")
    answer = osm.ask("M01", A="a", B="b").answer
    assert answer == pytest.approx({"azimuth_deg": 90, "distance_km": 2 * LON}, abs=1e-6)
    assert osm.ask("M01", A="b", B="a").answer["azimuth_deg"] == pytest.approx(270)


def test_m02_utm_is_a_point_inside_the_utm_zone(osm: Any) -> None:
    osm.add("a", "POINT (24.9 60.2)")
    assert osm.ask("M02.d", A="a").answer == {"lat": 60.2, "lon": 24.9}
    osm.add("pole", "POINT (0 88)")
    with pytest.raises(SolverError, match="UTM"):
        osm.ask("M02.d", A="pole")


def test_n02_boxes(osm: Any) -> None:
    osm.add("a", "POLYGON ((1 2, 5 2.5, 3 7, 1 2))")
    assert osm.ask("N02.a", A="a").answer == {"west": 1, "south": 2, "east": 5, "north": 7}
    osm.add("fiji", FIJI)
    assert osm.ask("N02.a", A="fiji").answer == {"west": 179, "south": -18, "east": -179, "north": -16}
    osm.add("line", "LINESTRING (10 -1, 12 3)")
    assert osm.ask("N02.b", A="line").answer == {"west": 10, "south": -1, "east": 12, "north": 3}


def test_a_country_of_50000_vertices_is_quick_end_to_end(osm: Any, quick: Any) -> None:
    turn = np.linspace(0, 2 * np.pi, 50_000)[:-1]
    radius = 8 * (1 + 0.2 * np.sin(5 * turn) + 0.001 * np.sin(4001 * turn))
    shape = shapely.Polygon(np.column_stack([10 + radius * np.cos(turn), 40 + radius / 2 * np.sin(turn)]))
    osm.add("a", shapely.to_wkt(shape, rounding_precision=7))
    osm.add("b", "POINT (10 40)")
    cases: tuple[tuple[str, dict[str, Any]], ...] = (
        ("N01.a", {}),
        ("A09.a", {"A": "b", "B": "a"}),
        ("K04.a", {}),
        ("K05.a", {"scale_km": 1}),
        ("G02", {"B": "b"}),
    )
    for subtemplate, extra in cases:
        roles = {"A": "a", **extra}
        assert quick(lambda name=subtemplate, given=roles: osm.ask(name, **given), 0.5), subtemplate
