"""Scoring questions and replies that are at hand in memory."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from multiglobeqa import answers
from multiglobeqa.answers import AliasIndex, Reply
from multiglobeqa.errors import InputError
from multiglobeqa.evaluate.scoring.batch import Scorer
from multiglobeqa.evaluate.scoring.schema import METADATA, SCORE_SCHEMA
from multiglobeqa.kg.store import replacing

_CHUNK = 16_384


def score(
    questions: pa.Table,
    replies: Mapping[str, Reply],
    *,
    names: Mapping[str, AliasIndex] | None = None,
    h3_credit: str = "geometric",
    diagnosis: bool = True,
) -> pa.Table:
    """Score replies whose status is known; a raw answer is parsed by the question's format first.

    Parameters
    ----------
    questions : rows of ``build.schema.QUESTION_SCHEMA``, each id once.
    replies : question id -> reply. Questions without a reply get no row.
    names : KG -> alias store, for entity and set; a KG without one is scored by the names as printed.
    h3_credit : see ``answers.get``.
    diagnosis : whether wrong answers are diagnosed.

    Returns
    -------
    A table of ``SCORE_SCHEMA`` in the order of the questions.

    Raises
    ------
    InputError : a reply to no question, or a gold answer that is not canonical.
    """
    ids = questions["id"].to_pylist()
    unknown = set(replies) - set(ids)
    if unknown:
        raise InputError(
            "is no question of this benchmark.",
            source="replies",
            place=min(unknown),
            mend="Score the replies against the benchmark that was asked.",
        )
    rows = [row for row, identity in enumerate(ids) if identity in replies]
    scorer = Scorer(questions, names, h3_credit, diagnosis=diagnosis)
    parts = [
        scorer.score_replies(part, [replies[ids[row]] for row in part])
        for part in (rows[start : start + _CHUNK] for start in range(0, len(rows), _CHUNK))
    ]
    return pa.concat_tables(parts) if parts else SCORE_SCHEMA.empty_table()


def score_values(questions: pa.Table, values: Mapping[str, Any], **options: Any) -> pa.Table:
    """Score answers given as JSON values (canonical or near): question id -> value. Options as ``score``."""
    return score(questions, {key: Reply("answered", value) for key, value in values.items()}, **options)


def score_texts(questions: pa.Table, texts: Mapping[str, str | None], **options: Any) -> pa.Table:
    """Score the texts of a model, read by the reply contract: question id -> text. Options as ``score``."""
    languages: dict[str, str | None] = {}
    if "language" in questions.column_names:
        languages = dict(zip(questions["id"].to_pylist(), questions["language"].to_pylist(), strict=True))
    read = {key: answers.read_reply(text, languages.get(key) or "eng") for key, text in texts.items()}
    return score(questions, read, **options)


def write_scores(path: Path, scores: pa.Table, metadata: Mapping[str, Any] | None = None) -> None:
    """Write scores as Parquet; the file appears whole or not at all. ``metadata``: see ``schema.METADATA``."""
    table = scores.cast(SCORE_SCHEMA)
    if metadata is not None:
        table = table.replace_schema_metadata(metadata_of(metadata))
    with replacing(path) as temporary:
        pq.write_table(table, temporary, compression="zstd")


def metadata_of(values: Mapping[str, Any]) -> dict[bytes, bytes]:
    """Schema metadata of a score file."""
    return {METADATA: json.dumps(values, sort_keys=True).encode()}


def with_questions(
    scores: pa.Table, questions: pa.Table, columns: tuple[str, ...]
) -> Iterator[dict[str, Any]]:
    """Scored rows with columns of their questions, premise always, as ``report.metrics.summarize`` takes them."""
    wanted = list(dict.fromkeys(("id", "premise", *columns)))
    by_id = {row["id"]: row for row in questions.select(wanted).to_pylist()}
    for row in scores.to_pylist():
        yield {**by_id[row["id"]], **row}
