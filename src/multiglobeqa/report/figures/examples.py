"""Figure 1: three items with their answers, without and with gold triples, and EM by category across tiers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from multiglobeqa.report.figures.data import FigureData, Row, mean, points
from multiglobeqa.report.figures.style import (
    BLACK,
    CORRECT,
    DECLINED,
    GREY,
    LIGHT,
    WRONG,
    clean,
    drawable,
    line,
    new,
    shortened,
    swatch,
    tier_style,
    wrapped,
)
from multiglobeqa.report.metrics import over_seeds, tabulate
from multiglobeqa.report.tables.cell import NotDrawn
from multiglobeqa.report.tables.conditions import ORACLE_FORMS, headline_tiers, in_order, tier_name
from multiglobeqa.report.tables.study import Study
from multiglobeqa.report.values import answer_text
from multiglobeqa.taxonomy.model import CLUSTERS

_KINDS: Final = (("distance",), ("polar", "label"), ("geohash", "cell", "composite"))
"""The formats of the three items: distance, direction, cell; where one is absent another format stands in."""
_MOST: Final = 4
"""Models shown for an item."""
_TICKS: Final = {"right": (CORRECT, "#009e73"), "wrong": (WRONG, "#d55e00"), "declined": (DECLINED, GREY)}
ITEM_COLUMNS: Final = ("part", "id", "format", "question", "gold", "model", "tier", "answer", "result", "category",
"EM", "models")  # fmt: skip


def example_data(study: Study) -> FigureData:
    """The items' rows (part "item"), then those of the bars (part "bar")."""
    tiers = [tier for tier in headline_tiers(study.conditions) if tier != "T3c"]
    rows = [*_items(study), *_bars(study, tiers)]
    baseline = points(tabulate(study.majority)[0].em)
    caption = (
        f"Top: items with the gold answer and the models' first answers, right {CORRECT}, wrong {WRONG}, declined "
        f"{DECLINED}, without and with gold triples. Bottom: EM by category, mean over models ({study.language}, "
        "text questions, true premises). The items were chosen because answers to them differ; they are no sample."
    )
    lines = (("majority baseline", baseline),) if baseline is not None else ()
    return FigureData("figure1", "Figure 1: items and categories", ITEM_COLUMNS, tuple(rows), caption, lines)


def _items(study: Study) -> list[Row]:
    table = study.main
    if "question" not in table.column_names or table["parsed"].null_count == table.num_rows:
        raise NotDrawn("scores that hold the parsed answers")
    plain, informed = _pair(study)
    first = min(table["seed"].unique().to_pylist())
    tier = table["tier"].cast(pa.string())
    kept = pc.and_(
        pc.and_(table["premise"], pc.equal(table["seed"], first)), pc.is_in(tier, pa.array([plain, informed]))
    )
    names = ("id", "format", "question", "gold", "unit", "model", "tier", "status", "parsed", "em")
    shown = table.filter(kept).select([name for name in names if name in table.column_names])
    by_item: dict[str, list[dict[str, Any]]] = {}
    for row in shown.to_pylist():
        by_item.setdefault(row["id"], []).append(row)
    rows: list[Row] = []
    taken: set[str] = set()
    for formats in _KINDS:
        best = _best(by_item, formats, taken, plain, informed)
        if best is None:
            continue
        taken.add(best)
        replies = sorted(by_item[best], key=lambda row: (row["tier"] != plain, row["model"]))
        models = sorted({row["model"] for row in replies})[:_MOST]
        for row in replies:
            if row["model"] in models:
                unit = row.get("unit")
                result = "right" if row["em"] else "declined" if row["status"] == "declined" else "wrong"
                told = answer_text(row["parsed"], unit) if row["status"] == "answered" else row["status"]
                rows.append(
                    ("item", best, row["format"], row["question"], answer_text(row["gold"], unit), row["model"],
                     row["tier"], told, result, None, None, None)
                )  # fmt: skip
    if not rows:
        raise NotDrawn("a question with replies at two tiers or of two models")
    return rows


def _pair(study: Study) -> tuple[str, str]:
    """The tier without and the tier with gold triples that items show."""
    tiers = headline_tiers(study.conditions)
    plain = tiers[0]
    forms = [tier for tier in tiers if tier in ORACLE_FORMS] or [tier for tier in tiers if tier == "T3-o"]
    return plain, forms[0] if forms else plain


def _best(
    items: dict[str, list[dict[str, Any]]],
    formats: tuple[str, ...],
    taken: set[str],
    plain: str,
    informed: str,
) -> str | None:
    """The item whose answers tell most: most replies, then both right and wrong, wrong without and right with triples,
    short text; of equal ones the least id. Other formats stand in where these have no item."""

    def rank(identity: str) -> tuple[Any, ...]:
        rows = items[identity]
        right = [row for row in rows if row["em"]]
        gain = sum(row["tier"] == informed for row in right) - sum(row["tier"] == plain for row in right)
        differs = 0 < len(right) < len(rows)
        still_wrong = any(not row["em"] for row in rows if row["tier"] == informed)
        return (
            -len(rows),
            not differs,
            not (gain > 0 and still_wrong),
            len(rows[0]["question"]) > 110,
            identity,
        )

    pool = [
        identity
        for identity, rows in items.items()
        if identity not in taken and drawable(rows[0]["question"]) and len(rows) > 1
    ]
    own = [identity for identity in pool if items[identity][0]["format"] in formats] or pool
    return min(own, key=rank, default=None)


