"""Solvers of C and D on facts written out here: answers by eye, failed premises with and without their margin."""

from __future__ import annotations

from typing import Any

import pytest

from multiglobeqa.solver import Solution, SolverError, refute, solve

EX, CLASS = "http://example.org/", "http://example.org/Lake"
TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
GEO = "http://www.opengis.net/ont/geosparql#"
WITHIN = "<http://stko-kwg.geog.ucsb.edu/lod/ontology/administrativePartOf>"


def fact(name: str, wkt: str, member: bool = False, inside: str | None = None) -> list[str]:
    """The triples of an entity: geometry, and class and parent where asked."""
    iri = f"<{EX}{name}>"
    lines = [
        f"{iri} <{GEO}hasGeometry> <{EX}{name}.g> .",
        f'<{EX}{name}.g> <{GEO}asWKT> "{wkt}"^^<{GEO}wktLiteral> .',
    ]
    lines += [f"{iri} {TYPE} <{CLASS}> ."] if member else []
    return lines + ([f"{iri} {WITHIN} <{EX}{inside}> ."] if inside else [])


def box(west: float, south: float, east: float, north: float) -> str:
    """A box as WKT."""
    return f"POLYGON(({west} {south},{east} {south},{east} {north},{west} {north},{west} {south}))"


def ask(sub: str, roles: str, **params: Any) -> dict[str, Any]:
    """A question about roles named as their letters."""
    return {
        "subtemplate": sub,
        "kg": "knowwheregraph",
        "format": "",
        "roles": {role: EX + role for role in roles},
        "params": {"class_iri": CLASS, **params},
    }


A, B = box(0, 0, 1, 1), box(0.5, 0, 2, 1)
ISLES = "MULTIPOLYGON(((0 0,1 0,1 1,0 1,0 0)),((3 0,3.2 0,3.2 0.2,3 0.2,3 0)))"
FRAME = "POLYGON((0 0,3 0,3 3,0 3,0 0),(1 1,2 1,2 2,1 2,1 1))"


@pytest.mark.parametrize(
    ("sub", "a", "b", "answer"),
    [
        ("C01.a", A, B, True),
        ("C01.c", "LINESTRING(0 0,2 2)", "LINESTRING(0 2,2 0)", True),
        ("C01.c", "LINESTRING(0 0,2 2)", "LINESTRING(0 3,2 3)", False),
        ("C02", ISLES, box(3.1, 0.1, 4, 1), True),  # the small part
        ("C02", ISLES, box(1.5, 0, 2.5, 1), False),  # between the parts
        ("C08", A, box(1, 1, 2, 2), True),  # in a point
        ("C08", A, box(1, 0, 2, 1), True),  # along a line
        ("C08", A, B, False),
        ("C08", A, box(5, 5, 6, 6), False),
        ("C10", A, box(5, 5, 6, 6), True),
        ("C10", A, box(1, 1, 2, 2), False),
        ("C11.a", A, box(0.2, 0.2, 0.4, 0.4), True),
        ("C11.a", A, box(0, 0.2, 0.4, 0.4), False),  # reaches the boundary
        ("C11.b", FRAME, box(1, 1, 2, 2), True),
        ("C11.b", FRAME, box(1, 1, 1.5, 2), False),
        ("C11.b", FRAME, box(3, 0, 4, 3), False),
    ],
)
def test_booleans(sub: str, a: str, b: str, answer: bool) -> None:
    assert solve(ask(sub, "AB"), fact("A", a) + fact("B", b)).answer is answer


def test_an_entity_of_one_part_is_no_case_of_parts() -> None:
    with pytest.raises(SolverError, match="of one part"):
        solve(ask("C02", "AB"), fact("A", A) + fact("B", B))


def test_members_of_one_and_not_the_other() -> None:
    facts = fact("B", A) + fact("C", box(1, 0, 2, 1)) + fact("both", box(0.9, 0, 1.1, 0.2), True)
    facts += fact("one", box(0.2, 0.2, 0.4, 0.4), True) + fact("none", box(5, 5, 6, 6), True)
    assert solve(ask("C05.a", "B"), facts).answer == [EX + "both", EX + "one"]
    assert solve(ask("C04.a", "B"), facts).answer == 2
    assert solve(ask("C06.a", "BC"), facts).answer == [EX + "one"]


def far(least: float, count: int = 5) -> list[str]:
    """Members east of longitude ``least``, each a degree farther."""
    return [
        line
        for k in range(count)
        for line in fact(f"m{k}", box(least + k, 0, least + k + 0.1, 0.1), True, "X")
    ]


FAILS = Solution(None, (), "no_member")
TRACK = "LINESTRING(0 0,0 1)"


@pytest.mark.parametrize(
    ("sub", "roles", "params", "place", "margin"),
    [
        ("C05.a", "B", {}, A, 1.05),  # 5.6 km east of A
        ("D03.b", "B", {"threshold_km": 10.0}, TRACK, 0.37),  # 41 km
        ("D01.b", "BX", {"min_km": 10.0}, TRACK, 0.46),  # 51 km
    ],
)
def test_failed_premises(sub: str, roles: str, params: dict[str, float], place: str, margin: float) -> None:
    base = fact("B", place) + fact("X", box(margin, 0, margin + 9, 1))
    question = ask(sub, roles, **params)
    assert refute(question, base + far(margin)) == FAILS
    assert solve(question, base + far(margin)) == FAILS
    less = margin - 0.02
    near = fact("B", place) + fact("X", box(less, 0, less + 9, 1)) + far(less)
    with pytest.raises(SolverError, match="km away"):
        refute(question, near)
    if sub != "D01.b":
        with pytest.raises(SolverError, match="Only 4 members"):
            refute(question, base + far(margin, 4))


def test_a_track_needs_an_area_of_x() -> None:
    facts = fact("B", TRACK) + fact("X", box(5, 0, 6, 1)) + fact("other", box(7, 0, 8, 1), True, "Y")
    with pytest.raises(SolverError, match="no area of X"):
        refute(ask("D01.b", "BX", min_km=10.0), facts)
