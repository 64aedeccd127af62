"""How sure a model was: log-probabilities renormalised over a question's options.

``logprobs`` of a reply is one of

- an object, letter or option text -> log-probability: {"A": -0.2, "B": -2.1};
- a list of numbers, one an option in the order asked (log-likelihoods of the options' texts);
- a list of {"token", "logprob"}, the most probable first tokens: " B", "B" and "(b" are one letter, their
  probabilities are added.

An option that is not listed gets probability 0, and the result says so.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from multiglobeqa.answers.choice_text import key
from multiglobeqa.answers.option_letters import place_of
from multiglobeqa.errors import InputError
from multiglobeqa.evaluate.choices.items import Item


@dataclass(frozen=True)
class Probabilities:
    """Probabilities of the options, which add up to 1.

    ``mass`` is what they had together before, None where the numbers are no log-probabilities (one above 0);
    ``unlisted`` says how many options had none.
    """

    values: tuple[float, ...]
    mass: float | None
    unlisted: int

    @property
    def best(self) -> int | None:
        """The most probable option; None where two are equally so."""
        top = max(self.values)
        return self.values.index(top) if self.values.count(top) == 1 else None


def probabilities(logprobs: Any, item: Item) -> Probabilities | None:
    """The probabilities of an item's options; None where ``logprobs`` names none of them.

    p_i = exp(l_i) / sum_j exp(l_j) over the options. Raises InputError where it is of no known form.
    """
    sums = np.full(len(item.options), -np.inf)
    for place, value in _entries(logprobs, item):
        sums[place] = np.logaddexp(sums[place], value)
    top = sums.max()
    if top == -np.inf:
        return None
    weights = np.exp(sums - top)
    shares = weights / weights.sum()
    mass = float(np.exp(sums).sum()) if top <= 0 else None
    return Probabilities(
        tuple(shares.tolist()),
        mass if mass is None or mass <= 1 + 1e-6 else None,
        int(np.isneginf(sums).sum()),
    )


def stated(value: Any, item: Item) -> float | None:
    """A confidence that a reply states, in [0, 1]; None where it states none. Raises InputError for anything else."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InputError(
            f"the confidence {value!r} is no number from 0 to 1.", source="replies", place=item.id
        )
    return float(value)


def _entries(logprobs: Any, item: Item) -> Iterator[tuple[int, float]]:
    if isinstance(logprobs, Mapping):
        pairs = list(logprobs.items())
    elif isinstance(logprobs, list) and logprobs and all(isinstance(each, Mapping) for each in logprobs):
        pairs = [(each.get("token"), each.get("logprob")) for each in logprobs]
    elif isinstance(logprobs, list) and len(logprobs) == len(item.options):
        yield from enumerate(_number(value, item) for value in logprobs)
        return
    else:
        raise InputError(
            "the logprobs are neither an object, nor one number an option, nor a list of tokens.",
            source="replies",
            place=item.id,
        )
    texts = [key(option, item.language.code) for option in item.options]
    for name, value in pairs:
        place = _option(str(name), item, texts)
        if place is not None:
            yield place, _number(value, item)


def _option(token: str, item: Item, texts: list[str]) -> int | None:
    own = key(token, item.language.code)
    if own and own in texts:
        return texts.index(own)
    mark = place_of(
        token.strip(" \t\n()[].:*\u2581\u0120"), len(item.options), item.language.code, item.labels
    )
    return mark.place if mark else None


def _number(value: Any, item: Item) -> float:
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or math.isnan(value)
        or value == math.inf
    ):
        raise InputError(f"the log-probability {value!r} is no number.", source="replies", place=item.id)
    return float(value)
