"""G: centrality."""

from __future__ import annotations

import numpy as np
import shapely

from multiglobeqa.solver import outline, plane
from multiglobeqa.solver.facts import Facts
from multiglobeqa.solver.family import Solver, apart, best, centre, lettered, members, point
from multiglobeqa.solver.geodesy import distance, inverse
from multiglobeqa.solver.n_reference import centroid
from multiglobeqa.solver.question import Question, Solution, fails


def medoid(q: Question, f: Facts) -> Solution:
    """G01.b: where the member in A lies whose distances to all the others add up to the least.

    SolverError where two members tie.
    """
    found = members(q, f, q.role("A"))
    if len(found) < 2:
        return fails("no_member" if not found else "one_member")
    places = np.array([centre(f, iri) for iri in found])
    n = len(found)
    _, km = inverse(*np.repeat(places, n, axis=0).T, *np.tile(places, (n, 1)).T)
    chosen = best(dict(zip(found, km.reshape(n, n).sum(axis=1).tolist(), strict=True)), largest=False)
    if len(chosen.accepted) > 1:
        raise q.error("Two members are as central.", chosen.accepted[1], "Discard it.")
    return Solution(point(*centre(f, chosen.answer)))


def centre_around(q: Question, f: Facts) -> Solution:
    """G02: the centroid of A, in which B must lie."""
    if not shapely.covers(f.surface(q.role("A")), f.geometry(q.role("B"))):
        return fails("not_inside")
    return centroid(q, f)


def centre_shift(q: Question, f: Facts) -> Solution:
    """G03: how far A's centroid moves between its outline simplified by ``v1_km`` and by ``v2_km``.

    See `solver.outline`. SolverError where two pairs of a ring's vertices are equally far apart, or a simplified shape
    is empty or not valid.
    """
    surface = f.surface(q.role("A"))
    local = plane.plane_of(surface)
    whole = plane.project(surface, local)
    ends = []
    for name in ("v1_km", "v2_km"):
        flat = outline.simplify(whole, q.number(name))
        if shapely.is_empty(flat) or not shapely.is_valid(flat):
            raise q.error(f"The shape simplified by {name} is not valid.", q.role("A"), "Discard it.")
        ends.append(plane.plane_centroid(flat, local))
    return Solution(distance(*ends[0], *ends[1]))


OUTSIDE_KM = 20.0


def outside(q: Question, f: Facts) -> Solution:
    """G02, false premise: B lies 20 km or more outside A."""
    f.surface(q.role("A"))
    km = apart(f, q.role("A"), q.role("B"))
    if km < OUTSIDE_KM:
        raise q.error(f"B is {km:.1f} km from A, not {OUTSIDE_KM:g} km or more.", q.role("B"))
    return fails("not_inside")


REFUTERS: dict[str, Solver] = lettered("G02", outside)

SOLVERS: dict[str, Solver] = {
    "G01.a": centroid,
    "G01.b": medoid,
    **lettered("G02", centre_around),
    **lettered("G03", centre_shift, "ab"),
}
