"""Reading the option that a text names: its text first, then its letter or number.

A line names an option where it is, quotes, brackets and emphasis aside,

1. the option's text as printed (case, accents' forms and punctuation as ``names.fold`` has them; a number also in the
   writing of the question's language),
2. its letter or number, alone ("(b)", "option 2", "选项B", "الف"),
3. both ("B. Kisumu", "Kisumu (B)"): where they disagree the text counts and the reading is flagged,
4. one of these and, behind a mark or a word like "because" or "is correct", more text.

Of a longer text counts: the last answer that is announced ("The answer is ..", ``\\boxed{}``) or else the first line
that is not blank or else the last one. Lines that copy the list of options are skipped. A letter inside a sentence,
one that shares its line with another ("A or B"), and an option that a sentence merely mentions are no answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from multiglobeqa.answers.base import FormatError
from multiglobeqa.answers.choice_words import WRAPS, plain, words
from multiglobeqa.answers.names import fold
from multiglobeqa.answers.numbers import read_number
from multiglobeqa.answers.option_letters import Mark, letter, number_of, place_of
from multiglobeqa.answers.rules import note, noted
from multiglobeqa.answers.text import ascii_digits

MAX_LINE: Final = 1000
MAX_LINES: Final = 60
MAX_WORDS: Final = 6
MOST: Final = 1e15
DISAGREE: Final = "choice: text and letter disagree, the text counts"
"""The flag of a reply whose text and letter stand for different options."""
SEVERAL: Final = "choice: the last of several announced answers"

_MARKS: Final = ".,:;!。、،؛۔…-–—="
_BOXED: Final = re.compile(r"\\boxed\s*\{([^{}]{0,200})\}")
_BEHIND: Final = re.compile(
    r"""\s*(?:[.):,;!\]}>*`|=。、،؛۔…】〕」』》〉]|["'“”’»\-–—](?!\w))|\s+[\-–—(\[]"""
)
_END: Final = re.compile(r"\s*(?:[.!;:؛۔…](?!\w)|[。!])|\s+[\-–—]\s")
_OTHER: Final = re.compile(
    r"(?:^|[\s(,/&])(?P<mark>[A-Z]{1,2}|[^\W\d_a-zA-Z])(?=[).:,/]|\s*$)|\((?P<small>[a-z])\)"
)


@dataclass(frozen=True)
class Found:
    """What one line names: an option by its text, by its letter or number, or both."""

    text: int | None
    mark: Mark | None = None

    @property
    def place(self) -> int:
        """The option that counts, from 0."""
        return self.text if self.text is not None else self.mark.place  # type: ignore[union-attr]

    @property
    def agrees(self) -> bool:
        """Whether text and letter, if both are there, stand for one option."""
        return self.text is None or self.mark is None or self.text == self.mark.place


class Reader:
    """Reads texts for one list of options.

    Parameters
    ----------
    options : their texts, in order; none of them blank.
    language : ISO 639-3 code of the question's language; any code is accepted.
    labels : the question's own labels, where they are not A, B, C, ...
    """

    def __init__(self, options: Sequence[str], language: str = "eng", labels: Sequence[str] = ()) -> None:
        self.options, self.language, self.labels = tuple(options), language, tuple(labels)
        self._keys = [key(option, language) for option in self.options]
        self._plain = [plain(option).casefold() for option in self.options]
        self._numbers = [_quantity(option, language) for option in self.options]
        self._numeric = any(number is not None for number in self._numbers)

    def read(self, text: str) -> int:
        """The option that a text names; raises FormatError where it names none, or more than one."""
        place = self._text(text)
        if place is not None:
            return place
        lines = self._lines(text)
        found = [each for line in lines for each in self._announced(line)]
        if found:
            if len({each.place for each in found}) > 1:
                note(SEVERAL)
            return self._settled(found[-1])
        ends = [self._line(line) for line in dict.fromkeys((lines[0], lines[-1]))] if lines else []
        read = [each for each in ends if each is not None]
        if len({each.place for each in read}) == 1:
            return self._settled(read[0])
        last = letter(len(self.options) - 1)
        raise FormatError(
            "The reply names " + ("two options." if read else "no option."),
            mend=f"Answer with one letter, A to {last}, or one option's text.",
        )

    def number(self, value: float) -> int | None:
        """The option that a JSON number stands for: the option with this number, else the option of this number."""
        if not abs(value) < MOST:
            return None
        value = int(value) if value == int(value) else value
        place = self._text(str(value))
        if place is None and not self._numeric:
            place = number_of(str(value), len(self.options))
        return place

    def _settled(self, found: Found) -> int:
        if not found.agrees:
            note(DISAGREE)
        elif found.text is None and found.mark is not None and found.mark.rule is not None:
            note(found.mark.rule)
        return found.place

    def _lines(self, text: str) -> list[str]:
        """The lines that may answer: not blank, not the options copied out."""
        lines = [line for line in map(plain, text.splitlines()) if line.strip(WRAPS + _MARKS)]
        if len(lines) > 2 * MAX_LINES:
            lines = lines[:MAX_LINES] + lines[-MAX_LINES:]
        lines = [line[:MAX_LINE] for line in lines]
        copies: dict[int, int] = {}
        for number, line in enumerate(lines):
            found = self._line(line)
            if found is not None and found.text is not None and found.mark is not None and found.agrees:
                copies.setdefault(found.text, number)
        listed = set(copies.values()) if len(copies) > 1 else ()
        return [line for number, line in enumerate(lines) if number not in listed]

    def _announced(self, line: str) -> Iterator[Found]:
        boxed = _BOXED.findall(line)
        if boxed:
            found = self._line(boxed[-1])
            if found is not None:
                yield found
                return
        for match in words().answer.finditer(line):
            rest = line[match.end() :]
            for _ in range(MAX_WORDS):
                found = self._line(rest)
                if found is not None:
                    yield found
                    break
                linked = words().be.match(rest)
                if linked is None:
                    break
                rest = rest[linked.end() :]

    def _line(self, line: str) -> Found | None:
        """What a line names, without announcement."""
        bare = line.strip(WRAPS)
        place = self._text(bare)
        if place is not None:
            return Found(place)
        return self._letter_first(line) or self._text_first(bare)

    def _letter_first(self, line: str) -> Found | None:
        match = words().head.match(line)
        if match is None:
            return None
        mark, rest = self._mark(match["mark"], worded=match["word"] is not None), match["rest"]
        if mark is None:
            return None
        behind = _BEHIND.match(rest)
        text = self._text(rest.strip(WRAPS + _MARKS)) if rest.strip() else None
        if text is not None and (behind or rest[0].isspace()):
            return Found(text, mark)
        if not rest.strip(WRAPS) or behind or words().tail.match(rest):
            return None if self._another(rest, mark.place) else Found(None, mark)
        return None

    def _text_first(self, bare: str) -> Found | None:
        """ "Kisumu (B)", "Kisumu, option B", "Kisumu. It lies ..", "Kisumu because .." """
        match = words().foot.match(bare)
        if match is not None:
            text = self._text(match["text"].strip(WRAPS + _MARKS))
            mark = self._mark(match["mark"], worded=True)
            if text is not None and mark is not None:
                return Found(text, mark)
        lower = bare.casefold()
        starts = [
            place
            for place, option in enumerate(self._plain)
            if lower.startswith(option)
            and (_END.match(lower[len(option) :]) or words().tail.match(lower[len(option) :]))
        ]
        return Found(max(starts, key=lambda place: len(self._plain[place]))) if starts else None

    def _mark(self, mark: str, *, worded: bool) -> Mark | None:
        """The option of a letter; of a number only where no option is a number, or a word announces it."""
        count = len(self.options)
        if mark.isdecimal() or mark in "一二三四五六七八九十":
            place = number_of(mark, count) if worded or not self._numeric else None
            return None if place is None else Mark(place)
        return place_of(mark, count, self.language, self.labels)

    def _another(self, rest: str, place: int) -> bool:
        """Whether the rest of a line names another letter as an answer is named."""
        for match in _OTHER.finditer(rest):
            mark = match["mark"] or match["small"]
            other = place_of(mark, len(self.options), self.language, self.labels)
            if other is not None and other.place != place:
                return True
        return False

    def _text(self, text: str) -> int | None:
        """The option whose text this is: as printed, folded, or as the same number."""
        if text in self.options:
            return self.options.index(text)
        if len(text) > MAX_LINE:
            return None
        own = key(text, self.language)
        if own and own in self._keys:
            return self._keys.index(own)
        return self._same_number(text) if self._numeric else None

    def _same_number(self, text: str) -> int | None:
        """The one option that is this number in this unit; a number without a unit is in the options'."""
        quantity = _quantity(text, self.language)
        if quantity is None:
            return None
        number, unit = quantity
        same = [
            place
            for place, own in enumerate(self._numbers)
            if own and own[0] == number and unit in ("", own[1])
        ]
        return same[0] if len(same) == 1 else None


def key(text: str, language: str) -> str:
    """What equal option texts share. Texts with digits keep their signs and marks, which ``fold`` drops."""
    own = plain(text)
    if not any(c.isdigit() for c in own):
        return fold(own, language) if own.strip() else ""
    own = ascii_digits(own).casefold().strip(WRAPS)
    own = own.rstrip(WRAPS + _MARKS).lstrip(WRAPS + ".,:;!。、،؛۔…=")
    return re.sub(r"\s+", " ", re.sub("[−–—‐‑]", "-", own))


def _quantity(text: str, language: str) -> tuple[float, str] | None:
    """A number and what is behind it; None for other texts."""
    with noted():  # which option is meant does not hang on how its number was written
        try:
            number, unit = read_number(text.strip(WRAPS), language)
        except FormatError:
            return None
    return number, fold(unit, language) if unit else ""
