"""Many replies to some questions, as columns that the formats' scorers fill."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from multiglobeqa import answers
from multiglobeqa.answers import AliasIndex, Format, Reply
from multiglobeqa.answers.base import language_of
from multiglobeqa.answers.names import fold_many, folding_of
from multiglobeqa.evaluate.scoring.reading import Raw, dumped
from multiglobeqa.evaluate.scoring.single import Outcome, outcome, predicted

Rows = list[int]


class Item:
    """A question, prepared once for all its replies.

    ``plain``: its premise is true and the gold alone is accepted, so that replies may be compared with it together.
    """

    __slots__ = ("_views", "answer_format", "gold", "kg", "plain", "premise", "row")

    def __init__(self, row: dict[str, Any], answer_format: Format) -> None:
        if isinstance(row.get("params"), str):
            row["params"] = json.loads(row["params"])
        self.row = row
        self.answer_format = answer_format
        self.kg: str = row.get("kg") or ""
        self.premise = bool(row["premise"])
        self.gold: Any = answers.gold_of(row) if self.premise else None
        self.plain = self.premise and not row.get("accepted")
        self._views: dict[str, dict[str, Any]] = {language_of(row): row}

    def view(self, language: str) -> dict[str, Any]:
        """The row as asked in a language."""
        if language not in self._views:
            self._views[language] = {**self.row, "language": language}
        return self._views[language]


class Names(AliasIndex):
    """An alias store that remembers what it resolved; all that was announced is resolved together."""

    def __init__(self, index: AliasIndex) -> None:
        self._index = index
        self._bearers: dict[tuple[str, str], frozenset[str]] = {}

    def __len__(self) -> int:
        """Number of labels."""
        return len(self._index)

    def forget(self) -> None:
        """Start anew."""
        self._bearers.clear()

    def announce(self, texts: Sequence[str], language: str) -> None:
        """Resolve names of one language, each once."""
        folding = folding_of(language)
        new = [text for text in dict.fromkeys(texts) if (folding, text) not in self._bearers]
        for text, found in zip(new, self._index.resolve_many(new, language), strict=True):
            self._bearers[folding, text] = found

    def resolve(
        self, text: str, language: str = "eng", scope: Any = None, *, names_only: bool = False
    ) -> frozenset[str]:
        """As ``AliasIndex.resolve``."""
        if names_only:
            return self._index.resolve(text, language, scope, names_only=True)
        key = (folding_of(language), text)
        found = self._bearers.get(key)
        if found is None:
            found = self._bearers[key] = self._index.resolve(text, language)
        return found if scope is None else found.intersection(scope)

    def resolve_many(
        self, texts: Sequence[str], language: str = "eng", scopes: Any = None, *, names_only: bool = False
    ) -> list[frozenset[str]]:
        """As ``AliasIndex.resolve_many``."""
        if names_only or scopes is not None:
            return self._index.resolve_many(texts, language, scopes, names_only=names_only)
        self.announce(texts, language)
        folding = folding_of(language)
        return [self._bearers[folding, text] for text in texts]


@dataclass
class Block:
    """n replies: their items and languages, the raw replies, and the outcome's columns, filled by format.

    ``raw.value`` holds raw answers first and canonical ones once ``parse`` or a format's own reader has put them there.
    """

    items: Sequence[Item]
    languages: Sequence[str]
    raw: Raw
    otherwise: Sequence[int]
    stores: Mapping[str, Names]
    parsed: list[str | None] = field(init=False)
    em: NDArray[np.int8] = field(init=False)
    ne: NDArray[np.float64] = field(init=False)
    refused: dict[int, Any] = field(default_factory=dict)
    """Row -> the answer that its format refused."""
    clean: dict[str, bool] = field(default_factory=dict)
    """Name -> whether ``read_name`` gives it back as it is, of those that had to be tried."""
    _keys: dict[tuple[str, str], str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        size = len(self.items)
        self.parsed = [None] * size
        self.em = np.zeros(size, np.int8)
        self.ne = np.ones(size, np.float64)

    def view(self, row: int) -> dict[str, Any]:
        """The question of a reply, in its language."""
        return self.items[row].view(self.languages[row])

    def one(self, row: int) -> None:
        """Score one reply by itself; its answer is still raw."""
        raw = self.raw
        reply = Reply(raw.status[row], raw.value[row], raw.reason[row], raw.rule[row])  # type: ignore[arg-type]
        found = outcome(self.view(row), reply, self.items[row].answer_format, self.otherwise[row])
        if found.status != "answered":
            self.refused[row] = raw.value[row]
        self._take(row, found)

    def _take(self, row: int, found: Outcome) -> None:
        self.raw.status[row], self.raw.reason[row], self.raw.rule[row] = (
            found.status,
            found.reason,
            found.rule,
        )
        self.parsed[row], self.em[row], self.ne[row] = found.parsed, found.em, found.ne

    def prose(self, row: int, kind: int, body: str | None, reason: str) -> None:
        """Score one prediction by itself."""
        found = predicted(
            self.view(row), self.items[row].answer_format, kind, body, reason, self.otherwise[row]
        )
        self._take(row, found)

    def parse(self, row: int) -> bool:
        """Bring one answer to its canonical form; False where it cannot be read."""
        raw = self.raw
        value = raw.value[row]
        reply = Reply("answered", raw.value[row], raw.reason[row], raw.rule[row])
        reply = answers.parse_value(reply, self.items[row].answer_format, self.view(row))
        raw.value[row], raw.reason[row], raw.rule[row] = reply.value, reply.reason, reply.rule
        raw.status[row] = reply.status
        if reply.status == "answered":
            return True
        self.refused[row] = value
        return False

    def compare(self, row: int) -> None:
        """Score one canonical answer by itself."""
        item = self.items[row]
        if item.premise:
            view, value = self.view(row), self.raw.value[row]
            self.em[row] = item.answer_format.exact_match(value, item.gold, view)
            self.ne[row] = item.answer_format.normalized_error(value, item.gold, view)

    def split(self, rows: Rows) -> Rows:
        """Score by themselves the answers to questions that are not plain; the others are given back."""
        plain: Rows = []
        for row in rows:
            if self.items[row].plain:
                plain.append(row)
            else:
                self.compare(row)
        return plain

    def put(self, rows: Rows, d: NDArray[np.float64], tau: NDArray[np.float64]) -> None:
        """EM and NE from (n,) distances and tolerances, as ``answers.base.Format`` has them; NaN for no distance."""
        with np.errstate(divide="ignore", invalid="ignore"):
            self.em[rows] = (d == 0) | (d < tau)
            share = np.where(tau > 0, np.minimum(1.0, d / tau), 1.0)
        self.ne[rows] = np.where(d == 0, 0.0, np.where(np.isnan(d), 1.0, share))

    def dump(self, rows: Rows) -> None:
        """The canonical answers as JSON."""
        for row in rows:
            self.parsed[row] = dumped(self.raw.value[row])

    def keys(self, texts: Sequence[str], language: str) -> list[str]:
        """The keys of names (``answers.names.fold``), each text folded once."""
        folding = folding_of(language)
        known = self._keys
        new = [text for text in dict.fromkeys(texts) if (folding, text) not in known]
        for text, key in zip(new, fold_many(new, language), strict=True):
            known[folding, text] = key
        return [known[folding, text] for text in texts]
