"""Canonical N-Triples bytes to Arrow columns, without a Python call for each triple.

The input is what pyoxigraph writes: one space between terms, `` .`` at the end, literals escaped by the
N-Triples rule. So the first two spaces part the terms, and the last quote of the object parts a literal from
its tag.
"""

from __future__ import annotations

import re
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

TRIPLE_SCHEMA: Final = pa.schema(
    [
        pa.field("s", pa.string(), nullable=False),  # subject IRI, or "_:label"
        pa.field("p", pa.string(), nullable=False),  # predicate IRI
        pa.field("o", pa.string(), nullable=False),  # object IRI, "_:label", or the literal's text
        pa.field("literal", pa.bool_(), nullable=False),
        pa.field("lang", pa.string()),  # language tag of a literal, as written
        pa.field(
            "datatype", pa.string()
        ),  # datatype IRI of a literal, null for plain and language-tagged ones
    ]
)

_ESCAPE = re.compile(r'\\(?:([tbnrf"\'\\])|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8}))')
_SIMPLE: Final = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f", '"': '"', "'": "'", "\\": "\\"}


def columns(text: bytes) -> pa.RecordBatch:
    """A batch of TRIPLE_SCHEMA from canonical N-Triples lines."""
    lines = _lines(text)
    parts = pc.split_pattern(lines, " ", max_splits=2)
    subject, predicate, rest = (pc.list_element(parts, i) for i in range(3))
    term = pc.utf8_slice_codeunits(rest, 0, -2)
    head = pc.utf8_slice_codeunits(term, 0, 1)
    literal = pc.equal(head, '"')
    plain = pc.ends_with(term, '"')
    typed = pc.and_(literal, pc.ends_with(term, ">"))
    tagged = pc.and_(literal, pc.invert(pc.or_(plain, typed)))
    value, datatype, lang = _split_literals(term, typed, tagged)
    value = pc.if_else(literal, _unescape(pc.utf8_slice_codeunits(value, 1)), _bare(term))
    return pa.RecordBatch.from_arrays(
        [_bare(subject), _bare(predicate), value, literal, lang, datatype], schema=TRIPLE_SCHEMA
    )


def _lines(text: bytes) -> Any:
    ends = np.flatnonzero(np.frombuffer(text, dtype=np.uint8) == ord("\n"))
    offsets = np.zeros(len(ends) + 1, dtype=np.int32)
    offsets[1:] = ends + 1
    array = pa.StringArray.from_buffers(len(ends), pa.py_buffer(offsets), pa.py_buffer(text))
    return pc.utf8_rtrim(array, "\n")


def _split_literals(term: Any, typed: Any, tagged: Any) -> tuple[Any, Any, Any]:
    """Text with its opening quote and without its closing one, datatype, language tag."""
    plain = pc.utf8_slice_codeunits(term, 0, -1)
    at_type = pc.split_pattern(pc.if_else(typed, term, '"^^<>'), '"^^<', max_splits=1, reverse=True)
    at_lang = pc.split_pattern(pc.if_else(tagged, term, '"@'), '"@', max_splits=1, reverse=True)
    value = pc.if_else(
        typed, pc.list_element(at_type, 0), pc.if_else(tagged, pc.list_element(at_lang, 0), plain)
    )
    none = pa.scalar(None, pa.string())
    datatype = pc.if_else(typed, pc.utf8_slice_codeunits(pc.list_element(at_type, 1), 0, -1), none)
    return value, datatype, pc.if_else(tagged, pc.list_element(at_lang, 1), none)


def _bare(term: Any) -> Any:
    """IRIs without their brackets; blank nodes as they are."""
    named = pc.starts_with(term, "<")
    return pc.if_else(named, pc.utf8_slice_codeunits(pc.utf8_rtrim(term, ">"), 1), term)


def _unescape(value: Any) -> Any:
    escaped = pc.match_substring(value, "\\")
    rows = np.flatnonzero(escaped.to_numpy(zero_copy_only=False))
    if len(rows) == 0:
        return value
    mended = [_ESCAPE.sub(_character, text) for text in value.take(pa.array(rows)).to_pylist()]
    return pc.replace_with_mask(value, escaped, pa.array(mended, pa.string()))


def _character(match: re.Match[str]) -> str:
    simple, short, long = match.groups()
    return _SIMPLE[simple] if simple else chr(int(short or long, 16))
