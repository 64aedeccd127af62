"""The attribute triples of many entities at once: JSON objects to N-Triples lines by DuckDB and Arrow."""

from __future__ import annotations

import json
from typing import Any, Final

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from multiglobeqa.errors import InputError
from multiglobeqa.kg import triples

STRUCTURAL: Final = ("fixes", "of", "track")
"""Attributes that an aspect of their own renders."""

_ENTRIES: Final = f"""
    WITH entry AS (
        SELECT n, e.key AS key, e.type AS type, e.value AS value FROM rows, json_each(attributes) AS e
        WHERE e.key NOT IN ({", ".join(f"'{name}'" for name in STRUCTURAL)})),
    flat AS (
        SELECT n, key, 0 AS place, type, value FROM entry WHERE type <> 'ARRAY'
        UNION ALL
        SELECT n, entry.key, CAST(i.key AS BIGINT), i.type, i.value FROM entry, json_each(entry.value) AS i
        WHERE entry.type = 'ARRAY')
    SELECT n, key, type, CASE WHEN type = 'VARCHAR' THEN value ->> '$' ELSE CAST(value AS VARCHAR) END AS text
    FROM flat WHERE type <> 'NULL' ORDER BY n, key, place
"""


def connect() -> duckdb.DuckDBPyConnection:
    """A connection for ``lines``: nothing is fetched, one thread."""
    return duckdb.connect(
        config={"autoinstall_known_extensions": False, "autoload_known_extensions": False, "threads": 1}
    )


def lines(con: duckdb.DuckDBPyConnection, kg: str, iris: Any, attributes: Any) -> pa.Array:
    """(n,) text: for each entity the lines that ``triples.render`` gives for all its attributes, parted by
    line feeds.

    ``iris`` and ``attributes`` are (n,) Arrow strings; null where an entity has none. ``STRUCTURAL`` names
    are left out. Raises InputError where an attribute text is not JSON.
    """
    n = len(iris)
    con.register("rows", pa.table({"n": np.arange(n, dtype=np.int64), "attributes": attributes}))
    try:
        result: Any = con.execute(_ENTRIES).arrow()
        found: pa.Table = result.read_all() if isinstance(result, pa.RecordBatchReader) else result
    except duckdb.Error as error:
        raise InputError(f"attributes are not JSON: {error}.", place=str(iris[0])) from error
    finally:
        con.unregister("rows")
    found = found.combine_chunks()
    owner = found["n"].to_numpy()
    keys = found["key"].combine_chunks().dictionary_encode()
    predicates = pa.array(
        [f"<{triples.attribute_iri(kg, key)}>" for key in keys.dictionary.to_pylist()], pa.string()
    )
    subject = pc.binary_join_element_wise("<", iris.take(pa.array(owner)), ">", "")
    text = pc.binary_join_element_wise(subject, predicates.take(keys.indices), _terms(found), ".", " ")
    offsets = pa.array(np.searchsorted(owner, np.arange(n + 1)).astype(np.int32))
    joined = pc.binary_join(pa.ListArray.from_arrays(offsets, text), "\n")
    return pc.if_else(pc.equal(joined, ""), pa.scalar(None, pa.string()), joined)


def escape(texts: Any) -> Any:
    """(n,) plain literals, escaped as in ``triples.literal``."""
    for character, mark in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\r", "\\r")):
        texts = pc.replace_substring(texts, character, mark)
    return pc.binary_join_element_wise('"', texts, '"', "")


def _terms(found: pa.Table) -> Any:
    """(m,) object terms by JSON type; numbers and objects are rendered once for each distinct text."""
    kind, text = found["type"].combine_chunks(), found["text"].combine_chunks()
    terms = escape(text)
    for datatype, types in (("integer", ("BIGINT", "UBIGINT", "HUGEINT")), ("boolean", ("BOOLEAN",))):
        typed = pc.binary_join_element_wise('"', text, f'"^^<{triples.XSD}{datatype}>', "")
        terms = pc.if_else(pc.is_in(kind, pa.array(types)), typed, terms)
    other = pc.invert(pc.is_in(kind, pa.array(["VARCHAR", "BIGINT", "UBIGINT", "HUGEINT", "BOOLEAN"])))
    if pc.any(other).as_py():
        rare = text.filter(other).dictionary_encode()
        rendered = pa.array([_rare(value) for value in rare.dictionary.to_pylist()], pa.string())
        terms = pc.replace_with_mask(terms, other, rendered.take(rare.indices))
    return terms


def _rare(text: str) -> str:
    value = json.loads(text)
    if isinstance(value, dict | list):
        return triples.literal(json.dumps(value, sort_keys=True, ensure_ascii=False))
    return triples.literal(float(value))
