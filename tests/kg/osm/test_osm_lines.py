"""Which ways become one named line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from multiglobeqa.kg.osm.merging import Ways, local_length, merge

if TYPE_CHECKING:
    from tests.kg.osm.conftest import Importer, Map, Result


def attributes(result: Result, place: str) -> dict[str, Any]:
    """Attributes of one row."""
    found: dict[str, Any] = json.loads(result.rows[place]["attributes"])
    return found


def grid(osm_map: Map) -> None:
    """Nodes 1 to 9 in a row along the equator, 0.1° apart; 11 to 19 above them."""
    for step in range(1, 10):
        osm_map.node(step, step / 10, 0)
        osm_map.node(10 + step, step / 10, 0.1)


def test_touching_ways_of_one_name_are_one_road(osm_map: Map, osm_import: Importer) -> None:
    grid(osm_map)
    osm_map.way(
        5, [1, 2, 3], highway="residential", name="High Street", surface="asphalt", name__cy="Stryd Fawr"
    )
    osm_map.way(
        4, [3, 4], highway="residential", name="High Street", name__en="High St"
    )  # the plain name counts
    osm_map.way(6, [2, 12], highway="service", name="High Street")  # a branch from a vertex in the middle
    osm_map.way(7, [4, 5], highway="residential", name="Low Street")
    osm_map.way(8, [8, 9], highway="residential", name="High Street")  # elsewhere
    result = osm_import(osm_map)
    assert set(result.rows) == {"way/4#road", "way/7", "way/8"}
    main = attributes(result, "way/4#road")
    assert main["osm_ways"] == [4, 5, 6] and main["osm_oneway_share"] == 0
    assert main["highway"] == "residential" and main["surface"] == "asphalt"
    assert result.geometry("way/4#road").length == pytest.approx(0.4)
    assert ("way/4#road", "cym", "Stryd Fawr", "name") in result.labels
    assert result.rows["way/4#road"]["name"] == "High St"
    assert result.report.notes == ["5 ways became 3 line features."]


def test_local_roads_part_at_a_municipal_border_and_through_roads_do_not(
    osm_map: Map, osm_import: Importer
) -> None:
    grid(osm_map)
    admin = {"boundary": "administrative", "admin_level": "8"}
    osm_map.ring(50, 0, -1, 0.3, 1, name="West", **admin)
    osm_map.ring(51, 0.3, -1, 2, 1, name="East", **admin)
    osm_map.way(1, [1, 2, 3], highway="residential", name="Border Street")
    osm_map.way(2, [3, 4], highway="residential", name="Border Street")
    osm_map.way(3, [11, 12, 13], highway="primary", name="Trunk Road")
    osm_map.way(4, [13, 14], highway="primary", name="Trunk Road")
    result = osm_import(osm_map)
    assert set(result.rows) == {"way/50", "way/51", "way/1", "way/2", "way/3#road"}


def test_carriageways_are_one_road_and_parallel_two_way_streets_are_not(
    osm_map: Map, osm_import: Importer
) -> None:
    for base, gap in ((0, 0.0004), (100, 0.0006)):  # 44 m and 67 m
        osm_map.node(base + 1, base, 60)
        osm_map.node(base + 2, base + 0.1, 60)
        osm_map.node(base + 3, base + 0.1, 60 + gap)
        osm_map.node(base + 4, base, 60 + gap)
        osm_map.way(base + 1, [base + 1, base + 2], highway="motorway", name=f"M{base}")
        osm_map.way(base + 2, [base + 3, base + 4], highway="motorway", name=f"M{base}")
    osm_map.way(5, [1, 2], highway="residential", name="Twin")
    osm_map.way(6, [4, 3], highway="residential", name="Twin")
    result = osm_import(osm_map)
    assert set(result.rows) == {"way/1#road", "way/101", "way/102", "way/5", "way/6"}
    assert attributes(result, "way/1#road")["osm_oneway_share"] == 1
    assert attributes(result, "way/5")["osm_oneway_share"] == 0


def test_waterway_relation_names_its_ways_and_keeps_their_direction(
    osm_map: Map, osm_import: Importer
) -> None:
    grid(osm_map)
    osm_map.way(1, [3, 2, 1], waterway="river", name="Upper Brook")
    osm_map.way(2, [5, 4, 3], waterway="river")
    osm_map.way(3, [9, 8], waterway="river", name="Brook")
    osm_map.way(4, [5, 15], waterway="river", name="Side arm")
    members = [("way", 1, "main_stream"), ("way", 2, ""), ("way", 4, "side_stream"), ("way", 3, "")]
    osm_map.relation(
        9, [*members, ("way", 77, "")], type="waterway", waterway="river", name="Brook", name__de="Bach"
    )
    result = osm_import(osm_map)
    assert set(result.rows) == {"relation/9", "way/4"}
    shape = result.geometry("relation/9")
    assert sorted(list(part.coords) for part in shape.geoms) == [
        [(0.5, 0), (0.4, 0), (0.3, 0), (0.2, 0), (0.1, 0)],
        [(0.9, 0), (0.8, 0)],
    ]
    found = attributes(result, "relation/9")
    assert found["osm_ways"] == [1, 2, 3]
    assert found["osm_relation_members_missing"] == 1 and found["osm_cut"] is True
    assert "osm_oneway_share" not in found
    assert result.rows["relation/9"]["name"] == "Brook"
    assert ("relation/9", "deu", "Bach", "name") in result.labels


def test_opposed_ways_are_not_turned_round(osm_map: Map, osm_import: Importer) -> None:
    grid(osm_map)
    osm_map.way(1, [1, 2], waterway="stream", name="Odd")
    osm_map.way(2, [3, 2], waterway="stream", name="Odd")
    result = osm_import(osm_map)
    shape = result.geometry("way/1#waterway")
    assert sorted(list(part.coords) for part in shape.geoms) == [[(0.1, 0), (0.2, 0)], [(0.3, 0), (0.2, 0)]]
    assert attributes(result, "way/1#waterway")["osm_flow_unclear"] is True


def test_canals_are_marked_and_rivers_are_not(osm_map: Map, osm_import: Importer) -> None:
    grid(osm_map)
    osm_map.way(1, [1, 2], waterway="canal", name="Cut")
    osm_map.way(2, [3, 4], waterway="river", name="Brook")
    osm_map.way(3, [4, 5], waterway="river", name="Brook")
    result = osm_import(osm_map)
    assert attributes(result, "way/1")["osm_flow_unclear"] is True
    assert "osm_flow_unclear" not in attributes(result, "way/2#waterway")


def test_missing_nodes_cut_a_line_and_are_told(osm_map: Map, osm_import: Importer) -> None:
    grid(osm_map)
    osm_map.way(1, [1, 2, 99, 3, 4, 98], highway="primary", name="Torn Road")
    osm_map.way(2, [97, 5, 96], highway="primary", name="Point Road")
    result = osm_import(osm_map)
    assert set(result.rows) == {"way/1"}
    assert result.geometry("way/1").equals(
        shapely.MultiLineString([[(0.1, 0), (0.2, 0)], [(0.3, 0), (0.4, 0)]])
    )
    assert attributes(result, "way/1")["osm_cut"] is True
    assert result.report.notes[-1] == "1 line ways were cut where the file lacks their nodes."
    assert result.report.dropped == {"way_node_missing": 1}


def test_line_that_leaves_the_header_box_is_told(osm_map: Map, osm_import: Importer) -> None:
    grid(osm_map)
    osm_map.bounds = (0, -1, 0.35, 1)
    osm_map.way(1, [1, 2, 3], highway="primary", name="Inside")
    osm_map.way(2, [3, 4, 5], highway="primary", name="Out")
    result = osm_import(osm_map)
    assert "osm_cut" not in attributes(result, "way/1")
    assert attributes(result, "way/2")["osm_cut"] is True


def test_segment_drawn_twice_is_told(osm_map: Map, osm_import: Importer) -> None:
    grid(osm_map)
    osm_map.way(1, [1, 2, 3], highway="primary", name="Twice")
    osm_map.way(2, [4, 3, 2], highway="primary", name="Twice")
    osm_map.way(3, [11, 12], highway="primary", name="Once")
    result = osm_import(osm_map)
    assert attributes(result, "way/1#road")["osm_overlap"] is True
    assert "osm_overlap" not in attributes(result, "way/3")


ends = st.tuples(st.integers(0, 4), st.integers(0, 4))


@given(
    st.lists(
        st.tuples(
            st.lists(ends, min_size=2, max_size=4, unique=True),
            st.integers(0, 1), st.booleans(), st.booleans(), st.integers(-1, 1), st.integers(0, 2),
        ),
        min_size=1, max_size=9,
    )
)  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_components_are_those_of_the_rule_applied_pair_by_pair(
    lines: list[tuple[list[tuple[int, int]], int, bool, bool, int, int]],
) -> None:
    shapes = [shapely.LineString(points) for points, *_ in lines]
    _, group, through, one_way, area, relation = zip(*lines, strict=True)
    n = len(lines)
    geometry = np.empty(n, dtype=object)
    geometry[:] = shapes
    ways = Ways(
        np.arange(1, n + 1), np.array(relation), np.array(group), np.array(through), np.array(one_way),
        np.array(area), geometry,
    )  # fmt: skip
    expected = list(range(n))
    for a in range(n):
        for b in range(n):
            first, second = shapes[a].coords, shapes[b].coords
            touch = {first[0], first[-1]} & set(second)
            near = one_way[a] and one_way[b] and shapes[a].distance(shapes[b]) < 1e-4
            admitted = area[a] == area[b] or (through[a] and through[b])
            by_name = group[a] == group[b] and admitted and (bool(touch) or near)
            if by_name or (relation[a] and relation[a] == relation[b]):
                old, new = expected[b], expected[a]
                expected = [new if number == old else number for number in expected]
    found = merge(ways)
    assert ((found[:, None] == found) == (np.array(expected)[:, None] == np.array(expected))).all()


def test_length_for_shares_shrinks_longitudes() -> None:
    lines = np.array([shapely.LineString([(0, 60), (1, 60)]), shapely.LineString([(0, 0), (0, 1)])])
    assert local_length(lines) == pytest.approx([0.5, 1.0])
