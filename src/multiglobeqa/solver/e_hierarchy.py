"""E: containment and administrative hierarchy."""

from __future__ import annotations

from functools import partial

from multiglobeqa.solver import topology
from multiglobeqa.solver.facts import Facts
from multiglobeqa.solver.family import Solver, lettered, members, of_classes
from multiglobeqa.solver.question import Question, Solution

OUTSIDE = 0.001
CLEARLY_OUTSIDE = 0.05


def part_of(q: Question, f: Facts, *, direct: bool) -> Solution:
    """E01: whether B is A's direct parent, or any ancestor."""
    a, b = q.role("A"), q.role("B")
    parents = f.parents(a)
    if not parents:
        raise f.missing(a, "parent")
    return Solution(b in parents if direct else b in f.ancestors(a))


def units(q: Question, f: Facts) -> Solution:
    """E02: how many units of the class stand under B."""
    return Solution(len(members(q, f, q.role("B"))))


def members_in(q: Question, f: Facts) -> Solution:
    """E03: how many members of one or more classes stand under A."""
    return Solution(len(of_classes(q, f, q.texts("class_iris"), q.role("A"))))


def fully_contains(q: Question, f: Facts) -> Solution:
    """E04: whether at most 0.1 % of B's area lies outside A.

    SolverError between 0.1 % and 5 %, where the taxonomy gives no answer.
    """
    share = topology.share_outside(f.surface(q.role("A")), f.surface(q.role("B")))
    if OUTSIDE < share < CLEARLY_OUTSIDE:
        raise q.error(f"{share:.2%} of B lies outside A: neither true nor false.", q.role("B"), "Discard it.")
    return Solution(share <= OUTSIDE)


SOLVERS: dict[str, Solver] = {
    "E01.a": partial(part_of, direct=True),
    "E01.b": partial(part_of, direct=False),
    **lettered("E02", units, "ab"),
    **lettered("E03", members_in, "ab"),
    **lettered("E04", fully_contains),
}
