"""First contact of a storm's winds: worked out by hand on the equator, where a degree is 111.3195 km long."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import shapely

from multiglobeqa.engine import DuckEngine, run_operator
from multiglobeqa.errors import EngineError
from multiglobeqa.kg.store import Snapshot

DEGREE_KM = 111.3195
ONE_DEGREE = 2 * DEGREE_KM / 1.852
"""Diameter in nautical miles of winds that reach one degree far."""


def fixes(lon: list[float], diameters: list[float | None], lat: float = 0.0) -> list[list[Any]]:
    """One fix each 6 hours from the first of August 2005."""
    return [
        [f"2005-08-{1 + k // 4:02d}T{6 * (k % 4):02d}:00:00Z", x, lat, d]
        for k, (x, d) in enumerate(zip(lon, diameters, strict=True))
    ]


STORMS: dict[str, list[list[Any]]] = {
    "steady": fixes([0, 2, 4, 6, 8], [ONE_DEGREE] * 5),
    "gap": fixes([0, 2, 4, 6, 8], [ONE_DEGREE, None, ONE_DEGREE, ONE_DEGREE, ONE_DEGREE]),
    "growing": fixes([0, 0], [0.0, 2 * ONE_DEGREE]),
    "seam": fixes([177, 179, -179, -177], [ONE_DEGREE] * 4),
    "bare": fixes([0, 2], [None, None]),
}
AREAS = {
    "ahead": (6.5, -1.0, 7.0, 1.0),  # reached with the centre at 5.5, three quarters of the way from 4 to 6
    "around": (-0.5, -0.5, 0.5, 0.5),
    "beside": (2.5, 0.99 * DEGREE_KM / 110.574, 3.0, 2.0),  # 0.99 degrees off the track
    "beyond": (
        2.5,
        1.04 * DEGREE_KM / 110.574,
        3.0,
        2.0,
    ),  # 1.04 degrees: not reached, but 5 % wider winds reach it
    "far": (2.5, 20.0, 3.0, 21.0),
    "shore": (1.5, -1.0, 2.0, 1.0),  # 1.5 degrees from a storm that stands still
    "east": (-178.0, -1.0, -177.5, 1.0),
}


@pytest.fixture(scope="module")
def engine(
    tmp_path_factory: pytest.TempPathFactory,
    make_snapshot: Callable[..., Snapshot],
    small_rows: list[dict[str, Any]],
) -> DuckEngine:
    model = small_rows[0]
    rows = []
    for name, (west, south, east, north) in AREAS.items():
        box = shapely.box(west, south, east, north)
        rows.append(
            {
                **model,
                "iri": f"urn:{name}",
                "name": name,
                "class": "admin1",
                "kind": "surface",
                "geometry": box.wkb,
            }
        )
    for name, track in STORMS.items():
        middle = shapely.LineString([(0, 0), (1, 0)])
        attributes = json.dumps({"fixes": track})
        rows.append(
            {**model, "iri": f"urn:{name}", "name": name, "class": "storm", "kind": "line", "geometry": middle.wkb,
             "area_km2": None, "attributes": attributes}
        )  # fmt: skip
    return DuckEngine([make_snapshot(tmp_path_factory.mktemp("winds"), rows)], threads=1)


def contact(engine: DuckEngine, storm: str, area: str) -> dict[str, Any]:
    pairs = f"SELECT s.id AS left_id, a.id AS right_id FROM entity s, entity a WHERE s.name = '{storm}' AND a.name = '{area}'"
    run_operator(engine, "pair", "found", {"pairs": pairs, "of": ["winds"]})
    (row,) = engine.query("SELECT * FROM found").to_pylist()
    return dict(row)


def seconds(text: str) -> float:
    return float(np.datetime64(text.removesuffix("Z"), "s").astype(float))


def test_contact_between_two_fixes(engine: DuckEngine) -> None:
    found = contact(engine, "steady", "ahead")
    assert abs(seconds(found["contact"]) - seconds("2005-08-01T16:30:00Z")) < 10
    # winds 5 % wider reach it when the centre is at 5.45, those 5 % narrower when it is at 5.55: 540 s each way
    assert abs(seconds(found["wider"]) - seconds("2005-08-01T16:21:00Z")) < 10
    assert abs(seconds(found["narrower"]) - seconds("2005-08-01T16:39:00Z")) < 10
    assert (found["from_fix"], found["to_fix"]) == ("2005-08-01T12:00:00Z", "2005-08-01T18:00:00Z")
    assert found["first_inside"] is None and found["start"] == "2005-08-01T00:00:00Z"
    assert found["known"] and found["complete"]
    assert found["greatest_km"] == pytest.approx(DEGREE_KM)


def test_a_storm_that_begins_over_the_area(engine: DuckEngine) -> None:
    found = contact(engine, "steady", "around")
    assert found["wider"] == found["contact"] == found["start"] == found["first_inside"]


def test_margins_of_the_radius(engine: DuckEngine) -> None:
    beside, beyond, far = (contact(engine, "steady", name) for name in ("beside", "beyond", "far"))
    assert beside["contact"] and beside["wider"] < beside["contact"] and beside["narrower"] is None
    assert beyond["wider"] and beyond["contact"] is None
    assert far["wider"] is None and far["complete"]


def test_fixes_without_a_diameter(engine: DuckEngine) -> None:
    found = contact(engine, "gap", "ahead")
    assert abs(seconds(found["contact"]) - seconds("2005-08-01T16:30:00Z")) < 10
    assert not found["known"] and not found["complete"]
    assert contact(engine, "bare", "around")["contact"] is None


def test_growing_winds(engine: DuckEngine) -> None:
    # from 0 to 2 degrees in six hours: 1.5 degrees after four and a half
    found = contact(engine, "growing", "shore")
    assert abs(seconds(found["contact"]) - seconds("2005-08-01T04:30:00Z")) < 10


def test_across_the_antimeridian(engine: DuckEngine) -> None:
    # the western edge at 178 W is reached with the centre at 179 W, the third fix
    found = contact(engine, "seam", "east")
    assert abs(seconds(found["contact"]) - seconds("2005-08-01T12:00:00Z")) < 10


def test_swept_areas_and_completeness(engine: DuckEngine) -> None:
    ids = "SELECT id FROM entity WHERE name IN ('steady', 'gap')"
    run_operator(engine, "measure", "once", {"ids": ids, "of": ["swept_km2"]})
    run_operator(engine, "measure", "twice", {"ids": ids, "of": ["swept_km2"], "factor": 2.0})
    run_operator(engine, "measure", "whole", {"ids": ids, "of": ["winds_complete"]})
    rows = engine.query(
        "SELECT e.name, o.swept_km2 AS once, t.swept_km2 AS twice, w.winds_complete AS whole FROM once o "
        "JOIN twice t USING (id) JOIN whole w USING (id) JOIN entity e USING (id) ORDER BY e.name"
    ).to_pylist()
    assert [(row["name"], row["whole"]) for row in rows] == [("gap", False), ("steady", True)]
    steady = rows[1]
    assert steady["once"] == pytest.approx(
        (16 + np.pi) * DEGREE_KM**2, rel=5e-3
    )  # 8 long, 2 wide, two half discs
    assert steady["twice"] == pytest.approx((32 + 4 * np.pi) * DEGREE_KM**2, rel=5e-3)


def test_only_storms_have_winds(engine: DuckEngine) -> None:
    with pytest.raises(EngineError, match="no fixes"):
        contact(engine, "far", "ahead")
