"""Bad input is refused with its index; the awkward catalogue is what it says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import shapely

from multiglobeqa.errors import GeometryError, MultiGlobeQAError
from multiglobeqa.geo import cells, check, direction, distance, measure, nearest, planes, shape, topology
from multiglobeqa.geo.awkward import COORDINATES_BAD, COORDINATES_EDGE, INVALID, RAW, VALID

BOX = VALID["box"]


@pytest.mark.parametrize("bad", COORDINATES_BAD, ids=str)
def test_bad_coordinates_are_refused_by_every_kernel_with_their_index(bad: tuple[float, float]) -> None:
    lon, lat = np.array([0.0, 1.0, bad[0]]), np.array([0.0, 1.0, bad[1]])
    calls: list[Any] = [
        lambda: check.coordinates(lon, lat),
        lambda: distance.distance_km(lon, lat, 0, 0),
        lambda: distance.azimuth_deg(0, 0, lon, lat),
        lambda: distance.rhumb_azimuth_deg(lon, lat, 0, 0),
        lambda: distance.destination(lon, lat, 0, 1),
        lambda: nearest.PointIndex(lon, lat),
        lambda: nearest.PointIndex([0], [0]).within(lon, lat, 1),
        lambda: nearest.PointIndex([0], [0]).k_nearest(lon, lat, 1),
        lambda: cells.encode(lon, lat, "h3", 5),
        lambda: cells.encode(lon, lat, "s2", 5),
        lambda: cells.encode(lon, lat, "geohash", 5),
        lambda: cells.common(lon, lat, 0, 0, "s2"),
        lambda: direction.cross_track_km(lon, lat, 0, 0, 1, 1),
        lambda: planes.to_plane(np.array([BOX] * 3), lon, lat),
    ]
    for call in calls:
        with pytest.raises(GeometryError) as caught:
            call()
        assert caught.value.place == 2
        assert isinstance(caught.value, MultiGlobeQAError)


def test_edge_coordinates_are_taken() -> None:
    lon, lat = np.array(COORDINATES_EDGE).T
    assert check.coordinates(lon, lat)[0].tolist() == lon.tolist()
    assert np.isfinite(distance.distance_km(lon, lat, 10, 10)).all()
    for system in cells.SYSTEMS:
        assert cells.is_valid(cells.encode(lon, lat, system, 5), system).all()


def test_wrap_keeps_what_is_inside() -> None:
    got = check.coordinates([190.0, -190.0, 180.0, -180.0, 540.0, 360.0], 0.0, wrap=True)[0]
    assert got.tolist() == [-170.0, 170.0, 180.0, -180.0, -180.0, 0.0]


def test_text_is_refused() -> None:
    with pytest.raises(GeometryError, match="not numeric"):
        distance.distance_km(["a"], [1], 0, 0)


@pytest.mark.parametrize("name", INVALID)
def test_invalid_surfaces_are_refused_with_their_index(name: str) -> None:
    geoms = np.array([BOX, INVALID[name]], dtype=object)
    point = shapely.Point(9, 9)
    calls: list[Any] = [
        lambda: measure.area_km2(geoms),
        lambda: measure.perimeter_km(geoms),
        lambda: measure.centroid(geoms),
        lambda: measure.main_share(geoms),
        lambda: measure.bounds(geoms),
        lambda: distance.geometry_distance_km(geoms, np.array([BOX, point])),
        lambda: distance.boundary_distance_km(point, geoms),
        lambda: nearest.geometry_within(geoms, [point], 1),
        lambda: nearest.geometry_k_nearest([point], geoms, 1),
        lambda: shape.convexity(geoms),
        lambda: topology.relate(geoms, BOX),
        lambda: planes.simplify_km(geoms, 1),
    ]
    for call in calls:
        with pytest.raises(GeometryError):
            call()
    with pytest.raises(GeometryError, match="invalid") as caught:
        measure.area_km2(geoms)
    assert caught.value.place == 1


@pytest.mark.parametrize(
    ("geometry", "words"),
    [
        (shapely.Point(), "empty"),
        (shapely.Polygon(), "empty"),
        (None, "not a geometry"),
        ("POINT (1 1)", "not a geometry"),
        (shapely.GeometryCollection([BOX, shapely.Point(0, 0)]), "GeometryCollection"),
        (shapely.Point(4.9, 173.7), "axis order"),
        (shapely.Point(np.nan, 1), "empty|finite"),
        (shapely.LineString([(0, 0), (np.inf, 1)]), "finite"),
    ],
    ids=str,
)
def test_what_is_no_good_geometry_is_refused(geometry: Any, words: str) -> None:
    geoms = np.empty(2, dtype=object)
    geoms[:] = [BOX, geometry]
    with pytest.raises(GeometryError, match=words) as caught:
        measure.area_km2(geoms)
    assert caught.value.place == 1


@pytest.mark.parametrize("name", [n for n in RAW if n.startswith("jumping")])
def test_geometries_that_jump_are_refused(name: str) -> None:
    with pytest.raises(GeometryError, match="180 degrees"):
        measure.bounds(RAW[name])


def test_kinds_are_checked() -> None:
    with pytest.raises(GeometryError, match="where one of surface"):
        distance.boundary_distance_km(shapely.Point(0, 0), shapely.Point(1, 1))
    with pytest.raises(GeometryError, match="where one of line"):
        topology.crossing_points(BOX, VALID["line"])
    with pytest.raises(GeometryError, match="where one of surface"):
        shape.reock(VALID["line"])


def test_catalogue() -> None:
    assert all(g.is_valid for g in VALID.values())
    assert not any(g.is_valid for g in INVALID.values())
    assert len(check.geometries(list(VALID.values()))) == len(VALID)


def test_a_geometry_found_valid_is_not_taken_for_another() -> None:
    angle = np.linspace(0, 2 * np.pi, 300)[:-1]
    star = np.column_stack([np.cos(2 * angle), np.sin(3 * angle)])  # crosses itself
    for _ in range(50):  # freed geometries leave their place in memory to others
        good = shapely.polygons(np.column_stack([np.cos(angle), np.sin(angle)]))
        assert check.geometries([good, good]).size == 2
        assert check.geometries([good]).size == 1
        del good
        with pytest.raises(GeometryError, match="invalid geometry"):
            check.geometries([shapely.polygons(star)])
