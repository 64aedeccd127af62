"""Which option a letter or a number stands for, in any script.

Options are labelled A, B, C, ... Z, AA, AB, ... A mark that is none of these is read by the first rule that gives
one of the options:

1. The question's own labels, where it states some.
2. A Latin letter, full-width, circled and styled ones too (NFKC).
3. A letter of another script by its look (Cyrillic С is C, Greek Β is B) or by its place in the order in which that
   script numbers (А Б В Г; α β γ δ ε στ; ا ب ج د; ა ბ გ დ; ア イ ウ エ; 甲 乙 丙 丁). Where both give an option, the
   look counts, as labels are copied more often than translated. In languages whose tests are labelled in their own
   letters (``OWN_ORDER``) the order counts: Cyrillic В is option B in Russian and the third option in Bulgarian.

A reading by rule 3 is told with the place. Numbers count from 1.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

OWN_ORDER: Final = frozenset(("bel", "bul", "ell", "mkd", "srp", "ukr"))
"""Languages whose own letters are read by their order first."""

_ORDERS: Final = (
    "А Б В Г Д Е Ж З И",  # further letters differ between the languages
    "Α Β Γ Δ Ε ΣΤ Ζ Η Θ Ι",
    "ا ب ج د ہ و ز ح ط ی",  # abjad
    "ა ბ გ დ ე ვ ზ თ ი კ",
    "ア イ ウ エ オ カ キ ク ケ コ",
    "あ い う え お か き く け こ",
    "甲 乙 丙 丁 戊 己 庚 辛 壬 癸",
    "א ב ג ד ה ו ז ח ט י",
    "क ख ग घ ङ",
    "ক খ গ ঘ ঙ",
    "ก ข ค ง จ",
    "가 나 다 라 마 바 사",
    "ㄱ ㄴ ㄷ ㄹ ㅁ ㅂ ㅅ",
    "Ա Բ Գ Դ Ե Զ",
)
_SPELLINGS: Final = {
    "Ϛ": "ΣΤ",
    "الف": "ا",
    "أ": "ا",
    "إ": "ا",
    "آ": "ا",
    "بے": "ب",
    "جیم": "ج",
    "دال": "د",
    "ه": "ہ",
    "ھ": "ہ",
    "ي": "ی",
    "ى": "ی",
}
_LOOKS: Final = dict(zip("АВСЕНІЈКМОРЅТУХΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ABCEHIJKMOPSTYXABEZHIKMNOPTYX", strict=True))
_CHINESE: Final = "一二三四五六七八九十"


def _plain(mark: str) -> str:
    upper = unicodedata.normalize("NFKC", mark).strip().upper()
    return upper.lower() if "\u1c90" <= upper[:1] <= "\u1cbf" else upper  # Georgian has no capitals in use


_PLACES: Final = {_plain(mark): place for order in _ORDERS for place, mark in enumerate(order.split())}
_VARIANTS: Final = {_plain(written): _plain(mark) for written, mark in _SPELLINGS.items()}


@dataclass(frozen=True)
class Mark:
    """The option that a letter stands for: its place from 0, and the reading rule where one was needed."""

    place: int
    rule: str | None = None


def letter(place: int) -> str:
    """The label of an option: A for 0, Z for 25, AA for 26."""
    return letter(place // 26 - 1) + chr(65 + place % 26) if place >= 26 else chr(65 + place)


def place_of(mark: str, count: int, language: str = "eng", labels: Sequence[str] = ()) -> Mark | None:
    """The option that a letter stands for; None where it stands for none of ``count`` options.

    Parameters
    ----------
    mark : one letter (or two from the 27th option on), any script and case, without punctuation.
    language : ISO 639-3 code of the question's language.
    labels : the question's own labels, where they are not A, B, C, ...
    """
    plain = _plain(mark)
    own = [_plain(label) for label in labels[:count]]
    if plain in own:
        return Mark(own.index(plain))
    if re.fullmatch("[A-Z]{1,3}", plain):
        number = 0
        for c in plain:
            number = number * 26 + ord(c) - 64
        return Mark(number - 1) if number <= count else None
    return _other_script(plain, count, language)


def _other_script(plain: str, count: int, language: str) -> Mark | None:
    look = _LOOKS.get(plain)
    by_look = None if look is None else ord(look) - 65
    by_order = _PLACES.get(_VARIANTS.get(plain, plain))
    readings = [("look", by_look), ("order", by_order)]
    if language in OWN_ORDER:
        readings.reverse()
    for rule, place in readings:
        if place is not None and place < count:
            return Mark(place, f"choice: {plain} read as {letter(place)} by its {rule} ({language})")
    return None


def number_of(mark: str, count: int) -> int | None:
    """Place from 0 of the option that a number from 1 on stands for: digits of any script, 一 to 十."""
    plain = _plain(mark)
    if len(plain) == 1 and plain in _CHINESE:
        number = _CHINESE.index(plain) + 1
    elif plain.isdecimal() and len(plain) <= 4:
        number = int(plain)
    else:
        return None
    return number - 1 if 1 <= number <= count else None
