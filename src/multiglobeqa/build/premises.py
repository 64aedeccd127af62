"""False premises: variants of released true questions whose premise fails, with margin (TAXONOMY rule 9)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from math import ceil
from typing import Any, Final, TypeAlias

import pyarrow as pa

from multiglobeqa.build.candidates import Run
from multiglobeqa.build.gold import Instance, false_instance, params_of
from multiglobeqa.build.questions import Writer
from multiglobeqa.build.sample import QUOTA, by_turns, pick_of, turns
from multiglobeqa.taxonomy.model import SubTemplate

Feature: TypeAlias = tuple[str, ...]
"""A surface feature: sub-template, KG, then what is seen and its value."""
SHARE: Final = 0.08
"""False premises among all questions, at most."""
QUOTA_FACTOR: Final = 2
"""False premises a stratum in the pool, for each true question that a stratum may hold."""
MOST_FALSE: Final = 2.0
"""False premises of a surface feature, at most, for each true one: who sees the feature alone must not be sure."""
POOL_FACTOR: Final = 2.5
"""How many false ones of a surface feature are written, for each true one: some true ones still fall to later rules."""
INCOMPLETE: Final = frozenset({"iata_airport"})
"""Classes of which no absence is shown, since the list lacks members that exist: of 286 regions said to hold no airport
with a code, 18 hold one that had it in an earlier release of the list (Mzuzu, Mykolaiv), 126 one without a code."""
PREFIX: Final = "false_premise_"
"""Before the causes of discarded false-premise candidates."""
OUTNUMBER: Final = "more_than_true_ones"


def base_table(released: list[Instance]) -> pa.Table:
    """The table ``base``: base_id (position in ``released``), a column a role, and p_<name> for each parameter.

    Parameters that are lists have no column.
    """
    sub = released[0].sub
    columns: dict[str, list[Any]] = {"base_id": list(range(len(released)))}
    for role in sub.roles:
        columns[role] = [found.roles[role] for found in released]
    for name in sorted({key for found in released for key in (*sub.params, *found.params)}):
        values = [{**sub.params, **found.params}.get(name) for found in released]
        if not any(isinstance(value, list | dict) for value in values):
            columns[f"p_{name}"] = values
    return pa.table(columns)


def variants(
    run: Run,
    released: list[Instance],
    writer: Writer,
    seed: int,
    per_cell: int,
    true_rows: list[dict[str, Any]],
) -> tuple[list[Instance], Counter[str]]:
    """Written false-premise instances of one sub-template and KG, at most ``per_cell`` a stratum, and the discards.

    A tuple that the sub-template's own query also returned (``true_rows``), kept or discarded, is no false premise.
    In each stratum the true questions take turns, so that few of them carry more than one variant. Of a surface
    feature about as many are written as true ones have it. Sets ``surface`` of the true and the false.
    """
    discards: Counter[str] = Counter()
    kept: list[Instance] = []
    sub = released[0].sub
    true_tuples = {_tuple(sub, row, params_of(row)) for row in true_rows}
    base_of = {id(found): number for number, found in enumerate(released)}
    for row in run.false_candidates(base_table(released)).rows:
        made, cause = false_instance(sub, row, released[row["base_id"]], writer.strata)
        if made is not None and made.params.get("class") in INCOMPLETE:
            made, cause = None, "list_may_lack_members"
        elif made is not None and _tuple(sub, made.roles, made.params) in true_tuples:
            made, cause = None, "premise_may_hold"
        if made is None:
            discards[PREFIX + str(cause)] += 1
        else:
            made.pick = pick_of(made, seed, writer.iri_of)
            kept.append(made)
    _mark([*released, *kept], writer, _question(released[0])["kg"])
    cells: dict[str, list[Instance]] = {}
    for found in sorted(kept, key=lambda f: f.pick):
        cells.setdefault(found.cell, []).append(found)
    ordered: list[Instance] = []
    for _, rows in sorted(cells.items()):
        ordered += by_turns(turns(rows, lambda f: str(base_of[id(f.base)])))
    ordered = turns(ordered, lambda f: f.cell)
    fitting = no_more_than_true(ordered, released, POOL_FACTOR)
    discards[PREFIX + OUTNUMBER] += len(ordered) - len(fitting)
    taken: Counter[str] = Counter()
    drawn = []
    for found in fitting:
        taken[found.cell] += 1
        if taken[found.cell] <= per_cell:
            drawn.append(found)
    discards[PREFIX + QUOTA] += len(fitting) - len(drawn)
    _, by_name = writer.rows(drawn)
    for cause, count in by_name.items():
        discards[PREFIX + cause] += count
    return [found for found in drawn if found.question is not None], +discards


def chosen(pool: list[Instance], true: list[Instance]) -> list[Instance]:
    """Those of the pool that are asked beside the true ones: at most `SHARE` of all questions.

    Sub-templates take turns, then KGs and strata within each: every one of the 13 is there where it can be. A question
    that two true ones lead to is asked once. No surface feature tells: see
    `no_more_than_true`.
    """
    wanted = round(SHARE / (1 - SHARE) * len(true))
    rows = sorted(pool, key=lambda f: (f.pick, _question(f)["derived_from"]))
    for what in ("id", "question"):  # one tuple may come in two wordings, and two tuples in one
        once: dict[str, Instance] = {}
        for found in rows:
            once.setdefault(_question(found)[what], found)
        rows = list(once.values())
    rows = turns(rows, lambda f: f"{f.sub.id}/{_question(f)['kg']}/{f.cell}")
    rows = turns(no_more_than_true(rows, true), lambda f: f.sub.id)
    return rows[:wanted]


def no_more_than_true(
    rows: list[Instance], true: list[Instance], factor: float = MOST_FALSE
) -> list[Instance]:
    """The rows, in their order, of which no surface feature has more than ``factor`` times as many as of the true ones.

    So no feature alone (the class, a radius, the KG, ...) tells a false premise from a true one: a class that no true
    question names is named by no false one.
    """
    room = Counter(feature for found in true for feature in found.surface)
    taken: Counter[Feature] = Counter()
    kept = []
    for found in rows:
        if all(taken[feature] < ceil(factor * room[feature]) for feature in found.surface):
            taken.update(found.surface)
            kept.append(found)
    return kept


def surface(found: Instance, kinds: Mapping[int, str], kg: str) -> frozenset[Feature]:
    """What a reader of a question sees of it before thinking of the place.

    These are the KG and, within it, each parameter, the kind of each role's entity, and the class asked of with the
    kind of each role. Parameters that are lists tell no kind of question; the stratum takes knowledge of the place.
    """
    params = {**found.sub.params, **found.params}
    seen = [(name, str(value)) for name, value in params.items() if not isinstance(value, list | dict)]
    roles = [(role, kinds[entity]) for role, entity in found.roles.items()]
    together = [("class", str(params["class"]), *role) for role in roles if "class" in params]
    features: list[tuple[str, ...]] = [(), *seen, *roles, *together]
    return frozenset((found.sub.id, kg, *feature) for feature in features)


def _mark(rows: list[Instance], writer: Writer, kg: str) -> None:
    kinds = writer.kinds({entity for found in rows for entity in found.roles.values()})
    for found in rows:
        found.surface = surface(found, kinds, kg)


def _tuple(sub: SubTemplate, roles: Mapping[str, Any], params: Mapping[str, Any]) -> tuple[Any, ...]:
    """What makes a question: its roles' entities and its parameters."""
    named = sorted((name, str(value)) for name, value in params.items())
    return (*(roles[role] for role in sub.roles), *named)


def _question(found: Instance) -> dict[str, Any]:
    assert found.question is not None
    return found.question
