"""Drawing the released tuples: up to N a stratum cell, seeded, balanced (TAXONOMY rule 14).

The order is a hash of seed, sub-template, entities and parameters, so a draw does not depend on the machine, on
threads or on the order in which an engine returned its rows.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Final

import numpy as np

from multiglobeqa.build.gold import Instance

QUOTA: Final = "beyond_cell_quota"
CLASSES: Final = "balance_classes"
CONSTANT: Final = "balance_constant_answer"
GUESS: Final = "guess_"
"""Columns of this prefix say whether a guess that reads no facts is right: "the month in which the storm began"."""
LABELLED: Final = ("boolean", "label")
TOLERANT: Final = ("distance", "area", "count", "ratio")
BOOLEAN_SHARE: Final = 0.55
LABEL_SLACK: Final = 0.03
CONSTANT_SHARE: Final = 0.20
SINGLE_MEMBER_SHARE: Final = 0.30
GUESS_SHARE: Final = 0.50
LEAST_OF_A_CLASS: Final = 10
POINT_KM: Final = 10.0
"""The scorer's tolerance of a point."""

Tolerance = Callable[[Instance], float]


def pick_of(found: Instance, seed: int, iri_of: Mapping[int, str]) -> str:
    """The place of an instance in the seeded order, a hexadecimal hash."""
    roles = {role: iri_of[entity] for role, entity in sorted(found.roles.items())}
    key = json.dumps([seed, found.sub.id, roles, found.params], sort_keys=True, default=str)
    return hashlib.blake2b(key.encode(), digest_size=16).hexdigest()


def draw(
    instances: Iterable[Instance], per_cell: int, tolerance: Tolerance
) -> tuple[list[Instance], Counter[str]]:
    """The drawn instances of one sub-template and KG, and what was left by cause.

    Causes: ``beyond_cell_quota`` (a cell had enough), and the balance rules that took a tuple out.
    """
    discards: Counter[str] = Counter()
    cells: dict[str, list[Instance]] = defaultdict(list)
    for found in instances:
        cells[found.cell].append(found)
    drawn: list[Instance] = []
    for cell in sorted(cells):
        ordered = _ordered(cells[cell])
        drawn += ordered[:per_cell]
        discards[QUOTA] += max(0, len(ordered) - per_cell)
    drawn, by_rule = _balanced(drawn, tolerance)
    return drawn, +(discards + by_rule)


def _balanced(drawn: list[Instance], tolerance: Tolerance) -> tuple[list[Instance], Counter[str]]:
    """The rules on the answers of one sub-template and KG."""
    discards: Counter[str] = Counter()
    for cause, rule in (
        ("balance_labels", _balance_labels),
        ("balance_single_member_sets", _balance_sets),
        ("balance_guesses", _balance_guesses),
        (CONSTANT, lambda rows: _balance_constant(rows, tolerance)),
    ):
        kept = rule(drawn)
        discards[cause] += len(drawn) - len(kept)
        drawn = kept
    return drawn, discards


def balance_classes(
    groups: list[list[Instance]], tolerance: Tolerance
) -> tuple[list[list[Instance]], list[Counter[str]]]:
    """No class makes up more than half of a family's questions in a stratum where another is there too.

    At least `LEAST_OF_A_CLASS` of a class stay: a share of a handful says nothing, and cutting to it empties strata.

    ``groups``: the drawn instances of each sub-template and KG. Taken out are the last drawn of the class, from the
    sub-template that holds most of it; then the rules on answers run again over what is left, until both hold.
    """
    discards: list[Counter[str]] = [Counter() for _ in groups]
    while True:
        gone = dict.fromkeys(_surplus_of_classes(groups), CLASSES)
        gone = gone or dict.fromkeys(_surplus_of_points(groups), CONSTANT)
        if not gone:
            return groups, discards
        for number, group in enumerate(groups):
            kept = [found for found in group if id(found) not in gone]
            discards[number].update(gone[id(found)] for found in group if id(found) in gone)
            groups[number], by_rule = _balanced(kept, tolerance)
            discards[number] += by_rule


