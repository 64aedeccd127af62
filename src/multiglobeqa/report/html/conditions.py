"""All runs of a report as one table: which conditions they hold, and which single passes.

A *condition* is a run, model and tier; its seeds are averaged in tables. A *pass* is a condition at one seed: what a
single question was answered once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from multiglobeqa.report.metrics import DEFAULTS, GROUPS, JOINED, grouped
from multiglobeqa.report.scores import Run

TEXTS: Final = ("parsed", "reason", "rule", "text", "prompt")
"""Columns of the scores that the question browser shows; ``text`` is the raw reply. Absent ones are null."""
_KEYS: Final = ("run", "model", "tier")
_CODED: Final = pa.dictionary(pa.int32(), pa.string())


@dataclass(frozen=True)
class Pass:
    """One seed of one condition: ``label`` names it, ``condition`` is its condition's label."""

    label: str
    condition: str
    seed: int


@dataclass(frozen=True)
class Together:
    """``table``: the rows of all runs, joined to their questions, with ``condition`` and ``pass``; in the order of the
    runs."""

    table: pa.Table
    conditions: tuple[str, ...]
    passes: tuple[Pass, ...]


def together(runs: Sequence[Run]) -> Together | None:
    """One table of all runs; None without runs."""
    parts: list[pa.Table] = []
    passes: list[Pass] = []
    conditions: list[str] = []
    for run in runs:
        groups = grouped(run.table, _KEYS)
        labels = _labels(run.name, groups.keys, conditions)
        conditions += labels
        which = np.array(labels, object)[groups.codes] if labels else np.array([], object)
        table = _columns(run.table).append_column("condition", _coded(which))
        seeds = grouped(table, ("condition", "seed"))
        several = {label for label, _ in seeds.keys if sum(one == label for one, _ in seeds.keys) > 1}
        named = [
            Pass(f"{label}, seed {seed}" if label in several else label, label, seed)
            for label, seed in seeds.keys
        ]
        order = {label: place for place, label in enumerate(labels)}
        passes += sorted(named, key=lambda one: (order[one.condition], one.seed))
        label_of = np.array([one.label for one in named], object)
        parts.append(table.append_column("pass", _coded(label_of[seeds.codes] if named else which)))
    if not parts:
        return None
    return Together(pa.concat_tables(parts), tuple(conditions), tuple(passes))


def _labels(name: str, keys: Sequence[tuple[Any, ...]], taken: Sequence[str]) -> list[str]:
    """A short name for each (run, model, tier) of a file: of what tells them apart, else the run's name."""
    differ = [place for place in range(len(_KEYS)) if len({key[place] for key in keys}) > 1]
    labels = []
    for key in keys:
        told = [str(key[place]) for place in differ if key[place]]
        label = " ".join(told if 0 in differ or 1 in differ else [name, *told])
        if label in taken or label in labels:
            label = f"{name}: {label}" if label != name else name
        number, base = 2, label
        while label in taken or label in labels:
            label, number = f"{base} ({number})", number + 1
        labels.append(label)
    return labels


def _columns(table: pa.Table) -> pa.Table:
    """The columns ``JOINED`` and ``TEXTS``, each of one type whatever the file had."""
    columns = {}
    for name in (*JOINED, *TEXTS):
        column = table[name] if name in table.column_names else _nulls(table.num_rows, pa.string())
        columns[name] = pc.cast(column, _type_of(name))
    return pa.table(columns)


def _type_of(name: str) -> pa.DataType:
    if name in TEXTS or name == "id":
        return pa.string()
    if name in ("em", "ne"):
        return pa.float64()
    if name in ("premise", "carrier", "cap_hit"):
        return pa.bool_()
    if name in ("seed", "n_facts"):
        return pa.int64()
    if name in GROUPS:
        return _CODED
    return DEFAULTS[name][0]


def _nulls(size: int, kind: pa.DataType) -> pa.ChunkedArray:
    return pa.chunked_array([pa.nulls(size, kind)])


def _coded(values: Any) -> pa.ChunkedArray:
    coded = pa.array(values, pa.string()).dictionary_encode()
    return pa.chunked_array([pc.cast(coded, _CODED)])
