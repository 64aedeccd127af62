"""Calibration: EM of answers by the confidence that was stated."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from multiglobeqa.report.figures.data import FigureData, Row
from multiglobeqa.report.figures.style import GREY, clean, line, model_style, new
from multiglobeqa.report.metrics import wilson
from multiglobeqa.report.tables.cell import NotDrawn
from multiglobeqa.report.tables.conditions import in_order, tier_name
from multiglobeqa.report.tables.study import Study, conditions_of, of_condition

BINS: Final = 10


def calibration_data(study: Study) -> FigureData:
    """Ten bins of equal width for each model and tier, over answered true-premise text questions; with ECE."""
    table = study.main
    stated = pc.and_(pc.and_(pc.is_valid(table["confidence"]), table["premise"]),
                     pc.equal(table["status"].cast(pa.string()), "answered"))  # fmt: skip
    table = table.filter(stated)
    if not table.num_rows:
        raise NotDrawn("scores that tell a confidence")
    rows: list[Row] = []
    for model, tier in conditions_of(table):
        mine = of_condition(table, (model, tier))
        sure = np.asarray(mine["confidence"], dtype=np.float64)
        right = np.asarray(mine["em"], dtype=np.float64)
        number = np.minimum((sure * BINS).astype(np.int64), BINS - 1)
        answers = np.bincount(number, minlength=BINS)
        gaps = np.abs(np.bincount(number, right, BINS) - np.bincount(number, sure, BINS))
        ece = float(gaps.sum() / len(sure))
        for place in np.flatnonzero(answers).tolist():
            inside = number == place
            accuracy = float(right[inside].mean())
            low, high = wilson(accuracy, int(answers[place]))
            rows.append(
                (model, tier, place / BINS, (place + 1) / BINS, int(answers[place]), 100 * float(sure[inside].mean()),
                 100 * accuracy, 100 * low, 100 * high, ece)
            )  # fmt: skip
    caption = (
        "EM of answered questions by stated confidence, ten bins of equal width, with 95 % Wilson intervals "
        f"({study.language}, text questions, true premises). ECE: mean distance of EM and confidence, weighted by "
        "answers. On the dotted line confidence is earned; below it the model is too sure."
    )
    columns = ("model", "tier", "from", "to", "answers", "confidence", "EM", "low", "high", "ECE")
    return FigureData("calibration", "Calibration", columns, tuple(rows), caption)


def draw_calibration(data: FigureData) -> Any:
    """A panel a tier."""
    tiers, models = in_order(data.values("tier")), sorted(data.values("model"))
    across = min(len(tiers), 3)
    down = -(-len(tiers) // across)
    figure = new(2.9 * across + 0.4, 3.1 * down)
    for place, tier in enumerate(tiers):
        axes = figure.add_subplot(down, across, place + 1)
        axes.plot([0, 100], [0, 100], color=GREY, linestyle=":", linewidth=1.2)
        handles = []
        for model in models:
            mine = data.records(tier=tier, model=model)
            if not mine:
                continue
            style = model_style(models, model)
            bars = [
                [record["EM"] - record["low"] for record in mine],
                [record["high"] - record["EM"] for record in mine],
            ]
            axes.errorbar(
                [record["confidence"] for record in mine], [record["EM"] for record in mine], yerr=bars, markersize=4.5,
                linewidth=1.1, capsize=2, **style,
            )  # fmt: skip
            handles.append(line(f"{model}: ECE {mine[0]['ECE']:.2f}", style["color"], style["linestyle"]))
            handles[-1].set_marker(style["marker"])
        axes.set(
            xlim=(0, 100),
            ylim=(-3, 103),
            aspect="equal",
            title=clean(tier_name(tier)),
            xlabel="confidence (%)",
        )
        axes.grid()
        axes.legend(handles=handles, loc="upper left", fontsize=6.5)
        if place % across == 0:
            axes.set_ylabel("EM of answered (%)")
    return figure
