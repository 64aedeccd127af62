"""JSON as replies may hold it: strict, without duplicate keys, NaN and infinities."""

from __future__ import annotations

import json
import math
from typing import Any, Final

from multiglobeqa.answers.rules import note

MAX_DIGITS: Final = 400


class BadJsonError(ValueError):
    """JSON that the rules forbid although it could be read."""


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        keys = [key for key, _ in pairs]
        raise BadJsonError(
            f"the key {next(k for k in keys if keys.count(k) > 1)!r} stands twice in one object"
        )
    return result


def _constant(text: str) -> Any:
    raise BadJsonError(f"{text} is not a number of JSON")


def _float(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise BadJsonError(f"{text[:40]} is too large for a number")
    return value


def _int(text: str) -> int:
    if len(text) > MAX_DIGITS:
        raise BadJsonError(f"{text[:40]} is too large for a number")
    return int(text)


DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_pairs, parse_constant=_constant, parse_float=_float, parse_int=_int
)


def opened(value: object) -> object:
    """A list or object that was written as a text, opened; any other value as it is.

    For formats whose answers are lists or objects: a model that quotes its answer means what is inside.
    """
    if isinstance(value, str) and value.strip()[:1] in ("{", "["):
        try:
            inside = DECODER.decode(value.strip())
        except (ValueError, RecursionError):
            return value
        note("answer: JSON inside a text")
        return inside
    return value
