"""Names: namesakes, other places of the question, other entities of the knowledge graph, and spellings.

Names are compared by their keys (``answers.names.fold``), and through the alias store where there is one.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from multiglobeqa.answers.diagnosis.batch import CAUSE, FACT, Batch, Case, Findings
from multiglobeqa.answers.diagnosis.spelling import is_misspelt, is_part, unaccented, without_contexts
from multiglobeqa.answers.names import fold, fold_many, folding_of
from multiglobeqa.answers.resolution import targets_of

Said = list[tuple[str, float, float]]
"""Keys with rank and share."""
_NONE: frozenset[str] = frozenset()


class Named:
    """The names that a question holds, as keys of one language's folding."""

    __slots__ = ("entities", "forms", "gold", "plain", "role_iris", "roles", "slips", "targets")

    def __init__(self, case: Case, language: str) -> None:
        self.targets = targets_of(case.row)
        self.gold = fold(str(case.gold), language)
        self.forms = _forms(str(case.gold), language)
        self.plain = self.forms[-1]
        named = roles_of(case)
        self.roles = {key for role in named for key in _forms(str(role.get("name") or ""), language)} - {""}
        self.role_iris = frozenset(role["iri"] for role in named if "iri" in role)
        self.entities = frozenset(case.row.get("entities") or ())
        self.slips = [
            (key, value, set(_forms(value, language))) for key, value in case.slips if isinstance(value, str)
        ]


def diagnose_entities(batch: Batch, found: Findings) -> None:
    """All kinds of names."""
    keys = folded(batch.values, batch.languages)
    bearers = resolved(batch, batch.values, batch.languages)
    named: dict[tuple[int, str], Named] = {}
    open_rows: list[int] = []
    for row, value in enumerate(batch.values):
        mark = (int(batch.at[row]), folding_of(batch.languages[row]))
        if mark not in named:
            named[mark] = Named(batch.case(row), batch.languages[row])
        said = _relations(value, keys[row], bearers[row], named[mark], batch.languages[row])
        if bearers[row] and named[mark].slips and not any(rank == CAUSE for _, rank, _ in said):
            open_rows.append(row)
        for key, rank, share in said or _unknown(batch, keys[row], bearers[row], named[mark]):
            found.add(key, row, rank, share)
    _slips_by_alias(batch, found, open_rows, bearers, named)


def _relations(value: str, key: str, bearers: frozenset[str], question: Named, language: str) -> Said:
    forms = _forms(value, language)
    exact: Said = [
        (slip, CAUSE, 0.0) for slip, printed, _ in question.slips if fold(printed, language) == key
    ]
    if not exact and (forms[-1] == question.plain or key in question.forms):
        untold = len(forms) == 1
        return [("namesake.untold" if untold else "namesake", FACT, 0.1)]
    said = exact or [(slip, CAUSE, 0.1) for slip, _, keys in question.slips if key in keys]
    if bearers & question.targets:
        said.append(("namesake.untold", FACT, 0.1))
    if key in question.roles or bearers & question.role_iris:
        offered = bool(question.targets & question.role_iris)
        said.append(("other_option" if offered else "named_in_question", FACT, 0.2))
    elif bearers & question.entities:
        said.append(("other_candidate", FACT, 0.3))
    if unaccented(key) == unaccented(question.plain):
        said.append(("spelling.accents", FACT, 0.12))
    elif is_part(key, question.plain):
        said.append(("part_of_name", FACT, 0.15))
    return said


def _unknown(batch: Batch, key: str, bearers: frozenset[str], question: Named) -> Said:
    """What is said where nothing of the question explains the name."""
    said: Said = [("other_entity", FACT, 0.4)] if bearers else []
    if is_misspelt(key, question.plain):
        said.append(("spelling", FACT, 0.5))
    if batch.names is not None and not bearers:
        said.append(("unknown_name", FACT, 0.6))
    return said


def _slips_by_alias(
    batch: Batch,
    found: Findings,
    rows: list[int],
    bearers: Sequence[frozenset[str]],
    named: Mapping[tuple[int, str], Named],
) -> None:
    """Stored slips that an answer names in other words: another language, an alias."""
    asked: list[tuple[int, str, str]] = []
    for row in rows:
        for slip, value, _ in named[int(batch.at[row]), folding_of(batch.languages[row])].slips:
            asked.append((row, slip, list(without_contexts(value))[-1]))
    languages = [batch.languages[row] for row, _, _ in asked]
    meant = resolved(batch, [text for _, _, text in asked], languages)
    for (row, slip, _), iris in zip(asked, meant, strict=True):
        targets = targets_of(batch.case(row).row)
        if bearers[row] & iris and not bearers[row] & targets:
            found.add(slip, row, CAUSE, 0.5)


def folded(texts: Sequence[str], languages: Sequence[str]) -> list[str]:
    """The keys of names, each with its language; each text once."""
    by_folding: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for text, language in zip(texts, languages, strict=True):
        by_folding[folding_of(language)][text] = language
    for known in by_folding.values():
        language = next(iter(known.values()))
        known.update(zip(known, fold_many(list(known), language), strict=True))
    return [by_folding[folding_of(language)][text] for text, language in zip(texts, languages, strict=True)]


def resolved(batch: Batch, texts: Sequence[str], languages: Sequence[str]) -> list[frozenset[str]]:
    """The entities that bear each name; none without an alias store."""
    if batch.names is None:
        return [_NONE] * len(texts)
    by_language: defaultdict[str, dict[str, frozenset[str]]] = defaultdict(dict)
    for text, language in zip(texts, languages, strict=True):
        by_language[language][text] = _NONE
    for language, known in by_language.items():
        known.update(zip(known, batch.names.resolve_many(list(known), language), strict=True))
    return [by_language[language][text] for text, language in zip(texts, languages, strict=True)]


def roles_of(case: Case) -> list[Mapping[str, Any]]:
    """The places that a question names: ``{"iri": .., "name": ..}``."""
    roles = case.row.get("roles") or {}
    if isinstance(roles, str):
        roles = json.loads(roles)
    return [role for role in roles.values() if isinstance(role, Mapping)]


def _forms(name: str, language: str) -> list[str]:
    return [fold(form, language) for form in without_contexts(name)]
