"""What every answer format can do, and the reply it asks for.

Scoring follows Table 12 of the MultiGlobeQA paper: a distance d between prediction and gold, a tolerance
tau, EM = [d < tau] and NE = min(1, d / tau). A distance of 0 is always right (EM 1, NE 0), also where tau
is 0. Where a question has further accepted answers, EM takes the best and NE the least.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from multiglobeqa.errors import InputError

Question = Mapping[str, Any]
"""A row of the question table, or the part of one that a format needs (format, language, params, ...)."""


class FormatError(InputError):
    """A reply is not an answer of the asked format. ``what`` says why in words for a person."""


def params_of(question: Question) -> Mapping[str, Any]:
    """The question's parameters: a mapping, or its JSON text as the question table stores it."""
    value = question.get("params")
    if isinstance(value, str):
        value = json.loads(value)
    return value if isinstance(value, Mapping) else {}


def language_of(question: Question) -> str:
    """ISO 639-3 code of the question's language; English where none is stated."""
    value = question.get("language")
    return value if isinstance(value, str) and value else "eng"


def template_of(question: Question) -> str:
    """The template's id, "A01", from ``template`` or ``subtemplate``; "" where neither is stated."""
    value = question.get("template") or question.get("subtemplate") or ""
    return str(value).split(".", maxsplit=1)[0]


def accepted_of(question: Question) -> list[Any]:
    """Further accepted canonical answers: the ``accepted`` column holds the JSON text of each."""
    return [
        json.loads(value) if isinstance(value, str) else value for value in question.get("accepted") or ()
    ]


def gold_of(question: Question) -> Any:
    """The canonical gold of a question row (``gold`` holds its JSON text); None where the premise fails."""
    value = question.get("gold")
    return json.loads(value) if isinstance(value, str) else value


class Format(ABC):
    """One answer format. Instances are immutable and shared."""

    name: ClassVar[str]
    reads_prose: ClassVar[bool] = False
    """Whether an answer is also read from a reply that is no JSON (``reply.parse_reply``)."""

    @abstractmethod
    def value_schema(self, question: Question) -> dict[str, Any]:
        """JSON schema of the answer alone."""

    @abstractmethod
    def describe(self, question: Question) -> str:
        """What to answer, in words, with the unit: one or two sentences for the prompt."""

    @abstractmethod
    def parse(self, value: object, question: Question) -> Any:
        """Canonical value of a JSON value or a plain string; raises FormatError and nothing else."""

    @abstractmethod
    def distance(self, pred: Any, gold: Any, question: Question) -> float | None:
        """Distance d between two canonical values; None where they cannot be compared (always wrong)."""

    def tolerance(self, gold: Any, question: Question) -> float:
        """Tolerance tau for a gold value, in the unit of ``distance``. Exact formats: 1."""
        return 1.0

    def schema(self, question: Question) -> dict[str, Any]:
        """JSON schema of the whole reply: an answer, or a refusal with its reason."""
        return {
            "type": "object",
            "properties": {
                "answer": {"anyOf": [self.value_schema(question), {"type": "null"}]},
                "declined": {"type": "boolean"},
                "reason": {"type": "string"},
            },
            "required": ["answer", "declined"],
            "additionalProperties": False,
        }

    def exact_match(self, pred: Any, gold: Any, question: Question) -> bool:
        """Whether the prediction is right: d = 0 or d < tau for the gold or an accepted answer."""
        return any(self._right(pred, each, question) for each in (gold, *accepted_of(question)))

    def normalized_error(self, pred: Any, gold: Any, question: Question) -> float:
        """NE in [0, 1], the least over the gold and the accepted answers."""
        return min(self._error(pred, each, question) for each in (gold, *accepted_of(question)))

    def _right(self, pred: Any, gold: Any, question: Question) -> bool:
        d = self.distance(pred, gold, question)
        return d is not None and (d == 0 or d < self.tolerance(gold, question))

    def _error(self, pred: Any, gold: Any, question: Question) -> float:
        d = self.distance(pred, gold, question)
        if d is None:
            return 1.0
        if d == 0:
            return 0.0
        tau = self.tolerance(gold, question)
        return min(1.0, d / tau) if tau > 0 else 1.0
