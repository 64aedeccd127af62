"""Solvers of A03, A05, A07, B03.a and the refuters of A and B, on worlds small enough to check by eye."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from multiglobeqa.solver import SolverError, refute

KWG = "http://stko-kwg.geog.ucsb.edu/lod/ontology/"
GEO = "http://www.opengis.net/ont/geosparql#"
XSD = "http://www.w3.org/2001/XMLSchema#"
DEGREE = 111.3195


def box(west: float, south: float, east: float, north: float) -> str:
    return f"POLYGON(({west} {south},{east} {south},{east} {north},{west} {north},{west} {south}))"


def refuted(world: Any, sub: str, cls: str, **rest: Any) -> Any:
    """What the refuter says of a question."""
    roles = {key: world.iri(value) for key, value in rest.items() if key.isupper()}
    params = {key: value for key, value in rest.items() if not key.isupper()}
    question = {
        "subtemplate": sub, "kg": world.kg, "format": "", "roles": roles,
        "params": {**params, "class_iri": world.class_iri(cls)},
    }  # fmt: skip
    return refute(question, world.lines)


def storm(world: Any) -> None:
    """A degree each 6 hours along the equator, from 176 E over the antimeridian; a place at 176 E in a region."""
    fixes = [
        (f"2020-09-{1 + k // 4:02d}T{6 * (k % 4):02d}:00:00Z", (356 + k) % 360 - 180, 0.0, None)
        for k in range(13)
    ]
    world.storm("storm", fixes)
    world.add("place", "POINT (176 0)", parents=("region",))


@pytest.mark.parametrize(
    ("begin", "end", "degrees"),
    [("2020-09-02", "2020-09-02", 4), ("2020-09-03", "2020-09-09", 8), ("2020-09-01", "2020-09-01", 0)],
)
def test_a03_the_track_within_the_days(kwg: Any, begin: str, end: str, degrees: float) -> None:
    storm(kwg)
    answer = kwg.ask("A03.b", A="storm", B="place", C="region", period_start=begin, period_end=end).answer
    assert answer == pytest.approx(degrees * DEGREE, rel=1e-5, abs=1e-9)


def test_a03_outside_the_period_or_the_region_nothing_is_answered(kwg: Any) -> None:
    storm(kwg)
    found = kwg.ask(
        "A03.b", A="storm", B="place", C="region", period_start="2021-01-01", period_end="2021-01-09"
    )
    assert found.answer is None and found.premise_failure == "no_event_in_the_period"
    with pytest.raises(SolverError, match="do not place B in C"):
        kwg.ask("A03.b", A="storm", B="place", C="other", period_start="2020-09-02", period_end="2020-09-02")
    with pytest.raises(SolverError, match="not a day"):
        kwg.ask("A03.b", A="storm", B="place", C="region", period_start="soon", period_end="2020-09-02")


def test_a03_a_point_event(kwg: Any) -> None:
    quake = kwg.add("quake", "POINT (177 0)")
    kwg.instant(quake, "2020-09-30T23:59:00Z")
    kwg.add("place", "POINT (176 0)", parents=("region",))
    roles = {"A": "quake", "B": "place", "C": "region"}
    answer = kwg.ask("A03.a", **roles, period_start="2020-09-01", period_end="2020-09-30").answer
    assert answer == pytest.approx(DEGREE, rel=1e-5)
    assert kwg.ask("A03.a", **roles, period_start="2020-09-01", period_end="2020-09-29").answer is None


def test_a05_the_nearest_neighbour_of_each_place(kwg: Any) -> None:
    for name, west in (("home", 0), ("east", 10), ("west", -10)):
        kwg.add(name, box(west, -1, west + 10, 1), "Country")
    for other in ("east", "west"):
        kwg.link(kwg.iri("border." + other), KWG + "borderOf", kwg.iri("home"))
        kwg.link(kwg.iri("border." + other), KWG + "borderOf", kwg.iri(other))
    kwg.add("a", "POINT (5 0)", parents=("home",))
    kwg.add("b", "POINT (1 0)")  # 1 degree from west
    kwg.add("c", "POINT (7 0)")  # 3 degrees from east
    assert kwg.ask("A05.a", A="a", B="b", C="c").answer == kwg.iri("b")
    assert kwg.ask("A05.b", A="a", B="b", C="c").answer == kwg.iri("c")
    kwg.add("d", "POINT (12 0)")
    with pytest.raises(SolverError, match="lies in a neighbouring country"):
        kwg.ask("A05.a", A="a", B="b", C="d")


def test_a07_total_and_maximum_may_differ(kwg: Any) -> None:
    for name, lon in (("near", 0.0), ("middle", 3.0)):
        kwg.add(name, f"POINT ({lon} 0)", "City", ("area",))
    for number, lon in enumerate((-0.1, 0.1, 0.2, 6.0)):
        kwg.add(f"t{number}", f"POINT ({lon} 0)", "Airport", ("area",))
    kwg.add("outside", "POINT (-50 0)", "Airport", ("elsewhere",))
    target = {"target_class_iri": kwg.class_iri("Airport")}
    assert kwg.ask("A07.a", "City", B="area", **target).answer == kwg.iri("near")  # 6.4 against 11.8 degrees
    assert kwg.ask("A07.b", "City", B="area", **target).answer == kwg.iri("middle")  # 6 against 3.1


def grid(world: Any, side: float = 0.1, leave_out: int = 0) -> int:
    """Cells of 3 people round (20, 0), and how many centres lie within 100 km of it (111.3 km a degree or less)."""
    at = np.arange(-1.5 + side / 2, 1.5, side)
    cells = [(x, y) for x in at for y in at][leave_out:]
    for number, (x, y) in enumerate(cells):
        world.text(f"urn:cell:{number}", GEO + "asWKT", f"POINT ({20 + x:.4f} {y:.4f})", GEO + "wktLiteral")
        world.text(f"urn:cell:{number}", KWG + "population", "3", XSD + "double")
    return sum(np.hypot(x * 111.32, y * 110.574) <= 100 for x, y in cells)


def test_b03_grid_counts_cells_by_their_centre(kwg: Any) -> None:
    kwg.add("a", "POINT (20 0)")
    inside = grid(kwg)
    assert inside == pytest.approx(np.pi * 100**2 / (11.132 * 11.057), rel=0.02)
    assert kwg.ask("B03.a", A="a", radius_km=100).answer == 3 * inside


def test_b03_grid_with_cells_missing_or_too_coarse_is_refused(kwg: Any, osm: Any) -> None:
    kwg.add("a", "POINT (20 0)")
    grid(kwg, leave_out=500)
    with pytest.raises(SolverError, match=r"The cells fill [0-9.]+% of the circle"):
        kwg.ask("B03.a", A="a", radius_km=100)
    osm.add("a", "POINT (20 0)")
    grid(osm, side=0.25)
    with pytest.raises(SolverError, match="too coarse"):
        osm.ask("B03.a", A="a", radius_km=100)


def cafes(world: Any, nearest: float, count: int = 5) -> None:
    """An area of two degrees, a place in it, and cafes east of the area, the nearest so many km from its edge."""
    world.add("area", box(0, -1, 2, 1))
    world.add("b", "POINT (1 0)", parents=("area",))
    world.add("c", "POINT (1.5 0)", parents=("area",))
    for number in range(count):
        world.add(f"cafe{number}", f"POINT ({2 + nearest / DEGREE + number} 0)", "Cafe", ("elsewhere",))


@pytest.mark.parametrize(
    ("sub", "roles"), [("A06.a", {"B": "area"}), ("A08.a", {"B": "b", "C": "c", "D": "area"})]
)
def test_absence_in_an_area_needs_a_margin_and_five_elsewhere(
    world: Any, sub: str, roles: dict[str, str]
) -> None:
    clear = world("osmh3kg")
    cafes(clear, 1.1)
    assert refuted(clear, sub, "Cafe", **roles).premise_failure == "no_member"
    assert clear.ask(sub, "Cafe", **roles).premise_failure == "no_member"
    close = world("osmh3kg")
    cafes(close, 0.9)
    with pytest.raises(SolverError, match="km from the area"):
        refuted(close, sub, "Cafe", **roles)
    few = world("osmh3kg")
    cafes(few, 1.1, count=4)
    with pytest.raises(SolverError, match="Only 4 members"):
        refuted(few, sub, "Cafe", **roles)
    held = world("osmh3kg")
    cafes(held, 1.1)
    held.add("claimed", "POINT (9 0)", "Cafe", ("area",))
    with pytest.raises(SolverError, match="stands in the area"):
        refuted(held, sub, "Cafe", **roles)


@pytest.mark.parametrize(("radius", "clear"), [(0.2, 1.2), (0.5, 1.5), (1.0, 3.0)])
def test_absence_within_a_radius_is_proved_in_the_widened_circle(
    world: Any, radius: float, clear: float
) -> None:
    for nearest, proved in ((clear * 1.01, True), (clear * 0.99, False)):
        town = world("osmh3kg")
        town.add("b", "POINT (0 0)")
        for number in range(5):
            town.add(f"cafe{number}", f"POINT ({nearest / DEGREE + number} 0)", "Cafe")
        if proved:
            assert refuted(town, "B02.a", "Cafe", B="b", radius_km=radius).premise_failure == "no_member"
            assert town.ask("B02.a", "Cafe", B="b", radius_km=radius).premise_failure == "no_member"
        else:
            with pytest.raises(SolverError, match="not beyond"):
                refuted(town, "B02.a", "Cafe", B="b", radius_km=radius)
