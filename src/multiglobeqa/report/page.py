"""Short tables for the terminal, made of a benchmark's runs and its build record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from multiglobeqa.kg.schema import INCOME_TIERS
from multiglobeqa.report.html import country_surfaces, render, write
from multiglobeqa.report.html.page import cell_text, discards
from multiglobeqa.report.scores import Run

__all__ = ["cell_text", "country_surfaces", "discards", "em_table", "render", "write"]


def em_table(runs: Sequence[Run], by: Sequence[str]) -> list[dict[str, Any]]:
    """Rows with the group's key, its denominator and one EM a run."""
    columns = [{scores.group: scores for scores in run.by(*by)} for run in runs]
    keys = sorted({key for column in columns for key in column}, key=_stratum_order if len(by) == 2 else str)
    return [
        {
            "key": key,
            "questions": next(column[key].questions for column in columns if key in column),
            "em": [float(column[key].em or 0) if key in column else None for column in columns],
        }
        for key in keys
    ]


def _stratum_order(key: tuple[str | None, ...]) -> tuple[int, int]:
    incomes: dict[str | None, int] = {tier: place for place, tier in enumerate(INCOME_TIERS)}
    densities: dict[str | None, int] = {"low": 0, "medium": 1, "high": 2}
    return incomes.get(key[0], len(incomes)), densities.get(key[1], 3)
