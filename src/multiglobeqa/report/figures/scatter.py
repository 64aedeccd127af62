"""Figures 10 (refusal against difficulty), 12 (accuracy against cost) and 20 (premise detection against abstention)."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from multiglobeqa.report.figures.data import FigureData, Row, points
from multiglobeqa.report.figures.style import (
    BLACK,
    GREY,
    clean,
    legend_below,
    line,
    mark,
    model_sign,
    model_style,
    new,
    swatch,
    tier_style,
)
from multiglobeqa.report.metrics import (
    costs,
    difficulty_agreement,
    over_seeds,
    refusal_against_difficulty,
    tabulate,
)
from multiglobeqa.report.tables.cell import NotDrawn
from multiglobeqa.report.tables.conditions import headline_tiers, in_order, tier_name
from multiglobeqa.report.tables.study import CONDITION, Study

_ORACLE: Final = "T3-o"
_ACROSS: Final = 3
RHO: Final = "\N{GREEK SMALL LETTER RHO}"


def refusal_data(study: Study) -> FigureData:
    """Figure 10: false refusals of each family against how hard it is with gold triples."""
    if _ORACLE not in study.tiers:
        raise NotDrawn("a run at tier T3-o, which measures difficulty")
    tiers = [tier for tier in study.tiers if tier in ("T1", "T2", "T3a", "T3b", "T3c")]
    if not tiers:
        raise NotDrawn("a run at tier T1, T2 or T3a to T3c")
    rows: list[Row] = []
    for one in refusal_against_difficulty(study.main):
        model, tier = one.group
        if tier in tiers:
            rows += [
                (tier, model, family, points(x), points(y), one.rho, one.p)
                for family, (x, y) in one.points.items()
            ]
    rows.sort(key=lambda row: (tiers.index(row[0]), row[1], row[2]))
    if not rows:
        raise NotDrawn("families with answers at T3-o")
    agreement = difficulty_agreement(study.main).rho
    caption = (
        "False refusals by family against its difficulty: EM of answered questions at T3-o, mean over models; "
        f"easier to the right ({study.language}, text questions, true premises). Lines: least squares, for "
        f"orientation; {RHO}: Spearman."
        + (f" Ordering families by EM at T3-o instead agrees with {RHO} = {agreement:.2f}."
           if agreement is not None else "")
    )  # fmt: skip
    columns = ("tier", "model", "family", "difficulty", "FRR", "rho", "p")
    return FigureData("figure10", "Figure 10: refusal against difficulty", columns, tuple(rows), caption)


def draw_refusal(data: FigureData) -> Any:
    """A panel a tier."""
    tiers, models = data.values("tier"), sorted(data.values("model"))
    across = min(len(tiers), _ACROSS)
    down = math.ceil(len(tiers) / across)
    figure = new(3.3 * across + 0.4, 3.0 * down + 0.5)
    top = max(row[4] for row in data.rows) * 1.12 + 1
    for place, tier in enumerate(tiers):
        axes = figure.add_subplot(down, across, place + 1)
        for model in models:
            mine = data.records(tier=tier, model=model)
            if not mine:
                continue
            style = model_style(models, model)
            x, y = (np.array([record[name] for record in mine]) for name in ("difficulty", "FRR"))
            axes.plot(
                x,
                y,
                linestyle="none",
                marker=style["marker"],
                color=style["color"],
                markersize=4.5,
                alpha=0.85,
            )
            if len(mine) > 1 and np.ptp(x) > 0:
                slope, base = np.polyfit(x, y, 1)
                ends = np.array([x.min(), x.max()])
                axes.plot(
                    ends,
                    slope * ends + base,
                    color=style["color"],
                    linestyle=style["linestyle"],
                    linewidth=1.2,
                )
        for family, x in {
            record["family"]: record["difficulty"] for record in data.records(tier=tier)
        }.items():
            axes.annotate(
                family,
                (x, 1),
                xycoords=("data", "axes fraction"),
                ha="center",
                va="top",
                fontsize=6,
                color=GREY,
            )
        told = [
            f"{RHO} {_rho(data.records(tier=tier, model=model)[0]['rho'])}  {model}"
            for model in models
            if data.records(tier=tier, model=model)
        ]
        axes.text(
            0.98, 0.93, clean_lines(told), transform=axes.transAxes, ha="right", va="top", fontsize=6.5,
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1.5},
        )  # fmt: skip
        axes.set(
            ylim=(-0.03 * top, top),
            xlabel="EM of answered at T3-o (%): easier \N{RIGHTWARDS ARROW}",
            title=tier_name(tier),
        )
        axes.grid()
        if place % across == 0:
            axes.set_ylabel("FRR (%)")
    legend_below(figure, [_model_mark(models, model) for model in models], 4)
    return figure


def clean_lines(lines: list[str]) -> str:
    """Lines that the fonts can draw."""
    return "\n".join(clean(one) for one in lines)


def _rho(value: float | None) -> str:
    return "\N{EN DASH}" if value is None else f"{value:+.2f}".replace("-", "\N{MINUS SIGN}")


def _swatch(models: list[str], model: str) -> Any:
    return swatch(f"{model_sign(models, model)}  {model}", model_style(models, model)["color"])


def _sign(axes: Any, models: list[str], model: str, place: tuple[float, float]) -> None:
    """The model's letter beside a mark, for those who see no colour."""
    axes.annotate(
        model_sign(models, model), place, xytext=(5, 3), textcoords="offset points", fontsize=6.5, zorder=4,
    )  # fmt: skip


def _round_up(value: float) -> float:
    """The end of an axis from 0: the next ten beyond a margin of five, at least 30, at most 100."""
    return min(100.0, max(30.0, 10.0 * math.ceil((value + 5) / 10)))


