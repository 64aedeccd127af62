"""A relative position: azimuth and distance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from multiglobeqa.answers.base import Format, FormatError, Question, language_of
from multiglobeqa.answers.distance import Distance
from multiglobeqa.answers.jsontext import opened
from multiglobeqa.answers.rules import note
from multiglobeqa.answers.text import shown
from multiglobeqa.answers.units import ANGLE, read_quantity

ANGLE_TOLERANCE: Final = 5.0
_KEYS: Final = {
    "azimuth_deg": "azimuth_deg", "azimuth": "azimuth_deg", "bearing": "azimuth_deg", "angle": "azimuth_deg",
    "distance_km": "distance_km", "distance": "distance_km",
}  # fmt: skip


def angle_between(a: float, b: float) -> float:
    """Least angle between two azimuths, 0 to 180 degrees."""
    turn = abs(a - b) % 360.0
    return min(turn, 360.0 - turn)


class Polar(Format):
    """``{"azimuth_deg": .., "distance_km": ..}``, clockwise from true north.

    d = max(angle error / 5°, radial error / tau of a distance), tau = 1: right where both parts are within
    their tolerance, NE = min(1, d). A part that is met exactly adds 0, whatever its tolerance.
    """

    name = "polar"
    _radial: Final = Distance()

    def value_schema(self, question: Question) -> dict[str, Any]:
        """Two numbers by key."""
        return {
            "type": "object",
            "properties": {
                "azimuth_deg": {"type": "number", "minimum": 0, "maximum": 360},
                "distance_km": {"type": "number", "minimum": 0},
            },
            "required": ["azimuth_deg", "distance_km"],
            "additionalProperties": False,
        }

    def describe(self, question: Question) -> str:
        """For the prompt."""
        return (
            'A relative position as {"azimuth_deg": .., "distance_km": ..}: the azimuth in degrees clockwise '
            "from true north (0 to 360), the distance in kilometres."
        )

    def parse(self, value: object, question: Question) -> Any:
        """By key, each part a number or a text with its unit; the azimuth is taken modulo 360."""
        value = opened(value)
        if not isinstance(value, Mapping):
            raise FormatError(f"{shown(value)} is not an object with azimuth_deg and distance_km.")
        parts = {_KEYS.get(str(key).strip().casefold(), ""): part for key, part in value.items()}
        if set(parts) != {"azimuth_deg", "distance_km"} or len(value) != 2:
            raise FormatError(f"{shown(dict(value))} has other keys than azimuth_deg and distance_km.")
        angle = read_quantity(parts["azimuth_deg"], language_of(question), ANGLE)
        if not -360 <= angle <= 360:
            raise FormatError(f"{shown(angle)} is not an azimuth between 0 and 360 degrees.")
        azimuth = float(angle) % 360.0
        if azimuth != angle:
            note("polar: azimuth taken modulo 360")
        return {
            "azimuth_deg": 0.0 if azimuth == 360.0 else azimuth,
            "distance_km": self._radial.parse(parts["distance_km"], question),
        }

    def distance(self, pred: Any, gold: Any, question: Question) -> float:
        """The larger of both errors, each as a share of its tolerance."""
        angular = angle_between(pred["azimuth_deg"], gold["azimuth_deg"]) / ANGLE_TOLERANCE
        radial = abs(pred["distance_km"] - gold["distance_km"])
        return float(max(angular, radial / self._radial.tolerance(gold["distance_km"], question)))
