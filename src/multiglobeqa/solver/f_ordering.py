"""F: comparison and ordering."""

from __future__ import annotations

from functools import partial

from multiglobeqa.solver import geodesy, plane
from multiglobeqa.solver.absence import in_scope, no_member
from multiglobeqa.solver.b_containment import within
from multiglobeqa.solver.facts import KWG, Facts
from multiglobeqa.solver.family import (
    DIRECTIONS,
    LETTERED,
    Solver,
    as_set,
    bearing,
    best,
    centre,
    members,
)
from multiglobeqa.solver.question import Question, Solution, fails

MEASURES = {"area": geodesy.area, "perimeter": geodesy.perimeter, "elongation": plane.elongation}
F02 = {
    "a": ("area", "largest"),
    "b": ("area", "smallest"),
    "c": ("perimeter", "largest"),
    "d": ("perimeter", "smallest"),
    "e": ("elongation", "largest"),
    "f": ("elongation", "smallest"),
}
F03 = {"a": ("longest", 1), "b": ("shortest", 1), "c": ("second", 2), "d": ("third", 3)}
SECTOR = 45.0


def furthest(q: Question, f: Facts, *, direction: str) -> Solution:
    """F01: the member in B whose centre lies furthest to one side, longitudes counted from B's centre."""
    q.agrees("direction", direction)
    found = in_scope(q, f, q.role("B"))
    if not found:
        return fails("no_member")
    centres = {iri: centre(f, iri) for iri in found}
    if direction in ("north", "south"):
        values = {iri: lat for iri, (_, lat) in centres.items()}
    else:
        middle, _ = centre(f, q.role("B"))
        values = {iri: (lon - middle + 180.0) % 360.0 - 180.0 for iri, (lon, _) in centres.items()}
    return best(values, largest=direction in ("north", "east"))


def extreme(q: Question, f: Facts, *, measure: str, rank: str) -> Solution:
    """F02: the member in B with the most or least area, perimeter or elongation."""
    q.agrees("measure", measure)
    q.agrees("rank", rank, {"largest": "most", "smallest": "least"}[rank])
    found = in_scope(q, f, q.role("B"))
    if not found:
        return fails("no_member")
    values = {iri: MEASURES[measure](f.surface(iri)) for iri in found}
    return best(values, largest=rank == "largest")


def by_length(q: Question, f: Facts, *, rank: str, place: int) -> Solution:
    """F03: the longest, shortest, second or third longest line of B.

    Lines of B: those linked to it by kwg-ont:borderOf where the triples use that link, else those it
    contains.
    """
    q.agrees("rank", rank, f"{rank}_longest", f"{rank} longest", place if rank != "shortest" else rank)
    b = q.role("B")
    borders = {iri for link in (KWG + "borderOf", KWG + "isBorderOf") for iri in f.linked(link, b)}
    found = [i for i in members(q, f) if i in borders] if borders else members(q, f, b)
    if len(found) < place:
        return fails("no_member" if not found else "too_few_members")
    values = {iri: geodesy.length(f.line(iri)) for iri in found}
    return best(values, rank=place, largest=rank != "shortest")


def in_sector(q: Question, f: Facts, *, direction: str) -> Solution:
    """F04: the members within the radius of B and, seen from C, within 45° of a direction (centres)."""
    q.agrees("direction", direction)
    towards = DIRECTIONS[direction]
    return as_set(
        iri for iri in within(q, f) if geodesy.angle_between(bearing(f, q.role("C"), iri), towards) <= SECTOR
    )


SOLVERS: dict[str, Solver] = {
    **{f"F01.{letter}": partial(furthest, direction=word) for letter, word in LETTERED.items()},
    **{f"F02.{letter}": partial(extreme, measure=m, rank=r) for letter, (m, r) in F02.items()},
    **{f"F03.{letter}": partial(by_length, rank=r, place=p) for letter, (r, p) in F03.items()},
    **{f"F04.{letter}": partial(in_sector, direction=word) for letter, word in LETTERED.items()},
}
REFUTERS: dict[str, Solver] = {
    letter: lambda q, f: no_member(q, f, q.role("B")) for letter in ("F01.a", "F02.a")
}
