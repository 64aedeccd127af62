"""Distances and neighbours against Karney's golden values, slow minimisation and brute force."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from pyproj import Geod
from scipy.optimize import minimize

from multiglobeqa.errors import GeometryError
from multiglobeqa.geo import distance, nearest
from multiglobeqa.geo.awkward import VALID
from multiglobeqa.geo.topology import split_antimeridian

GEOD = Geod(ellps="WGS84")
LON = st.floats(-180, 180)
LAT = st.floats(-90, 90)
NAMES = [n for n in VALID if not n.startswith("cap")]  # caps tie with every parallel: right, but slow


def rows(geometry: Any) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Edges (n, 4) of all parts and rings; a point is an edge without length."""
    out = []
    for part in shapely.get_parts(geometry):
        rings = shapely.get_rings(part) if part.geom_type == "Polygon" else [part]
        for ring in rings:
            c = shapely.get_coordinates(ring)
            out.append(np.hstack([c[:-1], c[1:]]) if len(c) > 1 else np.hstack([c, c]))
    return np.vstack(out)


def slow_distance_km(a: Any, b: Any) -> float:
    """Samples on all edges, then a bounded minimisation over the edge parameters from the best starts."""
    if shapely.intersects(a, b):
        return 0.0
    ea, eb = rows(a), rows(b)
    t = np.linspace(0, 1, 33)

    def along(e: Any, at: Any) -> Any:
        return e[..., :2] + at[..., None] * (e[..., 2:] - e[..., :2])

    pa = along(ea[:, None, :], np.broadcast_to(t, (len(ea), 33))).reshape(-1, 2)
    pb = along(eb[:, None, :], np.broadcast_to(t, (len(eb), 33))).reshape(-1, 2)
    i, j = (v.ravel() for v in np.meshgrid(np.arange(len(pa)), np.arange(len(pb)), indexing="ij"))
    d = np.asarray(GEOD.inv(*pa[i].T, *pb[j].T)[2])
    best = float(d.min())
    for k in np.argsort(d, kind="stable")[:60:10]:
        x, y = ea[i[k] // 33], eb[j[k] // 33]

        def metres(s: Any, x: Any = x, y: Any = y) -> float:
            p, q = along(x, np.array(s[0])), along(y, np.array(s[1]))
            return float(GEOD.inv(*p, *q)[2])

        start = [t[i[k] % 33], t[j[k] % 33]]
        for method in ("L-BFGS-B", "Nelder-Mead"):
            best = min(best, float(minimize(metres, start, bounds=[(0, 1)] * 2, method=method).fun))
    return best / 1000


def test_golden_distances() -> None:
    # Wellington to Salamanca, and JFK to LHR: the examples in the documentation of GeographicLib
    assert distance.distance_km(174.81, -41.32, -5.50, 40.96) == pytest.approx(19959.67926735382, abs=1e-9)
    assert distance.distance_km(-73.8, 40.6, -0.5, 51.6) == pytest.approx(5551.759400, abs=1e-6)
    k035 = distance.distance_km(8.570556, 50.033333, 11.786111, 48.353889)
    assert k035 == pytest.approx(299.648, abs=5e-4)
    assert distance.distance_km(10, 60, 11, 60) == pytest.approx(55.799, abs=5e-4)  # K037
    k038 = distance.distance_km(179.9, -17, [179.5, -179.9], -17)
    assert k038 == pytest.approx([42.594, 21.297], abs=5e-4)
    assert nearest.PointIndex([179.5, -179.9], [-17, -17]).k_nearest([179.9], [-17], 1)[0].item() == 1
    assert distance.distance_km(0, 90, 0, -90) == pytest.approx(20003.931459, abs=1e-6)
    assert distance.distance_km(180, 5, -180, 5) == 0
    assert distance.distance_km(12, 90, 99, 90) == 0


def test_boundary_of_the_unit_box() -> None:  # K040
    km, inside = distance.boundary_distance_km(shapely.Point(0.5, 0.5), VALID["box"])
    assert (round(float(km), 3), bool(inside)) == (55.287, True)
    assert distance.geometry_distance_km(shapely.Point(0.5, 0.5), VALID["box"]) == 0
    km, inside = distance.boundary_distance_km(shapely.Point(2, 2), VALID["hole"])
    assert not inside and km == pytest.approx(110.574, abs=0.05)


def test_boundary_leaves_out_the_seam() -> None:
    points = [shapely.Point(180, 0.5), shapely.Point(-180, 0.5), shapely.Point(179.9, 0.5)]
    km, inside = distance.boundary_distance_km(points, VALID["box over 180"])
    assert inside.all()
    assert km == pytest.approx([55.287] * 3, abs=0.01)
    km, inside = distance.boundary_distance_km(shapely.Point(77, 90), VALID["cap on the north pole"])
    assert inside and km == pytest.approx(float(distance.distance_km(0, 90, 0, 80)), abs=2e-4)
    km, inside = distance.boundary_distance_km(shapely.Point(-180, 0.5), VALID["box that ends at 180"])
    assert inside
    with pytest.raises(GeometryError, match="no boundary"):
        distance.boundary_distance_km(shapely.Point(0, 0), shapely.box(-180, -90, 180, 90))


def test_azimuths() -> None:
    assert distance.azimuth_deg(-73.778925, 40.639751, 4.763889, 52.308613) == pytest.approx(49.0, abs=0.1)
    assert distance.azimuth_deg(0, 0, [0, 1, 0, -1], [1, 0, -1, 0]).tolist() == [0, 90, 180, 270]
    assert distance.azimuth_deg(179, 0, -179, 0) == 90
    assert np.isnan(distance.azimuth_deg(5, 5, 5, 5))
    lon, lat = distance.destination(179.5, -17, 90, 200)
    assert lon < -178 and distance.distance_km(179.5, -17, lon, lat) == pytest.approx(200, abs=1e-9)


def test_rhumb() -> None:
    assert distance.rhumb_azimuth_deg(
        [0, 0, 170, 10], [50, 50, 10, -5], [40, 0, -170, 10], [50, 60, 10, -9]
    ) == (pytest.approx([90, 0, 90, 180]))
    # a rhumb line crosses all meridians at one angle: the midpoint in isometric latitude lies on it
    whole = float(distance.rhumb_azimuth_deg(-5, 50, 30, 60))
    lon, lat = -5.0, 50.0
    for _ in range(3000):
        if lat >= 60:
            break
        lon, lat = (float(v) for v in distance.destination(lon, lat, whole, 2.0))
    assert lon == pytest.approx(30, abs=0.1)
    assert np.isnan(distance.rhumb_azimuth_deg(3, 4, 3, 4))
    assert distance.rhumb_azimuth_deg(3, 4, 50, 90) == 0


@given(LON, LAT, LON, LAT, LON, LAT)
@settings(max_examples=80, deadline=None)
def test_symmetry_and_triangle(x1: float, y1: float, x2: float, y2: float, x3: float, y3: float) -> None:
    ab = distance.distance_km(x1, y1, x2, y2)
    assert ab == pytest.approx(float(distance.distance_km(x2, y2, x1, y1)), abs=1e-9)
    assert ab <= distance.distance_km(x1, y1, x3, y3) + distance.distance_km(x3, y3, x2, y2) + 1e-7
    assert 0 <= ab <= 20004


def test_every_pair_of_the_catalogue() -> None:
    rng = np.random.default_rng(5)
    pairs = [tuple(rng.choice(len(NAMES), 2)) for _ in range(60)]
    a = np.array([VALID[NAMES[i]] for i, _ in pairs], dtype=object)
    b = np.array([VALID[NAMES[j]] for _, j in pairs], dtype=object)
    km = distance.geometry_distance_km(a, b)
    assert km == pytest.approx(distance.geometry_distance_km(b, a), abs=2e-4)
    for k in rng.choice(len(pairs), 15, replace=False):
        slow = slow_distance_km(a[k], b[k])
        assert km[k] == pytest.approx(slow, rel=1e-5, abs=5e-4), (NAMES[pairs[k][0]], NAMES[pairs[k][1]])


def test_seam_pieces_touch() -> None:
    east, west = VALID["box over 180"].geoms
    assert distance.geometry_distance_km(east, west) == 0
    assert distance.geometry_distance_km(VALID["point at 180"], VALID["point at -180"]) == 0
    assert distance.geometry_distance_km(shapely.box(179, 0, 179.5, 1), shapely.box(-179.5, 0, -179, 1)) == (
        pytest.approx(float(distance.distance_km(179.5, 1, -179.5, 1)), rel=1e-6)
    )


@given(
    x=st.floats(-179, 179),
    y=st.floats(-88, 88),
    dx=st.floats(-3, 3),
    dy=st.floats(-1.5, 1.5),
    turn=st.floats(0, 360),
)
@settings(max_examples=12, deadline=None)
def test_distance_to_a_ring_is_that_of_minimisation(
    x: float, y: float, dx: float, dy: float, turn: float
) -> None:
    angle = np.radians(turn + np.array([0, 70, 130, 200, 290]))
    ring = shapely.Polygon(np.column_stack([x + 0.9 * np.cos(angle), y + 0.4 * np.sin(angle)]))
    geometry = split_antimeridian(ring).item()
    point = shapely.Point(float(np.mod(x + dx + 180, 360) - 180), float(np.clip(y + dy, -90, 90)))
    km, inside = distance.boundary_distance_km(point, geometry)
    edges = [e for e in rows(geometry) if not (abs(e[0]) == 180 and e[0] == e[2])]
    slow = slow_distance_km(point, shapely.multilinestrings([e.reshape(2, 2) for e in edges]))
    assert km == pytest.approx(slow, rel=1e-5, abs=5e-4)
    assert inside == (distance.geometry_distance_km(point, geometry) == 0)


def test_points_against_real_countries(countries: dict[str, Any]) -> None:
    rng = np.random.default_rng(1)
    for name in ("Russia", "Antarctica", "Lesotho"):
        country = countries[name]
        lon, lat = rng.uniform(-180, 180, 40), np.degrees(np.arcsin(rng.uniform(-1, 1, 40)))
        km = distance.geometry_distance_km(shapely.points(lon, lat), country)
        xy = shapely.get_coordinates(country)
        vertex = np.array(
            [
                GEOD.inv(*np.broadcast_to([x, y], xy.shape).T, *xy.T)[2].min()
                for x, y in zip(lon, lat, strict=True)
            ]
        )
        inside = shapely.intersects_xy(country, lon, lat)
        assert (km[inside] == 0).all()
        outside = ~inside
        # edges are short here: the nearest vertex bounds the distance from above, closely
        assert (km[outside] <= vertex[outside] / 1000 + 1e-6).all()
        assert km[outside] == pytest.approx(vertex[outside] / 1000, rel=0.05, abs=40)


def test_real_borders_and_straits(countries: dict[str, Any]) -> None:
    between = distance.geometry_distance_km(
        [countries["Russia"], countries["Lesotho"], countries["Canada"]],
        [countries["United States of America"], countries["South Africa"], countries["Greenland"]],
    )
    assert 3.5 < between[0] < 4.5  # Big and Little Diomede
    assert between[1] == 0
    assert between[2] == 0 or 15 < between[2] < 30  # Hans island or Nares strait


def brute(a: Any, b: Any) -> Any:
    i, j = (v.ravel() for v in np.meshgrid(np.arange(len(a)), np.arange(len(b)), indexing="ij"))
    return distance.geometry_distance_km(a[i], b[j]).reshape(len(a), len(b))


@given(st.integers(0, 10_000), st.integers(1, 12))
@settings(max_examples=25, deadline=None)
def test_nearest_points_are_those_of_brute_force(seed: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 80))
    lon = np.concatenate([rng.uniform(-180, 180, n), rng.choice([180.0, -180.0, 179.99], n)])
    lat = np.concatenate([rng.uniform(-90, 90, n), rng.choice([90.0, -90.0, 0.0, 89.99], n)])
    qx, qy = lon[:10] + rng.uniform(-0.001, 0.001, min(10, 2 * n)) * (np.abs(lon[:10]) < 179), lat[:10]
    d = distance.distance_km(qx[:, None], qy[:, None], lon[None], lat[None])
    order = np.lexsort((np.broadcast_to(np.arange(2 * n), d.shape), d), axis=1)[:, :k]
    index, km = nearest.PointIndex(lon, lat).k_nearest(qx, qy, k)
    got = min(k, 2 * n)
    assert index[:, :got].tolist() == order[:, :got].tolist()
    assert km[:, :got] == pytest.approx(np.take_along_axis(d, order, axis=1)[:, :got], abs=1e-9)
    assert (index[:, got:] == -1).all() and np.isinf(km[:, got:]).all()
    radius = float(rng.choice([0.0, 1.0, 500.0, 5000.0, 20004.0]))
    left, right, km = nearest.PointIndex(lon, lat).within(qx, qy, radius)
    assert set(zip(left.tolist(), right.tolist(), strict=True)) == set(
        zip(*map(list, np.nonzero(d <= radius)), strict=True)
    )
    assert (np.lexsort((right, km, left)) == np.arange(len(left))).all()


