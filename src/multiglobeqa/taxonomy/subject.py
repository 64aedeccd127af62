"""One sub-template as its file says it: merged with what the file shares, filled in, not yet validated."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from multiglobeqa.taxonomy.document import Document, Fault, filled
from multiglobeqa.taxonomy.model import fill
from multiglobeqa.taxonomy.source import read_text

_MAPPINGS: Final = ("params", "bind", "facts", "roles", "slips", "false_premise", "image")
_LISTS: Final = ("steps", "paraphrases", "kgs")


class Subject:
    """A sub-template under check.

    ``said`` is what the file says; ``row`` the same with keys of a wrong type left out, so that a check may rely on
    mappings and lists where they belong (`shape.model_faults` names what is of a wrong type). ``columns`` are those of
    its SQL, once it was run on empty tables.
    """

    def __init__(self, document: Document, letter: str) -> None:
        self.document, self.letter, self.path = document, letter, document.path
        self.id = document.identity(letter)
        self.said = document.merged(letter)
        self.row = {key: value for key, value in self.said.items() if _fits(key, value)}
        self.columns: dict[str, str] = {}
        self.roles = {str(role): what for role, what in self._mapping("roles").items()}
        self.facts = {str(k): v for k, v in self._mapping("facts").items() if isinstance(v, list)}
        self.values = {str(k): v for key in ("params", "bind") for k, v in self._mapping(key).items()}
        self.variant = self._mapping("false_premise")
        self.raw_steps = _steps(self.row.get("steps"))
        self.steps = filled(self.raw_steps, self.values)
        self.false_steps = _steps(self.variant.get("steps"))
        self.sql_path = self._beside(self.row.get("sql_file"), f"{document.template}.sql")
        self.false_path = self._beside(self.variant.get("sql_file"), f"{document.template}.fp.sql")
        self.sql_text = read_text(self.sql_path) if self.sql_path.is_file() else ""
        self.false_text = read_text(self.false_path) if self.variant and self.false_path.is_file() else ""
        self.named = named = set(re.findall(r"\bp_([a-z0-9_]+)", self.sql))
        words = {"class_singular", "class_plural"} if named & {"class", "classes"} else set()
        words |= {"target_singular", "target_plural"} if "target_class" in named else set()
        self.fillable = {*self.roles, *self.values, *named, *words}

    @property
    def sql(self) -> str:
        """The SQL with values filled in; empty where its file is missing."""
        return fill(self.sql_text, self.values)

    @property
    def false_sql(self) -> str:
        """The SQL of the false-premise variant, likewise."""
        return fill(self.false_text, self.values)

    def fields(self) -> dict[str, Any]:
        """The fields of `model.SubTemplate`."""
        found = {key: value for key, value in self.said.items() if key != "sql_file"}
        texts = [self.document.text, self.sql_text]
        if "steps" in found:
            found["steps"] = filled(found["steps"], self.values)
        if isinstance(found.get("false_premise"), dict):
            variant = {k: v for k, v in found["false_premise"].items() if k != "sql_file"}
            found["false_premise"] = {**filled(variant, self.values), "sql": self.false_sql}
            texts.append(self.false_text)
        template = self.document.template
        return found | {
            "id": self.id,
            "family": template[:1],
            "template": template,
            "sql": self.sql,
            "source": f"{template[:1]}/{self.path.name}",
            "sha256": hashlib.sha256("\0".join(texts).encode()).hexdigest(),
        }

    def line(self, *keys: str | int) -> int:
        """The line of a key."""
        return self.document.line(self.letter, *keys)

    def fault(self, line: int, what: str, mend: str, file: Path | None = None) -> Fault:
        """A fault of this sub-template."""
        return Fault(file or self.path, line, what, mend, self.id)

    def _mapping(self, key: str) -> Mapping[Any, Any]:
        found = self.row.get(key)
        return found if isinstance(found, dict) else {}

    def _beside(self, name: Any, other: str) -> Path:
        return self.path.parent / (str(name) if name is not None else other)


def _fits(key: str, value: Any) -> bool:
    wanted = dict if key in _MAPPINGS else list if key in _LISTS else None
    return wanted is None or isinstance(value, wanted)


def _steps(value: Any) -> list[dict[str, Any]]:
    """The steps in their places; one that is no mapping is empty."""
    steps = value if isinstance(value, list) else []
    return [{str(k): v for k, v in step.items()} if isinstance(step, dict) else {} for step in steps]
