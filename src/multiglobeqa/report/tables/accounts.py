"""How replies end, premises, near misses, diagnoses, costs, gold triples, the two variants: one row a model "
"and tier."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from multiglobeqa.report.metrics import (
    STATUSES,
    costs,
    gold_triples,
    grouped,
    over_seeds,
    representativeness,
    tabulate,
)
from multiglobeqa.report.tables.cell import (
    Cell,
    Column,
    NotDrawn,
    Table,
    columns,
    count,
    number,
    percent,
    signed,
    words,
)
from multiglobeqa.report.tables.conditions import AGENTS, tier_name
from multiglobeqa.report.tables.study import CONDITION, Study


def statuses(study: Study) -> Table:
    """How replies to true-premise questions ended, and EM without harness errors."""
    scores = {one.group: one for one in tabulate(study.main, CONDITION)}
    rows = []
    for condition in study.conditions:
        one = scores[condition]
        rows.append(
            (
                *words(condition[0], tier_name(condition[1])), count(one.questions),
                *(count(getattr(one, status)) for status in STATUSES),
                percent(one.coverage), percent(one.em), percent(one.em_without_harness), percent(one.em_covered),
            )
        )  # fmt: skip
    return Table(
        "status",
        f"How replies ended ({study.language}, text questions, true premises; all seeds)",
        columns(
            "model", "tier", "replies", *STATUSES, "coverage", "EM", "EM without harness errors", "EM of answered",
            text=2,
        ),
        tuple(rows),
        (
            "The statuses add up to the replies asked for; missing: no reply, counted as wrong.",
            "EM = coverage x EM of answered. EM without harness errors leaves out harness and overflow.",
        ),
    )  # fmt: skip


def premises(study: Study) -> Table:
    """Premise detection against abstention."""
    scores = {one.group: one for one in tabulate(study.main, CONDITION)}
    rows = []
    for condition in study.conditions:
        one = scores[condition]
        rows.append(
            (
                *words(condition[0], tier_name(condition[1])), count(one.false_premise), count(one.carriers.total),
                percent(one.nrr), percent(one.frr_carriers), signed(one.premise_balance), percent(one.nrr_terminated),
                percent(one.rate("frr_carriers_terminated")), percent(one.frr), percent(one.frr_terminated),
            )
        )  # fmt: skip
    if not any(row[2].value for row in rows):
        raise NotDrawn("questions with a false premise")
    heads = (
        Column("model", text=True), Column("tier", text=True), Column("false premises"), Column("answerable"),
        Column("NRR"), Column("FRR"), Column("NRR - FRR"), Column("NRR", "ended in budget"),
        Column("FRR", "ended in budget"), Column("FRR", "all questions"), Column("FRR, in budget", "all questions"),
    )  # fmt: skip
    return Table(
        "premise",
        f"Premise detection ({study.language}, text questions; all seeds)",
        heads,
        tuple(rows),
        (
            "NRR: false premises declined. FRR: answerable questions declined, of the sub-templates that carry "
            "false premises; of all questions in the last two columns. NRR - FRR = 0 is chance.",
        ),
    )


def shares(study: Study) -> Table:
    """Shares of NE = 0, between and 1."""
    scores = {one.group: one for one in tabulate(study.main, CONDITION)}
    names = ("ne_zero", "ne_between", "ne_one", "ne")
    rows = [
        (
            *words(condition[0], tier_name(condition[1])), count(scores[condition].questions),
            *(percent(scores[condition].rate(name)) for name in names),
        )
        for condition in study.conditions
    ]  # fmt: skip
    rows.append((*words("all", ""), count(tabulate(study.main)[0].questions),
                 *(percent(tabulate(study.main)[0].rate(name)) for name in names)))  # fmt: skip
    heads = columns("model", "tier", "replies", "NE = 0", "0 < NE < 1", "NE = 1", "mean NE", text=2)
    title = f"Near misses: shares of normalised error ({study.language}, text questions, true premises; all seeds)"
    return Table("ne_shares", title, heads, tuple(rows), rules=(len(rows) - 1,))


def diagnoses(study: Study) -> Table:
    """Why wrong answers are wrong."""
    column = study.main["diagnosis"].cast(pa.string())
    wrong = np.asarray(
        pc.and_(pc.and_(study.main["premise"], pc.equal(study.main["em"], 0)),
                pc.equal(study.main["status"].cast(pa.string()), "answered")), dtype=np.bool_)  # fmt: skip
    if column.null_count == len(column):
        raise NotDrawn("scores that hold a diagnosis")
    table = study.main.filter(pa.array(wrong))
    groups = grouped(table, ("diagnosis", *CONDITION))
    sizes = dict(zip(groups.keys, np.bincount(groups.codes, minlength=len(groups)).tolist(), strict=True))
    totals: dict[str | None, int] = {}
    for key, size in sizes.items():
        totals[key[0]] = totals.get(key[0], 0) + size
    order = sorted(totals, key=lambda name: (name is None, -totals[name], name or ""))
    rows: list[tuple[Cell, ...]] = []
    rules = []
    for tier in study.tiers:
        rules.append(len(rows))
        whole = {model: sum(sizes.get((name, model, tier), 0) for name in order) for model in study.models}
        for name in order:
            cells = [
                percent(sizes.get((name, model, tier), 0) / size if size else None)
                for model, size in whole.items()
            ]
            label = name.replace("_", " ") if name else "not explained"
            rows.append((*words(tier_name(tier), label), *cells))
        rows.append((*words(tier_name(tier), "wrong answers"), *(count(size) for size in whole.values())))
    heads = (
        Column("tier", text=True),
        Column("diagnosis", text=True),
        *(Column(model) for model in study.models),
    )
    title = f"Diagnosis of wrong answers, percent of them ({study.language}, text questions, true premises; all seeds)"
    return Table("diagnosis", title, heads, tuple(rows), rules=tuple(rules[1:]))


def table14(study: Study) -> Table:
    """Costs: medians over answered questions."""
    found = {one.group: one for one in costs(study.main, CONDITION)}
    if not any(one.tokens is not None or one.seconds is not None for one in found.values()):
        raise NotDrawn("scores that tell tokens or seconds")
    mean = {one.group: one for one in over_seeds(study.main, CONDITION)}
    rows = []
    for condition in study.conditions:
        one, agent = found[condition], condition[1] in AGENTS
        rows.append(
            (
                *words(condition[0], tier_name(condition[1])),
                percent(mean[condition].mean, sd=mean[condition].sd, dagger=mean[condition].dagger),
                number(one.tokens), number(one.tokens_per_correct), number(one.medians["tokens_reasoning"]),
                number(one.steps if agent else None), number(one.tool_calls if agent else None),
                number(one.tool_calls_right if agent else None), number(one.tool_calls_wrong if agent else None),
                percent(one.cap_hit if agent else None), number(one.seconds), number(one.cost),
                percent(one.harness_share),
            )
        )  # fmt: skip
    heads = columns(
        "model", "tier", "EM", "tokens", "tokens per correct answer", "tokens of reasoning", "steps", "tool calls",
        "tool calls, right", "tool calls, wrong", "cap hit", "seconds", "cost", "harness errors", text=2,
    )  # fmt: skip
    notes = (
        "Medians over answered questions with a true premise; tool calls of right and wrong answers are means. "
        "Tokens per correct answer: median tokens / EM. Cap hit: share of questions whose budget was used up. "
        "Harness errors include overflows. A dash: no agent, or not told.",
    )
    title = f"Table 14: compute cost ({study.language}, text questions)"
    return Table("table14", title, heads, tuple(rows), notes)


def table13(study: Study) -> Table:
    """The small variant against the large one at T1."""
    large = study.whole_at_t1
    small = large.filter(pa.array(study.in_small(large)))
    names = {"em": "EM", "ne": "NE", "coverage": "Cov", "em_covered": "EM of answered", "frr": "FRR"}
    found = representativeness(large, small, ("model",), tuple(names))
    rows = [
        (
            *words(one.group[0], names[one.metric]), percent(one.large), percent(one.small), signed(one.delta),
            percent(one.reweighted), signed(one.delta_reweighted),
        )
        for one in sorted(found, key=lambda one: (one.group, list(names).index(one.metric)))
    ]  # fmt: skip
    base_small = study.majority.filter(pa.array(study.in_small(study.majority)))
    (line,) = representativeness(study.majority, base_small, ("model",), ("em",))
    rows.append(
        (
            *words("majority baseline", "EM"), percent(line.large), percent(line.small), signed(line.delta),
            percent(line.reweighted), signed(line.delta_reweighted),
        )
    )  # fmt: skip
    first = found[0]
    notes = [
        "\N{GREEK CAPITAL LETTER DELTA}: small - large. Re-weighted: the small variant's rates by family under the "
        "large variant's mix of families.",
        f"True-premise replies: {first.questions_large:,} large, {first.questions_small:,} small ({first.group[0]}).",
    ]
    if first.present < 1:
        notes.append(f"The small variant's families hold {100 * float(first.present):.1f} % of that mix.")
    heads = columns(
        "model", "metric", "large", "small", "\N{GREEK CAPITAL LETTER DELTA}", "re-weighted",
        "\N{GREEK CAPITAL LETTER DELTA} re-weighted", text=2,
    )  # fmt: skip
    title = f"Table 13: the small variant against the large one ({study.language}, text questions, T1)"
    rules = tuple(place for place in range(1, len(rows)) if rows[place][0].value != rows[place - 1][0].value)
    return Table("table13", title, heads, tuple(rows), tuple(notes), rules)


def triples(study: Study) -> Table:
    """Gold triples a question by income and by density tier."""
    rows: list[tuple[Cell, ...]] = []
    rules = []
    for column in ("income", "density"):
        rules.append(len(rows))
        rows += [
            (*words(column, one.group[0]), count(one.questions), count(one.triples), number(one.mean))
            for one in gold_triples(study.asked_once, (column,))
            if one.group[0] is not None
        ]
    heads = columns("strata", "tier", "questions", "triples", "triples a question", text=2)
    return Table(
        "gold_triples", "Gold triples of true-premise questions", heads, tuple(rows), rules=tuple(rules[1:])
    )
