"""B: metric containment."""

from __future__ import annotations

import h3
import numpy as np
import shapely

from multiglobeqa.solver.a_compound import absent, clear
from multiglobeqa.solver.facts import Facts
from multiglobeqa.solver.family import Solver, apart, as_set, centre, lettered, members
from multiglobeqa.solver.geodesy import GEOD
from multiglobeqa.solver.plane import Plane
from multiglobeqa.solver.question import Question, Solution, fails

DENSITY_RESOLUTION = 3
CIRCLE_VERTICES = 1440
EDGE_POINTS = 16
MISSING_SHARE = 1e-3
GRID_SHARE = 0.1
SIDES_IN_RADIUS = 5


def within(q: Question, f: Facts) -> list[str]:
    """The members within ``radius_km`` of B."""
    radius = q.number("radius_km")
    return [iri for iri in members(q, f) if apart(f, iri, q.role("B")) <= radius]


def count_within(q: Question, f: Facts) -> Solution:
    """B01: how many members lie within the radius."""
    return Solution(len(within(q, f)))


def set_within(q: Question, f: Facts) -> Solution:
    """B02: which members lie within the radius."""
    return as_set(within(q, f))


def people_within(q: Question, f: Facts) -> Solution:
    """B03.b: people within the radius of A, from the densities of H3 cells.

    Each cell gives its density times the area of its overlap with the geodesic circle, on the equal-area
    plane centred at A; cell edges are geodesics. SolverError where cells without a density hold
    more than 0.1 % of the circle.
    """
    lon, lat = centre(f, q.role("A"))
    plane = Plane(lon, lat)
    turn = np.linspace(0, 360, CIRCLE_VERTICES, endpoint=False)
    n = len(turn)
    x, y, _ = GEOD.fwd(np.full(n, lon), np.full(n, lat), turn, np.full(n, q.number("radius_km") * 1000.0))
    circle = shapely.polygons(plane.forward(np.column_stack([x, y])))
    shapely.prepare(circle)
    people = covered = 0.0
    for cell, density in sorted(f.densities().items()):
        if not h3.is_valid_cell(cell) or h3.get_resolution(cell) != DENSITY_RESOLUTION:
            raise q.error(f"Not an H3 cell of resolution {DENSITY_RESOLUTION}.", cell)
        overlap = float(shapely.intersection(circle, _outline(cell, plane)).area)
        people += density * overlap
        covered += overlap
    if covered < (1 - MISSING_SHARE) * circle.area:
        raise q.error(
            f"The cells with a density cover {covered / circle.area:.1%} of the circle.",
            q.role("A"),
            "State the density of every resolution 3 cell that meets the circle.",
        )
    return Solution(round(people))


def people_of_cells(q: Question, f: Facts) -> Solution:
    """B03.a: people in the cells of a grid whose centre lies within the radius of A.

    SolverError where the cells do not fill the circle (by more than 10 % of its area, or a cell's side is longer than
    a fifth of the radius): then some are missing.
    """
    lon, lat = centre(f, q.role("A"))
    radius = q.number("radius_km")
    cells, centres, people = f.people()
    if len(cells) < 2:
        raise q.error("The triples state no cells with people.", q.role("A"))
    x, y = centres.T
    n = np.ones(len(cells))
    km = np.asarray(GEOD.inv(n * lon, n * lat, x, y)[2]) / 1000.0
    inside = km <= radius
    degree = 111.32
    rows = np.unique(np.round(y, 6))
    height = float(np.diff(rows).min()) * degree if len(rows) > 1 else np.inf
    turn = np.sort(np.unique(np.round((x - lon + 180.0) % 360.0, 6)))
    width = float(np.diff(turn).min()) * degree if len(turn) > 1 else np.inf
    if SIDES_IN_RADIUS * max(height, width * np.cos(np.radians(lat))) > radius * 1.02:
        raise q.error("The cells are too coarse for the radius.", q.role("A"))
    filled = float((height * width * np.cos(np.radians(y[inside]))).sum())
    if abs(filled / (np.pi * radius**2) - 1) > GRID_SHARE:
        raise q.error(
            f"The cells fill {filled / (np.pi * radius**2):.1%} of the circle.",
            q.role("A"),
            "State the people of every cell whose centre lies in the circle.",
        )
    return Solution(round(float(people[inside].sum())))


def none_within(q: Question, f: Facts) -> Solution:
    """B02.a fails: five members or more stand elsewhere, none within the radius widened by max(1 km, 2 radii)."""
    radius = q.number("radius_km")
    elsewhere = members(q, f)
    absent(q, elsewhere)
    clear(q, f, q.role("B"), elsewhere, radius + max(1.0, 2 * radius))
    return fails("no_member")


def _outline(cell: str, plane: Plane) -> shapely.Polygon:
    corners = [(lon, lat) for lat, lon in h3.cell_to_boundary(cell)]
    points = []
    for (lon1, lat1), (lon2, lat2) in zip(corners, corners[1:] + corners[:1], strict=True):
        points.append((lon1, lat1))
        points.extend(GEOD.npts(lon1, lat1, lon2, lat2, EDGE_POINTS))
    return shapely.polygons(plane.forward(np.array(points)))


SOLVERS: dict[str, Solver] = {
    **lettered("B01", count_within, "ab"),
    **lettered("B02", set_within, "ab"),
    "B03.a": people_of_cells,
    "B03.b": people_within,
}

REFUTERS: dict[str, Solver] = {"B02.a": none_within}
