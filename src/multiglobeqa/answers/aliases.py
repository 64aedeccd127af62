"""The alias store: which entities of a knowledge graph bear a name."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from multiglobeqa.answers.names import fold, fold_capitals, folding_of, greek_capitals


class _Keys:
    """One folding of all labels: key -> rows, as positions into one sorted array."""

    def __init__(self, keys: list[str], codes: NDArray[np.int64]) -> None:
        """``keys``: one key a distinct label; ``codes``: distinct label of each row."""
        encoded = pa.array(keys, pa.large_string()).dictionary_encode()
        row_key = encoded.indices.to_numpy()[codes]
        self._rows = np.argsort(row_key, kind="stable").astype(np.int32)
        self._starts = np.searchsorted(row_key[self._rows], np.arange(len(encoded.dictionary) + 1))
        self._number = {key: number for number, key in enumerate(encoded.dictionary.to_pylist())}

    def rows(self, key: str) -> NDArray[np.int32]:
        number = self._number.get(key)
        if number is None:
            return self._rows[:0]
        return self._rows[self._starts[number] : self._starts[number + 1]]


class AliasIndex:
    """Names and aliases of entities, in every language, looked up by folded name.

    A label table has the columns ``iri``, ``label`` and ``kind`` ("name" or "alias"); ``lang`` is not
    needed: a reply may name an entity in any language, and the question's language decides the folding alone.
    """

    def __init__(self, labels: pa.Table) -> None:
        iris = _encode(labels.column("iri"))
        texts = _encode(labels.column("label"))
        self._iri_of_row: NDArray[np.int64] = iris.indices.to_numpy()
        self._iris: list[str] = iris.dictionary.to_pylist()
        self._code_of_row: NDArray[np.int64] = texts.indices.to_numpy()
        self._texts: list[str] = texts.dictionary.to_pylist()
        self._is_name = np.asarray(pc.equal(labels.column("kind").cast(pa.string()), "name"), dtype=bool)
        self._foldings: dict[str, _Keys] = {}
        self._capitals: _Keys | None = None

    @classmethod
    def read(cls, paths: Iterable[str | Path]) -> AliasIndex:
        """Index of label files (``Snapshot.label_files``)."""
        tables = [pq.read_table(path, columns=["iri", "label", "kind"]) for path in paths]
        empty = pa.table({name: pa.array([], pa.string()) for name in ("iri", "label", "kind")})
        return cls(pa.concat_tables(tables) if tables else empty)

    @classmethod
    def from_rows(cls, rows: Iterable[tuple[str, str, str]]) -> AliasIndex:
        """Index of (iri, label, kind) rows."""
        columns = list(zip(*rows, strict=True)) or [(), (), ()]
        names = ("iri", "label", "kind")
        return cls(pa.table({name: pa.array(c, pa.string()) for name, c in zip(names, columns, strict=True)}))

    def __len__(self) -> int:
        """Number of labels."""
        return len(self._code_of_row)

    def resolve(
        self,
        text: str,
        language: str = "eng",
        scope: Collection[str] | None = None,
        *,
        names_only: bool = False,
    ) -> frozenset[str]:
        """IRIs of the entities that bear this name; empty where none does.

        Parameters
        ----------
        text : a whole name; parts of names are not looked up.
        language : ISO 639-3 code of the question's language.
        scope : IRIs to look among; None for the whole index.
        names_only : leave out labels of kind "alias".
        """
        key = fold(text, language)
        rows = self._keys(folding_of(language), language).rows(key)
        if greek_capitals(text):
            rows = np.concatenate([rows, self._without_accents().rows(fold_capitals(key))])
        if names_only:
            rows = rows[self._is_name[rows]]
        found = {self._iris[code] for code in self._iri_of_row[rows].tolist()}
        return frozenset(found if scope is None else found & set(scope))

    def _keys(self, folding: str, language: str) -> _Keys:
        if folding not in self._foldings:
            self._foldings[folding] = _Keys([fold(text, language) for text in self._texts], self._code_of_row)
        return self._foldings[folding]

    def _without_accents(self) -> _Keys:
        if self._capitals is None:
            keys = [fold_capitals(fold(text)) if not text.isascii() else fold(text) for text in self._texts]
            self._capitals = _Keys(keys, self._code_of_row)
        return self._capitals


def _encode(column: Any) -> Any:
    values = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if isinstance(values, pa.ChunkedArray):
        values = pa.concat_arrays(values.chunks)
    if not pa.types.is_dictionary(values.type):
        values = values.cast(pa.large_string()).dictionary_encode()
    return values
