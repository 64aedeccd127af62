"""Width of overlaps, filled holes, ways from crossings to ends: boxes on the equator, checked by one formula."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from shapely import wkt

from multiglobeqa.geo import meeting

KM = 111.3195
FRAME = wkt.loads("POLYGON((0 0,3 0,3 3,0 3,0 0),(1 1,2 1,2 2,1 2,1 1))")


def test_a_strip_is_as_wide_as_it_is_and_a_touch_has_no_width() -> None:
    a = shapely.box(0, 0, 1, 0.1)
    found = meeting.overlap_width_km([a, a], [shapely.box(0.99, -1, 3, 1), shapely.box(1, 0, 2, 1)])
    assert found[0] == pytest.approx(2 * KM * 0.01 * 11.0574 / (2 * (1.113195 + 11.0574)), rel=1e-3)
    assert found[1] == 0


def test_overlap_width_across_the_seam() -> None:
    a = wkt.loads("MULTIPOLYGON(((179 0,180 0,180 1,179 1,179 0)),((-180 0,-179 0,-179 1,-180 1,-180 0)))")
    (across,) = meeting.overlap_width_km([a], [a])
    (plain,) = meeting.overlap_width_km([shapely.box(0, 0, 2, 1)], [shapely.box(0, 0, 2, 1)])
    assert across == pytest.approx(plain, rel=1e-9)


def test_a_hole_filled_half_filled_and_none() -> None:
    full, half, beside = shapely.box(1, 1, 2, 2), shapely.box(1, 1, 1.5, 2), shapely.box(5, 5, 6, 6)
    found = meeting.hole_gap_share([FRAME] * 3, [full, half, beside])
    assert found[0] == pytest.approx(0, abs=1e-12)
    assert found[1] == pytest.approx(1, rel=1e-3)  # as much of the hole is left as is filled
    assert np.isnan(found[2])
    assert np.isnan(meeting.hole_gap_share([full], [half])[0])


def test_the_way_from_a_crossing_to_the_nearest_end() -> None:
    a = wkt.loads("LINESTRING(0 0,4 0)")
    b, ends_on_a = wkt.loads("LINESTRING(1 -2,1 2)"), wkt.loads("LINESTRING(2 0,2 1)")
    apart = wkt.loads("LINESTRING(9 9,9 8)")
    ring = wkt.loads("LINESTRING(1 -1,2 -1,2 1,1 1,1 -1)")
    found = meeting.crossing_end_km([a, a, a, ring], [b, ends_on_a, apart, ring.reverse()])
    assert found[0] == pytest.approx(KM, rel=1e-5)
    assert found[1] == 0
    assert np.isnan(found[2]) and np.isnan(found[3])  # nothing common; a shared stretch
    twice = wkt.loads("LINESTRING(1 -2,1 2,3.5 2,3.5 -0.1)")
    assert meeting.crossing_end_km([a], [twice])[0] == pytest.approx(KM, rel=1e-5)
    assert meeting.crossing_end_km([a], [twice], least=True)[0] == pytest.approx(0.1 * 110.574, rel=1e-5)
    assert meeting.crossing_end_km([ring], [wkt.loads("LINESTRING(1.5 -3,1.5 0)")])[0] > 110


def test_the_largest_part_may_not_be_the_one_that_meets() -> None:
    isles = wkt.loads("MULTIPOLYGON(((0 0,1 0,1 1,0 1,0 0)),((3 0,6 0,6 3,3 3,3 0)))")
    road = wkt.loads("MULTILINESTRING((0 0,9 0),(0 5,1 5))")
    found = meeting.main_part_meets(
        [isles, isles, road, road],
        [shapely.box(0, 0, 0.5, 0.5), shapely.box(4, 1, 5, 2), shapely.Point(8, 0), shapely.Point(0.5, 5)],
    )
    assert found.tolist() == [False, True, True, False]
