"""Distance in km."""

from __future__ import annotations

from multiglobeqa.answers.base import Question
from multiglobeqa.answers.numeric import Numeric, banded
from multiglobeqa.answers.units import LENGTH


class Distance(Numeric):
    """A length in km, not negative. tau = max(floor, 5 %); floor 0.5, 5, 10 km from 0, 50, 500 km."""

    name = "distance"
    units = LENGTH

    def describe(self, question: Question) -> str:
        """For the prompt."""
        return "A distance: one number in kilometres (km)."

    def floor(self, gold: float) -> float:
        """0.5 km below 50 km, 5 km below 500 km, 10 km from there on."""
        return banded(gold, (50.0, 500.0), (0.5, 5.0, 10.0))
