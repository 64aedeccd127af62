"""One option out of a question's list: the article's multiple-choice form.

The canonical value is the option's text as the question lists it, so that a value keeps its meaning where options are
shuffled. ``choice_text`` says how texts are read and ``option_letters`` how letters are. Words around an answer do
not matter here: a reply in prose is read too, and it is a refusal only where it names no option.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

from multiglobeqa.answers.base import Format, FormatError, Question, language_of, params_of
from multiglobeqa.answers.choice_text import Reader
from multiglobeqa.answers.option_letters import letter
from multiglobeqa.answers.rules import note
from multiglobeqa.answers.text import has_surrogate, shown

UNLISTED: Final = ("A", "B", "C", "D")
"""The options of a question that lists none: its text holds them, under these letters."""

_KEYS: Final = frozenset(("answer", "choice", "letter", "option", "text"))


class Choice(Format):
    """One of the question's options; exact.

    Options stand in ``options`` or ``params.options``, the labels they were asked under in ``labels`` or
    ``params.labels`` (A, B, C, ... where there are none).
    """

    name = "choice"
    reads_prose = True

    def options(self, question: Question) -> tuple[str, ...]:
        """The options' texts, in the order asked."""
        return _texts(question, "options") or UNLISTED

    def value_schema(self, question: Question) -> dict[str, Any]:
        """A label or an option's text."""
        options = self.options(question)
        return {"type": "string", "enum": list(dict.fromkeys((*_labels(question, options), *options)))}

    def describe(self, question: Question) -> str:
        """For the prompt."""
        options = self.options(question)
        if options is UNLISTED:
            return "The letter of one option."
        listed = zip(_labels(question, options), options, strict=True)
        return "The letter or the text of one option: " + "; ".join(f"{a}. {b}" for a, b in listed) + "."

    def parse(self, value: object, question: Question) -> Any:
        """The text of the option that a letter, a number from 1 on or a text names.

        A list of one and an object with one of the keys answer, choice, letter, option, text stand for what they hold.
        """
        if isinstance(value, dict) and len(value) == 1 and not _KEYS.isdisjoint(value):
            note("choice: only member of an object")
            (value,) = value.values()
        elif isinstance(value, list) and len(value) == 1:
            note("choice: only member of a list")
            (value,) = value
        reader = self._reader(question)
        place: int | None = None
        if isinstance(value, str) and not has_surrogate(value):
            place = reader.read(value)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            place = reader.number(value)
        if place is None:
            raise FormatError(f"{shown(value)} is not one of the options.", mend="Answer with one letter.")
        return reader.options[place]

    def distance(self, pred: Any, gold: Any, question: Question) -> float:
        """0 where equal, else 1."""
        return float(pred != gold)

    def place(self, value: Any, question: Question) -> int:
        """Place from 0 of a canonical value among the options; of equal texts the first."""
        return self.options(question).index(value)

    def slip(self, value: Any, question: Question) -> str | None:
        """The mistake that a wrong option stands for, by the question's ``origins`` (see ``evaluate.choices``)."""
        origins = question.get("origins") or ()
        place = self.place(value, question)
        origin = str(origins[place]) if place < len(origins) else ""
        return origin.removeprefix("slip:") if origin.startswith("slip:") else None

    def _reader(self, question: Question) -> Reader:
        options = self.options(question)
        blank = next((place for place, option in enumerate(options) if not option.strip()), None)
        if blank is not None:
            raise FormatError(f"Option {letter(blank)} of the question is blank.")
        return _reader(options, language_of(question), _texts(question, "labels"))


@lru_cache(maxsize=4096)
def _reader(options: tuple[str, ...], language: str, labels: tuple[str, ...]) -> Reader:
    return Reader(options, language, labels)


def _texts(question: Question, name: str) -> tuple[str, ...]:
    listed = question.get(name)
    if listed is None:
        listed = params_of(question).get(name)
    return tuple(map(str, listed)) if isinstance(listed, list | tuple) else ()


def _labels(question: Question, options: Sequence[str]) -> tuple[str, ...]:
    own = _texts(question, "labels")
    return own if len(own) == len(options) else tuple(map(letter, range(len(options))))
