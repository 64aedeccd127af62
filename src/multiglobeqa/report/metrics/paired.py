"""Two runs over the same questions: their difference, its interval, its p-value and what difference could be seen.

Both runs are paired by question, and whole clusters (entities) are drawn or swapped, never single questions.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from scipy.special import ndtri

from multiglobeqa.errors import InputError
from multiglobeqa.report.metrics.comparison import Comparison, corrected
from multiglobeqa.report.metrics.groups import encoded, grouped
from multiglobeqa.report.metrics.intervals import FEW, checked
from multiglobeqa.report.metrics.measures import Metric, metric_of
from multiglobeqa.report.metrics.resample import (
    Array,
    bootstrap,
    cluster_sums,
    generator,
    percentile,
    rates,
    wilson,
)
from multiglobeqa.report.metrics.rows import Rows, rows_of
from multiglobeqa.report.metrics.significance import TINY, Options, mcnemar, swap_p

_RUN: Final = ("run", "model", "tier")
_OF_REPLIES: Final = (*_RUN, "seed", "status", "diagnosis")


def compare(
    a: pa.Table,
    b: pa.Table,
    by: Sequence[str] = (),
    metric: str = "em",
    *,
    names: tuple[str, str] | None = None,
    common: bool = False,
    options: Options | None = None,
) -> list[Comparison]:
    """Compare two runs, each a joined table of one (run, model, tier); several seeds are averaged question by
    question.

    Parameters
    ----------
    by : columns of the question that make groups; Holm's correction is over the groups.
    names : what the runs are called; by default the column ``run``.
    common : compare the questions that both have; else a question of one run alone is an error.

    Raises
    ------
    InputError : a table holds several runs, the questions differ, a column is missing, or a row is no scored reply.
    """
    for table in (a, b):
        _one_run(table)
    if wrong := [name for name in by if name in _OF_REPLIES]:
        raise InputError(
            f"{wrong[0]!r} is no column of the questions.", mend="Group by what both runs share."
        )
    return paired(
        a,
        b,
        by,
        metric,
        key=("id", "language"),
        names=names or (_name(a), _name(b)),
        common=common,
        options=options,
    )


def compare_all(
    table: pa.Table,
    column: str = "run",
    by: Sequence[str] = (),
    metric: str = "em",
    *,
    common: bool = False,
    options: Options | None = None,
) -> list[Comparison]:
    """Compare every pair of the values of ``column``; Holm's correction is over all pairs and groups."""
    codes, values = encoded(table[column], column)
    tables = [table.filter(pa.array(codes == place)) for place in range(len(values))]
    found: list[Comparison] = []
    for first, second in itertools.combinations(range(len(values)), 2):
        names = (str(values[first]), str(values[second]))
        found += compare(
            tables[first], tables[second], by, metric, names=names, common=common, options=options
        )
    return corrected(found)


