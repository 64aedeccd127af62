"""How two names that are not one name are alike: accents, a letter or two, one a part of the other."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

LEAST_PART: Final = 4
"""A part of a name has at least this many letters, or two in scripts without spaces."""
LEAST_SPELT: Final = 5
MOST_EDITS: Final = 2
_SPACELESS: Final = re.compile("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]")


def without_contexts(printed: str) -> Iterator[str]:
    """A printed name, then the same without the contexts in brackets that the build may add."""
    bracket = " ("
    while bracket:
        yield printed
        printed, bracket, _ = printed.rpartition(" (")


def unaccented(key: str) -> str:
    """A key without its combining marks."""
    if key.isascii():
        return key
    return "".join(c for c in unicodedata.normalize("NFD", key) if unicodedata.category(c) != "Mn")


def is_part(a: str, b: str) -> bool:
    """Whether one of two different keys holds the other as whole words."""
    short, long = sorted((a, b), key=len)
    if _SPACELESS.search(short):
        return len(short) >= 2 and short in long
    return len(short) >= LEAST_PART and f" {short} " in f" {long} "


def is_misspelt(a: str, b: str) -> bool:
    """Whether two keys differ in one letter, or in two of a long name."""
    most = min(MOST_EDITS, max(len(a), len(b)) // LEAST_SPELT)
    if not most or abs(len(a) - len(b)) > most or len(set(a) ^ set(b)) > 2 * most:
        return False
    return _edits(a, b, most) <= most


def _edits(a: str, b: str, most: int) -> int:
    """Levenshtein distance, or some number beyond ``most`` (Wagner and Fischer 1974, row by row)."""
    last = list(range(len(b) + 1))
    for i, letter in enumerate(a, 1):
        row = [i]
        for j, other in enumerate(b, 1):
            row.append(min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (letter != other)))
        if min(row) > most:
            return most + 1
        last = row
    return last[-1]
