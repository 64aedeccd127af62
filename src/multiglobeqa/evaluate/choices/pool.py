"""The answers of a benchmark's other questions, from which wrong options are drawn."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any

Question = dict[str, Any]


def decoded(row: Mapping[str, Any]) -> Question:
    """A question row with gold, slips, params and roles as JSON values."""
    opened = {name: json.loads(row[name] or "null") for name in ("gold", "slips", "params", "roles")}
    return {**row, "raw_gold": row["gold"], **opened}


class Pool:
    """True answers by sub-template, KG and place; names by KG, class and country."""

    def __init__(self, questions: Iterable[Question]) -> None:
        self._golds: dict[Hashable, dict[str, tuple[Any, int]]] = defaultdict(dict)
        self._names: dict[Hashable, dict[str, None]] = defaultdict(dict)
        for row in questions:
            if not row["premise"]:
                continue
            value = json.dumps(row["gold"], sort_keys=True, ensure_ascii=False)
            for scope in self._scopes(row):
                count = self._golds[scope].get(value, (None, 0))[1]
                self._golds[scope][value] = (row["gold"], count + 1)
            if row["format"] in ("entity", "set"):
                for name in _names(row):
                    self._names[self._class(row)].setdefault(name)

    def golds(self, row: Question, *, least: int, wide: bool = True) -> list[Any]:
        """Distinct golds of the sub-template: of the country, and where those are fewer than ``least`` and ``wide``
        allows, of the subregion, the continent and the KG as well."""
        found: dict[str, Any] = {}
        for scope in self._scopes(row):
            for text, (value, _) in self._golds[scope].items():
                found.setdefault(text, value)
            if len(found) > least or not wide:
                break
        return [value for value in found.values() if value != row["gold"]]

    def counted(self, row: Question) -> list[Any]:
        """The golds of the sub-template in the KG, each as often as it occurs."""
        return [value for value, count in self._golds[self._scopes(row)[-1]].values() for _ in range(count)]

    def names(self, row: Question) -> list[str]:
        """Names of entities of the same KG, class and country that questions ask for, or mistakes would give."""
        return list(self._names[self._class(row)])

    @staticmethod
    def _scopes(row: Question) -> list[Hashable]:
        kind = (
            row["subtemplate"],
            row["kg"],
            json.dumps(row["params"].get("class")),
            row["params"].get("resolution"),
        )
        return [
            (*kind, "country", row["country"]),
            (*kind, "subregion", row["subregion"]),
            (*kind, "continent", row["continent"]),
            (*kind, "kg"),
        ]

    @staticmethod
    def _class(row: Question) -> Hashable:
        params = row["params"]
        return row["kg"], json.dumps(params.get("class")), params.get("level"), row["country"], _level(row)


def _level(row: Question) -> str:
    """Entities of questions without a class are told apart by sub-template."""
    return "" if row["params"].get("class") else str(row["subtemplate"])


def _names(row: Question) -> Iterator[str]:
    for value in (row["gold"], *row["slips"].values()):
        yield from (name for name in (value if isinstance(value, list) else [value]) if isinstance(name, str))
