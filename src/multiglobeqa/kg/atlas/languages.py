"""ISO 639-3 codes of the label columns of Natural Earth and GeoNames."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

ISO_639_3: Final[Mapping[str, str]] = {
    "ar": "ara", "bg": "bul", "bn": "ben", "de": "deu", "el": "ell", "en": "eng", "es": "spa", "fa": "fas",
    "fr": "fra", "he": "heb", "hi": "hin", "hu": "hun", "id": "ind", "it": "ita", "ja": "jpn", "ka": "kat",
    "ko": "kor", "nl": "nld", "pl": "pol", "pt": "por", "ro": "ron", "ru": "rus", "sq": "sqi", "sv": "swe",
    "tr": "tur", "uk": "ukr", "ur": "urd", "vi": "vie", "zh": "zho",
}  # fmt: skip
"""ISO 639-1 to 639-3, for the languages these sources carry. Macrolanguages keep their own code (zho, sqi,
ara)."""

NATURAL_EARTH: Final = (
    "ar", "bn", "de", "el", "en", "es", "fa", "fr", "he", "hi", "hu", "id", "it", "ja", "ko", "nl", "pl",
    "pt", "ru", "sv", "tr", "uk", "ur", "vi", "zh",
)  # fmt: skip
"""Suffixes of Natural Earth's name columns. zht (traditional Chinese) becomes an alias of zho."""

GEONAMES: Final = (
    "bg", "de", "el", "en", "es", "fr", "it", "ja", "ka", "pt", "ro", "ru", "sq", "tr", "ur", "vi", "zh",
)  # fmt: skip
"""The 17 languages of the GeoNames table."""
