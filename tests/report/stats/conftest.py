"""A hand-made benchmark of eleven questions on a hand-made world of fourteen entities, small enough to count by eye.

id   sub-template  asks of                                 stratum     country, continent
02   A01.a         P0, P1                                  LIC low     AAA, Africa
01   A01.a         P3, P4                                  HIC high    BBB, Asia
03   B02.b         cities near Westland: P0, P1, P2        LIC low     AAA, Africa
04   F01.a         airports in Eastland: false premise     HIC high    BBB, Asia
05   F01.a         cities in Westland: P2                  LIC low     AAA, Africa
06   E03.a         cities in Realm: 5                      LIC low     AAA, Africa
07   N01.b         a cafe, shown (worldkg, not at hand)    HIC medium  MCO, Europe
08   I04           a storm that the snapshot lacks         none
09   K01.a         Dateline, Hole                          UMC low     CCC, Oceania
10   B03.b         people round P1: 123456                 LIC low     AAA, Africa
02   A01.a         the first, in French
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from multiglobeqa.build.schema import FACT_SCHEMA, QUESTION_SCHEMA
from multiglobeqa.kg.store import Snapshot

KWGR = "http://stko-kwg.geog.ucsb.edu/lod/resource/"
CAFE = "http://www.worldkg.org/resource/7"
REALM, WEST, EAST, HOLE, DATELINE = (
    KWGR + "administrativeRegion.AAA" + end for end in ("", ".1", ".2", ".3", ".5")
)
CITIES = [f"{KWGR}city.{number}" for number in range(5)]
STORM = KWGR + "stormTrack.X"
PLACES = {
    "LIC": ("AAA", "Africa", "LIC", "low", 1.0, 1.0),
    "HIC": ("BBB", "Asia", "HIC", "high", 3.0, 1.0),
    "UMC": ("CCC", "Oceania", "UMC", "low", 180.0, 0.5),
    "MCO": ("MCO", "Europe", "HIC", "medium", 7.42, 43.73),
    "none": (None, None, None, None, None, None),
}
TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
FACTS = [
    f"<{CAFE}> {TYPE} <http://www.worldkg.org/schema/Cafe> .",
    f'<{CAFE}> <http://www.w3.org/2000/01/rdf-schema#label> "Bar {TYPE} <x>" .',
    f"<{CITIES[0]}> {TYPE} <http://stko-kwg.geog.ucsb.edu/lod/ontology/City15000> .",
    *(f"<urn:{n}> <urn:p> <urn:o> ." for n in range(7)),
]


def question(
    number: int,
    subtemplate: str,
    form: str,
    gold: Any,
    place: str,
    roles: dict[str, str],
    facts: int,
    *,
    members: list[str] | None = None,
    params: dict[str, Any] | None = None,
    wording: int = 1,
    **more: Any,
) -> dict[str, Any]:
    country, continent, income, density, lon, lat = PLACES[place]
    return {
        "id": f"{number:016x}",
        "kg": "knowwheregraph",
        "snapshot_id": "",
        "family": subtemplate[0],
        "template": subtemplate[:3],
        "subtemplate": subtemplate,
        "paraphrase": f"{subtemplate}.{wording}",
        "language": "eng",
        "question": f"Question {number}?",
        "question_en": f"Question {number}?",
        "scale_hint": None,
        "format": form,
        "unit": None,
        "gold": None if gold is None else json.dumps(gold),
        "accepted": [],
        "accepted_iris": [],
        "roles": json.dumps({role: {"iri": iri, "name": role} for role, iri in roles.items()}),
        "params": json.dumps(params or {}),
        "entities": [*roles.values(), *(members or [])],
        "country": country,
        "continent": continent,
        "subregion": None,
        "income": income,
        "density": density,
        "lon": lon,
        "lat": lat,
        "source": "template",
        "question_type": "numeric",
        "depth": "relation",
        "premise": gold is not None,
        "premise_failure": "no_member" if gold is None else None,
        "derived_from": None,
        "modality": "text",
        "image": None,
        "fact_ids": list(range(facts)),
        "slips": "{}",
        "query": "A/A01.yaml",
    } | more


def questions(snapshot_id: str) -> list[dict[str, Any]]:
    city = {"class": "city15000"}
    shown = json.dumps({"iri": CAFE, "source": "commons", "name": "Cafe.jpg"})
    rows = [
        question(2, "A01.a", "distance", 55.7, "LIC", {"A": CITIES[0], "B": CITIES[1]}, 4, slips='{"planar": 55.66}'),
        question(1, "A01.a", "distance", 156.9, "HIC", {"A": CITIES[3], "B": CITIES[4]}, 2, wording=2),
        question(3, "B02.b", "set", ["P0", "P1", "P2"], "LIC", {"B": WEST}, 10, members=CITIES[:3], params=city),
        question(4, "F01.a", "entity", None, "HIC", {"B": EAST}, 3, params={"class": "iata_airport"}),
        question(5, "F01.a", "entity", "P2", "LIC", {"B": WEST}, 6, members=[CITIES[2]], params=city),
        question(6, "E03.a", "count", 5, "LIC", {"A": REALM}, 10, members=CITIES, params={"classes": ["city15000"]}),
        question(7, "N01.b", "point", {"lat": 43.73, "lon": 7.42}, "MCO", {"A": CAFE}, 2, kg="worldkg",
                 modality="image", image=shown),
        question(8, "I04", "area", 1000.5, "none", {"A": STORM}, 9),
        question(9, "K01.a", "boolean", True, "UMC", {"A": DATELINE, "B": HOLE}, 4),
        question(10, "B03.b", "count", 123456, "LIC", {"A": CITIES[1]}, 5),
    ]  # fmt: skip
    rows.append(rows[0] | {"language": "fra", "question": "Quelle distance ?"})
    for row in rows:
        row["snapshot_id"] = snapshot_id if row["kg"] == "knowwheregraph" else "worldkg-00000000000000bb"
    return rows


def write_benchmark(folder: Path, rows: list[dict[str, Any]]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows, schema=QUESTION_SCHEMA), folder / "questions.parquet")
    facts = [{"fact_id": number, "triple": line} for number, line in enumerate(FACTS)]
    pq.write_table(pa.Table.from_pylist(facts, schema=FACT_SCHEMA), folder / "facts.parquet")
    return folder


@pytest.fixture(scope="session")
def world_rows(small_rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """P3, P4 and Eastland lie in BBB, Asia, high income; Dateline in CCC, Oceania; the rest in AAA, Africa, LIC."""
    moved = {CITIES[3]: "HIC", CITIES[4]: "HIC", EAST: "HIC", DATELINE: "UMC"}
    rows = []
    for row in small_rows:
        country, continent, income, density, _, _ = PLACES[moved.get(row["iri"], "LIC")]
        rows.append(row | {"country": country, "continent": continent, "income": income, "density": density})
    return rows


@pytest.fixture(scope="session")
def snapshot(
    tmp_path_factory: pytest.TempPathFactory,
    make_snapshot: Callable[..., Snapshot],
    world_rows: list[dict[str, Any]],
) -> Snapshot:
    return make_snapshot(tmp_path_factory.mktemp("stats") / "bench" / "kg" / "north", world_rows)


@pytest.fixture(scope="session")
def rows(snapshot: Snapshot) -> list[dict[str, Any]]:
    return questions(snapshot.snapshot_id)


@pytest.fixture(scope="session")
def benchmark(snapshot: Snapshot, rows: list[dict[str, Any]]) -> Path:
    """The benchmark folder, with the snapshot in its folder ``kg``."""
    return write_benchmark(snapshot.path.parent.parent, rows)
