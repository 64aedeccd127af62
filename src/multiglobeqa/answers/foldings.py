"""The letters that two spellings of one name may differ in: tables and steps of ``names.fold``.

Each rule holds for every language, since a reply may use a name of any language; the Turkic i alone depends on
the question's language. The rules, and what they leave apart, stand in docs/names.md.

Texts are folded many at once, as lines of one text: no step joins or splits lines.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from multiglobeqa.answers.text import INVISIBLE

TURKIC: Final = frozenset(("tur", "aze", "azj", "azb", "crh", "gag", "tr", "az"))
"""Languages whose I folds to ı and whose İ folds to i."""

APOSTROPHES: Final = "'`´΄’‘‛ʹʻʼʽʾʿˈ′＇׳״\u1fbd\u1fbf\u1fef\u1ffd"
"""Apostrophes, and the accents, primes and modifier letters that are typed for them."""

# Rules that look at neighbours, before the characters fold. ``_EARLY`` finds the texts that have any.
_KANA: Final = "\u3041-\u3096\u3099\u309a\u30a1-\u30fa\u30fc-\u30fe\uff66-\uff9f"
_LONG_VOWEL: Final = re.compile(f"[－−―—─](?<=[{_KANA}].)")
_VOICING: Final = re.compile(f"[゛゜](?<=[{_KANA}].)")
_DIGIT_POINT: Final = re.compile(r"[.．․](?<=\d.)(?=\d)")
_ELIDED: Final = re.compile(
    r"(?<![^\W_])(l|d|dell|nell|all|dall|sull|coll|quell|sant|qu)" f"[{APOSTROPHES}] +" r"(?=[^\W_])",
    re.IGNORECASE,
)
_IOTA_BELOW: Final = re.compile("[\u0345\u1f80-\u1ffc]")
_EARLY: Final = re.compile(f"{INVISIBLE.pattern}|{_IOTA_BELOW.pattern}|[－−―—─゛゜.．․]|[{APOSTROPHES}] ")

# A character to what it folds to, alone; of decomposed letters.
_LETTERS: Final = {
    "\u0326": "\u0327",  # comma below: Romanian ș and ț are ş and ţ
    "ð": "đ",  # the capitals Ð and Đ look alike
    "œ": "oe",
    "°": "o",  # typed for the ordinal º
    "˚": "o",
    "−": " ",  # typed for a hyphen
    "ヶ": "ケ",
    "ヵ": "カ",
    "ی": "ي",
    "ې": "ي",
    "ک": "ك",
    "ہ": "ه",
    "ە": "ه",
    "ۃ": "ة",
    "ـ": "",
}
_VOWEL_MARKS: Final = frozenset((
    *range(0x0591, 0x05BE), 0x05BF, 0x05C1, 0x05C2, 0x05C4, 0x05C5, 0x05C7,  # Hebrew
    *range(0x064B, 0x0653), *range(0x0656, 0x0660), 0x0670,  # Arabic; madda and hamza belong to letters
    *range(0x06D6, 0x06DD), *range(0x06DF, 0x06E5), 0x06E7, 0x06E8, *range(0x06EA, 0x06EE),
))  # fmt: skip


class _Characters(dict[int, str]):
    """Code point -> what it folds to, worked out once for each character that occurs."""

    def __missing__(self, code: int) -> str:
        letters = unicodedata.normalize("NFD", chr(code))
        folded = unicodedata.normalize("NFC", "".join(map(_folded, letters)))
        self[code] = folded
        return folded


def _folded(c: str) -> str:
    if c == "\n":
        return c
    if c in APOSTROPHES or INVISIBLE.match(c):
        return ""
    if c in _LETTERS:
        return _LETTERS[c]
    letters = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", c).casefold())
    return "".join(map(_plain, letters))


def _plain(c: str) -> str:
    if c in _LETTERS:
        return _LETTERS[c]
    if c == "." or ord(c) in _VOWEL_MARKS or c in APOSTROPHES or INVISIBLE.match(c):
        return ""
    if c.isdecimal():
        return str(unicodedata.decimal(c))
    return " " if unicodedata.category(c)[0] in "PZC" and not c.isalnum() else c


_CHARACTERS: Final = _Characters()

# Rules that look at neighbours, on composed letters, after the characters folded.
_TONES: Final = {
    unicodedata.normalize("NFC", v + tone) + w: v + unicodedata.normalize("NFC", w + tone)
    for v, w in ("oa", "oe", "uy")
    for tone in "\u0300\u0301\u0303\u0309\u0323"
}
"""Vietnamese tone marks in open syllables: hòa is hoà, thủy is thuỷ."""
_LATE_LETTERS: Final = {
    "i\u0307": "i",
    "ё": "е",
    "ѐ": "е",
    "ѝ": "и",
    "\u0300": "",
    "\u0301": "",
    "ھ": "ه",
} | _TONES
_LATE: Final = re.compile(
    "i\u0307|[ёѐѝ]"  # Russian ё; stress, and Bulgarian ѝ
    "|[\u0300\u0301](?<=[аеиоуыэюя].)"  # stress
    # Urdu do-chashmi heh makes an aspirate after these letters and is a plain heh elsewhere
    "|ھ(?<![بپتٹجچدڈرڑكگلمن]ھ)"
    "|(?:[òóõỏọ][ae]|[ùúũủụ]y)(?![\u0300-\u036f]|[^\\W\\d_])"
)

# Scripts without spaces: Thai, Han, kana.
_SOLID_LETTERS: Final = (
    "\u0e00-\u0e7f\u3005\u3007\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
)
_SOLID: Final = re.compile(f"[ =](?:(?<=[{_SOLID_LETTERS}].)|(?=[{_SOLID_LETTERS}]))")
_SOLID_SPACE: Final = re.compile(f" (?:(?<=[{_SOLID_LETTERS}] )|(?=[{_SOLID_LETTERS}]))")
_KANA_EQUALS: Final = re.compile(f"=(?<=[{_KANA}]=)(?=[{_KANA}])")

_SPACES: Final = re.compile(" {2,}")
_ASCII: Final = str.maketrans(
    {chr(c): " " for c in range(128) if unicodedata.category(chr(c))[0] in "PC" and chr(c) not in "'`.\n"}
    | {"'": None, "`": None, ".": None}
)


def fold_ascii(lines: str) -> str:
    """Folded lines of ASCII text; the same as ``fold_lines`` by the default rules."""
    lines = lines.lower()
    if "." in lines or "' " in lines or "` " in lines:
        lines = _DIGIT_POINT.sub(" ", _ELIDED.sub(r"\1", lines))
    return one_space(lines.translate(_ASCII))


def fold_lines(lines: str, *, turkic: bool = False) -> str:
    """Folded lines of any text."""
    if _EARLY.search(lines):
        lines = _before(lines)
    if turkic:
        lines = unicodedata.normalize("NFC", lines).replace("İ", "i").replace("I", "ı")
    lines = unicodedata.normalize("NFC", one_space(lines.translate(_CHARACTERS)))
    lines = _after(lines)
    if _SOLID.search(lines):
        lines = unicodedata.normalize("NFC", _KANA_EQUALS.sub("", _SOLID_SPACE.sub("", lines)))
    return lines


def one_space(lines: str) -> str:
    """Lines with single spaces, none at the ends."""
    if "  " in lines:
        lines = _SPACES.sub(" ", lines)
    return lines.replace(" \n", "\n").replace("\n ", "\n").strip(" ")


def _before(lines: str) -> str:
    lines = INVISIBLE.sub("", lines)
    if _IOTA_BELOW.search(lines):  # it folds to a letter, which would come between marks
        lines = unicodedata.normalize("NFD", lines)
    lines = _LONG_VOWEL.sub("ー", lines)
    lines = _VOICING.sub(lambda mark: "\u3099" if mark[0] == "゛" else "\u309a", lines)
    return _DIGIT_POINT.sub(" ", _ELIDED.sub(r"\1", lines))


def _after(lines: str) -> str:
    lines, count = _LATE.subn(_late_letter, lines)
    while count:
        lines, count = _LATE.subn(_late_letter, unicodedata.normalize("NFC", lines))
    return lines


def _late_letter(match: re.Match[str]) -> str:
    return _LATE_LETTERS[match[0]]
