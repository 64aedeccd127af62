"""Gold triples a question, by income tier or any other group (paper, 5.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from multiglobeqa.errors import InputError
from multiglobeqa.report.metrics.groups import encoded, grouped

_LISTS = ("fact_ids", "triples")


@dataclass(frozen=True)
class GoldTriples:
    """True-premise questions of one group, each counted once, and their gold triples."""

    group: tuple[Any, ...]
    questions: int
    triples: int

    @property
    def mean(self) -> Fraction:
        """Gold triples a question."""
        return Fraction(self.triples, self.questions)


def gold_triples(table: pa.Table, by: Sequence[str] = ("income",)) -> list[GoldTriples]:
    """Gold triples a true-premise question in each group, sorted by group; a question in several languages counts
    once.

    ``table``: questions (``fact_ids``) or joined rows (``n_facts``). Raises InputError where neither is there or a
    count is null.
    """
    table = table.filter(table["premise"])
    codes, _ = encoded(table["id"], "id")
    _, first = np.unique(codes, return_index=True)
    table = table.take(pa.array(np.sort(first)))
    if "n_facts" in table.column_names:
        counts = table["n_facts"]
    elif named := [name for name in _LISTS if name in table.column_names]:
        counts = pc.list_value_length(table[named[0]])
    else:
        raise InputError("has no column 'n_facts' or 'fact_ids'.", source="questions")
    if counts.null_count:
        place = int(np.argmax(np.asarray(pc.is_null(counts))))
        raise InputError("has no facts.", source="questions", place=table["id"][place].as_py())
    groups = grouped(table, by)
    questions = np.bincount(groups.codes, minlength=len(groups)).tolist()
    total = np.bincount(
        groups.codes, weights=np.asarray(counts, dtype=np.float64), minlength=len(groups)
    ).tolist()
    return [GoldTriples(key, questions[at], int(total[at])) for at, key in enumerate(groups.keys)]
