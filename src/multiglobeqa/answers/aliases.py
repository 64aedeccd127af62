"""The alias store: which entities of a knowledge graph bear a name.

    index = AliasIndex.read(snapshot.label_files, cache="folder")
    index.resolve("ΑΘΗΝΑ", "ell", scope=candidates)          # one name: microseconds
    index.resolve_many(names, "ell", scopes)                  # many names, vectorised

A name is looked up by its key (``names.fold``). The labels of all languages stand in one table, since a reply may
name an entity in any language; the question's language decides the folding alone. What a language or a text in
capitals folds otherwise stands in two small tables beside it.
"""

from __future__ import annotations

import hashlib
import inspect
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from multiglobeqa.answers import alias_build, foldings
from multiglobeqa.answers import keys as keys_module
from multiglobeqa.answers import names as names_module
from multiglobeqa.answers import text as text_module
from multiglobeqa.answers.alias_build import CAPITALS, FLAG_BITS, NAME, TURKIC_TOO
from multiglobeqa.answers.alias_cache import read_arrays, write_arrays
from multiglobeqa.answers.keys import KeyTable
from multiglobeqa.answers.names import capitals_differ, fold, fold_capitals, fold_many, folding_of

_COLUMNS = ("iri", "label", "kind")


class _Postings:
    """Keys, and the entities of each: a number of an IRI with flags in its low bits."""

    def __init__(self, arrays: dict[str, NDArray[Any]], prefix: str) -> None:
        self.keys = KeyTable({name: arrays[f"{prefix}.{name}"] for name in KeyTable.ARRAYS})
        self.starts, self.values = arrays[f"{prefix}.starts"], arrays[f"{prefix}.values"]
        self._starts, self._values = self.starts.data, self.values.data

    def of(self, key: str) -> list[int]:
        number = self.keys.find(key)
        return self._values[self._starts[number] : self._starts[number + 1]].tolist() if number >= 0 else []

    def of_many(self, keys: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(position in ``keys``, value) of every posting found."""
        numbers = self.keys.find_many(keys)
        rows = np.flatnonzero(numbers >= 0)
        first = self.starts[numbers[rows]].astype(np.int64)
        counts = self.starts[numbers[rows] + 1] - first
        place = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        return np.repeat(rows, counts), self.values[np.repeat(first, counts) + place].astype(np.int64)


class AliasIndex:
    """Names and aliases of entities, in every language.

    Parameters
    ----------
    labels : columns ``iri``, ``label`` and ``kind`` ("name" or "alias"), one row a label; others are left.
    """

    def __init__(self, labels: pa.Table) -> None:
        self._use(alias_build.arrays_of(labels))

    @classmethod
    def read(cls, paths: Iterable[str | Path], *, cache: str | Path | None = None) -> AliasIndex:
        """Index of label files (``Snapshot.label_files``).

        ``cache``: a folder that keeps the finished index of these very files, to be mapped into memory the next
        time; it is found by the files' content and the code of the rules.
        """
        files = [Path(path) for path in paths]
        kept = Path(cache) / f"{_digest(files)}.aliases.arrow" if cache is not None else None
        if kept is not None and (arrays := read_arrays(kept)) is not None:
            index = cls.__new__(cls)
            index._use(arrays)
            return index
        tables = [pq.read_table(path, columns=list(_COLUMNS)) for path in files]
        index = cls(pa.concat_tables(tables) if tables else _table([(), (), ()]))
        if kept is not None:
            write_arrays(kept, index._arrays)
        return index

    @classmethod
    def from_rows(cls, rows: Iterable[tuple[str, str, str]]) -> AliasIndex:
        """Index of (iri, label, kind) rows."""
        return cls(_table(list(zip(*rows, strict=True)) or [(), (), ()]))

    def __len__(self) -> int:
        """Number of labels."""
        return self._labels

    @property
    def state_bytes(self) -> int:
        """Bytes of the whole index."""
        return sum(array.nbytes for array in self._arrays.values())

    @property
    def entities(self) -> int:
        """Number of entities."""
        return len(self._iris)

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
        language : ISO 639 code of the question's language.
        scope : IRIs to look among; None for the whole index.
        names_only : leave out labels of kind "alias".
        """
        key = fold(text, language)
        turkic = folding_of(language) == "turkic"
        needed = (NAME if names_only else 0) | (TURKIC_TOO if turkic else 0)
        found = [value for value in self._default.of(key) if value & needed == needed]
        if turkic:
            name = NAME if names_only else 0
            found += [value for value in self._turkic.of(key) if value & name == name]
        if capitals_differ(text, key):
            found += self._in_capitals(text, fold_capitals(key, language), needed)
        iris = self._iris
        named = {iris.text(number) for number in {value >> FLAG_BITS for value in found}}
        return frozenset(named if scope is None else named.intersection(scope))

    def _in_capitals(self, text: str, key: str, needed: int) -> list[int]:
        """Postings of the key that capitals fold to: of every label for a text in capitals, of the labels in
        capitals for another."""
        needed |= 0 if text.isupper() else CAPITALS
        values = self._default.of(key) + self._capitals.of(key)
        return [value for value in values if value & needed == needed]

    def resolve_many(
        self,
        texts: Sequence[str],
        language: str = "eng",
        scopes: Sequence[Collection[str] | None] | None = None,
        *,
        names_only: bool = False,
    ) -> list[frozenset[str]]:
        """``resolve`` of many texts of one language, vectorised.

        Parameters
        ----------
        scopes : one a text, as ``resolve`` takes it; None for the whole index for all.

        Returns
        -------
        One set of IRIs a text, in the order of ``texts``.
        """
        keys = fold_many(texts, language)
        turkic = folding_of(language) == "turkic"
        needed = (NAME if names_only else 0) | (TURKIC_TOO if turkic else 0)
        rows, values = self._default.of_many(keys)
        kept = values & needed == needed
        rows, values = rows[kept], values[kept]
        if turkic:
            more_rows, more = self._turkic.of_many(keys)
            kept = more & (needed & NAME) == needed & NAME
            rows, values = np.append(rows, more_rows[kept]), np.append(values, more[kept])
        pairs = rows * self.entities + (values >> FLAG_BITS)
        pairs = self._within(np.unique(pairs), scopes)
        resolved = self._sets(pairs, len(texts))
        for row in [row for row, key in enumerate(keys) if capitals_differ(texts[row], key)]:
            scope = None if scopes is None else scopes[row]
            resolved[row] = self.resolve(texts[row], language, scope, names_only=names_only)
        return resolved

    def _within(
        self, pairs: NDArray[np.int64], scopes: Sequence[Collection[str] | None] | None
    ) -> NDArray[np.int64]:
        """The pairs (text x entity) that the scopes allow."""
        if scopes is None or not self.entities:
            return pairs
        limited = np.array([scope is not None for scope in scopes], dtype=bool)
        flat = [iri for scope in scopes for iri in (scope or ())]
        owners = np.repeat(np.arange(len(scopes)), [len(scope or ()) for scope in scopes])
        numbers = self._iris.find_many(flat)
        allowed = (owners * self.entities + numbers)[numbers >= 0]
        return pairs[~limited[pairs // self.entities] | np.isin(pairs, allowed)]

    def _sets(self, pairs: NDArray[np.int64], count: int) -> list[frozenset[str]]:
        if not pairs.size:
            return [frozenset()] * count
        iris = self._iris.texts(pairs % self.entities)
        ends = np.searchsorted(pairs, (np.arange(count) + 1) * self.entities).tolist()
        return [frozenset(iris[start:end]) for start, end in zip([0, *ends], ends, strict=False)]

    def _use(self, arrays: dict[str, NDArray[Any]]) -> None:
        self._arrays = arrays
        self._labels = int(arrays["labels"][0])
        self._iris = KeyTable({name: arrays[f"iris.{name}"] for name in KeyTable.ARRAYS})
        self._default = _Postings(arrays, "default")
        self._turkic = _Postings(arrays, "turkic")
        self._capitals = _Postings(arrays, "capitals")


def _table(columns: Sequence[Sequence[str]]) -> pa.Table:
    return pa.table({name: pa.array(c, pa.string()) for name, c in zip(_COLUMNS, columns, strict=True)})


def _digest(files: list[Path]) -> str:
    """Digest of the files' content and of the rules: the code that folds and lays out, and Unicode's version."""
    rules = [
        inspect.getsource(module)
        for module in (text_module, foldings, names_module, keys_module, alias_build)
    ]
    digest = hashlib.sha256("\n".join((unicodedata.unidata_version, *rules)).encode())
    for path in files:
        with path.open("rb") as stream:
            digest.update(hashlib.file_digest(stream, "sha256").digest())
    return digest.hexdigest()[:32]
