"""The diagnosis of wrong answers, by ``answers.diagnosis``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from multiglobeqa.answers.diagnosis import diagnose
from multiglobeqa.answers.diagnosis.many import MAJORITY_FORMATS, findings, say_majority
from multiglobeqa.evaluate.scoring.block import Block, Rows


def diagnoses(block: Block, golds: Mapping[str, Any]) -> list[str | None]:
    """(n,) the key of each wrong answer's diagnosis, of answers to false premises, and of answers that their format
    refuses where it shows what was meant; None for all else.

    ``golds``: ``answers.diagnosis.many.majorities`` of the whole benchmark.
    """
    raw, items = block.raw, block.items
    keys: list[str | None] = [None] * len(items)
    groups: defaultdict[tuple[str, str], Rows] = defaultdict(list)
    for row, status in enumerate(raw.status):
        if status == "answered" and not block.em[row]:
            groups[items[row].answer_format.name, items[row].kg].append(row)
    for (name, kg), rows in groups.items():
        questions, values = [items[row].row for row in rows], [raw.value[row] for row in rows]
        languages = [block.languages[row] for row in rows]
        found = findings(name, questions, values, languages=languages, names=block.stores.get(kg))
        if name in MAJORITY_FORMATS:
            say_majority(found, questions, values, golds)
        for row, key in zip(rows, found.keys.tolist(), strict=True):
            keys[row] = key
    for row, value in block.refused.items():
        if items[row].premise and value is not None:
            said = diagnose(block.view(row), items[row].answer_format, value)
            keys[row] = said.key if said is not None else None
    return keys
