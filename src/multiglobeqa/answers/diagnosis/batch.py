"""Wrong answers of one format as columns, and the diagnoses that are found for them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from multiglobeqa.answers.aliases import AliasIndex
from multiglobeqa.answers.base import Question, gold_of, language_of, params_of
from multiglobeqa.answers.diagnosis.kinds import key_of_slip

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

CAUSE: Final = 0.0
"""Rank of stored slips and other causes: among them the closest match wins."""
FACT: Final = 1.0
"""Rank of facts; a fact that says more has a lower share behind it."""
LAST: Final = 3.0
"""Rank of what is said only where nothing else is."""


class Case:
    """A question, prepared once for all its wrong answers: its gold, and its slips by key.

    ``slips`` lists (key, value); a slip with a list of values (neighbouring cells) is one entry a value, but in a set
    the list is the value.
    """

    __slots__ = ("format", "gold", "language", "params", "row", "slips")

    def __init__(self, row: Question, answer_format: str, gold: Any = None) -> None:
        self.row, self.format = row, answer_format
        self.gold: Any = gold_of(row) if gold is None else gold
        self.params: Mapping[str, Any] = params_of(row)
        self.language = language_of(row)
        stored = row.get("slips") or {}
        if isinstance(stored, str):
            stored = json.loads(stored)
        self.slips: list[tuple[str, Any]] = []
        for name, value in stored.items() if isinstance(stored, Mapping) else ():
            key = key_of_slip(name, answer_format)
            if isinstance(value, list) and answer_format != "set":
                self.slips += [(key, each) for each in value]
            elif value is not None:
                self.slips.append((key, value))


class Batch:
    """n wrong answers of one format.

    Parameters
    ----------
    cases : the questions, each once.
    at : (n,) the question of each answer.
    values : (n,) canonical answers.
    languages : (n,) language of each answer's question.
    names : alias store of the questions' KG.
    """

    def __init__(
        self,
        cases: Sequence[Case],
        at: Ints,
        values: Sequence[Any],
        languages: Sequence[str],
        names: AliasIndex | None = None,
    ) -> None:
        self.cases, self.at, self.values, self.languages, self.names = cases, at, values, languages, names

    def __len__(self) -> int:
        return len(self.values)

    def case(self, row: int) -> Case:
        """The question of an answer."""
        return self.cases[int(self.at[row])]

    def question(self, row: int) -> Question:
        """The question's row as asked in the answer's language."""
        case, language = self.case(row), self.languages[row]
        return case.row if case.language == language else {**case.row, "language": language}

    def golds(self, read: Callable[[Any], Sequence[float]], width: int) -> Floats:
        """(n, width) numbers of each answer's gold; each gold is read once."""
        table = np.array([read(case.gold) for case in self.cases], np.float64).reshape(-1, width)
        found: Floats = table[self.at]
        return found

    def slips(self) -> tuple[Ints, list[str], list[Any]]:
        """All pairs of an answer and a stored slip of its question: (m,) answers, keys and values."""
        counts = np.array([len(case.slips) for case in self.cases], np.int64)[self.at]
        rows = np.repeat(np.arange(len(self)), counts)
        listed = [pair for item in self.at.tolist() for pair in self.cases[item].slips]
        return rows, [key for key, _ in listed], [value for _, value in listed]


class Findings:
    """The best diagnosis of each answer, and all of them where ``whole``."""

    def __init__(self, size: int, *, whole: bool = False) -> None:
        self.keys: NDArray[np.object_] = np.full(size, None, dtype=object)
        self.ranks: Floats = np.full(size, np.inf)
        self._all: list[tuple[int, float, str]] | None = [] if whole else None

    def add(self, key: str, rows: ArrayLike, rank: float = CAUSE, share: ArrayLike = 0.0) -> None:
        """Say ``key`` of ``rows``; ``share`` in [0, 1) orders what has the same rank: 0 is the closest."""
        at = np.atleast_1d(np.asarray(rows, np.int64))
        if not at.size:
            return
        ranks = rank + np.round(np.broadcast_to(np.asarray(share, np.float64), at.shape), 6)
        order = np.argsort(-ranks, kind="stable")
        at, ranks = at[order], ranks[order]
        better = ranks < self.ranks[at]
        self.ranks[at[better]] = ranks[better]
        self.keys[at[better]] = key
        if self._all is not None:
            self._all += [(int(a), float(r), key) for a, r in zip(at, ranks, strict=True)]

    def add_each(self, keys: Sequence[str], rows: Ints, rank: float = CAUSE, share: ArrayLike = 0.0) -> None:
        """As ``add``, with a key for each row; the first of equal ones counts."""
        shares = np.broadcast_to(np.asarray(share, np.float64), rows.shape)
        names = np.array(keys, dtype=object)
        for key in dict.fromkeys(keys):
            mine = names == key
            self.add(key, rows[mine], rank, shares[mine])

    def listed(self, row: int) -> list[str]:
        """All keys of an answer, the best first."""
        found = sorted((pair for pair in self._all or () if pair[0] == row), key=lambda pair: pair[1])
        return list(dict.fromkeys(key for _, _, key in found))
