"""Two runs compared: exact p-values by brute force, McNemar, Holm, power by simulation, intervals."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import permutation_test

from multiglobeqa.errors import InputError
from multiglobeqa.report.metrics import Options, compare, compare_all, detectable, holm, mcnemar, wilson

Scored = Callable[[list[dict[str, Any]]], pa.Table]
QUICK = Options(draws=500, flips=2000)


def two(scored: Scored, pairs: list[tuple[int, int, str]], **columns: Any) -> tuple[pa.Table, pa.Table]:
    """Runs a and b from (EM of a, EM of b, cluster) a question."""
    a = scored([{"em": left, "cluster": cluster, "run": "a", **columns} for left, _, cluster in pairs])
    return a, scored(
        [{"em": right, "cluster": cluster, "run": "b", **columns} for _, right, cluster in pairs]
    )


def brute(pairs: list[tuple[int, int, str]]) -> float:
    """p by counting all assignments of the runs within clusters."""
    gaps: dict[str, int] = {}
    for left, right, cluster in pairs:
        gaps[cluster] = gaps.get(cluster, 0) + left - right
    observed = abs(sum(gaps.values()))
    sums = [abs(sum(sign * gap for sign, gap in zip(signs, gaps.values(), strict=True)))
            for signs in itertools.product((1, -1), repeat=len(gaps))]  # fmt: skip
    return sum(each >= observed for each in sums) / len(sums)


@pytest.mark.parametrize("seed", range(6))
def test_p_counts_all_assignments_of_runs_within_clusters(scored: Scored, seed: int) -> None:
    rng = np.random.default_rng(seed)
    pairs = [(int(rng.random() < 0.7), int(rng.random() < 0.4), f"e{rng.integers(0, 9)}") for _ in range(25)]
    (one,) = compare(*two(scored, pairs), options=QUICK)
    assert one.exact
    assert one.p == pytest.approx(brute(pairs), abs=1e-12)
    assert one.difference == pytest.approx(sum(a - b for a, b, _ in pairs) / 25)


def test_of_single_questions_p_is_mcnemars_exact(scored: Scored) -> None:
    pairs = [(1, 0)] * 13 + [(0, 1)] * 4 + [(1, 1)] * 20 + [(0, 0)] * 8
    (one,) = compare(*two(scored, [(a, b, f"e{n}") for n, (a, b) in enumerate(pairs)]), options=QUICK)
    by_hand = 2 * sum(math.comb(17, wins) for wins in range(5)) / 2**17
    assert one.p == pytest.approx(by_hand)
    assert one.mcnemar == pytest.approx(by_hand) == mcnemar(13, 4)
    assert (one.only_a, one.only_b, one.questions, one.clusters) == (13, 4, 45, 45)
    assert (one.a, one.b) == pytest.approx((33 / 45, 24 / 45))
    assert mcnemar(0, 0) == mcnemar(3, 3) == 1.0
    assert one.low is not None
    assert one.high is not None
    assert 0 < one.low < 9 / 45 < one.high


@pytest.mark.parametrize("metric", ["ne", "em_covered"])
def test_other_metrics_agree_with_scipys_permutation_test(scored: Scored, metric: str) -> None:
    """Ten clusters of one question: 2^10 assignments, counted here and there."""
    rng = np.random.default_rng(5)
    left, right = rng.random(10).round(3), rng.random(10).round(3) ** 2
    answered = rng.random((2, 10)) < 0.8
    answered[:, 0] = True
    rows = [
        [{"run": name, "status": "answered" if there else "declined", "ne": float(ne) if there else 1.0,
          "em": int(there and ne < 0.4)} for ne, there in zip(values, mask, strict=True)]
        for name, values, mask in zip("ab", (left, right), answered, strict=True)
    ]  # fmt: skip
    (one,) = compare(scored(rows[0]), scored(rows[1]), metric=metric, options=QUICK)

    def statistic(x: Any, y: Any, axis: int) -> Any:
        def rate(codes: Any) -> Any:
            ne, there = np.mod(codes, 10), codes < 10
            if metric == "ne":
                return np.where(there, ne, 1.0).mean(axis=axis)
            return (there & (ne < 0.4)).sum(axis=axis) / np.maximum(there.sum(axis=axis), 1e-300)

        return np.abs(rate(x) - rate(y))

    codes = [
        np.where(mask, values, values + 10) for values, mask in zip((left, right), answered, strict=True)
    ]
    found = permutation_test(
        codes,
        statistic,
        permutation_type="samples",
        vectorized=True,
        n_resamples=np.inf,
        alternative="greater",
    )
    assert one.exact
    assert one.p == pytest.approx(found.pvalue, abs=1e-9)


def test_drawn_swaps_are_close_to_the_exact_p(scored: Scored) -> None:
    rng = np.random.default_rng(2)
    rows: dict[str, list[dict[str, Any]]] = {
name: [{"run": name, "ne": float(ne), "em": int(ne < 0.3)} for ne in rng.random(60) * scale]
            for name, scale in (("a", 0.9), ("b", 1.0))}  # fmt: skip
    a, b = scored(rows["a"]), scored(rows["b"])
    (one,) = compare(a, b, metric="ne", options=Options(draws=200, flips=20_000))
    gaps = np.array([left["ne"] - right["ne"] for left, right in zip(rows["a"], rows["b"], strict=True)])
    signs = rng.choice([-1.0, 1.0], (40_000, 60))
    p = (np.abs(signs @ gaps) >= abs(gaps.sum())).mean()
    assert not one.exact
    assert one.p == pytest.approx(p, abs=0.015)


def test_the_same_run_twice_shows_no_difference(scored: Scored) -> None:
    a, b = two(scored, [(1, 1, f"e{n}") for n in range(30)])
    (one,) = compare(a, b, options=QUICK)
    bound = wilson(0.0, 30)[1]
    assert (one.difference, one.p, one.mcnemar, one.p_holm) == (0.0, 1.0, 1.0, 1.0)
    assert (one.low, one.high) == (-bound, bound)
    assert (one.se, one.detectable, one.correlation, one.design) == (0.0, None, None, None)
    (all_or_none,) = compare(*two(scored, [(1, 0, f"e{n}") for n in range(30)]), options=QUICK)
    assert (all_or_none.difference, all_or_none.high) == (1.0, 1.0)
    assert all_or_none.low == pytest.approx(2 * wilson(1.0, 30)[0] - 1)
    (alone,) = compare(*two(scored, [(1, 0, "e")] * 5), options=QUICK)
    assert (alone.difference, alone.low, alone.p, alone.note) == (1.0, None, None, "no interval: one cluster")
    (empty,) = compare(*two(scored, [(0, 0, "e")] * 5, premise=False), options=QUICK)
    assert (empty.a, empty.difference, empty.p, empty.p_holm, empty.note) == (
        None,
        None,
        None,
        None,
        "no item",
    )


def test_seeds_are_averaged_question_by_question(scored: Scored) -> None:
    rows = [{"id": f"q{n}", "cluster": f"e{n}", "seed": seed, "em": int(n < 4 or seed == 0), "run": "a"}
            for n in range(12) for seed in range(3)]  # fmt: skip
    b = [{"id": f"q{n}", "cluster": f"e{n}", "em": int(n < 3), "run": "b"} for n in range(12)]
    (one,) = compare(scored(rows), scored(b), options=QUICK)
    assert one.a == pytest.approx((4 + 8 / 3) / 12)
    assert one.b == pytest.approx(3 / 12)
    assert (one.only_a, one.mcnemar, one.questions, one.exact) == (None, None, 12, True)
    gaps = [0.0] * 3 + [1.0] + [1 / 3] * 8
    sums = [
        abs(sum(s * g for s, g in zip(signs, gaps, strict=True)))
        for signs in itertools.product((1, -1), repeat=12)
    ]
    assert one.p == pytest.approx(sum(each >= sum(gaps) - 1e-9 for each in sums) / len(sums))


def test_groups_and_pairs_are_corrected_by_holm(scored: Scored) -> None:
    rows = [
        {"id": f"q{n}", "cluster": f"e{n}", "run": run, "family": "AB"[n % 2], "em": int(n < share)}
        for run, share in (("a", 30), ("b", 24), ("c", 8)) for n in range(40)
    ]  # fmt: skip
    table = scored(rows)
    found = compare_all(table, "run", ("family",), options=QUICK)
    assert [(one.name_a, one.name_b, one.group) for one in found] == [
        (a, b, (family,)) for a, b in (("a", "b"), ("a", "c"), ("b", "c")) for family in "AB"
    ]
    assert [one.p_holm for one in found] == holm([one.p for one in found])
    assert found[0].p == pytest.approx(2 / 2**3)


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, None]) == [
        pytest.approx(0.03),
        pytest.approx(0.06),
        pytest.approx(0.06),
        None,
    ]
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([]) == []
    with pytest.raises(InputError, match="nan is not a p-value"):
        holm([float("nan")])


def test_what_can_be_seen_by_hand_and_from_the_runs(scored: Scored) -> None:
    z = 1.959964 + 0.841621
    assert detectable(5000, 0.3, 0.5) == pytest.approx(z * math.sqrt(2 * 0.3 * 0.7 * 0.5 / 5000), rel=1e-6)
    assert detectable(5000, 0.3, 0.5, design=4) == pytest.approx(2 * detectable(5000, 0.3, 0.5))
    pairs = [(1, 0), (0, 1), (1, 1), (1, 1), (0, 0), (0, 0)] * 30
    (one,) = compare(*two(scored, [(a, b, f"e{n}") for n, (a, b) in enumerate(pairs)]), options=QUICK)
    assert one.correlation == pytest.approx(1 / 3)
    assert one.design == pytest.approx(1.0)
    assert one.detectable == pytest.approx(detectable(180, 0.5, 1 / 3), rel=0.01)
    (pooled,) = compare(
        *two(scored, [(a, b, f"e{n // 2}") for n, (a, b) in enumerate(sorted(pairs))]), options=QUICK
    )
    assert pooled.design == pytest.approx(2.0, rel=0.05)  # pairs of like questions count once
    for bad in ((0, 0.3, 0.5), (10, 1.3, 0.5), (10, 0.3, -2.0), (10, 0.3, float("nan"))):
        with pytest.raises(InputError):
            detectable(*bad)


def test_the_detectable_difference_is_found_four_times_in_five() -> None:
    """Simulated: p = 0.5, correlation 0.5, 600 questions, true difference = the detectable one."""
    rng, questions, runs = np.random.default_rng(4), 600, 3000
    gap = detectable(questions, 0.5, 0.5)
    both = 0.25 + 0.5 * 0.25
    chances = [both, 0.5 + gap / 2 - both, 0.5 - gap / 2 - both]
    counts = rng.multinomial(questions, [*chances, 1 - sum(chances)], size=runs)
    diff, discordant = counts[:, 1] - counts[:, 2], counts[:, 1] + counts[:, 2]
    se = np.sqrt(discordant - diff**2 / questions)
    assert (np.abs(diff) > 1.959964 * se).mean() == pytest.approx(0.8, abs=0.03)


def test_runs_that_do_not_pair_are_refused_unless_asked(scored: Scored) -> None:
    a, b = two(scored, [(1, 0, f"e{n}") for n in range(10)])
    with pytest.raises(InputError, match="2 questions are only in a, 0 only in b"):
        compare(a, b.slice(0, 8))
    (one,) = compare(a, b.slice(0, 8), common=True, options=QUICK)
    assert (one.questions, one.unmatched_a, one.unmatched_b) == (8, 2, 0)
    with pytest.raises(InputError, match="several values of 'tier'"):
        compare(pa.concat_tables([a, scored([{"tier": "T2", "run": "a"}])]), b)
    with pytest.raises(InputError, match="'seed' is no column of the questions"):
        compare(a, b, ("seed",))
    with pytest.raises(InputError, match="no column 'cluster'"):
        compare(a.drop_columns(["cluster"]), b.drop_columns(["cluster"]))


@pytest.mark.slow
def test_95_percent_of_paired_intervals_hold_no_difference(scored: Scored) -> None:
    """Two runs alike by chance, 60 clusters of 3: about 5 % of intervals miss 0, and of p-values about 5 % are below 0.05."""
    rng = np.random.default_rng(9)
    held = rejected = 0
    for _ in range(120):
        hard = np.repeat(rng.random(60), 3)
        pairs = [(int(rng.random() < h), int(rng.random() < h), f"e{n // 3}") for n, h in enumerate(hard)]
        (one,) = compare(*two(scored, pairs), options=QUICK)
        held += (one.low or 0) <= 0 <= (one.high or 0)
        rejected += (one.p or 0) < 0.05
    assert held / 120 >= 0.88
    assert rejected / 120 <= 0.11
