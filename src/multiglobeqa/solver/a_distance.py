"""A: metric distance and proximity."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations

import numpy as np

from multiglobeqa.solver import a_compound
from multiglobeqa.solver.facts import Facts
from multiglobeqa.solver.family import LETTERED, Solver, apart, best, centre, lettered, members
from multiglobeqa.solver.geodesy import distance, meridian_arc
from multiglobeqa.solver.question import Question, Solution, fails
from multiglobeqa.solver.separation import separation

STATISTICS: dict[str, tuple[str, Callable[[Sequence[float]], float]]] = {
    "a": ("average", np.mean),
    "b": ("minimum", np.min),
    "c": ("maximum", np.max),
    "d": ("median", np.median),
}
RANKS = {"a": ("nearest", 1), "b": ("second", 2), "c": ("third", 3)}


def between(q: Question, f: Facts) -> Solution:
    """A01, I01: distance between A and B."""
    return Solution(apart(f, q.role("A"), q.role("B")))


def component(q: Question, f: Facts, *, direction: str) -> Solution:
    """A02: how far A lies to one side of B.

    North and south: the meridian's arc between the latitudes. East and west: the geodesic from B to the point
    at B's latitude and A's longitude. SolverError where A is not on that side.
    """
    q.agrees("direction", direction)
    (lon_a, lat_a), (lon_b, lat_b) = centre(f, q.role("A")), centre(f, q.role("B"))
    east = (lon_a - lon_b + 180.0) % 360.0 - 180.0
    offset = {"north": lat_a - lat_b, "south": lat_b - lat_a, "east": east, "west": -east}[direction]
    if offset <= 0:
        raise q.error(f"A does not lie {direction} of B.", q.role("A"))
    if direction in ("north", "south"):
        return Solution(meridian_arc(min(lat_a, lat_b), max(lat_a, lat_b)))
    return Solution(distance(lon_b, lat_b, lon_a, lat_b))


def closer(q: Question, f: Facts, *, farther: bool) -> Solution:
    """A04: which of A and B is closer to C, or farther from it."""
    values = {iri: apart(f, iri, q.role("C")) for iri in (q.role("A"), q.role("B"))}
    return best(values, largest=farther)


def pairs(q: Question, f: Facts, *, letter: str) -> Solution:
    """A06: a statistic of the distances of all unordered pairs of members in B."""
    word, statistic = STATISTICS[letter]
    q.agrees("aggregate", word)
    found = members(q, f, q.role("B"))
    if len(found) < 2:
        return fails("no_member" if not found else "one_member")
    return Solution(float(statistic([apart(f, a, b) for a, b in combinations(found, 2)])))


def from_ranked(q: Question, f: Facts, *, letter: str) -> Solution:
    """A08: distance from C to the member in D that is first, second or third in distance to B."""
    word, rank = RANKS[letter]
    q.agrees("rank", rank, word, str(rank))
    found = members(q, f, q.role("D"))
    if len(found) < rank:
        return fails("no_member" if not found else "too_few_members")
    ranked = sorted((apart(f, iri, q.role("B")), iri) for iri in found)
    return Solution(apart(f, ranked[rank - 1][1], q.role("C")))


def to_boundary(q: Question, f: Facts, *, within: bool) -> Solution:
    """A09: distance from A to B's boundary line; SolverError where A is on the other side of it."""
    f.surface(q.role("B"))
    a, b = f.extent(q.role("A")), f.extent(q.role("B"))
    if (separation(a, b) == 0) != within:
        raise q.error(f"A is {'outside' if within else 'inside'} B.", q.role("A"))
    return Solution(separation(a, b.outline))


SOLVERS: dict[str, Solver] = {
    **lettered("A01", between, "ab"),
    **{f"A02.{letter}": partial(component, direction=word) for letter, word in LETTERED.items()},
    "A04.a": partial(closer, farther=False),
    "A04.b": partial(closer, farther=True),
    **{f"A06.{letter}": partial(pairs, letter=letter) for letter in STATISTICS},
    **{f"A08.{letter}": partial(from_ranked, letter=letter) for letter in RANKS},
    "A09.a": partial(to_boundary, within=True),
    "A09.b": partial(to_boundary, within=False),
    **a_compound.SOLVERS,
}

REFUTERS: dict[str, Solver] = a_compound.REFUTERS
