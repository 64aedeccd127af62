"""N: reference: centroid and bounding box."""

from __future__ import annotations

from itertools import pairwise

import shapely
from shapely.geometry.base import BaseGeometry

from multiglobeqa.solver.edges import SEAM_DEG
from multiglobeqa.solver.facts import Facts
from multiglobeqa.solver.family import Solver, centre, lettered, point
from multiglobeqa.solver.question import Question, Solution


def centroid(q: Question, f: Facts) -> Solution:
    """N01, G01.a: the equal-area centroid of a surface; a point's own position."""
    return Solution(point(*centre(f, q.role("A"))))


def box(q: Question, f: Facts) -> Solution:
    """N02: the bounding box of A."""
    west, south, east, north = bounds(f.geometry(q.role("A")))
    return Solution({"west": west, "south": south, "east": east, "north": north})


def bounds(geometry: BaseGeometry) -> tuple[float, float, float, float]:
    """West, south, east, north: the narrowest box in longitude, west > east across the antimeridian.

    The box leaves out the widest gap between the parts' longitudes on the circle; parts that end at +180 and
    at -180 leave no gap there. A geometry without a gap is -180 to 180. Of equal gaps the one at the
    antimeridian is left out.
    """
    spans = sorted((float(b[0]), float(b[2])) for b in shapely.bounds(shapely.get_parts(geometry)))
    _, south, _, north = geometry.bounds
    merged = [list(spans[0])]
    for west, east in spans[1:]:
        if west <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], east)
        else:
            merged.append([west, east])
    gaps = [(merged[0][0] + 360.0 - merged[-1][1], merged[0][0], merged[-1][1])]
    gaps += [(b[0] - a[1], b[0], a[1]) for a, b in pairwise(merged)]
    width, west, east = max(gaps, key=lambda gap: gap[0])
    if width <= SEAM_DEG:
        return -180.0, south, 180.0, north
    return west, south, east, north


SOLVERS: dict[str, Solver] = {**lettered("N01", centroid, "ab"), **lettered("N02", box, "ab")}
