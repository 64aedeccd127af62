"""One multiple-choice question, as the article's files hold it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from multiglobeqa.evaluate.choices.languages import Language

UNKNOWN: Final = "unknown"
"""Stands for a question type, region or source that a file does not state."""

ENGLISH: Final = "english"
PLAIN: Final = "plain"
CONTROLS: Final = (ENGLISH, PLAIN)
"""Kinds of control questions: the English form of a question, and plain language without geography."""


@dataclass(frozen=True)
class Item:
    """One question with its options.

    ``control`` is one of CONTROLS or "" for a question of the benchmark; ``control_of`` names the questions whose
    English form this is. ``order[i]`` is the place that option i had before it was shuffled. ``extra`` holds the
    fields of the file that have no meaning here; they are written again.
    """

    id: str
    language: Language
    question: str
    options: tuple[str, ...]
    answer_index: int
    question_type: str = UNKNOWN
    region: str = UNKNOWN
    source: str = UNKNOWN
    question_en: str = ""
    control: str = ""
    control_of: str = ""
    labels: tuple[str, ...] = ()
    order: tuple[int, ...] = ()
    line: int = 0
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def answer(self) -> str:
        """The right option's text."""
        return self.options[self.answer_index]

    @property
    def key(self) -> tuple[str, str]:
        """What tells items apart: id and ISO 639-3 code."""
        return self.id, self.language.code

    def original(self, place: int) -> int:
        """The place that an option had before the options were shuffled."""
        return self.order[place] if self.order else place

    def asked(self) -> dict[str, Any]:
        """The row that ``answers.choice`` reads and scores by."""
        return {
            "id": self.id,
            "language": self.language.code,
            "format": "choice",
            "options": self.options,
            "labels": self.labels,
            "origins": self.extra.get("origins"),
        }

    def as_json(self) -> dict[str, Any]:
        """The object of the file; fields without a value are left out."""
        row: dict[str, Any] = {
            "id": self.id,
            "language": self.language.tag,
            "question": self.question,
            "options": list(self.options),
            "answer": self.answer,
            "answer_index": self.answer_index,
        }
        for name in ("question_type", "region", "source"):
            if getattr(self, name) != UNKNOWN:
                row[name] = getattr(self, name)
        for name in ("question_en", "control", "control_of"):
            if getattr(self, name):
                row[name] = getattr(self, name)
        for name in ("labels", "order"):
            if getattr(self, name):
                row[name] = list(getattr(self, name))
        return {**row, **self.extra}

    def permuted(self, order: tuple[int, ...]) -> Item:
        """The item with its options in another order: option i is what was option ``order[i]``.

        ``order`` of the result leads back to the file's first order; lists of ``extra`` that go with the options
        (``origins``) move along.
        """
        moved = {"origins": [self.extra["origins"][i] for i in order]} if "origins" in self.extra else {}
        return replace(
            self,
            options=tuple(self.options[i] for i in order),
            answer_index=order.index(self.answer_index),
            order=tuple(self.original(i) for i in order),
            extra={**self.extra, **moved},
        )
