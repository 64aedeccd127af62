"""The two ends of a solver: the question it reads and the solution it returns."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from multiglobeqa.solver.errors import SolverError


@dataclass(frozen=True)
class Solution:
    """What a solver found.

    ``answer`` is the canonical value of docs/contracts.md with IRIs in place of names, None where the premise
    fails. ``accepted`` holds all tied IRIs of an entity answer, the answer itself among them, sorted.
    ``premise_failure`` is a snake_case word, None on a true premise.
    """

    answer: Any
    accepted: tuple[str, ...] = ()
    premise_failure: str | None = None


def fails(cause: str) -> Solution:
    """The solution of a question whose premise fails."""
    return Solution(None, (), cause)


class Question:
    """A question's sub-template, roles and parameters, with errors that name what is missing.

    Roles may be IRIs or mappings with the key ``iri``; ``roles`` and ``params`` may be JSON text, as in the
    benchmark's table.
    """

    def __init__(self, row: Mapping[str, Any]) -> None:
        try:
            self.subtemplate = str(row["subtemplate"])
        except KeyError:
            raise SolverError("The question has no sub-template.", place="subtemplate") from None
        self.kg = str(row.get("kg", ""))
        self.format = str(row.get("format", ""))
        self.params: dict[str, Any] = self._mapping(row, "params")
        self.roles: dict[str, str] = {}
        for role, value in self._mapping(row, "roles").items():
            iri = value.get("iri") if isinstance(value, Mapping) else value
            if not isinstance(iri, str) or not iri:
                raise self.error(f"Role {role} has no IRI.", f"roles.{role}")
            self.roles[role] = iri

    def _mapping(self, row: Mapping[str, Any], key: str) -> dict[str, Any]:
        value = row.get(key) or {}
        if isinstance(value, str):
            try:
                value = json.loads(value)
            except json.JSONDecodeError as error:
                raise self.error(f"{key} is not JSON: {error}.", key) from None
        if not isinstance(value, Mapping):
            raise self.error(f"{key} is not a mapping.", key)
        return dict(value)

    def error(self, what: str, place: str | int = "", mend: str = "") -> SolverError:
        """An error that names this question's sub-template."""
        return SolverError(what, source=self.subtemplate, place=place, mend=mend)

    def role(self, name: str) -> str:
        """The IRI of a role."""
        try:
            return self.roles[name]
        except KeyError:
            raise self.error(f"Role {name} is missing.", f"roles.{name}") from None

    def param(self, name: str) -> Any:
        """A parameter that must be present."""
        if self.params.get(name) is None:
            raise self.error(f"Parameter {name} is missing.", f"params.{name}")
        return self.params[name]

    def number(self, name: str) -> float:
        """A parameter that must be a finite number of 0 or more."""
        value = self.param(name)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
            raise self.error(f"Parameter {name} is {value!r}, not a number of 0 or more.", f"params.{name}")
        return float(value)

    def whole(self, name: str, low: int, high: int) -> int:
        """A parameter that must be a whole number between two bounds, both included."""
        value = self.number(name)
        if value != int(value) or not low <= value <= high:
            raise self.error(
                f"Parameter {name} is {value!r}, not a whole number from {low} to {high}.", f"params.{name}"
            )
        return int(value)

    def text(self, name: str) -> str:
        """A parameter that must be text."""
        value = self.param(name)
        if not isinstance(value, str):
            raise self.error(f"Parameter {name} is {value!r}, not text.", f"params.{name}")
        return value

    def texts(self, name: str) -> list[str]:
        """A parameter that must be a list of texts, at least one."""
        value = self.param(name)
        if not isinstance(value, list | tuple) or not value or not all(isinstance(v, str) for v in value):
            raise self.error(f"Parameter {name} is {value!r}, not a list of texts.", f"params.{name}")
        return list(value)

    def agrees(self, name: str, expected: Any, *also: Any) -> None:
        """Check that a parameter, where it is given, says what the sub-template's letter says."""
        value = self.params.get(name)
        if value is not None and value not in (expected, *also):
            raise self.error(
                f"Parameter {name} is {value!r}, but the sub-template means {expected!r}.", f"params.{name}"
            )