def paired(
    a: pa.Table,
    b: pa.Table,
    by: Sequence[str],
    metric: str,
    *,
    key: Sequence[str],
    names: tuple[str, str],
    common: bool,
    options: Options | None = None,
) -> list[Comparison]:
    """Compare two sets of rows paired by the columns ``key``; rows that share a key on one side are averaged."""
    options = options or Options()
    checked(options.draws, options.level)
    checked(options.flips, options.power)
    measure = metric_of(metric)
    needed = list(dict.fromkeys((*key, *by, "cluster", "status", "premise", "em", "ne", "carrier")))
    both = pa.concat_tables([_plain(a, needed), _plain(b, needed)])
    side = np.repeat([0, 1], [a.num_rows, b.num_rows])
    rows, pairs, groups = rows_of(both), grouped(both, key), grouped(both, by)
    seen = [np.bincount(pairs.codes[side == each], minlength=len(pairs)) for each in (0, 1)]
    matched = (seen[0] > 0) & (seen[1] > 0)
    alone = [int(((seen[each] > 0) & ~matched).sum()) for each in (0, 1)]
    if not common and not matched.all():
        example = pairs.keys[int(np.argmin(matched))]
        raise InputError(
            f"{alone[0]:,} questions are only in {names[0]}, {alone[1]:,} only in {names[1]}.",
            source="scores",
            place=" ".join(map(str, example)),
            mend="Complete the runs, or compare the questions that both have.",
        )
    times = np.stack(seen)[side, pairs.codes]
    values = rows.terms(measure) / times[:, None]
    several = bool(np.any(times > 1))
    clusters, cluster_names = encoded(both["cluster"], "cluster")
    keep = matched[pairs.codes]
    found = []
    for at, group in enumerate(groups.keys):
        mine = keep & (groups.codes == at) if len(groups) > 1 else keep
        rng = generator(options.seed, "paired", metric, tuple(by), group, names)
        found.append(
            _one(
                group, measure, names, values[mine], side[mine], pairs.codes[mine], clusters[mine],
                len(cluster_names), None if several else rows, mine, options, rng, (alone[0], alone[1]),
            )
        )  # fmt: skip
    return corrected(found)


def _one(
    group: tuple[Any, ...],
    metric: Metric,
    names: tuple[str, str],
    values: Array,
    side: NDArray[np.int64],
    pairs: NDArray[np.int64],
    clusters: NDArray[np.int64],
    size: int,
    rows: Rows | None,
    chosen: NDArray[np.bool_],
    options: Options,
    rng: np.random.Generator,
    alone: tuple[int, int],
) -> Comparison:
    signs = tuple(term.sign for term in metric.terms)
    _, local = np.unique(clusters, return_inverse=True)
    count = int(local.max(initial=-1)) + 1
    a, b = (cluster_sums(local[side == each], values[side == each], count) for each in (0, 1))
    used = np.any(a[:, 1::2] > 0, axis=1) | np.any(b[:, 1::2] > 0, axis=1)
    a, b = a[used], b[used]
    questions = len(np.unique(pairs[np.any(values[:, 1::2] > 0, axis=1)]))
    totals = [one.sum(axis=0, keepdims=True) for one in (a, b)]
    rate_a, rate_b = (_finite(rates(total, signs)[0]) for total in totals)
    empty = Comparison(
        group, metric.name, *names, rate_a, rate_b, None, None, None, None, False, None, questions, len(a),
        None, None, None, None, None, None, None, *alone, "no item",
    )  # fmt: skip
    if rate_a is None or rate_b is None:
        return empty
    difference = rate_a - rate_b
    only_a, only_b, exact_p = _discordant(metric, rows, chosen, side, pairs)
    result = replace(empty, difference=difference, only_a=only_a, only_b=only_b, mcnemar=exact_p, note="")
    if len(a) == 1:
        return replace(result, note="no interval: one cluster")
    low, high, note = _interval(a, b, signs, difference, options, rng)
    p, exact = swap_p(a, b, signs, difference, options, rng)
    robust = _influence(a, signs, totals[0]) - _influence(b, signs, totals[1])
    se = math.sqrt(len(a) / (len(a) - 1) * float(robust @ robust))
    correlation, design = _by_question(values, side, pairs, signs, totals, se)
    z = float(ndtri((1 + options.level) / 2) + ndtri(options.power))
    return replace(
        result, low=low, high=high, note=note, p=p, exact=exact, se=se, detectable=z * se if se else None,
        correlation=correlation, design=design,
    )  # fmt: skip


