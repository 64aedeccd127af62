"""From replies to scored records, and the baselines that need no model."""

from __future__ import annotations

from multiglobeqa.evaluate.baselines import majority_answers, majority_replies, oracle_replies
from multiglobeqa.evaluate.scoring import (
    SCORE_SCHEMA,
    score,
    score_file,
    score_one,
    score_texts,
    score_values,
    with_questions,
    write_scores,
)

__all__ = [
    "SCORE_SCHEMA",
    "majority_answers",
    "majority_replies",
    "oracle_replies",
    "score",
    "score_file",
    "score_one",
    "score_texts",
    "score_values",
    "with_questions",
    "write_scores",
]
