"""The swept area against areas worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
import shapely
from pyproj import Geod

from multiglobeqa.errors import GeometryError
from multiglobeqa.geo.measure import area_km2
from multiglobeqa.kg import swept

NMI = 1.852


def fix(lon: float, lat: float, diameter: float | None, hour: int = 0) -> list[object]:
    """One fix on an arbitrary day."""
    return [f"2005-08-28T{hour:02d}:00:00Z", lon, lat, diameter]


def test_stadium_on_the_equator() -> None:
    """A straight track along the equator with constant radius r: 2 r L + pi r². Discs stand 10 km apart,
    which leaves scallops of about step²/(12 r) on both sides."""
    diameter, r = 108.0, 54.0 * NMI  # r = 100.008 km
    length = Geod(ellps="WGS84").inv(0, 0, 5, 0)[2] / 1e3
    stadium = 2 * r * length + math.pi * r * r
    scallops = 2 * length * swept.STEP_KM**2 / (12 * r) / 2
    found = swept.swept_area_km2([fix(0, 0, diameter), fix(5, 0, diameter, 6)])
    assert found == pytest.approx(stadium - scallops, rel=5e-4)
    assert found < stadium


def test_one_place_is_a_disc() -> None:
    r = 50 * NMI
    found = swept.swept_area_km2([fix(-70, 30, 100.0), fix(-70, 30, 100.0, 6)])
    assert found == pytest.approx(math.pi * r * r, rel=3e-4)


def test_radius_is_interpolated() -> None:
    """A cone from 50 km to 150 km over 500 km: the trapezoid between the tangents plus the end caps."""
    r1, r2 = 50.0, 150.0
    metres = 500_000.0
    lon = Geod(ellps="WGS84").fwd(0, 0, 90, metres)[0]
    found = swept.swept_area_km2([fix(0, 0, 2 * r1 / NMI), fix(lon, 0, 2 * r2 / NMI, 6)])
    d = metres / 1e3
    a = math.asin((r2 - r1) / d)
    tangents = (r1 + r2) * math.sqrt(d * d - (r2 - r1) ** 2)
    caps = r1 * r1 * (math.pi / 2 - a) + r2 * r2 * (math.pi / 2 + a)
    assert found == pytest.approx(tangents + caps, rel=2e-3)


def test_stretches_need_known_winds_at_both_fixes_and_some_at_one() -> None:
    fixes = [
        fix(0, 0, None),
        fix(1, 0, 0.0),
        fix(2, 0, 50.0),
        fix(3, 0, 60.0),
        fix(4, 0, None),
    ]
    assert [(a[1], b[1]) for a, b in swept.stretches(fixes)] == [(1, 2), (2, 3)]
    west, _, east, _ = shapely.bounds(swept.swept_area(fixes))
    reach = 25 * NMI / 111.3195
    assert 1 < west < 1.25  # the radius grows from 0 at 1 E: 0.21 degrees at 1.21 E
    assert east == pytest.approx(3 + reach * 1.2, abs=1e-3)


def test_a_fix_beside_unknown_winds_is_a_disc() -> None:
    disc = math.pi * (25 * NMI) ** 2
    assert swept.swept_area_km2([fix(0, 0, 50.0), fix(1, 0, None)]) == pytest.approx(disc, rel=1e-3)
    assert swept.swept_area_km2([fix(0, 0, 50.0)]) == pytest.approx(disc, rel=1e-3)
    assert swept.swept_area([fix(0, 0, 0.0), fix(1, 0, None)]) is None


def test_across_the_antimeridian() -> None:
    track = [fix(179, -17, 120.0), fix(-179, -17, 120.0, 6)]
    shifted = [fix(9, -17, 120.0), fix(11, -17, 120.0, 6)]
    cut = swept.swept_area(track)
    west, _, east, _ = shapely.bounds(cut)
    assert (west, east) == (-180, 180)
    assert shapely.is_valid(cut)
    assert swept.swept_area_km2(track) == pytest.approx(swept.swept_area_km2(shifted), rel=1e-9)
    assert area_km2(cut) == pytest.approx(float(area_km2(swept.swept_area(shifted))), rel=2e-4)


def test_stored_outline_keeps_area() -> None:
    track = [fix(-80 + k, 20 + 0.7 * k, 80.0 + 10 * k, k) for k in range(12)]
    exact = swept.swept_area_km2(track)
    assert float(area_km2(swept.swept_area(track))) == pytest.approx(exact, rel=5e-4)
    assert float(area_km2(swept.swept_area(track, 0))) == pytest.approx(exact, rel=2e-5)
    ten_percent = shapely.area(swept.swept_plane(track, factor=1.1)) / 1e6
    assert ten_percent > exact * 1.05


def test_poles_and_nonsense_are_refused() -> None:
    with pytest.raises(GeometryError, match="pole"):
        swept.swept_area([fix(0, 89.5, 200.0), fix(10, 89.5, 200.0, 6)])
    with pytest.raises(GeometryError):
        swept.swept_area([fix(0, np.nan, 200.0), fix(10, 5, 200.0, 6)])
