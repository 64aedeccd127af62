"""Families A to F on small worlds whose answers can be checked by eye.

At the equator 1 degree of longitude is 111.3195 km and 1 degree of latitude 110.5744 km.
"""

from __future__ import annotations

import math
from typing import Any

import pytest
import shapely

from multiglobeqa.solver import SolverError, geodesy

LON = 6378.137 * math.pi / 180
LAT = 110.57439


def box(west: float, south: float, east: float, north: float) -> str:
    return f"POLYGON (({west} {south}, {east} {south}, {east} {north}, {west} {north}, {west} {south}))"


FIJI = (
    "MULTIPOLYGON (((179 -18, 180 -18, 180 -16, 179 -16, 179 -18)), "
    "((-180 -18, -179 -18, -179 -16, -180 -16, -180 -18)))"
)
CAP = "POLYGON ((-180 -90, 180 -90, 180 -70, -180 -70, -180 -90))"
RING = "POLYGON ((0 0, 9 0, 9 9, 0 9, 0 0), (4 4, 5 4, 5 5, 4 5, 4 4))"


def two(first: tuple[float, float, float, float], second: tuple[float, float, float, float]) -> str:
    return str(shapely.MultiPolygon([shapely.box(*first), shapely.box(*second)]).wkt)


def iris(w: Any, *names: str) -> list[str]:
    return sorted(w.iri(name) for name in names)


# A


@pytest.mark.parametrize("kg", ["osmh3kg", "worldkg", "knowwheregraph"])
def test_a01_points_in_each_vocabulary(world: Any, kg: str) -> None:
    w = world(kg)
    w.add("a", "Point(0 0)")
    w.add("b", "Point(0 1)")
    assert w.ask("A01.a", A="a", B="b").answer == pytest.approx(LAT, abs=1e-4)


def test_a01_surfaces_nearest_edges_and_antimeridian(osm: Any) -> None:
    osm.add("a", box(0, -1, 1, 1))
    osm.add("b", box(3, -1, 4, 1))
    answer = osm.ask("A01.b", A="a", B="b").answer
    assert answer == pytest.approx(
        geodesy.distance(1, 1, 3, 1), rel=1e-6
    )  # nearest at the ends, off the equator
    assert answer < 2 * LON
    osm.add("c", box(178, -1, 179, 1))
    osm.add("d", box(-179, -1, -178, 1))
    assert osm.ask("A01.b", A="c", B="d").answer == pytest.approx(answer, rel=1e-9)


@pytest.mark.parametrize(
    ("subtemplate", "point", "km"),
    [
        ("A02.a", "POINT (3 1)", LAT),
        ("A02.b", "POINT (3 -1)", LAT),
        ("A02.c", "POINT (2 1)", 2 * LON),
        ("A02.d", "POINT (-2 1)", 2 * LON),
    ],
)
def test_a02_components(osm: Any, subtemplate: str, point: str, km: float) -> None:
    osm.add("a", point)
    osm.add("b", "POINT (0 0)")
    assert osm.ask(subtemplate, A="a", B="b").answer == pytest.approx(km, abs=1e-3)
    with pytest.raises(SolverError, match="does not lie"):
        osm.ask(subtemplate, A="b", B="a")


def test_a02_short_way_over_the_antimeridian(osm: Any) -> None:
    osm.add("a", "POINT (-179 5)")
    osm.add("b", "POINT (179 0)")
    assert osm.ask("A02.c", A="a", B="b", direction="east").answer == pytest.approx(2 * LON, abs=1e-6)


def test_a04_closer_farther_tie(osm: Any) -> None:
    for name, lon in (("a", -1), ("b", 2), ("d", 1), ("c", 0)):
        osm.add(name, f"POINT ({lon} 0)")
    assert osm.ask("A04.a", A="a", B="b", C="c").answer == osm.iri("a")
    assert osm.ask("A04.b", A="a", B="b", C="c").answer == osm.iri("b")
    assert osm.ask("A04.a", A="d", B="a", C="c").accepted == tuple(iris(osm, "a", "d"))


