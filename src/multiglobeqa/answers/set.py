"""A set of names."""

from __future__ import annotations

import re
from typing import Any

from multiglobeqa.answers.aliases import AliasIndex
from multiglobeqa.answers.base import Format, FormatError, Question, language_of
from multiglobeqa.answers.jsontext import opened
from multiglobeqa.answers.names import fold, same_name
from multiglobeqa.answers.resolution import read_name, stands_for, targets_of
from multiglobeqa.answers.rules import note
from multiglobeqa.answers.text import shown

MAX_MEMBERS = 1000


class Set(Format):
    """Names without order or repetition; right where equal to the gold set; d = NE = 1 - Jaccard.

    Two spellings of one entity are one member. Two empty sets are equal.
    """

    name = "set"

    def __init__(self, names: AliasIndex | None = None) -> None:
        self.names = names

    def value_schema(self, question: Question) -> dict[str, Any]:
        """A list of texts."""
        return {"type": "array", "items": {"type": "string", "minLength": 1}}

    def describe(self, question: Question) -> str:
        """For the prompt."""
        return "All names that belong to the answer, as a list of texts, in any order."

    def parse(self, value: object, question: Question) -> Any:
        """Sorted names of a list, or of a text with one name a line or with semicolons between.

        Commas do not separate: names hold them.
        """
        value = opened(value)
        if isinstance(value, str):
            lines = [
                re.sub(r"^\s*(?:[-*•]|\d{1,3}[.)])\s+", "", line) for line in re.split(r"[\n;；]", value)
            ]
            value = [line for line in lines if line.strip()]
            note("set: text read as one name a line or between semicolons")
            if not value:
                raise FormatError("The list of names is empty text.", mend="Write [] for an empty set.")
        if not isinstance(value, list | tuple | set | frozenset) or len(value) > MAX_MEMBERS:
            raise FormatError(f"{shown(value)} is not a list of up to {MAX_MEMBERS} names.")
        language = language_of(question)
        by_key: dict[str, str] = {}
        for name in sorted(read_name(member) for member in value):
            by_key.setdefault(fold(name, language), name)
        return sorted(by_key.values())

    def distance(self, pred: Any, gold: Any, question: Question) -> float:
        """1 - |both| / |either|."""
        met, wrong, size = self._compare(pred, gold, question)
        return 1.0 - met / (size + wrong) if size + wrong else 0.0

    def tolerance(self, gold: Any, question: Question) -> float:
        """0: only the equal set is right."""
        return 0.0

    def _error(self, pred: Any, gold: Any, question: Question) -> float:
        return self.distance(pred, gold, question)

    def _compare(self, pred: list[str], gold: list[str], question: Question) -> tuple[int, int, int]:
        """Gold members met, distinct wrong members, size of the gold set."""
        language = language_of(question)
        printed: dict[str, str] = {fold(name, language): name for name in gold}
        iris = self._iris_of(printed, question)
        met: set[str] = set()
        loose: list[frozenset[str]] = []  # accepted entities whose gold member is not known yet
        wrong: set[Any] = set()
        for name in pred:
            key = _printed_key(name, printed, language)
            if key is not None:
                met.add(key)
                continue
            found = stands_for(name, question, self.names)
            if not found:
                elsewhere = self.names.resolve(name, language) if self.names else frozenset()
                wrong.add(elsewhere or fold(name, language))
            elif len(found) > 1 or found not in loose:  # a second spelling of one entity adds nothing
                loose.append(found)
        homes = [[key for key, owners in iris.items() if owners & found] for found in loose]
        wrong.update(found for found, keys in zip(loose, homes, strict=True) if not keys)
        matched = _matching([[key for key in keys if key not in met] for keys in homes])
        return len(met) + matched, len(wrong), len(printed)

    def _iris_of(self, printed: dict[str, str], question: Question) -> dict[str, frozenset[str]]:
        """Accepted IRIs that each gold member may stand for.

        What the alias store says of the name, without the context in brackets that the build may add; for a
        member it does not know, every IRI that no other member has for itself alone.
        """
        targets = targets_of(question)
        known = {key: self._resolve(name, targets, question) for key, name in printed.items()}
        alone = frozenset().union(*(owners for owners in known.values() if len(owners) == 1))
        return {key: owners or targets - alone for key, owners in known.items()}

    def _resolve(self, printed: str, targets: frozenset[str], question: Question) -> frozenset[str]:
        while self.names:
            found = self.names.resolve(printed, language_of(question), targets)
            printed, bracket, _ = printed.rpartition(" (")
            if found or not bracket:
                return found
        return frozenset()


def _printed_key(name: str, printed: dict[str, str], language: str) -> str | None:
    """The key of the gold member that a name spells; of two, the one with the name's own key."""
    key = fold(name, language)
    if key in printed:
        return key
    for other, member in printed.items():  # different keys: one name only where one is in capitals
        if (name.isupper() or member.isupper()) and same_name(name, member, language):
            return other
    return None


def _matching(choices: list[list[str]]) -> int:
    """Size of the largest matching of items to keys (Kuhn's augmenting paths)."""
    holder: dict[str, int] = {}

    def place(item: int, tried: set[str]) -> bool:
        for key in choices[item]:
            if key not in tried:
                tried.add(key)
                if key not in holder or place(holder[key], tried):
                    holder[key] = item
                    return True
        return False

    return sum(place(item, set()) for item in range(len(choices)))
