"""Boxes and runs before splitting: the same answers as splitting every edge of every geometry."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import shapely
from pyproj import Geod
from scipy.spatial import cKDTree

from multiglobeqa.errors import GeometryError
from multiglobeqa.geo import boxes, distance, nearest, pieces, topology
from multiglobeqa.geo.awkward import INVALID, VALID
from multiglobeqa.geo.edges import boundary_lines, densify, densify_rows, edges
from multiglobeqa.geo.ellipsoid import A_KM, B_KM, angle, chord, unit_vectors

GEOD = Geod(ellps="WGS84")
Array = np.ndarray[Any, Any]


class Split:
    """All edges of one geometry, split; the reference knows neither boxes of geometries nor runs."""

    def __init__(self, geometry: Any) -> None:
        e = densify(edges(np.array([geometry], dtype=object)), pieces.PIECE_KM, pieces.SAGITTA_KM)
        self.start, self.end = np.column_stack([e.lon1, e.lat1]), np.column_stack([e.lon2, e.lat2])
        u, v = unit_vectors(e.lon1, e.lat1), unit_vectors(e.lon2, e.lat2)
        self.half = float(np.linalg.norm(u - v, axis=1).max()) / 2 + 1e-6
        self.tree = cKDTree((u + v) / 2)
        self.vertices = np.unique(np.vstack([self.start, self.end]), axis=0)

    def from_vertices_of(self, other: Split) -> float:
        """Least km from the other's vertices to these pieces: all pieces that can hold it are measured."""
        u = unit_vectors(*other.vertices.T)
        gap = self.tree.query(u)[0]
        most = A_KM * angle(gap.min() + self.half)
        near = np.flatnonzero(gap - self.half <= chord(most / B_KM) + 1e-9)
        best = np.inf
        for some in np.array_split(near, len(near) // 200 + 1):
            hits = self.tree.query_ball_point(u[some], chord(most / B_KM) + self.half + 1e-9)
            i = np.repeat(some, [len(h) for h in hits])
            if len(i):
                at = np.concatenate(hits).astype(int)
                best = min(best, float(piece_km(other.vertices[i], self.start[at], self.end[at]).min()))
        return best


def piece_km(p: Array, start: Array, end: Array) -> Array:
    """Points to pieces on the azimuthal-equidistant plane of the point; beyond 5,000 km to the ends."""
    az1, _, d1 = (np.asarray(v) for v in GEOD.inv(*p.T, *start.T))
    az2, _, d2 = (np.asarray(v) for v in GEOD.inv(*p.T, *end.T))
    x1, y1 = d1 * np.sin(np.radians(az1)), d1 * np.cos(np.radians(az1))
    dx, dy = d2 * np.sin(np.radians(az2)) - x1, d2 * np.cos(np.radians(az2)) - y1
    length2 = dx * dx + dy * dy
    t = np.clip(-(x1 * dx + y1 * dy) / np.where(length2 > 0, length2, 1.0), 0, 1)
    ends = np.minimum(d1, d2)
    plane = np.hypot(x1 + t * dx, y1 + t * dy)
    return np.asarray(np.where(ends > 5e6, ends, np.minimum(ends, plane)) / 1000)


_split: dict[int, tuple[Any, Split]] = {}


def split(geometry: Any) -> Split:
    if id(geometry) not in _split:
        _split[id(geometry)] = geometry, Split(geometry)
    return _split[id(geometry)][1]


def reference_km(a: Any, b: Any, limit: float = np.inf) -> float:
    """Least km; infinite where it is beyond the limit for certain."""
    if shapely.intersects(a, b):
        return 0.0
    sa, sb = split(a), split(b)
    gap = float(sa.tree.query(unit_vectors(*sb.vertices.T))[0].min())
    least = B_KM * angle(gap - sa.half - 2 * sb.half)  # a point of b is at most 2 half from a vertex
    if least > limit:
        return float(np.inf)
    km = min(sa.from_vertices_of(sb), sb.from_vertices_of(sa))
    return 0.0 if km < distance.CONTACT_KM else km


def reference(a: Any, b: Any, limit: float = np.inf) -> Array:
    return np.array([[reference_km(x, y, limit) for y in b] for x in a])


def agrees(a: Any, b: Any, km: Array, radius: float) -> None:
    left, right, got = nearest.geometry_within(a, b, radius)
    assert set(zip(left.tolist(), right.tolist(), strict=True)) == set(
        zip(*(v.tolist() for v in np.nonzero(km <= radius)), strict=True)
    ), radius
    assert got == pytest.approx(km[left, right], rel=1e-9, abs=1e-9)
    assert (np.lexsort((right, got, left)) == np.arange(len(left))).all()


def test_the_catalogue_within_any_radius() -> None:
    geoms = np.array(list(VALID.values()), dtype=object)
    km = reference(geoms, geoms, 400.0)
    for radius in (0.0, 1e-7, 0.5, 60.0, 400.0):
        agrees(geoms, geoms, km, radius)


def test_boundaries_of_the_catalogue() -> None:
    rng = np.random.default_rng(6)
    geoms = np.array(list(VALID.values()), dtype=object)
    surfaces = geoms[shapely.get_dimensions(geoms) == 2]
    assert not shapely.is_empty(boundary_lines(surfaces)).any()
    i, j = rng.integers(len(geoms), size=60), rng.integers(len(surfaces), size=60)
    got, _ = distance.boundary_distance_km(geoms[i], surfaces[j])
    lines = boundary_lines(surfaces)
    slow = [reference_km(a, b) for a, b in zip(geoms[i], lines[j], strict=True)]
    assert got == pytest.approx(slow, rel=1e-9, abs=1e-9)
    got = distance.geometry_distance_km(geoms[i], surfaces[j])
    slow = [reference_km(a, b) for a, b in zip(geoms[i], surfaces[j], strict=True)]
    assert got == pytest.approx(slow, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_boxes_over_the_antimeridian_and_at_the_poles(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = 14
    west = rng.choice([179.0, 180.0, -180.0, 178.5, -179.9, 170.0], n) + rng.choice([0, 0.3, 4.0], n)
    width = rng.choice([1e-6, 0.2, 3.0, 40.0, 200.0], n)
    south = rng.choice([-90.0, -89.9, -17.0, 0.0, 66.0, 84.0, 89.5], n)
    north = np.minimum(south + rng.choice([1e-6, 0.2, 2.0], n), 90.0)
    shapes = boxes.box(west, south, west + width, north)
    lon = rng.choice([180.0, -180.0, 179.99, -179.5, 0.0, 77.0], n)
    lat = np.clip(rng.choice([90.0, -90.0, 89.0, -16.9, 66.1], n) + rng.uniform(-0.5, 0.5, n), -90, 90)
    mixed = np.concatenate([shapes, np.asarray(shapely.points(lon, lat), dtype=object)])
    km = reference(mixed, shapes, 500.0)
    for radius in (0.0, 3.0, 45.0, 500.0):
        agrees(mixed, shapes, km, radius)
    rows, columns = np.nonzero((km > 0) & (km < 500))
    for k in rng.choice(len(rows), 5):  # one pair lies exactly at the radius, as measured
        i, j = rows[k], columns[k]
        radius = distance.geometry_distance_km(mixed[i], shapes[j]).item()
        left, right, got = nearest.geometry_within(mixed, shapes, radius)
        assert ((left == i) & (right == j)).any()
        assert got.tolist() == distance.geometry_distance_km(mixed[left], shapes[right]).tolist()
        left, right, _ = nearest.geometry_within(mixed, shapes, np.nextafter(radius, 0))
        assert not ((left == i) & (right == j)).any()


def test_widened_boxes_hold_every_point_within_the_radius() -> None:
    rng = np.random.default_rng(3)
    n = 3000
    south = rng.choice([-90.0, -89.999, -45.0, 0.0, 60.0, 85.0, 89.99], n)
    north = np.minimum(south + rng.choice([0.0, 1e-6, 1.0, 30.0, 90.0], n), 90.0)
    west = rng.uniform(-180, 180, n)
    west[::5] = rng.choice([-180.0, 180.0], len(west[::5]))
    east = np.minimum(west + rng.choice([0.0, 1e-6, 1.0, 90.0, 360.0], n), 180.0)
    km = rng.choice([0.0, 1e-3, 1.0, 80.0, 2000.0, 9990.0, 20004.0], n)
    wide, rows = nearest._widened(np.column_stack([west, south, east, north]), km)
    assert (wide[:, [0, 1]] >= [-180, -90]).all() and (wide[:, [2, 3]] <= [180, 90]).all()
    for _ in range(40):
        s, t, way = rng.choice([0.0, 0.5, 1.0], n), rng.choice([0.0, 0.5, 1.0], n), rng.uniform(0, 360, n)
        x, y = west + s * (east - west), south + t * (north - south)
        lon, lat, _ = GEOD.fwd(x, y, way, km * 1000 * rng.choice([0.5, 1.0], n))
        lon, lat = np.asarray(lon), np.asarray(lat)
        held = np.zeros(n, dtype=bool)
        inside = (wide[:, 0] <= lon[rows]) & (lon[rows] <= wide[:, 2])
        inside &= (wide[:, 1] <= lat[rows]) & (lat[rows] <= wide[:, 3])
        np.logical_or.at(held, rows, inside | (np.abs(lat[rows]) == 90))
        assert held.all()


def test_real_countries_against_each_other(countries: dict[str, Any]) -> None:
    pairs = [
        ("Russia", "United States of America"),
        ("Russia", "Greenland"),
        ("Fiji", "New Zealand"),
        ("Fiji", "Kiribati"),
        ("Antarctica", "New Zealand"),
        ("Antarctica", "South Africa"),
        ("Lesotho", "Luxembourg"),
    ]
    a, b = (np.array([countries[p[k]] for p in pairs], dtype=object) for k in (0, 1))
    km = np.array([reference_km(x, y) for x, y in zip(a, b, strict=True)])
    assert distance.geometry_distance_km(a, b) == pytest.approx(km, rel=1e-9, abs=1e-9)
    for radius in (0.0, 5.0, 30.0, 2200.0):
        left, right, got = nearest.geometry_within(a, b, radius)
        same = left == right
        assert left[same].tolist() == np.flatnonzero(km <= radius).tolist()
        assert got[same] == pytest.approx(km[left[same]], rel=1e-9, abs=1e-9)


def test_points_against_real_countries_within_a_radius(countries: dict[str, Any]) -> None:
    rng = np.random.default_rng(8)
    names = ("Russia", "Fiji", "Antarctica", "Kiribati")
    lands = np.array([countries[n] for n in names], dtype=object)
    at = [shapely.get_coordinates(g)[rng.choice(shapely.get_num_coordinates(g), 9)] for g in lands]
    xy = np.vstack([*at, [[180, -16.5], [-180, -16.5], [180, 71], [-180, 65], [0, -90], [180, -85], [0, 90]]])
    lon = np.mod(xy[:, 0] + rng.uniform(-2, 2, len(xy)) + 180, 360) - 180
    lat = np.clip(xy[:, 1] + rng.uniform(-0.6, 0.6, len(xy)), -90, 90)
    lon[-7:], lat[-7:] = xy[-7:].T
    points = np.asarray(shapely.points(lon, lat), dtype=object)
    km = reference(points, lands)
    for radius in (0.0, 1.0, 20.0, 60.0):
        agrees(points, lands, km, radius)
    agrees(lands, points, km.T, 20.0)
    _, got = nearest.geometry_k_nearest(points, lands, 2)
    assert got == pytest.approx(np.sort(km, axis=1)[:, :2], rel=1e-9, abs=1e-9)
    lines = boundary_lines(lands)
    border, inside = distance.boundary_distance_km(points[:, None], lands[None])
    assert border == pytest.approx(reference(points, lines), rel=1e-9, abs=1e-9)
    pole = lat == -90  # Antarctica ends 6e-14 degrees short of it in this data
    assert (inside | (km > 0) | pole[:, None]).all()


def test_only_edges_near_the_other_side_are_split(
    countries: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []

    def count(e: Any, *limits: float) -> Any:
        seen.append(len(e.lon1))
        return densify_rows(e, *limits)

    monkeypatch.setattr(pieces, "densify_rows", count)
    lands = np.array(list(countries.values()), dtype=object)
    total = int(shapely.get_num_coordinates(lands).sum())
    moscow, diomede = shapely.Point(37.62, 55.75), shapely.Point(-168.9, 65.8)
    left, _, _ = nearest.geometry_within([moscow, diomede], lands, 20.0)
    assert set(left.tolist()) == {0, 1}
    assert 0 < sum(seen) < total / 100


def test_errors_name_the_place_in_the_input() -> None:
    good, bad = VALID["box"], INVALID["bow-tie"]
    row = [good, good, good, bad, good, bad]
    for call in (
        lambda: distance.geometry_distance_km(row, good),
        lambda: distance.boundary_distance_km(good, row),
        lambda: topology.intersection_area_km2(row, good),
        lambda: topology.shared_boundary_km(good, row),
        lambda: topology.relate(row, good),
    ):
        with pytest.raises(GeometryError) as caught:
            call()
        assert caught.value.place == 3
    with pytest.raises(GeometryError, match="Point where"):
        topology.shared_boundary_km(shapely.Point(0, 0), good)


def test_many_points_of_one_geometry_and_rows_that_repeat() -> None:
    rng = np.random.default_rng(4)
    cloud = shapely.multipoints(np.column_stack([rng.uniform(-180, 180, 400), rng.uniform(-90, 90, 400)]))
    shape = VALID["three parts round 180"]
    km = reference_km(cloud, shape)
    assert distance.geometry_distance_km([cloud, shape] * 3, [shape, cloud] * 3) == pytest.approx([km] * 6)
    agrees([cloud], [shape, shape], np.array([[km, km]]), km + 1e-6)
    agrees([cloud], [shape], np.array([[km]]), km - 1e-3)
