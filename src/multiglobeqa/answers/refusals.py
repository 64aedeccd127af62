"""Refusals told in words, in the benchmark's 17 languages and in Swahili and Hausa.

Read only where a reply holds no answer object: a structured answer or refusal decides first. Rules:

1. Phrases are those of ``refusals.yaml``, whole words, compared without case, accents, vowel marks,
   apostrophes and punctuation. The question's language comes first, then English, then the others.
2. They are looked for at the start and at the end of the text (``WINDOW`` characters each), where a refusal
   stands; the middle of a long text is working.
3. Words in double quotation marks are somebody else's.
4. A phrase behind which a word like "but" and, behind that, a number follow in the same text is a hedge, not
   a refusal.
5. Single words such as "unknown" refuse only where they are the whole reply: they are names elsewhere.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from itertools import accumulate
from typing import Final

import yaml

WINDOW: Final = 300
STEM: Final = 4
_HAN_OR_KANA: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_SOLID: Final = frozenset(("zho", "jpn"))
"""Languages written without spaces: phrases may start and end inside a run of letters."""

_STOPS: Final = ".!?;:。！？；：؟۔؛…\n"
_APOSTROPHES: Final = "'`´’‘‛ʹʻʼʽʾʿˈ＇׳"
_QUOTED: Final = re.compile('"[^"]*"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|»[^«]*«|「[^」]*」|『[^』]*』')
_ACCENTS: Final = re.compile("[\u0300-\u036f\u0610-\u061a\u064b-\u065f\u0670\u200b-\u200f\u00ad\u0640]")
_LETTERS: Final = str.maketrans(
    {"ı": "i", "đ": "d", "ي": "ی", "ى": "ی", "ك": "ک", "ه": "ہ", "ھ": "ہ", "ة": "ہ", "ς": "σ", "ƙ": "k", "ɗ": "d",
     "ɓ": "b", "ƴ": "y"}
)  # fmt: skip


@dataclass(frozen=True)
class _Words:
    """One language's phrases as one expression, its whole-reply words, its words like "but".

    ``heads`` and ``stems`` are the first words of the phrases (whole, and the first ``STEM`` letters of those
    with any ending): a text without one of them is not searched. Both are empty for scripts without spaces.
    """

    phrases: re.Pattern[str]
    alone: frozenset[str]
    hedge: re.Pattern[str]
    heads: frozenset[str]
    stems: frozenset[str]


class _Kept(dict[int, str]):
    """Code point -> what is left of it, worked out once for each character that occurs."""

    def __missing__(self, code: int) -> str:
        c = chr(code)
        if c in _STOPS:
            kept = " . "
        elif c in _APOSTROPHES:
            kept = ""
        else:
            kept = c if c.isalnum() else " "
        self[code] = kept
        return kept


_KEPT: Final = _Kept()


def plain(text: str) -> str:
    """A text as phrases are compared: letters and digits, one space between words, " . " at ends of sentences."""
    folded = unicodedata.normalize("NFKC", text.replace("…", ". ")).casefold()
    folded = _ACCENTS.sub("", unicodedata.normalize("NFD", folded)).translate(_LETTERS)
    return " ".join(unicodedata.normalize("NFC", folded).translate(_KEPT).split())


def refusal_language(text: str, language: str = "eng", *, alone: bool = True) -> str | None:
    """ISO 639-3 code of the language in which a text refuses to answer; None where it does not refuse.

    Parameters
    ----------
    text : a reply without an answer object.
    language : the question's language: its phrases are tried first.
    alone : whether a single word like "unknown" may refuse.
    """
    unquoted = _QUOTED.sub(" ", text)
    text = unquoted if any(c.isalpha() for c in unquoted) else text
    windows = (text,) if len(text) <= 2 * WINDOW else (text[:WINDOW], text[-WINDOW:])
    parts = [_Part(plain(window)) for window in windows]
    whole = " ".join(parts[0].text.replace(".", "").split()) if alone and len(text) <= WINDOW else ""
    for code in _order(language):
        words = _words()[code]
        if whole in words.alone or any(part.refuses(words) for part in parts):
            return code
    return None


class _Part:
    """One end of a text, with its words."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._words = frozenset(text.split())
        self._stems = frozenset(word[:STEM] for word in self._words)
        self._spaceless = not text.isascii() and _HAN_OR_KANA.search(text) is not None

    def refuses(self, words: _Words) -> bool:
        """Whether a phrase stands here and no hedge behind it."""
        if not words.heads:
            possible = self._spaceless
        else:
            possible = not (words.heads.isdisjoint(self._words) and words.stems.isdisjoint(self._stems))
        found = words.phrases.search(self.text) if possible else None
        return found is not None and words.hedge.search(self.text, found.end()) is None


