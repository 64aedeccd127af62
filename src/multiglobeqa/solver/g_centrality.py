"""G: centrality."""

from __future__ import annotations

import shapely

from multiglobeqa.solver import plane
from multiglobeqa.solver.facts import Facts
from multiglobeqa.solver.family import Solver, lettered
from multiglobeqa.solver.geodesy import distance
from multiglobeqa.solver.n_reference import centroid
from multiglobeqa.solver.question import Question, Solution, fails


def centre_around(q: Question, f: Facts) -> Solution:
    """G02: the centroid of A, in which B must lie."""
    if not shapely.covers(f.surface(q.role("A")), f.geometry(q.role("B"))):
        return fails("not_inside")
    return centroid(q, f)


def centre_shift(q: Question, f: Facts) -> Solution:
    """G03: how far A's centroid moves between Douglas-Peucker at ``v1_km`` and at ``v2_km``.

    SolverError where a simplified shape is empty or not valid.
    """
    surface = f.surface(q.role("A"))
    local = plane.plane_of(surface)
    ends = []
    for name in ("v1_km", "v2_km"):
        flat = plane.simplify(surface, local, q.number(name))
        if shapely.is_empty(flat) or not shapely.is_valid(flat):
            raise q.error(f"The shape simplified by {name} is not valid.", q.role("A"), "Discard it.")
        ends.append(plane.plane_centroid(flat, local))
    return Solution(distance(*ends[0], *ends[1]))


SOLVERS: dict[str, Solver] = {
    "G01.a": centroid,
    **lettered("G02", centre_around),
    **lettered("G03", centre_shift, "ab"),
}
