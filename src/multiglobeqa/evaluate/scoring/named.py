"""Scoring of names and sets of names: keys folded and names resolved together."""

from __future__ import annotations

from collections import defaultdict

from multiglobeqa.answers import FormatError
from multiglobeqa.answers.names import same_name
from multiglobeqa.answers.resolution import MAX_NAME, read_name, stands_for_many
from multiglobeqa.answers.set import MAX_MEMBERS
from multiglobeqa.evaluate.scoring.block import Block, Rows


def score_entities(block: Block, rows: Rows) -> None:
    """Right where the name is the gold's as printed, or stands for an accepted entity and for no rival."""
    values = block.raw.value
    read: Rows = []
    for row in rows:
        if _is_clean(block, values[row]) or block.parse(row):
            read.append(row)
    block.dump(read)
    open_rows: dict[str, Rows] = defaultdict(list)
    for language, mine in by_language(block, block.split(read)).items():
        golds = [block.items[row].gold for row in mine]
        keys = block.keys([*(values[row] for row in mine), *golds], language)
        half = len(mine)
        for place, row in enumerate(mine):
            key, gold_key, value, gold = keys[place], keys[half + place], values[row], golds[place]
            if key == gold_key or (
                _capitals(key, gold_key, value, gold) and same_name(value, gold, language)
            ):
                block.em[row], block.ne[row] = 1, 0.0
            else:
                open_rows[block.items[row].kg].append(row)
    for kg, mine in open_rows.items():
        views = [block.view(row) for row in mine]
        found = stands_for_many([values[row] for row in mine], views, block.stores.get(kg))
        for row, entities in zip(mine, found, strict=True):
            block.em[row], block.ne[row] = (1, 0.0) if entities else (0, 1.0)


def score_sets(block: Block, rows: Rows) -> None:
    """1 - Jaccard; a set whose names are all printed in the gold is compared by keys, the others by their entities."""
    values = block.raw.value
    read: Rows = []
    for row in rows:
        value = values[row]
        if (
            type(value) is list
            and len(value) <= MAX_MEMBERS
            and all(_is_clean(block, name) for name in value)
        ):
            names = sorted(value)
            by_key: dict[str, str] = {}
            for key, name in zip(block.keys(names, block.languages[row]), names, strict=True):
                by_key.setdefault(key, name)
            values[row] = sorted(by_key.values())
            read.append(row)
        elif block.parse(row):
            read.append(row)
    block.dump(read)
    for language, mine in by_language(block, block.split(read)).items():
        block.keys([name for row in mine for name in (*values[row], *block.items[row].gold)], language)
        left = [row for row in mine if not _by_keys(block, row, language)]
        unknown: dict[str, list[str]] = defaultdict(list)
        for row in left:
            unknown[block.items[row].kg] += [*values[row], *_shorter(block.items[row].gold)]
        for kg, names in unknown.items():
            if kg in block.stores:
                block.stores[kg].announce(names, language)
        for row in left:
            item = block.items[row]
            d = item.answer_format.distance(values[row], item.gold, block.view(row))
            block.em[row], block.ne[row] = int(d == 0), d


def by_language(block: Block, rows: Rows) -> dict[str, Rows]:
    """Rows by the language of their replies."""
    found: dict[str, Rows] = defaultdict(list)
    for row in rows:
        found[block.languages[row]].append(row)
    return found


def _by_keys(block: Block, row: int, language: str) -> bool:
    """Score a set all of whose names have the key of a gold member; False where it has others."""
    names, gold = block.raw.value[row], block.items[row].gold
    printed = set(block.keys(gold, language))
    keys = block.keys(names, language)
    if not printed.issuperset(keys):
        return False
    upper = [name for name in (*names, *gold) if name.isupper()]
    if upper and not all(key.isascii() for key in (*keys, *printed)):
        return False
    met, size = len(set(keys)), len(printed)
    d = 1.0 - met / size if size else 0.0
    block.em[row], block.ne[row] = int(d == 0), d
    return True


def _shorter(gold: list[str]) -> list[str]:
    """Printed names, and the same without the contexts in brackets."""
    found = []
    for printed in gold:
        bracket = " ("
        while bracket:
            found.append(printed)
            printed, bracket, _ = printed.rpartition(" (")
    return found


def _capitals(key: str, gold_key: str, value: str, gold: str) -> bool:
    """Whether two names with different keys may be one name in capitals."""
    return not (key.isascii() and gold_key.isascii()) and (value.isupper() or gold.isupper())


def _is_clean(block: Block, value: object) -> bool:
    """Whether a value is a name that ``read_name`` gives back as it is."""
    if type(value) is not str or not 0 < len(value) <= MAX_NAME:
        return False
    if value.isascii():
        return value.isprintable() and value[0] != " " and value[-1] != " " and "  " not in value
    if value not in block.clean:
        try:
            block.clean[value] = read_name(value) == value
        except FormatError:
            block.clean[value] = False
    return block.clean[value]
