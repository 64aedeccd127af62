"""A count."""

from __future__ import annotations

from typing import Any

from multiglobeqa.answers.base import Question
from multiglobeqa.answers.numeric import Numeric
from multiglobeqa.answers.units import NONE


class Count(Numeric):
    """A whole number, not negative. tau = max(1, 5 %), so counts up to 20 must be exact.

    The schema asks for an integer. A fraction is still read as the number it is and scored by its distance;
    12.0 is 12.
    """

    name = "count"
    units = NONE

    def value_schema(self, question: Question) -> dict[str, Any]:
        """A whole number from 0."""
        return {"type": "integer", "minimum": 0}

    def describe(self, question: Question) -> str:
        """For the prompt."""
        return "A count: one whole number, without a unit."

    def parse(self, value: object, question: Question) -> Any:
        """As ``Numeric.parse``; whole numbers become int."""
        number = super().parse(value, question)
        return int(number) if number == int(number) else number

    def floor(self, gold: float) -> float:
        """1."""
        return 1.0
