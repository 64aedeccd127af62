"""A sample benchmark with every answer format, false premises and Urdu questions, two runs over it, and a real Chromium."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from multiglobeqa.build.schema import FACT_SCHEMA, QUESTION_SCHEMA
from multiglobeqa.report import open_benchmark, read_run
from multiglobeqa.report.benchmark import Benchmark
from multiglobeqa.report.scores import Run

PLACES = {  # lon, lat, income, density, continent, subregion
    "FIN": (24.94, 60.17, "HIC", "low", "Europe", "Northern Europe"),
    "TCD": (15.05, 12.11, "LIC", "low", "Africa", "Middle Africa"),
    "PAK": (67.01, 24.86, "LMC", "high", "Asia", "Southern Asia"),
    "BRA": (-43.2, -22.9, "UMC", "medium", "South America", "South America"),
    "FJI": (179.95, -17.0, "UMC", "medium", "Oceania", "Melanesia"),
}
FORMATS: dict[str, tuple[str, Any, Any, str | None]] = {  # sub-template, gold, a wrong answer, unit
    "distance": ("A01.a", 12.5, 900.0, "km"),
    "entity": ("A04.a", "North Hill", "South Hill", None),
    "set": ("B02.a", ["North Hill", "South Hill"], ["South Hill"], None),
    "count": ("B01.a", 3, 30, None),
    "boolean": ("C01.a", True, False, None),
    "area": ("K01.a", 120.0, 4000.0, "km2"),
    "ratio": ("K05.a", 1.5, 9.0, None),
    "label": ("J02", "left", "right", None),
    "date": ("I03.a", "2020-09-18", "2020-11-01", None),
    "cell": ("H01.a", "871126d33ffffff", "873969a40ffffff", None),
    "geohash": ("M02.c", "ud9wr", "spv2b", None),
    "composite": ("H03", {"h3": "871126d33ffffff", "s2": "46920bd"}, {"h3": "873969a40ffffff", "s2": "12cdc01"}, None),
    "point": ("M02.d", {"lat": 60.17, "lon": 24.94}, {"lat": 24.94, "lon": 60.17}, None),
    "polar": ("M01", {"azimuth_deg": 30.0, "distance_km": 40.0}, {"azimuth_deg": 210.0, "distance_km": 40.0}, None),
    "polygon": (
        "N02.a", {"west": 1.0, "south": 2.0, "east": 3.0, "north": 4.0},
        {"west": 2.0, "south": 1.0, "east": 4.0, "north": 3.0}, None,
    ),
}  # fmt: skip
EACH = 3
URDU = {"distance": "کتنا فاصلہ ہے از {A} تا {B}؟", "boolean": "کیا {A} شہر {B} میں واقع ہے؟"}
HOSTILE = '<img src=x onerror="document.title=1">&amp; </script><script>document.title=2</script> {A} <b>'


def rows() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Questions and facts."""
    questions: list[dict[str, Any]] = []
    facts: list[str] = []
    for country, (lon, lat, income, density, continent, subregion) in PLACES.items():
        for name, (subtemplate, gold, _, unit) in FORMATS.items():
            for turn in range(EACH + (1 if name in ("distance", "boolean") else 0)):
                premise = turn < EACH
                number = len(questions)
                a, b = f"https://example.org/{number}/a", f"https://example.org/{number}/b"
                first = len(facts)
                facts += [
                    f"<{a}> <http://www.opengis.net/ont/geosparql#hasGeometry> <{a}#geometry> .",
                    f'<{a}#geometry> <http://www.opengis.net/ont/geosparql#asWKT> "POINT ({lon} {lat})"^^<x:wkt> .',
                    f"<{b}> <http://www.opengis.net/ont/geosparql#hasGeometry> <{b}#geometry> .",
                    f"<{b}#geometry> <http://www.opengis.net/ont/geosparql#asWKT> "
                    f'"POLYGON (({lon} {lat}, {lon + 0.04} {lat}, {lon + 0.04} {lat + 0.05}, {lon} {lat}))"^^<x:wkt> .',
                ]
                roles = {
                    "A": {"iri": a, "name": f"North Hill {number}"},
                    "B": {"iri": b, "name": f"Tarn {number}"},
                }
                text = HOSTILE if number == 0 else "What about {A} and {B}, by " + name + "?"
                named = {key: role["name"] for key, role in roles.items()}
                row = {
                    "id": f"{number:016x}", "kg": ("worldkg", "osmh3kg")[number % 2], "snapshot_id": "worldkg-1",
                    "family": subtemplate[0], "template": subtemplate[:3], "subtemplate": subtemplate,
                    "paraphrase": f"{subtemplate}.1", "language": "eng", "question": text.format(**named),
                    "question_en": text.format(**named), "scale_hint": "Near is within 5 km." if turn == 1 else None,
                    "format": name, "unit": unit, "gold": json.dumps(gold) if premise else None, "accepted": [],
                    "accepted_iris": [a] if name == "entity" else [], "roles": json.dumps(roles),
                    "params": json.dumps({"system": "h3", "precision": "day"}), "entities": [a, b], "country": country,
                    "continent": continent, "subregion": subregion, "income": income, "density": density, "lon": lon,
                    "lat": lat, "source": "template", "question_type": "numeric" if unit else "entity",
                    "depth": ("fact", "relation", "compound")[turn % 3], "premise": premise,
                    "premise_failure": None if premise else "no_member", "modality": "text", "image": None,
                    "fact_ids": [first, first + 1, first + 2, first + 3], "slips": "{}", "query": "q",
                }  # fmt: skip
                questions.append(row)
                if name in URDU and premise and turn < 2:
                    questions.append({**row, "language": "urd", "question": URDU[name].format(**named)})
    return questions, [{"fact_id": at, "triple": triple} for at, triple in enumerate(facts)]


