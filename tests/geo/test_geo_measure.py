"""Areas, lengths, centroids and boxes against pyproj, hand-computed values and invariances."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from pyproj import Geod, Transformer

from multiglobeqa.geo import distance, measure
from multiglobeqa.geo.awkward import RAW, VALID
from multiglobeqa.geo.topology import split_antimeridian

GEOD = Geod(ellps="WGS84")
EARTH_KM2 = 510_065_621.724
SURFACES = {n: g for n, g in VALID.items() if shapely.get_dimensions(g) == 2}


def slow_area_km2(geometry: Any) -> float:
    """Karney's area of rings whose edges are cut to 0.02 degrees, so that they follow the lon-lat
    segments.
    """
    total = 0.0
    for part in shapely.get_parts(geometry):
        for k, ring in enumerate([part.exterior, *part.interiors]):
            step = max(0.0005, shapely.length(ring) / 20_000)
            x, y = shapely.get_coordinates(shapely.segmentize(ring, min(step, 0.02))).T
            total += (1 if k == 0 else -1) * abs(GEOD.polygon_area_perimeter(x, y)[0]) / 1e6
    return total


def slow_length_km(line: Any) -> float:
    return float(GEOD.geometry_length(shapely.segmentize(line, 0.01))) / 1000


def slow_centroid(geometry: Any) -> tuple[float, float]:
    """Centroid on PROJ's Lambert plane, centred again and again."""
    dense = shapely.segmentize(geometry, 0.02)
    lon, lat = (float(v) for v in shapely.get_coordinates(geometry)[0])
    for _ in range(40):
        crs = f"+proj=laea +lon_0={lon!r} +lat_0={lat!r} +ellps=WGS84"
        there = Transformer.from_crs("OGC:CRS84", crs, always_xy=True)
        plane = shapely.transform(dense, lambda xy, t=there: np.column_stack(t.transform(xy[:, 0], xy[:, 1])))
        c = shapely.get_coordinates(shapely.centroid(plane))[0]
        lon, lat = there.transform(c[0], c[1], direction="INVERSE")
        if np.hypot(*c) < 0.01:
            break
    return lon, lat


@pytest.mark.parametrize("name", [n for n in SURFACES if n != "sliver"])
def test_area_of_the_catalogue(name: str) -> None:
    assert measure.area_km2(SURFACES[name]) == pytest.approx(slow_area_km2(SURFACES[name]), rel=2e-6)


def test_area_of_a_sliver() -> None:
    # half of 10 by 1e-6 degrees on the equator, where a degree is 111.3195 km by 110.5743 km
    assert measure.area_km2(VALID["sliver"]) == pytest.approx(0.5 * 1113.1949 * 110.57428e-6, rel=1e-5)


def test_golden_areas() -> None:
    assert measure.area_km2(shapely.box(0, 0, 1, 1)) == pytest.approx(12308.4639, rel=1e-7)
    k041 = shapely.Polygon([(-180, 60), (-180, 60.1), (-179.9, 60.1), (-179.9, 60)])
    assert measure.area_km2(k041) == pytest.approx(62.0747, abs=1e-4)
    k044 = split_antimeridian(shapely.from_wkt("POLYGON((179 0,179 1,-179 1,-179 0,179 0))"))
    assert measure.area_km2(k044) == pytest.approx(2 * 12308.4639, rel=1e-7)
    assert measure.area_km2(k044) == pytest.approx(24619.44, rel=2e-4)  # K044, whose long edge is a geodesic
    halves = [shapely.box(a, b, a + 90, b + 90) for a in (-180, -90, 0, 90) for b in (-90, 0)]
    assert measure.area_km2(halves).sum() == pytest.approx(EARTH_KM2, rel=1e-11)


def test_holes_count_off_whatever_their_direction() -> None:
    same = measure.area_km2([VALID["hole"], VALID["hole, same direction as the shell"]])
    assert same[0] == same[1]
    assert same[0] + measure.area_km2(VALID["enclave"]) == pytest.approx(
        measure.area_km2(shapely.box(0, 0, 4, 4))
    )


@given(
    west=st.floats(-180, 170),
    south=st.floats(-90, 80),
    width=st.floats(0.01, 10),
    height=st.floats(0.01, 10),
    cut=st.floats(0.1, 0.9),
)
@settings(max_examples=60, deadline=None)
def test_area_is_additive(west: float, south: float, width: float, height: float, cut: float) -> None:
    slope = south + height * cut
    whole = shapely.box(west, south, west + width, south + height)
    lower = shapely.Polygon(
        [(west, south), (west + width, south), (west + width, slope), (west, south + height / 2)]
    )
    upper = shapely.Polygon(
        [
            (west, south + height / 2),
            (west + width, slope),
            (west + width, south + height),
            (west, south + height),
        ]
    )
    parts = measure.area_km2([lower, upper])
    assert parts.sum() == pytest.approx(float(measure.area_km2(whole)), rel=1e-8)


