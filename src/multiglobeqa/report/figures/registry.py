"""All figures by name: how their data is made, and how it is drawn."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from multiglobeqa.report.figures import deltas, examples, oracle, reliability, rows, scatter, strata
from multiglobeqa.report.figures.data import FigureData
from multiglobeqa.report.figures.style import styled
from multiglobeqa.report.tables.cell import NotDrawn
from multiglobeqa.report.tables.study import Study

DPI: Final = 200
FORMATS: Final = ("svg", "png")


@dataclass(frozen=True)
class Kind:
    """``data`` makes the figure's data of a study, or raises NotDrawn; ``draw`` makes a matplotlib figure of "
    "the data."""

    data: Callable[[Study], FigureData]
    draw: Callable[[FigureData], Any]


FIGURES: Final[dict[str, Kind]] = {
    "figure1": Kind(examples.example_data, examples.draw_examples),
    "figure2": Kind(rows.averaged_data("figure2", 2, "em"), rows.draw_averaged),
    "figure3": Kind(strata.strata_data("figure3", 3, "income"), strata.draw_strata),
    "figure10": Kind(scatter.refusal_data, scatter.draw_refusal),
    "figure11": Kind(oracle.oracle_data, oracle.draw_oracle),
    "figure12": Kind(scatter.cost_data, scatter.draw_cost),
    "figure13": Kind(rows.averaged_data("figure13", 13, "ne"), rows.draw_averaged),
    "figure14": Kind(rows.by_model_data("figure14", 14, "family", "em"), rows.draw_by_model),
    "figure15": Kind(rows.by_model_data("figure15", 15, "family", "ne"), rows.draw_by_model),
    "figure16": Kind(rows.by_model_data("figure16", 16, "format", "em"), rows.draw_by_model),
    "figure17": Kind(rows.by_model_data("figure17", 17, "format", "ne"), rows.draw_by_model),
    "figure18": Kind(strata.strata_data("figure18", 18, "density"), strata.draw_strata),
    "figure19": Kind(strata.large_data, strata.draw_strata),
    "figure20": Kind(scatter.premise_data, scatter.draw_premise),
    "figure21": Kind(deltas.delta_data, deltas.draw_delta),
    "calibration": Kind(reliability.calibration_data, reliability.draw_calibration),
}


def make_figures(
    study: Study, names: tuple[str, ...] | None = None
) -> tuple[list[FigureData], dict[str, str]]:
    """The data of these figures (all by default), and for each that is not drawn what it needs."""
    made: list[FigureData] = []
    missing: dict[str, str] = {}
    for name in names if names is not None else tuple(FIGURES):
        try:
            made.append(FIGURES[name].data(study))
        except NotDrawn as need:
            missing[name] = str(need)
    return made, missing


def picture(data: FigureData, suffix: str) -> bytes:
    """The figure drawn, as "svg" or "png". Equal data gives equal bytes. Needs matplotlib."""
    stream = io.BytesIO()
    metadata: dict[str, Any] = {"Software": None} if suffix == "png" else {"Date": None, "Title": data.title}
    with styled():
        figure = FIGURES[data.name].draw(data)
        figure.savefig(stream, format=suffix, dpi=DPI, metadata=metadata)
    return stream.getvalue()