def write_benchmark(
    directory: Path, questions: list[dict[str, Any]], facts: list[dict[str, Any]]
) -> Benchmark:
    """A benchmark folder of these questions."""
    directory.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(questions, QUESTION_SCHEMA), directory / "questions.parquet")
    pq.write_table(pa.Table.from_pylist(facts, FACT_SCHEMA), directory / "facts.parquet")
    build = {
        "version": "0.1.0", "seed": 2026, "per_cell": EACH, "snapshots": {"worldkg": "worldkg-1"}, "entities": [],
        "matrix": [], "discards": [], "verified": {"questions": len(questions), "agreed": len(questions)},
        "licences": [],
    }  # fmt: skip
    (directory / "build.json").write_text(json.dumps(build), "utf-8")
    return open_benchmark(directory)


def scores(
    questions: list[dict[str, Any]], run: str, languages: tuple[str, ...], every: int
) -> list[dict[str, Any]]:
    """A run's replies: every ``every``-th question is answered wrong, and some end in each other way."""
    found = []
    for number, question in enumerate(questions):
        if question["language"] not in languages:
            continue
        _, gold, wrong, _ = FORMATS[question["format"]]
        row: dict[str, Any] = {
            "id": question["id"], "language": question["language"], "run": run, "model": run, "tier": "T1", "seed": 0,
            "status": "answered", "parsed": None, "em": 0, "ne": 1.0, "reason": "", "rule": None, "diagnosis": None,
            "confidence": None, "tokens_out": 20 + number % 7, "text": None,
        }  # fmt: skip
        if not question["premise"]:
            row["status"] = "declined" if number % 2 else "answered"
        elif number % 23 == 4:
            row |= {"status": "declined", "reason": "I do not know this place."}
        elif number % 23 == 9:
            row |= {"status": "unparseable", "text": "Hard to say, <i>perhaps</i> near the river."}
        elif number % 23 == 14:
            row["status"] = "budget"
        elif number % every:
            row |= {"parsed": json.dumps(gold), "em": 1, "ne": 0.0}
        else:
            row |= {"parsed": json.dumps(wrong), "confidence": 0.5 + 0.49 * (number % 3 == 0)}
            row["diagnosis"] = "axes_swapped" if question["format"] == "point" else None
            row["ne"] = 0.5 if question["format"] == "set" else 1.0
        if row["status"] == "answered":
            row["parsed"] = row["parsed"] or json.dumps(wrong)
            row["text"] = f"<think>so</think> {HOSTILE}" + json.dumps({"answer": json.loads(row["parsed"])})
        if question["language"] == "urd":
            row["text"] = 'جواب یہ ہے\n{"answer": null, "declined": true}'
        if number % 41 != 40:  # the others are missing
            found.append(row)
    return found


def write_run(benchmark: Benchmark, path: Path, found: list[dict[str, Any]]) -> Run:
    """Scores as `mgqa score` writes them, with the replies beside, read back."""
    kinds = {"rule": pa.string(), "diagnosis": pa.string(), "confidence": pa.float64(), "em": pa.int8()}
    schema = pa.schema(
        [pa.field(name, kinds.get(name) or pa.infer_type([row[name] for row in found])) for name in found[0]]
    )
    pq.write_table(pa.Table.from_pylist(found, schema), path)
    return read_run(benchmark, path)


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> tuple[Benchmark, list[Run]]:
    """The sample benchmark; run alpha in English, beta in English and Urdu."""
    directory = tmp_path_factory.mktemp("html") / "sample-world"
    questions, facts = rows()
    benchmark = write_benchmark(directory, questions, facts)
    runs = [
        write_run(benchmark, directory / "alpha.parquet", scores(questions, "alpha", ("eng",), 5)),
        write_run(benchmark, directory / "beta.parquet", scores(questions, "beta", ("eng", "urd"), 3)),
    ]
    return benchmark, runs


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """A real headless Chromium, driven by Playwright."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="Playwright is not installed (`pip install playwright`)"
    )
    names = ("chromium", "chromium-browser", "google-chrome")
    found = next((path for path in map(shutil.which, names) if path), None)
    if found is None:
        pytest.skip("no Chromium on this machine")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield browser
        browser.close()
