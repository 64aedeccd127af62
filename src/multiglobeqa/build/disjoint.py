"""Builds that share nothing with benchmarks already made: no question, or no entity either."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from multiglobeqa.errors import InputError

_COLUMNS = ("subtemplate", "question_en", "roles", "params", "entities", "modality")


@dataclass
class Exclusion:
    """What may not be asked again.

    ``tuples``: sub-template, roles and parameters; ``texts``: text questions as worded in English; ``entities``: IRIs.
    """

    tuples: set[str] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)
    entities: set[str] = field(default_factory=set)

    def tuple_fault(self, subtemplate: str, roles: dict[str, str], params: dict[str, Any]) -> str | None:
        """Why a tuple of role IRIs and parameters may not be asked, or None."""
        return "asked_in_other_benchmark" if _key(subtemplate, roles, params) in self.tuples else None

    def row_fault(self, row: dict[str, Any]) -> str | None:
        """Why a written question may not be asked, or None."""
        if row["modality"] == "text" and row["question_en"] in self.texts:
            return "asked_in_other_benchmark"
        return "entity_of_other_benchmark" if self.entities.intersection(row["entities"]) else None


def _key(subtemplate: str, roles: dict[str, str], params: dict[str, Any]) -> str:
    return json.dumps([subtemplate, roles, params], sort_keys=True, ensure_ascii=False)


def read(questions: list[Path], entities: list[Path]) -> Exclusion:
    """Questions not to share (both lists) and entities not to share (the second).

    Each path is a benchmark folder or a Parquet file of questions. Raises InputError where it is neither.
    """
    found = Exclusion()
    for path in (*questions, *entities):
        file = path / "questions.parquet" if path.is_dir() else path
        try:
            table = pq.read_table(file, columns=list(_COLUMNS))
        except (OSError, ValueError) as error:
            raise InputError(
                f"cannot be read as questions: {error}.",
                source=path,
                mend="Name a benchmark folder or a Parquet file of questions.",
            ) from error
        for row in table.to_pylist():
            roles = {role: value["iri"] for role, value in json.loads(row["roles"]).items()}
            found.tuples.add(_key(row["subtemplate"], roles, json.loads(row["params"])))
            if row["modality"] == "text":
                found.texts.add(row["question_en"])
            if path in entities:
                found.entities.update(row["entities"])
    return found
