"""When two spellings are the same name: no similarity threshold, no substrings, only stated foldings.

``fold(text, language)`` gives the key that equal names share:

1. Invisible characters (joiners, direction marks, soft hyphens, variation selectors) and the tatweel go.
2. NFKC: composed letters, ligatures, full-width forms. Accents stay: Đà Nẵng is not Đa Nang.
3. Case: Unicode case folding, which holds for Greek final sigma and Georgian Mtavruli. In Turkish and
   Azerbaijani I folds to ı and İ to i; elsewhere İ folds to i.
4. Letters with two code points in use: Romanian s and t with comma or cedilla; Arabic against Persian and
   Urdu yeh, kaf and heh; decimal digits of every script. Arabic vowel marks, which writers leave out, go.
5. Punctuation: apostrophes and points go (a point between digits becomes a space), all other punctuation
   becomes a space; spaces are folded into one and, beside Han, kana and Thai, removed.

Capitals in Greek lose their accents: ``fold_capitals`` gives the key without them, for a text that is
written all in capitals.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from multiglobeqa.answers.text import ascii_digits, strip_invisible

TURKIC: Final = frozenset(("tur", "aze", "azj", "azb", "crh"))
_TURKIC_CASE: Final = str.maketrans({"I": "ı", "İ": "i"})
_LETTERS: Final = str.maketrans(
    {"ș": "ş", "ț": "ţ", "ی": "ي", "ې": "ي", "ک": "ك", "ہ": "ه", "ھ": "ه", "ە": "ه", "ـ": None}
    | {chr(code): None for code in (*range(0x064B, 0x0653), 0x0670)}
)
_APOSTROPHES: Final = "'`´’‘‛ʹʻʼʽʾʿˈ′＇׳״.․"
_ASCII_TABLE: Final = str.maketrans(
    {chr(c): " " for c in range(128) if unicodedata.category(chr(c))[0] in "PC"}
    | {"'": None, "`": None, ".": None}
)
_DIGIT_POINT: Final = re.compile(r"(?<=\d)[.․](?=\d)")
_SOLID: Final = "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
_SOLID_SPACE: Final = re.compile(rf"(?<=[{_SOLID}]) | (?=[{_SOLID}])")
_GREEK: Final = re.compile("[\u0370-\u03ff\u1f00-\u1fff]")
_GREEK_ACCENT: Final = re.compile("(?<=[\u0370-\u03ff])[\u0300\u0301\u0308\u0313\u0314\u0342\u0345]+")


def folding_of(language: str) -> str:
    """The case folding that a language follows: "turkic" or "default"."""
    return "turkic" if language in TURKIC else "default"


def fold(text: str, language: str = "eng") -> str:
    """The key of a name; equal keys are equal names. Never empty for a text with a visible character.

    Parameters
    ----------
    text : a name, any script.
    language : ISO 639-3 code of the question's language; it decides the case folding.
    """
    if text.isascii() and language not in TURKIC:
        key = text if "." not in text else _DIGIT_POINT.sub(" ", text)
        key = " ".join(key.lower().translate(_ASCII_TABLE).split())
        return key or " ".join(text.lower().split())
    letters = unicodedata.normalize("NFKC", strip_invisible(text))
    if language in TURKIC:
        letters = letters.translate(_TURKIC_CASE)
    letters = unicodedata.normalize("NFKC", letters.casefold()).replace("i\u0307", "i")
    letters = ascii_digits(letters.translate(_LETTERS))
    key = _spaces(_DIGIT_POINT.sub(" ", letters).translate(_PUNCTUATION))
    return key or _spaces(letters) or strip_invisible(text).strip()


def fold_capitals(key: str) -> str:
    """A key without Greek accents and diaereses."""
    decomposed = unicodedata.normalize("NFD", key)
    return unicodedata.normalize("NFC", _GREEK_ACCENT.sub("", decomposed))


def greek_capitals(text: str) -> bool:
    """Whether a text holds Greek and is written all in capitals."""
    return not text.isascii() and text.isupper() and _GREEK.search(text) is not None


def same_name(a: str, b: str, language: str = "eng") -> bool:
    """Whether two texts are one name; a text all in Greek capitals is compared without accents."""
    key_a, key_b = fold(a, language), fold(b, language)
    if key_a == key_b:
        return True
    return (greek_capitals(a) or greek_capitals(b)) and fold_capitals(key_a) == fold_capitals(key_b)


class _Punctuation(dict[int, str]):
    """Code point -> what it folds to, worked out once for each character that occurs."""

    def __missing__(self, code: int) -> str:
        c = chr(code)
        if c in _APOSTROPHES:
            folded = ""
        elif c.isalnum() or unicodedata.category(c)[0] not in "PZC":
            folded = c
        else:
            folded = " "
        self[code] = folded
        return folded


_PUNCTUATION: Final = _Punctuation()


def _spaces(text: str) -> str:
    text = " ".join(text.split())
    return text if text.isascii() else _SOLID_SPACE.sub("", text)
