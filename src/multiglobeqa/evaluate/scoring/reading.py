"""Reading many replies: those that keep to the contract by one expression, all others by ``answers.read_reply``.

A reply keeps to the contract where, behind its reasoning, it holds one JSON object and no other brace or tag: a flat
answer and ``"declined": false``, or no answer and ``"declined": true``. Text round it does not matter. Its answers are
decoded together, as one JSON array.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from multiglobeqa.answers import Reply
from multiglobeqa.answers.jsontext import DECODER
from multiglobeqa.answers.reply import MAX_TEXT
from multiglobeqa.evaluate.predictions import record
from multiglobeqa.evaluate.scoring.single import reply_of

_CLOSING: Final = "</think>"
_WS: Final = r"[ \t\n\r]*"
_TEXT: Final = '"[^"\\\\<\x00-\x1f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]*"'
_NUMBER: Final = r"-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,25})?(?:[eE][+-]?[0-9]{1,2})?"
_VALUE: Final = f"(?:{_NUMBER}|{_TEXT}|true|false)"
_PAIR: Final = f"{_TEXT}{_WS}:{_WS}{_VALUE}"
_OBJECT: Final = rf"\{{{_WS}{_PAIR}(?:{_WS},{_WS}{_PAIR})*{_WS}\}}"
_LIST: Final = rf"\[{_WS}(?:{_VALUE}(?:{_WS},{_WS}{_VALUE})*{_WS})?\]"
_STRICT: Final = re.compile(
    rf'[^{{<]*\{{{_WS}"answer"{_WS}:{_WS}(?:'
    rf'({_VALUE}|{_OBJECT}|{_LIST}){_WS}(?:,{_WS}"declined"{_WS}:{_WS}false{_WS})?(?:,{_WS}"reason"{_WS}:{_WS}(?:""|null){_WS})?'
    rf'|null{_WS},{_WS}"declined"{_WS}:{_WS}true{_WS}(?:,{_WS}"reason"{_WS}:{_WS}({_TEXT}|null){_WS})?'
    r")\}[^{<]*"
)


class Raw(NamedTuple):
    """Raw replies as columns: status, answer, reason, rule."""

    status: list[str]
    value: list[Any]
    reason: list[str]
    rule: list[str | None]


def read_many(
    kinds: Sequence[int], bodies: Sequence[str | None], reasons: Sequence[str], languages: Sequence[str]
) -> Raw:
    """The raw replies of predictions, n each; the same as ``single.reply_of`` one at a time."""
    size = len(kinds)
    raw = Raw(["answered"] * size, [None] * size, [""] * size, [None] * size)
    rows: list[int] = []
    payloads: list[str] = []
    match, text_kind = _STRICT.fullmatch, record.TEXT
    for row, (kind, body) in enumerate(zip(kinds, bodies, strict=True)):
        found = None
        if kind == text_kind and body is not None and len(body) <= MAX_TEXT:
            closing = body.rfind(_CLOSING)
            found = match(body, closing + len(_CLOSING) if closing >= 0 else 0)
        if found is None:
            _put(raw, row, reply_of(kind, body, reasons[row], languages[row]))
        elif (payload := found[1]) is not None:
            rows.append(row)
            payloads.append(payload)
        else:
            raw.status[row] = "declined"
            if (reason := found[2]) is not None and reason != "null":
                raw.reason[row] = reason[1:-1]
    for row, value, whole in zip(rows, *_decoded(payloads), strict=True):
        if whole:
            raw.value[row] = value
        else:
            _put(raw, row, reply_of(kinds[row], bodies[row], reasons[row], languages[row]))
    return raw


def _put(raw: Raw, row: int, reply: Reply) -> None:
    raw.status[row], raw.value[row], raw.reason[row], raw.rule[row] = (
        reply.status, reply.value, reply.reason, reply.rule,
    )  # fmt: skip


def _decoded(payloads: list[str]) -> tuple[list[Any], list[bool]]:
    """The values, and which of them were decoded; an object with a key twice is not."""
    try:
        values = DECODER.decode("[" + ",".join(payloads) + "]")
    except ValueError:
        found = [_alone(payload) for payload in payloads]
        return [value for value, _ in found], [whole for _, whole in found]
    return values, [True] * len(payloads)


def _alone(payload: str) -> tuple[Any, bool]:
    try:
        return DECODER.decode(payload), True
    except ValueError:
        return None, False


_ENCODER: Final = json.JSONEncoder(sort_keys=True)
_QUOTE: Final = json.encoder.encode_basestring_ascii


def dumped(value: Any) -> str:
    """``json.dumps(value, sort_keys=True)``, faster."""
    kind = type(value)
    if kind is str:
        return _QUOTE(value)
    if kind is float or kind is int:
        return repr(value)
    if kind is bool:
        return "true" if value else "false"
    return _ENCODER.encode(value)
