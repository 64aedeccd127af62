"""What the four numeric formats share: one number, d = |prediction - gold|, relative tolerance, floor."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Final

from multiglobeqa.answers.base import Format, FormatError, Question, language_of
from multiglobeqa.answers.text import shown
from multiglobeqa.answers.units import read_quantity

ALPHA_INVERSE: Final = 20.0
"""1 / alpha. |y| / 20 is rounded once, 0.05 * |y| twice: 140 gives 7, not 7.000000000000001."""


def banded(value: float, bands: tuple[float, float], floors: tuple[float, float, float]) -> float:
    """The floor of the band that |value| lies in; a band's lower end belongs to it."""
    size = abs(value)
    return floors[0] if size < bands[0] else floors[1] if size < bands[1] else floors[2]


class Numeric(Format):
    """One number."""

    units: ClassVar[Mapping[str, float]]
    minimum: ClassVar[float | None] = 0.0

    def value_schema(self, question: Question) -> dict[str, Any]:
        """A number, not below ``minimum``."""
        return {"type": "number"} if self.minimum is None else {"type": "number", "minimum": 0}

    def parse(self, value: object, question: Question) -> Any:
        """A number in the asked unit, from a number, a text with or without a unit, or value and unit."""
        number = read_quantity(value, language_of(question), self.units)
        if self.minimum is not None and number < self.minimum:
            raise FormatError(f"{shown(number)} is below {self.minimum:g}, which a {self.name} cannot be.")
        return number + 0.0 if number == 0 and isinstance(number, float) else number

    def distance(self, pred: Any, gold: Any, question: Question) -> float:
        """|prediction - gold| in the asked unit."""
        return float(abs(pred - gold))

    def tolerance(self, gold: Any, question: Question) -> float:
        """max(floor, 5 % of |gold|)."""
        return float(max(self.floor(gold), abs(gold) / ALPHA_INVERSE))

    @abstractmethod
    def floor(self, gold: float) -> float:
        """Least tolerance for this gold, in the asked unit (Table 12)."""
