"""Figures 3, 18 and 19: standardised EM by income and density tier, each tier at its distance from the model's mean."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Final

import pyarrow as pa

from multiglobeqa.report.figures.data import FigureData, Row, mean, points
from multiglobeqa.report.figures.style import BLACK, GREY, LIGHT, clean, legend_below, mark, new
from multiglobeqa.report.metrics import family_mix, standardised
from multiglobeqa.report.tables.breakdowns import DENSITIES, INCOMES
from multiglobeqa.report.tables.cell import NotDrawn
from multiglobeqa.report.tables.conditions import in_order, tier_name
from multiglobeqa.report.tables.study import CONDITION, Study

_SHOWN: Final = ("T1", "T3a", "T3-o")
"""The tiers of the paper's figures; where none of them was run, all are shown."""
_MARKS: Final = {
    "HIC": ("#0072b2", "o"), "UMC": ("#56b4e9", "D"), "LMC": ("#e69f00", "s"), "LIC": ("#d55e00", "^"),
    "high": ("#0072b2", "o"), "medium": ("#e69f00", "s"), "low": ("#d55e00", "^"),
}  # fmt: skip
_ORDER: Final = {"income": INCOMES, "density": DENSITIES}
COLUMNS: Final = (
    "strata", "tier", "model", "stratum", "standardised EM", "low", "high", "distance", "mean", "raw EM", "present",
)  # fmt: skip


def strata_data(name: str, number: int, column: str) -> Callable[[Study], FigureData]:
    """Figure 3 (income) or 18 (density)."""

    def made(study: Study) -> FigureData:
        tiers = [tier for tier in study.tiers if tier in _SHOWN] or study.tiers
        rows = _rows(study, study.main, column, tiers)
        return FigureData(
            name,
            f"Figure {number}: accuracy by {column} tier",
            COLUMNS,
            tuple(rows),
            _caption(study, rows, [column]),
        )

    return made


def large_data(study: Study) -> FigureData:
    """Figure 19: both at T1 over the large variant."""
    table = study.whole_at_t1
    rows = [*_rows(study, table, "income", ["T1"]), *_rows(study, table, "density", ["T1"])]
    caption = _caption(study, rows, ["income", "density"]) + " Large variant, T1."
    title = "Figure 19: accuracy by income and density tier, large variant"
    return FigureData("figure19", title, COLUMNS, tuple(rows), caption)


def _rows(study: Study, table: pa.Table, column: str, tiers: Sequence[str]) -> list[Row]:
    order = _ORDER[column]
    mix = family_mix(table)
    found = standardised(table, (*CONDITION, column), mix, draws=study.draws, seed=study.seed)
    cells = {one.group: one for one in found if one.group[2] in order and one.value is not None}
    rows: list[Row] = []
    for tier in tiers:
        for model in sorted({group[0] for group in cells if group[1] == tier}):
            mine = {
                stratum: cells[model, tier, stratum] for stratum in order if (model, tier, stratum) in cells
            }
            if len(mine) < 2:
                continue
            middle = mean([one.value for one in mine.values() if one.value is not None])
            for stratum, one in mine.items():
                value = one.value or Fraction(0)
                rows.append(
                    (column, tier, model, stratum, points(value), points(one.low), points(one.high),
                     points(value - middle), points(middle), points(one.raw), points(one.present))
                )  # fmt: skip
    if not rows:
        raise NotDrawn(f"questions of two {column} tiers")
    return rows


def _caption(study: Study, rows: list[Row], what: list[str]) -> str:
    partial = any(row[10] < 100 - 1e-9 for row in rows)
    return (
        f"Standardised EM by {' and '.join(what)} tier ({study.language}, text questions): each tier's own rates by "
        "family under the mix of families of all questions. Each row is one model at one tier of evaluation; marks "
        "stand at their distance from the row's mean, which is printed at the right, with the gap between the "
        "first and the last tier."
        + (" Hollow: some families are absent, and the value says nothing of them." if partial else "")
    )


def draw_strata(data: FigureData) -> Any:
    """One panel a tier of evaluation, or one a kind of strata where there are two."""
    kinds, tiers = data.values("strata"), in_order(data.values("tier"))
    panels = [(kind, tier) for kind in kinds for tier in tiers]
    largest = max(len({row[2] for row in data.rows if row[:2] == panel}) for panel in panels)
    figure = new(3.1 * len(panels) + 1.5, max(2.2, 1.35 + 0.32 * largest))
    reach = max(abs(row[7]) for row in data.rows) * 1.18 + 0.3
    for place, (kind, tier) in enumerate(panels):
        axes = figure.add_subplot(1, len(panels), place + 1)
        records = data.records(strata=kind, tier=tier)
        _panel(axes, records, _ORDER[kind], reach)
        axes.set_title(f"{tier_name(tier)}, {kind}" if len(kinds) > 1 else tier_name(tier))
        if (
            place
            and len({tuple(sorted({row[2] for row in data.rows if row[:2] == panel})) for panel in panels})
            == 1
        ):
            axes.set_yticklabels([])
    handles = [
        mark(stratum, *_MARKS[stratum])
        for kind in kinds
        for stratum in _ORDER[kind]
        if stratum in data.values("stratum")
    ]
    legend_below(figure, handles, len(handles))
    return figure


def _panel(axes: Any, records: list[dict[str, Any]], order: Sequence[str], reach: float) -> None:
    models = list(dict.fromkeys(record["model"] for record in records))
    for at, model in enumerate(models):
        mine = {record["stratum"]: record for record in records if record["model"] == model}
        values = [record["distance"] for record in mine.values()]
        axes.plot(
            [min(values), max(values)], [at, at], color=LIGHT, linewidth=3, solid_capstyle="round", zorder=1
        )
        for stratum, record in mine.items():
            colour, marker = _MARKS[stratum]
            lane = (order.index(stratum) - (len(order) - 1) / 2) * 0.13
            whole = record["present"] > 100 - 1e-9
            axes.plot(
                record["distance"], at + lane, marker=marker, markersize=6, linestyle="none", color=colour, zorder=3,
                markerfacecolor=colour if whole else "white", markeredgewidth=1.0,
                markeredgecolor="white" if whole else colour,
            )  # fmt: skip
        some = next(iter(mine.values()))
        ends = [mine[stratum]["standardised EM"] for stratum in (order[0], order[-1]) if stratum in mine]
        gap = f"  {ends[0] - ends[1]:+.1f}".replace("-", "\N{MINUS SIGN}") if len(ends) == 2 else ""
        axes.annotate(
            f"{some['mean']:.1f}{gap}", (1, at), xycoords=("axes fraction", "data"), xytext=(4, 0),
            textcoords="offset points", va="center", fontsize=7, annotation_clip=False,
        )  # fmt: skip
    axes.axvline(0, color=GREY, linewidth=0.8, zorder=0)
    axes.annotate(
        f"mean  {order[0]} \N{MINUS SIGN} {order[-1]}", (1, 1), xycoords="axes fraction", xytext=(4, 3),
        textcoords="offset points", fontsize=6.5, color=BLACK, va="bottom",
    )  # fmt: skip
    axes.set_yticks(range(len(models)), [clean(model) for model in models])
    axes.set(
        xlim=(-reach, reach), ylim=(len(models) - 0.4, -0.6), xlabel="distance from the mean (points of EM)"
    )
    axes.grid(axis="x")
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
