"""The arrays of an alias index, made of a label table.

Arrays: ``iris``, ``default``, ``turkic`` and ``capitals``, each a ``keys.KeyTable``; beside the last three
``starts`` and ``values``: the postings of each key. A posting is the number of an IRI, shifted by ``FLAG_BITS``,
and flags of the labels that gave it. ``turkic`` holds the labels that a Turkic language folds to another key than
the others do, ``capitals`` those whose capitals fold to another key.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from multiglobeqa.answers.keys import KeyTable
from multiglobeqa.answers.names import CAPITALS_LOSE, fold_capitals, fold_many
from multiglobeqa.errors import InputError

NAME: Final = 1
"""Flag: the label is a name, not an alias."""
TURKIC_TOO: Final = 2
"""Flag: a Turkic language folds the label to this key too."""
CAPITALS: Final = 4
"""Flag: the label is written all in capitals."""
FLAG_BITS: Final = 3

Arrays = dict[str, NDArray[Any]]


def arrays_of(labels: pa.Table) -> Arrays:
    """Arrays of a table with the columns iri, label and kind; raises InputError where a value is missing."""
    for name in ("iri", "label", "kind"):
        if labels.column(name).null_count:
            raise InputError(f"the column {name} has a row without a value.", source="labels")
    iris, iri_of_row = _distinct(labels.column("iri"))
    texts, text_of_row = _distinct(labels.column("label"))
    table, numbers = KeyTable.build(iris)
    iri_of_row = numbers[iri_of_row]
    is_name = _flags(pc.equal(labels.column("kind").cast(pa.string()), "name"))
    keys = _folded(texts)
    in_turkic, turkic_keys = _turkic(texts, keys)
    same = np.ones(len(texts), bool)
    same[in_turkic] = _flags(pc.equal(turkic_keys, keys.take(pa.array(in_turkic))))
    turkic_keys = turkic_keys.filter(pa.array(~same[in_turkic]))
    upper = _flags(pc.utf8_is_upper(texts))
    flags = (is_name * NAME) | (same * TURKIC_TOO | upper * CAPITALS)[text_of_row]
    in_capitals, capital_keys, turkic_too = _capital(keys)
    flags_capital = np.zeros(len(texts), np.int64)
    flags_capital[in_capitals] = turkic_too * TURKIC_TOO
    flags_capital = (flags & ~TURKIC_TOO) | (flags & flags_capital[text_of_row])
    arrays = {f"iris.{name}": array for name, array in table.arrays.items()}
    every = np.arange(len(texts))
    arrays |= _postings("default", keys, every, text_of_row, iri_of_row, flags)
    arrays |= _postings("turkic", turkic_keys, np.flatnonzero(~same), text_of_row, iri_of_row, flags)
    arrays |= _postings("capitals", capital_keys, in_capitals, text_of_row, iri_of_row, flags_capital)
    return arrays | {"labels": np.array([len(text_of_row)], np.int64)}


def _folded(texts: pa.LargeStringArray) -> pa.LargeStringArray:
    """Default keys of texts; ASCII ones apart, since they fold faster together."""
    keys = np.empty(len(texts), object)
    ascii_ = _flags(pc.string_is_ascii(texts))
    for mask in (ascii_, ~ascii_):
        keys[mask] = fold_many(texts.filter(pa.array(mask)).to_pylist())
    return pa.array(keys, pa.large_string())


def _turkic(texts: pa.LargeStringArray, keys: pa.LargeStringArray) -> tuple[NDArray[np.int64], pa.Array]:
    """Positions of the texts with an I, and their Turkic keys."""
    rows = np.flatnonzero(_flags(pc.match_substring_regex(texts, "[Iİ]")))
    return rows, pa.array(fold_many(texts.take(pa.array(rows)).to_pylist(), "tur"), pa.large_string())


def _capital(keys: pa.LargeStringArray) -> tuple[NDArray[np.int64], pa.Array, NDArray[np.bool_]]:
    """Positions of the keys that capitals change, what they change to, and whether in Turkic languages too."""
    rows = np.flatnonzero(_flags(pc.match_substring_regex(keys, CAPITALS_LOSE.pattern)))
    old = keys.take(pa.array(rows))
    joined = "\n".join(old.to_pylist())
    new = pa.array(fold_capitals(joined).split("\n")[: len(rows)], pa.large_string())
    turkic = pa.array(fold_capitals(joined, "tur").split("\n")[: len(rows)], pa.large_string())
    changed = _flags(pc.not_equal(old, new))
    return rows[changed], new.filter(pa.array(changed)), _flags(pc.equal(new, turkic))[changed]


def _postings(
    prefix: str,
    keys: pa.LargeStringArray,
    texts: NDArray[np.int64],
    text_of_row: NDArray[np.int64],
    iri_of_row: NDArray[np.int64],
    flags: NDArray[np.int64],
) -> Arrays:
    """Key table and postings of some texts: ``keys`` is parallel to ``texts``, positions of texts."""
    own, key_of_text = _distinct(keys)
    table, numbers = KeyTable.build(own)
    key_of = np.full(int(text_of_row.max(initial=-1)) + 1, -1, np.int64)
    key_of[texts] = numbers[key_of_text]
    rows = np.flatnonzero(key_of[text_of_row] >= 0)
    width = (int(iri_of_row.max(initial=0)) + 1) << FLAG_BITS
    value = (iri_of_row[rows] << FLAG_BITS) | flags[rows]
    pairs = np.unique(key_of[text_of_row[rows]] * width + value)
    starts = np.searchsorted(pairs, np.arange(len(own) + 1) * width)
    small = np.int32 if max(width, len(pairs)) < 2**31 else np.int64
    arrays = {f"{prefix}.{name}": array for name, array in table.arrays.items()}
    return arrays | {
        f"{prefix}.starts": starts.astype(small),
        f"{prefix}.values": (pairs % width).astype(small),
    }


def _distinct(column: Any) -> tuple[pa.LargeStringArray, NDArray[np.int64]]:
    """Distinct texts of a column, and the number of each row's."""
    column = column.cast(pa.large_string())
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    encoded = column.dictionary_encode()
    return encoded.dictionary, encoded.indices.to_numpy().astype(np.int64)


def _flags(column: Any) -> NDArray[np.bool_]:
    return np.asarray(column, dtype=bool)