@pytest.mark.parametrize("name", [n for n, g in VALID.items() if shapely.get_dimensions(g) == 1])
def test_length_of_the_catalogue(name: str) -> None:
    assert measure.length_km(VALID[name]) == pytest.approx(slow_length_km(VALID[name]), rel=1e-7)


def test_length_follows_the_parallel() -> None:
    # a parallel is a circle of radius a cos(lat) / sqrt(1 - e² sin²(lat)): 40 degrees of it at 60 north
    radius = 6378.137 * 0.5 / np.sqrt(1 - 0.00669437999014 * 0.75)
    expected = radius * np.radians(40)
    assert measure.length_km(VALID["line along a parallel at 60"]) == pytest.approx(expected, rel=1e-10)


def test_perimeter_leaves_out_the_seam() -> None:
    whole = measure.perimeter_km(shapely.box(-1, 0, 1, 1))
    assert measure.perimeter_km(VALID["box over 180"]) == pytest.approx(float(whole), rel=1e-9)
    circle = (
        2
        * np.pi
        * 6378.137
        * np.cos(np.radians(80))
        / np.sqrt(1 - 0.00669437999014 * np.sin(np.radians(80)) ** 2)
    )
    assert measure.perimeter_km(VALID["cap on the north pole"]) == pytest.approx(circle, rel=1e-9)
    assert measure.perimeter_km(shapely.box(-180, -90, 180, 90)) == 0


def test_perimeter_with_and_without_holes() -> None:
    with_holes, without = (measure.perimeter_km(VALID["hole"], holes=h) for h in (True, False))
    assert with_holes - without == pytest.approx(float(measure.perimeter_km(VALID["enclave"])), rel=1e-9)
    assert without == pytest.approx(slow_length_km(VALID["hole"].exterior), rel=1e-7)


PLAIN = [n for n in VALID if not any(w in n for w in ("180", "antimeridian", "pole", "points"))]


@pytest.mark.parametrize("name", [n for n in PLAIN if n in SURFACES])
def test_centroid_is_that_of_projs_lambert_plane(name: str) -> None:
    lon, lat = measure.centroid(VALID[name])
    expected = slow_centroid(VALID[name])
    assert distance.distance_km(lon, lat, *expected) < 0.002


def test_centroid_of_a_line_weighs_by_length() -> None:
    lon, lat = measure.centroid(VALID["line in two parts"])
    parts = []
    for part in VALID["line in two parts"].geoms:
        c = shapely.get_coordinates(shapely.segmentize(part, 0.001))
        km = np.asarray(GEOD.inv(*c[:-1].T, *c[1:].T)[2]) / 1000
        parts.append(np.column_stack([(c[:-1] + c[1:]) / 2, km]))
    x, y, km = np.vstack(parts).T
    plane = Transformer.from_crs(
        "OGC:CRS84", f"+proj=laea +lon_0={lon} +lat_0={lat} +ellps=WGS84", always_xy=True
    )
    east, north = plane.transform(x, y)
    assert np.hypot(np.average(east, weights=km), np.average(north, weights=km)) < 2.0


def test_centroids_at_the_seam_and_the_poles() -> None:
    lon, lat = measure.centroid(VALID["box over 180"])
    assert abs(lon) == pytest.approx(180, abs=1e-9)
    lon, lat = measure.centroid(VALID["points"])
    assert abs(lon) == pytest.approx(180, abs=1e-9)
    lon, lat = measure.centroid(VALID["cap on the north pole"])
    assert lat == pytest.approx(90, abs=1e-6)
    lon, lat = measure.centroid(VALID["line across the antimeridian"])
    assert distance.distance_km(lon, lat, 180, 10.5) < 0.2
    for name in ("point", "point at 180", "point at the south pole"):
        xy = shapely.get_coordinates(VALID[name])[0]
        assert tuple(float(v) for v in measure.centroid(VALID[name])) == tuple(xy)


def test_centroid_of_the_wide_box_is_not_the_planar_one() -> None:
    lon, lat = measure.centroid(VALID["box, wide at high latitude"])
    assert distance.distance_km(lon, lat, 15, 67.5) == pytest.approx(61, abs=1)  # 61 km by ENGINE-FACTS


@pytest.mark.parametrize("turn", [170.37, 178.871, -177.77])
def test_a_turn_across_the_antimeridian_changes_no_measure(turn: float) -> None:
    here = np.array([VALID[n] for n in PLAIN], dtype=object)
    there = split_antimeridian(shapely.transform(here, lambda xy: np.add(xy, [turn, 0.0])))
    assert shapely.is_valid(there).all()
    for kernel in (measure.area_km2, measure.length_km, measure.perimeter_km, measure.main_share):
        assert kernel(there) == pytest.approx(kernel(here), rel=1e-8, abs=1e-9), kernel.__name__
    (lon1, lat1), (lon2, lat2) = measure.centroid(here), measure.centroid(there)
    gap = distance.distance_km(np.mod(lon1 + turn + 180, 360) - 180, lat1, lon2, lat2)
    assert gap.max() < 1e-4
    w1, s1, e1, n1 = measure.bounds(here)
    w2, s2, e2, n2 = measure.bounds(there)
    assert np.mod(w2 - w1 - turn + 1, 360) == pytest.approx(1, abs=1e-9)
    assert np.mod(e2 - e1 - turn + 1, 360) == pytest.approx(1, abs=1e-9)
    assert (s1.tolist(), n1.tolist()) == (s2.tolist(), n2.tolist())


