"""I: events in space and time."""

from __future__ import annotations

import shapely

from multiglobeqa.solver import sweep
from multiglobeqa.solver.a_distance import between
from multiglobeqa.solver.facts import Facts
from multiglobeqa.solver.family import Solver, as_set, lettered, members
from multiglobeqa.solver.question import Question, Solution, fails

PRECISIONS = {"I03.a": ("day", "%Y-%m-%d"), "I03.b": ("month", "%Y-%m")}


def affected(q: Question, f: Facts) -> Solution:
    """I02: the units that the event's footprint meets, or that hold its epicentre."""
    event = f.geometry(q.role("A"))
    shapely.prepare(event)
    return as_set(iri for iri in members(q, f) if shapely.intersects(event, f.surface(iri)))


def first_reach(q: Question, f: Facts) -> Solution:
    """I03: the date (UTC) on which the winds of storm A first reach B."""
    word, form = PRECISIONS[q.subtemplate]
    q.agrees("precision", word)
    f.surface(q.role("B"))
    time = sweep.first_contact(f.fixes(q.role("A")), f.extent(q.role("B")))
    return Solution(time.strftime(form)) if time is not None else fails("no_contact")


def swept_area(q: Question, f: Facts) -> Solution:
    """I04: the area swept by the winds of storm A."""
    return Solution(sweep.Swept(f.fixes(q.role("A"))).area)


def swept_inside(q: Question, f: Facts) -> Solution:
    """I05: the part of the swept area inside B."""
    area = sweep.Swept(f.fixes(q.role("A"))).area_inside(f.surface(q.role("B")))
    return Solution(area) if area > 0 else fails("no_contact")


SOLVERS: dict[str, Solver] = {
    **lettered("I01", between, "ab"),
    **lettered("I02", affected, "ab"),
    **lettered("I03", first_reach, "ab"),
    **lettered("I04", swept_area),
    **lettered("I05", swept_inside),
}
