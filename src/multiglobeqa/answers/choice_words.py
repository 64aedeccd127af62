"""Words around the letter or the text of an option, in all languages, as expressions (``choice_words.yaml``)."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

import yaml

from multiglobeqa.answers.text import strip_invisible

WRAPS: Final = " \t*_`\"'“”„«»‘’‹›()[]{}<>【】〔〕「」『』《》〈〉$\\#|~"
"""What may stand around an answer: spaces, quotes, brackets, emphasis."""

_MARK: Final = r"[A-Za-z]{1,3}|\d{1,4}|[\u3041-\u30ff\u4e00-\u9fff\uac00-\ud7a3]|[^\W\d_]{1,3}"
_LATEX: Final = re.compile(r"\\(?:text|textbf|mathrm|mathbf|rm|bf)\s*\{([^{}]*)\}")
_TURKISH_IS: Final = "['’][dt][ıiuü]r"
_SOLID: Final = ("zho", "jpn")
"""Languages written without spaces: their words need no boundary."""


def plain(text: str) -> str:
    """NFKC, without invisible characters, LaTeX's text commands opened."""
    return _LATEX.sub(r"\1", unicodedata.normalize("NFKC", strip_invisible(text)))


@dataclass(frozen=True)
class Words:
    """Expressions over the words of all languages.

    ``answer`` announces an answer, ``be`` links it; ``head`` is a letter at the start, perhaps behind a word for
    "option", ``foot`` one behind a text; ``tail`` is what may follow a letter or a text without a mark.
    """

    answer: re.Pattern[str]
    be: re.Pattern[str]
    head: re.Pattern[str]
    foot: re.Pattern[str]
    tail: re.Pattern[str]


@cache
def words() -> Words:
    text = files("multiglobeqa.answers").joinpath("choice_words.yaml").read_text("utf-8")
    lists = yaml.safe_load(text)
    answer, option, be = (_any_of(lists, name) for name in ("answer", "option", "be"))
    tails = [f"{before}(?i:{_any_of(lists, name, plain)})"
             for plain, before in ((True, r"\s*"), (False, r"\s+")) for name in ("because", "right")]  # fmt: skip
    wraps = re.escape(WRAPS)
    return Words(
        answer=re.compile(f"(?i:{answer})"),
        be=re.compile(rf"[{wraps}:=—–\-]*(?:{be})"),
        head=re.compile(
            rf"[{wraps}:=—–\-]*(?P<word>(?i:{option})[{wraps}:.№#]*)?(?P<mark>{_MARK})(?P<rest>.*)", re.DOTALL
        ),
        foot=re.compile(
            rf"(?P<text>.+?)(?:\s*[(\[]\s*(?i:{option})?\s*|\s*[,\-–—]\s*(?i:{option})\s*)"
            rf"(?P<mark>{_MARK})\s*[)\]]?\.?$"
        ),
        tail=re.compile("|".join((*tails, _TURKISH_IS))),
    )


def _any_of(lists: dict[str, dict[str, list[str]]], name: str, solid: bool | None = None) -> str:
    """One expression for the words of a list in all languages, or in those with or without spaces; longest first."""
    found = []
    for is_solid in (True, False):
        if solid in (None, is_solid):
            words = {
                word for code, each in lists.items() if (code in _SOLID) is is_solid for word in each[name]
            }
            longest = sorted(map(plain, words), key=lambda word: (-len(word), word))
            joined = "|".join(word.replace("*", r"\w*").replace(" ", r"\s+") for word in longest)
            found.append(f"(?:{joined})" if is_solid else rf"(?<!\w)(?:{joined})(?!\w)")
    return "|".join(found)
