"""The score table: one row a (run, question, language, model, tier, seed)."""

from __future__ import annotations

from typing import Final

import pyarrow as pa

SCORE_SCHEMA: Final = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),
        pa.field("language", pa.string()),  # ISO 639-3 of the reply's question
        pa.field("run", pa.string(), nullable=False),
        pa.field("model", pa.string(), nullable=False),
        pa.field("tier", pa.string(), nullable=False),  # "" where it is not stated
        pa.field("seed", pa.int32(), nullable=False),  # 0 where it is not stated
        pa.field("status", pa.string(), nullable=False),  # one of answers.STATUSES, or "missing"
        pa.field("parsed", pa.string()),  # canonical answer as JSON; null unless answered
        pa.field("em", pa.int8(), nullable=False),  # 1 right, 0 wrong
        pa.field("ne", pa.float64(), nullable=False),  # in [0, 1]; 1 unless answered
        pa.field("reason", pa.string(), nullable=False),  # why it was declined or cannot be read
        pa.field("rule", pa.string()),  # the reading rules that were needed
        pa.field("diagnosis", pa.string()),  # key of answers.diagnosis, of wrong answers
        pa.field("confidence", pa.float64()),
        pa.field("tokens_in", pa.int64()),
        pa.field("tokens_out", pa.int64()),
        pa.field("tokens_reasoning", pa.int64()),  # part of tokens_out
        pa.field("steps", pa.int32()),
        pa.field("tool_calls", pa.int32()),
        pa.field("seconds", pa.float64()),
        pa.field("cost", pa.float64()),
        pa.field("cap_hit", pa.bool_()),
    ]
)
"""On a false premise no answer is right (em 0, ne 1); ``status`` tells what was done."""

METADATA: Final = b"mgqa"
"""Key of the file's schema metadata that holds JSON: version, benchmark, snapshots, h3_credit, names, intake."""

MISSING: Final = "missing"
"""The status of a question that was asked and has no reply."""

NEEDED: Final = ("id", "format", "gold", "premise")
"""Columns without which a question cannot be scored."""
USED: Final = (
    *NEEDED, "kg", "language", "template", "subtemplate", "accepted", "accepted_iris", "params", "entities", "roles",
    "slips", "options", "labels", "origins",
)  # fmt: skip
"""Columns of the questions that scoring reads, where they are there."""
