"""Which gold entity a name in a reply stands for: what the entity and the set format share.

A name stands for a gold entity where it is the gold's name as printed, its IRI, or a label that the alias store
gives it in any language, and tells the gold from every rival. Rivals are the other candidates that the row names:
its ``entities`` (but for the ``roles`` of a question that asks for something not named in it: those are what it
asks about), and the wrong answers stored in ``slips``. Where a rival bears the same label, the name counts only
if it is the gold's name and merely an alias of the rival. Homonyms elsewhere in the KG do not hurt. Everything
else is wrong, however similar. See docs/names.md.
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
    return _settled(name, names.resolve(name, language_of(question)), question, names)


def stands_for_many(
    texts: Sequence[str], questions: Sequence[Question], names: AliasIndex | None
) -> list[frozenset[str]]:
    """``stands_for`` of many names, each with its question, vectorised by language."""
    found: list[frozenset[str]] = [frozenset()] * len(texts)
    rows_of: defaultdict[str, list[int]] = defaultdict(list)
    for row, (text, question) in enumerate(zip(texts, questions, strict=True)):
        if text in targets_of(question):
            found[row] = frozenset((text,))
        else:
            rows_of[language_of(question)].append(row)
    if names is not None:
        for language, rows in rows_of.items():
            bearers = names.resolve_many([texts[row] for row in rows], language)
            for row, bearing in zip(rows, bearers, strict=True):
                found[row] = _settled(texts[row], bearing, questions[row], names)
    return found


def _settled(name: str, bearing: frozenset[str], question: Question, names: AliasIndex) -> frozenset[str]:
    """The accepted IRIs among all that bear a name; empty where a rival bears it as well."""
    targets = targets_of(question)
    found, homonyms = bearing & targets, bearing - targets
    if not found or not homonyms:
        return found
    rivals = _rivals(name, homonyms, question, names)
    if not rivals:
        return found
    scope = found | rivals
    by_name = names.resolve(name, language_of(question), scope, names_only=True)
    return by_name if by_name <= targets else frozenset()


def _rivals(name: str, homonyms: frozenset[str], question: Question, names: AliasIndex) -> frozenset[str]:
    """The homonyms that are wrong candidates for the answer, by the question's row."""
    entities = frozenset(question.get("entities") or ())
    roles = _role_iris(question)
    rivals = homonyms & (entities if roles & targets_of(question) else entities - roles)
    language = language_of(question)
    key = fold(name, language)
    for slip in _slips(question):
        for plain in _without_contexts(slip):
            bearers = names.resolve(plain, language) & homonyms
            if fold(plain, language) == key or len(bearers) == 1:
                rivals |= bearers
    return rivals


def _role_iris(question: Question) -> frozenset[str]:
    roles = question.get("roles") or {}
    if isinstance(roles, str):
        roles = json.loads(roles)
    return frozenset(role["iri"] for role in roles.values() if isinstance(role, Mapping) and "iri" in role)


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
