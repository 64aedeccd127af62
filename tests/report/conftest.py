"""A hand-made benchmark of six questions in three families, with two runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import shapely

from multiglobeqa.build.schema import FACT_SCHEMA, QUESTION_SCHEMA
from multiglobeqa.report.html import Country

SNAPSHOTS = {"knowwheregraph": "knowwheregraph-00000000000000aa", "worldkg": "worldkg-00000000000000bb"}


def question(
    identity: str,
    subtemplate: str,
    answer_format: str,
    gold: Any,
    *,
    kg: str = "knowwheregraph",
    income: str | None = "LIC",
    density: str | None = "low",
    place: tuple[float, float] | None = (10.0, 5.0),
    text: str = "How far?",
    unit: str | None = None,
    premise: bool = True,
) -> dict[str, Any]:
    return {
        "id": identity,
        "kg": kg,
        "snapshot_id": SNAPSHOTS[kg],
        "family": subtemplate[0],
        "template": subtemplate[:3],
        "subtemplate": subtemplate,
        "paraphrase": f"{subtemplate}.1",
        "language": "eng",
        "question": text,
        "question_en": text,
        "scale_hint": None,
        "format": answer_format,
        "unit": unit,
        "gold": json.dumps(gold) if premise else None,
        "accepted": [],
        "accepted_iris": [],
        "roles": "{}",
        "params": "{}",
        "entities": [],
        "country": "TCD" if income == "LIC" else None,
        "continent": None,
        "subregion": None,
        "income": income,
        "density": density,
        "lon": place[0] if place else None,
        "lat": place[1] if place else None,
        "source": "template",
        "question_type": "numeric",
        "depth": "relation",
        "premise": premise,
        "premise_failure": None if premise else "no member",
        "modality": "text",
        "image": None,
        "fact_ids": [0, 1, 2],
        "slips": "{}",
        "query": "A/A01.yaml",
    }


QUESTIONS = [
    question(
        "0000000000000001", "A01.a", "distance", 1234.5, unit="km", text="How far is <Ati> from Faya & Mao?"
    ),
    question("0000000000000002", "A01.b", "distance", 12.25, unit="km", income="HIC", density="high"),
    question("0000000000000003", "A06.a", "distance", None, premise=False),
    question("0000000000000004", "C01.a", "boolean", True, kg="worldkg", place=(179.99, -17.0)),
    question(
        "0000000000000005", "C01.a", "boolean", False, kg="worldkg", place=(-179.99, -17.0), income="HIC"
    ),
    question("0000000000000006", "D01.b", "set", ["Chad", "Niger"], income=None, density=None, place=None),
]
QUESTIONS[5] |= {
    "accepted_iris": ["urn:chad", "urn:niger"],
    "roles": '{"B": {"iri": "urn:storm", "name": "Storm"}}',
}


BUILD: dict[str, Any] = {
    "version": "0.1.0",
    "seed": 2026,
    "per_cell": 30,
    "snapshots": SNAPSHOTS,
    "entities": [{"kg": "worldkg", "kind": "point", "income": "LIC", "density": "low", "count": 7}],
    "matrix": [
        {
            "kg": "knowwheregraph",
            "family": "A",
            "subtemplate": s,
            "income": i,
            "density": d,
            "questions": n,
            "cause": c,
        }
        for s, i, d, n, c in (
            ("A01.a", "LIC", "low", 1, None),
            ("A06.a", "LIC", "low", 1, None),
            ("A01.b", "HIC", "high", 1, None),
            ("A01.a", "LMC", "low", 0, "no_two_points"),
            ("A06.a", "LMC", "low", 0, "fewer than 3 members <in scope>"),
        )
    ]
    + [
        {
            "kg": "worldkg",
            "family": "C",
            "subtemplate": "C01.a",
            "income": i,
            "density": "low",
            "questions": 1,
            "cause": None,
        }
        for i in ("LIC", "HIC")
    ]
    + [
        {
            "kg": "knowwheregraph",
            "family": "D",
            "subtemplate": "D01.b",
            "income": None,
            "density": None,
            "questions": 1,
            "cause": None,
        }
    ],
    "discards": [
        {"kg": "worldkg", "subtemplate": "C01.a", "cause": "margin", "count": 40},
        {"kg": "knowwheregraph", "subtemplate": "A01.a", "cause": "margin", "count": 2},
        {"kg": "knowwheregraph", "subtemplate": "A01.a", "cause": "tolerance_floor", "count": 5},
    ],
    "verified": {"questions": 6, "agreed": 6},
    "licences": [
        {
            "kg": "worldkg",
            "part": "osm_monaco",
            "licence": "ODbL-1.0",
            "attribution": "OpenStreetMap contributors",
        },
    ],
}


def write_scores(path: Path, rows: list[tuple[str, str, Any, float, float]]) -> Path:
    columns = list(zip(*rows, strict=True))
    pq.write_table(
        pa.table(
            {
                "id": pa.array(columns[0], pa.string()),
                "status": pa.array(columns[1], pa.string()),
                "parsed": pa.array([None if v is None else json.dumps(v) for v in columns[2]], pa.string()),
                "em": pa.array(columns[3], pa.float64()),
                "ne": pa.array(columns[4], pa.float64()),
            }
        ),
        path,
    )
    return path


@pytest.fixture
def benchmark_dir(tmp_path: Path) -> Path:
    directory = tmp_path / "sample-world"
    directory.mkdir()
    pq.write_table(pa.Table.from_pylist(QUESTIONS, QUESTION_SCHEMA), directory / "questions.parquet")
    facts = [{"fact_id": n, "triple": f"<urn:a{n}> <urn:b> <urn:c> ."} for n in range(3)]
    pq.write_table(pa.Table.from_pylist(facts, FACT_SCHEMA), directory / "facts.parquet")
    (directory / "build.json").write_text(json.dumps(BUILD), "utf-8")
    return directory


@pytest.fixture
def majority(tmp_path: Path) -> Path:
    """Right on 0002 and 0004; 0005 was declined, 0006 names the storm of the question."""
    return write_scores(
        tmp_path / "majority.parquet",
        [
            ("0000000000000001", "answered", 12.25, 0.0, 1.0),
            ("0000000000000002", "answered", 12.25, 1.0, 0.0),
            ("0000000000000003", "answered", 12.25, 0.0, 1.0),
            ("0000000000000004", "answered", True, 1.0, 0.0),
            ("0000000000000005", "declined", None, 0.0, 1.0),
            ("0000000000000006", "answered", ["urn:storm", "urn:niger"], 0.0, 1.0),
        ],
    )


@pytest.fixture
def oracle(tmp_path: Path) -> Path:
    """Right on every true premise; in another order of rows."""
    return write_scores(
        tmp_path / "oracle-solver.parquet",
        [
            ("0000000000000006", "answered", ["urn:chad", "urn:niger"], 1.0, 0.0),
            ("0000000000000005", "answered", False, 1.0, 0.0),
            ("0000000000000004", "answered", True, 1.0, 0.0),
            ("0000000000000003", "declined", None, 0.0, 1.0),
            ("0000000000000002", "answered", 12.25, 1.0, 0.0),
            ("0000000000000001", "answered", 1234.5, 1.0, 0.0),
        ],
    )


@pytest.fixture
def countries() -> list[Country]:
    """A square in Africa, and one that the antimeridian cuts."""
    surfaces = {
        ("TCD", "Chad"): shapely.box(14, 8, 23, 23),
        ("FJI", "Fiji"): shapely.MultiPolygon(
            [shapely.box(177, -19, 180, -16), shapely.box(-180, -19, -178, -16)]
        ),
    }
    return [Country(iso3, name, shapely.to_wkb(surface)) for (iso3, name), surface in surfaces.items()]
