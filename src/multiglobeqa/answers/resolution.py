"""Which gold entity a name in a reply stands for: what the entity and the set format share.

A name stands for a gold entity where it is the gold's name as printed, its IRI, or a label that the alias store
gives it in any language, and tells the gold from every rival in scope. In scope are the entities of the question
(``entities``: its roles and members) and the wrong candidates that the build has stored (``slips``). Where a rival
bears the same label, the name counts only if it is the gold's name and merely an alias of the rival. Homonyms
elsewhere in the KG do not hurt. Everything else is wrong, however similar. See docs/names.md.
"""

from __future__ import annotations

import json
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence

from multiglobeqa.answers.aliases import AliasIndex
from multiglobeqa.answers.base import FormatError, Question, accepted_of, gold_of, language_of
from multiglobeqa.answers.names import fold, same_name
from multiglobeqa.answers.text import has_surrogate, shown, strip_marks

MAX_NAME = 1000


def read_name(value: object) -> str:
    """A name: NFC, one line, spaces folded. A whole number stands for its digits; raises FormatError."""
    if isinstance(value, dict) and set(value) == {"name"}:
        value = value["name"]
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**18:
        value = str(value)
    if not isinstance(value, str):
        raise FormatError(f"{shown(value)} is not a name.", mend="Write the name as a text.")
    if has_surrogate(value) or len(value) > MAX_NAME:
        raise FormatError(f"{shown(value)} is not a name: broken text or more than {MAX_NAME} characters.")
    name = " ".join(unicodedata.normalize("NFC", strip_marks(value)).split())
    if not any(not unicodedata.category(c).startswith(("C", "Z", "M")) for c in name):
        raise FormatError("The name is empty.")
    return name


def targets_of(question: Question) -> frozenset[str]:
    """IRIs of the accepted entities."""
    return frozenset(question.get("accepted_iris") or ())


def stands_for(name: str, question: Question, names: AliasIndex | None) -> frozenset[str]:
    """The accepted IRIs that a name stands for; empty where it stands for a rival too, or for none."""
    targets = targets_of(question)
    if name in targets:
        return frozenset((name,))
    if names is None or not targets:
        return frozenset()
    scope, language = targets | _others(question), language_of(question)
    for strict in (False, True):
        found = names.resolve(name, language, scope, names_only=strict)
        if not found:
            break
        if found <= targets:
            homonyms = names.resolve(name, language, names_only=strict) - scope
            if not _rivals(name, homonyms, question, names):
                return found
    return frozenset()


def stands_for_many(
    texts: Sequence[str], questions: Sequence[Question], names: AliasIndex | None
) -> list[frozenset[str]]:
    """``stands_for`` of many names, each with its question, vectorised by language."""
    found: list[frozenset[str]] = [frozenset()] * len(texts)
    rows_of: defaultdict[str, list[int]] = defaultdict(list)
    for row, (text, question) in enumerate(zip(texts, questions, strict=True)):
        targets = targets_of(question)
        if text in targets:
            found[row] = frozenset((text,))
        elif names is not None and targets:
            rows_of[language_of(question)].append(row)
    for language, rows in rows_of.items():
        assert names is not None
        scopes = [targets_of(questions[row]) | _others(questions[row]) for row in rows]
        in_scope = names.resolve_many([texts[row] for row in rows], language, scopes)
        everywhere = names.resolve_many([texts[row] for row in rows], language)
        for row, near, all_ in zip(rows, in_scope, everywhere, strict=True):
            # one entity alone bears the name: the usual case; where several do, the rules decide one by one
            found[row] = near if near == all_ and near <= targets_of(questions[row]) else frozenset()
            if near and not found[row]:
                found[row] = stands_for(texts[row], questions[row], names)
    return found


def _others(question: Question) -> frozenset[str]:
    return frozenset(question.get("entities") or ()) - targets_of(question)


def _rivals(name: str, homonyms: frozenset[str], question: Question, names: AliasIndex) -> bool:
    """Whether one of the homonyms is a wrong candidate that the question has stored."""
    if not homonyms:
        return False
    language = language_of(question)
    key = fold(name, language)
    for slip in _slips(question):
        for plain in _without_contexts(slip):
            bearers = names.resolve(plain, language) & homonyms
            if bearers and (fold(plain, language) == key or len(bearers) == 1):
                return True
    return False


def _slips(question: Question) -> Iterator[str]:
    """Names that typical mistakes would answer, as printed; not those that are right."""
    slips = question.get("slips") or {}
    if isinstance(slips, str):
        slips = json.loads(slips)
    right = {name for value in (gold_of(question), *accepted_of(question)) for name in _names_in(value)}
    if isinstance(slips, Mapping):
        for value in slips.values():
            yield from (name for name in _names_in(value) if name not in right)


def _names_in(value: object) -> list[str]:
    values = value if isinstance(value, list | tuple) else (value,)
    return [name for name in values if isinstance(name, str)]


def _without_contexts(printed: str) -> Iterator[str]:
    """A printed name, then the same without the contexts in brackets that the build may add."""
    bracket = " ("
    while bracket:
        yield printed
        printed, bracket, _ = printed.rpartition(" (")


def is_printed(name: str, printed: Collection[str], question: Question) -> bool:
    """Whether a name is one of the names as printed."""
    return any(same_name(name, each, language_of(question)) for each in printed)
