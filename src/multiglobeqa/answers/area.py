"""Area in km²."""

from __future__ import annotations

from multiglobeqa.answers.base import Question
from multiglobeqa.answers.numeric import Numeric, banded
from multiglobeqa.answers.units import AREA


class Area(Numeric):
    """An area in km², not negative.

    tau = max(floor, 5 %); floor 0.25, 25, 100 km² from 0, 2,500, 250,000 km².
    """

    name = "area"
    units = AREA

    def describe(self, question: Question) -> str:
        """For the prompt."""
        return "An area: one number in square kilometres (km²)."

    def floor(self, gold: float) -> float:
        """0.25 km² below 2,500 km², 25 km² below 250,000 km², 100 km² from there on."""
        return banded(gold, (2_500.0, 250_000.0), (0.25, 25.0, 100.0))
