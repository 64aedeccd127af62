"""The embedded snapshots: they open, hold what they say, and cover the 12 strata."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
import shapely

from multiglobeqa.geo.distance import geometry_distance_km
from multiglobeqa.geo.measure import area_km2
from multiglobeqa.kg import swept
from multiglobeqa.kg.atlas import geonames, places
from multiglobeqa.kg.atlas.languages import GEONAMES, ISO_639_3
from multiglobeqa.kg.classes import load
from multiglobeqa.kg.schema import DENSITY_TIERS, ENTITY_SCHEMA, INCOME_TIERS, LABEL_SCHEMA
from multiglobeqa.kg.store import open_snapshot, sha256_of

KGS = ("osmh3kg", "worldkg", "knowwheregraph")
KWGR = "http://stko-kwg.geog.ucsb.edu/lod/resource/"
MAX_BYTES = 30_000_000


def entities(world: Path, kg: str, part: str) -> pa.Table:
    """One part's entity table."""
    return pq.read_table(world / kg / f"{part}.entities.parquet")


def shapes(table: pa.Table) -> Any:
    """The geometries of a table."""
    return shapely.from_wkb(np.array(table.column("geometry").to_pylist(), dtype=object))


@pytest.mark.parametrize("kg", KGS)
def test_snapshot_is_what_its_manifest_says(world: Path, kg: str) -> None:
    snapshot = open_snapshot(world / kg)
    assert snapshot.kg == kg
    known = load()
    for part in snapshot.parts:
        table = entities(world, kg, part.name)
        assert table.schema.equals(ENTITY_SCHEMA)
        assert table.num_rows == part.entities == sum(part.report["kept"].values())
        assert {name: sha256_of(world / kg / name) for name in part.sha256} == part.sha256
        labels = pq.read_table(world / kg / f"{part.name}.labels.parquet")
        assert labels.schema.equals(LABEL_SCHEMA)
        assert labels.num_rows == part.labels
        iris = table.column("iri")
        assert pc.count_distinct(iris).as_py() == table.num_rows
        assert pc.all(pc.is_in(labels.column("iri").unique(), iris)).as_py()
        assert set(pc.unique(table.column("class")).to_pylist()) <= set(known)
        osm = part.name.startswith("osm_")
        assert (part.licence == "ODbL-1.0") == osm
        assert (part.coverage is not None) == osm
        geo = json.loads(pq.read_schema(world / kg / f"{part.name}.entities.parquet").metadata[b"geo"])
        assert geo["version"] == "1.1.0"
        assert geo["columns"]["geometry"]["encoding"] == "WKB"


def test_parts_and_size(world: Path) -> None:
    parts = {kg: [part.name for part in open_snapshot(world / kg).parts] for kg in KGS}
    extracts = ["osm_beirut", "osm_helsinki", "osm_kouvola", "osm_liechtenstein", "osm_monaco"]
    assert parts["osmh3kg"] == extracts
    assert parts["worldkg"] == sorted([*extracts, "geonames", "lakes"])
    assert parts["knowwheregraph"] == ["admin", "airports", "borders", "cities", "events", "lakes"]
    assert sum(file.stat().st_size for file in world.parent.rglob("*") if file.is_file()) <= MAX_BYTES


def test_every_stratum_has_points_and_surfaces(world: Path) -> None:
    cells: Counter[tuple[str, str, str]] = Counter()
    for kg in KGS:
        for part in open_snapshot(world / kg).parts:
            table = entities(world, kg, part.name).select(["income", "density", "kind"])
            for row in (
                table.group_by(["income", "density", "kind"]).aggregate([([], "count_all")]).to_pylist()
            ):
                cells[row["income"], row["density"], row["kind"]] += row["count_all"]
    for income in INCOME_TIERS:
        for tier in DENSITY_TIERS:
            assert cells[income, tier, "point"] >= 20, (income, tier)
            assert cells[income, tier, "surface"] >= 5, (income, tier)


def test_regions_are_one_coverage(world: Path) -> None:
    table = entities(world, "knowwheregraph", "admin")
    rows = table.drop_columns(["geometry"]).to_pylist()
    geometry = shapes(table)
    level = np.array([row["level"] for row in rows])
    assert Counter(level.tolist())[0] == 239
    assert (level == 1).sum() > 4_500
    units = geometry[level == 1]
    assert all(shapely.is_empty(edge) for edge in shapely.coverage_invalid_edges(units))
    countries = {row["iri"]: shape for row, shape in zip(rows, geometry, strict=True) if row["level"] == 0}
    for code in ("NOR", "FRA", "XKX", "TWN", "PSE", "SSD", "ESH", "JEY"):
        assert KWGR + "administrativeRegion." + code in countries
    assert not any("-99" in row["iri"] for row in rows)
    parents = [row["admin"] for row in rows if row["level"] == 1]
    assert all(len(chain) == 1 and chain[0] in countries for chain in parents)
    inside = [countries[chain[0]] for chain in parents]
    outside = shapely.area(shapely.difference(units[::7], np.array(inside, dtype=object)[::7]))
    assert (outside > 1e-3 * shapely.area(units[::7])).sum() <= 8  # countries drawn by their own outline