def test_bounds_go_the_short_way() -> None:
    def of(g: Any) -> tuple[float, ...]:
        return tuple(float(v) for v in measure.bounds(g))

    assert of(VALID["box over 180"]) == (179, 0, -179, 1)
    assert of(VALID["box that ends at 180"]) == (179, 0, 180, 1)
    assert of(VALID["three parts round 180"]) == (176.9, -18.3, -179.7, -16.1)
    assert of(VALID["points"]) == (179.5, -17, -179.5, -17)
    assert of(VALID["cap on the south pole"]) == (-180, -90, 180, -70)
    assert of(VALID["parts far apart"]) == (-80, 10, 76, 11)
    assert of(split_antimeridian(RAW["jumping line"])) == (179, 10, -179, 11)


def test_main_share() -> None:
    assert measure.main_share(VALID["box over 180"]) == 1
    assert measure.main_share(VALID["line across the antimeridian"]) == 1
    assert measure.main_share(VALID["parts"]) == pytest.approx(0.5)
    assert measure.main_share(VALID["box"]) == 1
    assert measure.main_share(VALID["points, duplicates"]) == pytest.approx(1 / 3)
    parts = list(VALID["three parts round 180"].geoms)
    area = measure.area_km2(parts)
    assert measure.main_share(VALID["three parts round 180"]) == pytest.approx(area[0] / area.sum())
    two = shapely.MultiPolygon([parts[1], parts[2]])
    assert measure.main_share(two) == 1


def test_real_countries(countries: dict[str, Any]) -> None:
    names = list(countries)
    geoms = np.array([countries[n] for n in names], dtype=object)
    area = dict(zip(names, measure.area_km2(geoms), strict=True))
    for name in ("Luxembourg", "Lesotho", "Fiji", "New Zealand", "Russia"):
        karney = sum(
            (1 if k == 0 else -1) * abs(GEOD.polygon_area_perimeter(*shapely.get_coordinates(ring).T)[0])
            for part in shapely.get_parts(countries[name])
            for k, ring in enumerate([part.exterior, *part.interiors])
        )
        assert area[name] == pytest.approx(karney / 1e6, rel=1e-5), name
    lon, lat = measure.centroid(geoms)
    at = dict(zip(names, zip(lon, lat, strict=True), strict=True))
    assert at["Fiji"][0] > 177 and -18.5 < at["Fiji"][1] < -16
    assert at["Antarctica"][1] < -80
    assert 90 < at["Russia"][0] < 105 and 60 < at["Russia"][1] < 70
    west, _, east, _ = (dict(zip(names, v, strict=True)) for v in measure.bounds(geoms))
    assert west["Russia"] == pytest.approx(19.6, abs=0.1) and east["Russia"] == pytest.approx(-169, abs=0.1)
    assert 174 < west["Fiji"] < 178 and -179 < east["Fiji"] < -177
    assert 172 < west["United States of America"] < 173 and -67.1 < east["United States of America"] < -66.8
    assert (west["Antarctica"], east["Antarctica"]) == (-180, 180)
    share = dict(zip(names, measure.main_share(geoms), strict=True))
    assert share["Russia"] > 0.95 > share["United States of America"]
    assert share["Luxembourg"] == 1
    stored = sum(slow_length_km(shapely.LineString(c)) for c in _seam_pieces(countries["Antarctica"]))
    whole = shapely.length(shapely.boundary(countries["Antarctica"]))
    assert stored > 1200 and whole > 360
    outline = slow_outline_km(countries["Antarctica"])
    assert measure.perimeter_km(countries["Antarctica"]) == pytest.approx(outline, rel=1e-6)


def on_180(lon: Any) -> Any:
    return np.isclose(np.abs(lon), 180, rtol=0, atol=1e-9)


def _seam_pieces(geometry: Any) -> list[Any]:
    out = []
    for ring in shapely.get_rings(shapely.get_parts(geometry)):
        c = shapely.get_coordinates(ring)
        out += [c[i : i + 2] for i in range(len(c) - 1) if on_180(c[i, 0]) and on_180(c[i + 1, 0])]
    return out


def slow_outline_km(geometry: Any) -> float:
    """Karney length of the edges that are neither on the seam nor on the pole."""
    total = 0.0
    for ring in shapely.get_rings(shapely.get_parts(geometry)):
        c = shapely.get_coordinates(ring)
        p, q = c[:-1], c[1:]
        seam = (on_180(p[:, 0]) & on_180(q[:, 0])) | ((p[:, 1] == -90) & (q[:, 1] == -90))
        total += GEOD.inv(*p[~seam].T, *q[~seam].T)[2].sum() / 1000
    return float(total)
