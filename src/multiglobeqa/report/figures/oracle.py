"""Figure 11: the three forms of gold triples in the prompt."""

from __future__ import annotations

from typing import Any

import numpy as np

from multiglobeqa.report.figures.data import FigureData, points
from multiglobeqa.report.figures.style import BLACK, clean, legend_below, line, new, swatch, tier_style
from multiglobeqa.report.metrics import over_seeds, tabulate
from multiglobeqa.report.tables.cell import NotDrawn
from multiglobeqa.report.tables.conditions import ORACLE_FORMS
from multiglobeqa.report.tables.study import CONDITION, Study


def oracle_data(study: Study) -> FigureData:
    """EM of each model with each form, mean and SD over seeds."""
    cells = {one.group: one for one in over_seeds(study.main, CONDITION) if one.group[1] in ORACLE_FORMS}
    if len({tier for _, tier in cells}) < 2:
        raise NotDrawn("runs at two of the tiers T1-o-raw, T1-o-structured and T1-o-verbalized")
    rows = tuple(
        (
            model,
            form,
            points(cells[model, form].mean),
            points(cells[model, form].sd),
            cells[model, form].seeds,
        )
        for model in study.models
        for form in ORACLE_FORMS
        if (model, form) in cells
    )
    baseline = points(tabulate(study.majority)[0].em)
    seeds = sorted({row[4] for row in rows})
    spread = f"Strokes: SD over {' or '.join(map(str, seeds))} seeds." if seeds[-1] > 1 else "One seed."
    caption = (
        f"EM with gold triples in the prompt, by their form (T1; {study.language}, text questions). {spread}"
    )
    lines = (("majority baseline", baseline),) if baseline is not None else ()
    columns = ("model", "form", "EM", "sd", "seeds")
    return FigureData("figure11", "Figure 11: forms of gold triples", columns, rows, caption, lines)


def draw_oracle(data: FigureData) -> Any:
    """Grouped bars."""
    models = data.values("model")
    forms = [form for form in ORACLE_FORMS if form in data.values("form")]
    figure = new(max(4.5, 1.5 * len(models) + 1.5), 3.4)
    axes = figure.add_subplot()
    width = 0.8 / len(forms)
    for place, form in enumerate(forms):
        mine = {record["model"]: record for record in data.records(form=form)}
        shown = [model for model in models if model in mine]
        at = np.array([models.index(model) for model in shown]) + (place - (len(forms) - 1) / 2) * width
        heights = [mine[model]["EM"] for model in shown]
        colour, _, hatch = tier_style(form)
        axes.bar(at, heights, width * 0.92, color=colour, hatch=hatch, edgecolor="white", linewidth=0)
        for x, model in zip(at, shown, strict=True):
            sd = mine[model]["sd"]
            if sd is not None:
                axes.errorbar(x, mine[model]["EM"], yerr=sd, color=BLACK, capsize=2, linewidth=0.9)
            axes.text(
                x, mine[model]["EM"] + (sd or 0) + 1.2, f"{mine[model]['EM']:.1f}", ha="center", fontsize=6.5
            )
    for _, value in data.lines:
        axes.axhline(value, color=BLACK, linestyle="--", linewidth=1.0)
    axes.set_xticks(range(len(models)), [clean(model) for model in models])
    axes.set(ylim=(0, 100), ylabel="EM (%)")
    axes.grid(axis="y")
    handles = [swatch(form.removeprefix("T1-o-"), tier_style(form)[0], tier_style(form)[2]) for form in forms]
    legend_below(figure, [*handles, *(line(name) for name, _ in data.lines)])
    return figure
