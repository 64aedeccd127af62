"""J: direction."""

from __future__ import annotations

from functools import partial

from multiglobeqa.solver.facts import Facts
from multiglobeqa.solver.family import DIRECTIONS, LETTERED, Solver, bearing, centre, lettered
from multiglobeqa.solver.geodesy import GEOD, angle_between, azimuth, distance
from multiglobeqa.solver.question import Question, Solution
from multiglobeqa.solver.stream import contradicts_itself, foot, way_km

SECTOR = 45.0
WINDS: tuple[str, ...] = (
    "north",
    "north-northeast",
    "northeast",
    "east-northeast",
    "east",
    "east-southeast",
    "southeast",
    "south-southeast",
    "south",
    "south-southwest",
    "southwest",
    "west-southwest",
    "west",
    "west-northwest",
    "northwest",
    "north-northwest",
)
COUNTS = {"a": 4, "b": 8, "c": 16}
NEAR_KM, APART_KM = 1.0, 0.5


def lies(q: Question, f: Facts, *, direction: str) -> Solution:
    """J01: whether A lies within 45° of a direction, seen from B."""
    q.agrees("direction", direction)
    return Solution(angle_between(bearing(f, q.role("B"), q.role("A")), DIRECTIONS[direction]) <= SECTOR)


def side(q: Question, f: Facts) -> Solution:
    """J02: whether A is left or right of the geodesic from B to C.

    The side is that of the azimuth to A at the foot of the perpendicular. SolverError where A is on the line.
    """
    a, b, c = (centre(f, q.role(role)) for role in "ABC")
    foot, heading = _foot(a, b, c)
    turn = (azimuth(*foot, *a) - heading + 180.0) % 360.0 - 180.0
    if distance(*foot, *a) < 1e-6 or turn in (0.0, -180.0):
        raise q.error("A stands on the route.", q.role("A"), "Discard it.")
    return Solution("right" if turn > 0 else "left")


def _foot(
    a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]
) -> tuple[tuple[float, float], float]:
    """The point of the geodesic B to C nearest to A, and the route's azimuth there, by golden section."""
    start, _, metres = GEOD.inv(*b, *c)
    golden = (5**0.5 - 1) / 2

    def at(share: float) -> tuple[float, float, float]:
        lon, lat, back = GEOD.fwd(*b, start, metres * share)
        return float(lon), float(lat), (float(back) + 180.0) % 360.0

    def off(share: float) -> float:
        lon, lat, _ = at(share)
        return distance(lon, lat, *a)

    low, high = 0.0, 1.0
    x, y = high - golden * (high - low), low + golden * (high - low)
    fx, fy = off(x), off(y)
    while high - low > 1e-9:
        if fx < fy:
            high, y, fy = y, x, fx
            x = high - golden * (high - low)
            fx = off(x)
        else:
            low, x, fx = x, y, fy
            y = low + golden * (high - low)
            fy = off(y)
    lon, lat, heading = at((low + high) / 2)
    return (lon, lat), heading


def stream(q: Question, f: Facts) -> Solution:
    """J03: whether A lies upstream or downstream of B along the waterway C, which is drawn downstream."""
    line = f.line(q.role("C"))
    if contradicts_itself(line):
        raise q.error("The waterway's stretches run against each other.", q.role("C"), "Discard it.")
    a, b = (foot(line, *centre(f, q.role(role))) for role in "AB")
    if max(a.km, b.km) > NEAR_KM:
        raise q.error(f"A place is {max(a.km, b.km):.3f} km from the waterway, not within 1 km.", q.role("C"))
    if a.stretch != b.stretch:
        raise q.error("The places stand by two stretches of the waterway.", q.role("C"), "Discard it.")
    way = way_km(line, a, b)
    if abs(way) < APART_KM:
        raise q.error(
            f"The places are {abs(way):.3f} km apart along the waterway.", q.role("C"), "Discard it."
        )
    return Solution("downstream" if way > 0 else "upstream")


def wind(q: Question, f: Facts, *, count: int) -> Solution:
    """J04: the wind of the initial azimuth from A to B, of 4, 8 or 16."""
    q.agrees("winds", count, str(count))
    return Solution(wind_of(bearing(f, q.role("A"), q.role("B")), count))


def wind_of(degrees: float, count: int) -> str:
    """The name of the sector, ``360/count`` wide and centred on its wind, that holds an azimuth."""
    return WINDS[int((degrees * count / 360.0 + 0.5) // 1) % count * (16 // count)]


SOLVERS: dict[str, Solver] = {
    **{f"J01.{letter}": partial(lies, direction=word) for letter, word in LETTERED.items()},
    **lettered("J02", side),
    **lettered("J03", stream),
    **{f"J04.{letter}": partial(wind, count=count) for letter, count in COUNTS.items()},
}