def _model_mark(models: list[str], model: str) -> Any:
    style = model_style(models, model)
    return mark(model, style["color"], style["marker"])


def cost_data(study: Study) -> FigureData:
    """Figure 12: EM against median tokens."""
    found = {one.group: one for one in costs(study.main, CONDITION)}
    means = {one.group: one for one in over_seeds(study.main, CONDITION)}
    tiers = headline_tiers(study.conditions)
    rows: list[Row] = [
        (
            model,
            tier,
            found[model, tier].tokens,
            points(means[model, tier].mean),
            points(means[model, tier].sd),
        )
        for model, tier in study.conditions
        if tier in tiers and found[model, tier].tokens
    ]
    if not rows:
        raise NotDrawn("scores that tell tokens_in and tokens_out")
    baseline = points(tabulate(study.majority)[0].em)
    caption = (
        f"EM against median tokens of an answered question, in and out, log scale ({study.language}, text "
        "questions). Colour and letter: model; mark: tier. Arrows run from T3a to T3-o."
    )
    columns = ("model", "tier", "median tokens", "EM", "sd")
    lines = (("majority baseline", baseline),) if baseline is not None else ()
    return FigureData("figure12", "Figure 12: accuracy against cost", columns, tuple(rows), caption, lines)


def draw_cost(data: FigureData) -> Any:
    """One panel."""
    models, tiers = sorted(data.values("model")), in_order(data.values("tier"))
    figure = new(7.2, 4.6)
    axes = figure.add_subplot()
    for model in models:
        colour = model_style(models, model)["color"]
        at = {record["tier"]: (record["median tokens"], record["EM"]) for record in data.records(model=model)}
        if "T3a" in at and _ORACLE in at:
            axes.annotate(
                "", xy=at[_ORACLE], xytext=at["T3a"],
                arrowprops={"arrowstyle": "->", "color": colour, "linewidth": 1.3, "shrinkA": 6, "shrinkB": 6},
            )  # fmt: skip
        for tier, (x, y) in at.items():
            axes.plot(
                x, y, marker=tier_style(tier, tiers.index(tier))[1], color=colour, markersize=8, linestyle="none",
                markeredgecolor="white", markeredgewidth=0.6, zorder=3,
            )  # fmt: skip
            _sign(axes, models, model, (x, y))
    _baseline(axes, data)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.set(xlabel="median tokens per question", ylabel="EM (%)", ylim=(0, 100))
    axes.grid(which="major")
    handles = [_swatch(models, model) for model in models]
    handles += [mark(tier_name(tier), GREY, tier_style(tier, tiers.index(tier))[1]) for tier in tiers]
    handles += [line(name) for name, _ in data.lines]
    figure.legend(handles=handles, loc="outside right center")
    return figure


def _baseline(axes: Any, data: FigureData) -> None:
    for _, value in data.lines:
        axes.axhline(value, color=BLACK, linestyle="--", linewidth=1.0, zorder=1)


def premise_data(study: Study) -> FigureData:
    """Figure 20: false premises declined against answerable questions declined, of the same sub-templates."""
    tiers = headline_tiers(study.conditions)
    rows: list[Row] = []
    scores = {one.group: one for one in tabulate(study.main, CONDITION)}
    for model, tier in study.conditions:
        one = scores[model, tier]
        x, y = one.rate("frr_carriers_terminated"), one.rate("nrr_terminated")
        if tier in tiers and x is not None and y is not None:
            rows.append(
                (model, tier, points(x), points(y), one.carriers.total, one.false_premise, points(one.frr_carriers),
                 points(one.nrr))
            )  # fmt: skip
    if not rows:
        raise NotDrawn("questions with a false premise, and answerable ones of the same sub-templates")
    caption = (
        "False premises declined (NRR) against answerable questions declined (FRR) of the same sub-templates, over "
        f"runs that ended within the budget ({study.language}, text questions). Colour and letter: model; mark: tier. "
        "Dotted: chance."
    )
    columns = ("model", "tier", "FRR", "NRR", "answerable", "false premises", "FRR of all", "NRR of all")
    return FigureData(
        "figure20", "Figure 20: premise detection against abstention", columns, tuple(rows), caption
    )


def draw_premise(data: FigureData) -> Any:
    """One panel; each axis ends where its marks do."""
    models, tiers = sorted(data.values("model")), in_order(data.values("tier"))
    figure = new(6.6, 4.8)
    axes = figure.add_subplot()
    axes.plot([0, 100], [0, 100], color=GREY, linestyle=":", linewidth=1.2)
    for record in data.records():
        axes.plot(
            record["FRR"], record["NRR"], marker=tier_style(record["tier"], tiers.index(record["tier"]))[1],
            color=model_style(models, record["model"])["color"], markersize=8, linestyle="none",
            markeredgecolor="white", markeredgewidth=0.6, zorder=3, clip_on=False,
        )  # fmt: skip
        _sign(axes, models, record["model"], (record["FRR"], record["NRR"]))
    right, top = (_round_up(max(record[name] for record in data.records())) for name in ("FRR", "NRR"))
    axes.set(xlim=(0, right), ylim=(0, top))
    axes.set(xlabel="answerable questions declined, FRR (%)", ylabel="false premises declined, NRR (%)")
    axes.grid()
    handles = [_swatch(models, model) for model in models]
    handles += [mark(tier_name(tier), GREY, tier_style(tier, tiers.index(tier))[1]) for tier in tiers]
    handles.append(line("chance", GREY, ":", 1.2))
    figure.legend(handles=handles, loc="outside right center")
    return figure
