"""Grid cells against h3, s2sphere, s2cell and pygeohash."""

from __future__ import annotations

from typing import Any

import h3
import numpy as np
import pygeohash
import pytest
import s2cell
import s2sphere
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from multiglobeqa.errors import GeometryError
from multiglobeqa.geo import cells, distance, measure
from multiglobeqa.geo.awkward import COORDINATES_EDGE, H3_PENTAGON

EARTH_KM2 = 510_065_621.724


def s2_id(lon: float, lat: float, level: int) -> int:
    return int(s2sphere.CellId.from_lat_lng(s2sphere.LatLng.from_degrees(lat, lon)).parent(level).id())


def places(n: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(3)
    lon, lat = rng.uniform(-180, 180, n), np.degrees(np.arcsin(rng.uniform(-1, 1, n)))
    grid = np.array(
        [(x, y) for x in (-135, -90, -45, 0, 45, 90, 135) for y in (-45, 0, 35.26438968275465, 45)]
    )
    return np.concatenate([lon, grid[:, 0]]), np.concatenate([lat, grid[:, 1]])


@pytest.mark.parametrize("level", [0, 1, 7, 12, 15, 23, 30])
def test_s2_equals_s2sphere_and_s2cell(level: int) -> None:
    lon, lat = places(300)
    got = cells.encode(lon, lat, "s2", level)
    assert got.dtype == np.uint64
    assert got.tolist() == [s2_id(x, y, level) for x, y in zip(lon, lat, strict=True)]
    # the grid of corners comes last: there s2cell takes another of the cells that meet
    assert cells.to_text(got[:300], "s2").tolist() == [
        s2cell.lat_lon_to_token(y, x, level) for x, y in zip(lon[:300], lat[:300], strict=True)
    ]
    assert (cells.from_text(cells.to_text(got, "s2"), "s2") == got).all()
    assert (cells.resolution(got, "s2") == level).all()
    x, y = cells.decode(got, "s2")
    truth = [s2cell.cell_id_to_lat_lon(int(c)) for c in got]
    assert y == pytest.approx([t[0] for t in truth], abs=1e-9)
    assert np.mod(x - [t[1] for t in truth] + 1, 360) == pytest.approx(1, abs=1e-9)


@given(st.floats(-180, 180), st.floats(-89.999, 89.999), st.integers(0, 30))
@settings(max_examples=100, deadline=None)
def test_s2_parent_holds_the_point(lon: float, lat: float, level: int) -> None:
    leaf = cells.s2_leaf(lon, lat)
    assert cells.parent(leaf, "s2", level) == cells.encode(lon, lat, "s2", level)
    assert int(leaf) == s2_id(-180.0 if lon == 180 else lon, lat, 30)


@pytest.mark.parametrize("res", [0, 5, 9, 15])
def test_h3_is_that_of_h3(res: int) -> None:
    lon, lat = places(100)
    got = cells.encode(lon, lat, "h3", res)
    text = cells.to_text(got, "h3").tolist()
    assert text == [h3.latlng_to_cell(y, x, res) for x, y in zip(lon, lat, strict=True)]
    assert (cells.from_text(np.char.upper(text), "h3") == got).all()
    x, y = cells.decode(got, "h3")
    assert list(zip(y, x, strict=True)) == [h3.cell_to_latlng(t) for t in text]


@pytest.mark.parametrize("length", [1, 4, 7, 12])
def test_geohash_is_that_of_pygeohash(length: int) -> None:
    lon, lat = places(200)
    got = cells.encode(lon, lat, "geohash", length)
    assert got.tolist() == [pygeohash.encode(y, x, length) for x, y in zip(lon, lat, strict=True)]
    x, y = cells.decode(got, "geohash")
    truth = [pygeohash.decode_exactly(t) for t in got.tolist()]
    assert y == pytest.approx([t.latitude for t in truth], abs=1e-12)
    assert x == pytest.approx([t.longitude for t in truth], abs=1e-12)
    assert (cells.resolution(got, "geohash") == length).all()


def test_a_known_geohash() -> None:
    assert cells.encode(-5.60302734375, 42.60498046875, "geohash", 5) == "ezs42"


@pytest.mark.parametrize("system", cells.SYSTEMS)
def test_seam_and_poles_have_one_cell(system: str) -> None:
    res = 5
    for lat in (-60.0, 0.0, 66.5):
        assert cells.encode(180, lat, system, res) == cells.encode(-180, lat, system, res)
    if system != "geohash":
        assert len(set(cells.encode([0, 77, -180, 180], 90, system, res).tolist())) == 1
    lon, lat = np.array(COORDINATES_EDGE).T
    outline = cells.boundary(cells.encode(lon, lat, system, res), system)
    assert shapely.is_valid(outline).all()
    assert (distance.geometry_distance_km(outline, shapely.points(lon, lat)) < 1e-3).all()


@pytest.mark.parametrize("system", ["h3", "s2"])
@pytest.mark.parametrize("res", [0, 1, 2])
def test_cells_cover_the_earth_once(system: str, res: int) -> None:
    lon, lat = (
        v.ravel() for v in np.meshgrid(np.linspace(-179.9, 179.9, 150), np.linspace(-89.9, 89.9, 120))
    )
    if system == "h3":
        every = [c for r in h3.get_res0_cells() for c in h3.cell_to_children(r, min(res, 1))]
        found = cells.from_text(every, "h3")
    else:
        found = np.unique(cells.encode(lon, lat, "s2", res))
        assert len(found) == 6 * 4**res
    outline = cells.boundary(found, system)
    assert measure.area_km2(outline).sum() == pytest.approx(EARTH_KM2, rel=1e-9)


def test_h3_pentagon() -> None:  # K058
    pentagon = cells.from_text(H3_PENTAGON, "h3")
    assert h3.is_pentagon(H3_PENTAGON) and len(h3.grid_ring(H3_PENTAGON, 1)) == 5
    assert len(shapely.get_coordinates(cells.boundary(pentagon, "h3").item())) == 11
    lon, lat = cells.decode(pentagon, "h3")
    assert cells.encode(lon, lat, "h3", 5) == pentagon
    assert cells.boundary(pentagon, "h3").item().contains(shapely.Point(float(lon), float(lat)))


@pytest.mark.parametrize("system", cells.SYSTEMS)
def test_common_cell(system: str) -> None:
    low, high = cells.SYSTEMS[system]
    lon, lat = (np.concatenate([v[:6], v[-28::4]]) for v in places(6))
    to_lon, to_lat = lon + np.linspace(0, 0.3, len(lon)) ** 3, lat
    keep = (np.abs(to_lon) <= 180) & (np.abs(lat) < 89)
    lon, lat, to_lon, to_lat = lon[keep], lat[keep], to_lon[keep], to_lat[keep]
    cell, res = cells.common(lon, lat, to_lon, to_lat, system)
    for k in range(len(lon)):
        same = [
            r
            for r in range(low, high + 1)
            if cells.encode(lon[k], lat[k], system, r) == cells.encode(to_lon[k], to_lat[k], system, r)
        ]
        assert res[k] == (max(same) if same else -1)
        if same:
            assert cell[k] == cells.encode(lon[k], lat[k], system, max(same))
    assert cells.common(1, 1, 1, 1, system)[1] == high
    nothing, none = cells.common(0.1, 0.1, -170, -60, system)
    assert none == -1 and not cells.is_valid(nothing, system)


def test_parents() -> None:
    assert cells.parent("ezs42", "geohash", 3) == "ezs"
    cell = cells.encode(12, 55, "h3", 9)
    assert cells.to_text(cells.parent(cell, "h3", 4), "h3") == h3.cell_to_parent(h3.int_to_str(int(cell)), 4)
    for system in cells.SYSTEMS:
        with pytest.raises(GeometryError, match="coarser"):
            cells.parent(cells.encode(12, 55, system, 4), system, 5)


def test_stability() -> None:
    for system, res in (("h3", 9), ("s2", 15), ("geohash", 7)):
        lon, lat = cells.decode(cells.encode(12.3, 55.2, system, res), system)
        assert cells.cell_is_stable(lon, lat, system, res)
    west, south, _, _ = shapely.bounds(cells.boundary("u3b", "geohash").item())
    assert not cells.cell_is_stable(west + 1e-6, south + 0.1, "geohash", 3)
    assert not cells.cell_is_stable(west - 1e-6, south + 0.1, "geohash", 3)
    assert cells.cell_is_stable([0.0, 180.0], [89.9, 10.0], "s2", 4).shape == (2,)


@pytest.mark.parametrize(
    ("system", "text"),
    [
        ("h3", "8508000xfffffff"),
        ("h3", "85080003ffffffe"),
        ("h3", ""),
        ("s2", "X"),
        ("s2", "zz"),
        ("s2", "f0"),
        ("geohash", "abc"),
        ("geohash", ""),
        ("geohash", "0123456789bcd"),
        ("geohash", "é"),
    ],
)
def test_text_that_is_no_cell(system: str, text: str) -> None:
    with pytest.raises(GeometryError, match="is not a cell") as caught:
        cells.from_text([text], system)
    assert caught.value.place == 0


def test_bad_arguments() -> None:
    for system, res in (("h3", 16), ("s2", -1), ("geohash", 0), ("quadkey", 3)):
        with pytest.raises(GeometryError):
            cells.encode(0, 0, system, res)
    with pytest.raises(GeometryError, match="whole numbers"):
        cells.decode(["a"], "h3")
    with pytest.raises(GeometryError, match="not a cell"):
        cells.decode(np.array([0], dtype=np.uint64), "s2")
