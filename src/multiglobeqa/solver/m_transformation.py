"""M: transformation of positions."""

from __future__ import annotations

from functools import partial

from multiglobeqa.solver import cells
from multiglobeqa.solver.facts import Facts
from multiglobeqa.solver.family import Solver, bearing, centre, centres_apart, lettered, point
from multiglobeqa.solver.question import Question, Solution


def polar(q: Question, f: Facts) -> Solution:
    """M01: initial azimuth at B towards A, and their distance; centres where an entity is extended."""
    a, b = q.role("A"), q.role("B")
    return Solution({"azimuth_deg": bearing(f, b, a), "distance_km": centres_apart(f, a, b)})


def cell(q: Question, f: Facts, *, system: str) -> Solution:
    """M02.a, .b, .c: the cell of A."""
    q.agrees("system", system)
    least = 1 if system == "geohash" else 0
    return Solution(
        cells.of(system, *centre(f, q.role("A")), q.whole("resolution", least, cells.FINEST[system]))
    )


def utm(q: Question, f: Facts) -> Solution:
    """M02.d: UTM coordinates are scored as the point they stand for."""
    q.agrees("system", "utm", "UTM")
    lon, lat = centre(f, q.role("A"))
    if not -80 <= lat <= 84:
        raise q.error(f"UTM ends at 80° S and 84° N; A is at latitude {lat}.", q.role("A"), "Discard it.")
    return Solution(point(lon, lat))


SOLVERS: dict[str, Solver] = {
    **lettered("M01", polar),
    "M02.a": partial(cell, system="h3"),
    "M02.b": partial(cell, system="s2"),
    "M02.c": partial(cell, system="geohash"),
    "M02.d": utm,
}