def test_a06_statistics_of_pairs(osm: Any) -> None:
    osm.add("in", parents=("land",))
    for name, lon in (("p", 0), ("q", 1), ("r", 3), ("s", 4)):
        osm.add(name, f"POINT ({lon} 0)", "Cafe", ("in",))
    osm.add("elsewhere", "POINT (50 0)", "Cafe", ("other",))
    osm.add("bar", "POINT (2 0)", "Bar", ("in",))
    gaps = [1, 3, 4, 2, 3, 1]  # degrees of the six pairs; the median is (2 + 3) / 2
    for letter, degrees in (("a", sum(gaps) / 6), ("b", 1), ("c", 4), ("d", 2.5)):
        assert osm.ask(f"A06.{letter}", "Cafe", B="land").answer == pytest.approx(degrees * LON, abs=1e-6)
    assert osm.ask("A06.a", "School", B="land").premise_failure == "no_member"


def test_a08_ranked_to_b_measured_from_c(osm: Any) -> None:
    osm.add("b", "POINT (0 0)", "Cafe", ("d",))
    osm.add("c", "POINT (10 0)", "Cafe", ("d",))
    for lon in (1, -2, 3):
        osm.add(f"m{lon}", f"POINT ({lon} 0)", "Cafe", ("d",))
    osm.add("near", "POINT (0.1 0)", "Cafe", ("x",))
    for letter, degrees in (("a", 9), ("b", 12), ("c", 7)):
        answer = osm.ask(f"A08.{letter}", "Cafe", B="b", C="c", D="d", rank="abc".index(letter) + 1).answer
        assert answer == pytest.approx(degrees * LON, abs=1e-6)
    nothing = osm.ask("A08.a", "School", B="b", C="c", D="d")
    assert (nothing.answer, nothing.accepted, nothing.premise_failure) == (None, (), "no_member")


def test_a09_to_the_boundary_from_both_sides_and_of_a_hole(osm: Any) -> None:
    osm.add("b", box(0, -5, 9, 5))
    osm.add("in", "POINT (2 0)")
    osm.add("out", "POINT (-1 0)")
    assert osm.ask("A09.a", A="in", B="b").answer == pytest.approx(2 * LON, abs=1e-4)
    assert osm.ask("A09.b", A="out", B="b").answer == pytest.approx(LON, abs=1e-4)
    with pytest.raises(SolverError, match="inside B"):
        osm.ask("A09.b", A="in", B="b")
    osm.add("ring", RING)
    osm.add("inhole", "POINT (4.5 4.5)")
    assert osm.ask("A09.b", A="inhole", B="ring").answer == pytest.approx(
        geodesy.distance(4.5, 4.5, 4.5, 5), rel=1e-3
    )


def test_a09_seam_is_no_boundary(osm: Any) -> None:
    osm.add("fiji", FIJI)
    osm.add("a", "POINT (179.99 -16.5)")
    assert osm.ask("A09.a", A="a", B="fiji").answer == pytest.approx(0.5 * 110.66, rel=1e-3)
    osm.add("cap", CAP)
    osm.add("base", "POINT (100 -88)")
    assert osm.ask("A09.a", A="base", B="cap").answer == pytest.approx(
        geodesy.meridian_arc(-88, -70), rel=1e-6
    )


# B


@pytest.fixture
def cafes(osm: Any) -> Any:
    osm.add("b", "POINT (0 0)", "Cafe")
    for lon in (0.001, 0.002, 0.003, 0.02):  # 111, 223, 334 and 2226 m
        osm.add(f"c{lon}", f"POINT ({lon} 0)", "Cafe")
    osm.add("bar", "POINT (0.0005 0)", "Bar")
    return osm


def test_b01_b02_within_a_radius(cafes: Any) -> None:
    assert cafes.ask("B01.a", "Cafe", B="b", radius_km=0.25).answer == 2
    assert cafes.ask("B02.a", "Cafe", B="b", radius_km=0.5).answer == iris(
        cafes, "c0.001", "c0.002", "c0.003"
    )
    assert cafes.ask("B02.a", "School", B="b", radius_km=0.5).premise_failure == "no_member"
    assert cafes.ask("B01.b", "School", B="b", radius_km=25).answer == 0


