"""Answers and numbers as short text for people."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

_SHOWN_MEMBERS = 8
_SHOWN_CHARACTERS = 240


def answer_text(value: str | None, unit: str | None = None) -> str:
    """A canonical answer (JSON text, docs/contracts.md) as text; a dash where there is none."""
    if value is None:
        return "\N{EN DASH}"
    try:
        parsed = json.loads(value)
    except ValueError:
        return _short(value)
    if parsed is None:
        return "\N{EN DASH}"
    text = _text(parsed)
    return (
        f"{text} {unit}"
        if unit and isinstance(parsed, int | float) and not isinstance(parsed, bool)
        else text
    )


def _text(value: Any) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case int():
            return f"{value:,}"
        case float():
            return _number(value)
        case list():
            shown = ", ".join(str(member) for member in value[:_SHOWN_MEMBERS])
            more = len(value) - _SHOWN_MEMBERS
            return f"{shown} and {more} more" if more > 0 else shown
        case dict():
            return ", ".join(f"{_key(key)} {_coordinate(part)}" for key, part in value.items())
        case _:
            return _short(str(value))


def _number(value: float) -> str:
    if value == 0 or abs(value) >= 1e15:
        return f"{value:g}"
    return f"{value:,.1f}" if abs(value) >= 1000 else f"{value:.4g}"


def _coordinate(value: Any) -> str:
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def _key(key: str) -> str:
    return {"azimuth_deg": "azimuth (\N{DEGREE SIGN})", "distance_km": "distance (km)"}.get(key, key)


def _short(text: str) -> str:
    return (
        text if len(text) <= _SHOWN_CHARACTERS else text[: _SHOWN_CHARACTERS - 1] + "\N{HORIZONTAL ELLIPSIS}"
    )


def percent(share: float | Fraction | None) -> str:
    """A share in [0, 1] as percent, one decimal; 100 % and 0 % only when exact, a dash for None."""
    if share is None:
        return "\N{EN DASH}"
    value = float(100 * share)
    if 0 < share < 1:
        value = min(99.9, max(0.1, value))
        return f"{value:.1f} %"
    return f"{value:.0f} %"


def words(cause: str) -> str:
    """A cause as words: ``tolerance_floor`` is ``tolerance floor``."""
    return cause.replace("_", " ")
