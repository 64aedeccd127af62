"""Shared fixtures: where the public test data lies, and a small world.

The small world: a hand-made world on the equator, small enough to check by eye.

Distances: one degree of longitude on the equator is 111.3195 km, one degree of latitude there 110.5743 km.

    layer "north" (country AAA, low income, low density)
      Westland  surface 0..2 E, 0..2 N       Eastland  surface 2..4 E, 0..2 N (shares the edge at 2 E)
      Realm     surface 0..4 E, 0..2 N       parent of both
      Pond      surface 1.9..2.1 E, 0.9..1.1 N (overlaps Westland and Eastland)
      Hole      surface 5..7 E, 0..2 N with a hole 5.5..6.5, 0.5..1.5; Plug fills the hole
      P0..P4    cities at (0.5, 0.5) (1.0, 0.5) (1.5, 0.5) (2.5, 0.5) (3.5, 1.5)
      Long Road line 0.5 E to 3.5 E at 1 N;  Cross Road line at 1 E from 0.5 N to 1.5 N
      Dateline  surface 179..180 and -180..-179, 0..1 N, cut at the antimeridian
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import shapely

from multiglobeqa.geo import measure
from multiglobeqa.kg import store
from multiglobeqa.kg.schema import ENTITY_SCHEMA
from multiglobeqa.kg.store import Part, Snapshot, sha256_of

REPOSITORY = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of public data beside the repository, or a skip."""
    path = Path(os.environ.get("MGQA_SHARED", REPOSITORY.parent / "shared"))
    if not (path / "data").is_dir():
        pytest.skip(f"no shared data at {path}; set MGQA_SHARED")
    return path


KWGR = "http://stko-kwg.geog.ucsb.edu/lod/resource/"

REALM, WEST, EAST = (KWGR + f"administrativeRegion.{code}" for code in ("AAA", "AAA.1", "AAA.2"))

SHAPES: list[tuple[str, str, str, str, str, list[str], int | None]] = [
    ("administrativeRegion.AAA", "Realm", "country", "surface", "POLYGON((0 0,4 0,4 2,0 2,0 0))", [], 0),
    (
        "administrativeRegion.AAA.1",
        "Westland",
        "admin1",
        "surface",
        "POLYGON((0 0,2 0,2 2,0 2,0 0))",
        [REALM],
        1,
    ),
    (
        "administrativeRegion.AAA.2",
        "Eastland",
        "admin1",
        "surface",
        "POLYGON((2 0,4 0,4 2,2 2,2 0))",
        [REALM],
        1,
    ),
    (
        "lake.1",
        "Pond",
        "natural_earth_lake",
        "surface",
        "POLYGON((1.9 0.9,2.1 0.9,2.1 1.1,1.9 1.1,1.9 0.9))",
        [],
        None,
    ),
    (
        "administrativeRegion.AAA.3",
        "Hole",
        "admin1",
        "surface",
        "POLYGON((5 0,7 0,7 2,5 2,5 0),(5.5 0.5,6.5 0.5,6.5 1.5,5.5 1.5,5.5 0.5))",
        [],
        1,
    ),
    (
        "administrativeRegion.AAA.4",
        "Plug",
        "admin1",
        "surface",
        "POLYGON((5.5 0.5,6.5 0.5,6.5 1.5,5.5 1.5,5.5 0.5))",
        [],
        1,
    ),
    ("city.0", "P0", "city15000", "point", "POINT(0.5 0.5)", [WEST, REALM], None),
    ("city.1", "P1", "city15000", "point", "POINT(1 0.5)", [WEST, REALM], None),
    ("city.2", "P2", "city15000", "point", "POINT(1.5 0.5)", [WEST, REALM], None),
    ("city.3", "P3", "city15000", "point", "POINT(2.5 0.5)", [EAST, REALM], None),
    ("city.4", "P4", "city15000", "point", "POINT(3.5 1.5)", [EAST, REALM], None),
    ("road.1", "Long Road", "road", "line", "LINESTRING(0.5 1,3.5 1)", [REALM], None),
    ("road.2", "Cross Road", "road", "line", "LINESTRING(1 0.5,1 1.5)", [WEST, REALM], None),
    (
        "administrativeRegion.AAA.5",
        "Dateline",
        "admin1",
        "surface",
        "MULTIPOLYGON(((179 0,180 0,180 1,179 1,179 0)),((-180 0,-179 0,-179 1,-180 1,-180 0)))",
        [],
        1,
    ),
]


def entity(row: tuple[str, str, str, str, str, list[str], int | None], **more: Any) -> dict[str, Any]:
    """One row of the entity table."""
    local, name, class_, kind, wkt, parents, level = row
    geometry = shapely.from_wkt(wkt)
    array = shapely.from_wkb([geometry.wkb])
    lon, lat = measure.centroid(array)
    xmin, ymin, xmax, ymax = geometry.bounds
    return {
        "iri": KWGR + local,
        "kg": "knowwheregraph",
        "layer": "north",
        "name": name,
        "class": class_,
        "kind": kind,
        "geometry": geometry.wkb,
        "bbox": {"xmin": xmin, "ymin": ymin, "xmax": xmax, "ymax": ymax},
        "ref_lon": float(lon[0]),
        "ref_lat": float(lat[0]),
        "main_share": 1.0,
        "area_km2": float(measure.area_km2(array)[0]) if kind == "surface" else None,
        "length_km": float(measure.length_km(array)[0]) if kind == "line" else None,
        "country": "AAA",
        "continent": "Africa",
        "subregion": "Middle Africa",
        "income": "LIC",
        "density": "low",
        "level": level,
        "admin": parents,
        "h3": 0,
        "time_start": None,
        "time_end": None,
        "attributes": json.dumps(more.pop("attributes", {})),
        "image": None,
    } | more


@pytest.fixture(scope="session")
def make_snapshot() -> Callable[..., Snapshot]:
    """Write rows of the entity table as a one-part snapshot."""

    def make(
        folder: Path, rows: list[dict[str, Any]], coverage: str | None = None, part: str = "north"
    ) -> Snapshot:
        table = pa.Table.from_pylist(rows, schema=ENTITY_SCHEMA)
        path = folder / f"{part}.entities.parquet"
        schema = store.geoparquet_schema(None, [row["kind"] for row in rows])
        store.write_table(path, schema, table.to_batches())
        store.write_labels(folder / f"{part}.labels.parquet", [])
        hashes = {file.name: sha256_of(file) for file in folder.glob("*.parquet")}
        return store.write_manifest(
            folder, rows[0]["kg"], [Part(part, len(rows), 0, "CC0-1.0", "hand-made", coverage, False, hashes)]
        )

    return make


@pytest.fixture(scope="session")
def small_rows() -> list[dict[str, Any]]:
    """The hand-made world's entity rows."""
    return [entity(row) for row in SHAPES]
