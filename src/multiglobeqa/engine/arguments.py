"""Reading operator arguments: relations of ids, pairs and triples of ids."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from multiglobeqa.engine.contract import Engine, Ids
from multiglobeqa.errors import EngineError


def relation(value: str) -> str:
    """A relation argument as SQL that can stand after FROM."""
    text = value.strip()
    return text if text.isidentifier() else f"({text}) AS relation"


def select(value: str, columns: str = "id") -> str:
    """A relation argument as a SELECT of the named columns."""
    return f"SELECT {columns} FROM {relation(value)}"


def column_ids(table: pa.Table, column: str) -> Ids:
    """A column of entity ids as int64; nulls are an error of the template."""
    values = table[column]
    if values.null_count:
        raise EngineError(f"column {column} of an operator's input holds nulls; filter them in the template.")
    return np.asarray(values.to_numpy(), dtype=np.int64)


def ids(engine: Engine, arguments: Mapping[str, Any], name: str) -> Ids:
    """Distinct ids of the relation argument ``name``, ascending."""
    table = engine.query(f"SELECT DISTINCT id FROM {relation(required(arguments, name))} ORDER BY id")
    return column_ids(table, "id")


def id_columns(
    engine: Engine, arguments: Mapping[str, Any], name: str, columns: tuple[str, ...]
) -> tuple[Ids, ...]:
    """Distinct rows of the relation argument ``name``: one id array a column, rows ascending."""
    listed = ", ".join(columns)
    table = engine.query(
        f"SELECT DISTINCT {listed} FROM {relation(required(arguments, name))} ORDER BY {listed}"
    )
    return tuple(column_ids(table, column) for column in columns)


def required(arguments: Mapping[str, Any], name: str) -> Any:
    """An argument that the operator cannot do without."""
    if name not in arguments:
        raise EngineError(f"operator argument {name!r} is missing.")
    return arguments[name]


_KINDS: WeakKeyDictionary[Engine, tuple[list[str], NDArray[np.int8]]] = WeakKeyDictionary()
"""Of each engine the names of kinds and, by entity id, which one: a byte an entity."""


def kinds(engine: Engine, wanted: Ids) -> set[str]:
    """The kinds of geometry (point, line, surface) that occur among ids."""
    if engine not in _KINDS:
        encoded = (
            engine.query("SELECT kind FROM entity ORDER BY id")["kind"].combine_chunks().dictionary_encode()
        )
        codes = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int8)
        _KINDS[engine] = encoded.dictionary.to_pylist(), codes
    names, code = _KINDS[engine]
    known = wanted[(wanted >= 1) & (wanted <= len(code))]
    return {names[i] for i in np.unique(code[known - 1]).tolist()}


def pair_table(left: Ids, right: Ids, **columns: Any) -> pa.Table:
    """A table of pairs (left_id, right_id, further columns)."""
    return pa.table({"left_id": left, "right_id": right, **columns})
