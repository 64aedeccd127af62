"""Wrong numbers among which the right one does not stand out.

Options are ranked on an axis (the logarithm of a number). For each rank that the gold may take, gaps between neighbours
are drawn at random, the same way below and above the gold, and the nearest real candidates are taken: stored slips
first, then golds of other questions. Which rank an item gets, and whether its gold is one of the two options nearest
to each other, is settled afterwards, so that over a file neither tells the gold (``even``).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter
from random import Random
from typing import Any, Final

TRIES: Final = 40
MISS: Final = 0.5
"""How far a candidate may lie from where it is wanted, as a share of the gap."""


Traits = tuple[int, bool]
_at: Final = attrgetter("at")


@dataclass(frozen=True)
class Candidate:
    """A wrong answer: its canonical value, its place on the axis, where it comes from ("slip:NAME" or "pool")."""

    value: Any
    at: float
    origin: str


@dataclass(frozen=True)
class Rungs:
    """The chosen wrong answers of one item with the gold at one rank (0: all are larger)."""

    rank: int
    chosen: tuple[Candidate, ...]
    paired: bool
    """Whether the gold is one of the two options nearest to each other."""

    @property
    def traits(self) -> Traits:
        """What must not tell the gold."""
        return self.rank, self.paired


def ladders(
    gold: float,
    candidates: Sequence[Candidate],
    wanted: int,
    gaps: tuple[float, float],
    far: Callable[[Candidate, Candidate | None], bool],
    random: Random,
) -> dict[Traits, Rungs]:
    """For each rank that can be had, with the gold in the nearest pair and not, the best set of ``wanted`` candidates.

    Parameters
    ----------
    gold : the gold's place on the axis.
    gaps : least and largest gap between neighbours, on the axis.
    far : whether a candidate is distinct from another, or from the gold (None).
    """
    usable = sorted((each for each in candidates if far(each, None)), key=lambda each: each.at)
    found: dict[Traits, tuple[tuple[int, float], Rungs]] = {}
    for rank in range(wanted + 1):
        for _ in range(TRIES):
            picked = _pick(gold, usable, rank, wanted, gaps, far, random)
            if picked is None:
                continue
            chosen, miss = picked
            rungs = Rungs(rank, chosen, _paired(gold, [each.at for each in chosen]))
            score = (-min(1, sum(each.origin != "pool" for each in chosen)), miss)
            if rungs.traits not in found or score < found[rungs.traits][0]:
                found[rungs.traits] = (score, rungs)
    return {traits: rungs for traits, (_, rungs) in found.items()}


def even(
    options: Mapping[str, Mapping[Traits, Rungs]], groups: Mapping[str, Hashable], width: int
) -> dict[str, Rungs]:
    """One set an item: in each group every rank is right equally often, and the gold in the nearest pair as often as
    chance has it (2 of ``width`` options). Items with fewest ranks choose first.

    Items that would give a rank more than an even share are left out.
    """
    members: dict[Hashable, list[str]] = defaultdict(list)
    for name, found in options.items():
        if found:
            members[groups[name]].append(name)
    weight = {True: 2 / width, False: max(1 - 2 / width, 1e-9)}
    chosen: dict[str, Rungs] = {}
    for names in members.values():
        ranks: Counter[int] = Counter()
        pairs: Counter[bool] = Counter()
        placed: dict[int, list[str]] = defaultdict(list)
        for name in sorted(
            names, key=lambda each: (len({rank for rank, _ in options[each]}), len(options[each]), each)
        ):
            rank, paired = min(
                options[name], key=lambda each: (ranks[each[0]], pairs[each[1]] / weight[each[1]], each)
            )
            ranks[rank] += 1
            pairs[paired] += 1
            placed[rank].append(name)
            chosen[name] = options[name][rank, paired]
        least = min(ranks[rank] for rank in range(width))
        for listed in placed.values():
            for name in listed[max(least, 1) + 1 :]:
                del chosen[name]
    return chosen


def _paired(gold: float, others: Sequence[float]) -> bool:
    places = sorted([gold, *others])
    gaps = [high - low for low, high in pairwise(places)]
    closest = gaps.index(min(gaps))
    return gold in places[closest : closest + 2]


def _pick(
    gold: float,
    usable: Sequence[Candidate],
    rank: int,
    wanted: int,
    gaps: tuple[float, float],
    far: Callable[[Candidate, Candidate | None], bool],
    random: Random,
) -> tuple[tuple[Candidate, ...], float] | None:
    """Candidates for drawn gaps, and how far they are from where they were wanted; None where one is lacking."""
    chosen: list[Candidate] = []
    missed = 0.0
    for sign, count in ((-1, rank), (1, wanted - rank)):
        at, last = gold, gold
        for _ in range(count):
            gap = random.uniform(*gaps)
            at = last + sign * gap
            start = bisect_left(usable, at - MISS * gap, key=_at)
            end = bisect_right(usable, at + MISS * gap, key=_at)
            fits = [
                each
                for each in usable[start:end]
                if sign * (each.at - last) > 0 and all(far(each, other) for other in chosen)
            ]
            if not fits:
                return None
            best = min(fits, key=lambda each: (each.origin == "pool", abs(each.at - at)))
            missed += abs(best.at - at) / gap
            chosen.append(best)
            last = best.at
    return tuple(chosen), missed
