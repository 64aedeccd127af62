"""One cell of the H3 or the S2 grid."""

from __future__ import annotations

from typing import Any, Final

from multiglobeqa.answers.base import Format, FormatError, Question, params_of, template_of
from multiglobeqa.answers.grids import h3_agrees, read_h3, read_s2
from multiglobeqa.errors import InputError

CREDITS: Final = ("paper", "geometric", "none")
NO_CREDIT: Final = ("H01", "H02")
"""Templates that ask for a common cell: a finer one would be the cell of one point."""


def system_of(question: Question) -> str:
    """ "h3" or "s2": ``params.system``, else what the gold is written in, else H3."""
    system = str(params_of(question).get("system") or "").casefold()
    if system in ("h3", "s2"):
        return system
    gold = question.get("gold")
    if isinstance(gold, str):
        try:
            read_h3(gold.strip('"'))
        except FormatError:
            return "s2"
    return "h3"


class Cell(Format):
    """An H3 or S2 cell; exact, but finer H3 cells earn credit (``grids.h3_agrees``) outside H01 and H02."""

    name = "cell"

    def __init__(self, h3_credit: str = "geometric") -> None:
        if h3_credit not in CREDITS:
            raise InputError(f"{h3_credit!r} is not an H3 credit.", mend=f"Credits: {', '.join(CREDITS)}.")
        self.h3_credit = h3_credit

    def value_schema(self, question: Question) -> dict[str, Any]:
        """A hexadecimal text."""
        pattern = "^[0-9a-f]{15}$" if system_of(question) == "h3" else "^[0-9a-f]{1,16}$"
        return {"type": "string", "pattern": pattern}

    def describe(self, question: Question) -> str:
        """For the prompt."""
        if system_of(question) == "h3":
            return "An H3 cell: its index as 15 lower-case hexadecimal digits."
        return "An S2 cell: its token, lower-case hexadecimal without trailing zeros."

    def parse(self, value: object, question: Question) -> Any:
        """Canonical cell from hexadecimal, 0x or integer form."""
        return read_h3(value) if system_of(question) == "h3" else read_s2(value)

    def distance(self, pred: Any, gold: Any, question: Question) -> float:
        """0 for the gold cell or one that earns credit, else 1."""
        if system_of(question) == "s2":
            return float(pred != gold)
        credit = "none" if template_of(question) in NO_CREDIT else self.h3_credit
        return float(not h3_agrees(pred, gold, credit))