def _surplus_of_points(groups: list[list[Instance]]) -> set[int]:
    """The ids of instances because of which one constant point would be right for more than 20 % of a sub-template's
    questions, over all KGs: towns of one extract lie within the tolerance of each other."""
    by_sub: dict[str, list[Instance]] = defaultdict(list)
    for group in groups:
        if group and group[0].sub.format == "point" and group[0].sub.constant_cap:
            by_sub[group[0].sub.id] += group
    gone: set[int] = set()
    for _, rows in sorted(by_sub.items()):
        lon, lat = (np.radians([found.gold[key] for found in rows]) for key in ("lon", "lat"))
        vectors = np.column_stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)])
        right = vectors @ vectors.T > np.cos(POINT_KM / 6371.0)
        live = np.ones(len(rows), dtype=bool)
        while True:
            hits = (right[:, live].sum(axis=1)) * live
            best = int(np.argmax(hits))
            if hits[best] <= max(1, int(CONSTANT_SHARE * live.sum() + 1e-9)):
                break
            last = max(np.flatnonzero(right[best] & live), key=lambda i: rows[i].pick)
            live[last] = False
            gone.add(id(rows[last]))
    return gone


def _surplus_of_classes(groups: list[list[Instance]]) -> set[int]:
    """The ids of instances beyond half of a family's in their stratum."""
    cells: dict[tuple[str, str], dict[str, list[tuple[int, Instance]]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for number, group in enumerate(groups):
        for found in group:
            if found.sub.stratified:
                cells[(found.sub.family, found.cell)][class_of(found)].append((number, found))
    gone: set[int] = set()
    for _, by_class in sorted(cells.items()):
        largest = max(sorted(by_class), key=lambda name: len(by_class[name]))
        others = sum(len(rows) for name, rows in by_class.items() if name != largest)
        remaining = list(by_class[largest])
        while others and len(remaining) > max(others, LEAST_OF_A_CLASS):
            sizes = Counter(number for number, _ in remaining)
            fullest = max(sorted(sizes), key=lambda number: sizes[number])
            position = max(i for i, (number, _) in enumerate(remaining) if number == fullest)
            gone.add(id(remaining.pop(position)[1]))
    return gone


def _ordered(rows: list[Instance]) -> list[Instance]:
    """Seeded order in which countries, then classes, take turns; labelled answers alternate."""
    ordered = by_turns(sorted(rows, key=lambda f: f.pick))
    if rows[0].sub.format in LABELLED:
        ordered = turns(ordered, lambda f: f.balance_key)
    return ordered


def by_turns(rows: list[Instance]) -> list[Instance]:
    """Rows reordered so that countries, and within them classes, take turns."""
    return turns(turns(rows, class_of), lambda f: str(f.row["_country"]))


def class_of(found: Instance) -> str:
    """The class that a question is about: the one it names, else its anchor's."""
    return str(found.params.get("class") or found.row["_class"])


def turns(rows: list[Instance], key: Callable[[Instance], str]) -> list[Instance]:
    """Stable round-robin over the values of ``key``; within a round the given order stays."""
    seen: Counter[str] = Counter()
    placed: list[tuple[int, int, Instance]] = []
    for position, found in enumerate(rows):
        value = key(found)
        placed.append((seen[value], position, found))
        seen[value] += 1
    return [found for _, _, found in sorted(placed, key=lambda item: item[:2])]


def _drop_last(rows: list[Instance], surplus: list[Instance], count: int) -> list[Instance]:
    """Remove ``count`` of ``surplus``: from the cells that hold most of them, the last drawn first."""
    remaining = list(surplus)
    gone: set[int] = set()
    for _ in range(count):
        sizes = Counter(found.cell for found in remaining)
        fullest = max(sorted(sizes), key=lambda cell: sizes[cell])
        position = max(i for i, found in enumerate(remaining) if found.cell == fullest)
        gone.add(id(remaining.pop(position)))
    return [found for found in rows if id(found) not in gone]


def _balance_labels(rows: list[Instance]) -> list[Instance]:
    """Booleans 45 to 55 % each way, labels within 3 points of uniform, the rarest too; one label alone is no question,
    and a ternary question needs all three."""
    if not rows or rows[0].sub.format not in LABELLED:
        return rows
    while rows:
        groups: dict[str, list[Instance]] = defaultdict(list)
        for found in rows:
            groups[found.balance_key].append(found)
        if len(groups) < (3 if rows[0].sub.format == "boolean" and isinstance(rows[0].gold, str) else 2):
            return []
        share = BOOLEAN_SHARE if len(groups) == 2 else 1 / len(groups) + LABEL_SLACK
        label = max(sorted(groups), key=lambda key: len(groups[key]))
        others = len(rows) - len(groups[label])
        allowed = max(1, int(others * share / (1 - share) + 1e-9))
        surplus = len(groups[label]) - allowed
        if surplus <= 0:
            least = min(len(group) for group in groups.values()) / len(rows)
            if len(groups) == 2 or least >= 1 / len(groups) - LABEL_SLACK - 1e-9:
                return rows
            surplus = 1
        rows = _drop_last(rows, groups[label], surplus)
    return rows


def _balance_sets(rows: list[Instance]) -> list[Instance]:
    """At most 30 % of the sets have one member."""
    if not rows or rows[0].sub.format != "set" or rows[0].sub.set_size[1] == 1:
        return rows
    single = [found for found in rows if len(found.answer_ids) == 1]
    others = len(rows) - len(single)
    allowed = int(others * SINGLE_MEMBER_SHARE / (1 - SINGLE_MEMBER_SHARE) + 1e-9)
    return _drop_last(rows, single, max(0, len(single) - allowed))


def _balance_guesses(rows: list[Instance]) -> list[Instance]:
    """No guess that a query tells of (`GUESS`) is right for more than half of the questions; those that several
    guesses get right go first."""
    names = sorted({name for found in rows for name in found.row if name.startswith(GUESS)})
    while names:
        right = {name: [found for found in rows if found.row.get(name)] for name in names}
        best = max(names, key=lambda name: len(right[name]))
        allowed = int((len(rows) - len(right[best])) * GUESS_SHARE / (1 - GUESS_SHARE) + 1e-9)
        surplus = len(right[best]) - allowed
        if surplus <= 0:
            break
        several = [found for found in right[best] if sum(bool(found.row.get(name)) for name in names) > 1]
        rows = _drop_last(rows, several or right[best], min(surplus, len(several) or surplus))
    return rows


def _balance_constant(rows: list[Instance], tolerance: Tolerance) -> list[Instance]:
    """No constant answer is right for more than 20 % of the questions (booleans and labels excepted)."""
    if not rows or rows[0].sub.format in LABELLED or not rows[0].sub.constant_cap:
        return rows
    while True:
        hits = _most_matched(rows, tolerance)
        allowed = max(1, int(CONSTANT_SHARE * len(rows) + 1e-9))
        if len(hits) <= allowed:
            return rows
        rows = _drop_last(rows, hits, 1)


def _most_matched(rows: list[Instance], tolerance: Tolerance) -> list[Instance]:
    """The instances that the best constant answer (one of the golds) would get right."""
    if rows[0].sub.format in TOLERANT:
        gold = np.array([float(found.gold) for found in rows])
        tau = np.array([tolerance(found) for found in rows])
        apart = np.abs(gold[:, None] - gold[None, :])
        right = (apart == 0) | (apart < tau[None, :])
        best = int(np.argmax(right.sum(axis=1)))
        return [found for found, hit in zip(rows, right[best], strict=True) if hit]
    groups: dict[str, list[Instance]] = defaultdict(list)
    for found in rows:
        groups[found.balance_key].append(found)
    return groups[max(sorted(groups), key=lambda key: len(groups[key]))]
