"""Raw replies beside scores: read again from the predictions that were scored."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from multiglobeqa.evaluate.predictions import open_predictions, take
from multiglobeqa.evaluate.predictions.record import ANSWER, LOOSE, QUOTED, TEXT
from multiglobeqa.report.scores import Run

_KEY: Final = ("id", "language", "model", "tier", "seed")
_HELD: Final = (TEXT, QUOTED, ANSWER, LOOSE)
_JOIN: Final = "\0"


def with_replies(
    run: Run, predictions: str | Path, questions: pa.Table, *, language: str | None = None
) -> Run:
    """The run with the raw replies of its predictions (a file, or a run folder) in its column ``text``.

    Parameters
    ----------
    questions : columns ``id`` and ``language`` of the benchmark.
    language : that of replies which state none, where the benchmark has a question in several.

    Raises
    ------
    InputError : the file cannot be read, or holds no reply to a question of the benchmark.
    """
    table = take(open_predictions(predictions), questions, language=language).table
    table = table.filter(pc.is_in(table["kind"], value_set=pa.array(_HELD, pa.int8())))
    quoted = pc.equal(table["kind"], QUOTED)
    if pc.any(quoted).as_py():
        bodies = [
            json.loads(body) if is_quoted else body
            for body, is_quoted in zip(table["body"].to_pylist(), quoted.to_pylist(), strict=True)
        ]
        readable = [body.encode("utf-8", "replace").decode() for body in bodies]
        table = table.set_column(table.column_names.index("body"), "body", pa.array(readable, pa.string()))
    at = pc.index_in(_keys(run.table), value_set=_keys(table).combine_chunks())
    texts = table["body"].combine_chunks().take(at.combine_chunks())
    kept = run.table.drop_columns(["text"]) if "text" in run.table.column_names else run.table
    return replace(run, table=kept.append_column("text", texts))


def _keys(table: pa.Table) -> pa.ChunkedArray:
    columns = [
        pc.fill_null(pc.cast(pc.cast(table[name], _plain(table[name].type)), pa.string()), "")
        for name in _KEY
    ]
    return pc.binary_join_element_wise(*columns, _JOIN)


def _plain(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind
