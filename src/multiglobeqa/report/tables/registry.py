"""All tables by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from multiglobeqa.report.tables import accounts, comparisons, confident, headline, languages, scope, weak
from multiglobeqa.report.tables.breakdowns import FEW, breakdown, stratum
from multiglobeqa.report.tables.cell import NotDrawn, Table
from multiglobeqa.report.tables.study import Study

TABLES: Final[dict[str, Callable[[Study], Table]]] = {
    "asked": scope.asked,
    "table4": headline.table4,
    "table13": accounts.table13,
    "table14": accounts.table14,
    "table15": headline.table15,
    "status": accounts.statuses,
    "premise": accounts.premises,
    "family": breakdown("family"),
    "format": breakdown("format"),
    "kg": breakdown("kg"),
    "depth": breakdown("depth"),
    "question_type": breakdown("question_type"),
    "source": breakdown("source"),
    "income": breakdown("income"),
    "density": breakdown("density"),
    "stratum": stratum,
    "continent": breakdown("continent"),
    "subregion": breakdown("subregion", least=FEW),
    "country": breakdown("country", least=FEW),
    "class": breakdown("class", least=FEW),
    "subtemplate": breakdown("subtemplate"),
    "language": languages.language,
    "ne_shares": accounts.shares,
    "diagnosis": accounts.diagnoses,
    "gold_triples": accounts.triples,
    "comparison": comparisons.comparison,
    "weak_cells": weak.weak_cells,
    "confidently_wrong": confident.confidently_wrong,
}
"""Name -> what makes the table; it raises NotDrawn where its runs were not given."""
PRINTED: Final = ("table4", "status", "premise", "language", "comparison", "weak_cells", "confidently_wrong")
"""The tables that are printed on a terminal where none is named."""


def make_tables(study: Study, names: tuple[str, ...] | None = None) -> tuple[list[Table], dict[str, str]]:
    """The tables of these names (all by default), and for each that cannot be made what it needs."""
    made: list[Table] = []
    missing: dict[str, str] = {}
    for name in names if names is not None else tuple(TABLES):
        try:
            made.append(TABLES[name](study))
        except NotDrawn as need:
            missing[name] = str(need)
    return made, missing
