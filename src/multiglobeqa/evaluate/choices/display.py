"""Answers as the text of an option: all options of a question are written alike, to equally many digits.

Numbers are rounded to three significant digits, trailing zeros kept, so that neither the gold's digits nor a round
value tells it from the others; what rounding moves is below a tenth of the tolerance.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

DIGITS: Final = 3
EXACT_COUNT: Final = 10_000
"""Counts from here on are rounded too."""
MAX_TEXT: Final = 160
_UNITS: Final = {"km2": "km²"}


def text_of(value: Any, question: Mapping[str, Any]) -> str | None:
    """The option's text of a canonical answer; None where it would be too long to choose by."""
    match question["format"]:
        case "distance" | "area" | "ratio":
            unit = _UNITS.get(question.get("unit") or "", question.get("unit") or "")
            text = f"{rounded(float(value))} {unit}".rstrip()
        case "count":
            text = str(value) if abs(value) < EXACT_COUNT else rounded(float(value))
        case "point":
            text = f"latitude {value['lat']:.3f}, longitude {value['lon']:.3f}"
        case "polar":
            text = f"azimuth {value['azimuth_deg'] % 360:.1f}°, {rounded(value['distance_km'])} km"
        case "polygon" if isinstance(value, Mapping):
            text = ", ".join(f"{side} {value[side]:.3f}" for side in ("west", "south", "east", "north"))
        case "composite":
            text = f"H3 {value['h3']}, S2 {value['s2']}"
        case "set":
            text = "; ".join(value)
        case "boolean":
            text = {True: "true", False: "false"}.get(value, value)
        case _:
            text = str(value)
    return text if 0 < len(text) <= MAX_TEXT else None


def rounded(number: float) -> str:
    """A number to three significant digits, without exponent: 8.05, 11.8, 636, 3050, 0.0412."""
    if number == 0:
        return "0"
    shift = DIGITS - 1 - math.floor(math.log10(abs(number)))
    value = round(number, shift)
    shift = DIGITS - 1 - math.floor(math.log10(abs(value)))  # 9.999 has become 10.0
    return f"{value:.{max(shift, 0)}f}"
