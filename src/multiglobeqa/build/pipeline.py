"""The build: snapshots and templates in, a verified benchmark folder out."""

from __future__ import annotations

import json
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from multiglobeqa import __version__, answers
from multiglobeqa.build import candidates, disjoint, imaged, matrix, premises, slips
from multiglobeqa.build.ambiguity import Ambiguity
from multiglobeqa.build.disjoint import Exclusion
from multiglobeqa.build.facts import FactStore
from multiglobeqa.build.gold import Instance, instance
from multiglobeqa.build.picturable import Catalogue, catalogue
from multiglobeqa.build.questions import Writer
from multiglobeqa.build.sample import QUOTA, balance_classes, draw, pick_of
from multiglobeqa.build.schema import FACT_SCHEMA, QUESTION_SCHEMA
from multiglobeqa.build.verify import Checker, VerifyResult, id_fault, task_of
from multiglobeqa.engine import DuckEngine
from multiglobeqa.errors import InputError, VerificationError
from multiglobeqa.evaluate import majority
from multiglobeqa.evaluate.majority import majority_scores
from multiglobeqa.kg.population import PopulationGrid
from multiglobeqa.kg.schema import KGS
from multiglobeqa.kg.store import Snapshot, open_snapshot, replacing
from multiglobeqa.taxonomy import SubTemplate, load
from multiglobeqa.taxonomy.load import TEMPLATES

Progress = Callable[[str, int, int], None]
"""Called with a stage, the number of units done, and of all units."""


def embedded_snapshots() -> list[Path]:
    """The folders of the embedded world's three KGs."""
    world = Path(str(files("multiglobeqa"))) / "data" / "world"
    return [world / kg for kg in KGS if (world / kg / "manifest.json").is_file()]


@dataclass
class BuildConfig:
    """What to build.

    ``kgs``: snapshot folders, by default the embedded three. ``templates``: folders of templates, by default ours;
    their solvers must be known (`solver.user.solvers_of`). ``disjoint_from``: benchmarks with which no question is
    shared; ``disjoint_entities_from``: those with which no entity is shared either. ``population``: a raster of people
    (GeoTIFF) for B03.a, and the name and year by which questions speak of it. ``gazetteer``: snapshots from whose
    places names are told apart, beside those of the KGs built.
    """

    out: Path
    kgs: list[Path] = field(default_factory=embedded_snapshots)
    seed: int = 2026
    threads: int = 2
    per_cell: int = 30
    subtemplates: list[str] | None = None
    templates: list[Path] = field(default_factory=lambda: [TEMPLATES])
    disjoint_from: list[Path] = field(default_factory=list)
    disjoint_entities_from: list[Path] = field(default_factory=list)
    population: Path | None = None
    population_name: str | None = None
    gazetteer: list[Path] = field(default_factory=embedded_snapshots)
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
class _Outcome:
    """One sub-template on one KG: what was found, what was drawn, and why the rest was not.

    ``causes``: discards by (cell, cause); ``valid``: candidates by cell that passed; ``rules``: the discards of the
    rules on answers, classes and names; ``false``: the pool of false premises; ``images``: the image questions.
    """

    kg: str
    sub: SubTemplate
    drawn_entities: Counter[str] | None
    causes: Counter[tuple[str, str]]
    valid: Counter[str]
    instances: list[Instance]
    rules: Counter[str]
    false: list[Instance] = field(default_factory=list)
    images: list[Instance] = field(default_factory=list)


@dataclass
class _Room:
    """What the sub-templates of one KG share."""

    kg: str
    engine: DuckEngine
    writer: Writer
    ambiguity: Ambiguity
    pictures: Catalogue


