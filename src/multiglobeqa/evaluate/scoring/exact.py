"""Scoring of formats that are right or wrong: truth values, labels, cells, geohashes; and dates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from multiglobeqa.answers import Reply, parse_value
from multiglobeqa.answers.date import TOLERANCE_DAYS, Date, precision
from multiglobeqa.answers.label import Label
from multiglobeqa.evaluate.scoring.block import Block, Item, Rows

_FILL: Final = {4: "-01-01", 7: "-01"}


def score_booleans(block: Block, rows: Rows) -> None:
    """Equal or not."""
    values = block.raw.value
    binary: dict[int, bool] = {}
    read: Rows = []
    for row in rows:
        item = block.items[row]
        if id(item) not in binary:
            binary[id(item)] = _binary(item)
        if (type(values[row]) is bool and binary[id(item)]) or block.parse(row):
            read.append(row)
    block.dump(read)
    for row in block.split(read):
        gold, value = block.items[row].gold, values[row]
        if type(gold) is bool and type(value) is bool:
            _exact(block, row, value is gold)
        else:
            block.compare(row)


def _binary(item: Item) -> bool:
    """Whether the question has two values."""
    return not item.answer_format.ternary(item.row)  # type: ignore[attr-defined]


def score_words(block: Block, rows: Rows) -> None:
    """Labels and geohashes: equal or not. A text is read once for each list of options."""
    _remembered(block, rows, lambda item: item.answer_format.options(item.row) if _is_label(item) else ())  # type: ignore[attr-defined]
    read = [row for row in rows if block.raw.status[row] == "answered"]
    block.dump(read)
    for row in block.split(read):
        _exact(block, row, block.raw.value[row] == block.items[row].gold)


def score_cells(block: Block, rows: Rows) -> None:
    """Cells and pairs of cells: equal, or a finer cell that earns credit."""
    from multiglobeqa.answers.cell import Cell, system_of

    def system(item: Item) -> Any:
        return system_of(item.row) if isinstance(item.answer_format, Cell) else ""

    _remembered(block, rows, system)
    read = [row for row in rows if block.raw.status[row] == "answered"]
    block.dump(read)
    for row in block.split(read):
        value, item = block.raw.value[row], block.items[row]
        right = value == item.gold or item.answer_format.distance(value, item.gold, item.row) == 0
        _exact(block, row, right)


def score_dates(block: Block, rows: Rows) -> None:
    """Days between the first days, at the gold's precision."""
    _remembered(block, rows, lambda item: Date().asked(item.row))
    read = [row for row in rows if block.raw.status[row] == "answered"]
    block.dump(read)
    plain = block.split(read)
    fine = [row for row in plain if len(block.raw.value[row]) >= len(block.items[row].gold)]
    if fine:
        golds = [block.items[row].gold for row in fine]
        cut = [block.raw.value[row][: len(gold)] for row, gold in zip(fine, golds, strict=True)]
        p, g = (
            np.array([day + _FILL.get(len(day), "") for day in side], "datetime64[D]")
            for side in (cut, golds)
        )
        d = np.abs((p - g).astype(np.int64)).astype(np.float64)
        block.put(fine, d, np.array([TOLERANCE_DAYS[precision(gold)] for gold in golds]))


def _exact(block: Block, row: int, right: bool) -> None:
    block.em[row], block.ne[row] = (1, 0.0) if right else (0, 1.0)


def _is_label(item: Item) -> bool:
    return isinstance(item.answer_format, Label)


def _remembered(block: Block, rows: Rows, facet: Callable[[Item], Any]) -> None:
    """``block.parse`` of answers that are texts, each text once for what it is read by: the facet of its question."""
    raw = block.raw
    known: dict[tuple[str, Any, str], Reply] = {}
    facets: dict[int, Any] = {}
    for row in rows:
        item, text = block.items[row], raw.value[row]
        if type(text) is not str or raw.rule[row] is not None or raw.reason[row]:
            block.parse(row)
            continue
        mark = id(item)
        if mark not in facets:
            facets[mark] = facet(item)
        key = (item.answer_format.name, facets[mark], text)
        reply = known.get(key)
        if reply is None:
            reply = known[key] = parse_value(Reply("answered", text), item.answer_format, item.row)
        if reply.status != "answered":
            block.refused[row] = text
        raw.status[row], raw.value[row], raw.reason[row], raw.rule[row] = (
            reply.status, reply.value, reply.reason, reply.rule,
        )  # fmt: skip
