"""Table 4 (models by tiers) and Table 15 (the same on image questions)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import pyarrow as pa

from multiglobeqa.report.metrics import METRICS, SeedMean, over_seeds, tabulate
from multiglobeqa.report.tables.cell import Cell, Column, NotDrawn, Table, count, percent
from multiglobeqa.report.tables.conditions import Condition, headline_tiers, tier_name
from multiglobeqa.report.tables.study import CONDITION, Study, conditions_of, true_questions

_ARROWS = {"high": "\N{UPWARDS ARROW}", "low": "\N{DOWNWARDS ARROW}", "neither": ""}


def table4(study: Study) -> Table:
    """EM, NE and FRR of each model at each tier, mean over seeds."""
    title = f"Table 4: results by tier ({study.language}, text questions, true premises)"
    return _by_tier("table4", title, study, study.main, study.majority, ("em", "ne", "frr"))


def table15(study: Study) -> Table:
    """EM of each model at each tier on image questions."""
    if not study.images.num_rows:
        raise NotDrawn("runs over image questions")
    title = f"Table 15: exact match on image questions ({study.language}, true premises)"
    return _by_tier("table15", title, study, study.images, study.majority_of_images, ("em",))


def _by_tier(
    name: str, title: str, study: Study, table: pa.Table, baseline: pa.Table, metrics: Sequence[str]
) -> Table:
    found = conditions_of(table)
    tiers = headline_tiers(found)
    models = sorted({model for model, tier in found if tier in tiers})
    lines = {metric: tabulate(baseline)[0].rate(metric) for metric in metrics}
    asked = true_questions(table, CONDITION)
    rows: list[tuple[Cell, ...]] = []
    rules: list[int] = []
    fewer = False
    seeds: set[int] = set()
    for metric in metrics:
        rules.append(len(rows))
        cells = {one.group: one for one in over_seeds(table, CONDITION, metric)}
        seeds |= {one.seeds for one in cells.values() if one.seeds}
        for model in models:
            line = [_cell(cells.get((model, tier)), metric, lines[metric]) for tier in tiers]
            fewer |= any(cell.dagger for cell in line)
            rows.append(
                (Cell(METRICS[metric].label + " " + _ARROWS[METRICS[metric].better]), Cell(model), *line)
            )
        if metric == "em":
            rows.append(
                (Cell(rows[0][0].value), Cell("majority baseline"), *(percent(lines[metric]) for _ in tiers))
            )
    rules.append(len(rows))
    rows += [
        (Cell("n"), Cell(model), *(count(asked.get((model, tier))) for tier in tiers)) for model in models
    ]
    notes = [
        "Percent. Every question that was asked counts; a refusal or a missing reply is wrong.",
        f"Parentheses: {_spread(seeds)}."
        if max(seeds, default=1) > 1
        else "One seed: no standard deviation.",
        "Bold: EM above the majority baseline (each sub-template's most frequent answer).",
    ]
    if fewer:
        notes.append(f"\N{DAGGER} fewer seeds than the {max(seeds)} of other cells.")
    if forms := [tier for tier in tiers if tier.startswith("T1-o")]:
        notes.append(f"T1-o: the form {forms[0].removeprefix('T1-o-')}; Figure 11 has the others.")
    notes.append("n: different questions with a true premise, each counted once whatever the seeds.")
    columns = (
        Column("metric", text=True),
        Column("model", text=True),
        *(Column(tier_name(tier)) for tier in tiers),
    )
    return Table(name, title, columns, tuple(rows), tuple(notes), tuple(rules[1:]))


def _spread(seeds: set[int]) -> str:
    several = sorted(number for number in seeds if number > 1)
    span = str(several[0]) if len(several) == 1 else f"{several[0]} to {several[-1]}"
    return f"SD over {span} seeds"


def _cell(one: SeedMean | None, metric: str, line: Fraction | None) -> Cell:
    if one is None or one.mean is None:
        return percent(None)
    bold = metric == "em" and line is not None and one.mean > line
    return percent(one.mean, sd=one.sd, dagger=one.dagger, bold=bold)


def by_condition(study: Study, metric: str) -> dict[Condition, SeedMean]:
    """(model, tier) -> the metric over seeds, of the main questions."""
    return {(one.group[0], one.group[1]): one for one in over_seeds(study.main, CONDITION, metric)}
