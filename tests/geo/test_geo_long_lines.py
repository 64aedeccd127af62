"""Long lines are found by the boxes of their runs and ranked from several vertices: as brute force finds them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import shapely

from multiglobeqa.geo import nearest
from multiglobeqa.geo.distance import geometry_distance_km


def walk(random: np.random.Generator, vertices: int, lon: float, lat: float, step: float) -> Any:
    """A wandering line, off the antimeridian."""
    xy = np.cumsum(random.normal(0, step, (vertices, 2)), axis=0) + np.array([lon, lat])
    return shapely.linestrings(np.clip(xy, [-179.9, -85], [179.9, 85]))


@pytest.fixture(scope="module")
def lines() -> Any:
    random = np.random.default_rng(11)
    counts = (2, 3, 8, 9, 10, 16, 17, 18, 33, 100)
    made = [walk(random, n, random.uniform(-170, 170), random.uniform(-60, 60), 0.8) for n in counts]
    west = shapely.linestrings([(-180, 10), (-178, 11), (-175, 12)])
    east = shapely.linestrings([(170 + k / 2, 8 + k / 10) for k in range(21)])
    both = shapely.multilinestrings([west, east])  # cut at the antimeridian
    return np.array(
        [*made, both, shapely.multilinestrings([made[8], made[4]]), shapely.points(178.9, 9)], dtype=object
    )


@pytest.fixture(scope="module")
def others(lines: Any) -> Any:
    random = np.random.default_rng(12)
    near = shapely.get_coordinates(lines)[random.integers(0, shapely.get_num_coordinates(lines).sum(), 60)]
    spread = np.clip(near + random.normal(0, 0.5, near.shape), [-180, -85], [180, 85])
    boxes = shapely.box(*spread[:10].T, spread[:10, 0] + 0.4, spread[:10, 1] + 0.4)[spread[:10, 0] < 179]
    return np.array([*shapely.points(spread), *boxes, *lines[:5]], dtype=object)


@pytest.mark.parametrize("radius", [0.0, 5.0, 60.0, 900.0])
def test_within_is_brute_force(lines: Any, others: Any, radius: float) -> None:
    km = geometry_distance_km(lines[:, None], others[None, :])
    left, right, found = nearest.geometry_within(lines, others, radius)
    assert {*zip(left.tolist(), right.tolist(), strict=True)} == {
        *zip(*np.nonzero(km <= radius), strict=True)
    }
    np.testing.assert_allclose(found, km[left, right], rtol=1e-9, atol=1e-9)
    back = nearest.geometry_within(others, lines, radius)
    assert {*zip(back[1].tolist(), back[0].tolist(), strict=True)} == {
        *zip(left.tolist(), right.tolist(), strict=True)
    }


@pytest.mark.parametrize("k", [1, 3, 20])
def test_k_nearest_is_brute_force(lines: Any, others: Any, k: int) -> None:
    km = geometry_distance_km(lines[:, None], others[None, :])
    index, found = nearest.geometry_k_nearest(lines, others, k)
    np.testing.assert_allclose(found, np.sort(km, axis=1)[:, :k], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(np.take_along_axis(km, index, axis=1), found, rtol=1e-9, atol=1e-9)


def test_runs_hold_every_edge_and_few_boxes_are_near(lines: Any) -> None:
    boxes, owner = nearest._boxes(lines)
    for number, line in enumerate(lines):
        points = shapely.points(shapely.get_coordinates(shapely.segmentize(line, 0.05)))
        held = shapely.covered_by(
            points[:, None], shapely.box(*(boxes[owner == number] + [-1e-9, -1e-9, 1e-9, 1e-9]).T)
        )
        assert held.any(axis=1).all()
    track = shapely.linestrings([(x, x / 2) for x in np.linspace(0, 80, 400)])
    spots = shapely.points(*np.random.default_rng(1).uniform([0, 0], [80, 40], (2000, 2)).T)
    codes = nearest._candidates(np.array([track]), spots, np.array([20.0]))
    assert len(codes) < 120  # the box of the whole track holds all 2,000
