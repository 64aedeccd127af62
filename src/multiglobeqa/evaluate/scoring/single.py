"""One reply at a time: what a score is. ``batch`` gives the same rows for many replies at once."""

from __future__ import annotations

import json
from typing import Final, NamedTuple

from multiglobeqa import answers
from multiglobeqa.answers import AliasIndex, Format, Reply
from multiglobeqa.answers.base import Question, language_of
from multiglobeqa.answers.reply import NO_OBJECT
from multiglobeqa.errors import InputError
from multiglobeqa.evaluate.predictions import record

NO_REPLY: Final = "no reply"
EMPTY: Final = "The reply is empty."
BROKEN: Final = (TypeError, KeyError, ValueError, AttributeError)
"""What a gold that is not canonical leads to."""
OTHERWISE: Final = {record.BUDGET: "budget", record.OVERFLOW: "overflow"}


class Outcome(NamedTuple):
    """The columns of a score that come from reply and question."""

    status: str
    parsed: str | None
    em: int
    ne: float
    reason: str
    rule: str | None


def score_one(
    question: Question,
    reply: Reply | str | None,
    *,
    names: AliasIndex | None = None,
    h3_credit: str = "geometric",
) -> Outcome:
    """Score one reply to one question.

    Parameters
    ----------
    question : a row of the question table.
    reply : a raw text, None for none, or a ``Reply`` whose status is known and whose answer is raw.
    names : alias store of the question's KG.
    h3_credit : see ``answers.get``.

    Raises
    ------
    InputError : the format is unknown, or the gold answer is not canonical.
    """
    answer_format = answers.get(question["format"], names=names, h3_credit=h3_credit)
    if not isinstance(reply, Reply):
        if answer_format.reads_prose:
            return settled(question, answers.parse_reply(reply, answer_format, question), answer_format)
        reply = answers.read_reply(reply, language_of(question))
    return outcome(question, reply, answer_format)


def outcome(question: Question, reply: Reply, answer_format: Format, otherwise: int = 0) -> Outcome:
    """The outcome of a raw reply by a format; ``otherwise`` as in ``predictions.record.SCHEMA``."""
    try:
        reply = answers.parse_value(reply, answer_format, question)
    except BROKEN as fault:
        raise _broken(question, fault) from fault
    return settled(question, reply, answer_format, otherwise)


def settled(question: Question, reply: Reply, answer_format: Format, otherwise: int = 0) -> Outcome:
    """The outcome of a reply whose answer is canonical."""
    try:
        right, error = False, 1.0
        if reply.status == "answered" and question["premise"]:
            gold = answers.gold_of(question)
            right = answer_format.exact_match(reply.value, gold, question)
            error = answer_format.normalized_error(reply.value, gold, question)
    except BROKEN as fault:
        raise _broken(question, fault) from fault
    status = OTHERWISE.get(otherwise, reply.status) if reply.status == "unparseable" else reply.status
    parsed = json.dumps(reply.value, sort_keys=True) if reply.status == "answered" else None
    return Outcome(status, parsed, int(right), error, reply.reason, reply.rule)


def _broken(question: Question, fault: Exception) -> InputError:
    return InputError(
        f"gold {question['gold']!r} is no canonical {question['format']}: {fault!r}.",
        source="questions",
        place=question.get("id"),
    )


def predicted(
    question: Question,
    answer_format: Format,
    kind: int,
    body: str | None,
    reason: str = "",
    otherwise: int = 0,
) -> Outcome:
    """The outcome of one prediction; fields as in ``predictions.record``, ``question`` in its language."""
    if answer_format.reads_prose and kind in (record.TEXT, record.QUOTED, record.LOOSE):
        text = json.loads(body or "null") if kind == record.QUOTED else body
        return settled(question, answers.parse_reply(text, answer_format, question), answer_format, otherwise)
    reply = reply_of(kind, body, reason, language_of(question))
    return outcome(question, reply, answer_format, otherwise)


def reply_of(kind: int, body: str | None, reason: str, language: str) -> Reply:
    """The raw reply of a prediction; kinds as in ``predictions.record``, without MISSING."""
    match kind:
        case record.TEXT:
            return answers.read_reply(body, language)
        case record.QUOTED:
            return answers.read_reply(json.loads(body or "null"), language)
        case record.LOOSE:
            return _loose(body or "", language)
        case record.ANSWER:
            return Reply("answered", json.loads(body or "null"))
        case record.DECLINED:
            return Reply("declined", reason=reason)
        case record.BAD:
            return Reply("unparseable", reason=reason)
        case record.EMPTY:
            return Reply("unparseable", reason=EMPTY)
    statuses: dict[int, answers.Status] = {
        record.BUDGET: "budget", record.OVERFLOW: "overflow", record.HARNESS: "harness"
    }  # fmt: skip
    return Reply(statuses[kind], reason=reason)


def _loose(text: str, language: str) -> Reply:
    reply = answers.read_reply(text, language)
    if reply.status == "unparseable" and reply.reason == NO_OBJECT and "{" not in text:
        return Reply("answered", text.strip(), rule="reply: the whole text is the answer")
    return reply
