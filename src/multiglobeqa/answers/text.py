"""Characters that carry no meaning in an answer, and digits of all scripts."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

INVISIBLE: Final = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]"
)
"""Soft hyphen, zero-width characters, joiners, direction marks, variation selectors, byte order mark."""

_MARKS: Final = re.compile("[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]")


def strip_invisible(text: str) -> str:
    """Remove every invisible character, joiners included (for names and numbers)."""
    return INVISIBLE.sub("", text)


def strip_marks(text: str) -> str:
    """Remove marks that no script needs (byte order, zero-width space, direction) and keep the joiners.

    For whole replies: a zero-width non-joiner is part of Persian and Urdu spelling, a direction mark is not.
    """
    return _MARKS.sub("", text)


def ascii_digits(text: str) -> str:
    """Turn each decimal digit (Unicode category Nd: Arabic-Indic, Persian, full-width, ...) into 0 to 9.

    Superscripts and fractions are not decimal digits and stay as they are.
    """
    if text.isascii():
        return text
    return "".join(str(unicodedata.decimal(c)) if c > "\x7f" and c.isdecimal() else c for c in text)


def has_surrogate(text: str) -> bool:
    """Whether the text holds half a surrogate pair, which cannot be written as UTF-8."""
    return not text.isascii() and any("\ud800" <= c <= "\udfff" for c in text)


def printable(text: str) -> str:
    """The text with "?" for halves of surrogate pairs: it can be written as UTF-8."""
    return text.encode("utf-8", "replace").decode("utf-8") if has_surrogate(text) else text


def shown(value: object, limit: int = 60) -> str:
    """A value as it stands in an error message: ``repr``, cut, on one line, printable."""
    try:
        text = repr(value if not isinstance(value, str) else value[: limit + 1])
    except Exception:
        text = f"<{type(value).__name__}>"
    text = printable(text)
    return text if len(text) <= limit else text[: limit - 3] + "..."
