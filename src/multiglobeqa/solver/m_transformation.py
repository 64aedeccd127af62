"""M: transformation of positions."""

from __future__ import annotations

from functools import partial

from pyproj import Proj

from multiglobeqa.solver import cells
from multiglobeqa.solver.facts import Facts
from multiglobeqa.solver.family import Solver, bearing, centre, centres_apart, lettered, point
from multiglobeqa.solver.geodesy import distance
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
    """M02.d: UTM coordinates are scored as the point they stand for; they must lead back to A within 1 mm."""
    q.agrees("system", "utm", "UTM")
    lon, lat = centre(f, q.role("A"))
    if not -80 <= lat <= 84:
        raise q.error(f"UTM ends at 80° S and 84° N; A is at latitude {lat}.", q.role("A"), "Discard it.")
    to_utm = Proj(proj="utm", zone=utm_zone(lon, lat), ellps="WGS84", south=lat < 0)
    easting, northing = to_utm(lon, lat)
    back = to_utm(easting, northing, inverse=True)
    if (
        not (100_000 <= easting <= 900_000 and 0 <= northing <= 10_000_000)
        or distance(lon, lat, *back) > 1e-6
    ):
        raise q.error(f"A has no UTM coordinates: {easting:.0f}, {northing:.0f}.", q.role("A"), "Discard it.")
    return Solution(point(lon, lat))


WIDENED = (
    (56.0, 64.0, 3.0, 12.0, 32),
    (72.0, 84.5, 0.0, 9.0, 31),
    (72.0, 84.5, 9.0, 21.0, 33),
    (72.0, 84.5, 21.0, 33.0, 35),
    (72.0, 84.5, 33.0, 42.0, 37),
)
"""South, north, west, east of the zones of Norway and Svalbard that differ from the 6 degree rule."""


def utm_zone(lon: float, lat: float) -> int:
    """The zone whose middle meridian is nearest, or that of Norway and Svalbard."""
    for south, north, west, east, number in WIDENED:
        if south <= lat < north and west <= lon < east:
            return number
    return int(((lon + 180.0) % 360.0) // 6) + 1


SOLVERS: dict[str, Solver] = {
    **lettered("M01", polar),
    "M02.a": partial(cell, system="h3"),
    "M02.b": partial(cell, system="s2"),
    "M02.c": partial(cell, system="geohash"),
    "M02.d": utm,
}