@dataclass
class _State:
    """What the stages of one build share."""

    config: BuildConfig
    exclusion: Exclusion
    facts: FactStore = field(default_factory=FactStore)
    outcomes: list[_Outcome] = field(default_factory=list)
    absent: list[tuple[str, SubTemplate]] = field(default_factory=list)
    asked: set[tuple[Any, ...]] = field(default_factory=set)
    pictures: dict[str, Catalogue] = field(default_factory=dict)
    places: list[Snapshot] = field(default_factory=list)
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
    subs = load(config.templates, config.subtemplates)
    state = _State(config, disjoint.read(config.disjoint_from, config.disjoint_entities_from))
    built = {snapshot.snapshot_id for snapshot in snapshots}
    known = [open_snapshot(path) for path in config.gazetteer]
    state.places = snapshots + [snapshot for snapshot in known if snapshot.snapshot_id not in built]
    with Checker(config.threads) as checker:
        for kg in KGS:
            if mine := [snapshot for snapshot in snapshots if snapshot.kg == kg]:
                _build_kg(state, mine, subs, checker)
        rows = [_row(found) for found in _released(state)]
        started = time.perf_counter()
        result = checker.finish({row["id"] for row in rows})
        result.differences += [id_fault(row) for row in _repeated(rows)]
        state.seconds["verify, after the queries"] += time.perf_counter() - started
    if result.differences:
        raise VerificationError(result.differences)
    started = time.perf_counter()
    table = pa.Table.from_pylist(rows, schema=QUESTION_SCHEMA)
    summary = {
        **_summary(state, snapshots, rows, result),
        "majority": majority.summary(majority_scores(table)),
    }
    _write(config.out, table, rows, state.facts, summary)
    state.seconds["score the majority answers, write"] += time.perf_counter() - started
    seconds = {stage: round(value, 2) for stage, value in state.seconds.items()}
    return BuildResult(config.out, len(rows), result, summary, seconds)


