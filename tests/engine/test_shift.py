"""How far a centroid moves between two simplifications: a figure on paper, causes, and what must not matter."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
import shapely

from multiglobeqa.engine.shift import centroid_shift
from multiglobeqa.geo.planes import turn_rings

LON_KM, LAT_KM = 111.3195, 110.574


def sail(tip: float, lon: float = 0.0, lat: float = 0.0) -> Any:
    """A right triangle 80 km wide and 50 high with a gable ``tip`` km high under its foot."""
    across = LON_KM * np.cos(np.radians(lat))
    ring = np.array([(0, 0), (40 / across, -tip / LAT_KM), (80 / across, 0), (0, 50 / LAT_KM)])
    return shapely.Polygon(ring + np.array([lon, lat]))


def shift(
    *surfaces: Any, tolerances: tuple[float, float] = (1, 10), tested: bool = True
) -> tuple[Any, list[Any]]:
    km, cause = centroid_shift(np.array(surfaces, dtype=object), tolerances, tested=tested)
    return km, cause.tolist()


def test_the_sail_on_paper() -> None:
    # 360 of 2360 km2 go; their centroid lies (13.33, -19.67) km from that of the triangle
    km, cause = shift(sail(9), sail(9, -100))
    assert cause == [None, None]
    assert km == pytest.approx(360 / 2360 * np.hypot(40 - 80 / 3, 50 / 3 + 3), rel=2e-4)


def test_the_causes() -> None:
    km, cause = shift(
        shapely.box(0, 0, 1, 0.8),
        sail(9.95),
        shapely.Polygon([(0, 0), (2.5, 0), (2.55, 0.09), (0.05, 0.09)]),
        sail(9),
    )
    assert cause == ["ends_not_unique", "hangs_on_the_tolerance", "simplified_outline_not_valid", None]
    assert np.isnan(km).tolist() == [True, True, True, False]
    # untested, only what has no value has none
    km, cause = shift(shapely.box(0, 0, 1, 0.8), sail(9.95), tested=False)
    assert cause == [None, None] and km[0] == 0 and km[1] > 3


def test_long_edges_that_bend() -> None:
    polar = shapely.Polygon([(0, 60), (9, 59.64), (18, 60), (0, 64.5)])
    assert shift(polar, tolerances=(10, 100))[1] == ["simplified_outline_not_stable"]


def test_the_order_of_the_tolerances_and_nothing_at_all() -> None:
    assert shift(sail(9))[0] == shift(sail(9), tolerances=(10, 1))[0]
    km, cause = shift()
    assert len(km) == len(cause) == 0


def test_the_seam_makes_no_difference() -> None:
    across = shapely.transform(sail(9, 0), lambda xy: xy + np.array([179.6, 0.0]))
    east = across.intersection(shapely.box(179, -1, 180, 1))
    west = shapely.transform(
        across.intersection(shapely.box(180, -1, 181, 1)), lambda xy: xy - np.array([360.0, 0.0])
    )
    km, cause = shift(sail(9, 20), shapely.MultiPolygon([east, west]))
    assert cause == [None, None] and km[1] == pytest.approx(km[0], rel=1e-6)


def lakes() -> Any:
    path = files("multiglobeqa") / "data" / "world" / "knowwheregraph" / "lakes.entities.parquet"
    table = pq.read_table(str(path), filters=[("area_km2", ">=", 500.0), ("main_share", ">=", 0.95)])
    return shapely.from_wkb(np.array(table["geometry"].to_pylist()[:50], dtype=object))


def test_where_rings_start_and_run_makes_no_difference_to_lakes() -> None:
    surfaces = lakes()
    km, cause = centroid_shift(surfaces, (1, 10))
    assert (km >= 2).sum() >= 5 and None in cause.tolist()
    for turned in (turn_rings(surfaces, 0.3), turn_rings(surfaces, 0.71), shapely.reverse(surfaces)):
        again, why = centroid_shift(turned, (1, 10))
        assert why.tolist() == cause.tolist()
        assert again == pytest.approx(km, rel=1e-6, abs=1e-6, nan_ok=True)
