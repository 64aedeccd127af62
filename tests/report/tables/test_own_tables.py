"""Breakdowns, statuses, premises, languages, comparisons, weak cells and confident errors by hand."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from multiglobeqa.report.tables import (
    TABLES,
    Cell,
    Study,
    Table,
    lines,
    make_tables,
    open_study,
    scope,
    weaknesses,
)

Rows = list[dict[str, Any]]
Scored = Callable[..., Rows]
Make = Callable[..., Path]


def table(study: Study, name: str) -> Table:
    made, missing = make_tables(study, (name,))
    assert missing == {}
    return made[0]


def rows(one: Table, **where: str) -> list[dict[str, Cell]]:
    names = [column.full for column in one.columns]
    found = [dict(zip(names, row, strict=True)) for row in one.rows]
    return [row for row in found if all(row[name].main() == text for name, text in where.items())]


@pytest.fixture
def open_rows(tmp_path: Path, bench: Path, make_scores: Make) -> Callable[..., Study]:
    def opened(made: Rows, draws: int = 200, **options: Any) -> Study:
        return open_study([make_scores(tmp_path / "rows.parquet", made, **options)], bench, draws=draws)

    return opened


def test_every_table_is_made_or_says_what_it_needs(world: Study) -> None:
    made, missing = make_tables(world)
    assert {one.name for one in made} | set(missing) == set(TABLES)
    assert set(missing) == {"table13", "class", "diagnosis"}
    assert missing["table13"] == "a benchmark that is larger than its small variant"


def test_family_by_hand(world: Study) -> None:
    one = table(world, "family")
    (row,) = rows(one, tier="T3a", family="C Topological relationships")
    # Alpha 12 and 16 of 20, Beta 12 of 20; the baseline has 15.
    assert (row["n"].value, row["majority"].main(), row["Alpha"].main(), row["Beta"].main()) == (
        20,
        "75.0",
        "70.0",
        "60.0",
    )
    assert not row["Alpha"].bold and row["Beta"].dagger
    assert 0.4 < (row["Alpha"].low or 0) < 0.7 < (row["Alpha"].high or 0) < 0.9
    (row,) = rows(one, tier="T1", family="A Metric distance and proximity")
    assert row["Alpha"].main() == "10.0" and row["Alpha"].bold  # 2 of 20 against 1
    assert [row["tier"].main() for row in rows(one, family="H Grid and indexing")] == [
        "T1", "T3a", "T1-o-raw", "T1-o-structured", "T1-o-verbalized", "T3-o",
    ]  # fmt: skip


def test_strata_stand_in_their_order(world: Study) -> None:
    one = table(world, "stratum")
    heads = [(row[1].value, row[2].value) for row in one.rows[:4]]
    assert heads == [("HIC", "high"), ("HIC", "low"), ("LIC", "high"), ("LIC", "low")]
    assert [row[3].value for row in one.rows[:4]] == [20] * 4


def test_one_model_has_a_column_a_tier(open_rows: Callable[..., Study], scored: Scored) -> None:
    study = open_rows(
        scored("m", "T1", {"A": 1, "C": 5, "H": 0, "J": 2})
        + scored("m", "", {"A": 0, "C": 0, "H": 0, "J": 0})
    )
    one = table(study, "family")
    assert [column.name for column in one.columns] == ["family", "n", "majority", "T1", "no tier"]
    (row,) = rows(one, family="C Topological relationships")
    assert (row["T1"].main(), row["no tier"].main()) == ("25.0", "0.0")


def test_few_questions_of_a_country_are_left_out_and_told(
    open_rows: Callable[..., Study], scored: Scored
) -> None:
    study = open_rows(scored("m", "T1", {"A": 1, "C": 1, "H": 1, "J": 1}))
    one = table(study, "country")
    assert [(row[0].value, row[1].value) for row in one.rows] == [("FRA", 40), ("TCD", 40)]
    from multiglobeqa.report.tables.breakdowns import breakdown

    cut = breakdown("family", least=21)
    with pytest.raises(Exception, match="21 questions of one family"):
        cut(study)


def test_statuses_add_up(open_rows: Callable[..., Study], scored: Scored) -> None:
    made = scored("m", "T1", {"A": 4, "C": 10, "H": 0, "J": 0}, declined={"J": 5})
    for row, status in zip(
        made[40:46], ("unparseable", "budget", "overflow", "harness", "harness", "budget"), strict=True
    ):
        row |= {"status": status, "parsed": None, "em": 0, "ne": 1.0}
    study = open_rows([row for place, row in enumerate(made) if place not in (46, 47)])
    (row,) = rows(table(study, "status"), model="m")
    names = ("replies", "answered", "declined", "unparseable", "budget", "overflow", "harness", "missing")
    assert [row[name].value for name in names] == [80, 67, 5, 1, 2, 1, 2, 2]
    assert row["EM"].value == Fraction(14, 80)
    assert row["EM without harness errors"].value * 77 == 14
    assert math.isclose(row["coverage"].value * row["EM of answered"].value, row["EM"].value)
    assert scope(study)["missing"] == 2
    assert "90 replies were asked for; 2 are missing and count as wrong." in lines(study)


def test_premises_by_hand(world: Study) -> None:
    (row,) = rows(table(world, "premise"), model="Alpha", tier="T1")
    # 5 of 10 false premises; of A01.a, which carries them, 6 of 20 answerable; 22 of 80 of all.
    assert (row["false premises"].value, row["answerable"].value) == (20, 40)
    assert [row[name].main() for name in ("NRR", "FRR", "NRR - FRR", "all questions FRR")] == [
        "50.0", "30.0", "+20.0", "27.5",
    ]  # fmt: skip


def test_shares_of_ne(world: Study) -> None:
    (row,) = rows(table(world, "ne_shares"), model="Alpha", tier="T1")
    assert [row[name].main() for name in ("NE = 0", "0 < NE < 1", "NE = 1", "mean NE")] == [
        "22.5",
        "0.0",
        "77.5",
        "77.5",
    ]


def test_languages_against_english(world: Study) -> None:
    english, urdu = table(world, "language").rows
    assert (english[2].value, english[3].value, english[5].main()) == ("control", "English", "22.5")
    # Urdu 8 of 80; on the same questions English has 18 on average over its seeds: 10.0 - 22.5.
    assert (urdu[2].value, urdu[3].value, urdu[5].main(), urdu[6].main()) == ("1", "Urdu", "10.0", "−12.5")
    assert urdu[5].dagger and urdu[6].high is not None and urdu[6].high < 0


def test_comparison_by_hand(open_rows: Callable[..., Study], scored: Scored) -> None:
    made = scored("a", "T1", {"A": 4, "C": 10, "H": 0, "J": 6}) + scored(
        "b", "T1", {"A": 2, "C": 12, "H": 0, "J": 0}
    )
    (row,) = rows(table(open_rows(made), "comparison"))
    assert (row["EM a"].main(), row["EM b"].main(), row["a - b"].main()) == ("25.0", "17.5", "+7.5")
    assert (row["only a right"].value, row["only b right"].value) == (8, 2)
    # exact McNemar: 2 (1 + 10 + 45) / 2^10; each question is its own cluster, so the sign flip gives the same
    assert math.isclose(row["McNemar p"].value, 112 / 1024) and math.isclose(row["p"].value, 112 / 1024)
    # SE^2 = 80 / 79 (10 - 6^2 / 80) / 80^2
    z = 1.959964 + 0.841621
    assert math.isclose(row["detectable"].value, z * math.sqrt(80 / 79 * (10 - 36 / 80)) / 80, rel_tol=1e-5)


def test_of_many_conditions_those_that_differ_in_one_thing_are_compared() -> None:
    from multiglobeqa.report.tables.comparisons import pairs

    few = [("a", "T1"), ("b", "T2")]
    assert pairs(few) == [(few[0], few[1])]
    many = [(model, tier) for tier in ("T1", "T2", "T3a") for model in ("a", "b", "c")]
    chosen = pairs(many)
    assert len(chosen) == 9 + 9
    assert all((a[0] == b[0]) != (a[1] == b[1]) for a, b in chosen)


def test_weak_cells_lie_below_the_whole(open_rows: Callable[..., Study], scored: Scored) -> None:
    made = scored("m", "T1", {"A": 0, "C": 20, "H": 20, "J": 10})
    found = weaknesses(open_rows(made))
    # EM 62.5. A: nothing right, in both regions. J: its first ten, in Middle Africa, right, the others not.
    # Ten entities, none right: Wilson's upper end is 27.8 %.
    assert {(one.kind, one.value, one.region) for one in found.cells} == {
        ("family", "A", "Middle Africa"), ("family", "A", "Western Europe"), ("family", "J", "Western Europe"),
        ("question_type", "numeric", "Middle Africa"), ("question_type", "numeric", "Western Europe"),
        ("question_type", "categorical", "Western Europe"),
    }  # fmt: skip
    assert found.tested == 16
    for one in found.cells:
        assert (one.em, one.questions, one.clusters, one.lost) == (0, 10, 10, 6.25)
        assert math.isclose(one.high, 0.27753, abs_tol=1e-4)


def test_few_entities_are_no_weak_cell(open_rows: Callable[..., Study], scored: Scored) -> None:
    # Three of ten right at an EM of 43 %: the bootstrap of ten entities ends at about 60 %, Wilson's at 60 %.
    found = weaknesses(open_rows(scored("m", "T1", {"A": 3, "C": 10, "H": 10, "J": 10})))
    assert ("family", "A", "Middle Africa") not in {(one.kind, one.value, one.region) for one in found.cells}


def test_confidently_wrong_by_stated_confidence(open_rows: Callable[..., Study], scored: Scored) -> None:
    made = scored("m", "T1", {"A": 18, "C": 20, "H": 20, "J": 19})
    confident = {
        "A000000000000018": 0.95,
        "A000000000000019": 0.79,
        "A000000000000001": 0.99,
        "J000000000000019": 0.8,
    }
    for row in made:
        row["confidence"] = confident.get(row["id"], 0.5)
    one = table(open_rows(made), "confidently_wrong")
    assert [(row[0].value, row[9].value) for row in one.rows] == [
        ("A000000000000018", 0.95),
        ("J000000000000019", 0.8),
    ]
    assert (one.rows[0][6].value, one.rows[0][7].value) == ("1 km", "14,778.9 km")


def test_confidently_wrong_by_agreement(open_rows: Callable[..., Study], scored: Scored) -> None:
    right = {"A": 20, "C": 10, "H": 20, "J": 20}
    both = scored("a", "T1", right | {"J": 19}) + scored("b", "T1", right | {"J": 18})
    one = table(open_rows(both), "confidently_wrong")  # booleans agree by chance and are left out
    assert [(row[0].value, row[2].value, row[11].value) for row in one.rows] == [
        ("J000000000000019", "a", 2), ("J000000000000019", "b", 2),
    ]  # fmt: skip
    seeds = scored("a", "T1", right) + scored("a", "T1", right | {"C": 12}, seed=1)
    one = table(open_rows(seeds), "confidently_wrong")
    assert [row[0].value for row in one.rows] == [f"C{number:015d}" for number in range(12, 20)]
    assert {row[10].value for row in one.rows} == {"2 of 2"}


def test_diagnoses_by_hand(open_rows: Callable[..., Study], scored: Scored) -> None:
    made = scored("m", "T1", {"A": 10, "C": 20, "H": 20, "J": 20})
    for row in made:
        if row["em"] == 0 and row["id"].startswith("A"):
            row["diagnosis"] = "unit_slip" if int(row["id"][1:]) < 14 else None
    one = table(open_rows(made), "diagnosis")
    assert [(row[1].value, row[2].main()) for row in one.rows] == [
        ("unit slip", "40.0"), ("not explained", "60.0"), ("wrong answers", "10"),
    ]  # fmt: skip


def test_scope_warns_and_names(world: Study) -> None:
    told = lines(world)
    assert (
        told[0]
        == "Benchmark small-world (small variant), 94 questions; asked 94 of them, 10 with a false premise."
    )
    assert "Models: Alpha, Beta. Tiers: T1 (direct answer), T3a (agent, knowledge graph)" in told[1]
    assert told[1].endswith("2 seeds.")
    assert told[-1].startswith("A score is not readiness")
    assert any("image questions in urd: Alpha T1" in line for line in told)
