"""From the text of a model to a status and an answer.

Rules, in order:

1. Byte order, zero-width-space and direction marks go. The raw text stays in the log.
2. Reasoning goes: everything up to the last closing tag of <think>, <thinking>, <thought>, <reasoning>. A
   tag that is opened and never closed takes the rest of the text with it.
3. Of the JSON objects in what is left, the last one with a key "answer" or "declined" is the reply. Code
   fences and prose around it do not matter; a key or brace inside a JSON text is not one.
4. An object with a duplicate key, or with NaN or an infinity (also 1e400), makes the reply unparseable, as
   does one that breaks off before its end.
5. "declined": true is a refusal, whatever else stands there. Else an "answer" that is not null is an answer.
6. Without such an object, a text that is one JSON value and nothing else (a code fence aside) is the answer.
7. Everything else is unparseable, an empty text too.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import Any, Final, Literal

from multiglobeqa.answers.base import Format, FormatError, Question
from multiglobeqa.answers.text import strip_marks

Status = Literal["answered", "declined", "unparseable", "budget", "overflow", "harness"]
STATUSES: Final = ("answered", "declined", "unparseable", "budget", "overflow", "harness")
"""Every reply ends in exactly one. This module gives the first three, the runner the others."""

MAX_TEXT: Final = 1_000_000
MAX_TRIES: Final = 2_000
_CLOSING: Final = re.compile(r"</(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_OPENING: Final = re.compile(r"<(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_FENCE: Final = re.compile(r"```[\w-]*\s*(.*?)\s*```", re.DOTALL)


@dataclass(frozen=True)
class Reply:
    """One reply: status, answer (raw JSON, or canonical after ``parse_reply``), the model's or our reason."""

    status: Status
    value: Any = None
    reason: str = ""


class _BadJsonError(ValueError):
    """JSON that the rules forbid although it could be read."""


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        keys = [key for key, _ in pairs]
        raise _BadJsonError(
            f"the key {next(k for k in keys if keys.count(k) > 1)!r} stands twice in one object"
        )
    return result


def _constant(text: str) -> Any:
    raise _BadJsonError(f"{text} is not a number of JSON")


def _float(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise _BadJsonError(f"{text[:40]} is too large for a number")
    return value


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_constant, parse_float=_float)


def read_reply(text: str | None) -> Reply:
    """Status and raw answer of a reply's text, by the rules above; never raises on any text."""
    if not text or not text.strip():
        return Reply("unparseable", reason="The reply is empty.")
    if len(text) > MAX_TEXT:
        return Reply("unparseable", reason=f"The reply has more than {MAX_TEXT} characters.")
    body = _final(strip_marks(text))
    if not body:
        return Reply("unparseable", reason="The reply ends inside its reasoning.")
    try:
        found = _contract_object(body)
        if found is not None:
            return _status(found)
        return Reply("answered", value) if (value := _bare(body)) is not None else _unreadable()
    except _BadJsonError as error:
        return Reply("unparseable", reason=f"The JSON is not usable: {error}.")
    except RecursionError:
        return Reply("unparseable", reason="The JSON is nested too deeply.")


def parse_reply(text: str | None, answer_format: Format, question: Question) -> Reply:
    """As ``read_reply``, with the answer in the canonical form of its format.

    An answer that the format refuses is unparseable; ``reason`` then holds the format's message.
    """
    return parse_value(read_reply(text), answer_format, question)


def parse_value(reply: Reply, answer_format: Format, question: Question) -> Reply:
    """A reply whose raw answer is turned into the canonical form of its format."""
    if reply.status != "answered":
        return reply
    try:
        return Reply("answered", answer_format.parse(reply.value, question), reply.reason)
    except FormatError as error:
        return Reply("unparseable", reason=str(error))


def _final(text: str) -> str:
    """The text behind its reasoning."""
    closings = list(_CLOSING.finditer(text))
    if closings:
        text = text[closings[-1].end() :]
    opening = _OPENING.search(text)
    return (text[: opening.start()] if opening else text).strip()


def _contract_object(text: str) -> dict[str, Any] | None:
    """The last object with a key of the contract."""
    found: dict[str, Any] | None = None
    position = text.find("{")
    for _ in range(MAX_TRIES):
        if position < 0:
            return found
        end = position + 1
        try:
            value, end = _DECODER.raw_decode(text, position)
        except _BadJsonError:
            raise
        except ValueError as error:
            if _breaks_off(error, text, position):
                raise _BadJsonError("it breaks off before its end") from error
        else:
            if isinstance(value, dict) and ("answer" in value or "declined" in value):
                found = value
        position = text.find("{", end)
    raise _BadJsonError(f"more than {MAX_TRIES} braces lead to no object")


def _breaks_off(error: ValueError, text: str, position: int) -> bool:
    """Whether an object that names a key of the contract fails for want of more text."""
    if not re.match(r'\{\s*"(?:answer|declined)"\s*:', text[position : position + 200]):
        return False
    if not isinstance(error, json.JSONDecodeError):
        return False
    return error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")


def _status(found: dict[str, Any]) -> Reply:
    declined = found.get("declined", False)
    reason = found.get("reason")
    reason = reason if isinstance(reason, str) else ""
    if declined is True:
        return Reply("declined", reason=reason)
    if declined is not False and declined is not None:
        return Reply("unparseable", reason='"declined" is neither true nor false.')
    if found.get("answer") is None:
        return Reply("unparseable", reason="The reply neither answers nor declines.")
    return Reply("answered", found["answer"], reason)


def _bare(text: str) -> Any:
    fence = _FENCE.fullmatch(text)
    try:
        return _DECODER.decode(fence[1] if fence else text)
    except _BadJsonError:
        raise
    except ValueError:
        return None


def _unreadable() -> Reply:
    return Reply("unparseable", reason="The reply holds no JSON object with an answer.")
