"""L: uncertainty."""

from __future__ import annotations

from multiglobeqa.solver.facts import Facts
from multiglobeqa.solver.family import Solver, apart, as_set, lettered, members
from multiglobeqa.solver.question import Question, Solution
from multiglobeqa.solver.separation import separation

FAR = 5.0
ROUGHLY = 1.2


def near(q: Question, f: Facts) -> Solution:
    """L01: whether A and B are within ``threshold_km``."""
    return Solution(apart(f, q.role("A"), q.role("B")) <= q.number("threshold_km"))


def far(q: Question, f: Facts) -> Solution:
    """L02: whether A and B are more than five times ``threshold_km`` apart."""
    return Solution(apart(f, q.role("A"), q.role("B")) > FAR * q.number("threshold_km"))


def nearer(q: Question, f: Facts) -> Solution:
    """L03: whether A is nearer to B than to C."""
    return Solution(apart(f, q.role("A"), q.role("B")) < apart(f, q.role("A"), q.role("C")))


def closest(q: Question, f: Facts) -> Solution:
    """L04: the members within 1.2 times the least distance to B."""
    distances = {iri: apart(f, iri, q.role("B")) for iri in members(q, f)}
    least = min(distances.values(), default=0.0)
    return as_set(iri for iri, km in distances.items() if km <= ROUGHLY * least)


def plausibly_within(q: Question, f: Facts) -> Solution:
    """L05: whether A lies in B by more than ``epsilon_km``, within that of its boundary, or outside."""
    f.surface(q.role("B"))
    a, b = f.extent(q.role("A")), f.extent(q.role("B"))
    if separation(a, b.outline) <= q.number("epsilon_km"):
        return Solution("plausibly")
    return Solution("true" if separation(a, b) == 0 else "false")


SOLVERS: dict[str, Solver] = {
    **lettered("L01", near),
    **lettered("L02", far),
    **lettered("L03", nearer),
    **lettered("L04", closest),
    **lettered("L05", plausibly_within),
}
