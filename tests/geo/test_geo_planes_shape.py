"""Local planes and shape measures against PROJ, hand-computed figures and invariances."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import shapely
from pyproj import Geod, Transformer

from multiglobeqa.errors import GeometryError
from multiglobeqa.geo import lambert, measure, planes, shape
from multiglobeqa.geo.awkward import VALID
from multiglobeqa.geo.topology import split_antimeridian

GEOD = Geod(ellps="WGS84")
CENTRES = [
    (0.0, 0.0),
    (179.5, -17.0),
    (20.0, 60.0),
    (-180.0, 66.0),
    (0.0, 90.0),
    (30.0, -90.0),
    (100.0, -89.0),
]
SURFACES = [n for n, g in VALID.items() if shapely.get_dimensions(g) == 2 and n != "sliver"]


@pytest.mark.parametrize("centre", CENTRES, ids=str)
@pytest.mark.parametrize("plane", planes.PLANES)
def test_projection_is_that_of_proj(centre: tuple[float, float], plane: str) -> None:
    rng = np.random.default_rng(2)
    lon, lat = rng.uniform(-180, 180, 300), rng.uniform(-90, 90, 300)
    far = np.asarray(GEOD.inv(np.full(300, centre[0]), np.full(300, centre[1]), lon, lat)[2]) > 15_000_000
    lon, lat = lon[~far], lat[~far]
    forward, inverse = (
        (lambert.laea, lambert.laea_inverse) if plane == "laea" else (lambert.aeqd, lambert.aeqd_inverse)
    )
    x, y = forward(lon, lat, *centre)
    crs = f"+proj={plane} +lon_0={centre[0]} +lat_0={centre[1]} +ellps=WGS84 +units=km"
    px, py = Transformer.from_crs("OGC:CRS84", crs, always_xy=True).transform(lon, lat)
    assert np.hypot(x - px, y - py).max() < (1e-4 if plane == "laea" else 0.02)
    back = inverse(x, y, *centre)
    assert np.asarray(GEOD.inv(lon, lat, *back)[2]).max() < 0.01


@pytest.mark.parametrize("name", SURFACES)
def test_the_plane_keeps_the_area_and_comes_back(name: str) -> None:
    geometry = VALID[name]
    lon, lat = measure.centroid(geometry)
    if name == "tiny":
        assert shapely.area(planes.to_plane(geometry, lon, lat).item()) > 0
        return
    flat = planes.to_plane(geometry, lon, lat)
    area = float(measure.area_km2(geometry))
    assert shapely.area(flat.item()) == pytest.approx(area, rel=2e-5)
    assert shapely.is_valid(flat.item())
    back = planes.from_plane(flat, lon, lat)
    assert shapely.is_valid(back.item())
    assert measure.area_km2(back) == pytest.approx(area, rel=2e-5)
    if name != "box that ends at 180":  # on the plane its side at 180 is a side like any other
        assert measure.perimeter_km(back) == pytest.approx(float(measure.perimeter_km(geometry)), rel=1e-4)


def test_the_seam_is_gone_on_the_plane() -> None:
    for name in ("box over 180", "cap on the north pole", "cap on the south pole"):
        lon, lat = measure.centroid(VALID[name])
        flat = planes.to_plane(VALID[name], lon, lat).item()
        assert flat.geom_type == "Polygon" and not flat.interiors, name
    lon, lat = measure.centroid(VALID["hole across the antimeridian"])
    flat = planes.to_plane(VALID["hole across the antimeridian"], lon, lat).item()
    assert flat.geom_type == "Polygon" and len(flat.interiors) == 1


def test_simplify() -> None:
    angle = np.radians(np.arange(0, 360, 2))
    wobble = 2 + 0.02 * np.cos(40 * angle)
    star = shapely.Polygon(np.column_stack([179 + wobble * np.cos(angle), 10 + wobble * np.sin(angle)]))
    rough = split_antimeridian(star)
    smooth = planes.simplify_km(rough, 10.0)
    assert measure.perimeter_km(smooth) < measure.perimeter_km(rough)
    assert measure.area_km2(smooth) == pytest.approx(float(measure.area_km2(rough)), rel=0.03)
    assert measure.area_km2(planes.simplify_km(rough, 0)) == pytest.approx(
        float(measure.area_km2(rough)), rel=1e-6
    )
    assert planes.simplify_km(VALID["box"], 500.0).item() is None
    assert planes.simplify_km([VALID["box"], VALID["box"]], [500.0, 1.0])[1] is not None
    with pytest.raises(GeometryError, match="tolerance"):
        planes.simplify_km(VALID["box"], -1)
    with pytest.raises(GeometryError, match="antipode"):
        planes.to_plane([VALID["box"], VALID["cap on the south pole"]], [0, 10], [0, 85])
    with pytest.raises(GeometryError, match="unknown plane"):
        planes.to_plane(VALID["box"], 0, 0, "mercator")


def circle(lon: float, lat: float, km: float, n: int = 720) -> Any:
    x, y, _ = GEOD.fwd(np.full(n, lon), np.full(n, lat), np.arange(n) * 360 / n, np.full(n, km * 1000.0))
    return split_antimeridian(shapely.Polygon(np.column_stack([x, y]))).item()


def rectangle(lon: float, lat: float, a: float, b: float, turn: float) -> Any:
    """Rectangle of a by b km on the plane, turned, in degrees."""
    flat = shapely.affinity.rotate(shapely.box(-a / 2, -b / 2, a / 2, b / 2), turn)
    return planes.from_plane(np.array([flat], dtype=object), lon, lat)[0]


@pytest.mark.parametrize("centre", [(10.0, 50.0), (180.0, -17.0), (0.0, 90.0), (-60.0, -90.0)], ids=str)
def test_a_circle(centre: tuple[float, float]) -> None:
    disc = circle(*centre, 50.0)
    for measured in (shape.polsby_popper, shape.circularity, shape.reock, shape.convexity, shape.shape_index):
        assert measured(disc) == pytest.approx(1, abs=2e-4), measured.__name__
    assert shape.boundary_excess(disc) == pytest.approx(0, abs=1e-4)
    assert shape.ellipse_elongation(disc) == pytest.approx(0, abs=1e-4)
    assert shape.elongation(disc) == pytest.approx(0, abs=1e-3)


@pytest.mark.parametrize("turn", [0.0, 17.0, 45.0])
@pytest.mark.parametrize("centre", [(10.0, 50.0), (180.0, -17.0), (0.0, 90.0)], ids=str)
def test_a_rectangle(centre: tuple[float, float], turn: float) -> None:
    g = rectangle(*centre, 40.0, 10.0, turn)
    assert shape.elongation(g) == pytest.approx(0.75, abs=1e-3)
    assert shape.ellipse_elongation(g) == pytest.approx(0.75, abs=1e-3)
    assert shape.polsby_popper(g) == pytest.approx(4 * np.pi * 400 / 100**2, rel=1e-3)
    assert shape.shape_index(g) == pytest.approx(100 / (2 * np.sqrt(np.pi * 400)), rel=1e-3)
    assert shape.reock(g) == pytest.approx(400 / (np.pi * (40**2 + 10**2) / 4), rel=1e-3)
    assert shape.convexity(g) == pytest.approx(1, abs=1e-4)
    square = rectangle(*centre, 20.0, 20.0, turn)
    assert shape.fractal_dimension(square) == pytest.approx(1, abs=1e-4)


def test_true_aspect_at_60_north() -> None:  # ENGINE-FACTS 7
    assert shape.elongation(VALID["box, small at 60 north"]) == pytest.approx(0, abs=0.005)


def test_holes_count_in_the_perimeter() -> None:
    a, p = measure.area_km2(VALID["hole"]), measure.perimeter_km(VALID["hole"])
    assert shape.polsby_popper(VALID["hole"]) == pytest.approx(float(4 * np.pi * a / p**2), rel=1e-3)
    assert shape.polsby_popper(VALID["hole"]) == shape.polsby_popper(
        VALID["hole, same direction as the shell"]
    )
    assert shape.ellipse_elongation(VALID["hole"]) < 0.01
    assert shape.convexity(VALID["hole"]) == pytest.approx(0.75, abs=1e-3)


def test_simplified_shape_measures() -> None:
    names = ["box", "hole"]
    geoms = [VALID[n] for n in names]
    assert shape.convexity(geoms, 1.0).shape == (2,)
    angle = np.radians(np.arange(0, 360, 1))
    size = 0.5 + 0.02 * np.cos(60 * angle)
    star = shapely.Polygon(np.column_stack([12 + size * np.cos(angle), 5 + size * np.sin(angle)]))
    assert shape.shape_index(star, 5.0) < shape.shape_index(star) - 0.2
    assert shape.circularity(star) == pytest.approx(float(shape.shape_index(star)) ** -2, rel=1e-12)
    assert shape.convexity(VALID["box"], 900.0) == pytest.approx(1)  # what is left is a triangle


def test_real_countries_have_shapes(countries: dict[str, Any]) -> None:
    few = np.array([countries[n] for n in ("Fiji", "Lesotho", "Antarctica")], dtype=object)
    values = {f.__name__: f(few) for f in (shape.polsby_popper, shape.reock, shape.convexity)}
    for name, value in values.items():
        assert ((value > 0) & (value <= 1)).all(), name
    assert values["reock"][1] > 0.5 > values["reock"][0]
    lon, lat = measure.centroid(few)
    flat = planes.to_plane(few, lon, lat)
    assert shapely.area(flat) == pytest.approx(measure.area_km2(few), rel=1e-5)
    back = planes.from_plane(flat, lon, lat)
    assert shapely.is_valid(back).all()
    assert measure.area_km2(back) == pytest.approx(measure.area_km2(few), rel=1e-6)
    assert not any(len(r.interiors) for r in shapely.get_parts(flat[2]) if r.area > 1e6)
    # the plane's perimeter is the outline's, so no seam is left
    assert shapely.length(flat) == pytest.approx(measure.perimeter_km(few), rel=0.01)
