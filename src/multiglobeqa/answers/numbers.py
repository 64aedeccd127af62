"""Numbers written by people and models, read by the language of the question.

One rule for each case, so that a text has one value:

1. Decimal digits of every script count; U+2212 and the full-width signs are signs.
2. U+066B is a decimal mark, U+066C groups thousands, in every language.
3. Spaces of all widths and apostrophes group thousands. Groups hold three digits (with commas also the
   Indian 12,34,567); anything else is an error, never two numbers run together.
4. Both comma and point: the one that stands last is the decimal mark.
5. One kind, twice or more: it groups.
6. One kind, once: it is the decimal mark, unless one to three digits without a leading zero stand before
   it and exactly three after. That case alone is ambiguous, and the language decides: point as decimal mark
   in English, Chinese, Japanese, Urdu and every language not listed below; comma in the listed ones.
   Where a space already groups, the mark is decimal.
"""

from __future__ import annotations

import math
import re
from typing import Final

from multiglobeqa.answers.base import FormatError
from multiglobeqa.answers.rules import note
from multiglobeqa.answers.text import ascii_digits, shown, strip_invisible

DECIMAL_COMMA: Final = frozenset(
    ("bul", "deu", "ell", "fra", "ita", "kat", "por", "ron", "rus", "spa", "sqi", "tur", "vie")
)
"""Benchmark languages that write a decimal comma (Unicode CLDR, number symbols)."""

MAX_TEXT: Final = 400
_ARABIC_DECIMAL, _ARABIC_GROUP = "\u066b", "\u066c"
_SIGNS: Final = str.maketrans(
    {"−": "-", "－": "-", "﹣": "-", "‐": "-", "‑": "-", "–": "-", "＋": "+", "，": ",", "．": ".", "’": "'"}
)
_NUMBER: Final = re.compile(
    rf"\s*([+-]?)\s?(\d(?:[\d.,'{_ARABIC_DECIMAL}{_ARABIC_GROUP}\s]*\d)?|[.,]\d+)"
    r"(?:[eE]([+-]?\d{1,4})(?![\d.])|\s?[x×·*]\s?10\s?\^\s?\{?([+-]?\d{1,4})\}?)?"
)
_LATEX_WORD: Final = re.compile(r"\\(?:text|mathrm|rm|,|;|!|:| )\s*")


def _clean(text: str) -> str:
    text = ascii_digits(strip_invisible(text)).translate(_SIGNS).strip()
    if "$" in text or "\\" in text:
        text = text.strip("$ ").removeprefix("\\(").removesuffix("\\)").replace("{,}", ",")
        text = _LATEX_WORD.sub(" ", text).replace("\\times", "×").replace("\\cdot", "·").strip()
    return text


def _join(groups: list[str], indian: bool) -> str | None:
    """Digit groups as one string, or None where they are not thousands."""
    first, *others = groups
    if not 1 <= len(first) <= 3 or first.startswith("0") or not others:
        return None
    plain = all(len(group) == 3 for group in others)
    lakh = (
        indian and len(first) <= 2 and len(others[-1]) == 3 and all(len(group) == 2 for group in others[:-1])
    )
    return "".join(groups) if plain or lakh else None


def _whole(digits: str, text: str) -> str:
    """Whole part with grouping by one kind of sign."""
    signs = {c for c in digits if not c.isdigit()}
    if not signs:
        return digits
    if len(signs) == 1:
        sign = signs.pop()
        joined = _join(digits.split(sign), sign == ",")
        if joined is not None:
            return joined
    raise FormatError(
        f"{shown(text)} has digit groups that are not thousands.", mend="Write the number without them."
    )


def _plain(body: str, language: str, text: str) -> str:
    """The digits of one number as Python writes them."""
    body = re.sub(r"\s", " ", body)
    if _ARABIC_DECIMAL in body:
        whole, _, fraction = body.partition(_ARABIC_DECIMAL)
        if not fraction.isdigit():
            raise FormatError(f"{shown(text)} has more than one decimal mark.")
        return _whole(whole, text) + "." + fraction
    marks = [c for c in body if c in ",."]
    if not marks:
        return _whole(body, text)
    last = marks[-1]
    whole, _, fraction = body.rpartition(last)
    if marks.count(last) > 1:
        return _whole(body, text)
    grouped_otherwise = any(not c.isdigit() for c in whole)
    ambiguous = (
        len(fraction) == 3 and fraction.isdigit() and 1 <= len(whole) <= 3 and not whole.startswith("0")
    )
    name = "comma" if last == "," else "point"
    usual = (last == ",") == (language in DECIMAL_COMMA)
    if ambiguous and not grouped_otherwise and not usual:
        note(f"number: {name} read as thousands ({language})")
        return whole + fraction
    if not fraction.isdigit():
        raise FormatError(f"{shown(text)} has digits grouped after the decimal mark.")
    if ambiguous or not usual:
        note(f"number: {name} read as decimal ({language})")
    return (_whole(whole, text) if whole else "0") + "." + fraction


def read_number(text: str, language: str) -> tuple[float, str]:
    """The number at the start of a text and what follows it.

    Parameters
    ----------
    text : a number, with a unit or nothing behind it.
    language : ISO 639-3 code of the question's language.

    Returns
    -------
    The value (an int where no fraction or exponent is written) and the rest, stripped of spaces.

    Raises
    ------
    FormatError : no number stands first, its groups are broken, or it is too large for a float.
    """
    if len(text) > MAX_TEXT:
        raise FormatError(f"{shown(text)} is too long for a number.")
    cleaned = _clean(text)
    match = _NUMBER.match(cleaned)
    if match is None:
        raise FormatError(
            f"{shown(text)} is not a number.", mend="Write digits, and a unit if it is not the asked one."
        )
    sign, body, exponent, power = match.groups()
    digits = _plain(body, language, text)
    rest = cleaned[match.end() :].strip().removesuffix(".").strip()
    shift = exponent or power
    value = float(f"{sign}{digits}e{shift}") if shift else float(f"{sign}{digits}")
    if not math.isfinite(value):
        raise FormatError(f"{shown(text)} is not a finite number.")
    if shift is None and "." not in digits:
        return int(f"{sign}{digits}"), rest
    return value, rest


def check_number(value: object) -> float:
    """A JSON number as it is; raises FormatError for booleans, NaN, infinities and everything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise FormatError(f"{shown(value)} is not a number.")
    try:
        finite = math.isfinite(value)
    except OverflowError:
        finite = False
    if not finite:
        raise FormatError(f"{shown(value)} is not a finite number.")
    return value
