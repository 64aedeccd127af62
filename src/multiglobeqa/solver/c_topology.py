"""C: topological relations."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import shapely
from shapely.geometry.base import BaseGeometry

from multiglobeqa.solver import topology
from multiglobeqa.solver.a_compound import absent, clear
from multiglobeqa.solver.facts import Facts
from multiglobeqa.solver.family import Solver, as_set, lettered, members
from multiglobeqa.solver.question import Question, Solution, fails

APART_KM = 0.001
NONE_WITHIN_KM = 5.0


def meets(q: Question, f: Facts) -> Solution:
    """C01: whether A and B intersect."""
    return Solution(bool(shapely.intersects(f.geometry(q.role("A")), f.geometry(q.role("B")))))


def disjoint(q: Question, f: Facts) -> Solution:
    """C10: whether A and B share no point."""
    return Solution(not shapely.intersects(f.surface(q.role("A")), f.surface(q.role("B"))))


def crossing_points(q: Question, f: Facts) -> Solution:
    """C03: in how many places, 1 m or more apart, two lines meet; SolverError where they share a segment."""
    count = topology.crossings(f.line(q.role("A")), f.line(q.role("B")), APART_KM)
    if count is None:
        raise q.error("The lines share a segment: points cannot be counted.", q.role("A"), "Discard it.")
    return Solution(count)


def any_part_meets(q: Question, f: Facts) -> Solution:
    """C02: whether any of the parts of A, taken one by one, intersects B; SolverError where A is of one part."""
    parts = shapely.get_parts(f.geometry(q.role("A")))
    if len(parts) < 2:
        raise q.error("A is of one part.", q.role("A"), "Ask C01.")
    b = f.geometry(q.role("B"))
    return Solution(any(not shapely.relate_pattern(part, b, "FF*FF****") for part in parts))


def meeting(q: Question, f: Facts, role: str = "B") -> list[str]:
    """The members that intersect the entity of a role."""
    b = f.geometry(q.role(role))
    shapely.prepare(b)
    return [iri for iri in members(q, f) if shapely.intersects(b, f.geometry(iri))]


def count_meeting(q: Question, f: Facts) -> Solution:
    """C04: how many members intersect B."""
    return Solution(len(meeting(q, f)))


def set_meeting(q: Question, f: Facts) -> Solution:
    """C05: which members intersect B."""
    return as_set(meeting(q, f))


def none_meeting(q: Question, f: Facts) -> Solution:
    """C05.a fails: five members or more stand elsewhere, none within 5 km of B."""
    f.surface(q.role("B"))
    elsewhere = members(q, f)
    absent(q, elsewhere)
    clear(q, f, q.role("B"), elsewhere, NONE_WITHIN_KM)
    return fails("no_member")


def set_meeting_one(q: Question, f: Facts) -> Solution:
    """C06: which members intersect B and have no point in common with C."""
    c = f.geometry(q.role("C"))
    return as_set(iri for iri in meeting(q, f) if shapely.disjoint(f.geometry(iri), c))


def related(q: Question, f: Facts, *, relation: Callable[[BaseGeometry, BaseGeometry], bool]) -> Solution:
    """C07, C08, C09, C11: a relation of two surfaces."""
    return Solution(relation(f.surface(q.role("A")), f.surface(q.role("B"))))


SOLVERS: dict[str, Solver] = {
    **lettered("C01", meets, "abc"),
    **lettered("C02", any_part_meets),
    **lettered("C03", crossing_points),
    **lettered("C04", count_meeting, "ab"),
    **lettered("C05", set_meeting, "ab"),
    **lettered("C06", set_meeting_one, "ab"),
    **lettered("C07", partial(related, relation=topology.overlap)),
    **lettered("C08", partial(related, relation=topology.only_touch)),
    **lettered("C09", partial(related, relation=topology.adjacent)),
    **lettered("C10", disjoint),
    "C11.a": partial(related, relation=topology.inside),
    "C11.b": partial(related, relation=topology.fills_hole),
}

REFUTERS: dict[str, Solver] = {"C05.a": none_meeting}
