"""E: containment and administrative hierarchy."""

from __future__ import annotations

from functools import partial

from multiglobeqa.solver import geodesy, topology
from multiglobeqa.solver.absence import CLEARLY_OUTSIDE, OUTSIDE, no_member, outside, wholly_within
from multiglobeqa.solver.facts import Facts
from multiglobeqa.solver.family import Solver, best, lettered, members, of_classes
from multiglobeqa.solver.question import Question, Solution, fails

RANKS = {"a": "largest", "b": "smallest", "c": "longest", "d": "shortest"}
RANK_MARGIN = 0.02


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


def contains_extreme(q: Question, f: Facts, *, rank: str) -> Solution:
    """E05: whether at most 0.1 % of the largest (smallest, longest, shortest) member wholly within C lies outside A.

    What is a member is told by the geometries. SolverError where the next rank is within 2 %, and between 0.1 %
    and 5 % outside.
    """
    q.agrees("rank", rank)
    a, c = q.role("A"), q.role("C")
    found = wholly_within(q, f, of_classes(q, f, [q.text("class_iri")], None), c)
    if not found:
        return fails("no_member")
    size = geodesy.area if rank in ("largest", "smallest") else geodesy.length
    values = {iri: size(f.geometry(iri)) for iri in found}
    first = best(values, largest=rank in ("largest", "longest")).answer
    for iri in found:
        if iri != first and abs(values[iri] - values[first]) <= RANK_MARGIN * max(values[iri], values[first]):
            raise q.error("Another member is as large or long within 2 %.", iri, "Discard it.")
    share = outside(f, a, first)
    if OUTSIDE < share < CLEARLY_OUTSIDE:
        raise q.error(f"{share:.2%} of it lies outside A: neither true nor false.", first, "Discard it.")
    return Solution(share <= OUTSIDE)


SOLVERS: dict[str, Solver] = {
    "E01.a": partial(part_of, direct=True),
    "E01.b": partial(part_of, direct=False),
    **lettered("E02", units, "ab"),
    **lettered("E03", members_in, "ab"),
    **lettered("E04", fully_contains),
    **{f"E05.{letter}": partial(contains_extreme, rank=rank) for letter, rank in RANKS.items()},
}
REFUTERS: dict[str, Solver] = {"E05.a": lambda q, f: no_member(q, f, q.role("C"))}
