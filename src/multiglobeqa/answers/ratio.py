"""A dimensionless ratio."""

from __future__ import annotations

from multiglobeqa.answers.base import Question
from multiglobeqa.answers.numeric import Numeric
from multiglobeqa.answers.units import RATIO


class Ratio(Numeric):
    """A number without a unit. tau = 5 % of the gold, with no floor: a gold of 0 must be met exactly."""

    name = "ratio"
    units = RATIO
    minimum = None

    def describe(self, question: Question) -> str:
        """For the prompt."""
        return "A ratio: one number without a unit (0.25, not 25 %)."

    def floor(self, gold: float) -> float:
        """0."""
        return 0.0
