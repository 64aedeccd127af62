"""The figures of a report: the paper's, redrawn for the runs that are given. See docs/report.md.

    study = open_study(["scores.parquet"], "DIR")
    made, missing = make_figures(study)
    picture(made[0], "png")

Drawing needs matplotlib (the optional group ``figures``); the data does not.
"""

from __future__ import annotations

from multiglobeqa.report.figures.data import FigureData
from multiglobeqa.report.figures.registry import FIGURES, FORMATS, make_figures, picture
from multiglobeqa.report.figures.style import available

__all__ = ["FIGURES", "FORMATS", "FigureData", "available", "make_figures", "picture"]
