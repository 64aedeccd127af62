"""A date: day, month or year."""

from __future__ import annotations

import datetime
import re
from typing import Any, Final

from multiglobeqa.answers.base import Format, FormatError, Question, params_of
from multiglobeqa.answers.rules import note
from multiglobeqa.answers.text import ascii_digits, shown, strip_invisible

TOLERANCE_DAYS: Final = {"day": 1.0, "month": 15.0, "year": 365.0}
_PATTERNS: Final = {"day": r"^\d{4}-\d{2}-\d{2}$", "month": r"^\d{4}-\d{2}$", "year": r"^\d{4}$"}
_FORMS: Final = {"day": "YYYY-MM-DD", "month": "YYYY-MM", "year": "YYYY"}
_TIME: Final = r"[T\s]\s*\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?\s*(?:Z|UTC|GMT|[+-]\d{2}:?(?:\d{2})?)?"
_DATE: Final = re.compile(
    rf"(\d{{4}})(?:(?:([-/.])(\d{{1,2}})(?:\2(\d{{1,2}})(?:{_TIME})?)?)|(\d{{2}})(\d{{2}}))?", re.IGNORECASE
)


def precision(value: str) -> str:
    """ "day", "month" or "year" of a canonical date."""
    return {4: "year", 7: "month"}.get(len(value), "day")


class Date(Format):
    """``YYYY-MM-DD``, ``YYYY-MM`` or ``YYYY``; d in days between the first days; tau 1, 15, 365 days.

    The gold's precision rules: a finer prediction is cut to it, a coarser one is wrong and has no d.
    """

    name = "date"

    def asked(self, question: Question) -> str:
        """The precision asked for: ``params.precision``, else the gold's, else day."""
        stated = params_of(question).get("precision")
        if stated in TOLERANCE_DAYS:
            return str(stated)
        gold = question.get("gold")
        return precision(gold.strip('"')) if isinstance(gold, str) else "day"

    def value_schema(self, question: Question) -> dict[str, Any]:
        """A text of the asked precision."""
        return {"type": "string", "pattern": _PATTERNS[self.asked(question)]}

    def describe(self, question: Question) -> str:
        """For the prompt."""
        asked = self.asked(question)
        return f"A date (UTC) to the {asked}, written {_FORMS[asked]}."

    def parse(self, value: object, question: Question) -> Any:
        """From ISO 8601, extended or basic, year first; also with / or . between the parts.

        A time behind the day is dropped: the date counts as written, with no shift to UTC. A whole JSON
        number of 4 or 8 digits stands for its digits.
        """
        text = value
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**8:
            text = str(value)
        if not isinstance(text, str) or len(text) > 100:
            raise FormatError(
                f"{shown(value)} is not a date.", mend=f"Write it as {_FORMS[self.asked(question)]}."
            )
        match = _DATE.fullmatch(ascii_digits(strip_invisible(text)).strip())
        if match is None:
            raise FormatError(
                f"{shown(value)} is not a date.", mend=f"Write it as {_FORMS[self.asked(question)]}."
            )
        year, _, month, day, basic_month, basic_day = match.groups()
        month, day = month or basic_month, day or basic_day
        try:
            datetime.date(int(year), int(month or 1), int(day or 1))
        except ValueError as error:
            raise FormatError(f"{shown(value)} is not a day of the calendar.") from error
        if basic_month:
            note("date: basic form")
        if ":" in match[0]:
            note("date: time dropped, date as written")
        return "-".join(part.zfill(2) for part in (year, month, day) if part)

    def distance(self, pred: Any, gold: Any, question: Question) -> float | None:
        """Days between the first days at the gold's precision; None where the prediction is coarser."""
        if len(pred) < len(gold):
            return None
        return float(abs((_first_day(pred[: len(gold)]) - _first_day(gold)).days))

    def tolerance(self, gold: Any, question: Question) -> float:
        """1, 15 or 365 days, by the gold's precision."""
        return TOLERANCE_DAYS[precision(gold)]


def _first_day(value: str) -> datetime.date:
    return datetime.date.fromisoformat(value + {4: "-01-01", 7: "-01"}.get(len(value), ""))
