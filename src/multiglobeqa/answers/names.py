"""When two spellings are the same name: no similarity threshold, no substrings, only stated foldings.

``fold(text, language)`` gives the key that equal names share:

1. Invisible characters (joiners, direction marks, soft hyphens, variation selectors) and the tatweel go.
2. NFKC: composed letters, ligatures, full-width and half-width forms. Accents stay: Đà Nẵng is not Đa Nang.
3. Case: Unicode case folding, which holds for ß, Greek final sigma and Georgian Mtavruli. In Turkic languages
   I folds to ı and İ to i; elsewhere İ folds to i.
4. Letters with two spellings in use, by script: see ``foldings`` and docs/names.md. Decimal digits of every
   script are 0 to 9.
5. Punctuation: apostrophes and points go (a point between digits becomes a space), all other punctuation
   becomes a space; spaces are folded into one and, beside Han, kana and Thai, removed.

A text written all in capitals may lack what its script leaves out in capitals: the accents of Greek, the
dotless ı. ``fold_capitals`` gives the key that it shares with a name in small letters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from multiglobeqa.answers.foldings import TURKIC, fold_ascii, fold_lines
from multiglobeqa.answers.text import strip_invisible

CAPITALS_LOSE: Final = re.compile("[\u0131\u0370-\u03ff\u1f00-\u1fff]")
"""Letters that may fold to others in a text that is written all in capitals."""
_GREEK: Final = re.compile("[\u0370-\u03ff\u1f00-\u1fff]")
_GREEK_ACCENT: Final = re.compile("(?<=[\u0370-\u03ff])[\u0300\u0301\u0308\u0313\u0314\u0342\u0345]+")
_CHUNK: Final = 256


def folding_of(language: str) -> str:
    """The case folding that a language follows: "turkic" or "default". Any ISO 639 code is accepted."""
    return "turkic" if language in TURKIC else "default"


def fold(text: str, language: str = "eng") -> str:
    """The key of a name; equal keys are equal names. Never empty for a text with a visible character.

    Parameters
    ----------
    text : a name, any script.
    language : ISO 639 code of the question's language; it decides the case folding.
    """
    if "\n" in text:
        text = text.replace("\n", " ")
    turkic = language in TURKIC
    if text.isascii() and not turkic:
        key = fold_ascii(text)
        return key or " ".join(text.lower().split())
    return fold_lines(text, turkic=turkic) or _without_letters(text)


def fold_many(texts: Sequence[str], language: str = "eng") -> list[str]:
    """``fold`` of many texts: the same keys, a chunk of texts a step."""
    keys: list[str] = []
    for start in range(0, len(texts), _CHUNK):
        keys += _fold_chunk(texts[start : start + _CHUNK], turkic=language in TURKIC)
    return keys


def fold_capitals(key: str, language: str = "eng") -> str:
    """A key as its name in capitals folds: without Greek accents and diaereses; outside Turkic, ı as i."""
    if key.isascii():
        return key
    if language not in TURKIC:
        key = key.replace("ı", "i")
    if _GREEK.search(key):
        key = unicodedata.normalize("NFC", _GREEK_ACCENT.sub("", unicodedata.normalize("NFD", key)))
    return key


def capitals_differ(text: str, key: str) -> bool:
    """Whether a text's key may differ from that of its name in the other case: Greek, ı, or i in capitals."""
    return (not key.isascii() and CAPITALS_LOSE.search(key) is not None) or ("i" in key and text.isupper())


def same_name(a: str, b: str, language: str = "eng") -> bool:
    """Whether two texts are one name; where one is all in capitals, by the keys of capitals."""
    key_a, key_b = fold(a, language), fold(b, language)
    if key_a == key_b:
        return True
    if (key_a.isascii() and key_b.isascii()) or not (a.isupper() or b.isupper()):
        return False
    return fold_capitals(key_a, language) == fold_capitals(key_b, language)


def _fold_chunk(texts: Sequence[str], *, turkic: bool) -> list[str]:
    joined = "\n".join(texts)
    if joined.count("\n") >= len(texts):
        texts = [text.replace("\n", " ") for text in texts]
        joined = "\n".join(texts)
    if joined.isascii() and not turkic:
        keys = fold_ascii(joined).split("\n")
    else:
        keys = fold_lines(joined, turkic=turkic).split("\n")
    if "" in keys:
        keys = [key or fold(text, "tur" if turkic else "eng") for key, text in zip(keys, texts, strict=True)]
    return keys


def _without_letters(text: str) -> str:
    """Key of a text that is all punctuation: its characters, folded as far as they stay visible."""
    text = strip_invisible(unicodedata.normalize("NFKC", strip_invisible(text)))
    return fold_lines(text) or " ".join(text.casefold().split())