def test_countries_have_their_size(world: Path) -> None:
    """Areas in km² as published (land and inland water), ISO view; Natural Earth is within 2.5 %."""
    table = entities(world, "knowwheregraph", "admin")
    size = dict(zip(table.column("iri").to_pylist(), table.column("area_km2").to_pylist(), strict=True))
    for code, km2 in (
        ("KAZ", 2_724_900), ("SOM", 637_657), ("UKR", 603_628), ("CYP", 9_251), ("CHE", 41_285),
        ("KEN", 580_367), ("BOL", 1_098_581), ("LSO", 30_355),
    ):  # fmt: skip
        assert size[KWGR + f"administrativeRegion.{code}"] == pytest.approx(km2, rel=0.025), code


def test_borders_lie_between_their_countries(world: Path) -> None:
    table = entities(world, "knowwheregraph", "borders")
    by_iri = {row["iri"]: row for row in table.to_pylist()}
    assert len(by_iri) > 250
    assert by_iri[KWGR + "border.DEU.POL"]["length_km"] == pytest.approx(467, rel=0.15)
    assert by_iri[KWGR + "border.DEU.POL"]["name"] == "border between Germany and Poland"
    for pair in ("RUS.UKR", "CHN.IND", "IND.PAK", "SRB.XKX", "ISR.PSE", "ESH.MAR", "ESP.GIB", "ESP.PRT"):
        assert KWGR + "border." + pair not in by_iri
    for iri, row in by_iri.items():
        a, b = re.fullmatch(r".*border\.(\w{3})\.(\w{3})", iri).groups()  # type: ignore[union-attr]
        assert a < b
        regions = [KWGR + "administrativeRegion." + code for code in (a, b)]
        assert json.loads(row["attributes"])["of"] == regions
        assert row["kind"] == "line"


def test_points_lie_in_their_parents(world: Path) -> None:
    regions = entities(world, "knowwheregraph", "admin")
    shape = dict(zip(regions.column("iri").to_pylist(), shapes(regions), strict=True))
    for part in ("airports", "cities"):
        table = entities(world, "knowwheregraph", part)
        step = slice(None, None, 11)
        points = shapes(table)[step]
        chains = table.column("admin").to_pylist()[step]
        pairs = [
            (shape[parent], point) for point, chain in zip(points, chains, strict=True) for parent in chain
        ]
        assert len(pairs) > 1_000
        held, point = (np.array(side, dtype=object) for side in zip(*pairs, strict=True))
        inside = shapely.contains(held, point)
        assert inside.mean() > 0.94
        outside = np.flatnonzero(~inside)  # coasts and ports: by the stated country, its nearest region
        near = geometry_distance_km(point[outside], held[outside]) < places.REACH_KM + 1
        assert near.mean() > 0.95
        empty = sum(not chain for chain in table.column("admin").to_pylist())
        assert empty < 0.005 * table.num_rows


def test_events(world: Path) -> None:
    rows = entities(world, "knowwheregraph", "events").to_pylist()
    count = Counter(row["class"] for row in rows)
    assert count == {"earthquake": 2_508, "storm": 654, "storm_footprint": 306}
    by_iri = {row["iri"]: row for row in rows}
    katrina = by_iri[KWGR + "stormTrack.2005.Katrina"]
    assert katrina["name"] == "Hurricane Katrina (2005)"
    fixes = json.loads(katrina["attributes"])["fixes"]
    assert fixes[0] == ["2005-08-23T18:00:00Z", -75.1, 23.1, 0.0]
    assert katrina["time_start"].isoformat() == "2005-08-23T18:00:00+00:00"
    zeta = by_iri[KWGR + "stormTrack.2005.Zeta"]
    assert zeta["time_end"].year == 2006
    prints = [row for row in rows if row["class"] == "storm_footprint"]
    for row in prints[::30]:
        track = by_iri[json.loads(row["attributes"])["track"]]
        exact = swept.swept_area_km2(json.loads(track["attributes"])["fixes"])
        assert row["area_km2"] == pytest.approx(exact, rel=6e-4)
        assert row["name"] == track["name"]
    quakes = [row for row in rows if row["class"] == "earthquake"]
    for row in quakes:
        assert row["name"] == "Earthquake " + json.loads(row["attributes"])["event_id"]
        assert row["time_start"] is not None


def test_places_of_the_world(world: Path) -> None:
    table = entities(world, "worldkg", "geonames")
    labels = pq.read_table(world / "worldkg" / "geonames.labels.parquet")
    languages = set(pc.unique(labels.column("lang")).to_pylist())
    assert languages == {"und", *(ISO_639_3[code] for code in GEONAMES)}
    by_iri = dict(zip(table.column("iri").to_pylist(), table.column("attributes").to_pylist(), strict=True))
    moscow = json.loads(by_iri["https://sws.geonames.org/524901/"])
    assert (moscow["population"], moscow["feature_code"]) == (10_381_222, "PPLC")
    for text in by_iri.values():
        item = json.loads(text)
        assert item.get("feature_code") not in geonames.NOT_PLACES
        assert item.get("population", 0) >= 1_000 or item["feature_code"] in geonames.SEATS


def test_lakes_keep_their_size(world: Path) -> None:
    table = entities(world, "worldkg", "lakes")
    size = dict(zip(table.column("name").to_pylist(), table.column("area_km2").to_pylist(), strict=True))
    assert size["Lake Victoria"] == pytest.approx(68_800, rel=0.03)
    assert size["Lake Erie"] == pytest.approx(25_700, rel=0.03)
    assert area_km2(shapes(table)).sum() == pytest.approx(sum(size.values()), rel=0.05)
