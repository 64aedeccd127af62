"""D: network and path."""

from __future__ import annotations

from multiglobeqa.solver import topology
from multiglobeqa.solver.facts import Facts
from multiglobeqa.solver.family import Solver, apart, as_set, lettered, members
from multiglobeqa.solver.question import Question, Solution


def traversed(q: Question, f: Facts) -> list[str]:
    """The areas, in X where that role is given, in which line B runs for ``min_km`` or more."""
    line, least = f.line(q.role("B")), q.number("min_km")
    if least == 0:
        raise q.error("min_km must be above 0.", "params.min_km")
    areas = members(q, f, q.roles.get("X"))
    return [iri for iri in areas if topology.run_inside(line, f.surface(iri)) >= least]


def passed(q: Question, f: Facts) -> list[str]:
    """The members within ``threshold_km`` of line B."""
    f.line(q.role("B"))
    threshold = q.number("threshold_km")
    return [iri for iri in members(q, f) if apart(f, iri, q.role("B")) <= threshold]


def traversed_set(q: Question, f: Facts) -> Solution:
    """D01: which areas B traverses."""
    return as_set(traversed(q, f))


def traversed_count(q: Question, f: Facts) -> Solution:
    """D02: how many areas B traverses."""
    return Solution(len(traversed(q, f)))


def passed_set(q: Question, f: Facts) -> Solution:
    """D03: which members B passes by."""
    return as_set(passed(q, f))


def passed_count(q: Question, f: Facts) -> Solution:
    """D04: how many members B passes by."""
    return Solution(len(passed(q, f)))


SOLVERS: dict[str, Solver] = {
    **lettered("D01", traversed_set, "ab"),
    **lettered("D02", traversed_count, "ab"),
    **lettered("D03", passed_set, "abc"),
    **lettered("D04", passed_count, "abc"),
}