def test_geometry_neighbours_are_those_of_brute_force() -> None:
    wide = ("cap", "wide", "parallel", "pole", "hole across")
    geoms = np.array([g for n, g in VALID.items() if not any(w in n for w in wide)], dtype=object)
    d = brute(geoms, geoms)
    assert (np.diag(d) == 0).all()
    for radius in (0.0, 1.0, 150.0, 3000.0):
        left, right, km = nearest.geometry_within(geoms, geoms, radius)
        assert set(zip(left, right, strict=True)) == set(zip(*np.nonzero(d <= radius), strict=True))
        assert km == pytest.approx(d[left, right], abs=1e-9)
    for k in (1, 4, len(geoms) + 2):
        index, km = nearest.geometry_k_nearest(geoms, geoms, k)
        order = np.lexsort((np.broadcast_to(np.arange(len(geoms)), d.shape), d), axis=1)[:, :k]
        assert index[:, : len(geoms)].tolist() == order.tolist()
        assert km[:, : len(geoms)] == pytest.approx(np.take_along_axis(d, order, axis=1), abs=1e-9)


def test_a_radius_for_each_and_nothing_to_find() -> None:
    points = [shapely.Point(0, 0), shapely.Point(10, 0)]
    left, right, _ = nearest.geometry_within(points, [VALID["box"]], [0.0, 999.0])
    assert (left.tolist(), right.tolist()) == ([0], [0])
    assert [len(v) for v in nearest.geometry_within(points, [], 5)] == [0, 0, 0]
    assert nearest.geometry_k_nearest(points, [], 2)[0].tolist() == [[-1, -1], [-1, -1]]
    assert [len(v) for v in nearest.PointIndex([], []).within([1], [1], 5)] == [0, 0, 0]
    for bad in (-1.0, np.nan):
        with pytest.raises(GeometryError, match="radius"):
            nearest.PointIndex([0], [0]).within([0], [0], bad)
    with pytest.raises(GeometryError, match="at least 1"):
        nearest.PointIndex([0], [0]).k_nearest([0], [0], 0)
