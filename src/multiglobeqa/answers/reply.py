"""From the text of a model to a status and an answer.

Rules, in order:

1. Byte order, zero-width-space and direction marks go. The raw text stays in the log.
2. Reasoning goes: everything up to the last closing tag of <think>, <thinking>, <thought>, <reasoning>. A
   tag that is opened and never closed takes the rest of the text with it.
3. Of the JSON objects in what is left, the last one with a key "answer", "declined", "refuse" or "refused" is
   the reply. Code fences and prose around it do not matter; a key or brace inside a JSON text is not one.
4. An object with a duplicate key, or with NaN or an infinity (also 1e400), makes the reply unparseable, as
   does one that breaks off before its end.
5. "declined": true (or "refuse", "refused") is a refusal, whatever else stands there. Else an "answer" that is
   not null is an answer.
6. Without such an object, a text that is one JSON value and nothing else (a code fence aside) is the answer.
7. A text without an answer that refuses in words (see ``refusals``) is a refusal: prose, one JSON text, or an
   object whose answer is null and that does not say "declined": false.
8. Everything else is unparseable, an empty text too.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Final, Literal

from multiglobeqa.answers.base import Format, FormatError, Question, language_of
from multiglobeqa.answers.jsontext import DECODER, BadJsonError
from multiglobeqa.answers.refusals import refusal_language
from multiglobeqa.answers.rules import joined, noted
from multiglobeqa.answers.text import printable, strip_marks

Status = Literal["answered", "declined", "unparseable", "budget", "overflow", "harness"]
STATUSES: Final = ("answered", "declined", "unparseable", "budget", "overflow", "harness")
"""Every reply ends in exactly one. This module gives the first three, the runner the others."""

MAX_TEXT: Final = 1_000_000
MAX_TRIES: Final = 2_000
MAX_REASON: Final = 300
NO_OBJECT: Final = "The reply holds no JSON object with an answer."
_REFUSING: Final = ("declined", "refuse", "refused")
_KEYS: Final = frozenset(("answer", *_REFUSING))
_CLOSING: Final = re.compile(r"</(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_OPENING: Final = re.compile(r"<(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_FENCE: Final = re.compile(r"```[\w-]*\s*(.*?)\s*```", re.DOTALL)


@dataclass(frozen=True)
class Reply:
    """One reply: status, answer (raw JSON, or canonical after ``parse_reply``), the model's or our reason.

    ``rule`` names the reading rules that were needed, "; " between them; None where none was.
    """

    status: Status
    value: Any = None
    reason: str = ""
    rule: str | None = None


def read_reply(text: str | None, language: str = "eng") -> Reply:
    """Status and raw answer of a reply's text, by the rules above; never raises on any text.

    ``language`` is the question's: its refusal phrases are tried first, those of the other languages after.
    """
    body = _body(text)
    return body if isinstance(body, Reply) else _read(body, language)


def _body(text: str | None) -> str | Reply:
    """The text behind its reasoning; a reply where there is nothing to read."""
    if not text or not text.strip():
        return Reply("unparseable", reason="The reply is empty.")
    if len(text) > MAX_TEXT:
        return Reply("unparseable", reason=f"The reply has more than {MAX_TEXT} characters.")
    return _final(strip_marks(text)) or Reply("unparseable", reason="The reply ends inside its reasoning.")


def _read(body: str, language: str) -> Reply:
    try:
        found, count = _contract_object(body)
        if found is not None:
            reply = _status(found, body, language)
            rule = f"reply: the last of {count} answer objects" if count > 1 else None
            return Reply(reply.status, reply.value, reply.reason, joined(rule, reply.rule))
        value = _bare(body)
    except BadJsonError as error:
        return Reply("unparseable", reason=f"The JSON is not usable: {error}.")
    except RecursionError:
        return Reply("unparseable", reason="The JSON is nested too deeply.")
    if value is None or isinstance(value, str):
        refused = _in_words(body if value is None else value, language, alone=value is None)
        if refused is not None:
            return refused
    if value is None:
        return Reply("unparseable", reason=NO_OBJECT)
    return Reply("answered", value, rule="reply: a bare JSON value")


def parse_reply(text: str | None, answer_format: Format, question: Question) -> Reply:
    """As ``read_reply``, with the answer in the canonical form of its format.

    An answer that the format refuses is unparseable; ``reason`` then holds the format's message.
    """
    if answer_format.reads_prose:
        return _parse_prose(text, answer_format, question)
    return parse_value(read_reply(text, language_of(question)), answer_format, question)


def _parse_prose(text: str | None, answer_format: Format, question: Question) -> Reply:
    """As ``parse_reply``; a text that is no JSON is an answer where the format finds one in it."""
    body = _body(text)
    if isinstance(body, Reply):
        return body
    reply = _read(body, language_of(question))
    found = parse_value(reply, answer_format, question)
    if found.status == "answered" or not _is_prose(body):
        return found
    prose = parse_value(Reply("answered", body), answer_format, question)
    return prose if prose.status == "answered" or reply.reason == NO_OBJECT else found


def parse_value(reply: Reply, answer_format: Format, question: Question) -> Reply:
    """A reply whose raw answer is turned into the canonical form of its format, with the rules it needed."""
    if reply.status != "answered":
        return reply
    with noted() as rules:
        try:
            value = answer_format.parse(reply.value, question)
        except FormatError as error:
            return Reply("unparseable", reason=str(error), rule=reply.rule)
    return Reply("answered", value, reply.reason, joined(reply.rule, *rules))


def _is_prose(body: str) -> bool:
    """Whether a text holds neither an object of the contract nor is JSON itself."""
    try:
        return _contract_object(body)[0] is None and _bare(body) is None
    except (BadJsonError, RecursionError):
        return False


def _final(text: str) -> str:
    """The text behind its reasoning."""
    closings = list(_CLOSING.finditer(text))
    if closings:
        text = text[closings[-1].end() :]
    opening = _OPENING.search(text)
    return (text[: opening.start()] if opening else text).strip()


def _contract_object(text: str) -> tuple[dict[str, Any] | None, int]:
    """The last object with a key of the contract, and how many there are."""
    found: dict[str, Any] | None = None
    count = 0
    position = text.find("{")
    for _ in range(MAX_TRIES):
        if position < 0:
            return found, count
        end = position + 1
        try:
            value, end = DECODER.raw_decode(text, position)
        except json.JSONDecodeError as error:
            if _breaks_off(error, text, position):
                raise BadJsonError("it breaks off before its end") from error
        else:
            if not _KEYS.isdisjoint(value):
                found, count = value, count + 1
        position = text.find("{", end)
    raise BadJsonError(f"more than {MAX_TRIES} braces lead to no object")


def _breaks_off(error: json.JSONDecodeError, text: str, position: int) -> bool:
    """Whether an object that names a key of the contract fails for want of more text."""
    if not re.match(r'\{\s*"(?:answer|declined|refused?)"\s*:', text[position : position + 200]):
        return False
    return error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")


def _status(found: dict[str, Any], body: str, language: str) -> Reply:
    stated = {key: found[key] for key in _REFUSING if found.get(key) is not None}
    reason = found.get("reason")
    reason = printable(reason) if isinstance(reason, str) else ""
    for key, value in stated.items():
        if not isinstance(value, bool):
            return Reply("unparseable", reason=f'"{key}" is neither true nor false.')
    if any(stated.values()):
        key = next(key for key, value in stated.items() if value)
        return Reply(
            "declined", reason=reason, rule=None if key == "declined" else f'reply: "{key}" declines'
        )
    if found.get("answer") is not None:
        return Reply("answered", found["answer"], reason)
    refused = None if stated else _in_words(reason or body, language)
    return refused or Reply("unparseable", reason="The reply neither answers nor declines.")


def _in_words(text: str, language: str, *, alone: bool = True) -> Reply | None:
    """A refusal told in words, with the words as its reason."""
    code = refusal_language(text, language, alone=alone)
    if code is None:
        return None
    words = printable(" ".join(text[:MAX_REASON].split()))
    return Reply("declined", reason=words, rule=f"reply: refusal in words ({code})")


def _bare(text: str) -> Any:
    fence = _FENCE.fullmatch(text)
    try:
        return DECODER.decode(fence[1] if fence else text)
    except json.JSONDecodeError:
        return None
