"""A geohash."""

from __future__ import annotations

import re
from typing import Any

from multiglobeqa.answers.base import Format, FormatError, Question, params_of
from multiglobeqa.answers.text import ascii_digits, shown, strip_invisible

ALPHABET = "0123456789bcdefghjkmnpqrstuvwxyz"
"""Base 32 of geohash: no a, i, l, o."""


class Geohash(Format):
    """1 to 12 characters of the geohash alphabet; exact, the length is part of the answer."""

    name = "geohash"

    def value_schema(self, question: Question) -> dict[str, Any]:
        """A text in the alphabet."""
        return {"type": "string", "pattern": f"^[{ALPHABET}]{{1,12}}$"}

    def describe(self, question: Question) -> str:
        """For the prompt."""
        length = params_of(question).get("resolution")
        return f"A geohash of {length} characters." if length else "A geohash, in lower case."

    def parse(self, value: object, question: Question) -> Any:
        """Lower-case geohash; a whole JSON number stands for its digits."""
        text = (
            str(value)
            if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**12
            else value
        )
        if isinstance(text, str) and len(text) <= 100:
            text = ascii_digits(strip_invisible(text)).strip().lower()
            if re.fullmatch(f"[{ALPHABET}]{{1,12}}", text):
                return text
        raise FormatError(f"{shown(value)} is not a geohash.", mend=f"Its characters are {ALPHABET}.")

    def distance(self, pred: Any, gold: Any, question: Question) -> float:
        """0 where equal, else 1."""
        return float(pred != gold)
