"""Which gold entity a name in a reply stands for: what the entity and the set format share.

A name stands for a gold entity where it is the gold's name as printed, its IRI, or a label that the alias
store gives it in any language. A label that the gold shares with another entity of the question
(``entities``) counts only if it is the gold's name and merely an alias of the other. Everything else is
wrong, however similar.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection

from multiglobeqa.answers.aliases import AliasIndex
from multiglobeqa.answers.base import FormatError, Question, language_of
from multiglobeqa.answers.names import same_name
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
    """The accepted IRIs that a name stands for; empty where it stands for a wrong entity too, or for none."""
    targets = targets_of(question)
    if name in targets:
        return frozenset((name,))
    if names is None or not targets:
        return frozenset()
    others = frozenset(question.get("entities") or ()) - targets
    scope = targets | others
    for strict in (False, True):
        found = names.resolve(name, language_of(question), scope, names_only=strict)
        if found and found <= targets:
            return found
    return frozenset()


def is_printed(name: str, printed: Collection[str], question: Question) -> bool:
    """Whether a name is one of the names as printed."""
    return any(same_name(name, each, language_of(question)) for each in printed)
