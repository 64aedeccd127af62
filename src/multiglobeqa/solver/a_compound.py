"""A, continued: events in a period, neighbours of a country, the best placed member; premises that fail."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from functools import partial
from itertools import pairwise

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from multiglobeqa.solver.absence import no_member
from multiglobeqa.solver.errors import SolverError
from multiglobeqa.solver.facts import KWG, Facts, Fix
from multiglobeqa.solver.family import Solver, apart, best, members, of_classes
from multiglobeqa.solver.question import Question, Solution, fails
from multiglobeqa.solver.separation import Extent, separation

BORDER_OF = KWG + "borderOf"
AGGREGATES: dict[str, tuple[str, Callable[[Sequence[float]], float]]] = {
    "a": ("total", sum),
    "b": ("maximum", max),
}
LEAST_ELSEWHERE = 5


def in_period(q: Question, f: Facts, *, track: bool) -> Solution:
    """A03: distance of event A, within the period, from B, which lies in C.

    A point event must fall in the period; of a storm's track the part in the period counts, from 00:00 UTC on its
    first day to 24:00 UTC on its last.
    """
    a, b, c = q.role("A"), q.role("B"), q.role("C")
    if c not in f.ancestors(b):
        raise q.error("The triples do not place B in C.", b)
    begin, end = _day(q, "period_start"), _day(q, "period_end") + timedelta(days=1)
    if not track:
        first, last = f.period(a)
        if first < begin or last >= end:
            return fails("no_event_in_the_period")
        return Solution(apart(f, a, b))
    line = _track(f.fixes(a), begin, end)
    return (
        fails("no_event_in_the_period") if line is None else Solution(separation(Extent(line), f.extent(b)))
    )


def _day(q: Question, name: str) -> datetime:
    text = q.text(name)
    try:
        return datetime.combine(date.fromisoformat(text), time(), UTC)
    except ValueError:
        raise q.error(f"Parameter {name} is {text!r}, not a day.", f"params.{name}") from None


def _track(fixes: Sequence[Fix], begin: datetime, end: datetime) -> BaseGeometry | None:
    """The legs of a track between two times, each in longitudes of one world; a lone fix is a point."""
    if not any(begin <= fix.time < end for fix in fixes):
        return None
    legs: list[BaseGeometry] = []
    for a, b in pairwise(fixes):
        whole = (b.time - a.time).total_seconds()
        low = max(0.0, (begin - a.time).total_seconds() / whole)
        high = min(1.0, (end - a.time).total_seconds() / whole)
        if low < high:
            east = (b.lon - a.lon + 180.0) % 360.0 - 180.0
            ends = [(a.lon + k * east, a.lat + k * (b.lat - a.lat)) for k in (low, high)]
            legs += _in_world(*ends)
    if legs:
        return shapely.union_all(legs) if len(legs) > 1 else legs[0]
    lone = next(fix for fix in fixes if begin <= fix.time < end)
    return shapely.Point(lone.lon, lone.lat)


def _in_world(p: tuple[float, float], q: tuple[float, float]) -> list[BaseGeometry]:
    """A leg as one line, or as two where it crosses longitude 180."""
    if p == q:
        return [shapely.Point((p[0] + 180.0) % 360.0 - 180.0, p[1])]
    for seam, shift in ((180.0, -360.0), (-180.0, 360.0)):
        if (p[0] - seam) * (q[0] - seam) < 0:
            lat = p[1] + (seam - p[0]) / (q[0] - p[0]) * (q[1] - p[1])
            inner, outer = (p, q) if abs(p[0]) < 180 else (q, p)
            return [
                shapely.LineString([inner, (seam, lat)]),
                shapely.LineString([(seam + shift, lat), (outer[0] + shift, outer[1])]),
            ]
    turn = -360.0 if max(p[0], q[0]) > 180 else 360.0 if min(p[0], q[0]) < -180 else 0.0
    return [shapely.LineString([(p[0] + turn, p[1]), (q[0] + turn, q[1])])]


def by_neighbours(q: Question, f: Facts, *, farther: bool) -> Solution:
    """A05: which of B and C is closer to (farther from) the nearest land neighbour of A's country.

    The country is the one among A's ancestors that borders name; SolverError where there are none or more.
    """
    homes = [iri for iri in sorted(f.ancestors(q.role("A"))) if f.linked(BORDER_OF, iri)]
    if len(homes) != 1:
        raise q.error(f"The borders name {len(homes)} countries in which A lies.", q.role("A"))
    others = {c for border in f.linked(BORDER_OF, homes[0]) for c in f.values(border, BORDER_OF)} - set(homes)
    values = {}
    for role in ("B", "C"):
        place = q.role(role)
        values[place] = min(apart(f, place, other) for other in sorted(others))
        if values[place] == 0:
            raise q.error(f"{role} lies in a neighbouring country.", place)
    return best(values, largest=farther)


def best_placed(q: Question, f: Facts, *, letter: str) -> Solution:
    """A07: the member in B with the least total or maximum distance to all members of the other class there."""
    word, aggregate = AGGREGATES[letter]
    q.agrees("aggregate", word)
    scope = q.role("B")
    candidates = members(q, f, scope)
    targets = of_classes(q, f, [q.text("target_class_iri")], scope)
    if not candidates or not targets:
        return fails("no_member")
    values = {iri: float(aggregate([apart(f, iri, t) for t in targets])) for iri in candidates}
    return best(values, largest=False)


# Premises that fail


def no_member_in_area(q: Question, f: Facts, *, scope: str) -> Solution:
    """A06.a, A08.a: five members or more stand elsewhere; none in the area, by its parents, or near it.

    Raises SolverError where the facts do not show that.
    """
    area = q.role(scope)
    f.surface(area)
    for iri in f.of_class(q.text("class_iri")):
        if area in f.ancestors(iri):
            raise q.error("A member stands in the area.", iri)
    return no_member(q, f, area)


def absent(q: Question, elsewhere: Sequence[str]) -> None:
    """Check that the class has members at all."""
    if len(elsewhere) < LEAST_ELSEWHERE:
        raise q.error(f"Only {len(elsewhere)} members stand elsewhere.", q.text("class_iri"))


def clear(q: Question, f: Facts, place: str, elsewhere: Iterable[str], km: float) -> None:
    """Check that every member stands farther than ``km`` from a place."""
    for iri in elsewhere:
        found = apart(f, iri, place)
        if not np.isfinite(found) or found <= km:
            raise SolverError(
                f"A member stands {found:.3f} km away, not beyond {km:g} km.", source=q.subtemplate, place=iri
            )


SOLVERS: dict[str, Solver] = {
    "A03.a": partial(in_period, track=False),
    "A03.b": partial(in_period, track=True),
    "A05.a": partial(by_neighbours, farther=False),
    "A05.b": partial(by_neighbours, farther=True),
    **{f"A07.{letter}": partial(best_placed, letter=letter) for letter in AGGREGATES},
}

REFUTERS: dict[str, Solver] = {
    "A06.a": partial(no_member_in_area, scope="B"),
    "A08.a": partial(no_member_in_area, scope="D"),
}
