"""Costs, difficulty, the majority line, languages and gold triples, worked out by hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest

from multiglobeqa.errors import InputError
from multiglobeqa.report.metrics import (
    Options,
    above,
    costs,
    difficulty,
    difficulty_agreement,
    gold_triples,
    language_deltas,
    language_ranking,
    majority_table,
    refusal_against_difficulty,
    spearman,
    tabulate,
)

Scored = Callable[[list[dict[str, Any]]], pa.Table]
QUICK = Options(draws=300, flips=500)


def test_costs_are_medians_over_answered_questions(scored: Scored) -> None:
    told = {"steps": 2, "seconds": 1.5, "cost": 0.25, "cap_hit": False}
    table = scored(
        [
            {"em": 1, "tokens_in": 100, "tokens_out": 10, "tool_calls": 2, **told},
            {"em": 1, "tokens_in": 300, "tokens_out": 30, "tool_calls": 4, **told},
            {"em": 0, "tokens_in": 500, "tokens_out": 50, "tool_calls": 9, **told},
            {"em": 0, "tokens_in": 700, "tokens_out": 70, "tool_calls": 7, "cap_hit": True},
            {"em": 0, "tokens_in": 900, "cap_hit": None},  # its tokens out are not told
            {"status": "harness", "tokens_in": 9000, "tokens_out": 9000, "cap_hit": False},
            {"status": "budget", "tokens_in": 9000, "tokens_out": 9000, "tool_calls": 50, "cap_hit": True},
            {"status": "overflow", "cap_hit": False},
            {"premise": False, "tokens_in": 9000, "tokens_out": 1, "cap_hit": True},
        ]
    )
    (one,) = costs(table)
    assert (one.questions, one.answered, one.em) == (8, 5, Fraction(2, 8))
    assert one.tokens == (330 + 550) / 2
    assert one.tokens_per_correct == 440 / 0.25
    assert (one.medians["tokens_in"], one.medians["tokens_out"]) == (500, 40)
    assert (one.told["tokens"], one.told["tokens_in"], one.told["tokens_reasoning"]) == (4, 5, 0)
    assert (one.medians["tokens_reasoning"], one.steps, one.seconds, one.cost) == (None, 2, 1.5, 0.25)
    assert (one.cap_hit, one.harness_share) == (Fraction(2, 7), Fraction(2, 8))
    assert (one.tool_calls, one.tool_calls_right, one.tool_calls_wrong) == (5.5, 3, 8)


def test_costs_that_nothing_tells_are_none(scored: Scored) -> None:
    direct, silent = costs(
        scored([{"family": "A", "tokens_in": 5, "tokens_out": 5}, {"family": "B", "premise": False}]),
        ("family",),
    )
    assert (direct.tokens, direct.tokens_per_correct, direct.cap_hit, direct.tool_calls) == (
        10,
        None,
        None,
        None,
    )
    assert (silent.questions, silent.em, silent.tokens, silent.harness_share) == (0, None, None, None)
    for bad in (-1.0, float("nan"), float("inf")):
        with pytest.raises(InputError, match="scores:1: seconds is"):
            costs(scored([{"seconds": 1.0}, {"seconds": bad}]))


def oracle(
    family: str, model: str, right: int, answered: int, asked: int, seed: int = 0
) -> list[dict[str, Any]]:
    return [
        {"family": family, "model": model, "tier": "T3-o", "run": f"{model}-o", "seed": seed, "em": int(n < right),
         "status": "answered" if n < answered else "declined"} for n in range(asked)
    ]  # fmt: skip


def refusing(family: str, declined: int) -> list[dict[str, Any]]:
    return [
        {"family": family, "tier": "T3a", "status": "declined" if n < declined else "answered"}
        for n in range(10)
    ]


def test_difficulty_is_the_mean_over_seeds_then_models(scored: Scored) -> None:
    rows = [*oracle("A", "m", 3, 4, 5), *oracle("A", "m", 1, 4, 5, seed=1), *oracle("A", "n", 5, 5, 5),
            *oracle("B", "m", 1, 2, 4), *oracle("B", "n", 0, 0, 3)]  # fmt: skip
    table = scored(rows)
    assert difficulty(table) == {"A": (Fraction(1, 2) + 1) / 2, "B": Fraction(1, 2)}  # n answers nothing of B
    assert difficulty(table, "em") == {"A": (Fraction(2, 5) + 1) / 2, "B": (Fraction(1, 4) + 0) / 2}
    with pytest.raises(InputError, match="no row of tier 'T3-o'"):
        difficulty(scored([{}]))


def test_refusals_follow_difficulty(scored: Scored) -> None:
    hard = {"A": 9, "B": 6, "C": 4, "D": 1}
    rows = [row for family, right in hard.items() for row in oracle(family, "m", right, 10, 10)]
    rows += [
        row for family, declined in zip(hard, (1, 3, 2, 8), strict=True) for row in refusing(family, declined)
    ]
    gold, agent = refusal_against_difficulty(scored(rows))
    assert (agent.group, agent.points["A"], agent.points["D"]) == (("m", "T3a"), (0.9, 0.1), (0.1, 0.8))
    assert agent.rho == pytest.approx(1 - 6 * (3**2 + 3**2) / (4 * 15))  # ranks 4 3 2 1 against 1 3 2 4
    assert (gold.group, gold.rho, gold.note) == (("m", "T3-o"), None, "constant")
    assert difficulty_agreement(scored(rows)).rho == pytest.approx(1)
    assert spearman([(1, 2), (2, 3)]) == (None, None)
    assert spearman([]) == (None, None)


def test_cells_above_the_majority_line(scored: Scored) -> None:
    line = scored([{"family": "A", "em": 1}, {"family": "A"}, {"family": "B"}, {"family": "B", "em": 1}])
    rows = [{"family": "A", "em": 1, "tier": tier} for tier in ("T1", "T2")]
    rows += [{"family": "B", "em": em, "tier": "T1"} for em in (1, 0)]
    flags = above(scored(rows), line, ("tier", "family"))
    assert {key: flag.above for key, flag in flags.items()} == {
        ("T1", "A"): True,
        ("T1", "B"): False,
        ("T2", "A"): True,
    }
    assert flags["T1", "B"].value == flags["T1", "B"].baseline == Fraction(1, 2)
    assert above(scored(rows), line, ("language",))["eng",].baseline == Fraction(1, 2)
    with pytest.raises(InputError, match=r"baseline: has no row of \('B',\)"):
        above(scored(rows), line.slice(0, 2), ("family",))


def test_the_majority_table_is_computed_from_the_questions() -> None:
    def question(number: int, gold: bool, sub: str) -> dict[str, Any]:
        return {
            "id": f"q{number}", "kg": "osmh3kg", "family": sub[0], "template": sub[:3], "subtemplate": sub,
            "language": "eng", "format": "boolean", "gold": json.dumps(gold), "accepted": [], "accepted_iris": [],
            "params": "{}", "entities": [f"e{number}"], "premise": True, "roles": "{}", "modality": "text",
        }  # fmt: skip

    golds = [True, True, False, False, False, False]
    subs = ["C01.a"] * 3 + ["D01.a"] * 3
    table = majority_table(
        pa.Table.from_pylist([question(n, g, s) for n, (g, s) in enumerate(zip(golds, subs, strict=True))])
    )
    assert {one.group: one.em for one in tabulate(table, ("subtemplate",))} == {
        ("C01.a",): Fraction(2, 3),
        ("D01.a",): 1,
    }
    assert table["run"].unique().to_pylist() == ["majority"]


def speaking(language: str, right: range, asked: int = 12, **more: Any) -> list[dict[str, Any]]:
    return [
        {"id": f"q{n}", "cluster": f"e{n}", "language": language, "em": int(n in right), **more}
        for n in range(asked)
    ]


def test_languages_are_paired_with_english_and_english_is_not_ranked(scored: Scored) -> None:
    rows = [*speaking("eng", range(8)), *speaking("kat", range(4)), *speaking("deu", range(2, 11), 11),
            *speaking("fra", range(4)), *speaking("tur", range(12), control=True)]  # fmt: skip
    table = scored(rows)
    deltas = {one.language: one for one in language_deltas(table, ("run",), options=QUICK)}
    assert list(deltas) == ["deu", "fra", "kat", "tur"]
    assert (deltas["kat"].value, deltas["kat"].questions) == (Fraction(4, 12), 12)
    assert deltas["kat"].delta == pytest.approx(-4 / 12)
    assert deltas["kat"].pair.p == pytest.approx(2 / 2**4)
    assert deltas["deu"].delta == pytest.approx((9 - 8) / 11)  # on the eleven that both have
    assert (deltas["deu"].pair.questions, deltas["deu"].pair.unmatched_b) == (11, 1)
    assert deltas["kat"].pair.p_holm == pytest.approx(4 / 2**3)  # the smallest of four
    ranking = [(one.place, one.language) for one in language_ranking(table)]
    assert ranking == [(1, "deu"), (2, "fra"), (2, "kat")]
    assert [one.language for one in language_ranking(table, "ne")] == ["deu", "fra", "kat"]
    with pytest.raises(InputError, match="scores:r: has no row in 'eng'"):
        language_deltas(scored(speaking("kat", range(3))))
    with pytest.raises(InputError, match="'language' is what is compared"):
        language_deltas(table, ("language",))


def test_gold_triples_by_income() -> None:
    rows = [
        {"id": "a", "premise": True, "income": "HIC", "fact_ids": [1, 2, 3, 4]},
        {"id": "a", "premise": True, "income": "HIC", "fact_ids": [1, 2, 3, 4]},  # another language
        {"id": "b", "premise": True, "income": "HIC", "fact_ids": [1, 2]},
        {"id": "c", "premise": True, "income": "LIC", "fact_ids": [7]},
        {"id": "d", "premise": False, "income": "LIC", "fact_ids": [7, 8]},
    ]
    table = pa.Table.from_pylist(rows)
    rich, poor = gold_triples(table)
    assert (rich.group, rich.questions, rich.triples, rich.mean) == (("HIC",), 2, 6, Fraction(3))
    assert (poor.group, poor.mean) == (("LIC",), Fraction(1))
    assert gold_triples(
        pa.table({**{n: table[n] for n in ("id", "premise", "income")}, "n_facts": [4, 4, 2, 1, 2]})
    ) == [rich, poor]
    with pytest.raises(InputError, match="no column 'n_facts'"):
        gold_triples(table.drop_columns(["fact_ids"]))
    with pytest.raises(InputError, match="questions:a: has no facts"):
        gold_triples(
            pa.table(
                {"id": ["a"], "premise": [True], "income": ["LIC"], "n_facts": pa.array([None], pa.int32())}
            )
        )
