"""The solver's outlines against GEOS line by line, brute force, and figures on paper."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

from multiglobeqa.solver import outline
from multiglobeqa.solver.errors import SolverError

SAIL = np.array([(0.0, 0.0), (40.0, -9.0), (80.0, 0.0), (0.0, 50.0)])


def test_douglas_peucker_is_that_of_geos() -> None:
    rng = np.random.default_rng(1)
    for count in (2, 3, 10, 400):
        line = np.cumsum(rng.normal(size=(count, 2)), axis=0)
        for tolerance in (0.01, 0.7, 3.0, 100.0):
            theirs = shapely.simplify(shapely.linestrings(line), tolerance, preserve_topology=False)
            assert (
                outline.douglas_peucker(line, tolerance).tolist() == shapely.get_coordinates(theirs).tolist()
            )


def test_the_hull_is_that_of_geos() -> None:
    rng = np.random.default_rng(2)
    for points in (rng.normal(size=(300, 2)), np.array([(0, 0), (1, 0), (2, 0), (2, 1), (1, 0.5), (0, 2.0)])):
        theirs = shapely.get_coordinates(shapely.convex_hull(shapely.multipoints(points)))
        assert set(map(tuple, points[outline.hull(points)].tolist())) == set(map(tuple, theirs.tolist()))


def test_the_farthest_pair_is_that_of_all_pairs() -> None:
    points = np.random.default_rng(3).uniform(size=(80, 2))
    apart = np.hypot(*(points[:, None] - points[None]).transpose(2, 0, 1))
    assert apart[outline.farthest(points)] == apart.max()


def test_two_diagonals() -> None:
    with pytest.raises(SolverError, match="equally far apart"):
        outline.simple_ring(np.array([(0.0, 0.0), (4.0, 0.0), (4.0, 3.0), (0.0, 3.0)]), 1.0)


@pytest.mark.parametrize(("tolerance", "count"), [(8.9, 4), (9.1, 3), (43.0, 2), (200.0, 2)])
def test_the_sail_on_paper(tolerance: float, count: int) -> None:
    for turn in range(4):
        for ring in (np.roll(SAIL, turn, axis=0), np.roll(SAIL, turn, axis=0)[::-1]):
            assert len(outline.simple_ring(ring, tolerance)) == count


def test_distances_are_taken_to_the_segment() -> None:
    # (5, -8) is 9.37 from the line through (0, 0) and (50, 40), 9.43 from (0, 0)
    ring = np.array([(0.0, 0.0), (5.0, -8.0), (50.0, 40.0), (100.0, 0.0), (20.0, -50.0)])
    assert [5.0, -8.0] in outline.simple_ring(ring, 9.40).tolist()
    assert [5.0, -8.0] not in outline.simple_ring(ring, 9.45).tolist()


def test_rings_that_vanish() -> None:
    hole, part = [(10, 5), (14, 6), (11, 9)], [(200, 0), (206, 1), (203, 4)]
    surface = shapely.MultiPolygon([shapely.Polygon(SAIL, [hole]), shapely.Polygon(part)])
    assert shapely.area(outline.simplify(surface, 0.5)) == pytest.approx(surface.area)
    coarse = outline.simplify(surface, 8.0)
    assert shapely.area(coarse) == shapely.Polygon(SAIL).area and shapely.get_num_geometries(coarse) == 1
    assert shapely.is_empty(outline.simplify(surface, 50.0))
