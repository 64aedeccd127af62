"""Thirty questions about four cafés on the equator, where a degree is 6378.137 x pi / 180 km."""

from __future__ import annotations

import json
from dataclasses import dataclass
from math import pi
from typing import Any

import pyarrow as pa
import pytest

from multiglobeqa.build.schema import FACT_SCHEMA, QUESTION_SCHEMA

DEGREE_KM = 6378.137 * pi / 180
CAFES = {"Café Uno": 0.0, "Café Due": 0.1, "Café Tre": 0.3, "Café Quattro": 0.6}
IRIS = {name: f"https://www.openstreetmap.org/node/{n}" for n, name in enumerate(CAFES, 1)}
CLASS = "http://www.worldkg.org/schema/Cafe"
GEO = "http://www.opengis.net/ont/geosparql#"


@dataclass(frozen=True)
class Benchmark:
    """The two tables and the names of the entities."""

    questions: pa.Table
    facts: pa.Table
    names: dict[str, str]


def fact_lines() -> list[str]:
    """Type, label and geometry of each café."""
    lines = []
    for name, lon in CAFES.items():
        iri = IRIS[name]
        lines += [
            f"<{iri}> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <{CLASS}> .",
            f'<{iri}> <http://www.w3.org/2000/01/rdf-schema#label> "{name}" .',
            f"<{iri}> <{GEO}hasGeometry> <{iri}#geometry> .",
            f'<{iri}#geometry> <{GEO}asWKT> "POINT ({lon} 0)"^^<{GEO}wktLiteral> .',
        ]
    return lines


def question(
    subtemplate: str, answer_format: str, gold: Any, params: dict[str, Any] | None = None, **roles: str
) -> dict[str, Any]:
    """One row; ``gold`` None is a false premise."""
    members = gold if answer_format == "set" and gold else [gold] if answer_format == "entity" else []
    accepted = [IRIS[name] for name in members]
    used = list(dict.fromkeys([*(IRIS[name] for name in roles.values()), *accepted]))
    return {
        "kg": "osmh3kg",
        "snapshot_id": "osmh3kg-0",
        "family": subtemplate[0],
        "template": subtemplate.split(".")[0],
        "subtemplate": subtemplate,
        "paraphrase": f"{subtemplate}.1",
        "language": "eng",
        "question": f"{subtemplate} {sorted(roles.values())} {params}?",
        "question_en": "?",
        "format": answer_format,
        "gold": None if gold is None else json.dumps(sorted(gold) if members == gold else gold),
        "accepted": [],
        "accepted_iris": accepted,
        "roles": json.dumps({role: {"iri": IRIS[name], "name": name} for role, name in roles.items()}),
        "params": json.dumps(
            {
                **(params or {}),
                **({"class": "cafe", "class_iri": CLASS} if "radius_km" in (params or {}) else {}),
            }
        ),
        "entities": used,
        "income": "LIC",
        "source": "template",
        "question_type": "any",
        "depth": "fact",
        "premise": gold is not None,
        "premise_failure": "empty" if gold is None else None,
        "modality": "text",
        "fact_ids": list(range(len(CAFES) * 4)),
        "slips": "{}",
        "query": "-",
    }


def rows() -> list[dict[str, Any]]:
    """The thirty questions, in order."""
    uno, due, tre, quattro = CAFES
    km = {d: d * DEGREE_KM for d in (0.1, 0.2, 0.3, 0.5, 0.6)}
    return [
        question("A01.a", "distance", km[0.1], A=uno, B=due),
        question("A01.a", "distance", km[0.3], A=uno, B=tre),
        question("A01.a", "distance", km[0.6], A=uno, B=quattro),
        question("A01.a", "distance", km[0.2], A=due, B=tre),
        question("A01.a", "distance", km[0.5], A=due, B=quattro),
        question("A01.a", "distance", km[0.3], A=tre, B=quattro),
        question("A04.a", "entity", due, A=due, B=tre, C=uno),
        question("A04.a", "entity", tre, A=uno, B=tre, C=quattro),
        question("A04.a", "entity", due, A=quattro, B=due, C=tre),
        question("A04.a", "entity", due, A=due, B=quattro, C=uno),
        question("B02.a", "set", [due], {"radius_km": 20.0}, B=uno),
        question("B02.a", "set", [due, tre], {"radius_km": 40.0}, B=uno),
        question("B02.a", "set", [uno, tre], {"radius_km": 30.0}, B=due),
        question("B02.a", "set", [tre], {"radius_km": 40.0}, B=quattro),
        question("B02.a", "set", None, {"radius_km": 10.0}, B=quattro),
        question("B01.a", "count", 1, {"radius_km": 20.0}, B=uno),
        question("B01.a", "count", 2, {"radius_km": 40.0}, B=uno),
        question("B01.a", "count", 2, {"radius_km": 30.0}, B=due),
        question("B01.a", "count", 1, {"radius_km": 40.0}, B=quattro),
        question("J01.c", "boolean", True, {"direction": "east"}, A=due, B=uno),
        question("J01.c", "boolean", False, {"direction": "east"}, A=uno, B=due),
        question("J01.c", "boolean", True, {"direction": "east"}, A=quattro, B=uno),
        question("J01.c", "boolean", False, {"direction": "east"}, A=tre, B=quattro),
        question("N01.b", "point", {"lat": 0.0, "lon": 0.1}, A=due),
        question("N01.b", "point", {"lat": 0.0, "lon": 0.3}, A=tre),
        question("N01.b", "point", {"lat": 0.0, "lon": 0.6}, A=quattro),
        question("M01.a", "polar", {"azimuth_deg": 90.0, "distance_km": km[0.1]}, A=due, B=uno),
        question("M01.a", "polar", {"azimuth_deg": 270.0, "distance_km": km[0.6]}, A=uno, B=quattro),
        question("J04.a", "label", "east", {"winds": 4}, A=uno, B=due),
        question("J04.a", "label", "west", {"winds": 4}, A=due, B=uno),
    ]


@pytest.fixture(scope="session")
def benchmark() -> Benchmark:
    """The hand-made benchmark."""
    listed = [{"id": f"q{number:02d}", **row} for number, row in enumerate(rows(), 1)]
    questions = pa.Table.from_pylist(listed, QUESTION_SCHEMA)
    facts = pa.Table.from_pylist(
        [{"fact_id": number, "triple": line} for number, line in enumerate(fact_lines())], FACT_SCHEMA
    )
    return Benchmark(questions, facts, {iri: name for name, iri in IRIS.items()})
