"""WKT literals: CRS prefixes, axis order, ranges, seams."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import shapely

from multiglobeqa.errors import InputError
from multiglobeqa.kg import rdf, wkt
from multiglobeqa.kg.report import ImportReport

CRS84 = "<http://www.opengis.net/def/crs/OGC/1.3/CRS84>"
EPSG = "<http://www.opengis.net/def/crs/EPSG/0/4326>"


def one(text: str | None, axis_order: wkt.AxisOrder = "crs") -> tuple[Any, str, str]:
    parsed = wkt.parse(pa.array([text, "POINT (1 1)"]), axis_order)
    assert parsed.kinds[1] == "point"  # a neighbour is not affected
    return parsed.geometries[0], parsed.kinds[0], parsed.causes[0]


def case(shared: Path, name: str) -> Any:
    lines = (shared / "cases" / "cases.jsonl").read_text("utf-8").splitlines()
    return next(found for found in map(json.loads, lines) if found["id"] == name)


def test_case_k082_epsg_4326_is_latitude_first(shared: Path) -> None:
    found = case(shared, "K082")
    geometry, kind, _ = one(found["input"]["literal"])
    assert kind == "point"
    assert (geometry.x, geometry.y) == (found["expected"]["lon"], found["expected"]["lat"])


def test_case_k043_swapped_polygon_is_rejected(shared: Path) -> None:
    ring = case(shared, "K043")["input"]["polygon"]
    text = "POLYGON ((" + ", ".join(f"{x} {y}" for x, y in [*ring, ring[0]]) + "))"
    geometry, kind, cause = one(text)
    assert (geometry, kind, cause) == (None, "", "axes_swapped")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Point(7.4 43.7)", (7.4, 43.7)),
        (f"{CRS84}POINT(-119.85 34.01)", (-119.85, 34.01)),
        (f"  {CRS84}\n  Point(-83.4 34.3)\n ", (-83.4, 34.3)),
        (f"{EPSG} POINT(34.01 -119.85)", (-119.85, 34.01)),
        ("<http://www.opengis.net/def/crs/EPSG/9.9.1/4326>POINT(34 -119)", (-119, 34)),
        ("<urn:ogc:def:crs:EPSG::4326>POINT(34 -119)", (-119, 34)),
        ("SRID=4326;POINT(-119 34)", (-119, 34)),
        ("srid=4326;point z (-119 34 12)", (-119, 34)),
        ("MULTIPOINT(5 6)", (5, 6)),
        ("POINT(0.12345678 -0.00000001)", (0.1234568, 0.0)),
        ("POINT(180 90)", (180, 90)),
    ],
)
def test_points(text: str, expected: tuple[float, float]) -> None:
    geometry, kind, cause = one(text)
    assert (kind, cause) == ("point", "")
    assert shapely.get_coordinates(geometry).tolist() == [list(expected)]
    assert "-0.0" not in str(geometry.y)


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        (None, "no_geometry"),
        ("", "geometry_empty"),
        (CRS84, "geometry_empty"),
        ("POLYGON (0 0, 0 1, 1 1, 0 0)", "wkt_unreadable"),
        ("POLYGON((0 0,0 1,1 1,1 0))", "wkt_unreadable"),
        ("POINT EMPTY", "geometry_empty"),
        ("POINT (nan 1)", "geometry_not_finite"),
        ("POLYGON((0 0, inf 1, 1 1, 0 0))", "geometry_not_finite"),
        ("POINT (37.77 -122.41)", "axes_swapped"),
        (f"{EPSG}POINT(-122.41 37.77)", "axes_swapped"),
        ("POINT (500 2)", "out_of_range"),
        ("POINT (200 95)", "out_of_range"),
        ("LINESTRING (0 0, 1 91)", "axes_swapped"),
        ("<http://www.opengis.net/def/crs/EPSG/0/3857>POINT(1 2)", "unknown_crs"),
        ("SRID=3857;POINT(1 2)", "unknown_crs"),
        ("GEOMETRYCOLLECTION(POINT(1 2))", "geometry_collection"),
        ("MULTIPOINT(1 2, 3 4)", "geometry_collection"),
        ("POLYGON((0 -80, 90 -80, 179 -80, -90 -80, 0 -80))", "antimeridian_unresolved"),
    ],
)
def test_drops(text: str | None, cause: str) -> None:
    assert one(text) == (None, "", cause)


def test_the_rule_of_a_source_beats_the_prefix() -> None:
    assert one(f"{EPSG}POINT(-83.38 33.95)", "lonlat")[0].equals(shapely.Point(-83.38, 33.95))
    assert one(f"{CRS84}POINT(33.95 -83.38)", "latlon")[0].equals(shapely.Point(-83.38, 33.95))
    with pytest.raises(InputError, match="axis order"):
        wkt.parse(["POINT(1 1)"], "yx")  # type: ignore[arg-type]


def test_seam_crossing_is_cut_and_the_area_is_kept() -> None:
    box, kind, _ = one("POLYGON((179 -1, -179 -1, -179 1, 179 1, 179 -1))")
    assert kind == "surface"
    assert shapely.area(box) == pytest.approx(4.0)
    assert shapely.bounds(box).tolist() == [-180, -1, 180, 1]
    holed, _, _ = one(
        "POLYGON((178 -2, -178 -2, -178 2, 178 2, 178 -2), (-179.5 -1, -179.5 1, -179 1, -179 -1, -179.5 -1))"
    )
    assert shapely.area(holed) == pytest.approx(16 - 1)
    line, kind, _ = one("LINESTRING(170 0, -170 10, -160 12)")
    assert (kind, line.wkt) == ("line", "MULTILINESTRING ((170 0, 180 5), (-180 5, -170 10, -160 12))")


def test_edges_along_seam_and_pole_are_no_crossing() -> None:
    for text in (
        "POLYGON((-180 -90, 180 -90, 180 -60, 0 -65, -180 -60, -180 -90))",
        "POLYGON((-180 -80, -60 -80, 60 -80, 180 -80, 180 80, -180 80, -180 -80))",
    ):
        geometry, _, cause = one(text)
        assert cause == ""
        assert geometry.normalize() == shapely.from_wkt(text).normalize()


def test_country_check_finds_swaps_inside_the_range() -> None:
    def country_of(lon: Any, lat: Any) -> Any:
        return np.where((lon > 5) & (lon < 10) & (lat > 43) & (lat < 48), "FRA", "")

    lon, lat = np.array([7.0, 45.0, 45.0, 45.0]), np.array([45.0, 7.0, 7.0, 20.0])
    stated = np.array(["FRA", "FRA", "", "FRA"], dtype=object)
    assert wkt.stated_country_swaps(lon, lat, stated, country_of).tolist() == [False, True, False, False]


def test_geosparql_benchmark_geometries(shared: Path) -> None:
    path = shared / "data" / "public" / "rdf_github" / "geosparql_benchmark_dataset.rdf"
    table = pa.Table.from_batches(rdf.read(path, ImportReport("benchmark")))
    literals = [row["o"] for row in table.to_pylist() if row["p"].endswith("#asWKT")]
    parsed = wkt.parse(literals)
    empty = [text for text, cause in zip(literals, parsed.causes, strict=True) if cause == "geometry_empty"]
    assert len(literals) == 20
    assert sorted(empty) == ["", "", "LINESTRING EMPTY", "POINT EMPTY"]
    assert set(parsed.causes) == {"", "geometry_empty"}
    bounds = shapely.total_bounds(parsed.geometries[parsed.causes == ""])
    assert (
        -90 < bounds[0] < bounds[2] < -70 and 30 < bounds[1] < bounds[3] < 40
    )  # Georgia to Washington, longitude first
