"""Predictions in every form that harnesses write, read with account of each line.

taken = take(open_predictions("PREDICTIONS"), questions)
taken.table     # one reply for each question that was asked
taken.intake    # what was read, left out, missing
"""

from __future__ import annotations

from multiglobeqa.evaluate.predictions.asked import Asked
from multiglobeqa.evaluate.predictions.counts import KINDS, PROBLEMS, Intake
from multiglobeqa.evaluate.predictions.detect import FORMS, Predictions, open_predictions
from multiglobeqa.evaluate.predictions.intake import Taken, take
from multiglobeqa.evaluate.predictions.record import Fault, Record

__all__ = [
    "FORMS",
    "KINDS",
    "PROBLEMS",
    "Asked",
    "Fault",
    "Intake",
    "Predictions",
    "Record",
    "Taken",
    "open_predictions",
    "take",
]
