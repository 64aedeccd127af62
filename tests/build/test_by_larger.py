"""Places by much larger ones are those that a list of all pairs gives, in dense and in sparse surroundings."""

from __future__ import annotations

import numpy as np
import pytest

from multiglobeqa.build.doubts import SECTION_KM, SECTION_RATIO, _by_larger
from multiglobeqa.geo.nearest import PointIndex


@pytest.mark.parametrize(("spread", "least", "most"), [(0.3, 1500, 2000), (3.0, 200, 1900), (60.0, 1, 200)])
def test_places_by_larger_ones(spread: float, least: int, most: int) -> None:
    random = np.random.default_rng(5)
    lon, lat = random.normal(178, spread, 2000) % 360 - 180, random.uniform(-spread, spread, 2000)
    people = np.round(2 ** random.uniform(0, 16, 2000)).astype(np.int64)
    people[:40] = np.repeat([1, 2, 3, 4, 8, 16, 32, 64], 5)  # powers of two, and twice them
    asked = np.flatnonzero(random.random(2000) < 0.9)
    query, near, _ = PointIndex(lon, lat).within(lon[asked], lat[asked], SECTION_KM)
    expected = np.unique(asked[query[people[near] >= SECTION_RATIO * people[asked[query]]]])
    np.testing.assert_array_equal(_by_larger(lon, lat, people, asked), expected)
    assert least <= len(expected) <= most


def test_nobody_is_asked() -> None:
    none = np.empty(0, dtype=np.int64)
    assert _by_larger(np.array([1.0]), np.array([1.0]), np.array([5]), none).size == 0