def _repeated(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows whose id one before has: a question asked twice, or asked both as true and as false."""
    first: dict[str, dict[str, Any]] = {}
    return [row for row in rows if first.setdefault(row["id"], row) is not row]


def _row(found: Instance) -> dict[str, Any]:
    assert found.question is not None
    return found.question


def _build_kg(state: _State, snapshots: list[Snapshot], subs: list[SubTemplate], checker: Checker) -> None:
    config, kg = state.config, snapshots[0].kg
    started = time.perf_counter()
    people = PopulationGrid(config.population, config.population_name) if config.population else None
    engine = DuckEngine(snapshots, threads=config.threads, population=people)
    credits = [part.attribution for snapshot in snapshots for part in snapshot.parts]
    beside = [snapshot for snapshot in state.places if snapshot not in snapshots]
    snapshot_id = "+".join(snapshot.snapshot_id for snapshot in snapshots)
    writer = Writer(engine, kg, snapshot_id, state.facts, credits, beside)
    shown = catalogue(engine, snapshots)
    engine.register("pictured", pa.table({"id": pa.array(sorted(shown.pictures), pa.int64())}))
    room = _Room(kg, engine, writer, Ambiguity(engine, writer.second), shown)
    state.pictures[kg] = shown
    state.entities += matrix.entity_counts(engine, kg)
    state.seconds[f"load {kg}"] += time.perf_counter() - started
    report = _report(config, f"query {kg}", len(subs))
    for number, sub in enumerate(subs, 1):
        started = time.perf_counter()
        if kg in sub.kgs:
            with candidates.opened(engine, sub, config.seed, config.per_cell) as run:
                outcome = _build_sub(state, room, sub, run)
            if sub.image is not None and shown.pictures:
                with candidates.opened(engine, sub, config.seed, config.per_cell, pictured=True) as run:
                    _picture_sub(state, room, outcome, run)
            state.outcomes.append(outcome)
            made = (*outcome.instances, *outcome.false, *outcome.images)
            checker.submit(task_of(_row(found), state.facts.by_id) for found in made)
        else:
            state.absent.append((kg, sub))
        state.seconds[f"query {sub.id}"] += time.perf_counter() - started
        report(number)


def _build_sub(state: _State, room: _Room, sub: SubTemplate, run: candidates.Run) -> _Outcome:
    config, writer = state.config, room.writer
    found = run.candidates()
    passed, causes, by_slip = _passed(state, room, sub, found.rows)
    drawn, rules = draw(passed, config.per_cell, _tolerance)
    slips.complete(room.engine, drawn)
    _, by_name = writer.rows(drawn)
    released = [made for made in drawn if made.question is not None]
    released, repeated = _unique(state, released)
    rules += by_slip + by_name
    rules["repeated_question"] += repeated
    pool: list[Instance] = []
    if sub.false_premise is not None and released:
        pool, by_premise = premises.variants(
            run, released, writer, config.seed, premises.QUOTA_FACTOR * config.per_cell, found.rows
        )
        rules += by_premise
    valid = Counter(made.cell for made in passed)
    return _Outcome(room.kg, sub, found.drawn, causes, valid, released, +rules, pool)


def _picture_sub(state: _State, room: _Room, outcome: _Outcome, run: candidates.Run) -> None:
    """Add the image questions of a sub-template whose pictured role is drawn from entities with a picture."""
    config, sub, writer = state.config, outcome.sub, room.writer
    passed, causes, discards = _passed(state, room, sub, run.candidates().rows)
    for (_, cause), count in causes.items():
        discards[cause] += count
    drawn, rules = draw(passed, config.per_cell, _tolerance)
    slips.complete(room.engine, drawn)
    outcome.rules.update({imaged.PREFIX + cause: count for cause, count in (discards + rules).items()})
    released, by_name = imaged.write(drawn, room.pictures, writer)
    outcome.images, repeated = _unique(state, released)
    outcome.rules.update(by_name)
    outcome.rules[imaged.PREFIX + "repeated_question"] += repeated


def _passed(
    state: _State, room: _Room, sub: SubTemplate, rows: list[dict[str, Any]]
) -> tuple[list[Instance], Counter[tuple[str, str]], Counter[str]]:
    """The instances that pass every check of a single tuple, the discards by (cell, cause), and those by slips."""
    config, writer = state.config, room.writer
    causes: Counter[tuple[str, str]] = Counter()
    kept: list[Instance] = []
    for row in rows:
        made, cause = instance(sub, row, writer.strata)
        if made is not None:
            cause = room.ambiguity.fault(made) or _excluded(state.exclusion, writer, made)
        if made is None or cause is not None:
            causes[(str(row["_cell"]), str(cause))] += 1
        else:
            kept.append(made)
    passed, by_slip = slips.binding(room.engine, kept)
    for made in passed:
        made.pick = pick_of(made, config.seed, writer.iri_of)
    return passed, causes, by_slip


def _excluded(exclusion: Exclusion, writer: Writer, found: Instance) -> str | None:
    if not exclusion.tuples:
        return None
    roles = {role: writer.iri_of[entity] for role, entity in found.roles.items()}
    cause = exclusion.tuple_fault(found.sub.id, roles, writer.params(found))
    if cause is None and exclusion.entities:
        named = {writer.iri_of[e] for e in (*found.roles.values(), *found.answer_ids, *found.members)}
        cause = "entity_of_other_benchmark" if named & exclusion.entities else None
    return cause


def _unique(state: _State, released: list[Instance]) -> tuple[list[Instance], int]:
    """Instances whose question and gold were not asked yet, nor their question in an excluded benchmark."""
    kept = []
    for found in released:
        row = _row(found)
        key = (row["question"], row["gold"], row["image"])
        if key not in state.asked and state.exclusion.row_fault(row) is None:
            state.asked.add(key)
            kept.append(found)
    return kept, len(released) - len(kept)


def _released(state: _State) -> list[Instance]:
    """The questions of all sub-templates under the rule on classes, then the share of false premises."""
    groups, by_rule = balance_classes([list(outcome.instances) for outcome in state.outcomes], _tolerance)
    for outcome, group, discards in zip(state.outcomes, groups, by_rule, strict=True):
        outcome.instances = group
        outcome.rules += discards
    true = [found for group in groups for found in group]
    released = {id(found) for found in true}
    texts = {_row(found)["question"] for found in true}
    pool = [
        found
        for outcome in state.outcomes
        for found in outcome.false
        if id(found.base) in released
        and _row(found)["question"] not in texts
        and state.exclusion.row_fault(_row(found)) is None
    ]
    false = premises.chosen(pool, true)
    for outcome in state.outcomes:
        kept = {id(found) for found in outcome.false} & {id(found) for found in false}
        outcome.rules[premises.PREFIX + "beyond_share"] += len(outcome.false) - len(kept)
        outcome.false = [found for found in outcome.false if id(found) in kept]
    asked = {_row(found)["id"] for found in true}
    for outcome in state.outcomes:
        for found in outcome.images:
            if _row(found)["derived_from"] not in asked:
                found.question = {**_row(found), "derived_from": None}
    return [f for outcome in state.outcomes for f in (*outcome.instances, *outcome.false, *outcome.images)]


def _tolerance(found: Instance) -> float:
    """The tolerance of an instance's gold (answers' Table 12)."""
    return float(
        answers.get(found.sub.format).tolerance(
            found.gold, {"format": found.sub.format, "unit": found.sub.unit}
        )
    )


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
        "false_premises": sum(not row["premise"] for row in rows),
        "images": _images(state),
        "entities": state.entities,
        "matrix": _matrix(state),
        "discards": _discards(state),
        "verified": {"questions": verified.total, "agreed": verified.agreed},
        "licences": [
            {"kg": snapshot.kg, "part": part.name, "licence": part.licence, "attribution": part.attribution}
            for snapshot in snapshots
            for part in snapshot.parts
        ],
    }


def _matrix(state: _State) -> list[dict[str, Any]]:
    """The matrix of the true questions, KG after KG, sub-templates in order."""
    entries = [entry for kg, sub in state.absent for entry in matrix.absent(kg, sub)]
    for outcome in state.outcomes:
        apart = (premises.PREFIX, imaged.PREFIX)
        rules = {cause for cause in outcome.rules if cause != QUOTA and not cause.startswith(apart)}
        rows = [_row(found) for found in outcome.instances]
        entries += matrix.cells(
            outcome.kg, outcome.sub, outcome.drawn_entities, outcome.causes, outcome.valid, rows, rules
        )
    order = {kg: number for number, kg in enumerate(KGS)}
    return sorted(entries, key=lambda entry: (order[entry["kg"]], entry["subtemplate"]))


def _images(state: _State) -> dict[str, Any]:
    """The image slice of each KG: picturable entities, entities left out by cause, questions."""
    return {
        kg: {
            "entities": len(shown.pictures),
            "left_out": dict(sorted(shown.left_out.items())),
            "questions": sum(len(outcome.images) for outcome in state.outcomes if outcome.kg == kg),
        }
        for kg, shown in state.pictures.items()
    }


def _discards(state: _State) -> list[dict[str, Any]]:
    counts: Counter[tuple[str, str, str]] = Counter()
    for outcome in state.outcomes:
        for (_, cause), count in outcome.causes.items():
            counts[(outcome.kg, outcome.sub.id, cause)] += count
        for cause, count in outcome.rules.items():
            counts[(outcome.kg, outcome.sub.id, cause)] += count
    return [
        {"kg": kg, "subtemplate": sub, "cause": cause, "count": count}
        for (kg, sub, cause), count in sorted(counts.items())
        if count
    ]


def _ids_by_kg(snapshots: list[Snapshot]) -> dict[str, list[str]]:
    ids: dict[str, list[str]] = {}
    for snapshot in snapshots:
        ids.setdefault(snapshot.kg, []).append(snapshot.snapshot_id)
    return ids


def _write(
    out: Path, questions: pa.Table, rows: list[dict[str, Any]], facts: FactStore, summary: dict[str, Any]
) -> None:
    out.mkdir(parents=True, exist_ok=True)
    (out / "build.json").unlink(missing_ok=True)
    lines = facts.lines()
    used = sorted({i for row in rows for i in row["fact_ids"]})
    table = pa.table(
        {"fact_id": pa.array(used, pa.int32()), "triple": [lines[i] for i in used]}, schema=FACT_SCHEMA
    )
    for name, content in (
        ("questions.parquet", questions),
        ("facts.parquet", table),
    ):
        with replacing(out / name) as temporary:
            pq.write_table(content, temporary, compression="zstd", row_group_size=8192)
    with replacing(out / "questions.jsonl") as temporary, temporary.open("w", encoding="utf-8") as stream:
        for row in rows:
            stream.write(json.dumps(row, ensure_ascii=False) + "\n")
    with replacing(out / "build.json") as temporary:
        temporary.write_text(json.dumps(summary, indent=1, ensure_ascii=False) + "\n", "utf-8")
