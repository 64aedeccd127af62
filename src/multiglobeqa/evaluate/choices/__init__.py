"""Multiple-choice questions in the article's form: load, shuffle, score, calibrate, control; made from a benchmark."""

from __future__ import annotations

from multiglobeqa.evaluate.choices.calibration import Calibration, calibration
from multiglobeqa.evaluate.choices.items import Item
from multiglobeqa.evaluate.choices.load import Questions, load, write
from multiglobeqa.evaluate.choices.result import Result, evaluate, write_result
from multiglobeqa.evaluate.choices.score import Scored, score
from multiglobeqa.evaluate.choices.shuffle import balanced, shuffled

__all__ = [
    "Calibration",
    "Item",
    "Questions",
    "Result",
    "Scored",
    "balanced",
    "calibration",
    "evaluate",
    "load",
    "score",
    "shuffled",
    "write",
    "write_result",
]
