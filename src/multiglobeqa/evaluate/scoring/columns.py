"""From a scored block to rows of the score table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from multiglobeqa.evaluate.predictions.record import COSTS
from multiglobeqa.evaluate.scoring.block import Block
from multiglobeqa.evaluate.scoring.schema import MISSING, SCORE_SCHEMA
from multiglobeqa.evaluate.scoring.single import NO_REPLY


def bare(ids: pa.ChunkedArray, languages: Sequence[str]) -> pa.Table:
    """Predictions of which nothing is told but the question."""
    fixed = {"model": "", "tier": "", "seed": 0}
    columns = {
        name: pa.repeat(pa.scalar(fixed.get(name), SCORE_SCHEMA.field(name).type), len(ids))
        for name in (*fixed, *COSTS)
    }
    return pa.table({"id": ids, "language": pa.array(languages, pa.string()), **columns})


def table_of(
    predictions: pa.Table, block: Block, there: Any, run: str, diagnosis: Sequence[str | None]
) -> pa.Table:
    """A table of ``SCORE_SCHEMA``: one row a prediction.

    Parameters
    ----------
    predictions : (m,) rows.
    block : the n of them that have a reply; ``there`` (m,) says which, None for all.
    diagnosis : (n,) keys.
    """
    raw, size = block.raw, predictions.num_rows
    answered = [status == "answered" for status in raw.status]
    columns: dict[str, Any] = {
        "status": pa.array(raw.status, pa.string()),
        "parsed": pa.array([text if ok else None for text, ok in zip(block.parsed, answered, strict=True)]),
        "em": pa.array(block.em),
        "ne": pa.array(block.ne),
        "reason": pa.array(raw.reason, pa.string()),
        "rule": pa.array(raw.rule, pa.string()),
        "diagnosis": pa.array(diagnosis, pa.string()),
    }
    if there is not None and len(block.items) < size:
        at = np.cumsum(np.asarray(there)) - 1
        places = pa.array(at, mask=~np.asarray(there))
        columns = {name: column.take(places) for name, column in columns.items()}
        absent = {"status": MISSING, "em": 0, "ne": 1.0, "reason": NO_REPLY}
        for name, value in absent.items():
            columns[name] = columns[name].fill_null(pa.scalar(value, columns[name].type))
    columns |= {name: predictions[name] for name in ("id", "language", "model", "tier", "seed", *COSTS)}
    columns["run"] = pa.repeat(pa.scalar(run), size)
    arrays = [_flat(columns[field.name]).cast(field.type) for field in SCORE_SCHEMA]
    return pa.Table.from_arrays(arrays, schema=SCORE_SCHEMA)


def _flat(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
