"""The draw of a step: countries take turns in a cell, classes in a country, by MD5; rows left behind early change nothing."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from typing import Any

import pytest

from multiglobeqa.build import embedded_snapshots
from multiglobeqa.build.candidates import _draw_sql
from multiglobeqa.engine import DuckEngine
from multiglobeqa.kg.store import open_snapshot
from multiglobeqa.taxonomy.model import Step


@pytest.fixture(scope="module")
def world() -> DuckEngine:
    return DuckEngine([open_snapshot(path) for path in embedded_snapshots() if path.name == "knowwheregraph"])


def numbered(rows: list[dict[str, Any]], group: tuple[str, ...], order: tuple[str, ...], name: str) -> None:
    """Number the rows of each group in the order of columns."""
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        groups[tuple(row[key] for key in group)].append(row)
    for members in groups.values():
        members.sort(key=lambda row: tuple(row[key] for key in order))
        for number, row in enumerate(members, 1):
            row[name] = number


@pytest.mark.parametrize("quota", [1, 7, 60, 10**8])
def test_draw_is_that_of_the_whole_ranking(world: DuckEngine, quota: int) -> None:
    step = Step.model_validate({"as": "a", "draw": "kind IN ('point', 'surface')", "per_cell": quota})
    found = world.query(_draw_sql(step, "7/X01/", 1.0, "true"))
    rows = world.query(
        "SELECT id, iri, cell, country, class FROM entity WHERE cell IS NOT NULL AND kind IN ('point', 'surface')"
    ).to_pylist()
    for row in rows:
        row["pick"] = hashlib.md5(f"7/X01/a/{row['iri']}".encode()).hexdigest()
    numbered(rows, ("cell", "country", "class"), ("pick",), "class_turn")
    numbered(rows, ("cell", "country"), ("class_turn", "pick"), "country_turn")
    numbered(rows, ("cell",), ("country_turn", "pick"), "n")
    expected = {(row["id"], row["n"]) for row in rows if row["n"] <= quota}
    assert {(row["id"], row["n"]) for row in found.to_pylist()} == expected
    assert len(expected) > min(11 * quota, 40_000)
