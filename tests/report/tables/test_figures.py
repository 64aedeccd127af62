"""Figures: their data against known numbers, and every picture drawn, with all glyphs, the same twice."""

from __future__ import annotations

import csv
import io
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from multiglobeqa.report.figures import FIGURES, FigureData, available, make_figures, picture
from multiglobeqa.report.tables import Study, open_study

pytestmark = pytest.mark.skipif(not available(), reason="matplotlib is not installed")
NEEDS = {
    "figure19": "a benchmark that is larger than its small variant",
    "calibration": "scores that tell a confidence",
}
Scored = Callable[..., list[dict[str, Any]]]
Make = Callable[..., Path]


def data(study: Study, name: str) -> FigureData:
    made, missing = make_figures(study, (name,))
    assert missing == {}
    return made[0]


def drawn(one: FigureData, suffix: str = "png") -> bytes:
    """The picture; a missing glyph or any other warning is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return picture(one, suffix)


def test_every_figure_is_made_or_says_what_it_needs(world: Study) -> None:
    made, missing = make_figures(world)
    assert missing == NEEDS
    assert [one.name for one in made] == [name for name in FIGURES if name not in NEEDS]


@pytest.mark.parametrize("name", [name for name in FIGURES if name not in NEEDS])
def test_every_figure_is_drawn(world: Study, name: str) -> None:
    one = data(world, name)
    image = np.asarray(Image.open(io.BytesIO(drawn(one))).convert("L"))
    assert min(image.shape) > 400
    # The margin is white all round: nothing is cut off.
    for edge in (image[0], image[-1], image[:, 0], image[:, -1]):
        assert (edge > 250).mean() > 0.97
    svg = drawn(one, "svg").decode()
    root = ElementTree.fromstring(svg)
    assert root.tag.endswith("svg")
    assert not re.findall(r'(?:href|src)="(?!#)', svg)  # nothing outside is asked for
    back = list(csv.DictReader(io.StringIO(one.csv())))
    assert len(back) == len(one.rows) and tuple(back[0]) == one.columns


def test_equal_data_gives_equal_bytes(world: Study) -> None:
    one = data(world, "figure20")
    assert drawn(one, "svg") == drawn(one, "svg")
    assert drawn(one, "png") == drawn(one, "png")
    assert b"Date" not in drawn(one, "svg")


def test_figure_2_and_its_twin(world: Study) -> None:
    two, thirteen = data(world, "figure2"), data(world, "figure13")
    (cell,) = two.records(panel="family", group="C Topological relationships", tier="T3a")
    # Alpha (60 + 80) / 2, Beta 60 with one seed; mean of the models 65; the baseline has 15 of 20.
    assert (cell["EM"], cell["questions"], cell["models"], cell["majority"]) == (65.0, 20, 2, 75.0)
    (twin,) = thirteen.records(panel="family", group="C Topological relationships", tier="T3a")
    assert (twin["NE"], twin["majority"]) == (35.0, 25.0)
    assert {row["tier"] for row in two.records()} == {"T1", "T3a", "T1-o-verbalized", "T3-o"}
    assert {row["group"] for row in two.records(panel="format")} == {
        "boolean",
        "distance",
        "geohash",
        "label",
    }


def test_figure_14_by_model(world: Study) -> None:
    (cell,) = data(world, "figure14").records(model="Beta", group="J Direction", tier="T1")
    assert (cell["EM"], cell["sd"], cell["seeds"]) == (30.0, 0.0, 2)
    (cell,) = data(world, "figure17").records(model="Beta", group="label", tier="T1")
    assert cell["NE"] == 70.0


def test_figure_3_is_standardised(bench: Path, tmp_path: Path, scored: Scored, make_scores: Make) -> None:
    # 10 HIC and 10 LIC questions a family; the first k of a family alternate HIC, LIC.
    made = scored("m", "T1", {"A": 1, "C": 11, "H": 0, "J": 5})
    one = data(open_study([make_scores(tmp_path / "r.parquet", made)], bench, draws=100), "figure3")
    hic, lic = one.records(stratum="HIC")[0], one.records(stratum="LIC")[0]
    # HIC: (1 + 6 + 0 + 3) / 40; LIC: (0 + 5 + 0 + 2) / 40, each family with its quarter of the mix.
    assert (hic["standardised EM"], lic["standardised EM"]) == (25.0, 17.5)
    assert (hic["mean"], hic["distance"], lic["distance"], hic["present"]) == (21.25, 3.75, -3.75, 100.0)
    assert hic["low"] < 25 < hic["high"]


def test_figure_10_needs_t3_o_and_ranks(
    world: Study, bench: Path, tmp_path: Path, scored: Scored, make_scores: Make
) -> None:
    one = data(world, "figure10")
    mine = {row["family"]: row for row in one.records(tier="T3a", model="Alpha")}
    # Alpha at T3-o: A 14 of 19 answered, H 4 of 16, J 16 of 20 and Beta 18; refusals of A, C, H, J: 20, 10, 30, 10 %.
    assert {family: row["FRR"] for family, row in mine.items()} == {
        "A": 20.0,
        "C": 10.0,
        "H": 30.0,
        "J": 10.0,
    }
    assert abs(mine["A"]["difficulty"] - 100 * 14 / 19) < 1e-9 and mine["H"]["difficulty"] == 25.0
    assert mine["J"]["difficulty"] == 85.0
    assert mine["A"]["rho"] == pytest.approx(-0.9486832980505138)
    lone = open_study(
        [make_scores(tmp_path / "r.parquet", scored("m", "T1", {"A": 1, "C": 1, "H": 1, "J": 1}))], bench
    )
    _, missing = make_figures(lone, ("figure10", "figure11", "figure12", "figure21"))
    assert missing == {
        "figure10": "a run at tier T3-o, which measures difficulty",
        "figure11": "runs at two of the tiers T1-o-raw, T1-o-structured and T1-o-verbalized",
        "figure12": "scores that tell tokens_in and tokens_out",
        "figure21": "a run in English and in another language",
    }


def test_figures_11_12_20_and_21(world: Study) -> None:
    eleven = data(world, "figure11")
    assert [row["EM"] for row in eleven.records(model="Alpha")] == [42.5, 43.75, 45.0]
    assert eleven.lines == (("majority baseline", 27.5),)
    (cell,) = data(world, "figure12").records(model="Alpha", tier="T3a")
    assert (cell["median tokens"], cell["EM"]) == (10_000, 42.5)
    (cell,) = data(world, "figure20").records(model="Alpha", tier="T1")
    assert (cell["FRR"], cell["NRR"]) == (30.0, 50.0)
    twenty_one = data(world, "figure21")
    assert [(row["panel"], row["model"], row["delta"]) for row in twenty_one.records()] == [
        ("a", "Alpha", -12.5)
    ]


def test_figure_1_shows_what_differs(world: Study) -> None:
    one = data(world, "figure1")
    items = one.records(part="item")
    assert len({row["id"] for row in items}) == 3
    assert [row["format"] for row in items][::4] == ["distance", "label", "geohash"]
    assert {row["result"] for row in items} >= {"right", "wrong"}
    assert all(row["answer"] == row["gold"] for row in items if row["result"] == "right")
    (bar,) = one.records(part="bar", category="Metric", tier="T1")
    assert (bar["EM"], bar["models"]) == (10.0, 2)


def test_calibration_is_that_of_choices(
    bench: Path, tmp_path: Path, scored: Scored, make_scores: Make
) -> None:
    from types import SimpleNamespace

    from multiglobeqa.evaluate.choices.calibration import calibration

    made = scored("m", "T1", {"A": 4, "C": 10, "H": 2, "J": 14}, declined={"A": 3})
    for place, row in enumerate(made):
        row["confidence"] = (place * 37 % 101) / 100
    one = data(open_study([make_scores(tmp_path / "r.parquet", made)], bench), "calibration")
    plain: list[Any] = [
        SimpleNamespace(status=row["status"], confidence=row["confidence"], correct=row["em"], chances=None)
        for row in made
        if row["id"][0] in "ACHJ"
    ]
    other = calibration(plain)
    assert other is not None
    assert one.rows[0][9] == pytest.approx(other.ece_equal_width)
    assert [row["answers"] for row in one.records()] == [each.answers for each in other.equal_width]
    assert [row["EM"] for row in one.records()] == pytest.approx(
        [100 * each.accuracy for each in other.equal_width]
    )
    assert drawn(one)


def test_figure_19_is_of_the_large_variant(
    tmp_path: Path, make_question: Callable[..., dict[str, Any]], make_benchmark: Make, make_scores: Make
) -> None:
    made = [make_question(f"c{n:015d}", "C", n % 20) for n in range(240)]
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
    rows = [
        {"id": q["id"], "em": int(q["income"] == "HIC"), "ne": float(q["income"] != "HIC"), **base}
        for q in made
    ]
    one = data(open_study([make_scores(tmp_path / "r.parquet", rows)], bench, draws=50), "figure19")
    assert [row["distance"] for row in one.records(strata="income")] == [50.0, -50.0]
    assert [row["distance"] for row in one.records(strata="density")] == [0.0, 0.0]
    assert drawn(one)


def test_text_without_glyphs_is_spelt_out(
    bench: Path, tmp_path: Path, scored: Scored, make_scores: Make
) -> None:
    from multiglobeqa.report.figures.style import clean

    assert clean("Zürich  $x$\n") == "Zürich $x$"
    assert clean("\U000f0000") == "U+F0000"
    right = {"A": 4, "C": 10, "H": 2, "J": 4}
    rows = [
        row for name in ("模型 $1_2$", "ნიმუში", "\U000f0000", "نمونہ") for row in scored(name, "T1", right)
    ]
    study = open_study([make_scores(tmp_path / "r.parquet", rows)], bench, draws=50)
    for name in ("figure1", "figure2", "figure14", "figure20"):
        assert drawn(data(study, name))


def test_many_models_and_unknown_tiers(
    bench: Path, tmp_path: Path, scored: Scored, make_scores: Make
) -> None:
    right = {"A": 4, "C": 10, "H": 2, "J": 4}
    rows = [
        row
        for place in range(11)
        for tier in ("", "my tier")
        for row in scored(
            f"a model with a rather long name {place}", tier, right, tokens_in=10 + place, tokens_out=1
        )
    ]
    study = open_study([make_scores(tmp_path / "r.parquet", rows)], bench, draws=50)
    for name in ("figure1", "figure2", "figure3", "figure12", "figure16", "figure20"):
        assert drawn(data(study, name))
