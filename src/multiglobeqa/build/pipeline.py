"""The build: snapshots and templates in, a verified benchmark folder out."""

from __future__ import annotations

import json
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from multiglobeqa import __version__, answers
from multiglobeqa.build import candidates, matrix
from multiglobeqa.build.facts import FactStore
from multiglobeqa.build.gold import Instance, instance
from multiglobeqa.build.questions import Writer, unique
from multiglobeqa.build.sample import QUOTA, draw, pick_of
from multiglobeqa.build.schema import FACT_SCHEMA, QUESTION_SCHEMA
from multiglobeqa.build.verify import Task, VerifyResult, check, task_of
from multiglobeqa.engine import DuckEngine
from multiglobeqa.errors import InputError, VerificationError
from multiglobeqa.kg.schema import KGS
from multiglobeqa.kg.store import Snapshot, open_snapshot, replacing
from multiglobeqa.taxonomy import SubTemplate, load

Progress = Callable[[str, int, int], None]
"""Called with a stage, the number of units done, and of all units."""


def embedded_snapshots() -> list[Path]:
    """The folders of the embedded world's three KGs."""
    world = Path(str(files("multiglobeqa"))) / "data" / "world"
    return [world / kg for kg in KGS if (world / kg / "manifest.json").is_file()]


@dataclass
class BuildConfig:
    """What to build. ``kgs``: snapshot folders, by default the embedded three."""

    out: Path
    kgs: list[Path] = field(default_factory=embedded_snapshots)
    seed: int = 2026
    threads: int = 2
    per_cell: int = 30
    subtemplates: list[str] | None = None
    progress: Progress | None = None


@dataclass
class BuildResult:
    """What was built: the folder, the content of build.json, and the seconds each stage took."""

    path: Path
    questions: int
    verified: VerifyResult
    summary: dict[str, Any]
    seconds: dict[str, float]


@dataclass
class _State:
    """What the stages of one build share."""

    config: BuildConfig
    facts: FactStore = field(default_factory=FactStore)
    rows: list[dict[str, Any]] = field(default_factory=list)
    asked: set[tuple[str, str]] = field(default_factory=set)
    discards: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    matrix: list[dict[str, Any]] = field(default_factory=list)
    entities: list[dict[str, Any]] = field(default_factory=list)
    seconds: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))


def build(config: BuildConfig) -> BuildResult:
    """Build and verify a benchmark.

    Raises VerificationError, with both values of every difference, where query and solver disagree; nothing is
    written then. Files are written under temporary names and renamed; ``build.json`` comes last.
    """
    snapshots = [open_snapshot(path) for path in config.kgs]
    if not snapshots:
        raise InputError(
            "no KG snapshot was given.", mend="Name one with --kg, or import one with `mgqa kg import`."
        )
    subs = load(only=config.subtemplates)
    state = _State(config)
    for kg in KGS:
        if mine := [snapshot for snapshot in snapshots if snapshot.kg == kg]:
            _build_kg(state, mine, subs)
    rows = state.rows
    started = time.perf_counter()
    result = check(_tasks(rows, state.facts), config.threads, _report(config, "verify", len(rows)))
    state.seconds["verify"] += time.perf_counter() - started
    if result.differences:
        raise VerificationError(result.differences)
    summary = _summary(state, snapshots, rows, result)
    _write(config.out, rows, state.facts, summary)
    seconds = {stage: round(value, 2) for stage, value in state.seconds.items()}
    return BuildResult(config.out, len(rows), result, summary, seconds)


def _build_kg(state: _State, snapshots: list[Snapshot], subs: list[SubTemplate]) -> None:
    config, kg = state.config, snapshots[0].kg
    started = time.perf_counter()
    engine = DuckEngine(snapshots, threads=config.threads)
    writer = Writer(engine, kg, "+".join(snapshot.snapshot_id for snapshot in snapshots), state.facts)
    state.entities += matrix.entity_counts(engine, kg)
    state.seconds[f"load {kg}"] += time.perf_counter() - started
    report = _report(config, f"query {kg}", len(subs))
    for number, sub in enumerate(subs, 1):
        started = time.perf_counter()
        if kg in sub.kgs:
            _build_sub(state, engine, writer, kg, sub)
        else:
            state.matrix += matrix.absent(kg, sub)
        state.seconds[f"query {sub.id}"] += time.perf_counter() - started
        report(number)


