"""The area that winds sweep inside a surface with several holes, each of another number of vertices."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
import shapely

from multiglobeqa.solver.facts import Fix
from multiglobeqa.solver.sweep import Swept


def test_holes_are_left_out_whatever_their_vertices() -> None:
    start = datetime(2020, 9, 1, tzinfo=UTC)
    fixes = [Fix(start + timedelta(hours=6 * n), -40.0 + n, 15.0, 120.0) for n in range(4)]
    swept = Swept(fixes)
    whole = shapely.box(-45, 10, -30, 20)
    square = shapely.box(-39.5, 14.8, -39.2, 15.1)
    triangle = shapely.Polygon([(-38.5, 14.9), (-38.1, 14.9), (-38.3, 15.2)])
    seven = shapely.Polygon(
        [(-37.6, 15), (-37.5, 15.1), (-37.4, 15.1), (-37.3, 15), (-37.4, 14.9), (-37.5, 14.8), (-37.6, 14.9)]
    )
    holes = [square, triangle, seven]
    pierced = shapely.Polygon(whole.exterior, [hole.exterior for hole in holes])
    assert swept.area_inside(whole) == pytest.approx(swept.area, rel=1e-9)
    lost = sum(swept.area_inside(hole) for hole in holes)
    assert lost > 1000
    assert swept.area_inside(pierced) == pytest.approx(swept.area - lost, rel=1e-9)
    both = shapely.MultiPolygon([pierced, square])
    assert swept.area_inside(both) == pytest.approx(swept.area - lost + swept.area_inside(square), rel=1e-9)
