"""Slips (TAXONOMY rule 11): what they answer, and which take a question out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from multiglobeqa.build import slips
from multiglobeqa.build.gold import Instance, instance
from multiglobeqa.engine import DuckEngine
from multiglobeqa.kg.store import Snapshot
from multiglobeqa.taxonomy import SubTemplate, load


@pytest.fixture(scope="module")
def engine(
    tmp_path_factory: pytest.TempPathFactory,
    make_snapshot: Callable[..., Snapshot],
    small_rows: list[dict[str, Any]],
) -> DuckEngine:
    return DuckEngine([make_snapshot(tmp_path_factory.mktemp("kg"), small_rows)], threads=1)


@pytest.fixture(scope="module")
def ids(engine: DuckEngine) -> dict[str, int]:
    table = engine.query("SELECT name, id FROM entity ORDER BY id")
    return dict(zip(table["name"].to_pylist(), table["id"].to_pylist(), strict=True))


def sub_of(identity: str, **changes: Any) -> SubTemplate:
    (sub,) = load(only=[identity])
    return sub.model_copy(update={"slips": {}, **changes})


def place(sub: SubTemplate, **columns: Any) -> dict[str, Any]:
    return {"_cell": "LIC/low", "_country": "AAA", "_class": "city", **columns}


def made(sub: SubTemplate, **columns: Any) -> Instance:
    found, cause = instance(sub, place(sub, **columns))
    assert found is not None, cause
    return found


def test_a_binding_slip_within_twice_the_tolerance_takes_the_question_out(engine: DuckEngine) -> None:
    """Gold 100 km: tau is 5 km, a next-nearest at 109 km would pass for it, one at 111 km would not."""
    sub = sub_of("A01.a")
    near = made(sub, A=1, B=2, answer=100.0, slip_rank=109.0)
    far = made(sub, A=1, B=2, answer=100.0, slip_rank=111.0)
    kept, discards = slips.binding(engine, [near, far])
    assert kept == [far] and dict(discards) == {"slip_rank_within_tolerance": 1}
    assert far.slips == {"rank": 111.0}


def test_a_hint_within_tolerance_is_not_stored_and_takes_nothing_out(engine: DuckEngine) -> None:
    sub = sub_of("A01.a")
    near = made(sub, A=1, B=2, answer=100.0, hint_planar=109.0)
    far = made(sub, A=1, B=2, answer=100.0, hint_planar=140.0)
    kept, discards = slips.binding(engine, [near, far])
    slips.complete(engine, kept)
    assert (len(kept), dict(discards)) == (2, {})
    assert (near.slips, far.slips) == ({}, {"planar": 140.0})


def test_counts_keep_slips_that_differ_by_one(engine: DuckEngine) -> None:
    sub = sub_of("B01.b")
    found = made(sub, B=1, answer=7, slip_centres=8, slip_same=7)
    kept, _ = slips.binding(engine, [found])
    slips.complete(engine, kept)
    assert kept[0].slips == {"centres": 8}


def test_centres_in_place_of_edges_bind(engine: DuckEngine, ids: dict[str, int]) -> None:
    """Pond (0.2 degrees wide) and P4: 1.6 degrees between edge and point, 1.7 between centres: within 2 tau."""
    sub = sub_of("A01.b", slips={"centroid": ("A", "B"), "vertex": ("A", "B")})
    pond = made(sub, A=ids["Pond"], B=ids["P4"], answer=163.0)
    wide = made(sub, A=ids["Eastland"], B=ids["Pond"], answer=20.0)
    kept, discards = slips.binding(engine, [pond, wide])
    assert kept == [wide] and dict(discards) == {"slip_centroid_within_tolerance": 1}
    assert wide.slips["centroid"] == pytest.approx(111.3195, rel=2e-4)
    slips.complete(engine, kept)
    assert wide.slips["vertex"] == pytest.approx(100.0, rel=0.02)  # (2.1, 0.9 or 1.1) to (2, 0) or (2, 2)


def test_planar_and_mercator(engine: DuckEngine, ids: dict[str, int]) -> None:
    """At the equator both planes are right within 1 %: nothing to store; with a gold of half, both are."""
    sub = sub_of("A01.a", slips={"planar": ("A", "B"), "mercator": ("A", "B")})
    right = made(sub, A=ids["P0"], B=ids["P2"], answer=111.3195)
    wrong = made(sub, A=ids["P0"], B=ids["P2"], answer=55.66)
    slips.complete(engine, [right, wrong])
    assert right.slips == {}
    assert wrong.slips["planar"] == pytest.approx(111.32)
    assert wrong.slips["mercator"] == pytest.approx(111.3195, rel=1e-4)


def test_area_on_the_web_mercator_plane(engine: DuckEngine, ids: dict[str, int]) -> None:
    sub = sub_of("I04", slips={"mercator": ("A",)})
    found = made(sub, A=ids["Realm"], answer=10_000.0)
    slips.complete(engine, [found])
    assert found.slips["mercator"] == pytest.approx(4 * 2 * 111.3195**2, rel=1e-3)


def test_points_boxes_and_directions(engine: DuckEngine, ids: dict[str, int]) -> None:
    point = sub_of("N01.a", slips={"axes_swapped": (), "box_centre": ("A",)})
    found = made(point, A=ids["Dateline"], answer_lat=0.5, answer_lon=170.0)
    slips.complete(engine, [found])
    assert found.slips == {"box_centre": {"lat": 0.5, "lon": -180.0}}, "170 is no latitude"
    west = made(point, A=ids["Realm"], answer_lat=30.0, answer_lon=60.0)
    slips.complete(engine, [west])
    assert west.slips["axes_swapped"] == {"lat": 60.0, "lon": 30.0}
    polar = sub_of("M01", slips={"from_other_end": ("A", "B")})
    back = made(polar, A=ids["P0"], B=ids["P2"], answer_azimuth_deg=270.0, answer_distance_km=111.3)
    slips.complete(engine, [back])
    assert back.slips["from_other_end"]["azimuth_deg"] == pytest.approx(90.0, abs=0.1)
    assert back.slips["from_other_end"]["distance_km"] == 111.3


def test_winds_and_sides(engine: DuckEngine) -> None:
    rose = sub_of("J04.b", slips={"opposite": (), "neighbours": ()})
    found = made(rose, A=1, B=2, answer="north")
    slips.complete(engine, [found])
    assert found.slips == {"neighbours": ["northwest", "northeast"], "opposite": "south"}
    side = sub_of("J02", slips={"opposite": ()})
    turned = made(side, A=1, B=2, C=3, answer="left")
    slips.complete(engine, [turned])
    assert turned.slips == {"opposite": "right"}


@pytest.mark.parametrize(
    ("identity", "cell", "coarser", "finer", "around"),
    [
        ("M02.a", "87754e649ffffff", "86754e64fffffff", "88754e6491fffff", 6),
        ("M02.c", "s0", "s", "s00", 8),
    ],
)
def test_cells(
    engine: DuckEngine, ids: dict[str, int], identity: str, cell: str, coarser: str, finer: str, around: int
) -> None:
    """The coarser and finer cells of the entity's point, and the cells around the answer."""
    sub = sub_of(identity, slips={"coarser": ("A",), "finer": ("A",), "neighbour_cells": ()})
    found = made(sub, A=ids["P0"], answer=cell, p_resolution=7)
    slips.complete(engine, [found])
    assert len(found.slips["coarser"]) == len(coarser) and len(found.slips["finer"]) == len(finer)
    assert len(set(found.slips["neighbour_cells"]) - {cell}) == around


def test_entities_and_sets_that_are_the_answer_are_no_slips(engine: DuckEngine) -> None:
    entity = made(sub_of("F01.a"), B=1, answer_ids=[5], p_class="city", slip_opposite=6, slip_same=5)
    several = made(
        sub_of("B02.b"), B=1, answer_ids=[5, 6], p_class="city", slip_all=[6, 5], slip_more=[5, 6, 7]
    )
    for found in (entity, several):
        kept, _ = slips.binding(engine, [found])
        slips.complete(engine, kept)
    assert entity.slips == {"opposite": [6]}
    assert several.slips == {"more": [5, 6, 7]}


def test_templates_name_known_slips() -> None:
    named = {name for sub in load() for name in sub.slips}
    assert named <= set(slips.NAMES)
