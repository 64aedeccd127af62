"""An H3 cell and an S2 cell together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from multiglobeqa.answers.base import Format, FormatError, Question, template_of
from multiglobeqa.answers.cell import CREDITS, NO_CREDIT
from multiglobeqa.answers.grids import h3_agrees, read_h3, read_s2
from multiglobeqa.answers.jsontext import opened
from multiglobeqa.answers.text import shown
from multiglobeqa.errors import InputError


class Composite(Format):
    """``{"h3": .., "s2": ..}``; right where both parts are."""

    name = "composite"

    def __init__(self, h3_credit: str = "geometric") -> None:
        if h3_credit not in CREDITS:
            raise InputError(f"{h3_credit!r} is not an H3 credit.", mend=f"Credits: {', '.join(CREDITS)}.")
        self.h3_credit = h3_credit

    def value_schema(self, question: Question) -> dict[str, Any]:
        """Two hexadecimal texts."""
        return {
            "type": "object",
            "properties": {
                "h3": {"type": "string", "pattern": "^[0-9a-f]{15}$"},
                "s2": {"type": "string", "pattern": "^[0-9a-f]{1,16}$"},
            },
            "required": ["h3", "s2"],
            "additionalProperties": False,
        }

    def describe(self, question: Question) -> str:
        """For the prompt."""
        return (
            'Two cells as {"h3": .., "s2": ..}: the H3 index as 15 lower-case hexadecimal digits, '
            "the S2 token as lower-case hexadecimal without trailing zeros."
        )

    def parse(self, value: object, question: Question) -> Any:
        """Both cells, each in any form that ``Cell`` reads; keys in any case."""
        value = opened(value)
        if not isinstance(value, Mapping):
            raise FormatError(f"{shown(value)} is not an object with h3 and s2.")
        found = {str(key).strip().casefold(): part for key, part in value.items()}
        if set(found) != {"h3", "s2"} or len(found) != len(value):
            raise FormatError(f"{shown(dict(value))} has other keys than h3 and s2.")
        return {"h3": read_h3(found["h3"]), "s2": read_s2(found["s2"])}

    def distance(self, pred: Any, gold: Any, question: Question) -> float:
        """0 where both parts are right, else 1."""
        credit = "none" if template_of(question) in NO_CREDIT else self.h3_credit
        return float(not (h3_agrees(pred["h3"], gold["h3"], credit) and pred["s2"] == gold["s2"]))
