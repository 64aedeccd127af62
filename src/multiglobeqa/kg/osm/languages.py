"""Language codes of OSM name tags: the suffix of ``name:xx`` to ISO 639-3.

``iso639.csv`` beside this file lists every ISO 639-3 code with its ISO 639-1 code where there is one (SIL's
code tables, from pycountry 26.2.16). A suffix is a code alone (``de``, ``gsw``) or a code with a script or
region subtag (``zh-Hant``, ``pt-BR``). Transcriptions (``ja_rm``, ``zh_pinyin``, ``ja-Latn``) and words that
only look like a code (``name:old``) are no labels.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

TABLE: Final = Path(__file__).with_name("iso639.csv")
PLAIN: Final = "und"
PAPER_LANGUAGES: Final = (
    "eng", "fra", "ita", "por", "ron", "spa", "bul", "rus", "deu", "urd", "sqi", "ell", "jpn", "kat", "tur",
    "vie", "zho",
)  # fmt: skip
"""The 17 languages of the paper."""

_SUFFIX = re.compile(r"([a-z]{2,3})(?:-([A-Za-z]{4}|[A-Za-z]{2}))?")
_WORDS: Final = frozenset({"alt", "int", "loc", "nat", "off", "old", "reg", "via", "etc", "src"})


@dataclass(frozen=True)
class Suffix:
    """A language suffix: ISO 639-3 code and, for a script or region form, its subtag in lower case."""

    code: str
    subtag: str


@lru_cache(maxsize=1)
def _codes() -> dict[str, str]:
    """Suffix code of two or three letters to ISO 639-3."""
    codes: dict[str, str] = {}
    with TABLE.open(encoding="ascii", newline="") as stream:
        for row in csv.DictReader(stream):
            codes[row["alpha3"]] = row["alpha3"]
            if row["alpha2"]:
                codes[row["alpha2"]] = row["alpha3"]
    for word in _WORDS:
        codes.pop(word, None)
    return codes


@lru_cache(maxsize=4096)
def parse_suffix(suffix: str) -> Suffix | None:
    """The language of a tag suffix, or None where it names none (or a Latin transcription)."""
    match = _SUFFIX.fullmatch(suffix)
    if match is None:
        return None
    code = _codes().get(match[1])
    subtag = (match[2] or "").lower()
    if code is None or subtag == "latn":
        return None
    return Suffix(code, subtag)
