"""I: events in space and time."""

from __future__ import annotations

from functools import partial

import shapely

from multiglobeqa.solver import sweep
from multiglobeqa.solver.a_distance import between
from multiglobeqa.solver.facts import Facts
from multiglobeqa.solver.family import Solver, as_set, lettered, members
from multiglobeqa.solver.question import Question, Solution, fails

PRECISIONS = {"I03.a": ("day", "%Y-%m-%d"), "I03.b": ("month", "%Y-%m")}


def on_its_day(solver: Solver, q: Question, f: Facts) -> Solution:
    """I01.a, I02.b: the event of the day (UTC) named; SolverError where the facts date it otherwise."""
    event = q.role("A")
    if "day" in q.params and (day := f.period(event)[0].strftime("%Y-%m-%d")) != q.text("day"):
        raise q.error(f"The facts date the event {day}, not {q.text('day')}.", event)
    return solver(q, f)


def affected(q: Question, f: Facts) -> Solution:
    """I02: the units that the winds of a storm reach, that the event's footprint meets, or that hold its epicentre.

    Winds are taken from the fixes where the facts state them; an event needs fixes or a geometry.
    """
    event = q.role("A")
    if f.has_fixes(event) or not f.has_geometry(event):
        fixes = f.fixes(event)
        reached = (iri for iri in members(q, f) if sweep.first_contact(fixes, f.extent(iri)) is not None)
        return as_set(reached, "no_contact")
    shape = f.geometry(event)
    shapely.prepare(shape)
    return as_set(iri for iri in members(q, f) if shapely.intersects(shape, f.surface(iri)))


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


TRACK_KM = 500.0
RADII = 2
FOOTPRINT_KM = 200.0


def track_far(q: Question, f: Facts) -> Solution:
    """I03, false premise: the whole track stays 500 km and 2 of its largest radii away from B."""
    f.surface(q.role("B"))
    fixes = f.fixes(q.role("A"))
    km = sweep.track_distance(fixes, f.extent(q.role("B")))
    wanted = max(TRACK_KM, RADII * max((fix.radius_km or 0.0 for fix in fixes), default=0.0))
    if km < wanted:
        raise q.error(f"The track comes within {km:.1f} km of B, not {wanted:.0f} km or more.", q.role("B"))
    return fails("no_contact")


def winds_far(q: Question, f: Facts) -> Solution:
    """I05, false premise: the swept area stays 200 km away from B."""
    f.surface(q.role("B"))
    fixes = f.fixes(q.role("A"))
    if any(fix.radius_km is None for fix in fixes):
        raise q.error("A fix states no diameter; the swept area may be larger.", q.role("A"))
    km = sweep.swept_distance(fixes, f.extent(q.role("B")), FOOTPRINT_KM)
    if km < FOOTPRINT_KM:
        raise q.error(f"The winds come within {km:.1f} km of B, not {FOOTPRINT_KM:g} km.", q.role("B"))
    return fails("no_contact")


REFUTERS: dict[str, Solver] = {"I03.a": track_far, **lettered("I05", winds_far)}

SOLVERS: dict[str, Solver] = {
    "I01.a": partial(on_its_day, between),
    "I01.b": between,
    "I02.a": affected,
    "I02.b": partial(on_its_day, affected),
    **lettered("I03", first_reach, "ab"),
    **lettered("I04", swept_area),
    **lettered("I05", swept_inside),
}
