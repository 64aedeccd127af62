"""The whole evaluation of a questions file and a replies file, in the form of the article's ``eval_result.json``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

from multiglobeqa.errors import InputError
from multiglobeqa.evaluate.choices.calibration import Calibration, calibration
from multiglobeqa.evaluate.choices.controls import attribution, cells, english_controls, ranking
from multiglobeqa.evaluate.choices.items import ENGLISH, PLAIN, Item
from multiglobeqa.evaluate.choices.load import Questions, load
from multiglobeqa.evaluate.choices.replies import Intake, matched, read_replies
from multiglobeqa.evaluate.choices.score import Scored, score
from multiglobeqa.evaluate.choices.summary import (
    baselines,
    confidently_wrong,
    detail,
    grouped,
    outcomes,
    position_bias,
    summary,
)
from multiglobeqa.kg.store import replacing

SCOPE: Final = (
    "Accuracy on the multiple-choice questions of this file only. It does not show that a model is fit for navigation,"
    " planning or any other use, nor how it does without options to choose from."
)


@dataclass
class Result:
    """Scores of a file: its questions, its controls in English and in plain language."""

    questions: Questions
    rows: list[Scored]
    english: list[Scored]
    plain: list[Scored]
    intakes: list[Intake]

    def calibrations(self) -> dict[str, Calibration]:
        """Calibration overall and by language, where answers have a confidence."""
        groups = grouped(self.rows, ((), ("lang",)))
        if len(groups) == 2:  # one language: it is all
            groups = {"all": groups["all"]}
        found = {name: calibration(rows) for name, rows in groups.items()}
        return {name: curve for name, curve in found.items() if curve is not None}

    def as_json(self) -> dict[str, Any]:
        """The object of ``eval_result.json``: ``summary`` and ``detail`` are the article's."""
        groups = grouped(self.rows)
        paired = cells(self.rows, self.english)
        return {
            "summary": summary(groups),
            "outcomes": outcomes(groups),
            "baselines": baselines([row.item for row in self.rows]),
            "ranking": ranking(self.rows),
            "position_bias": position_bias(self.rows),
            "calibration": {name: curve.as_json() for name, curve in self.calibrations().items()},
            "confidently_wrong": confidently_wrong(self.rows),
            "controls": {
                "english": summary(grouped(self.english, ((), ("lang",)))) if self.english else {},
                "plain": summary(grouped(self.plain, ((), ("lang",)))) if self.plain else {},
                "cells": paired,
                "attribution": attribution(paired, self.plain),
            },
            "questions": self.questions.summary(),
            "intake": [asdict(intake) for intake in self.intakes],
            "scope": SCOPE,
            "detail": [detail(row) for row in self.rows],
        }


def evaluate(
    questions: str | Path,
    replies: str | Path,
    *,
    plain: str | Path | None = None,
    plain_replies: str | Path | None = None,
) -> Result:
    """Score a replies file against a questions file.

    Questions of the file that are marked as controls are scored as such. The English forms of the others
    (``english_controls``) are scored where the replies hold any of them; from then on a missing one is wrong.

    Parameters
    ----------
    plain, plain_replies : a set of plain-language questions and its replies; by default ``replies`` holds them too.

    Raises
    ------
    InputError : a file cannot be used, or no reply is to a question of the file.
    """
    found = load(questions)
    asked = [item for item in found.items if not item.control]
    if not asked:
        raise InputError("holds control questions only.", source=questions)
    made = {item.id: item for item in (*english_controls(asked), *_controls(found.items, ENGLISH))}
    everyday = _controls(found.items, PLAIN)
    if plain is not None:
        everyday += [_plain(item) for item in load(plain).items]
    rows, faults = read_replies(replies)
    own = [] if plain_replies is not None else everyday
    file = Path(replies).name
    matches, intake = matched(rows, faults, [*asked, *made.values(), *own], aside=found.disputed, file=file)
    intakes = [intake]
    if not any(item.key in matches for item in asked):
        raise InputError(
            "holds no reply to a question of the file.",
            source=replies,
            mend=f"Ids are those of {found.file}. " + " ".join(intake.named[:3]),
        )
    english = list(made.values()) if any(item.key in matches for item in made.values()) else []
    if plain_replies is not None:
        rows, faults = read_replies(plain_replies)
        extra, intake = matched(rows, faults, everyday, file=Path(plain_replies).name)
        matches, intakes = {**matches, **extra}, [*intakes, intake]
    used = everyday if any(item.key in matches for item in everyday) else []
    return Result(found, score(asked, matches), score(english, matches), score(used, matches), intakes)


def write_result(path: str | Path, result: Result) -> None:
    """Write ``eval_result.json``; the file appears whole or not at all."""
    with replacing(Path(path)) as temporary:
        temporary.write_text(
            json.dumps(result.as_json(), ensure_ascii=False, indent=2) + "\n", encoding="utf-8"
        )


def _controls(items: Sequence[Item], kind: str) -> list[Item]:
    return [item for item in items if item.control == kind]


def _plain(item: Item) -> Item:
    return replace(item, control=PLAIN)
