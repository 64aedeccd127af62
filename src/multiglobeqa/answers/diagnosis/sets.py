"""Sets: what is missing and what does not belong to the answer. Stored slips must be met exactly, as printed."""

from __future__ import annotations

from typing import Any

from multiglobeqa.answers.diagnosis.batch import CAUSE, FACT, Batch, Findings
from multiglobeqa.answers.diagnosis.entities import folded, roles_of
from multiglobeqa.answers.diagnosis.spelling import without_contexts
from multiglobeqa.answers.names import fold
from multiglobeqa.answers.resolution import stands_for_many
from multiglobeqa.answers.set import Set


def diagnose_sets(batch: Batch, found: Findings) -> None:
    """All kinds of sets."""
    rows = range(len(batch))
    flat = [(row, name) for row in rows for name in batch.values[row]]
    flat_keys = folded([name for _, name in flat], [batch.languages[row] for row, _ in flat])
    keys: list[dict[str, str]] = [{} for _ in rows]
    for (row, name), key in zip(flat, flat_keys, strict=True):
        keys[row][key] = name
    golds = _by_language(batch, lambda case, language: {fold(name, language) for name in case.gold})
    slips = _by_language(
        batch,
        lambda case, language: [
            (slip, {fold(name, language) for name in names})
            for slip, names in case.slips
            if isinstance(names, list)
        ],
    )
    open_names = [(row, name) for row in rows for key, name in keys[row].items() if key not in golds[row]]
    standing = stands_for_many(
        [name for _, name in open_names], [batch.question(row) for row, _ in open_names], batch.names
    )
    by_entity = {row for (row, _), iris in zip(open_names, standing, strict=True) if iris}
    for row in rows:
        mine = set(keys[row])
        for slip, expected in slips[row]:
            if mine == expected:
                found.add(slip, row, CAUSE)
        met, wrong, size = counts(batch, row) if row in by_entity or _capitals(keys[row]) else (
            len(mine & golds[row]), len(mine - golds[row]), len(golds[row])
        )  # fmt: skip
        for key, share in _relations(batch, row, keys[row], golds[row], (met, wrong, size)):
            found.add(key, row, FACT, share)


def counts(batch: Batch, row: int) -> tuple[int, int, int]:
    """Members met, distinct wrong members, size of the gold set, as the score has them."""
    return Set(batch.names)._compare(batch.values[row], batch.case(row).gold, batch.question(row))


def _relations(
    batch: Batch, row: int, keys: dict[str, str], gold: set[str], sizes: tuple[int, int, int]
) -> list[tuple[str, float]]:
    met, wrong, size = sizes
    if not keys:
        return [("empty_set", 0.0)]
    language = batch.languages[row]
    said: list[tuple[str, float]] = []
    (only,) = keys.values() if len(keys) == 1 else ("",)
    if "," in only and {fold(name, language) for name in only.split(",")} == gold:
        said.append(("joined_by_commas", 0.0))
    if wrong and met == size:
        named = {
            fold(form, language)
            for role in roles_of(batch.case(row))
            for form in without_contexts(str(role.get("name") or ""))
        }
        if set(keys) - gold <= named:
            said.append(("reference_included", 0.1))
        said.append(("superset", 0.2))
    elif met and not wrong:
        said.append(("subset", 0.2))
    else:
        said.append(("overlap" if met else "disjoint", 0.2))
    return said


def _capitals(keys: dict[str, str]) -> bool:
    """Whether a name may be one in capitals, which keys alone do not settle."""
    return any(name.isupper() and not name.isascii() for name in keys.values())


def _by_language(batch: Batch, make: Any) -> list[Any]:
    """(n,) something of each answer's question in the answer's language, each made once."""
    known: dict[tuple[int, str], Any] = {}
    listed = []
    for row, item in enumerate(batch.at.tolist()):
        mark = (item, batch.languages[row])
        if mark not in known:
            known[mark] = make(batch.cases[item], batch.languages[row])
        listed.append(known[mark])
    return listed
