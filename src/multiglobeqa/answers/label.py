"""A word out of a fixed list: winds, left or right, upstream or downstream."""

from __future__ import annotations

import re
from typing import Any, Final

from multiglobeqa.answers.base import Format, FormatError, Question, params_of, template_of
from multiglobeqa.answers.rules import note
from multiglobeqa.answers.text import shown, strip_invisible

WINDS: Final = (
    "north", "north-northeast", "northeast", "east-northeast", "east", "east-southeast", "southeast",
    "south-southeast", "south", "south-southwest", "southwest", "west-southwest", "west", "west-northwest",
    "northwest", "north-northwest",
)  # fmt: skip
"""The 16 winds, clockwise from north."""

SIDES: Final = ("left", "right")
FLOW: Final = ("upstream", "downstream")
_LETTERS: Final = {"north": "n", "south": "s", "east": "e", "west": "w"}


def _squash(text: str) -> str:
    return re.sub(r"[\W_]+", "", strip_invisible(text).casefold())


def _initials(wind: str) -> str:
    return "".join(_LETTERS[part] for part in re.findall("north|south|east|west", wind))


_SPELLINGS: Final = {
    **{_squash(word): word for word in (*WINDS, *SIDES, *FLOW)},
    **{_initials(wind): wind for wind in WINDS},
    **{_squash(wind) + "ern": wind for wind in WINDS},
}


class Label(Format):
    """One of the question's options; exact."""

    name = "label"

    def options(self, question: Question) -> tuple[str, ...]:
        """The labels to choose from: ``params.options``, ``params.winds`` (4, 8, 16), or by template."""
        params = params_of(question)
        listed = params.get("options")
        if isinstance(listed, list | tuple) and listed:
            return tuple(str(option) for option in listed)
        winds = params.get("winds")
        if winds is not None and str(winds) in ("4", "8", "16"):
            return WINDS[:: 16 // int(winds)]
        by_template = {"J02": SIDES, "J03": FLOW}
        return by_template.get(template_of(question), WINDS)

    def value_schema(self, question: Question) -> dict[str, Any]:
        """One of the options."""
        return {"type": "string", "enum": list(self.options(question))}

    def describe(self, question: Question) -> str:
        """For the prompt."""
        return "One of: " + ", ".join(self.options(question)) + "."

    def parse(self, value: object, question: Question) -> Any:
        """An option; case, hyphens and spaces do not matter, winds may be abbreviated (NNE) or end in -ern.

        A word that is not an option of this question (a wind of a finer rose) is a format error.
        """
        options = self.options(question)
        if isinstance(value, str) and len(value) <= 100:
            key = _squash(value)
            for option in options:
                if key and key == _squash(option):
                    return option
            if _SPELLINGS.get(key) in options:
                note("label: wind read from its short or longer form")
                return _SPELLINGS[key]
        raise FormatError(f"{shown(value)} is not one of {', '.join(options)}.")

    def distance(self, pred: Any, gold: Any, question: Question) -> float:
        """0 where equal, else 1."""
        return float(pred != gold)
