"""Completing and writing a part: values, order, drops, parents, equal bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import h3
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import s2sphere
import shapely

from multiglobeqa.kg.finish import write_part
from multiglobeqa.kg.report import ImportReport
from multiglobeqa.kg.schema import ENTITY_SCHEMA, LABEL_SCHEMA
from multiglobeqa.kg.store import Part, open_snapshot, write_manifest
from multiglobeqa.kg.strata import Strata

Raw = Callable[..., Iterator[pa.RecordBatch]]
COMMON: dict[str, Any] = {"licence": "CC0-1.0", "attribution": "made by hand"}


def part_of(
    folder: Path, raw: Iterator[pa.RecordBatch], strata: Strata, labels: Any = (), **options: Any
) -> tuple[Part, list[dict[str, Any]]]:
    """Write a part and read it back."""
    report = ImportReport(source="hand")
    part = write_part(
        folder, "p", "knowwheregraph", raw, labels, report=report, strata=strata, **COMMON, **options
    )
    return part, pq.read_table(folder / "p.entities.parquet").to_pylist()


def zone_km2(south: float, north: float) -> float:
    """Area of one degree of longitude between two parallels: the integral of M N cos(lat) on WGS84."""
    phi = np.radians(np.linspace(south, north, 200_001))
    w2 = 1 - 0.0066943799901413165 * np.sin(phi) ** 2
    strip = 6378.137**2 * (1 - 0.0066943799901413165) / w2**2 * np.cos(phi)
    return float(np.radians(1) * np.trapezoid(strip, phi))


def test_values_of_a_row(tmp_path: Path, raw: Raw, strata: Strata) -> None:
    """A box of one degree on the equator: 110.57 x 111.32 km."""
    rows = raw(
        ("box", "surface", "POLYGON((10 0,11 0,11 1,10 1,10 0))"),
        ("line", "line", "LINESTRING(10 0,11 0)"),
        ("paris", "point", "POINT(2.35 48.86)"),
        ("stated", "point", "POINT(2.35 48.86)", {"country": "BEL"}),
        ("reunion", "point", "POINT(55.45 -20.9)", {"country": "REU"}),
    )
    part, found = part_of(tmp_path, rows, strata)
    by_iri = {row["iri"]: row for row in found}
    assert part.entities == 5
    assert part.report["kept"] == {"line": 1, "point": 3, "surface": 1}
    box = by_iri["box"]
    assert box["area_km2"] == pytest.approx(zone_km2(0, 1), rel=1e-9)
    assert box["length_km"] == pytest.approx(2 * 110.5744 + 111.3195 + 111.3027, rel=1e-5)
    assert (box["ref_lon"], box["main_share"]) == (pytest.approx(10.5), 1.0)
    assert box["bbox"] == {"xmin": 10.0, "ymin": 0.0, "xmax": 11.0, "ymax": 1.0}
    assert by_iri["line"]["length_km"] == pytest.approx(111.3195, rel=1e-6)
    assert by_iri["line"]["area_km2"] is None
    paris = by_iri["paris"]
    assert (paris["country"], paris["continent"], paris["income"], paris["density"]) == (
        "FRA", "Europe", "HIC", "high",
    )  # fmt: skip
    assert f"{paris['h3']:x}" == h3.latlng_to_cell(48.86, 2.35, 9)
    assert paris["length_km"] is None
    assert by_iri["stated"]["country"] == "BEL"
    assert by_iri["reunion"]["country"] == "FRA"
    assert any("REU" in note for note in part.report["notes"])


def test_rows_follow_the_s2_curve(tmp_path: Path, raw: Raw, strata: Strata) -> None:
    rng = np.random.default_rng(7)
    lon, lat = rng.uniform(-180, 180, 60), rng.uniform(-90, 90, 60)
    rows = [
        (f"e{i}", "point", f"POINT({x:.5f} {y:.5f})") for i, (x, y) in enumerate(zip(lon, lat, strict=True))
    ]
    _, found = part_of(tmp_path, raw(*rows), strata)
    ids = [
        s2sphere.CellId.from_lat_lng(s2sphere.LatLng.from_degrees(r["ref_lat"], r["ref_lon"])).id()
        for r in found
    ]
    assert ids == sorted(ids)
    assert len(ids) == 60


def test_degenerate_geometry_is_dropped_by_cause(tmp_path: Path, raw: Raw, strata: Strata) -> None:
    rows = raw(
        ("ok", "point", "POINT(1 1)"),
        ("bowtie", "surface", "POLYGON((0 0,1 1,1 0,0 1,0 0))"),
        ("empty", "surface", "POLYGON EMPTY"),
        ("nan", "line", shapely.to_wkb(shapely.LineString([(0, 0), (np.nan, 1)]))),
        ("north", "point", "POINT(0 91)"),
        ("east", "point", "POINT(181 0)"),
        ("kind", "point", "LINESTRING(0 0,1 1)"),
        ("flat", "surface", "POLYGON((0 0,1 0,0 0,0 0))"),
        ("still", "line", "LINESTRING(5 5,5 5)"),
        ("junk", "point", b"\x00\x01"),
        ("spike", "surface", "POLYGON((0 0,2 0,2 2,1 2,1 2.5,1 2,0 2,0 0))"),
    )
    part, found = part_of(tmp_path, rows, strata)
    assert sorted(row["iri"] for row in found) == ["ok", "spike"]
    assert part.report["dropped"] == {
        "geometry_empty": 1,
        "geometry_not_finite": 1,
        "geometry_unreadable": 1,
        "geometry_wrong_kind": 1,
        "line_without_length": 1,
        "out_of_range": 2,
        "ring_repair": 2,
    }
    assert part.report["examples"]["out_of_range"] == ["north", "east"]
    spike = next(row for row in found if row["iri"] == "spike")
    assert shapely.is_valid(shapely.from_wkb(spike["geometry"]))


def test_surfaces_are_cut_at_the_antimeridian(tmp_path: Path, raw: Raw, strata: Strata) -> None:
    rows = raw(("fiji", "surface", "POLYGON((179 -18,-179 -18,-179 -16,179 -16,179 -18))"))
    _, (row,) = part_of(tmp_path, rows, strata)
    shape = shapely.from_wkb(row["geometry"])
    assert shape.geom_type == "MultiPolygon"
    assert abs(row["ref_lon"]) == pytest.approx(180)
    assert row["main_share"] == 1.0
    assert row["area_km2"] == pytest.approx(2 * zone_km2(-18, -16), rel=1e-6)


def test_first_of_two_rows_with_one_iri_stays(
    tmp_path: Path, raw: Raw, texts: Callable[..., Any], strata: Strata
) -> None:
    rows = raw(
        ("a", "point", "POINT(50 50)", {"name": "first"}),
        ("b", "point", "POINT(1 1)"),
        ("a", "point", "POINT(-50 -50)", {"name": "second"}),
    )
    labels = texts(
        ("a", "und", "A", "name"),
        ("a", "und", "A", "name"),
        ("gone", "und", "x", "name"),
        ("b", "eng", "B", "alias"),
    )
    part, found = part_of(tmp_path, rows, strata, labels)
    assert {row["iri"]: row["name"] for row in found} == {"a": "first", "b": "b"}
    assert part.report["dropped"] == {"duplicate_iri": 1}
    stored = pq.read_table(tmp_path / "p.labels.parquet")
    assert stored.schema.equals(LABEL_SCHEMA)
    assert sorted(stored.column("label").to_pylist()) == ["A", "B"]
    assert part.labels == 2


def test_parents_by_containment_or_as_stated(tmp_path: Path, raw: Raw, strata: Strata) -> None:
    def rows() -> Iterator[pa.RecordBatch]:
        return raw(
            ("land", "surface", "POLYGON((0 0,4 0,4 4,0 4,0 0))", {"level": 2}),
            ("west", "surface", "POLYGON((0 0,2 0,2 4,0 4,0 0))", {"level": 4}),
            ("town", "point", "POINT(1 1)"),
            ("east town", "point", "POINT(3 1)"),
            ("sea", "point", "POINT(9 1)"),
            ("told", "point", "POINT(1 1)", {"admin": ["elsewhere"]}),
        )

    _, found = part_of(tmp_path / "h", rows(), strata, hierarchy=True)
    assert {row["iri"]: row["admin"] for row in found} == {
        "land": [],
        "west": ["land"],
        "town": ["west", "land"],
        "east town": ["land"],
        "sea": [],
        "told": ["elsewhere"],
    }
    _, flat = part_of(tmp_path / "f", rows(), strata)
    assert {row["iri"] for row in flat if row["admin"]} == {"told"}


def test_equal_input_gives_equal_bytes(
    tmp_path: Path, raw: Raw, texts: Callable[..., Any], strata: Strata
) -> None:
    rng = np.random.default_rng(3)
    points = [
        (f"e{i:03}", "point", f"POINT({x:.5f} {y:.5f})")
        for i, (x, y) in enumerate(rng.uniform(-80, 80, (90, 2)))
    ]
    shapes = [("s", "surface", "POLYGON((0 0,4 0,4 4,0 4,0 0))", {"level": 2})]
    words = [(iri, "und", iri.upper(), "name") for iri, *_ in points]
    parts = [
        part_of(tmp_path / name, raw(*points, *shapes), strata, texts(*words), hierarchy=True)[0]
        for name in ("one", "two")
    ]
    assert parts[0] == parts[1]
    for file in ("p.entities.parquet", "p.labels.parquet"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()
    assert sorted(path.name for path in (tmp_path / "one").iterdir()) == [
        "p.entities.parquet",
        "p.labels.parquet",
    ]
    snapshot = write_manifest(tmp_path / "one", "knowwheregraph", parts[:1])
    assert open_snapshot(tmp_path / "one").snapshot_id == snapshot.snapshot_id


def test_an_empty_source_gives_an_empty_part(tmp_path: Path, strata: Strata) -> None:
    part, found = part_of(tmp_path, iter(()), strata)
    assert (part.entities, part.labels, found) == (0, 0, [])
    assert pq.read_schema(tmp_path / "p.entities.parquet").names == ENTITY_SCHEMA.names


def test_a_source_that_fails_leaves_nothing(tmp_path: Path, raw: Raw, strata: Strata) -> None:
    def failing() -> Iterator[pa.RecordBatch]:
        yield from raw(("a", "point", "POINT(1 1)"))
        raise OSError("the disk")

    with pytest.raises(OSError, match="the disk"):
        part_of(tmp_path, failing(), strata)
    assert list(tmp_path.iterdir()) == []