def test_b02_radius_is_measured_from_an_edge_of_b(osm: Any) -> None:
    osm.add("park", box(0, -1, 1, 1))
    osm.add("a", "POINT (1.1 0)", "Cafe")
    assert osm.ask("B02.b", "Cafe", B="park", radius_km=12).answer == iris(osm, "a")
    assert osm.ask("B02.b", "Cafe", B="park", radius_km=11).answer is None


@pytest.mark.parametrize(("lon", "lat"), [(10.0, 50.0), (-179.9, -17.0)])
def test_b03_even_density_is_density_times_circle(osm: Any, lon: float, lat: float) -> None:
    import h3

    osm.add("a", f"POINT ({lon} {lat})")
    for cell in h3.grid_disk(h3.latlng_to_cell(lat, lon, 3), 9):
        osm.text(f"urn:h3:{cell}", "http://stko-kwg.geog.ucsb.edu/lod/ontology/populationDensity", "2.5")
    people = osm.ask("B03.b", A="a", radius_km=500).answer
    assert isinstance(people, int)
    assert people == pytest.approx(2.5 * math.pi * 500**2 * (1 - (500 / 6371) ** 2 / 12), rel=1e-3)
    with pytest.raises(SolverError, match="cover"):
        osm.ask("B03.b", A="a", radius_km=1500)


def test_b03_one_populated_cell_inside_the_circle(osm: Any) -> None:
    import h3

    osm.add("a", "POINT (10 50)")
    centre = h3.latlng_to_cell(50, 10, 3)
    for cell in h3.grid_disk(centre, 9):
        density = "100" if cell == centre else "0"
        osm.text(f"urn:h3:{cell}", "http://stko-kwg.geog.ucsb.edu/lod/ontology/populationDensity", density)
    corners = [(lon, lat) for lat, lon in h3.cell_to_boundary(centre)]
    lons, lats = zip(*corners, strict=True)
    true = abs(geodesy.GEOD.polygon_area_perimeter(lons, lats)[0]) / 1e6 * 100
    assert osm.ask("B03.b", A="a", radius_km=500).answer == pytest.approx(true, rel=1e-5)


# C


def test_c01_c10_c03(osm: Any) -> None:
    osm.add("s", box(0, 0, 2, 2))
    osm.add("t", box(1, 1, 3, 3))
    osm.add("u", box(5, 5, 6, 6))
    osm.add("l", "LINESTRING (-1 1, 7 1)")
    osm.add("zigzag", "LINESTRING (0 0, 1 2, 2 0, 3 2, 4 0.5)")
    assert osm.ask("C01.a", A="s", B="t").answer is True
    assert osm.ask("C01.a", A="s", B="u").answer is False
    assert osm.ask("C01.b", A="l", B="s").answer is True
    assert osm.ask("C01.c", A="l", B="zigzag").answer is True
    assert osm.ask("C10", A="s", B="t").answer is False
    assert osm.ask("C10", A="s", B="u").answer is True
    assert osm.ask("C03", A="l", B="zigzag").answer == 4


def test_c03_one_metre_and_shared_segment(osm: Any) -> None:
    osm.add("l", "LINESTRING (-1 0, 1 0)")
    osm.add("close", "LINESTRING (0 1, 0 -1, 0.000005 -1, 0.000005 1)")  # crosses twice, 0.56 m apart
    osm.add("apart", "LINESTRING (0 1, 0 -1, 0.00005 -1, 0.00005 1)")  # 5.6 m apart
    osm.add("along", "LINESTRING (0 1, 0 0, 0.5 0, 0.5 1)")
    assert osm.ask("C03", A="l", B="close").answer == 1
    assert osm.ask("C03", A="l", B="apart").answer == 2
    with pytest.raises(SolverError, match="share a segment"):
        osm.ask("C03", A="l", B="along")


def test_c03_a_crossing_on_the_antimeridian_counts_once(osm: Any) -> None:
    osm.add("l", "MULTILINESTRING ((179 0, 180 0), (-180 0, -179 0))")
    osm.add("m", "MULTILINESTRING ((179 1, 180 0), (-180 0, -179 -1))")
    assert osm.ask("C03", A="l", B="m").answer == 1


