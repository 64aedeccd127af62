"""Groups of rows: each row's group as a number, and the groups' values in sorted order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from multiglobeqa.errors import InputError

_DENSE: Final = 1 << 40


@dataclass(frozen=True)
class Grouping:
    """``keys``: the groups that have rows, sorted, None last; ``codes``: (n,) the place in ``keys`` of each row's
    group."""

    by: tuple[str, ...]
    keys: list[tuple[Any, ...]]
    codes: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.keys)


def grouped(table: pa.Table, by: Sequence[str]) -> Grouping:
    """The groups that the columns ``by`` make; no column makes one group of all rows, no row makes none.

    Raises InputError for a column that the table lacks and for a NaN among its values.
    """
    codes = np.zeros(table.num_rows, np.int64)
    values: list[list[Any]] = []
    radix: list[int] = []
    for column in by:
        if column not in table.column_names:
            raise InputError(
                f"has no column {column!r} to group by.",
                source="scores",
                mend=f"Columns: {', '.join(table.column_names)}.",
            )
        ranks, sorted_values = encoded(table[column], column)
        if math.prod(radix) * len(sorted_values) >= _DENSE:
            raise InputError("too many groups.", source="scores", mend="Name fewer columns.")
        codes = codes * len(sorted_values) + ranks
        values.append(sorted_values)
        radix.append(len(sorted_values))
    if not table.num_rows:
        return Grouping(tuple(by), [], codes)
    present, inverse = np.unique(codes, return_inverse=True)
    columns: list[list[Any]] = []
    for sorted_values, size in zip(reversed(values), reversed(radix), strict=True):
        columns.append([sorted_values[place] for place in (present % size).tolist()])
        present = present // size
    keys = list(zip(*reversed(columns), strict=True)) if columns else [()]
    return Grouping(tuple(by), keys, inverse.astype(np.int64, copy=False))


def encoded(column: pa.ChunkedArray, name: str = "") -> tuple[NDArray[np.int64], list[Any]]:
    """(n,) the rank of each value among the different values, and these sorted, None last."""
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    whole = column.unify_dictionaries().combine_chunks()
    if isinstance(whole, pa.ChunkedArray):  # no chunk, or several where one would overflow
        whole = pa.concat_arrays(whole.chunks) if whole.num_chunks else pa.array([], column.type)
    values = [*whole.dictionary.to_pylist(), None]
    codes = np.asarray(pc.fill_null(whole.indices, len(values) - 1), dtype=np.int64)
    used = np.flatnonzero(np.bincount(codes, minlength=len(values))).tolist()
    if any(isinstance(values[place], float) and math.isnan(values[place]) for place in used):
        raise InputError(f"column {name!r} holds NaN.", source="scores")
    rank = np.zeros(len(values), np.int64)
    different: list[Any] = []
    for place in sorted(used, key=lambda place: (values[place] is None, values[place])):
        if not different or values[place] != different[-1]:
            different.append(values[place])
        rank[place] = len(different) - 1
    return rank[codes], different
