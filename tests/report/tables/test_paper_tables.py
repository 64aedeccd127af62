"""Tables 4, 13, 14 and 15 against numbers worked out by hand from the counts in conftest."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from multiglobeqa.report.tables import (
    Cell,
    Column,
    NotDrawn,
    Study,
    Table,
    make_tables,
    open_study,
    to_json,
    to_latex,
    to_markdown,
)
from multiglobeqa.report.tables import to_csv as csv_of


def table(study: Study, name: str) -> Table:
    made, missing = make_tables(study, (name,))
    assert missing == {}
    return made[0]


def rows(one: Table, **where: str) -> list[dict[str, Cell]]:
    """Rows as mappings, of those whose cells show these texts."""
    names = [column.full for column in one.columns]
    found = [dict(zip(names, row, strict=True)) for row in one.rows]
    return [row for row in found if all(row[name].main() == text for name, text in where.items())]


def shown(cell: Cell) -> str:
    return " ".join(part for part in (cell.main(), cell.spread()) if part) + ("†" if cell.dagger else "")


def test_table_4_by_hand(world: Study) -> None:
    # Alpha at T1: 16 of 80 right with seed 0, 20 with seed 1: 20 and 25 %, mean 22.5, SD sqrt(2 x 2.5^2) = 3.5.
    # Baseline: 1 distance, 15 booleans, 1 geohash, 5 directions of 80 = 27.5 %.
    one = table(world, "table4")
    assert [column.name for column in one.columns] == [
        "metric",
        "model",
        "T1",
        "T3a",
        "T1-o-verbalized",
        "T3-o",
    ]
    (alpha,), (beta,) = (rows(one, metric="EM ↑", model=name) for name in ("Alpha", "Beta"))
    assert [shown(alpha[tier]) for tier in ("T1", "T3a", "T1-o-verbalized", "T3-o")] == [
        "22.5 (3.5)", "42.5 (3.5)", "45.0 (3.5)", "62.5 (3.5)",
    ]  # fmt: skip
    assert shown(beta["T1"]) == "25.0 (3.5)"
    assert shown(beta["T3a"]) == "42.5†"  # 34 of 80, one seed
    assert [alpha[tier].bold for tier in ("T1", "T3a", "T3-o")] == [False, True, True]
    (line,) = rows(one, model="majority baseline")
    assert {line[tier].main() for tier in ("T1", "T3a", "T3-o")} == {"27.5"}
    (frr,) = rows(one, metric="FRR ↓", model="Alpha")
    assert shown(frr["T1"]) == "27.5 (0.0)"  # 22 of 80
    (ne,) = rows(one, metric="NE ↓", model="Alpha")
    assert shown(ne["T1"]) == "77.5 (3.5)"
    (n,) = rows(one, metric="n", model="Alpha")
    assert n["T1"].value == 80
    assert any(note == "Parentheses: SD over 2 seeds." for note in one.notes)
    assert any(note.startswith("† fewer seeds than the 2") for note in one.notes)


def test_table_4_in_every_form(world: Study) -> None:
    one = table(world, "table4")
    latex, md, data = to_latex(one), to_markdown(one), list(csv.DictReader(io.StringIO(csv_of(one))))
    for part in (
        r"\toprule",
        r"\midrule",
        r"\bottomrule",
        r"\textbf{42.5} {\scriptsize (3.5)}",
        r"42.5}$^\dagger$",
    ):
        assert part in latex
    assert latex.count(r"\midrule") == 4  # under the head, and before NE, FRR, n
    assert "| EM ↑ | Alpha | 22.5 (3.5) | **42.5** (3.5) |" in md
    assert "| **42.5**† |" in md
    assert md.count("\n|") == len(one.rows) + 2
    first = data[0]
    assert (first["T1"], first["T3a mark"], "T1 mark" in first) == ("22.5", "bold", False)
    assert math.isclose(float(first["T1 sd"]), 3.5355, abs_tol=1e-4)
    assert data[1]["T3a mark"] == "bold dagger"
    assert to_json(one)["rows"][0]["T3a mark"] == ["bold"]


def test_table_15_holds_the_models_that_saw_images(world: Study, bench: Path) -> None:
    one = table(world, "table15")
    assert [column.name for column in one.columns] == ["metric", "model", "T1"]
    assert [row["T1"].main() for row in rows(one, metric="EM ↑")] == [
        "25.0",
        "50.0",
        "100.0",
    ]  # 1, 2 and 4 of 4
    assert [(gone.model, gone.tier) for gone in world.dropped if gone.modality == "image" and gone.language == "eng"][:2] == [
        ("Alpha", "T1-o-raw"), ("Alpha", "T1-o-structured"),
    ]  # fmt: skip


def test_table_15_needs_images(
    bench: Path, tmp_path: Path, scored: Callable[..., Any], make_scores: Callable[..., Path]
) -> None:
    file = make_scores(tmp_path / "r.parquet", scored("Alpha", "T1", {"A": 1, "C": 1, "H": 1, "J": 1}))
    _, missing = make_tables(
        open_study([file], bench), ("table15", "table14", "diagnosis", "language", "comparison")
    )
    assert missing == {
        "table15": "runs over image questions",
        "table14": "scores that tell tokens or seconds",
        "diagnosis": "scores that hold a diagnosis",
        "language": "a run in English and in another language",
        "comparison": "two runs, models or tiers",
    }


def test_table_14_by_hand(world: Study) -> None:
    one = table(world, "table14")
    (agent,) = rows(one, model="Alpha", tier="T3a")
    assert (agent["tokens"].value, agent["steps"].value, agent["tool calls"].value) == (10_000, 4, 3)
    assert math.isclose(agent["tokens per correct answer"].value, 10_000 / 0.425)
    assert agent["cap hit"].main() == "0.0"
    (direct,) = rows(one, model="Alpha", tier="T1")
    assert (direct["tokens"].value, direct["steps"].main(), direct["cap hit"].main()) == (120, "–", "–")


def test_table_13_by_hand(
    tmp_path: Path,
    make_question: Callable[..., dict[str, Any]],
    make_benchmark: Callable[..., Path],
    make_scores: Callable[..., Path],
) -> None:
    # 240 questions of C in one cell, of which the small variant takes 200; 10 of A.
    made = [make_question(f"c{n:015d}", "C", n % 20) for n in range(240)]
    made += [make_question(f"a{n:015d}", "A", n) for n in range(10)]
    bench = make_benchmark(tmp_path / "large", made)
    base = {
        "language": "eng",
        "run": "r",
        "model": "m",
        "tier": "T1",
        "seed": 0,
        "status": "answered",
        "reason": "",
    }
    scores = [
        {"id": q["id"], "em": int(q["family"] == "A"), "ne": float(q["family"] != "A"), **base} for q in made
    ]
    study = open_study([make_scores(tmp_path / "r.parquet", scores)], bench)
    (em,) = rows(table(study, "table13"), model="m", metric="EM")
    # large 10 / 250 = 4.0; small 10 / 210 = 4.76; re-weighted: 0 of C and all of A under 240 : 10 = 4.0 again.
    assert [em[name].main() for name in ("large", "small", "Δ", "re-weighted", "Δ re-weighted")] == [
        "4.0", "4.8", "+0.8", "4.0", "0.0",
    ]  # fmt: skip
    few = [
        row
        for row in scores
        if row["id"] in set(study.asked_once["id"].filter(study.in_small(study.asked_once)).to_pylist())
    ]
    assert len(few) == 210
    again = open_study([make_scores(tmp_path / "few.parquet", few)], bench)
    assert again.only_small == [("m", "T1")]
    with pytest.raises(NotDrawn, match="T1 over the large variant"):
        _ = again.whole_at_t1
    small = open_study([tmp_path / "few.parquet"], bench, small=True)
    assert small.table.num_rows == 210
    with pytest.raises(NotDrawn, match="leave out --variant small"):
        _ = small.whole_at_t1


def test_text_is_escaped_in_every_form() -> None:
    name = r"a_b & 50% {x} $y$ ~^ \z | <b> #1"
    one = Table(
        "t",
        name,
        (Column("m", text=True), Column("v")),
        ((Cell(name), Cell(-0.125, "signed", low=-0.2, high=0.1)),),
        (name,),
    )
    latex, md = to_latex(one), to_markdown(one)
    assert (
        r"a\_b \& 50\% \{x\} \$y\$ \textasciitilde{}\textasciicircum{} \textbackslash{}z \textbar{} $<$b$>$ \#1"
        in latex
    )
    assert r"a\_b & 50% {x} $y$ \~^ \\z \| \<b\> #1" in md
    assert "$-$12.5 {\\scriptsize [$-$20.0, +10.0]}" in latex
    (row,) = csv.DictReader(io.StringIO(csv_of(one)))
    assert (row["m"], row["v"], row["v low"], row["v high"]) == (name, "-12.5", "-20.0", "10.0")
    with pytest.raises(ValueError, match="a row of 1 cells for 2 columns"):
        Table("t", "", one.columns, ((Cell(1),),))


def test_grouped_heads_in_latex() -> None:
    one = Table(
        "t",
        "t",
        (Column("m", text=True), Column("EM", "T1"), Column("NE", "T1")),
        ((Cell("x"), Cell(1), Cell(2)),),
    )
    assert r" & \multicolumn{2}{c}{T1} \\" in to_latex(one)
    assert r"\cmidrule(lr){2-3}" in to_latex(one)