def test_c04_c05_members_that_meet_b(osm: Any) -> None:
    osm.add("b", box(0, 0, 2, 2))
    osm.add("river", "LINESTRING (-1 1, 3 1)")
    for name, wkt in (
        ("in", "POINT (1 1)"),
        ("out", "POINT (3 3)"),
        ("edge", box(1, 1, 4, 4)),
        ("far", box(7, 7, 8, 8)),
    ):
        osm.add(name, wkt, "Thing")
    assert osm.ask("C04.a", "Thing", B="b").answer == 2
    assert osm.ask("C05.a", "Thing", B="b").answer == iris(osm, "in", "edge")
    assert osm.ask("C05.b", "Thing", B="river").answer == iris(osm, "in", "edge")
    assert osm.ask("C05.a", "Cafe", B="b").premise_failure == "no_member"


def relation_world(osm: Any) -> Any:
    shapes = {
        "a": box(0, 0, 2, 2),
        "shift": box(1, 1, 3, 3),  # overlaps a
        "inner": box(0.5, 0.5, 1, 1),  # inside a
        "edged": box(0, 0, 1, 1),  # inside a, at its boundary
        "side": box(2, 0, 4, 2),  # shares an edge with a
        "corner": box(2, 2, 3, 3),  # shares one point with a
        "apart": box(5, 5, 6, 6),
        "ring": RING,
        "fill": box(4, 4, 5, 5),  # fills the ring's hole
        "half": box(4, 4, 4.5, 5),
        "fiji": FIJI,
        "isle": two((179.5, -17.5, 180, -17), (-180, -17.5, -179.5, -17)),
        "north": two((179, -16, 180, -15), (-180, -16, -179, -15)),
        "west": box(179, -16, 180, -15),
        "east": box(-180, -16, -179, -15),
        "kiss": "POLYGON ((180 -15, 179 -14, 180 -14, 180 -15))",  # meets west at its corner on the seam
    }  # fmt: skip
    for name, wkt in shapes.items():
        osm.add(name, wkt)
    return osm


@pytest.mark.parametrize(
    ("a", "b", "true"),
    [
        ("a", "shift", "C07"),
        ("a", "inner", "C11.a"),
        ("a", "edged", ""),
        ("a", "side", "C08 C09"),
        ("a", "corner", "C08"),
        ("a", "apart", "C10"),
        ("ring", "fill", "C08 C09 C11.b"),
        ("ring", "half", "C08 C09"),
        ("fill", "ring", "C08 C09"),
        ("inner", "a", ""),
        ("fiji", "isle", "C11.a"),
        ("fiji", "north", "C08 C09"),
        ("west", "east", "C10"),
        ("west", "kiss", "C08"),
    ],
)
def test_c07_to_c11_relations(osm: Any, a: str, b: str, true: str) -> None:
    w = relation_world(osm)
    for subtemplate in ("C07", "C08", "C09", "C10", "C11.a", "C11.b"):
        assert w.ask(subtemplate, A=a, B=b).answer is (subtemplate in true.split()), subtemplate


# D


def test_d01_d02_areas_traversed(osm: Any) -> None:
    for n in range(4):
        osm.add(f"u{n}", box(n, -1, n + 1, 1), "District", ("x",))
    osm.add("foreign", box(4, -1, 5, 1), "District", ("y",))
    osm.add("road", "LINESTRING (0.5 0, 3.0005 0, 3.0005 3)")  # 56 m inside u3, then up along its inside
    osm.add("short", "LINESTRING (0.5 0, 3.0005 0)")
    osm.add("long", "LINESTRING (0.5 0, 4.5 0)")
    assert osm.ask("D01.a", "District", B="road", X="x", min_km=0.1).answer == iris(
        osm, "u0", "u1", "u2", "u3"
    )
    assert osm.ask("D01.a", "District", B="short", X="x", min_km=0.1).answer == iris(osm, "u0", "u1", "u2")
    assert osm.ask("D02.a", "District", B="long", X="x", min_km=0.1).answer == 4
    assert osm.ask("D02.b", "District", B="long", min_km=10).answer == 5
    assert osm.ask("D01.b", "District", B="long", X="z", min_km=10).premise_failure == "no_member"


