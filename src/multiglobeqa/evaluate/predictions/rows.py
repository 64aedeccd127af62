"""From a row (an object of JSON Lines, a line of a table) to a record: which key means what."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Final

from multiglobeqa.answers.text import printable, shown
from multiglobeqa.evaluate.predictions.record import (
    DECLINED,
    EMPTY,
    LOOSE,
    RUNNER,
    TEXT,
    Record,
    RecordError,
    answer_body,
    costs_of,
    reply_body,
)

ID_KEYS: Final = ("id", "question_id")
REPLY_KEYS: Final = ("text", "reply", "response", "output", "completion", "answer", "prediction")
"""Keys that hold a reply. All but ``answer`` and ``prediction`` are raw texts; the first that is there counts."""
FORM: Final = (
    'One object a line: {"id": .., "text": ..}, {"id": .., "answer": ..} or {"id": .., "declined": true}; '
    "also reply, response, output, completion or prediction."
)
_ALPHA_2: Final = {
    "en": "eng", "sq": "sqi", "bg": "bul", "zh": "zho", "fr": "fra", "ka": "kat", "de": "deu", "el": "ell", "it": "ita",
    "ja": "jpn", "pt": "por", "ro": "ron", "ru": "rus", "es": "spa", "tr": "tur", "ur": "urd", "vi": "vie", "sw": "swa",
    "ha": "hau",
}  # fmt: skip
_CODE: Final = re.compile(r"[a-z]{3}")
_MAX_SEED: Final = 1 << 31


def record_of(row: dict[str, Any], place: int) -> tuple[Record, int]:
    """The prediction of a row, and how many of its costs are no numbers.

    Raises RecordError : no id, nothing that could be a reply, or a seed, language or status that is none.
    """
    identity, number = _id_of(row)
    kind, body, reason = _reply_of(row)
    costs, bad = costs_of(row)
    final, attempt = row.get("final"), row.get("attempt")
    record = Record(
        place, identity, number, language_code(row.get("language")), _word(row, "model"), _word(row, "tier"),
        whole(row.get("seed"), "seed"), kind, body, reason, 0, final if isinstance(final, bool) else None,
        None if attempt is None else whole(attempt, "attempt"), costs,
    )  # fmt: skip
    return record, bad


def has_reply(names: Any) -> bool:
    """Whether columns of these names hold replies."""
    return any(name in names for name in (*REPLY_KEYS, "declined", "status"))


def whole(value: Any, name: str) -> int:
    """A whole number, 0 for none; raises RecordError."""
    if type(value) is int and -_MAX_SEED < value < _MAX_SEED:
        return value
    if value is None or value == "":
        return 0
    try:
        number = int(value)
        fits = not isinstance(value, bool) and number == float(value) and abs(number) < _MAX_SEED
    except (TypeError, ValueError, OverflowError):
        fits = False
    if not fits:
        raise RecordError(f"{name} {shown(value)} is no whole number")
    return number


def language_code(value: Any) -> str | None:
    """ISO 639-3 code of a code of two or three letters, also with a region; raises RecordError."""
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        raise RecordError(f"language {shown(value)} is no ISO 639 code")
    return _code(value)


@lru_cache(maxsize=256)
def _code(value: str) -> str:
    code = re.split("[-_]", value.strip().lower(), maxsplit=1)[0]
    code = _ALPHA_2.get(code, code)
    if not _CODE.fullmatch(code):
        raise RecordError(f"language {shown(value)} is no ISO 639 code")
    return code


def id_of(value: Any) -> tuple[str, bool]:
    """An id as a text, and whether it was a number; raises RecordError."""
    if isinstance(value, str) and value.isalnum() and value.isascii():
        return value, False
    if isinstance(value, str) and value.strip():
        return printable(value.strip()), False
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value), True
    if isinstance(value, float) and value.is_integer():
        return str(int(value)), True
    raise RecordError("it has no id" if value is None or value == "" else f"its id is {shown(value)}")


def _id_of(row: dict[str, Any]) -> tuple[str, bool]:
    return id_of(row["id"] if "id" in row else row.get(ID_KEYS[1]))


def _reply_of(row: dict[str, Any]) -> tuple[int, str | None, str]:
    status = row.get("status")
    if isinstance(status, str) and status in RUNNER:
        return RUNNER[status], None, _words(row.get("error") or row.get("reason"))
    text = row.get("text")
    if type(text) is str:
        return reply_body(text)
    key = next((key for key in REPLY_KEYS if row.get(key) is not None), None)
    if key in REPLY_KEYS[:-2]:
        return reply_body(row[key], TEXT)
    if row.get("declined") is True or str(row.get("declined")).lower() == "true":
        return DECLINED, None, _words(row.get("reason"))
    if key == "answer":
        return answer_body(row[key])
    if key == "prediction":
        return reply_body(row[key], LOOSE)
    if not has_reply(row):
        raise RecordError("it has neither text, answer nor declined")
    return EMPTY, None, ""


def _word(row: dict[str, Any], name: str) -> str:
    value = row.get(name)
    return "" if value is None else _clean(str(value))


@lru_cache(maxsize=256)
def _clean(text: str) -> str:
    return printable(text)


def _words(value: Any) -> str:
    return printable(str(value)) if value else ""
