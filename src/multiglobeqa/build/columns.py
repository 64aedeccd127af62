"""A column of the entity table by id, held as Arrow: a Python object for each of a planet's entities would not fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray


class Column(Mapping[int, Any]):
    """Values of entities 1 to n.

    Parameters
    ----------
    values : n values, in the order of the ids.
    present : (n,) which entities have an entry; by default all.
    """

    def __init__(self, values: pa.Array | pa.ChunkedArray, present: NDArray[np.bool_] | None = None) -> None:
        if pa.types.is_string(values.type):  # a plain string array ends at 2 GB
            values = values.cast(pa.large_string())
        self._values: pa.Array = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
        self._present = present

    def __getitem__(self, entity: int) -> Any:
        if not 1 <= entity <= len(self._values) or not (self._present is None or self._present[entity - 1]):
            raise KeyError(entity)
        return self._values[entity - 1].as_py()

    def __iter__(self) -> Iterator[int]:
        if self._present is None:
            return iter(range(1, len(self._values) + 1))
        return iter((np.flatnonzero(self._present) + 1).tolist())

    def __len__(self) -> int:
        return len(self._values) if self._present is None else int(self._present.sum())