def test_d03_d04_passed_by(osm: Any) -> None:
    osm.add("line", "LINESTRING (-5 0, 5 0)")
    for name, lat in (("p", 0.05), ("q", -0.08), ("r", 0.2), ("s", 0.4)):  # 5.5, 8.8, 22.1, 44.2 km
        osm.add(name, f"POINT (1 {lat})", "Town")
    osm.add("end", "POINT (5.05 0)", "Town")  # 5.6 km beyond the end
    assert osm.ask("D03.b", "Town", B="line", threshold_km=10).answer == iris(osm, "p", "q", "end")
    assert osm.ask("D04.c", "Town", B="line", threshold_km=25).answer == 4
    assert osm.ask("D03.a", "Town", B="line", threshold_km=0.1).premise_failure == "no_member"


# E


def test_e01_e02_e03_hierarchy(kwg: Any) -> None:
    kwg.add("FRA", cls="Country")
    for state in ("X", "Y"):
        kwg.add(state, cls="State", parents=("FRA",))
        for county in ("1", "2"):
            kwg.add(state + county, cls="County", parents=(state,))
    kwg.add("port", cls="Airport", parents=("X1",))
    kwg.add("pier", cls="Harbour", parents=("X2",))
    kwg.add("dock", cls="Harbour", parents=("Y2",))
    assert kwg.ask("E01.a", A="X1", B="X").answer is True
    assert kwg.ask("E01.a", A="X1", B="FRA").answer is False
    assert kwg.ask("E01.b", A="X1", B="FRA").answer is True
    assert kwg.ask("E01.b", A="X1", B="Y").answer is False
    with pytest.raises(SolverError, match="parent"):
        kwg.ask("E01.b", A="FRA", B="X")
    assert kwg.ask("E02.a", "State", B="FRA").answer == 2
    assert kwg.ask("E02.b", "County", B="FRA").answer == 4
    both = [kwg.class_iri("Airport"), kwg.class_iri("Harbour")]
    assert kwg.ask("E03.a", A="X", class_iris=both[1:]).answer == 1
    assert kwg.ask("E03.b", A="X", class_iris=both).answer == 2
    assert kwg.ask("E03.b", A="FRA", class_iris=both).answer == 3


def test_e04_fully_contains_with_a_thousandth_of_room(osm: Any) -> None:
    osm.add("a", box(0, 0, 10, 10))
    osm.add("in", box(1, 1, 2, 2))
    osm.add("nearly", box(9.0005, 1, 10.0005, 2))  # 0.05 % outside
    osm.add("half", box(9.5, 1, 10.5, 2))
    osm.add("doubt", box(9.01, 1, 10.01, 2))  # 1 % outside
    assert osm.ask("E04", A="a", B="in").answer is True
    assert osm.ask("E04", A="a", B="nearly").answer is True
    assert osm.ask("E04", A="a", B="half").answer is False
    assert osm.ask("E04", A="in", B="a").answer is False
    with pytest.raises(SolverError, match="neither true nor false"):
        osm.ask("E04", A="a", B="doubt")
    osm.add("ring", RING)
    osm.add("enclave", box(4, 4, 5, 5))
    assert osm.ask("E04", A="ring", B="enclave").answer is False


# F


def test_f01_extremes_the_short_way_round(kwg: Any) -> None:
    kwg.add("b", FIJI)
    places = {"p": (179.2, -17.0), "q": (-179.2, -17.1), "r": (179.9, -16.2), "s": (-179.9, -17.9)}
    for name, (lon, lat) in places.items():
        kwg.add(name, f"POINT ({lon} {lat})", "Town", ("b",))
    kwg.add("other", "POINT (0 80)", "Town", ("c",))
    for letter, name in (("a", "r"), ("b", "s"), ("c", "q"), ("d", "p")):
        assert kwg.ask(f"F01.{letter}", "Town", B="b").answer == kwg.iri(name)
    assert kwg.ask("F01.a", "City", B="b").premise_failure == "no_member"


