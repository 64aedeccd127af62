"""Outlines simplified from their farthest vertices: figures on paper, brute force, and where rings start."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import shapely
from numpy.typing import NDArray

from multiglobeqa.errors import GeometryError
from multiglobeqa.geo.outline import CutOutlines, cut_outlines, farthest_pair, simplify_cut

SAIL = [(0, 0), (40, -9), (80, 0), (0, 50)]
"""A right triangle with a gable 9 high under its foot."""


def simplified(tolerance: float, *surfaces: Any) -> Any:
    """The surfaces simplified; what holds for few vertices has to hold for the lines run the other way too."""
    cut = cut_outlines(np.array(surfaces, dtype=object), tolerance)
    found, other = simplify_cut(cut, tolerance), simplify_cut(cut.reversed(), tolerance)
    assert all(a is b is None or a.equals(b) for a, b in zip(found, other, strict=True))
    return found


def corners(surface: Any) -> set[tuple[float, float]]:
    return {(float(x), float(y)) for x, y in shapely.get_coordinates(surface)}


def star(rng: np.random.Generator, count: int, radius: float = 100.0) -> NDArray[np.float64]:
    """A ring without its closing vertex; it never crosses itself."""
    turn = np.sort(rng.uniform(0, 2 * np.pi, count))
    away = radius * rng.uniform(0.4, 1.0, count)
    return np.column_stack([away * np.cos(turn), away * np.sin(turn)])


def test_the_farthest_pair_of_a_triangle() -> None:
    i, j, km, second = farthest_pair(np.array([(0.0, 0.0), (3.0, 0.0), (0.0, 4.0)]))
    assert (i, j, km, second) == (1, 2, 5.0, 4.0)


def test_the_farthest_pair_is_that_of_all_pairs() -> None:
    rng = np.random.default_rng(8)
    wide = rng.normal(size=(1500, 2))
    wide *= 100 / np.hypot(*wide.T)[:, None]  # every point is a corner of the hull: more than one block
    for xy in (*(star(rng, count) for count in (3, 4, 7, 40, 200)), wide):
        apart = np.triu(np.hypot(*(xy[:, None] - xy[None]).transpose(2, 0, 1)))
        i, j, km, second = farthest_pair(xy)
        assert km == apart.max() == apart[i, j]
        assert second <= np.sort(apart, axis=None)[-2]
        close = np.sort(apart, axis=None)[-2] > (1 - 1e-5) * km
        assert (second > (1 - 1e-5) * km) == close


def test_a_vertex_beside_an_end_makes_a_second_pair() -> None:
    # (100, 0) and (99.9999, 0.001) lie almost equally far from (0, 0); the second is no corner of the hull
    xy = np.array([(0.0, 0.0), (50.0, -20.0), (100.0, -0.001), (99.9999, 0.0), (100.0, 0.001), (50.0, 20.0)])
    assert farthest_pair(xy)[3] > (1 - 1e-5) * farthest_pair(xy)[2]
    inner = np.array([(0.0, 0.0), (50.0, -20.0), (100.0, 0.0), (99.9995, 0.00001), (50.0, 20.0)])
    assert (
        len(shapely.get_coordinates(shapely.convex_hull(shapely.multipoints(inner)))) == 5
    )  # not that vertex
    assert farthest_pair(inner)[2:] == pytest.approx((100.0, 99.9995))


def test_a_rectangle_has_two_pairs() -> None:
    cut = cut_outlines(np.array([shapely.box(0, 0, 40, 30), shapely.Polygon(SAIL)], dtype=object), 1.0)
    assert cut.unique.tolist() == [False, True]


@pytest.mark.parametrize(("tolerance", "left"), [(8.9, SAIL), (9.1, [SAIL[0], SAIL[2], SAIL[3]])])
def test_the_sail_on_paper(tolerance: float, left: list[tuple[float, float]]) -> None:
    # cut at (80, 0) and (0, 50); (0, 0) is 42.4 from that chord and stays; (40, -9) is 9 from the foot
    found = simplified(tolerance, shapely.Polygon(SAIL))[0]
    assert corners(found) == {(float(x), float(y)) for x, y in left}
    assert shapely.area(found) == shapely.Polygon(left).area


def test_distances_are_taken_to_the_segment() -> None:
    # cut at (0, 0) and (100, 0), then at (50, 40); (5, -8) is 9.37 from the line through (0, 0) and (50, 40), but 9.43
    # from the nearest point between them, (0, 0)
    ring = shapely.Polygon([(0, 0), (5, -8), (50, 40), (100, 0), (20, -50)])
    assert ring.is_valid
    assert (5.0, -8.0) in corners(simplified(9.40, ring)[0])
    assert (5.0, -8.0) not in corners(simplified(9.45, ring)[0])


def test_where_a_ring_starts_and_runs_makes_no_difference() -> None:
    rng = np.random.default_rng(4)
    for count in (12, 60, 150):
        outer, hole = star(rng, count), star(rng, count // 2, 35.0)
        island = star(rng, 9, 20.0) + np.array([300.0, 10.0])
        for tolerance in (2.0, 9.0, 15.0):
            first = None
            for turn in (0, 1, count // 3, count // 2, count - 1):
                shell, inner = np.roll(outer, turn, axis=0), np.roll(hole, -turn, axis=0)[::-1]
                parts = [
                    shapely.Polygon(shell[:: (-1) ** turn], [inner]),
                    shapely.Polygon(np.roll(island, turn, axis=0)),
                ]
                found = simplified(tolerance, shapely.MultiPolygon(parts if turn % 2 else parts[::-1]))[0]
                first = first or found
                assert first is not None and found is not None and found.equals(first)
                assert shapely.area(found) == pytest.approx(shapely.area(first), rel=1e-12)


def test_douglas_peucker_from_a_stored_vertex_is_another_thing() -> None:
    ring = star(np.random.default_rng(3), 60)
    stored = {
        round(shapely.area(shapely.simplify(shapely.Polygon(np.roll(ring, k, axis=0)), 30.0)), 6)
        for k in range(60)
    }
    cut = {
        round(float(shapely.area(simplified(30.0, shapely.Polygon(np.roll(ring, k, axis=0)))[0])), 6)
        for k in range(60)
    }
    assert len(stored) > 1 and len(cut) == 1


def test_holes_and_parts() -> None:
    frame = (
        shapely.box(0, 0, 100, 80)
        .difference(shapely.box(20, 20, 60, 50))
        .difference(shapely.box(80, 60, 84, 62))
    )
    far = shapely.Polygon([(200, 0), (206, 1), (203, 4)])
    surface = shapely.MultiPolygon([frame, far])
    found = simplified(5.0, surface, shapely.box(0, 0, 2, 1), shapely.Polygon(SAIL))
    assert shapely.area(found[0]) == pytest.approx(
        100 * 80 - 40 * 30
    )  # the small hole and the small part are gone
    assert shapely.get_num_geometries(found[0]) == 1
    assert found[1] is None and corners(found[2]) == corners(shapely.Polygon(SAIL))
    fine = simplified(0.5, surface)[0]
    assert shapely.area(fine) == pytest.approx(surface.area) and shapely.get_num_geometries(fine) == 2


def test_a_hole_goes_with_its_outer_ring_and_a_crossing_hole_is_not_valid() -> None:
    # a lens 400 by 10 within the tolerance of its chord; its hole is 30 long and would stay by itself at 4
    lens = shapely.Polygon([(0, 0), (200, -4.9), (400, 0), (200, 4.8)], [[(190, 0), (215, -0.5), (214, 1)]])
    assert simplified(5.0, lens)[0] is None
    # a hole in a gable that goes at 10
    ring = [(0, 0), (40, -9), (80, 0), (0, 50)]
    pierced = shapely.Polygon(ring, [[(30, -3), (50, -3.5), (42, 12)]])
    assert pierced.is_valid and simplified(10.0, pierced)[0] is None


def test_some_of_the_surfaces_are_as_all_of_them() -> None:
    rng = np.random.default_rng(6)
    surfaces = np.array(
        [shapely.Polygon(star(rng, 30, r), [star(rng, 8, r / 4)]) for r in (30.0, 3.0, 90.0, 60.0)],
        dtype=object,
    )
    cut = cut_outlines(surfaces, 2.0)
    rows = np.array([3, 0, 1])
    some: CutOutlines = cut.of(rows)
    every = simplify_cut(cut, 8.0)
    assert some.unique.tolist() == cut.unique[rows].tolist() and every[1] is None
    for mine, theirs in zip(simplify_cut(some, 8.0), every[rows], strict=True):
        assert mine is theirs is None or shapely.equals_identical(mine, theirs)


def test_a_finer_tolerance_than_was_cut_for() -> None:
    with pytest.raises(GeometryError, match="cut for 2"):
        simplify_cut(cut_outlines(np.array([shapely.Polygon(SAIL)], dtype=object), 2.0), 1.9)
    nothing = cut_outlines(np.array([shapely.box(0, 0, 1, 1)], dtype=object), 9.0)
    assert simplify_cut(nothing, 9.0).tolist() == [None]
