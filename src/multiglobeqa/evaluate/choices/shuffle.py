"""Orders of options that depend on a seed and nothing else, with the way back.

``shuffled`` draws each item's order from its id and the seed. ``balanced`` also spreads the right options evenly over
the letters: among items with equally many options each letter is right equally often, up to one. The forms of one
question in several languages (one id) get one order, so that a comparison of languages is not one of orders.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable
from random import Random

from multiglobeqa.evaluate.choices.items import Item


def generator(seed: int, *what: object) -> Random:
    """A generator that depends on the seed and on what is drawn, the same on every machine."""
    digest = hashlib.sha256("\x1f".join(map(str, (seed, *what))).encode("utf-8", "surrogatepass")).digest()
    return Random(int.from_bytes(digest[:8], "big"))


def shuffled(item: Item, seed: int) -> Item:
    """The item with its options in the order of its id and the seed."""
    order = list(range(len(item.options)))
    generator(seed, "order", family_of(item)).shuffle(order)
    return item.permuted(tuple(order))


def balanced(items: Iterable[Item], seed: int) -> list[Item]:
    """The items, each with its options in a new order, right options spread evenly over the letters.

    The order hangs on the id, the seed and the set of ids: another item may move the right option of one.
    """
    items = list(items)
    ids: dict[int, set[str]] = defaultdict(set)
    for item in items:
        ids[len(item.options)].add(family_of(item))
    targets: dict[tuple[int, str], int] = {}
    for count, names in ids.items():
        ranked = sorted(names, key=lambda name: (generator(seed, "rank", name).random(), name))
        for start in range(0, len(ranked), count):
            places = list(range(count))
            generator(seed, "block", count, start).shuffle(places)
            for name, place in zip(ranked[start:], places, strict=False):
                targets[count, name] = place
    return [_placed(item, targets[len(item.options), family_of(item)], seed) for item in items]


def family_of(item: Item) -> str:
    """What all forms of one question share: its id, or the id of the question whose control it is."""
    return item.control_of or item.id


def _placed(item: Item, place: int, seed: int) -> Item:
    others = [i for i in range(len(item.options)) if i != item.answer_index]
    generator(seed, "others", family_of(item)).shuffle(others)
    others.insert(place, item.answer_index)
    return item.permuted(tuple(others))
