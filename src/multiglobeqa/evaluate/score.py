"""Score replies: questions and replies in, one row a reply out.

Scores are recomputed from the replies each time; nothing here asks a model.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from multiglobeqa import answers
from multiglobeqa.answers import AliasIndex, Reply
from multiglobeqa.errors import InputError
from multiglobeqa.kg.store import replacing

SCORE_SCHEMA: Final = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),
        pa.field("status", pa.string(), nullable=False),  # one of answers.STATUSES
        pa.field("parsed", pa.string()),  # canonical answer as JSON; null unless answered
        pa.field("em", pa.int8(), nullable=False),  # 1 right, 0 wrong
        pa.field("ne", pa.float64(), nullable=False),  # in [0, 1]; 1 unless answered
        pa.field("reason", pa.string(), nullable=False),  # why it was declined or cannot be read
    ]
)
"""One row a reply. On a false premise no answer is right (em 0, ne 1); ``status`` tells what was done."""

_COLUMNS: Final = (
    "id", "kg", "template", "subtemplate", "language", "format", "gold", "accepted", "accepted_iris",
    "params", "entities", "premise",
)  # fmt: skip
_BATCH: Final = 4096


def score(
    questions: pa.Table,
    replies: Mapping[str, Reply],
    *,
    names: Mapping[str, AliasIndex] | None = None,
    h3_credit: str = "geometric",
) -> pa.Table:
    """Score replies whose status is known; a raw answer is parsed by the question's format first.

    Parameters
    ----------
    questions : rows of ``build.schema.QUESTION_SCHEMA``.
    replies : question id -> reply. Questions without a reply get no row.
    names : KG -> alias store, for entity and set; a KG without one is scored by the names as printed.
    h3_credit : see ``answers.get``.

    Returns
    -------
    A table of ``SCORE_SCHEMA`` in the order of the questions.

    Raises
    ------
    InputError : a reply to no question, or a gold answer that is not canonical.
    """
    unknown = set(replies) - set(questions["id"].to_pylist())
    if unknown:
        raise InputError(
            "is no question of this benchmark.",
            source="replies",
            place=min(unknown),
            mend="Score the replies against the benchmark that was asked.",
        )
    scored = [
        _score_one(row, replies[row["id"]], (names or {}).get(row["kg"]), h3_credit)
        for row in _rows(questions)
        if row["id"] in replies
    ]
    return pa.Table.from_pylist(scored, SCORE_SCHEMA)


def score_values(questions: pa.Table, values: Mapping[str, Any], **options: Any) -> pa.Table:
    """Score answers given as JSON values (canonical or near): question id -> value. Options as ``score``."""
    return score(questions, {key: Reply("answered", value) for key, value in values.items()}, **options)


def score_texts(questions: pa.Table, texts: Mapping[str, str | None], **options: Any) -> pa.Table:
    """Score the texts of a model, read by the reply contract: question id -> text. Options as ``score``."""
    return score(questions, {key: answers.read_reply(text) for key, text in texts.items()}, **options)


def write_scores(path: Path, scores: pa.Table) -> None:
    """Write scores as Parquet; the file appears whole or not at all."""
    with replacing(path) as temporary:
        pq.write_table(scores.cast(SCORE_SCHEMA), temporary, compression="zstd")


def with_questions(
    scores: pa.Table, questions: pa.Table, columns: tuple[str, ...]
) -> Iterator[dict[str, Any]]:
    """Scored rows with columns of their questions, premise always, as ``report.metrics.summarize`` takes them."""
    wanted = list(dict.fromkeys(("id", "premise", *columns)))
    by_id = {row["id"]: row for row in questions.select(wanted).to_pylist()}
    for row in scores.to_pylist():
        yield {**by_id[row["id"]], **row}


def _rows(questions: pa.Table) -> Iterator[dict[str, Any]]:
    for batch in questions.select(list(_COLUMNS)).to_batches(max_chunksize=_BATCH):
        yield from batch.to_pylist()


def _score_one(row: dict[str, Any], reply: Reply, names: AliasIndex | None, h3_credit: str) -> dict[str, Any]:
    answer_format = answers.get(row["format"], names=names, h3_credit=h3_credit)
    try:
        reply = answers.parse_value(reply, answer_format, row)
        right, error = False, 1.0
        if reply.status == "answered" and row["premise"]:
            gold = answers.gold_of(row)
            right = answer_format.exact_match(reply.value, gold, row)
            error = answer_format.normalized_error(reply.value, gold, row)
    except (TypeError, KeyError, ValueError, AttributeError) as fault:
        raise InputError(
            f"gold {row['gold']!r} is no canonical {row['format']}: {fault!r}.",
            source="questions",
            place=row["id"],
        ) from fault
    answered = reply.status == "answered"
    return {
        "id": row["id"],
        "status": reply.status,
        "parsed": json.dumps(reply.value, sort_keys=True) if answered else None,
        "em": int(right),
        "ne": error,
        "reason": reply.reason,
    }
