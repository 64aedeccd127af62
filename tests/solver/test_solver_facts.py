"""Facts: the three vocabularies, and errors that name what is missing or wrong."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from multiglobeqa.errors import MultiGlobeQAError
from multiglobeqa.solver import REFUTERS, SOLVERS, Facts, SolverError, solve
from multiglobeqa.taxonomy import load

CRS84 = "<http://www.opengis.net/def/crs/OGC/1.3/CRS84> "


@pytest.mark.parametrize("kg", ["osmh3kg", "worldkg", "knowwheregraph"])
def test_geometry_and_label_in_each_vocabulary(world: Any, kg: str) -> None:
    w = world(kg)
    iri = w.add("7", "Point(24.5 60.25)", "Cafe")
    facts = Facts(w.lines)
    assert facts.geometry(iri).coords[0] == (24.5, 60.25)
    assert facts.label(iri) == "7"
    assert facts.types(iri) == {w.class_iri("Cafe")}
    assert facts.of_class(w.class_iri("Cafe")) == [iri]


def test_crs84_prefix_is_read_other_crs_is_refused(kwg: Any) -> None:
    good = kwg.add("a", "POINT (3 4)", crs=CRS84)
    bad = kwg.add("b", "POINT (3 4)", crs="<http://www.opengis.net/def/crs/EPSG/0/4326> ")
    facts = Facts(kwg.lines)
    assert facts.geometry(good).coords[0] == (3, 4)
    with pytest.raises(SolverError, match="EPSG/0/4326"):
        facts.geometry(bad)


def test_ancestors_follow_all_links_and_survive_a_circle(osm: Any) -> None:
    osm.add("a", parents=("b",))
    osm.add("b", parents=("c", "d"))
    osm.add("d", parents=("a",))
    facts = Facts(osm.lines)
    assert facts.parents(osm.iri("a")) == [osm.iri("b")]
    assert facts.ancestors(osm.iri("a")) == {osm.iri(n) for n in "bcd"}


def test_kwg_containment_has_two_predicates(kwg: Any) -> None:
    kwg.add("unit", parents=("state",))
    kwg.link(kwg.iri("airport"), "http://stko-kwg.geog.ucsb.edu/lod/ontology/sfWithin", kwg.iri("unit"))
    assert Facts(kwg.lines).ancestors(kwg.iri("airport")) == {kwg.iri("unit"), kwg.iri("state")}


def test_instant_and_interval(kwg: Any) -> None:
    kwg.instant(kwg.iri("quake"), "2018-02-01T23:30:00-01:00")
    scope, ont, time = (
        kwg.iri("storm#time"),
        "http://stko-kwg.geog.ucsb.edu/lod/ontology/",
        "http://www.w3.org/2006/time#",
    )
    kwg.link(kwg.iri("storm"), ont + "hasTemporalScope", scope)
    for link, node, text in (
        ("hasBeginning", "b", "2005-08-23T18:00:00Z"),
        ("hasEnd", "e", "2005-08-31T06:00:00"),
    ):
        kwg.link(scope, time + link, kwg.iri(node))
        kwg.text(kwg.iri(node), time + "inXSDDateTime", text)
    facts = Facts(kwg.lines)
    assert facts.period(kwg.iri("quake"))[0] == datetime(2018, 2, 2, 0, 30, tzinfo=UTC)
    assert facts.period(kwg.iri("storm")) == (
        datetime(2005, 8, 23, 18, tzinfo=UTC),
        datetime(2005, 8, 31, 6, tzinfo=UTC),
    )


def test_fixes_are_in_order_of_time_with_radius_in_km(kwg: Any) -> None:
    storm = kwg.storm("s", [("2005-08-02T00:00:00Z", -80, 25, 100), ("2005-08-01T18:00:00Z", -79, 24, None)])
    fixes = Facts(kwg.lines).fixes(storm)
    assert [f.lon for f in fixes] == [-79, -80]
    assert fixes[0].radius_km is None
    assert fixes[1].radius_km == pytest.approx(50 * 1.852)


def test_cells(osm: Any) -> None:
    osm.text(
        osm.iri("a"),
        "http://www.opengis.net/ont/geosparql#asDGGS",
        "<https://h3geo.org/res/9> CELL (8911aa6a38fffff)",
    )
    assert Facts(osm.lines).cells(osm.iri("a")) == ["8911aa6a38fffff"]
    with pytest.raises(SolverError, match="cell"):
        Facts(osm.lines).cells(osm.iri("b"))


@pytest.mark.parametrize(
    ("wkt", "words"),
    [
        ("POINT (60.2 124.9)", "axes"),
        ("POINT (190 0)", "axes"),
        ("POINT EMPTY", "empty"),
        ("POINT (1", "cannot be read"),
        ("POLYGON ((0 0, 1 1, 1 0, 0 1, 0 0))", "not valid"),
        ("GEOMETRYCOLLECTION (POINT (1 2))", "GeometryCollection"),
    ],
)
def test_bad_geometry_names_the_entity(osm: Any, wkt: str, words: str) -> None:
    iri = osm.add("bad", wkt)
    with pytest.raises(SolverError, match=words) as caught:
        osm.ask("N01.b", A="bad")
    assert caught.value.place == iri
    assert caught.value.source == "N01.b"
    assert isinstance(caught.value, MultiGlobeQAError)


def test_two_different_geometries_are_refused(osm: Any) -> None:
    osm.add("a", "POINT (1 2)")
    osm.add("a", "POINT (1 2)")
    assert osm.ask("N01.b", A="a").answer == {"lat": 2, "lon": 1}
    osm.add("a", "POINT (1 3)")
    with pytest.raises(SolverError, match="2 different geometries"):
        osm.ask("N01.b", A="a")


def test_errors_name_the_missing_fact_role_and_parameter(osm: Any) -> None:
    osm.add("a", "POINT (1 2)")
    osm.add("b")
    with pytest.raises(SolverError, match=r"A01\.a.*node/b.*geometry"):
        osm.ask("A01.a", A="a", B="b")
    with pytest.raises(SolverError, match="Role B is missing"):
        osm.ask("A01.a", A="a")
    with pytest.raises(SolverError, match="radius_km is missing"):
        osm.ask("B01.a", "Cafe", B="a")
    with pytest.raises(SolverError, match="not a number"):
        osm.ask("B01.a", "Cafe", B="a", radius_km="1")
    with pytest.raises(SolverError, match="A surface is needed"):
        osm.ask("K04.a", A="a")
    with pytest.raises(SolverError, match="No solver"):
        osm.ask("Z99.a")
    with pytest.raises(SolverError, match="'south', but the sub-template means 'north'"):
        osm.ask("A02.a", A="a", B="a", direction="south")


def test_a_broken_line_is_named_by_number() -> None:
    question = {"subtemplate": "N01.b", "roles": {"A": "urn:a"}, "params": {}}
    with pytest.raises(SolverError, match="fact 2"):
        solve(question, ["<urn:a> <urn:b> <urn:c> .", "<urn:a> <urn:b> nothing ."])


def test_scope_without_any_containment_fact_is_an_error(world: Any) -> None:
    w = world("worldkg")
    w.add("1", "Point(0 0)", "Cafe")
    with pytest.raises(SolverError, match="containment"):
        w.ask("F01.a", "Cafe", B="2", direction="north")


def test_rows_of_the_benchmark_table_are_read(osm: Any) -> None:
    osm.add("a", "POINT (1 2)")
    row = {
        "subtemplate": "N01.b",
        "roles": json.dumps({"A": {"iri": osm.iri("a"), "name": "a"}}),
        "params": "{}",
    }
    assert solve(row, osm.lines).answer == {"lat": 2, "lon": 1}


def test_every_sub_template_has_a_solver() -> None:
    """A template of one sub-template is found under both its names."""
    subs = load()
    assert set(SOLVERS) == both_names({sub.id for sub in subs})
    assert set(REFUTERS) == both_names({sub.id for sub in subs if sub.false_premise is not None})


def both_names(identities: set[str]) -> set[str]:
    return {name for i in identities for name in (i, i if "." in i else f"{i}.a")}
