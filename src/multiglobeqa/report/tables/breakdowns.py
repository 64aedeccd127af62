"""Exact match by one property of the questions: a row a value, a column a model, a block a tier."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Final

from multiglobeqa.report.metrics import over_seeds, tabulate
from multiglobeqa.report.tables.cell import Cell, Column, NotDrawn, Table, count, percent
from multiglobeqa.report.tables.conditions import in_order, tier_name
from multiglobeqa.report.tables.study import CONDITION, Study, true_questions
from multiglobeqa.taxonomy.model import FAMILIES

INCOMES: Final = ("HIC", "UMC", "LMC", "LIC")
DENSITIES: Final = ("high", "medium", "low")
DEPTHS: Final = ("fact", "relation", "compound")
FEW: Final = 20
"""Values with fewer questions are left out where there are many values."""
_MOST: Final = 4
"""With more columns intervals are not printed (CSV has them)."""
_ORDERS: Final = {"income": INCOMES, "density": DENSITIES, "depth": DEPTHS}
_TITLES: Final = {
    "family": "family", "format": "answer format", "kg": "knowledge graph", "depth": "depth",
    "question_type": "type of question", "country": "country", "continent": "continent", "subregion": "subregion",
    "income": "income tier", "density": "density tier", "class": "class of the entity", "template": "template",
    "subtemplate": "sub-template", "source": "source",
}  # fmt: skip


def breakdown(column: str, *, least: int = 1) -> Callable[[Study], Table]:
    """The table of one column; values with fewer than ``least`` questions are left out, and their number is told."""

    def made(study: Study) -> Table:
        return _table(study, (column,), column, least)

    return made


def stratum(study: Study) -> Table:
    """By income and density tier together."""
    return _table(study, ("income", "density"), "stratum", 1)


def label_of(column: str, value: Any) -> str:
    """A value as it is printed."""
    if value is None:
        return "none"
    return f"{value} {FAMILIES.get(value, '')}".strip() if column == "family" else str(value)


def ordered(column: str, values: Sequence[Any]) -> list[Any]:
    """Values in their own order, else sorted; None last."""
    order = _ORDERS.get(column, ())
    return sorted(
        values, key=lambda one: (one is None, order.index(one) if one in order else len(order), str(one))
    )


def _table(study: Study, by: tuple[str, ...], name: str, least: int) -> Table:
    table = study.main
    sizes = true_questions(table, by)
    groups = [group for group in sizes if any(value is not None for value in group)]
    if not groups:
        raise NotDrawn(f"questions that tell {' and '.join(by)}")
    kept = [group for group in groups if sizes[group] >= least]
    for place in reversed(range(len(by))):
        order = ordered(by[place], list({group[place] for group in kept}))
        kept.sort(key=lambda group, place=place, order=order: order.index(group[place]))  # type: ignore[misc]
    if None in {value for group in sizes for value in group}:
        kept += [group for group in sizes if all(value is None for value in group) and sizes[group] >= least]
    if not kept:
        raise NotDrawn(f"{least} questions of one {name}")
    means = {one.group: one for one in over_seeds(table, (*CONDITION, *by))}
    spans = study.intervals(table, (*CONDITION, *by))
    lines = {one.group: one.em for one in tabulate(study.majority, by)}
    models, tiers = study.models, study.tiers
    by_model = len(models) > 1
    across = models if by_model else tiers
    rows: list[tuple[Cell, ...]] = []
    rules: list[int] = []
    for block in tiers if by_model else [""]:
        rules.append(len(rows))
        for group in kept:
            head = [Cell(tier_name(block))] if by_model and len(tiers) > 1 else []
            head += [Cell(label_of(column, value)) for column, value in zip(by, group, strict=True)]
            line = lines.get(group)
            cells = []
            for one in across:
                key = ((one, block) if by_model else (models[0], one)) + group
                mean, span = means.get(key), spans.get(key)
                if mean is None or mean.mean is None or span is None:
                    cells.append(percent(None))
                    continue
                cells.append(
                    percent(
                        mean.mean, low=span.low, high=span.high, dagger=mean.dagger,
                        bold=line is not None and mean.mean > line,
                    )
                )  # fmt: skip
            rows.append((*head, count(sizes[group]), percent(line), *cells))
    heads = [Column("tier", text=True)] if by_model and len(tiers) > 1 else []
    heads += [Column(_TITLES.get(column, column), text=True) for column in by]
    heads += [
        Column("n"),
        Column("majority"),
        *(Column(one if by_model else tier_name(one)) for one in across),
    ]
    notes = [
        "EM in percent, mean over seeds; brackets: 95 % interval by the cluster bootstrap over entities. Bold: "
        "above the majority baseline of the same questions. n: different questions with a true premise."
    ]
    if left := len(groups) - len([group for group in kept if group in groups]):
        notes.append(f"Left out: {left} with fewer than {least} questions.")
    if any(cell.dagger for row in rows for cell in row):
        notes.append("\N{DAGGER} fewer seeds than other cells.")
    what = " and ".join(_TITLES.get(column, column) for column in by)
    title = f"Exact match by {what} ({study.language}, text questions, true premises)"
    return Table(
        name, title, tuple(heads), tuple(rows), tuple(notes), tuple(rules[1:]), intervals=len(across) <= _MOST
    )


def averaged(study: Study, by: str, metric: str) -> dict[tuple[str, Any], tuple[Fraction, int]]:
    """(tier, value) -> (mean over models of the metric's mean over seeds, number of models)."""
    cells: dict[tuple[str, Any], list[Fraction]] = {}
    for one in over_seeds(study.main, ("tier", by, "model"), metric):
        if one.mean is not None:
            cells.setdefault((one.group[0], one.group[1]), []).append(one.mean)
    return {key: (sum(values, Fraction(0)) / len(values), len(values)) for key, values in cells.items()}


def tiers_of(cells: dict[tuple[str, Any], Any]) -> list[str]:
    """The tiers of such a mapping, in order."""
    return in_order(tier for tier, _ in cells)
