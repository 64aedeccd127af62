"""D: network and path."""

from __future__ import annotations

from multiglobeqa.solver import topology
from multiglobeqa.solver.a_compound import absent, clear
from multiglobeqa.solver.facts import Facts
from multiglobeqa.solver.family import Solver, apart, as_set, lettered, members
from multiglobeqa.solver.question import Question, Solution, fails

TRACK_AWAY_KM = 50.0
THRESHOLDS_AWAY = 4


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


def track_away(q: Question, f: Facts) -> Solution:
    """D01.b fails: the track keeps 50 km or more from X and from each area of X that the facts state."""
    line, x = q.role("B"), q.role("X")
    f.line(line)
    f.surface(x)
    areas = members(q, f, x)
    if not areas:
        raise q.error("The triples state no area of X.", x)
    clear(q, f, line, [x, *areas], TRACK_AWAY_KM)
    return fails("no_member")


def none_passed(q: Question, f: Facts) -> Solution:
    """D03.b fails: five members or more stand elsewhere, none within 4 thresholds of line B."""
    f.line(q.role("B"))
    elsewhere = members(q, f)
    absent(q, elsewhere)
    clear(q, f, q.role("B"), elsewhere, THRESHOLDS_AWAY * q.number("threshold_km"))
    return fails("no_member")


SOLVERS: dict[str, Solver] = {
    **lettered("D01", traversed_set, "ab"),
    **lettered("D02", traversed_count, "ab"),
    **lettered("D03", passed_set, "abc"),
    **lettered("D04", passed_count, "abc"),
}

REFUTERS: dict[str, Solver] = {"D01.b": track_away, "D03.b": none_passed}