def languages() -> tuple[str, ...]:
    """ISO 639-3 codes of the languages that have phrases."""
    return tuple(_words())


@lru_cache(maxsize=64)
def _order(language: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(code for code in (language, "eng", *_words()) if code in _words()))


@cache
def _words() -> dict[str, _Words]:
    text = files("multiglobeqa.answers").joinpath("refusals.yaml").read_text("utf-8")
    return {code: _compiled(code, lists) for code, lists in yaml.safe_load(text).items()}


def _compiled(code: str, lists: dict[str, list[str]]) -> _Words:
    open_, close = ("", "") if code in _SOLID else (r"(?<!\w)", r"(?!\w)")
    heads = set() if code in _SOLID else {head for phrase in lists["phrases"] for head in _heads(phrase)}
    phrases = "|".join(_expression(phrase) for phrase in lists["phrases"])
    but = "|".join(plain(word) for word in lists["but"])
    return _Words(
        phrases=re.compile(f"{open_}(?:{phrases}){close}"),
        alone=frozenset(plain(word) for word in lists["alone"]),
        hedge=re.compile(rf"{open_}(?:{but}){close}.*\d"),
        heads=frozenset(head for head in heads if head[-1] != "*"),
        stems=frozenset(head[:STEM] for head in heads if head[-1] == "*"),
    )


def _heads(phrase: str) -> set[str]:
    """The first words that a phrase may have; a star behind those with further letters."""
    if not phrase.startswith("("):
        word, behind = re.match(r"([^ …()|?*$]*)(.?)", phrase).groups()  # type: ignore[union-attr]
        return {plain(word) + ("*" if behind in ("*", "(") else "")}
    depth = list(accumulate((c == "(") - (c == ")") for c in phrase))
    end = depth.index(0)
    starts = [1, *(place + 1 for place in range(end) if phrase[place] == "|" and depth[place] == 1)]
    rest = phrase[end + 1 :]
    choices = [phrase[a : b - 1] for a, b in zip(starts, [*starts[1:], end + 1], strict=True)]
    if rest.startswith("?"):
        rest, choices = rest[1:], [*choices, ""]
    return {head for choice in choices for head in _heads((choice + rest).lstrip())}


def _expression(phrase: str) -> str:
    """The regular expression of a phrase of the file."""
    pieces = re.split(r"( ?… ?|[()|?*$])", phrase)
    made = []
    for piece in pieces:
        if "…" in piece:
            made.append("[^.]{0,60}?" if piece == "…" else r"\b[^.]{0,60}?\b")
        elif piece == "(":
            made.append("(?:")
        elif piece == "*":
            made.append(r"\w*")
        elif piece == "$":
            made.append(r"(?= \.|$)")
        elif piece in (")", "|", "?"):
            made.append(piece)
        else:
            lead, tail = (
                piece[: len(piece) - len(piece.lstrip())],
                piece[len(piece.rstrip()) :] if piece.strip() else "",
            )
            made.append(lead + plain(piece) + tail)
    return "".join(made)
