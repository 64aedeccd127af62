"""Ways are told from towns: a road, path or waterway of an extract says what it is."""

from __future__ import annotations

import pytest

from multiglobeqa.build.naming import COORDINATES, UNTOLD, Namer
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
        ("node/5028573891", "Sarar (clothes shop, Lebanon)"),
        ("relation/47", "Liechtenstein (administrative area, OSM level 2, Liechtenstein)"),
    ],
)
def test_a_way_or_a_venue_says_what_it_is(engine: DuckEngine, number: str, spoken: str) -> None:
    rows = engine.query(f"SELECT id FROM entity WHERE iri = 'https://www.openstreetmap.org/{number}'")
    assert Namer(engine).name(rows["id"][0].as_py(), placed=True).text == spoken


def test_squares_are_never_counted() -> None:
    """Most squares of a town are pedestrian areas without place=square, so a set of squares is never whole."""
    assert classes.load()["square"].generic


def test_the_context_does_not_hold_what_is_asked(engine: DuckEngine) -> None:
    """Asked whether Araman is in Lebanon, the name must not say so; the class alone tells it apart."""
    rows = engine.query("SELECT id FROM entity WHERE iri = 'https://www.openstreetmap.org/way/34178476'")
    road = rows["id"][0].as_py()
    assert Namer(engine).name(road, placed=True, unsaid=frozenset({"lebanon"})).text == "Araman (road)"


@pytest.mark.parametrize(
    ("number", "context"),
    [
        ("way/808387086", UNTOLD),  # Place du Casino, one of two stretches in Monaco
        ("way/808387085", UNTOLD),
    ],
)
def test_a_stretch_of_a_street_is_not_told_apart(engine: DuckEngine, number: str, context: str) -> None:
    rows = engine.query(f"SELECT id FROM entity WHERE iri = 'https://www.openstreetmap.org/{number}'")
    namer = Namer(engine)
    namer.prepare([rows["id"][0].as_py()])
    assert namer.name(rows["id"][0].as_py(), placed=True).context == context


def test_two_streets_of_one_name_are_told_by_their_place(engine: DuckEngine) -> None:
    """Namesakes farther off than 2 km are two streets, and coordinates say which."""
    rows = engine.query("SELECT id FROM entity WHERE class = 'road' AND name = 'Landstrasse' ORDER BY id")
    namer = Namer(engine)
    contexts = {namer.name(row, placed=True).context for row in rows["id"].to_pylist()}
    assert COORDINATES in contexts