def _bars(study: Study, tiers: list[str]) -> list[Row]:
    category = {family: name for name, families in CLUSTERS.items() for family in families}
    families = study.main["family"].cast(pa.string()).to_pylist()
    column = pa.chunked_array([pa.array([category.get(family, "Other") for family in families], pa.string())])
    table = study.main.append_column("category", column.dictionary_encode())
    cells: dict[tuple[str, str], list[Fraction]] = {}
    for one in over_seeds(table, ("category", "tier", "model")):
        if one.mean is not None:
            cells.setdefault((one.group[0], one.group[1]), []).append(one.mean)
    order = [*CLUSTERS, "Other"]
    return [
        (
            "bar",
            None,
            None,
            None,
            None,
            None,
            tier,
            None,
            None,
            name,
            points(mean(cells[name, tier])),
            len(cells[name, tier]),
        )
        for name in order
        for tier in tiers
        if (name, tier) in cells
    ]


def draw_examples(data: FigureData) -> Any:
    """Three cards above, bars below."""
    ids = [identity for identity in data.values("id") if identity]
    most = max(len({row[5] for row in data.rows if row[1] == identity}) for identity in ids)
    figure = new(10.4, 3.2 + 1.45 + 0.19 * (most + 1))
    grid = figure.add_gridspec(2, 1, height_ratios=[1.45 + 0.19 * (most + 1), 3.0])
    cards = grid[0].subgridspec(1, len(ids))
    for place, identity in enumerate(ids):
        _card(figure.add_subplot(cards[place]), data.records(part="item", id=identity), most)
    axes = figure.add_subplot(grid[1])
    bars = data.records(part="bar")
    names = list(dict.fromkeys(record["category"] for record in bars))
    tiers = in_order({record["tier"] for record in bars})
    width = 0.84 / len(tiers)
    for place, tier in enumerate(tiers):
        mine = {record["category"]: record["EM"] for record in bars if record["tier"] == tier}
        at = np.array([names.index(name) for name in mine]) + (place - (len(tiers) - 1) / 2) * width
        colour, _, hatch = tier_style(tier, place)
        axes.bar(
            at, list(mine.values()), width * 0.94, color=colour, hatch=hatch, edgecolor="white", linewidth=0
        )
        for x, value in zip(at, mine.values(), strict=True):
            axes.text(
                x, value + 1.2, f"{value:.0f}", ha="center", fontsize=6, zorder=4,
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.4},
            )  # fmt: skip
    for _, value in data.lines:
        axes.axhline(value, color=BLACK, linestyle="--", linewidth=1.0)
    axes.set_xticks(range(len(names)), [wrapped(name, 22) for name in names])
    axes.set(ylim=(0, 100), ylabel="EM (%)", xlim=(-0.5, len(names) - 0.5))
    axes.grid(axis="y")
    handles = []
    for place, tier in enumerate(tiers):
        colour, _, hatch = tier_style(tier, place)
        handles.append(swatch(tier_name(tier), colour, hatch))
    handles += [line(name) for name, _ in data.lines]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))
    return figure


def _card(axes: Any, records: list[dict[str, Any]], most: int) -> None:
    """Question, gold, and a line a model: without and with gold triples."""
    axes.axis("off")
    axes.set(xlim=(0, 1), ylim=(0, 1))
    head, body = 0.30, 0.94
    tiers = list(dict.fromkeys(record["tier"] for record in records))
    axes.text(0.5, 1.0, records[0]["format"], ha="center", va="top", weight="bold", fontsize=8)
    axes.text(0, body - 0.04, wrapped(records[0]["question"], 52, 4), va="top", fontsize=7)
    step = (body - head - 0.12) / (most + 2)
    y = body - head - 0.06
    axes.plot([0, 1], [y + step * 0.55] * 2, color=LIGHT, linewidth=0.8)
    gold = wrapped(records[0]["gold"], 48, 1)
    axes.text(0, y, "gold", va="center", fontsize=7, color=GREY)
    axes.text(0.30, y, gold, va="center", fontsize=7, weight="bold")
    y -= step
    for place, tier in enumerate(tiers):
        axes.text(0.30 + 0.36 * place, y, _head(tier), va="center", fontsize=6.5, color=GREY)
    for model in dict.fromkeys(record["model"] for record in records):
        y -= step
        axes.text(0, y, shortened(model, 16), va="center", fontsize=6.5)
        for record in records:
            if record["model"] == model:
                x = 0.30 + 0.36 * tiers.index(record["tier"])
                tick, colour = _TICKS[record["result"]]
                axes.text(x, y, tick, va="center", fontsize=8, color=colour)
                answer = "declined" if record["result"] == "declined" else wrapped(record["answer"], 19, 1)
                axes.text(x + 0.055, y, answer, va="center", fontsize=6.5)


def _head(tier: str) -> str:
    return "with gold triples" if tier in (*ORACLE_FORMS, "T3-o") else f"without ({clean(tier_name(tier))})"
