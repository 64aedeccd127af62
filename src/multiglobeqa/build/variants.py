"""The variants of a benchmark: ``large`` is all of it, ``small`` a fixed subset.

The small variant is drawn in cells. A cell is a KG and family of the text questions, or a KG's image slice; it gives
up to 200 questions (paper, section 3.7: up to 200 per KG and family; there 5,636 text and 280 image questions). In a
cell the sub-templates take turns, and each gives its questions in the order of a hash of their ids, the first with a
true and the first with a false premise before all others. So every sub-template of a cell is present, with both
premises where it has both, and the shares of premises and strata within a sub-template are those of the whole, by
chance.

How stable it is: when questions are added, each question that leaves the small variant makes room for an added one of
its own cell; no question that was left out before comes in. When questions are taken away, the reverse. This holds
where a cell has at most 100 sub-templates (each then gets its first two turns).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

QUOTA: Final = 200
"""Most questions of a cell."""

VARIANTS: Final = ("large", "small")
_COLUMNS: Final = ("id", "kg", "family", "subtemplate", "language", "premise", "modality")
_SALT: Final = b"multiglobeqa small "


def small(table: pa.Table, *, quota: int = QUOTA) -> pa.Table:
    """The small variant of a table of ``build.schema.QUESTION_SCHEMA`` (further columns may stand beside).

    A translation has the id of its English original and goes with it: the draw is made among the English questions,
    then, in each further language, among those whose id no earlier language has. Rows keep their order.
    """
    return table.filter(pa.array(chosen(table, quota=quota)))


def chosen(table: pa.Table, *, quota: int = QUOTA) -> NDArray[np.bool_]:
    """(n,) which rows are in the small variant."""
    columns = {name: _values(table, name) for name in _COLUMNS}
    taken: set[str] = set()
    met: set[str] = set()
    for language in sorted(set(columns["language"]), key=lambda code: (code != "eng", code)):
        pool = np.flatnonzero(columns["language"] == language)
        pool = pool[[identity not in met for identity in columns["id"][pool]]]
        taken.update(columns["id"][pool[_draw({k: v[pool] for k, v in columns.items()}, quota)]].tolist())
        met.update(columns["id"][pool].tolist())
    return np.fromiter((identity in taken for identity in columns["id"]), bool, table.num_rows)


def _draw(columns: dict[str, NDArray[Any]], quota: int) -> NDArray[np.bool_]:
    """(n,) which questions of one language are drawn."""
    ids = columns["id"]
    rank = _ordinal([_hash(identity) for identity in ids], ids)
    image = columns["modality"] == "image"
    cell = _codes(columns["kg"], np.where(image, "", columns["family"]), image)
    group = _codes(cell, columns["subtemplate"])
    # The first true and the first false premise of a sub-template go before its others.
    first = _place(rank, _codes(group, columns["premise"])) == 0
    turn = _place(_ordinal((~first).tolist(), rank), group)
    return _place(_ordinal(turn, rank), cell) < quota


def _hash(identity: str) -> int:
    return int.from_bytes(hashlib.sha256(_SALT + identity.encode()).digest()[:8])


def _ordinal(*keys: Sequence[Any] | NDArray[Any]) -> NDArray[np.int64]:
    """(n,) position of each row when sorted by the keys, the first key first."""
    order = np.lexsort([np.asarray(key) for key in reversed(keys)])
    out = np.empty(len(order), np.int64)
    out[order] = np.arange(len(order))
    return out


def _place(ordinal: NDArray[np.int64], group: NDArray[np.int64]) -> NDArray[np.int64]:
    """(n,) rank of each row within its group, from 0, by ``ordinal``."""
    order = np.lexsort((ordinal, group))
    sorted_group = group[order]
    starts = np.flatnonzero(np.r_[True, sorted_group[1:] != sorted_group[:-1]]) if len(order) else order
    sizes = np.diff(np.r_[starts, len(order)])
    out = np.empty(len(order), np.int64)
    out[order] = np.arange(len(order)) - np.repeat(starts, sizes)
    return out


def _codes(*keys: NDArray[Any]) -> NDArray[np.int64]:
    """(n,) a number for each distinct combination of keys."""
    codes = np.zeros(len(keys[0]), np.int64)
    for key in keys:
        values, inverse = np.unique(key, return_inverse=True)
        _, codes = np.unique(codes * max(len(values), 1) + inverse, return_inverse=True)
    return codes


def _values(table: pa.Table, name: str) -> NDArray[Any]:
    column = table[name]
    if pa.types.is_boolean(column.type):
        return np.asarray(pc.cast(column, pa.int8()))
    return np.asarray(column.to_pylist(), dtype=np.str_)