def test_f01_ties_are_all_accepted(kwg: Any) -> None:
    for name in "pq":
        kwg.add(name, f"POINT ({ord(name)} 5)", "Town", ("b",))
    kwg.add("low", "POINT (1 1)", "Town", ("b",))
    solution = kwg.ask("F01.a", "Town", B="b")
    assert solution.answer == kwg.iri("p")
    assert solution.accepted == (kwg.iri("p"), kwg.iri("q"))


def test_f02_area_perimeter_elongation(osm: Any) -> None:
    osm.add("square", box(0, 0, 1, 1), "Lake", ("b",))
    osm.add("bar", box(0, 0, 3, 0.1), "Lake", ("b",))
    osm.add("small", box(0, 0, 0.4, 0.3), "Lake", ("b",))
    osm.add(
        "north", box(0, 70, 1.6, 71), "Lake", ("b",)
    )  # larger in degrees than square, smaller on the ground
    for letter, name in (
        ("a", "square"),
        ("b", "small"),
        ("c", "bar"),
        ("d", "small"),
        ("e", "bar"),
        ("f", "square"),
    ):
        assert osm.ask(f"F02.{letter}", "Lake", B="b").answer == osm.iri(name), letter
    assert osm.ask("F02.a", "Pond", B="b").premise_failure == "no_member"
    with pytest.raises(SolverError, match="surface"):
        osm.add("dot", "POINT (0 0)", "Lake", ("b",))
        osm.ask("F02.a", "Lake", B="b")


def test_f03_borders_by_link_and_lines_by_containment(kwg: Any) -> None:
    for n in (1, 2, 3, 4):
        border = kwg.add(f"border{n}", f"LINESTRING (0 {n}, {n} {n})", "Border")
        for country in ("b", f"c{n}"):
            kwg.link(border, "http://stko-kwg.geog.ucsb.edu/lod/ontology/borderOf", kwg.iri(country))
    foreign = kwg.add("border9", "LINESTRING (0 0, 9 0)", "Border")
    kwg.link(foreign, "http://stko-kwg.geog.ucsb.edu/lod/ontology/borderOf", kwg.iri("c1"))
    for letter, name in (("a", "border4"), ("b", "border1"), ("c", "border3"), ("d", "border2")):
        assert kwg.ask(f"F03.{letter}", "Border", B="b").answer == kwg.iri(name)


def test_f03_osm_lines_inside_b(osm: Any) -> None:
    for n in (1, 2, 3):
        osm.add(f"r{n}", f"LINESTRING (0 0, {n} 0)", "Road", ("b",))
    osm.add("r9", "LINESTRING (0 0, 9 0)", "Road", ("c",))
    assert osm.ask("F03.c", "Road", B="b", rank="second longest").answer == osm.iri("r2")


def test_f04_radius_of_b_and_sector_of_c(osm: Any) -> None:
    osm.add("b", "POINT (0 0)")
    osm.add("c", "POINT (-1 0)")
    for name, wkt in (
        ("e", "POINT (0.5 0.2)"),
        ("n", "POINT (-0.9 0.9)"),
        ("w", "POINT (-1.5 0.1)"),
        ("far", "POINT (5 0)"),
    ):
        osm.add(name, wkt, "Town")
    for letter, names in (("a", ["n"]), ("b", []), ("c", ["e"]), ("d", ["w"])):
        assert (osm.ask(f"F04.{letter}", "Town", B="b", C="c", radius_km=180).answer or []) == iris(
            osm, *names
        )


def test_a_set_question_with_30_members_is_quick(osm: Any, quick: Any) -> None:
    line = ", ".join(f"{k / 100} {0.3 * math.sin(k / 9)}" for k in range(1000))
    osm.add("line", f"LINESTRING ({line})")
    for n in range(30):
        osm.add(f"m{n}", box(n / 3, 0.7, n / 3 + 0.1, 0.8), "Town")
    assert 0 < len(osm.ask("D03.c", "Town", B="line", threshold_km=60).answer) <= 30
    assert quick(lambda: osm.ask("D03.c", "Town", B="line", threshold_km=60), 0.2)
