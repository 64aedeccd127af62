"""The eight operators on the hand-made world: each value can be checked by eye or by one formula."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from multiglobeqa.engine import DuckEngine, run_operator
from multiglobeqa.engine.duck import connect
from multiglobeqa.errors import EngineError
from multiglobeqa.kg.store import Snapshot

EQUATOR_KM = 111.31949
MERIDIAN_KM = 110.5743


@pytest.fixture(scope="module")
def engine(
    tmp_path_factory: pytest.TempPathFactory,
    make_snapshot: Callable[..., Snapshot],
    small_rows: list[dict[str, Any]],
) -> Iterator[DuckEngine]:
    yield DuckEngine([make_snapshot(tmp_path_factory.mktemp("small"), small_rows)])


def named(engine: DuckEngine, text: str) -> list[tuple[Any, ...]]:
    """Rows of a query as tuples."""
    return [tuple(row.values()) for row in engine.query(text).to_pylist()]


def run(engine: DuckEngine, operator: str, columns: str, **arguments: Any) -> list[tuple[Any, ...]]:
    """Run an operator and return the named columns with ids replaced by names."""
    run_operator(engine, operator, "found", arguments)
    joins = {
        "left": "JOIN entity l ON l.id = f.left_id JOIN entity r ON r.id = f.right_id",
        "id": "JOIN entity e ON e.id = f.id",
        "child": "JOIN entity c ON c.id = f.child_id JOIN entity p ON p.id = f.parent_id",
    }
    key = "left" if "l.name" in columns else "child" if "c.name" in columns else "id"
    listed = ", ".join(f"{text} AS c{i}" for i, text in enumerate(columns.split(", ")))
    return named(engine, f"SELECT {listed} FROM found f {joins[key]} ORDER BY ALL")


def of(*names: str) -> str:
    """A relation of the entities of these names."""
    listed = ", ".join(f"'{name}'" for name in names)
    return f"SELECT id FROM entity WHERE name IN ({listed})"


def pairs(*couples: tuple[str, str]) -> str:
    """A relation of pairs of names."""
    return " UNION ALL ".join(
        f"SELECT l.id AS left_id, r.id AS right_id FROM entity l, entity r WHERE l.name = '{a}' AND r.name = '{b}'"
        for a, b in couples
    )


def test_axis_order_is_asserted_at_connect() -> None:
    connection = connect()
    (metres,) = connection.execute(
        "SELECT ST_Distance_Spheroid(ST_Point(8.570556, 50.033333), ST_Point(11.786111, 48.353889))"
    ).fetchone() or (0.0,)
    assert metres == pytest.approx(299_648, abs=1)


def test_within_distance_of_points(engine: DuckEngine) -> None:
    cities = "SELECT id FROM entity WHERE class = 'city15000'"
    found = run(
        engine, "within_distance", "l.name, r.name, f.distance_km", left=of("P1"), right=cities, radius_km=60
    )
    assert [(a, b) for a, b, _ in found] == [("P1", "P0"), ("P1", "P2")]
    assert found[0][2] == pytest.approx(0.5 * EQUATOR_KM * np.cos(np.radians(0.5)), rel=1e-4)


def test_within_distance_along_edges(engine: DuckEngine) -> None:
    found = run(
        engine,
        "within_distance",
        "l.name, r.name, f.distance_km",
        left=of("P0", "P3"),
        right=of("Eastland"),
        radius_km=200,
    )
    assert found[1] == ("P3", "Eastland", 0.0)
    assert found[0][2] == pytest.approx(1.5 * EQUATOR_KM * np.cos(np.radians(0.5)), rel=1e-4)


def test_within_distance_centres(engine: DuckEngine) -> None:
    run_operator(
        engine,
        "within_distance",
        "found",
        {"left": of("Westland"), "right": of("Eastland"), "radius_km": 300, "centres": True},
    )
    (row,) = named(engine, "SELECT distance_km FROM found")
    assert row[0] == pytest.approx(2 * EQUATOR_KM * np.cos(np.radians(1)), rel=1e-3)


def test_nearest_ranks_without_the_entity_itself(engine: DuckEngine) -> None:
    cities = "SELECT id FROM entity WHERE class = 'city15000'"
    found = run(engine, "nearest", "l.name, f.rank, r.name", left=of("P1"), right=cities, k=3)
    assert {(a, r) for a, r, _ in found} == {("P1", 1), ("P1", 2), ("P1", 3)}
    assert [b for _, _, b in found][2] == "P3"
    assert {b for _, _, b in found[:2]} == {"P0", "P2"}


def test_nearest_in_groups(engine: DuckEngine) -> None:
    right = "SELECT id, class FROM entity WHERE class IN ('city15000', 'admin1')"
    run_operator(engine, "nearest", "found", {"left": of("P3"), "right": right, "k": 1, "by": "class"})
    rows = named(
        engine,
        'SELECT f."group", r.name, f.distance_km FROM found f JOIN entity r ON r.id = f.right_id ORDER BY 1',
    )
    assert [row[:2] for row in rows] == [("admin1", "Eastland"), ("city15000", "P2")]
    assert rows[0][2] == 0


def test_topology_relations(engine: DuckEngine) -> None:
    left = of("Westland", "Hole", "Realm")
    run_operator(
        engine, "topology", "found", {"left": left, "right": "SELECT id FROM entity WHERE kind = 'surface'"}
    )
    rows = named(
        engine,
        "SELECT l.name AS a, r.name AS b, touches, overlapping, covers, dimension FROM found f JOIN entity l ON l.id = left_id "
        "JOIN entity r ON r.id = right_id ORDER BY 1, 2",
    )
    assert rows == [
        ("Hole", "Plug", True, False, False, -1),
        ("Realm", "Eastland", False, False, True, 2),
        ("Realm", "Pond", False, False, True, 2),
        ("Realm", "Westland", False, False, True, 2),
        ("Westland", "Eastland", True, False, False, -1),
        ("Westland", "Pond", False, True, False, 2),
        ("Westland", "Realm", False, False, False, 2),
    ]


def test_pair_measures(engine: DuckEngine) -> None:
    run_operator(
        engine,
        "pair",
        "found",
        {"pairs": pairs(("Long Road", "Cross Road")), "of": ["crossing_points", "shares_segment"]},
    )
    assert named(engine, "SELECT crossing_points, shares_segment FROM found") == [(1, False)]
    run_operator(
        engine, "pair", "found", {"pairs": pairs(("Westland", "Eastland")), "of": ["shared_boundary_km"]}
    )
    assert named(engine, "SELECT * FROM found")[0][2] == pytest.approx(2 * MERIDIAN_KM, rel=1e-4)
    run_operator(
        engine, "pair", "found", {"pairs": pairs(("Pond", "Westland")), "of": ["intersection_area_km2"]}
    )
    area = 0.1 * EQUATOR_KM * np.cos(np.radians(1)) * 0.2 * MERIDIAN_KM
    assert named(engine, "SELECT * FROM found")[0][2] == pytest.approx(area, rel=1e-3)
    run_operator(engine, "pair", "found", {"pairs": pairs(("Long Road", "Eastland")), "of": ["inside_km"]})
    assert named(engine, "SELECT * FROM found")[0][2] == pytest.approx(
        1.5 * EQUATOR_KM * np.cos(np.radians(1)), rel=1e-3
    )


def test_boundary_distance_inside_and_outside(engine: DuckEngine) -> None:
    found = run(
        engine,
        "boundary_distance",
        "l.name, f.inside, f.distance_km",
        pairs=pairs(("P0", "Westland"), ("P3", "Westland")),
    )
    assert [row[:2] for row in found] == [("P0", True), ("P3", False)]
    assert found[0][2] == pytest.approx(0.5 * MERIDIAN_KM, rel=1e-4)
    assert found[1][2] == pytest.approx(0.5 * EQUATOR_KM * np.cos(np.radians(0.5)), rel=1e-4)


def test_measures_of_surfaces(engine: DuckEngine) -> None:
    found = run(
        engine,
        "measure",
        "e.name, f.area_km2, f.perimeter_km, f.west, f.east",
        ids=of("Dateline", "Plug"),
        of=["area_km2", "perimeter_km", "box"],
    )
    square = EQUATOR_KM * MERIDIAN_KM
    dateline, plug = found
    assert dateline[1] == pytest.approx(2 * square, rel=1e-3)
    assert dateline[2] == pytest.approx(2 * MERIDIAN_KM + 4 * EQUATOR_KM, rel=1e-3)  # no length on the seam
    assert dateline[3:] == (179.0, -179.0)
    assert plug[1] == pytest.approx(square, rel=1e-3)


def test_measures_of_pairs_and_triples(engine: DuckEngine) -> None:
    run_operator(
        engine,
        "measure",
        "found",
        {"pairs": pairs(("P3", "P4")), "of": ["azimuth_deg", "north_km", "east_km"]},
    )
    ((azimuth, north, east),) = named(engine, "SELECT azimuth_deg, north_km, east_km FROM found")
    assert 44.5 < azimuth < 45.5
    assert north == pytest.approx(MERIDIAN_KM, rel=1e-4)
    assert east == pytest.approx(EQUATOR_KM, rel=1e-3)
    triples = "SELECT a.id AS a_id, b.id AS b_id, c.id AS c_id FROM entity a, entity b, entity c WHERE a.name = 'P4' AND b.name = 'P0' AND c.name = 'P3'"
    run_operator(engine, "measure", "found", {"triples": triples, "of": []})
    ((cross,),) = named(engine, "SELECT cross_km FROM found")
    assert cross == pytest.approx(-MERIDIAN_KM, rel=1e-2)  # north of an eastward route: left


def test_cells(engine: DuckEngine) -> None:
    found = run(engine, "cells", "e.name, f.cell", ids=of("P0"), system="s2", resolution=10)
    assert len(found) == 1 and found[0][0] == "P0"
    run_operator(engine, "cells", "found", {"pairs": pairs(("P0", "P1")), "system": "h3"})
    ((cell, resolution),) = named(engine, "SELECT cell, resolution FROM found")
    assert resolution >= 0 and len(cell) == 15


def test_hierarchy_up_and_down(engine: DuckEngine) -> None:
    assert run(engine, "hierarchy", "c.name, f.depth, p.name", ids=of("P0")) == [
        ("P0", 1, "Westland"),
        ("P0", 2, "Realm"),
    ]
    below = run(engine, "hierarchy", "c.name, f.depth", ids=of("Westland"), descendants=True)
    assert below == [("Cross Road", 1), ("P0", 1), ("P1", 1), ("P2", 1)]


@pytest.mark.parametrize(
    ("operator", "arguments", "message"),
    [
        ("within_distance", {"left": "entity"}, "'right' is missing"),
        ("measure", {"ids": "entity", "of": ["beauty"]}, "no measure 'beauty'"),
        (
            "pair",
            {"pairs": "SELECT id AS left_id, CAST(NULL AS BIGINT) AS right_id FROM entity", "of": []},
            "holds nulls",
        ),
    ],
)
def test_bad_arguments_are_named(
    engine: DuckEngine, operator: str, arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(EngineError, match=message):
        run_operator(engine, operator, "found", arguments)


def test_edge_of_the_covered_extent(
    tmp_path: Path, make_snapshot: Callable[..., Snapshot], small_rows: list[dict[str, Any]]
) -> None:
    coverage = "POLYGON((0.25 0.25,3 0.25,3 1.75,0.25 1.75,0.25 0.25))"
    bounded = DuckEngine([make_snapshot(tmp_path, small_rows, coverage)])
    rows = dict(named(bounded, "SELECT name, edge_km FROM entity WHERE name IN ('P0', 'P4')"))
    assert rows["P4"] == 0
    assert rows["P0"] == pytest.approx(0.25 * MERIDIAN_KM, rel=1e-3)
    assert named(bounded, "SELECT covered, extent FROM entity WHERE name = 'Long Road'") == [(False, "north")]