def _interval(
    a: Array, b: Array, signs: tuple[int, ...], difference: float, options: Options, rng: np.random.Generator
) -> tuple[float, float, str]:
    drawn = bootstrap(np.hstack([a, b]), options.draws, rng)
    gaps = rates(drawn[:, : a.shape[1]], signs) - rates(drawn[:, a.shape[1] :], signs)
    kept = gaps[np.isfinite(gaps)]
    if not len(kept) or np.ptp(kept) < TINY:
        if abs(difference) < TINY:  # no cluster differs: at most this share of clusters would
            bound = wilson(0.0, len(a), options.level)[1]
            return -bound, bound, "no cluster differs: Wilson over clusters"
        span = len(signs)
        low, high = wilson((difference + span) / (2 * span), len(a), options.level)
        return 2 * span * low - span, 2 * span * high - span, "all clusters alike: Wilson over clusters"
    note = f"fewer than {FEW} clusters: likely too narrow" if len(a) < FEW else ""
    if len(kept) < options.draws:
        note = "; ".join(filter(None, (note, f"{options.draws - len(kept)} draws without an item left out")))
    return *percentile(kept, options.level), note


def _influence(sums: Array, signs: tuple[int, ...], total: Array) -> Array:
    """(C,) what each cluster adds to the metric, to first order: sum of sign (part - rate x whole) / all wholes."""
    result = np.zeros(len(sums))
    for term, sign in enumerate(signs):
        part, whole = total[0, 2 * term], total[0, 2 * term + 1]
        result += sign * (sums[:, 2 * term] - part / whole * sums[:, 2 * term + 1]) / whole
    return result


def _by_question(
    values: Array,
    side: NDArray[np.int64],
    pairs: NDArray[np.int64],
    signs: tuple[int, ...],
    totals: list[Array],
    se: float,
) -> tuple[float | None, float | None]:
    """Correlation of the two runs' values over questions, and the design effect (se / se of independent
    questions)^2."""
    _, local = np.unique(pairs, return_inverse=True)
    size = int(local.max()) + 1
    a, b = (cluster_sums(local[side == each], values[side == each], size) for each in (0, 1))
    gap = _influence(a, signs, totals[0]) - _influence(b, signs, totals[1])
    plain = size / (size - 1) * float(gap @ gap) if size > 1 else 0.0
    design = se * se / plain if plain > 0 else None
    both = (a[:, 1] > 0) & (b[:, 1] > 0)
    x, y = a[both, 0] / a[both, 1], b[both, 0] / b[both, 1]
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return None, design
    return float(np.clip(np.corrcoef(x, y)[0, 1], -1, 1)), design


def _discordant(
    metric: Metric,
    rows: Rows | None,
    chosen: NDArray[np.bool_],
    side: NDArray[np.int64],
    pairs: NDArray[np.int64],
) -> tuple[int | None, int | None, float | None]:
    if metric.name != "em" or rows is None:
        return None, None, None
    right = (rows.em[chosen] == 1) & (rows.kind[chosen] > 0)
    won = [np.unique(pairs[right & (side == each)]) for each in (0, 1)]
    only_a, only_b = len(np.setdiff1d(won[0], won[1])), len(np.setdiff1d(won[1], won[0]))
    return only_a, only_b, mcnemar(only_a, only_b)


def _one_run(table: pa.Table) -> None:
    """One model at one tier; its seeds may stand in several runs, where the model is named."""
    counts = {name: table[name].unique().to_pylist() for name in _RUN if name in table.column_names}
    seeds_apart = counts.get("model", [""]) not in ([""], [None])
    for name, values in counts.items():
        if len(values) > 1 and not (name == "run" and seeds_apart):
            raise InputError(
                f"holds several values of {name!r}.", source="scores", mend="Compare two runs at a time."
            )


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _name(table: pa.Table) -> str:
    values = table["run"].unique().to_pylist() if "run" in table.column_names else []
    return str(values[0]) if values else ""


def _plain(table: pa.Table, columns: Sequence[str]) -> pa.Table:
    if missing := [name for name in columns if name not in table.column_names]:
        raise InputError(
            f"has no column {missing[0]!r}.", source="scores", mend="Join the scores to their questions."
        )
    return pa.table(
        {
            name: pc.cast(table[name], table[name].type.value_type)
            if pa.types.is_dictionary(table[name].type)
            else table[name]
            for name in columns
        }
    )
