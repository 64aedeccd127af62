"""The name of one entity."""

from __future__ import annotations

from typing import Any

from multiglobeqa.answers.aliases import AliasIndex
from multiglobeqa.answers.base import Format, Question
from multiglobeqa.answers.resolution import is_printed, read_name, stands_for
from multiglobeqa.answers.rules import note


class Entity(Format):
    """A name; right where it stands for an accepted entity (see ``resolution``), exact.

    Parameters
    ----------
    names : alias store of the question's KG; without one, names are compared as printed.
    """

    name = "entity"

    def __init__(self, names: AliasIndex | None = None) -> None:
        self.names = names

    def value_schema(self, question: Question) -> dict[str, Any]:
        """A text."""
        return {"type": "string", "minLength": 1}

    def describe(self, question: Question) -> str:
        """For the prompt."""
        return "The name of one entity."

    def parse(self, value: object, question: Question) -> Any:
        """A name, also as the only member of a list."""
        if isinstance(value, list) and len(value) == 1:
            note("name: only member of a list")
            value = value[0]
        return read_name(value)

    def distance(self, pred: Any, gold: Any, question: Question) -> float:
        """0 where the name is the gold's or stands for an accepted entity, else 1."""
        return float(not (is_printed(pred, (gold,), question) or stands_for(pred, question, self.names)))
