"""The tables of a report: the paper's, and ours. See docs/report.md.

study = open_study(["scores.parquet"], "DIR")
made, missing = make_tables(study)
print(to_markdown(made[0]))
"""

from __future__ import annotations

from multiglobeqa.report.tables.cell import Cell, Column, NotDrawn, Table
from multiglobeqa.report.tables.inputs import open_study, read_scores
from multiglobeqa.report.tables.registry import PRINTED, TABLES, make_tables
from multiglobeqa.report.tables.scope import WARNING, lines, scope
from multiglobeqa.report.tables.study import Study, study
from multiglobeqa.report.tables.terminal import show_table
from multiglobeqa.report.tables.weak import WeakCell, Weakness, weaknesses
from multiglobeqa.report.tables.written import to_csv, to_json, to_latex, to_markdown

__all__ = [
    "PRINTED",
    "TABLES",
    "WARNING",
    "Cell",
    "Column",
    "NotDrawn",
    "Study",
    "Table",
    "WeakCell",
    "Weakness",
    "lines",
    "make_tables",
    "open_study",
    "read_scores",
    "scope",
    "show_table",
    "study",
    "to_csv",
    "to_json",
    "to_latex",
    "to_markdown",
    "weaknesses",
]
