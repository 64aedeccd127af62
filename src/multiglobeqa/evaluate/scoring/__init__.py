"""Scoring: predictions and questions in, one row a question out, many at once or one at a time.

Scores are recomputed from the replies each time; nothing here asks a model.
"""

from __future__ import annotations

from multiglobeqa.evaluate.scoring.batch import Scorer
from multiglobeqa.evaluate.scoring.benchmark import Questions, open_questions
from multiglobeqa.evaluate.scoring.files import Options, Scored, prepare, score_file
from multiglobeqa.evaluate.scoring.schema import METADATA, SCORE_SCHEMA
from multiglobeqa.evaluate.scoring.single import Outcome, score_one
from multiglobeqa.evaluate.scoring.tables import (
    score,
    score_texts,
    score_values,
    with_questions,
    write_scores,
)

__all__ = [
    "METADATA",
    "SCORE_SCHEMA",
    "Options",
    "Outcome",
    "Questions",
    "Scored",
    "Scorer",
    "open_questions",
    "prepare",
    "score",
    "score_file",
    "score_one",
    "score_texts",
    "score_values",
    "with_questions",
    "write_scores",
]
