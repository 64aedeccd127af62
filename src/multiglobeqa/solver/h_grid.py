"""H: grids."""

from __future__ import annotations

from functools import partial

from multiglobeqa.solver import cells
from multiglobeqa.solver.facts import Facts
from multiglobeqa.solver.family import Solver, centre
from multiglobeqa.solver.geodesy import distance
from multiglobeqa.solver.question import Question, Solution, fails

CELLS_APART = 2
"""Diameters of a cell by which two entities must be apart to be safely in different cells."""


def finest_common(q: Question, f: Facts, *, system: str) -> Solution:
    """H01: the finest cell that holds both A and B; the premise fails where even the coarsest differ."""
    q.agrees("system", system)
    a, b = centre(f, q.role("A")), centre(f, q.role("B"))
    for resolution in range(cells.FINEST[system], -1, -1):
        cell = cells.of(system, *a, resolution)
        if cell == cells.of(system, *b, resolution):
            return Solution(cell)
    return fails("different_cells")


def common(q: Question, f: Facts, *, system: str) -> Solution:
    """H02: the cell at a resolution that holds both A and B."""
    q.agrees("system", system)
    resolution = q.whole("resolution", 0, cells.FINEST[system])
    a, b = (cells.of(system, *centre(f, q.role(role)), resolution) for role in "AB")
    return Solution(a) if a == b else fails("different_cells")


def far_apart(q: Question, f: Facts) -> Solution:
    """H02, false premise: A and B lie in different cells, more than 2 diameters of either cell apart."""
    q.agrees("system", "h3")
    resolution = q.whole("resolution", 0, cells.FINEST["h3"])
    places = [centre(f, q.role(role)) for role in "AB"]
    found = [cells.of("h3", *at, resolution) for at in places]
    diameter = max(cells.h3_diameter(cell) for cell in found)
    km = distance(*places[0], *places[1])
    if found[0] == found[1] or km <= CELLS_APART * diameter:
        raise q.error(
            f"A and B are {km:.2f} km apart, not more than {CELLS_APART} x {diameter:.2f} km.", q.role("B")
        )
    return fails("different_cells")


def both(q: Question, f: Facts) -> Solution:
    """H03: the cells of A in H3 at ``resolution`` and in S2 at ``level``."""
    at = centre(f, q.role("A"))
    return Solution(
        {
            "h3": cells.of("h3", *at, q.whole("resolution", 0, cells.FINEST["h3"])),
            "s2": cells.of("s2", *at, q.whole("level", 0, cells.FINEST["s2"])),
        }
    )


REFUTERS: dict[str, Solver] = {"H02.a": far_apart}

SOLVERS: dict[str, Solver] = {
    "H01.a": partial(finest_common, system="h3"),
    "H01.b": partial(finest_common, system="s2"),
    "H02.a": partial(common, system="h3"),
    "H02.b": partial(common, system="s2"),
    "H03": both,
    "H03.a": both,
}
