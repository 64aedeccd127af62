"""Ways are told from towns: a road, path or waterway of an extract says what it is."""

from __future__ import annotations

import pytest

from multiglobeqa.build.naming import Namer
from multiglobeqa.build.pipeline import embedded_snapshots
from multiglobeqa.engine.duck import DuckEngine
from multiglobeqa.kg import classes
from multiglobeqa.kg.store import open_snapshot


@pytest.fixture(scope="module")
def engine() -> DuckEngine:
    path = next(path for path in embedded_snapshots() if path.name == "osmh3kg")
    return DuckEngine([open_snapshot(path)], threads=1)


@pytest.mark.parametrize(
    ("number", "spoken"),
    [
        ("way/34178476", "Araman (road, Lebanon)"),
        ("way/665841144", "Promenade Honoré II (road, Monaco)"),
        ("node/5028573891", "Sarar (Lebanon)"),
        ("relation/47", "Liechtenstein (administrative area, OSM level 2, Liechtenstein)"),
    ],
)
def test_a_way_says_that_it_is_one(engine: DuckEngine, number: str, spoken: str) -> None:
    rows = engine.query(f"SELECT id FROM entity WHERE iri = 'https://www.openstreetmap.org/{number}'")
    assert Namer(engine).name(rows["id"][0].as_py(), placed=True).text == spoken


def test_squares_are_never_counted() -> None:
    """Most squares of a town are pedestrian areas without place=square, so a set of squares is never whole."""
    assert classes.load()["square"].generic
