"""Figures 2 and 13 to 17: EM or NE by family and by format, a row each, a mark a tier."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

from multiglobeqa.report.figures.data import FigureData, Row, points
from multiglobeqa.report.figures.style import BLACK, LIGHT, clean, legend_below, mark, new, tier_style
from multiglobeqa.report.metrics import METRICS, over_seeds, tabulate
from multiglobeqa.report.tables.breakdowns import averaged, label_of, ordered
from multiglobeqa.report.tables.cell import NotDrawn
from multiglobeqa.report.tables.conditions import headline_tiers, in_order
from multiglobeqa.report.tables.study import Study, true_questions

LEAST: Final = 10
"""Families and formats with fewer questions are left out."""
_ORACLE: Final = "T3-o"
_ACROSS: Final = 4
_LANES: Final = (-0.2, 0.0, 0.2)
"""Tiers take turns in three lanes of a row, so that marks of near values stay visible."""


def averaged_data(name: str, number: int, metric: str) -> Callable[[Study], FigureData]:
    """Figure 2 (EM) or 13 (NE): mean over models, by family (panel a) and by format (panel b)."""

    def made(study: Study) -> FigureData:
        tiers = headline_tiers(study.conditions)
        rows: list[Row] = []
        left = []
        for panel in ("family", "format"):
            sizes = true_questions(study.main, (panel,))
            lines = {one.group[0]: one.rate(metric) for one in tabulate(study.majority, (panel,))}
            cells = averaged(study, panel, metric)
            for value in ordered(panel, [group[0] for group in sizes]):
                if sizes[value,] < LEAST:
                    left.append(f"{value} ({sizes[value,]})")
                    continue
                for tier in tiers:
                    if (tier, value) in cells:
                        found, models = cells[tier, value]
                        rows.append(
                            (panel, label_of(panel, value), sizes[value,], tier, points(found), models,
                             points(lines.get(value)))
                        )  # fmt: skip
        if not rows:
            raise NotDrawn(f"{LEAST} questions of a family or format")
        label = METRICS[metric].label
        caption = (
            f"{label} by family (a) and answer format (b), mean over models ({study.language}, text questions). "
            f"Parentheses: true-premise questions. The value at {_printed_tier(tiers)} is printed at the right."
            + (f" Left out, fewer than {LEAST} questions: {', '.join(left)}." if left else "")
            + _uneven(rows)
        )
        columns = ("panel", "group", "questions", "tier", label, "models", "majority")
        title = f"Figure {number}: {label} by family and answer format"
        return FigureData(name, title, columns, tuple(rows), caption)

    return made


def _printed_tier(tiers: list[str]) -> str:
    return _ORACLE if _ORACLE in tiers else tiers[-1] or "no tier"


def _uneven(rows: list[Row]) -> str:
    models: dict[str, int] = {}
    for row in rows:
        models[row[3]] = max(models.get(row[3], 0), row[5])
    most = max(models.values())
    fewer = [f"{tier} {count} of {most}" for tier, count in models.items() if count < most]
    return f" Models: {', '.join(fewer)}." if fewer else ""


def draw_averaged(data: FigureData) -> Any:
    """Two panels beside each other."""
    label = data.columns[4]
    counts = [len({row[1] for row in data.rows if row[0] == panel}) for panel in ("family", "format")]
    figure = new(10.2, 1.35 + 0.31 * max(counts))
    tiers = in_order(data.values("tier"))
    panels = [panel for panel, size in zip(("family", "format"), counts, strict=True) if size]
    for place, panel in enumerate(panels):
        axes = figure.add_subplot(1, len(panels), place + 1)
        records = data.records(panel=panel)
        _rows(axes, records, label, tiers, _printed_tier(tiers), "majority")
        axes.set_title(
            f"({'ab'[place]}) {label} by {'family' if panel == 'family' else 'answer format'}", loc="left"
        )
    legend_below(figure, _legend(tiers, any(row[6] is not None for row in data.rows)), 9)
    return figure


def _legend(tiers: list[str], majority: bool) -> list[Any]:
    handles = [mark(tier or "no tier", *tier_style(tier, place)[:2]) for place, tier in enumerate(tiers)]
    if majority:
        handles.append(mark("majority baseline", BLACK, "|", markeredgewidth=1.6))
    return handles


def _rows(
    axes: Any, records: list[dict[str, Any]], label: str, tiers: list[str], printed: str, line: str | None
) -> None:
    """One row a group: a grey span, a mark a tier, the baseline as a stroke, one value printed at the right."""
    groups = list(dict.fromkeys((record["group"], record["questions"]) for record in records))
    for at, (group, _) in enumerate(groups):
        mine = [record for record in records if record["group"] == group]
        values = [record[label] for record in mine]
        axes.plot(
            [min(values), max(values)], [at, at], color=LIGHT, linewidth=3, solid_capstyle="round", zorder=1
        )
        for record in mine:
            turn = tiers.index(record["tier"])
            colour, marker, _ = tier_style(record["tier"], turn)
            axes.plot(
                record[label], at + _LANES[turn % len(_LANES)], color=colour, marker=marker, markersize=5.5,
                markeredgecolor="white", markeredgewidth=0.4, linestyle="none", zorder=3, clip_on=False,
            )  # fmt: skip
            if record["tier"] == printed:
                axes.annotate(
                    f"{record[label]:.1f}", (1, at), xycoords=("axes fraction", "data"), xytext=(4, 0),
                    textcoords="offset points", va="center", fontsize=7, annotation_clip=False,
                )  # fmt: skip
        if line and mine[0][line] is not None:
            axes.plot(
                mine[0][line], at, color=BLACK, marker="|", markersize=10, markeredgewidth=1.6, zorder=2
            )
    axes.set_yticks(range(len(groups)), [clean(f"{group} ({size:,})") for group, size in groups])
    axes.set(xlim=(0, 100), ylim=(len(groups) - 0.4, -0.6), xlabel=f"{label} (%)")
    axes.grid(axis="x")
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)


def by_model_data(name: str, number: int, panel: str, metric: str) -> Callable[[Study], FigureData]:
    """Figures 14 to 17: a panel a model."""

    def made(study: Study) -> FigureData:
        tiers = headline_tiers(study.conditions)
        sizes = true_questions(study.main, (panel,))
        lines = {one.group[0]: one.rate(metric) for one in tabulate(study.majority, (panel,))}
        cells = {one.group: one for one in over_seeds(study.main, ("model", "tier", panel), metric)}
        rows: list[Row] = []
        for model in study.models:
            for value in ordered(panel, [group[0] for group in sizes]):
                for tier in tiers:
                    one = cells.get((model, tier, value))
                    if one is not None and one.mean is not None and sizes[value,] >= LEAST:
                        rows.append(
                            (model, label_of(panel, value), sizes[value,], tier, points(one.mean), points(one.sd),
                             one.seeds, points(lines.get(value)))
                        )  # fmt: skip
        if not rows:
            raise NotDrawn(f"{LEAST} questions of a {panel}")
        label, what = METRICS[metric].label, "family" if panel == "family" else "answer format"
        caption = (
            f"{label} by {what} and model ({study.language}, text questions). Parentheses: true-premise questions. "
            f"The value at {_printed_tier(tiers)} is printed at the right."
        )
        columns = ("model", "group", "questions", "tier", label, "sd", "seeds", "majority")
        return FigureData(
            name, f"Figure {number}: {label} by {what} and model", columns, tuple(rows), caption
        )

    return made


def draw_by_model(data: FigureData) -> Any:
    """Panels of models, four a line."""
    models, label = data.values("model"), data.columns[4]
    tiers = in_order(data.values("tier"))
    across = min(len(models), _ACROSS)
    down = math.ceil(len(models) / across)
    size = len(data.values("group"))
    figure = new(2.6 + 2.15 * across, (0.75 + 0.29 * size) * down + 0.6)
    for place, model in enumerate(models):
        axes = figure.add_subplot(down, across, place + 1)
        _rows(axes, data.records(model=model), label, tiers, _printed_tier(tiers), "majority")
        axes.set_title(clean(model))
        if place % across:
            axes.set_yticklabels([])
    legend_below(figure, _legend(tiers, any(row[7] is not None for row in data.rows)), 9)
    return figure
