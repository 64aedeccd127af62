"""Figure 21: each language's EM relative to English."""

from __future__ import annotations

from typing import Any, Final

from multiglobeqa.report.figures.data import FigureData, Row, points
from multiglobeqa.report.figures.style import GREY, clean, mark, model_style, new, tier_style
from multiglobeqa.report.tables.conditions import headline_tiers, in_order, tier_name
from multiglobeqa.report.tables.languages import language_name, study_deltas
from multiglobeqa.report.tables.study import Study

COLUMNS: Final = (
    "panel",
    "model",
    "tier",
    "language",
    "EM",
    "English EM",
    "delta",
    "low",
    "high",
    "questions",
)


def delta_data(study: Study) -> FigureData:
    """Panel a: the tier that most models were run at (of equal ones the first); panel b: the model with most tiers."""
    found = study_deltas(study)
    shown = headline_tiers(found)
    kept = {key: each for key, each in found.items() if key[1] in shown}
    tiers = in_order(tier for _, tier in kept)
    first = max(tiers, key=lambda tier: (sum(key[1] == tier for key in kept), -tiers.index(tier)))
    models = sorted({model for model, _ in kept})
    best = max(models, key=lambda model: (sum(key[0] == model for key in kept), -models.index(model)))
    rows: list[Row] = []
    for panel, chosen in (
        ("a", [(model, first) for model in models if (model, first) in kept]),
        ("b", [(best, tier) for tier in tiers if (best, tier) in kept]),
    ):
        if panel == "b" and len(chosen) < 2:
            continue
        for condition in chosen:
            rows += [
                (panel, *condition, language_name(one.language), points(one.value), points(one.pair.b),
                 points(one.delta), points(one.pair.low), points(one.pair.high), one.pair.questions)
                for one in kept[condition]
            ]  # fmt: skip
    caption = (
        "EM of each language minus that of English on the same questions (text questions, true premises), with 95 "
        f"% intervals. (a) {tier_name(first)}, all models."
        + (f" (b) {best}, by tier." if any(row[0] == "b" for row in rows) else "")
        + " Parentheses: EM in English; equal differences are not comparable where it differs."
    )
    return FigureData("figure21", "Figure 21: languages relative to English", COLUMNS, tuple(rows), caption)


def draw_delta(data: FigureData) -> Any:
    """One or two panels; languages from best to worst by their mean difference in panel a."""
    panels = data.values("panel")
    models, tiers = sorted({row[1] for row in data.rows if row[0] == "a"}), in_order(data.values("tier"))
    sums: dict[str, list[float]] = {}
    for record in data.records(panel="a"):
        if record["delta"] is not None:
            sums.setdefault(record["language"], []).append(record["delta"])
    order = sorted(sums, key=lambda name: (-sum(sums[name]) / len(sums[name]), name))
    order += [name for name in data.values("language") if name not in order]
    most = max(len({row[1:3] for row in data.rows if row[0] == panel}) for panel in panels)
    figure = new(4.7 * len(panels) + 0.8, max(2.6, 1.7 + len(order) * (0.16 + 0.085 * most)))
    bounds = [row[place] for row in data.rows for place in (6, 7, 8) if row[place] is not None]
    margin = 0.04 * (max(*bounds, 0.0) - min(*bounds, 0.0)) + 0.1
    parts = figure.subfigures(1, len(panels), width_ratios=[1.18, 1.0][: len(panels)], squeeze=False)[0]
    for place, panel in enumerate(panels):
        axes = parts[place].add_subplot()
        handles = _panel(axes, data.records(panel=panel), panel, order, models, tiers)
        axes.set_xlim(min(*bounds, 0.0) - margin, max(*bounds, 0.0) + margin)
        parts[place].legend(
            handles=handles,
            loc="outside lower center",
            ncols=2,
            title="EM in English in parentheses",
            title_fontsize=7,
        )
        if place:
            axes.set_yticklabels([])
    return figure


def _panel(
    axes: Any,
    records: list[dict[str, Any]],
    panel: str,
    order: list[str],
    models: list[str],
    tiers: list[str],
) -> list[Any]:
    """Draw one panel; returns the entries of its legend."""
    series = list(dict.fromkeys((record["model"], record["tier"]) for record in records))
    handles = []
    for at, (model, tier) in enumerate(series):
        if panel == "a":
            style = model_style(models, model)
            colour, marker, label = style["color"], style["marker"], model
        else:
            colour, marker, _ = tier_style(tier, tiers.index(tier))
            label = tier_name(tier)
        shift = (at - (len(series) - 1) / 2) * 0.72 / len(series)
        mine = [record for record in records if (record["model"], record["tier"]) == (model, tier)]
        for record in mine:
            if record["delta"] is None:
                continue
            y = order.index(record["language"]) + shift
            if record["low"] is not None:
                axes.plot([record["low"], record["high"]], [y, y], color=colour, linewidth=0.9, alpha=0.75)
            axes.plot(
                record["delta"], y, marker=marker, color=colour, markersize=5, linestyle="none",
                markeredgecolor="white", markeredgewidth=0.4, zorder=3,
            )  # fmt: skip
        english = mine[0]["English EM"]
        handles.append(mark(label if english is None else f"{label} ({english:.1f})", colour, marker))
    for y in range(1, len(order)):
        axes.axhline(y - 0.5, color="#eeeeee", linewidth=0.6, zorder=0)
    axes.axvline(0, color=GREY, linewidth=0.9, zorder=0)
    axes.set_yticks(range(len(order)), [clean(name) for name in order])
    axes.set(ylim=(len(order) - 0.5, -0.5), xlabel="EM minus English (points)")
    head = f"{tier_name(series[0][1])}, all models" if panel == "a" else f"{series[0][0]}, by tier"
    axes.set_title(clean(f"({panel}) {head}"), loc="left")
    axes.grid(axis="x")
    axes.tick_params(axis="y", length=0)
    return handles