def _build_sub(state: _State, engine: DuckEngine, writer: Writer, kg: str, sub: SubTemplate) -> None:
    found = candidates.run(engine, sub, state.config.seed, state.config.per_cell)
    causes: Counter[tuple[str, str]] = Counter()
    kept: list[Instance] = []
    for row in found.rows:
        made, cause = instance(sub, row, writer.strata)
        if made is None:
            causes[(str(row["_cell"]), str(cause))] += 1
        else:
            made.pick = pick_of(made, state.config.seed, writer.iri_of)
            kept.append(made)
    drawn, by_balance = draw(kept, state.config.per_cell, _tolerance)
    rows, by_name = writer.rows(drawn)
    rows, by_name["repeated_question"] = unique(rows, state.asked)
    state.rows += rows
    for (_, cause), count in causes.items():
        state.discards[(kg, sub.id, cause)] += count
    for cause, count in (*by_balance.items(), *by_name.items()):
        if count:
            state.discards[(kg, sub.id, cause)] += count
    rules = {cause for cause, count in (by_balance + by_name).items() if count and cause != QUOTA}
    state.matrix += matrix.cells(kg, sub, found, causes, kept, rows, rules)


def _tolerance(found: Instance) -> float:
    """The tolerance of an instance's gold (answers' Table 12)."""
    return float(
        answers.get(found.sub.format).tolerance(
            found.gold, {"format": found.sub.format, "unit": found.sub.unit}
        )
    )


def _tasks(rows: list[dict[str, Any]], facts: FactStore) -> Iterator[Task]:
    lines = dict(enumerate(facts.lines()))
    return (task_of(row, lines) for row in rows)


def _report(config: BuildConfig, stage: str, total: int) -> Callable[[int], None]:
    return lambda done: config.progress(stage, done, total) if config.progress else None


def _summary(
    state: _State, snapshots: list[Snapshot], rows: list[dict[str, Any]], verified: VerifyResult
) -> dict[str, Any]:
    return {
        "version": __version__,
        "seed": state.config.seed,
        "per_cell": state.config.per_cell,
        "snapshots": {kg: "+".join(ids) for kg, ids in _ids_by_kg(snapshots).items()},
        "questions": len(rows),
        "entities": state.entities,
        "matrix": state.matrix,
        "discards": [
            {"kg": kg, "subtemplate": sub, "cause": cause, "count": count}
            for (kg, sub, cause), count in sorted(state.discards.items())
        ],
        "verified": {"questions": verified.total, "agreed": verified.agreed},
        "licences": [
            {"kg": snapshot.kg, "part": part.name, "licence": part.licence, "attribution": part.attribution}
            for snapshot in snapshots
            for part in snapshot.parts
        ],
    }


def _ids_by_kg(snapshots: list[Snapshot]) -> dict[str, list[str]]:
    ids: dict[str, list[str]] = {}
    for snapshot in snapshots:
        ids.setdefault(snapshot.kg, []).append(snapshot.snapshot_id)
    return ids


def _write(out: Path, rows: list[dict[str, Any]], facts: FactStore, summary: dict[str, Any]) -> None:
    out.mkdir(parents=True, exist_ok=True)
    (out / "build.json").unlink(missing_ok=True)
    lines = facts.lines()
    used = sorted({i for row in rows for i in row["fact_ids"]})
    table = pa.table(
        {"fact_id": pa.array(used, pa.int32()), "triple": [lines[i] for i in used]}, schema=FACT_SCHEMA
    )
    for name, content in (
        ("questions.parquet", pa.Table.from_pylist(rows, schema=QUESTION_SCHEMA)),
        ("facts.parquet", table),
    ):
        with replacing(out / name) as temporary:
            pq.write_table(content, temporary, compression="zstd", row_group_size=8192)
    with replacing(out / "questions.jsonl") as temporary, temporary.open("w", encoding="utf-8") as stream:
        for row in rows:
            stream.write(json.dumps(row, ensure_ascii=False) + "\n")
    with replacing(out / "build.json") as temporary:
        temporary.write_text(json.dumps(summary, indent=1, ensure_ascii=False) + "\n", "utf-8")
