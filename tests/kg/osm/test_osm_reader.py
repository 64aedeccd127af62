"""Points and surfaces: what is kept, in which form, and what is dropped for which cause."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
import shapely

if TYPE_CHECKING:
    from tests.kg.osm.conftest import Importer, Map

BUILDING = {"building": "apartments"}


def test_point_carries_names_attributes_and_picture(osm_map: Map, osm_import: Importer) -> None:
    osm_map.node(
        7, 7.41, 43.73, amenity="cafe", name="Café de  Paris", name__en="Paris Café;The Paris",
        name__zh="巴黎咖啡馆", old_name="Divan;Le Divan", alt_name__fr="Le Paris", wikidata="Q1",
        note="check", cuisine="french",
        wikimedia_commons="File:Café de Paris.jpg", addr__street="Place du Casino",
    )  # fmt: skip
    result = osm_import(osm_map)
    row = result.rows["node/7"]
    assert (row["name"], row["class"], row["kind"]) == ("Paris Café", "cafe", "point")
    assert shapely.from_wkb(row["geometry"]).wkt == "POINT (7.41 43.73)"
    assert json.loads(row["attributes"]) == {
        "addr:street": "Place du Casino", "amenity": "cafe", "cuisine": "french", "wikidata": "Q1",
        "wikimedia_commons": "File:Café de Paris.jpg",
    }  # fmt: skip
    assert row["image"] == "https://commons.wikimedia.org/wiki/Special:FilePath/Caf%C3%A9_de_Paris.jpg"
    assert row["admin"] is None and row["level"] is None
    assert result.labels == {
        ("node/7", "und", "Café de Paris", "name"), ("node/7", "eng", "Paris Café", "name"),
        ("node/7", "eng", "The Paris", "alias"), ("node/7", "zho", "巴黎咖啡馆", "name"),
        ("node/7", "und", "Divan", "alias"), ("node/7", "und", "Le Divan", "alias"),
        ("node/7", "fra", "Le Paris", "alias"),
    }  # fmt: skip


def test_hole_is_cut_out(osm_map: Map, osm_import: Importer) -> None:
    """Case K085: a 4 x 4 outer way and a 2 x 2 hole make 12 square degrees."""
    osm_map.ring(1, 0, 0, 4, 4)
    osm_map.ring(2, 1, 1, 3, 3)
    members = [("way", 1, "outer"), ("way", 2, "outer")]  # the role is wrong: geometry decides
    osm_map.relation(5, members, type="multipolygon", name="Ring", landuse="forest")
    result = osm_import(osm_map)
    shape = result.geometry("relation/5")
    assert shape.area == pytest.approx(12.0, abs=1e-12)
    assert shape.geom_type == "Polygon" and len(shape.interiors) == 1
    assert result.rows["relation/5"]["class"] == "forest"


def test_self_crossing_way_is_counted_and_the_run_goes_on(osm_map: Map, osm_import: Importer) -> None:
    """Case K086: osmium gives an invalid area for the closed way 1, 3, 2, 4, 1."""
    for number, (lon, lat) in enumerate([(0, 0), (1, 0), (1, 1), (0, 1)], start=1):
        osm_map.node(number, lon, lat)
    osm_map.way(3, [1, 3, 2, 4, 1], name="Bow", **BUILDING)
    osm_map.ring(9, 2, 2, 3, 3, name="House", **BUILDING)
    result = osm_import(osm_map)
    assert set(result.rows) == {"way/9"}
    assert result.report.dropped == {"invalid_area": 1}
    assert result.report.examples["invalid_area"] == ["way 3"]


def test_incomplete_relations_and_ways_are_counted(osm_map: Map, osm_import: Importer) -> None:
    osm_map.ring(1, 0, 0, 1, 1, name="Whole", **BUILDING)
    osm_map.node(100, 5, 5)
    osm_map.node(101, 6, 5)
    osm_map.node(102, 6, 6)
    osm_map.way(2, [100, 101, 102, 999, 100], name="Torn", **BUILDING)
    osm_map.way(3, [100, 101, 102, 998, 100])
    area = {"type": "boundary", "boundary": "administrative", "admin_level": "8"}
    osm_map.relation(10, [("way", 1, "outer"), ("way", 77, "outer")], name="Cut", **area)
    osm_map.relation(11, [("way", 3, "outer")], name="Node missing", **area)
    osm_map.relation(12, [("node", 100, "label")], name="No ways", **area)
    result = osm_import(osm_map)
    assert set(result.rows) == {"way/1"}
    assert result.report.examples == {
        "way_node_missing": ["way 2"],
        "relation_member_missing": ["relation 10 (1 of 2 ways)"],
        "relation_node_missing": ["relation 11"],
        "relation_without_ways": ["relation 12"],
    }


def test_boundary_has_its_level_and_country(osm_map: Map, osm_import: Importer) -> None:
    osm_map.ring(1, 0, 0, 1, 1, boundary="administrative", admin_level="2", name="Land")
    osm_map.relation(
        4, [("way", 1, "outer")], type="boundary", boundary="administrative", admin_level="2", name="Land",
        **{"ISO3166-1__alpha3": "LIE"},
    )  # fmt: skip
    osm_map.ring(2, 0, 0, 1, 1, boundary="administrative", name="No level")
    result = osm_import(osm_map)
    assert set(result.rows) == {"relation/4"}
    row = result.rows["relation/4"]
    assert (row["class"], row["level"], row["country"]) == ("admin_area", 2, "LIE")
    assert result.report.dropped == {"way_repeats_its_relation": 1, "admin_level_missing": 1}


def test_drops_are_counted_by_cause(osm_map: Map, osm_import: Importer) -> None:
    osm_map.node(1, 0, 0, amenity="cafe", name="Kept")
    osm_map.node(2, 0, 0, amenity="cafe")
    osm_map.node(3, 0, 0, amenity="bench", name="No class")
    osm_map.node(4, 0, 0, amenity="pub", name="Closed", disused="yes")
    osm_map.node(5, 0, 0, amenity="pub", name=" ; ")
    osm_map.ring(6, 179.5, 0, -179.5, 1, name="Round the world", **BUILDING)
    osm_map.node(70, 0, 0)
    osm_map.node(71, 1, 0)
    osm_map.way(7, [70, 71], name="Wall", building="yes")
    osm_map.relation(8, [("way", 6, "")], type="route", route="bus", name="Bus 1")
    result = osm_import(osm_map)
    assert set(result.rows) == {"node/1"}
    assert result.report.dropped == {
        "unnamed": 2, "no_class": 1, "out_of_use": 1, "crosses_antimeridian": 1,
        "open_way_of_a_surface_class": 1, "relation_type_without_geometry": 1,
    }  # fmt: skip
    read = result.report.read
    assert (read["tagged_node"], read["tagged_way"], read["relation"]) == (5, 2, 1)
    assert result.report.unnamed == {"cafe": 1}


def test_closed_way_is_line_or_surface_by_its_tags(osm_map: Map, osm_import: Importer) -> None:
    osm_map.ring(1, 0, 0, 1, 1, highway="residential", name="Loop")
    osm_map.ring(2, 2, 0, 3, 1, highway="pedestrian", area="yes", place="square", name="Market")
    osm_map.ring(3, 4, 0, 5, 1, highway="pedestrian", place="square", name="Court")
    osm_map.ring(4, 6, 0, 7, 1, leisure="park", area="no", name="Not an area")
    osm_map.ring(5, 8, 0, 9, 1, man_made="pier", area="yes", name="Jetty")
    result = osm_import(osm_map)
    assert {key: (row["class"], row["kind"]) for key, row in result.rows.items()} == {
        "way/1": ("road", "line"), "way/2": ("square", "surface"), "way/3": ("square", "surface"),
        "way/5": ("pier", "surface"),
    }  # fmt: skip
    assert result.report.dropped == {"no_class": 1}


@pytest.mark.parametrize("suffix", [".osm", ".osm.pbf"])
@pytest.mark.parametrize("locations", ["flex_mem", "sparse_file_array", "dense_file_array"])
def test_formats_and_location_stores_give_the_same_rows(
    osm_map: Map, osm_import: Importer, suffix: str, locations: str
) -> None:
    osm_map.node(1, -70.123456789, -33.5, amenity="bank", name="Banco")
    osm_map.ring(2, 0, 0, 4, 4)
    osm_map.relation(5, [("way", 2, "outer")], type="multipolygon", name="Wood", natural="wood")
    osm_map.way(3, [20, 21], highway="primary", name="Road")
    result = osm_import(osm_map, suffix, locations=locations)
    assert result.geometry("node/1").wkt == "POINT (-70.1234568 -33.5)"
    assert result.geometry("relation/5").equals(shapely.box(0, 0, 4, 4))
    assert result.geometry("way/3").wkt == "LINESTRING (0 0, 4 0)"


@pytest.mark.parametrize("order", ["wnr", "rwn"])
def test_unsorted_file_gives_the_rows_of_the_sorted_one(
    osm_map: Map, osm_import: Importer, order: str
) -> None:
    osm_map.node(1, 1, 2, amenity="bank", name="Bank")
    osm_map.ring(2, 0, 0, 4, 4, natural="wood", name="Wood")
    sorted_rows = osm_import(osm_map).rows
    result = osm_import(osm_map, order=order)
    assert result.rows == sorted_rows
    assert result.report.notes == ["The file was not sorted; a sorted copy was read."]
    assert result.report.read == {"tagged_node": 1, "tagged_way": 1}
