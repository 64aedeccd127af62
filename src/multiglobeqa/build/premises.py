"""False premises: variants of released true questions whose premise fails, with margin (TAXONOMY rule 9)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

import pyarrow as pa

from multiglobeqa.build.candidates import Run
from multiglobeqa.build.gold import Instance, false_instance, params_of
from multiglobeqa.build.questions import Writer
from multiglobeqa.build.sample import QUOTA, by_turns, pick_of, turns
from multiglobeqa.taxonomy.model import SubTemplate

SHARE: Final = 0.08
"""False premises among all questions."""
QUOTA_FACTOR: Final = 2
"""False premises a stratum in the pool, for each true question that a stratum may hold: 13 of 138 sub-templates carry
them all."""
LEAST_OF_A_CLASS: Final = 15
PREFIX: Final = "false_premise_"
"""Before the causes of discarded false-premise candidates."""


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
    In each stratum the true questions take turns, so that few of them carry more than one variant.
    """
    discards: Counter[str] = Counter()
    kept: list[Instance] = []
    sub = released[0].sub
    true_tuples = {_tuple(sub, row, params_of(row)) for row in true_rows}
    base_of = {id(found): number for number, found in enumerate(released)}
    for row in run.false_candidates(base_table(released)).rows:
        made, cause = false_instance(sub, row, released[row["base_id"]], writer.strata)
        if made is not None and _tuple(sub, made.roles, made.params) in true_tuples:
            made, cause = None, "premise_may_hold"
        if made is None:
            discards[PREFIX + str(cause)] += 1
        else:
            made.pick = pick_of(made, seed, writer.iri_of)
            kept.append(made)
    cells: dict[str, list[Instance]] = {}
    for found in sorted(kept, key=lambda f: f.pick):
        cells.setdefault(found.cell, []).append(found)
    drawn: list[Instance] = []
    for cell in sorted(cells):
        ordered = by_turns(turns(cells[cell], lambda f: str(base_of[id(f.base)])))
        drawn += ordered[:per_cell]
        discards[PREFIX + QUOTA] += max(0, len(ordered) - per_cell)
    _, by_name = writer.rows(drawn)
    for cause, count in by_name.items():
        discards[PREFIX + cause] += count
    return [found for found in drawn if found.question is not None], +discards


def chosen(pool: list[Instance], true: list[Instance]) -> list[Instance]:
    """As many of the pool as make `SHARE` of all questions, beside the true ones.

    Sub-templates take turns, then KGs and strata within each: every one of the 13 is there where it can be. A question
    that two true ones lead to is asked once. Of a class no more are false than true in a sub-template (or
    `LEAST_OF_A_CLASS`): else the class would tell.
    """
    wanted = round(SHARE / (1 - SHARE) * len(true))
    asked = Counter((found.sub.id, found.params.get("class")) for found in true)
    rows = sorted(pool, key=lambda f: (f.pick, _question(f)["derived_from"]))
    for what in ("id", "question"):  # one tuple may come in two wordings, and two tuples in one
        once: dict[str, Instance] = {}
        for found in rows:
            once.setdefault(_question(found)[what], found)
        rows = list(once.values())
    room = {key: max(asked[key], LEAST_OF_A_CLASS) for key in {_class_key(found) for found in rows}}
    taken: Counter[tuple[str, object]] = Counter()
    kept = []
    for found in rows:
        key = _class_key(found)
        taken[key] += 1
        if key[1] is None or taken[key] <= room[key]:
            kept.append(found)
    rows = turns(kept, lambda f: f"{f.sub.id}/{_question(f)['kg']}/{f.cell}")
    rows = turns(rows, lambda f: f.sub.id)
    return rows[:wanted]


def _tuple(sub: SubTemplate, roles: Mapping[str, Any], params: Mapping[str, Any]) -> tuple[Any, ...]:
    """What makes a question: its roles' entities and its parameters."""
    named = sorted((name, str(value)) for name, value in params.items())
    return (*(roles[role] for role in sub.roles), *named)


def _class_key(found: Instance) -> tuple[str, object]:
    return found.sub.id, found.params.get("class")


def _question(found: Instance) -> dict[str, Any]:
    assert found.question is not None
    return found.question
