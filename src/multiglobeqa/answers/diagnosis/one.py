"""One wrong answer, with words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from multiglobeqa.answers.base import Format, FormatError, Question, gold_of
from multiglobeqa.answers.diagnosis.details import details_of
from multiglobeqa.answers.diagnosis.kinds import Kind, explain, kind_of
from multiglobeqa.answers.diagnosis.many import PREMISE, findings
from multiglobeqa.answers.diagnosis.unread import repairs, said_of_unread


@dataclass(frozen=True)
class Diagnosis:
    """Why an answer is wrong.

    Attributes
    ----------
    key : the most specific kind that fits, with its variant.
    also : all other keys that fit, the best first.
    details : figures for people, such as {"missing": 3, "extra": 1}.
    """

    key: str
    also: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """The key without its variant."""
        return kind_of(self.key)

    @property
    def words(self) -> Kind:
        """Title, sentence and conclusion."""
        return explain(self.key)

    def __str__(self) -> str:
        figures = ", ".join(f"{name} {value}" for name, value in self.details.items())
        return self.words.says + (f" ({figures})" if figures else "")


def diagnose(
    question: Question, answer_format: Format | str, value: Any, gold: Any = None, *, names: Any = None
) -> Diagnosis | None:
    """Why an answer is wrong; None where it is right, or where nothing is to be said.

    Parameters
    ----------
    question : a row of the question table.
    answer_format : the format, or its name.
    value : the answer: canonical, as the model gave it, or a text that could not be read.
    gold : canonical gold; None for that of the question. A question without one has a false premise.
    names : alias store of the question's KG, where ``answer_format`` is a name.
    """
    from multiglobeqa import answers

    scorer = answers.get(answer_format, names=names) if isinstance(answer_format, str) else answer_format
    gold = gold_of(question) if gold is None else gold
    if gold is None:
        return Diagnosis(PREMISE)
    try:
        canonical = scorer.parse(value, question)
    except FormatError:
        return _unread(question, scorer, value, gold)
    return _read(question, scorer, canonical, gold)


def _read(question: Question, scorer: Format, value: Any, gold: Any) -> Diagnosis | None:
    if scorer.exact_match(value, gold, question):
        return None
    store = getattr(scorer, "names", None)
    found = findings(scorer.name, [question], [value], names=store, gold=gold, whole=True)
    keys = found.listed(0)
    if not keys:
        return None
    return Diagnosis(keys[0], tuple(keys[1:]), details_of(scorer, question, value, gold))


def _unread(question: Question, scorer: Format, value: object, gold: Any) -> Diagnosis | None:
    wrong: Diagnosis | None = None
    for key, repaired in repairs(value, scorer, question):
        try:
            canonical = scorer.parse(repaired, question)
        except FormatError:
            continue
        if scorer.exact_match(canonical, gold, question):
            return Diagnosis(key, details={"read as": canonical})
        if wrong is None and key == "form.right":
            wrong = _read(question, scorer, canonical, gold)
    said = said_of_unread(value, scorer, question, gold)
    if said is not None:
        return Diagnosis(said)
    return wrong
