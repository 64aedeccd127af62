"""A hand-made benchmark of 80 questions in four families (and ten false premises, four images), with runs whose answers
are written down: a model at a tier is right on the first so many questions of each family."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from multiglobeqa.build.schema import FACT_SCHEMA, QUESTION_SCHEMA
from multiglobeqa.report.tables import Study, open_study

FAMILIES = ("A", "C", "H", "J")
_FORMATS = {"A": "distance", "C": "boolean", "H": "geohash", "J": "label"}
_TYPES = {"A": "numeric", "C": "boolean", "H": "grid", "J": "categorical"}
_SIZE = 20

Counts = Mapping[str, int]
Write = Callable[..., Path]


def _gold(family: str, number: int) -> Any:
    """Distances and geohashes differ from question to question; 15 of 20 are true; four directions, five each."""
    return {
        "A": round(10 * 1.5**number, 3),
        "C": number < 15,
        "H": "s" + "0123456789bcdefghjkmnpqrstuvwxyz"[number] * 4,
        "J": ("north", "east", "south", "west")[number % 4],
    }[family]


def _question(
    identity: str, family: str, number: int, *, premise: bool = True, image: bool = False, **changes: Any
) -> dict[str, Any]:
    africa = number < 10
    row: dict[str, Any] = {
        "id": identity,
        "kg": "knowwheregraph",
        "snapshot_id": "knowwheregraph-00000000000000aa",
        "family": family,
        "template": f"{family}01",
        "subtemplate": f"{family}01.a",
        "paraphrase": f"{family}01.a.1",
        "language": "eng",
        "question": f"Question {number} of {family}?",
        "question_en": f"Question {number} of {family} ({identity})?",
        "scale_hint": None,
        "format": _FORMATS[family],
        "unit": "km" if family == "A" else None,
        "gold": json.dumps(_gold(family, number)) if premise else None,
        "accepted": [],
        "accepted_iris": [],
        "roles": json.dumps({"A": {"iri": f"urn:{identity}", "name": identity}}),
        "params": "{}",
        "entities": [f"urn:{identity}"],
        "country": "TCD" if africa else "FRA",
        "continent": "Africa" if africa else "Europe",
        "subregion": "Middle Africa" if africa else "Western Europe",
        "income": "LIC" if number % 2 else "HIC",
        "density": "high" if number % 4 < 2 else "low",
        "lon": 10.0,
        "lat": 5.0,
        "source": "template",
        "question_type": _TYPES[family],
        "depth": "relation",
        "premise": premise,
        "premise_failure": None if premise else "no member",
        "derived_from": None,
        "modality": "image" if image else "text",
        "image": None,
        "fact_ids": [0, 1] if africa else [1, 2, 3],
        "slips": "{}",
        "query": f"{family}/{family}01.yaml",
    }
    return row | changes


def questions() -> list[dict[str, Any]]:
    """Ids: family, then number (two digits); f-.. false premises of A01.a, i-.. images."""
    rows = [
        _question(f"{family}{number:015d}", family, number) for family in FAMILIES for number in range(_SIZE)
    ]
    rows += [_question(f"f{number:015d}", "A", number, premise=False) for number in range(10)]
    rows += [_question(f"i{number:015d}", "C", number, image=True) for number in range(4)]
    return rows


def write_benchmark(directory: Path, rows: Sequence[dict[str, Any]]) -> Path:
    directory.mkdir(parents=True)
    table = pa.Table.from_pylist(list(rows), QUESTION_SCHEMA)
    pq.write_table(table, directory / "questions.parquet")
    facts = [{"fact_id": n, "triple": f"<urn:a{n}> <urn:b> <urn:c> ."} for n in range(4)]
    pq.write_table(pa.Table.from_pylist(facts, FACT_SCHEMA), directory / "facts.parquet")
    info = {
        "version": "0.1.0", "seed": 1, "per_cell": 5, "snapshots": {"knowwheregraph": "knowwheregraph-00000000000000aa"},
        "entities": [], "matrix": [], "discards": [], "verified": {"questions": len(rows), "agreed": len(rows)},
        "licences": [],
    }  # fmt: skip
    (directory / "build.json").write_text(json.dumps(info), "utf-8")
    return directory


def replies(
    model: str,
    tier: str,
    right: Counts,
    *,
    seed: int = 0,
    language: str = "eng",
    declined: Counts | None = None,
    detected: int = 0,
    images: int | None = None,
    run: str = "",
    **columns: Any,
) -> list[dict[str, Any]]:
    """A score a question: the first ``right`` of each family are right, the last ``declined`` declined; ``detected``
    false premises are declined; ``images``: right image questions, None where they were not asked."""
    rows = []
    for one in questions():
        number, premise = int(one["id"][1:]), one["premise"]
        if one["modality"] == "image":
            if images is None:
                continue
            status, em = "answered", int(number < images)
        elif not premise:
            status, em = "declined" if number < detected else "answered", 0
        else:
            refused = number >= _SIZE - (declined or {}).get(one["family"], 0)
            status, em = ("declined", 0) if refused else ("answered", int(number < right[one["family"]]))
        wrong = {"A": 1.0, "C": False, "H": "zzzzz", "J": "up"}[one["family"]]
        value = json.loads(one["gold"]) if em else wrong
        rows.append(
            {
                "id": one["id"], "language": language, "run": run or f"{model}-run", "model": model, "tier": tier,
                "seed": seed, "status": status, "parsed": json.dumps(value) if status == "answered" else None, "em": em,
                "ne": 0.0 if em else 1.0, "reason": "", "diagnosis": None, "confidence": None, "tokens_in": None,
                "tokens_out": None, "steps": None, "tool_calls": None, "seconds": None, "cost": None, "cap_hit": None,
                **columns,
            }
        )  # fmt: skip
    return rows


_TYPED = pa.schema(
    [
        ("id", pa.string()), ("language", pa.string()), ("run", pa.string()), ("model", pa.string()),
        ("tier", pa.string()), ("seed", pa.int32()), ("status", pa.string()), ("parsed", pa.string()), ("em", pa.int8()),
        ("ne", pa.float64()), ("reason", pa.string()), ("diagnosis", pa.string()), ("confidence", pa.float64()),
        ("tokens_in", pa.int64()), ("tokens_out", pa.int64()), ("steps", pa.int32()), ("tool_calls", pa.int32()),
        ("seconds", pa.float64()), ("cost", pa.float64()), ("cap_hit", pa.bool_()),
    ]
)  # fmt: skip


def everything() -> list[dict[str, Any]]:
    """Two models, seven conditions each; Alpha has two seeds, Beta one of T3a; Alpha speaks Urdu at T1, too."""
    rows = []
    for model, extra in (("Alpha", 0), ("Beta", 2)):
        for seed in (0, 1):
            more = 4 * seed  # seed 1 has four more right answers, all in C
            fixed: dict[str, Any] = {"seed": seed}
            rows += replies(
                model, "T1", {"A": 2, "C": 10 + more, "H": 0, "J": 4 + extra}, declined={"A": 6, "C": 2, "H": 10, "J": 4},
                detected=5, images=1 + extra // 2, tokens_in=100, tokens_out=20, **fixed,
            )  # fmt: skip
            if not (model == "Beta" and seed):
                rows += replies(
                    model, "T3a", {"A": 8, "C": 12 + more, "H": 2, "J": 10 + extra}, declined={"A": 4, "C": 2, "H": 6, "J": 2},
                    detected=8, tokens_in=9000, tokens_out=1000, steps=4, tool_calls=3, cap_hit=False, **fixed,
                )  # fmt: skip
            for tier, gain in (("T1-o-raw", 0), ("T1-o-structured", 1), ("T1-o-verbalized", 2)):
                rows += replies(
                    model, tier, {"A": 6 + gain, "C": 12 + more, "H": 2, "J": 12 + extra}, detected=6, tokens_in=900,
                    tokens_out=100, **fixed,
                )  # fmt: skip
            rows += replies(
                model, "T3-o", {"A": 14, "C": 14 + more, "H": 4, "J": 16 + extra}, declined={"H": 4, "A": 1}, detected=9,
                tokens_in=1800, tokens_out=200, steps=2, tool_calls=2, cap_hit=False, **fixed,
            )  # fmt: skip
    rows += replies("Alpha", "T1", {"A": 2, "C": 6, "H": 0, "J": 0}, language="urd")
    return rows


def _write(path: Path, rows: Sequence[Mapping[str, Any]], metadata: Mapping[str, Any] | None = None) -> Path:
    table = pa.Table.from_pylist(list(rows), _TYPED)
    if metadata is not None:
        table = table.replace_schema_metadata({b"mgqa": json.dumps(metadata).encode()})
    pq.write_table(table, path)
    return path


@pytest.fixture(scope="session")
def scored() -> Callable[..., list[dict[str, Any]]]:
    return replies


@pytest.fixture(scope="session")
def asked() -> Callable[[], list[dict[str, Any]]]:
    return questions


@pytest.fixture(scope="session")
def make_question() -> Callable[..., dict[str, Any]]:
    return _question


@pytest.fixture(scope="session")
def make_benchmark() -> Write:
    return write_benchmark


@pytest.fixture(scope="session")
def make_scores() -> Write:
    return _write


@pytest.fixture(scope="session")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_benchmark(tmp_path_factory.mktemp("report") / "small-world", questions())


@pytest.fixture(scope="session")
def run_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _write(tmp_path_factory.mktemp("runs") / "both.parquet", everything())


@pytest.fixture(scope="session")
def world(bench: Path, run_file: Path) -> Study:
    return open_study([run_file], bench, draws=200)
