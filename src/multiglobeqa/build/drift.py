"""Drift: the queries of a released benchmark executed again on another snapshot of its KG.

Draws keep to the entities that were asked. What a query offers for an entity depends on a seeded order, so it is run
under several seeds until every tuple of the benchmark came out, at most `ATTEMPTS` times.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa

from multiglobeqa import answers
from multiglobeqa.build import candidates
from multiglobeqa.build.compare import same
from multiglobeqa.build.facts import FactStore
from multiglobeqa.build.gold import ID_FORMATS, Instance, false_instance, instance, params_of
from multiglobeqa.build.premises import base_table
from multiglobeqa.build.questions import Writer
from multiglobeqa.build.released import rows_of
from multiglobeqa.engine import DuckEngine
from multiglobeqa.kg.store import Snapshot
from multiglobeqa.taxonomy import SubTemplate, load

ATTEMPTS: Final = 16
STATUSES: Final = ("same", "within_tolerance", "changed", "no_longer_valid", "entity_gone", "not_reached")
"""What became of a question: the same answer; another one that the scorer would accept; another one; discarded by a
rule of its template; an entity of it is not in the snapshot; its tuple did not come out under any seed."""


@dataclass(frozen=True)
class Drift:
    """What became of one question. ``old`` and ``new`` are answers as JSON text; ``why`` lists the changes."""

    id: str
    kg: str
    subtemplate: str
    status: str
    old: str | None
    new: str | None
    why: tuple[str, ...] = ()


@dataclass
class _Asked:
    """The questions of one sub-template, by their tuples."""

    rows: dict[str, dict[str, Any]] = field(default_factory=dict)
    found: dict[str, tuple[Instance | None, str | None]] = field(default_factory=dict)


def drift(
    benchmark: Path,
    snapshots: Sequence[Snapshot],
    *,
    templates: Sequence[SubTemplate] | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> list[Drift]:
    """What became of each question of a benchmark on other snapshots, in the order of the benchmark.

    Questions of KGs without a snapshot here are left out. Raises InputError where the benchmark cannot be read.
    """
    subs = {sub.id: sub for sub in (templates if templates is not None else load())}
    kgs = {snapshot.kg for snapshot in snapshots}
    rows = [{**row, "triples": lines} for row, lines in rows_of(benchmark) if row["kg"] in kgs]
    out: dict[str, Drift] = {}
    for kg in dict.fromkeys(row["kg"] for row in rows):
        world = _World(kg, [snapshot for snapshot in snapshots if snapshot.kg == kg])
        grouped: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for row in rows:
            if row["kg"] == kg:
                grouped[row["subtemplate"]].append(row)
        for number, (identity, mine) in enumerate(sorted(grouped.items()), 1):
            out |= {one.id: one for one in world.again(subs.get(identity), mine)}
            if progress is not None:
                progress(f"drift {kg}", number, len(grouped))
    return [out[row["id"]] for row in rows]


def counted(found: Iterable[Drift]) -> Counter[str]:
    """Questions by status."""
    return Counter(one.status for one in found)


class _World:
    """The newer snapshots of one KG."""

    def __init__(self, kg: str, snapshots: list[Snapshot]) -> None:
        self._engine = DuckEngine(snapshots)
        self._writer = Writer(self._engine, kg, "drift", FactStore())
        self._id_of = {iri: entity for entity, iri in self._writer.iri_of.items()}

    def again(self, sub: SubTemplate | None, rows: list[dict[str, Any]]) -> list[Drift]:
        """What became of the questions of one sub-template."""
        here = [row for row in rows if not self._gone(row)]
        asked = self._run(sub, here) if sub is not None and here else _Asked()
        return [self._one(row, asked) for row in rows]

    def _gone(self, row: dict[str, Any]) -> list[str]:
        return [role["iri"] for role in json.loads(row["roles"]).values() if role["iri"] not in self._id_of]

    def _run(self, sub: SubTemplate, rows: list[dict[str, Any]]) -> _Asked:
        asked = _Asked({_key(_roles(row), json.loads(row["params"])): row for row in rows})
        tuples = [[self._id_of[iri] for iri in _roles(row).values()] for row in rows]
        ids = np.unique(np.array([entity for one in tuples for entity in one], dtype=np.int64))
        pairs = sorted({(a, b) for one in tuples for a in one for b in one if a != b})
        left, right = zip(*pairs, strict=True) if pairs else ((), ())
        self._engine.register("_asked", pa.table({"id": ids}))
        self._engine.register(
            "_asked_pairs",
            pa.table({"left_id": pa.array(left, pa.int64()), "right_id": pa.array(right, pa.int64())}),
        )
        false = any(not row["premise"] for row in rows)
        for seed in range(ATTEMPTS):
            with candidates.opened(self._engine, sub, seed, asked=True) as run:
                kept = [self._settle(asked, instance(sub, row, self._writer.strata), row, sub)
                        for row in run.candidates().rows]  # fmt: skip
                bases = [found for found in kept if found is not None]
                if false and bases and sub.false_premise is not None:
                    for row in run.false_candidates(base_table(bases)).rows:
                        made = false_instance(sub, row, bases[row["base_id"]], self._writer.strata)
                        self._settle(asked, made, row, sub)
            if len(asked.found) == len(asked.rows):
                break
        return asked

    def _settle(
        self, asked: _Asked, made: tuple[Instance | None, str | None], row: dict[str, Any], sub: SubTemplate
    ) -> Instance | None:
        """Keep the outcome of a row that is one of the benchmark's tuples; a valid one goes before a discarded one."""
        found, cause = made
        roles = {role: row.get(role) for role in sub.roles}
        if any(entity is None for entity in roles.values()):
            return found
        shell = found or Instance(sub, row, {}, params_of(row))
        key = _key(
            {role: self._writer.iri_of[e] for role, e in roles.items() if e}, self._writer.params(shell)
        )
        if key in asked.rows and (found is not None or key not in asked.found):
            premise = asked.rows[key]["premise"]
            if found is None or (found.base is None) == premise:
                asked.found[key] = (found, cause)
        return found

    def _one(self, row: dict[str, Any], asked: _Asked) -> Drift:
        old = (
            json.dumps(row["accepted_iris"])
            if row["format"] in ID_FORMATS and row["premise"]
            else row["gold"]
        )
        gone = self._gone(row)
        if gone:
            return _drift(row, "entity_gone", old, None, [f"{iri} is not in the snapshot" for iri in gone])
        key = _key(_roles(row), json.loads(row["params"]))
        if key not in asked.found:
            return _drift(row, "not_reached", old, None, [])
        found, cause = asked.found[key]
        if found is None:
            return _drift(row, "no_longer_valid", old, None, [str(cause)])
        if not row["premise"]:
            return _drift(row, "same", None, None, [])
        return self._compared(row, found, old)

    def _compared(self, row: dict[str, Any], found: Instance, old: str | None) -> Drift:
        if row["format"] in ID_FORMATS:
            new = sorted(self._writer.iri_of[entity] for entity in found.answer_ids)
            before = sorted(row["accepted_iris"])
            gone, come = sorted(set(before) - set(new)), sorted(set(new) - set(before))
            why = [*(f"{iri} no longer answers" for iri in gone), *(f"{iri} answers now" for iri in come)]
            status = "changed" if why else "same"
            return _drift(row, status, old, json.dumps(new), why + self._reasons(row, found) if why else [])
        gold = json.loads(row["gold"])
        if same(row["format"], gold, found.gold, found.sub.template):
            return _drift(row, "same", old, json.dumps(found.gold, sort_keys=True), [])
        right = answers.get(row["format"]).exact_match(found.gold, gold, row)
        status = "within_tolerance" if right else "changed"
        return _drift(row, status, old, json.dumps(found.gold, sort_keys=True), self._reasons(row, found))

    def _reasons(self, row: dict[str, Any], found: Instance) -> list[str]:
        """Facts that differ: what was said of a subject and is said no more, and the reverse."""
        before, after = set(row["triples"]), set(self._writer.fact_lines(found))
        gone, come = _said(before - after), _said(after - before)
        return [
            *(f"{what} of {iri} changed" for iri, what in sorted(gone & come)),
            *(f"{what} of {iri} is no longer stated" for iri, what in sorted(gone - come)),
            *(f"{what} of {iri} is new" for iri, what in sorted(come - gone)),
        ]


def _said(lines: set[str]) -> set[tuple[str, str]]:
    """(subject, property in words) of N-Triples lines; a part's subject is its entity."""
    out = set()
    for line in lines:
        subject, predicate, _ = line.split(" ", 2)
        iri = subject.strip("<>")
        for mark in ("#geometry", ".geometry", "#fix", "#time", "#begin", "#end"):
            iri = iri.partition(mark)[0]
        word = predicate.strip("<>").replace("#", "/").rsplit("/", 1)[1]
        out.add((iri, {"asWKT": "geometry", "hasGeometry": "geometry", "type": "class"}.get(word, word)))
    return out


def _roles(row: dict[str, Any]) -> dict[str, str]:
    return {role: value["iri"] for role, value in json.loads(row["roles"]).items()}


def _key(roles: dict[str, str], params: dict[str, Any]) -> str:
    return json.dumps([sorted(roles.items()), params], sort_keys=True, default=str)


def _drift(row: dict[str, Any], status: str, old: str | None, new: str | None, why: list[str]) -> Drift:
    return Drift(row["id"], row["kg"], row["subtemplate"], status, old, new, tuple(why))
