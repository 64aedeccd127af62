"""Dates: too coarse, day and month exchanged, a day, a month or a year beside. Dates are compared exactly."""

from __future__ import annotations

import datetime

import numpy as np

from multiglobeqa.answers.diagnosis.batch import CAUSE, FACT, LAST, Batch, Findings


def diagnose_dates(batch: Batch, found: Findings) -> None:
    """All kinds of dates."""
    rows, keys, values = batch.slips()
    stored = np.flatnonzero(
        [batch.values[row][: len(value)] == value for row, value in zip(rows.tolist(), values, strict=True)]
    )
    found.add_each([keys[k] for k in stored.tolist()], rows[stored])
    for row, value in enumerate(batch.values):
        for key, rank, share in _relations(value, batch.case(row).gold):
            found.add(key, row, rank, share)


def _relations(value: str, gold: str) -> list[tuple[str, float, float]]:
    """Keys with rank and share."""
    if len(value) < len(gold):
        right = gold.startswith(value)
        return [("wrong_precision" if right else "wrong_precision.wrong", FACT, 0.0)]
    value = value[: len(gold)]
    said: list[tuple[str, float, float]] = []
    year, month, day = value[:4], value[5:7], value[8:10]
    gold_year, gold_month, gold_day = gold[:4], gold[5:7], gold[8:10]
    if gold_day:
        if year == gold_year and (month, day) == (gold_day, gold_month):
            said.append(("day_month_swapped", CAUSE, 0.1))
        if abs((datetime.date.fromisoformat(value) - datetime.date.fromisoformat(gold)).days) == 1:
            said.append(("one_day_off", FACT, 0.0))
    if gold_month and year != gold_year and value[5:] == gold[5:]:
        said.append(("other_year", FACT, 0.2))
    if gold_month and year == gold_year:
        if abs(int(month) - int(gold_month)) == 1:
            said.append(("other_month", FACT, 0.3))
        said.append(("right_year", FACT, 0.4))
    if not gold_month and abs(int(year) - int(gold_year)) == 1:
        said.append(("near_miss", LAST, 0.0))
    return said
