"""E02, E05, F04 and the refuted premises of E05, F01, F02 on small worlds whose answers can be checked by eye."""

from __future__ import annotations

from typing import Any

import pytest

from multiglobeqa.solver import SolverError, refute


def box(west: float, south: float, east: float, north: float) -> str:
    return f"POLYGON (({west} {south}, {east} {south}, {east} {north}, {west} {north}, {west} {south}))"


def refuted(w: Any, subtemplate: str, cls: str, **roles: str) -> Any:
    question = {
        "subtemplate": subtemplate,
        "kg": w.kg,
        "roles": {role: w.iri(name) for role, name in roles.items()},
        "params": {"class_iri": w.class_iri(cls)},
    }
    return refute(question, w.lines)


@pytest.fixture
def lakes(osm: Any) -> Any:
    """C of two halves: a lake of 0.25 square degrees in the west, one of 0.16 in the east, a larger one abroad."""
    osm.add("C", box(0, 0, 4, 4))
    osm.add("west", box(0, 0, 2, 4))
    osm.add("east", box(2, 0, 4, 4))
    osm.add("great", box(0.5, 0.5, 1, 1), "Lake")
    osm.add("second", box(2.5, 0.5, 2.9, 0.9), "Lake")
    osm.add("abroad", box(3.5, 3, 5, 4), "Lake")
    return osm


def test_e02_counts_units_below_b_only(osm: Any) -> None:
    osm.add("B", cls="Administrative")
    osm.add("mid", parents=("B",))
    for name in ("u1", "u2", "u3"):
        osm.add(name, cls="Administrative", parents=("mid",))
    osm.add("other", cls="Administrative", parents=("elsewhere",))
    for letter in "ab":
        assert osm.ask(f"E02.{letter}", "Administrative", B="B").answer == 3


@pytest.mark.parametrize(
    ("letter", "a", "answer"),
    [("a", "west", True), ("a", "east", False), ("b", "west", False), ("b", "east", True)],
)
def test_e05_largest_and_smallest_lake_wholly_within_c(lakes: Any, letter: str, a: str, answer: bool) -> None:
    assert lakes.ask(f"E05.{letter}", "Lake", A=a, C="C").answer is answer


@pytest.mark.parametrize(("letter", "answer"), [("c", True), ("d", False)])
def test_e05_lines(osm: Any, letter: str, answer: bool) -> None:
    osm.add("C", box(0, 0, 4, 4))
    osm.add("A", box(0, 0, 2, 4))
    osm.add("long", "LINESTRING (0.5 1, 1.5 1)", "Road")
    osm.add("short", "LINESTRING (2.5 1, 2.7 1)", "Road")
    osm.add("out", "LINESTRING (1 2, 6 2)", "Road")  # longer, but leaves C
    assert osm.ask(f"E05.{letter}", "Road", A="A", C="C").answer is answer


@pytest.mark.parametrize(
    ("wkt", "message"),
    [
        (box(2.5, 2, 3, 2.5), "as large or long within 2 %"),
        (box(3.02, 2, 4.02, 3), "neither in nor out"),  # 2 % outside C
        (box(1.02, 2, 2.02, 3), "neither true nor false"),  # 2 % outside the west
    ],
)
def test_e05_refuses_what_has_no_clear_answer(lakes: Any, wkt: str, message: str) -> None:
    lakes.add("spoiler", wkt, "Lake")
    with pytest.raises(SolverError, match=message):
        lakes.ask("E05.a", "Lake", A="west", C="C")


def test_e05_rank_must_be_that_of_the_letter(lakes: Any) -> None:
    with pytest.raises(SolverError, match="rank"):
        lakes.ask("E05.a", "Lake", A="west", C="C", rank="smallest")


def _far(w: Any, count: int, lon: float) -> None:
    for k in range(count):
        w.add(f"m{k}", f"POINT ({lon + k} 2)", "Airport")


@pytest.mark.parametrize(("sub", "scope"), [("E05.a", "C"), ("F01.a", "B"), ("F02.a", "B")])
def test_absence_is_proved_and_the_solver_says_the_same(osm: Any, sub: str, scope: str) -> None:
    osm.add("area", box(0, 0, 4, 4))
    osm.add("A", box(6, 0, 7, 1))
    _far(osm, 5, 5)
    roles = {scope: "area"} | ({"A": "A"} if sub == "E05.a" else {})
    assert refuted(osm, sub, "Airport", **roles).premise_failure == "no_member"
    told = osm.ask(sub, "Airport", **roles)
    assert (told.answer, told.premise_failure) == (None, "no_member")


@pytest.mark.parametrize(
    ("kg", "count", "lon", "message"),
    [
        ("osmh3kg", 4, 5.0, "Only 4 members"),
        ("osmh3kg", 5, 4.008, "stands 0.89"),  # 890 m from the area
        ("knowwheregraph", 5, 4.04, "stands 4.45"),
        ("osmh3kg", 5, 3.0, "stands 0.000"),
    ],
)
def test_absence_needs_five_elsewhere_and_none_near(
    world: Any, kg: str, count: int, lon: float, message: str
) -> None:
    w = world(kg)
    w.add("area", box(0, 0, 4, 4))
    _far(w, count, lon)
    with pytest.raises(SolverError, match=message):
        refuted(w, "F01.a", "Airport", B="area")


@pytest.mark.parametrize(("lon", "kg"), [(4.011, "osmh3kg"), (4.046, "knowwheregraph")])
def test_absence_just_beyond_the_widened_area(world: Any, lon: float, kg: str) -> None:
    w = world(kg)
    w.add("area", box(0, 0, 4, 4))
    _far(w, 5, lon)
    assert refuted(w, "F02.a", "Airport", B="area").premise_failure == "no_member"


@pytest.mark.parametrize(
    ("letter", "direction", "names"),
    [("a", "north", ["n"]), ("b", "south", []), ("c", "east", ["e"]), ("d", "west", ["w"])],
)
def test_f04_radius_of_b_and_direction_from_c(
    kwg: Any, letter: str, direction: str, names: list[str]
) -> None:
    kwg.add("B", "POINT (0 0)", "Airport")
    kwg.add("C", "POINT (0 -0.2)", "Airport")
    for name, wkt in {"n": "0 0.2", "e": "0.2 -0.2", "w": "-0.2 -0.2", "far": "0 -0.6"}.items():
        kwg.add(name, f"POINT ({wkt})", "Airport")
    found = kwg.ask(f"F04.{letter}", "Airport", B="B", C="C", radius_km=50, direction=direction)
    assert (found.answer or []) == [kwg.iri(name) for name in names]
    assert found.premise_failure == (None if names else "no_member")
