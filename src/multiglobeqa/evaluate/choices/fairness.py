"""What can be had from the options alone: guesses that know nothing, over a file of questions.

In a fair file each guess is right about as often as chance. A guess that is not points at how the wrong options were
made.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np
from numpy.typing import NDArray

from multiglobeqa.answers.option_letters import letter
from multiglobeqa.evaluate.choices.distractors import repeated
from multiglobeqa.evaluate.choices.items import Item
from multiglobeqa.report.metrics import wilson

_DATE: Final = re.compile(r"\d{4}(?:-\d\d){0,2}")
_NUMBER: Final = re.compile(r"-?\d+(?:\.\d+)?")
Floats = NDArray[np.float64]
Guess = Callable[[Item], Sequence[int]]
"""The options a guess would choose among, evenly; none where it does not apply."""


@dataclass(frozen=True)
class GuessScore:
    """One guess: the expected share of right answers over the items it applies to, with a Wilson interval.

    The intervals of all guesses hold together with 95 % (Bonferroni).

    ``chance`` is the mean of 1 / options over the same items.
    """

    guess: str
    items: int
    share: float
    low: float
    high: float
    chance: float

    @property
    def telling(self) -> bool:
        """Whether the interval lies above chance."""
        return self.low > self.chance


def fairness(items: Sequence[Item]) -> list[GuessScore]:
    """The score of every guess that applies to an item, in a fixed order."""
    width = max((len(item.options) for item in items), default=0)
    popular = Counter(option for item in items for option in set(item.options))
    right = Counter(item.answer for item in items)
    guesses: dict[str, Guess] = {
        **{f"always {letter(place)}": _always(place) for place in range(width)},
        "longest option": lambda item: _most([len(option) for option in item.options]),
        "shortest option": lambda item: _most([-len(option) for option in item.options]),
        "most digits": lambda item: _most(
            [sum(c.isdigit() for c in option) for option in item.options], apart=True
        ),
        "most words of the question": lambda item: _most(_shared(item), apart=True),
        "most like the others": lambda item: _most(_likeness(item)),
        "least like the others": lambda item: _most([-value for value in _likeness(item)]),
        "one of the most alike pair": _pair,
        "largest number": lambda item: _numeric(item, lambda values: values),
        "smallest number": lambda item: _numeric(item, lambda values: -values),
        "number nearest the middle": lambda item: _numeric(
            item, lambda values: -np.abs(values - np.median(values))
        ),
        "number nearest another": lambda item: _numeric(item, _nearest),
        "most frequent option": lambda item: _most([popular[option] for option in item.options], apart=True),
        "least frequent option": lambda item: _most(
            [-popular[option] for option in item.options], apart=True
        ),
        # without the item itself
        "most frequent answer": lambda item: _most(
            [right[option] - (option == item.answer) for option in item.options], apart=True
        ),
        "answer of no other question": lambda item: _most(
            [-min(1, right[option] - (option == item.answer)) for option in item.options], apart=True
        ),
    }
    level = 1 - 0.05 / len(guesses)
    found = (_scored(name, guess, items, level) for name, guess in guesses.items())
    return [score for score in found if score is not None]


def _scored(name: str, guess: Guess, items: Sequence[Item], level: float) -> GuessScore | None:
    hit, chance, count = Fraction(), Fraction(), 0
    for item in items:
        places = guess(item)
        if places:
            count += 1
            hit += Fraction(sum(place == item.answer_index for place in places), len(places))
            chance += Fraction(1, len(item.options))
    if not count:
        return None
    share = float(hit / count)
    return GuessScore(name, count, share, *wilson(share, count, level), float(chance / count))


def _always(place: int) -> Guess:
    return lambda item: [place] if place < len(item.options) else []


def _most(values: Sequence[float], *, apart: bool = False) -> list[int]:
    """Places of the largest value; with ``apart`` none where all are equal."""
    top = max(values)
    return (
        [] if apart and min(values) == top else [place for place, value in enumerate(values) if value == top]
    )


def _shared(item: Item) -> list[float]:
    return [repeated(option, item.question) for option in item.options]


def _trigrams(text: str) -> set[str]:
    text = f"  {text.casefold()} "
    return {text[i : i + 3] for i in range(len(text) - 2)}


def _alike(item: Item) -> Floats:
    grams = [_trigrams(option) for option in item.options]
    count = len(grams)
    table = np.zeros((count, count))
    for i in range(count):
        for j in range(i):
            table[i, j] = table[j, i] = len(grams[i] & grams[j]) / len(grams[i] | grams[j])
    return table


def _likeness(item: Item) -> list[float]:
    return [float(value) for value in _alike(item).sum(axis=0)]


def _pair(item: Item) -> list[int]:
    table = _alike(item)
    top = table.max()
    return [place for place in range(len(table)) if table[place].max() == top] if top > 0 else []


def _numeric(
    item: Item,
    value_of: Callable[[Floats], Floats],
) -> list[int]:
    """Over the options that hold exactly one number each, by its logarithm, or that are dates; none where not."""
    if all(_DATE.fullmatch(option) for option in item.options):
        values = np.array([float((option + "-01-01")[:10].replace("-", "")) for option in item.options])
    else:
        numbers = [_NUMBER.findall(option) for option in item.options]
        if any(len(found) != 1 or not float(found[0]) > 0 for found in numbers):
            return []
        values = np.log([float(found[0]) for found in numbers])
    return _most([round(float(value), 9) for value in value_of(values)])


def _nearest(
    values: Floats,
) -> Floats:
    gaps = np.abs(values[:, None] - values[None, :])
    np.fill_diagonal(gaps, np.inf)
    return np.asarray(-gaps.min(axis=1))
