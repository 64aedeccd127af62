"""Scoring: each question with its reply, its status and whether it is right.

Every question is in the denominator, whatever came back: one without a reply has the status ``missing``. A reply that
names an option is an answer; of log-probabilities alone the most probable option is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from multiglobeqa import answers
from multiglobeqa.answers import Reply
from multiglobeqa.answers.choice import Choice
from multiglobeqa.answers.choice_text import DISAGREE
from multiglobeqa.errors import InputError
from multiglobeqa.evaluate.choices.confidence import Probabilities, probabilities, stated
from multiglobeqa.evaluate.choices.items import Item
from multiglobeqa.evaluate.choices.replies import FAILED, TEXT_KEYS, Key

MISSING: Final = "missing"
BY_LOGPROBS: Final = "choice: the most probable option"
_CHOICE: Final = Choice()


@dataclass(frozen=True)
class Scored:
    """One question's score. ``place`` is the answered option in the order asked, None unless answered."""

    item: Item
    status: str
    place: int | None = None
    prediction: str = ""
    reason: str = ""
    rule: str | None = None
    confidence: float | None = None
    chances: Probabilities | None = None

    @property
    def correct(self) -> bool:
        """Whether the right option, or one with its very text, was answered."""
        return self.place is not None and self.item.options[self.place] == self.item.answer

    @property
    def failed(self) -> bool:
        """Whether no reply came."""
        return self.status == MISSING or self.status in FAILED

    @property
    def flagged(self) -> bool:
        """Whether text and letter of the reply stand for different options."""
        return self.rule is not None and DISAGREE in self.rule


def score(items: Sequence[Item], replies: Mapping[Key, Mapping[str, Any]]) -> list[Scored]:
    """The scores in the order of the items.

    Parameters
    ----------
    replies : (id, ISO 639-3 code) -> an object as ``replies`` describes.

    Raises
    ------
    InputError : a reply's status, log-probabilities or confidence is not usable.
    """
    return [score_one(item, replies.get(item.key)) for item in items]


def score_one(item: Item, row: Mapping[str, Any] | None) -> Scored:
    """One item's score; ``row`` None, and the status ``missing`` of an earlier result, is no reply."""
    if row is None or row.get("status") == MISSING:
        return Scored(item, MISSING, reason="There is no reply.")
    text = next((row[name] for name in TEXT_KEYS if row.get(name) is not None), None)
    reply = _reply(item, row, text)
    chances = probabilities(row["logprobs"], item) if row.get("logprobs") is not None else None
    if reply is None and chances is not None and chances.best is not None:
        reply = Reply("answered", item.options[chances.best], rule=BY_LOGPROBS)
    if reply is None:
        reply = Reply("harness", reason="The reply holds no text and no answer.")
    place = _CHOICE.place(reply.value, item.asked()) if reply.status == "answered" else None
    if reply.rule == BY_LOGPROBS and chances is not None:
        place = chances.best
    sure = None if chances is None or place is None else chances.values[place]
    return Scored(
        item,
        reply.status,
        place,
        text if isinstance(text, str) else "" if text is None else repr(text),
        reply.reason,
        reply.rule,
        stated(row.get("confidence"), item) if sure is None else sure,
        chances,
    )


def _reply(item: Item, row: Mapping[str, Any], text: Any) -> Reply | None:
    """The reply that a row states or its text holds; None where it has neither."""
    status = row.get("status")
    if status is not None and status not in answers.STATUSES:
        raise InputError(
            f"the status {status!r} is not known.",
            source="replies",
            place=item.id,
            mend=f"Statuses: {', '.join(answers.STATUSES)}.",
        )
    if status in FAILED or row.get("error"):
        return Reply(status if status in FAILED else "harness", reason=str(row.get("error") or status))
    if row.get("declined") is True or (status == "declined" and text is None):
        return Reply("declined", reason=str(row.get("reason") or ""))
    if isinstance(text, str):
        return answers.parse_reply(text, _CHOICE, item.asked())
    answer = row.get("answer") if text is None else text
    return None if answer is None else answers.parse_value(Reply("answered", answer), _CHOICE, item.asked())
