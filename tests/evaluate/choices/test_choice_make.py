"""Multiple choice from a built benchmark: data/questions.parquet holds some of its questions, of all formats."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import h3
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from multiglobeqa import answers
from multiglobeqa.answers.choice_text import key
from multiglobeqa.errors import InputError
from multiglobeqa.evaluate.choices.cellsets import beside, cells, pairs
from multiglobeqa.evaluate.choices.display import rounded, text_of
from multiglobeqa.evaluate.choices.distractors import Maker
from multiglobeqa.evaluate.choices.fairness import fairness
from multiglobeqa.evaluate.choices.items import Item
from multiglobeqa.evaluate.choices.ladders import Candidate, even, ladders
from multiglobeqa.evaluate.choices.languages import read_language
from multiglobeqa.evaluate.choices.load import load, write
from multiglobeqa.evaluate.choices.make import NONE, Made, make
from multiglobeqa.evaluate.choices.nudge import nudged
from multiglobeqa.evaluate.choices.pool import Pool

DATA = Path(__file__).with_name("data")
ROWS = {row["id"]: row for row in pq.read_table(DATA / "questions.parquet").to_pylist()}
NUMBERS = ("distance", "area", "ratio", "count")


@pytest.fixture(scope="module")
def made() -> Made:
    return make(DATA, seed=1)


def test_every_question_is_used_or_counted(made: Made) -> None:
    assert len(made.items) + sum(made.left_out.values()) == len(ROWS)
    assert len(made.items) > 350
    assert {item.extra["format"] for item in made.items} == {
        "area", "cell", "composite", "count", "date", "distance", "entity", "geohash", "label", "point", "polar", "polygon",
        "ratio", "set",
    }  # fmt: skip
    assert made.left_out["boolean", "fewer_values_than_options"] == 10


def test_the_file_is_free_of_faults(made: Made, tmp_path: Path) -> None:
    path = tmp_path / "choice.jsonl"
    assert write(path, made.items) == len(made.items)
    found = load(path)
    assert found.faults == [] and [item.as_json() for item in found.items] == [
        item.as_json() for item in made.items
    ]
    item = json.loads(path.read_text("utf-8").splitlines()[0])
    assert item["language"] == "en" and item["source"].startswith("multiglobeqa:") and "order" not in item


def value_of(option: str, row: dict[str, Any]) -> Any:
    """An option's text read by a person's rules: the value that it states, in the canonical form."""
    numbers = [float(text) for text in re.findall(r"-?\d+(?:\.\d+)?", option)]
    match row["format"]:
        case "distance" | "area" | "ratio" | "count":
            return numbers[0]
        case "point":
            return {"lat": numbers[0], "lon": numbers[1]}
        case "polar":
            return {"azimuth_deg": numbers[0], "distance_km": numbers[1]}
        case "polygon":
            return dict(zip(("west", "south", "east", "north"), numbers, strict=True))
        case "composite":
            h3_cell, s2_cell = re.fullmatch(r"H3 (\w+), S2 (\w+)", option).groups()  # type: ignore[union-attr]
            return {"h3": h3_cell, "s2": s2_cell}
        case "set":
            return option.split("; ")
        case _:
            return option


def test_one_option_is_right_and_the_others_are_safely_wrong(made: Made) -> None:
    """Each option as printed, scored by its format: the answer is right although rounded, no other is."""
    for item in made.items:
        row = ROWS[item.id]
        fmt, gold = answers.get(row["format"]), answers.gold_of(row)
        assert "None" not in item.options
        assert item.extra["origins"].index("gold") == item.answer_index
        if row["format"] == "entity":
            names = [option for option in item.options if f"{gold} (".startswith(f"{option} (")]
            assert names == [item.answer], (item.id, item.options)
            continue
        for place, option in enumerate(item.options):
            value = value_of(option, row)
            assert fmt.exact_match(value, gold, row) is (place == item.answer_index), (item.id, option)
            if place != item.answer_index and row["format"] in (*NUMBERS, "point", "polar", "date"):
                d = fmt.distance(value, gold, row)
                assert d is not None and d > 1.9 * fmt.tolerance(gold, row)  # 2 before rounding


def test_options_read_alike(made: Made) -> None:
    """All options of an item have one form: as many digits, one unit, one precision."""
    for item in made.items:
        forms = {re.sub(r"\d+", "0", re.sub(r"-", "", option)) for option in item.options}
        if item.extra["format"] in ("distance", "area"):
            assert {form.replace("0.0", "0") for form in forms} == {
                "0 km" if item.extra["format"] == "distance" else "0 km²"
            }
            assert {
                len(re.sub(r"\D", "", option).lstrip("0").rstrip("0") or "0") <= 3 for option in item.options
            } == {True}
        elif item.extra["format"] in ("point", "polygon", "date"):
            assert len(forms) == 1
        assert len({key(option, "eng") for option in item.options}) == 4


def test_letters_are_even_in_each_format(made: Made) -> None:
    for name in {item.extra["format"] for item in made.items}:
        places = Counter(item.answer_index for item in made.items if item.extra["format"] == name)
        assert max(places.values()) - min(places[i] for i in range(4)) <= 1


def test_guesses_that_know_nothing_stay_near_chance(made: Made) -> None:
    found = {guess.guess: guess for guess in fairness(made.items)}
    assert len(found) >= 18
    assert [guess for guess in found.values() if guess.telling] == []
    for name in (
        "longest option",
        "most like the others",
        "number nearest the middle",
        "number nearest another",
    ):
        assert abs(found[name].share - 0.25) < 0.08, found[name]


def test_a_file_that_tells_its_answers_is_found_out(made: Made) -> None:
    """Stored slips alone as wrong options: neighbours of a cell, and the gold as the longest text, give themselves away."""
    longer = [
        replace(item, options=tuple(o + "!" * (i == item.answer_index) for i, o in enumerate(item.options)))
        for item in made.items
    ]
    assert "longest option" in {guess.guess for guess in fairness(longer) if guess.telling}
    central = [
        Item(
            f"q{n}",
            read_language("en"),
            "?",
            (f"{n + 10} km", f"{n + 5} km", f"{n + 15} km", f"{n + 30} km"),
            0,
        )
        for n in range(60)
    ]
    telling = {guess.guess for guess in fairness(central) if guess.telling}
    assert "always A" in telling and "largest number" not in telling
    named = [
        Item(
            f"q{n}",
            read_language("en"),
            f"Which of the towns in Kayes {n}?",
            ("Kayes town", "Nioro", "Kita", "Yelimane"),
            0,
        )
        for n in range(60)
    ]
    assert "most words of the question" in {guess.guess for guess in fairness(named) if guess.telling}
    assert fairness([]) == []


def test_the_same_seed_gives_the_same_file(made: Made) -> None:
    again, other = make(DATA, seed=1), make(DATA, seed=2)
    assert [item.as_json() for item in again.items] == [item.as_json() for item in made.items]
    assert [item.options for item in other.items] != [item.options for item in made.items]


def test_slips_come_first(made: Made) -> None:
    origins = Counter(origin.split(":")[0] for item in made.items for origin in item.extra["origins"])
    assert origins["gold"] == len(made.items) and origins["slip"] > 150
    opposite = [item for item in made.items if item.extra["format"] == "label"]
    assert opposite and all("slip:opposite" in item.extra["origins"] for item in opposite)
    choice = answers.get("choice")
    item = opposite[0]
    slip = item.options[item.extra["origins"].index("slip:opposite")]
    assert choice.slip(slip, item.asked()) == "opposite"  # type: ignore[attr-defined]


@pytest.mark.parametrize("options", [2, 3, 5])
def test_other_numbers_of_options(options: int) -> None:
    other = make(DATA, options=options, seed=3)
    assert {len(item.options) for item in other.items} == {options}
    assert len(other.items) + sum(other.left_out.values()) == len(ROWS)
    assert ("boolean" in {item.extra["format"] for item in other.items}) == (options == 2)
    named = [item for item in other.items if item.extra["subtemplate"].startswith("A05")]
    assert bool(named) == (options == 2)
    for item in named:  # both are named in the question
        assert all(option.casefold() in item.question.casefold() for option in item.options)
    assert [
        guess.guess for guess in fairness(other.items) if guess.guess.startswith("always") and guess.telling
    ] == []


def test_the_premise_option_stands_everywhere() -> None:
    made = make(DATA, seed=1, premise=True)
    assert {item.options[-1] for item in made.items} == {NONE} and {
        len(item.options) for item in made.items
    } == {5}
    false = [item for item in made.items if not item.extra["premise"]]
    assert false and {item.answer for item in false} == {NONE}
    assert NONE not in {item.answer for item in made.items if item.extra["premise"]}
    assert {item.id for item in false} <= {name for name, row in ROWS.items() if not row["premise"]}
    # a refusal stays one, the option is an answer
    fmt = answers.get("choice")
    asked = false[0].asked()
    assert answers.parse_reply(NONE, fmt, asked).value == NONE == answers.parse_reply("E", fmt, asked).value
    assert answers.parse_reply("I cannot answer: the premise is wrong.", fmt, asked).status == "declined"


def test_question_types_and_hints(made: Made) -> None:
    by_format = {(item.extra["family"], item.question_type) for item in made.items}
    assert {
        ("N", "fact_retrieval"),
        ("A", "path_distance"),
        ("F", "spatial_relation"),
        ("K", "shape_measure"),
    } <= by_format
    assert {("I", "spatio_temporal"), ("H", "grid_reference")} <= by_format
    labels = [item for item in made.items if item.extra["format"] == "label"]
    assert all("Answer with" not in item.question for item in labels)


def test_names_of_the_gold_are_no_wrong_options() -> None:
    """With an alias store, a name of another question that also names the gold is not offered."""
    plain = {item.id: item for item in make(DATA, seed=1).items if item.extra["format"] == "entity"}
    item = next(item for item in plain.values() if item.extra["origins"].count("pool") >= 1)
    wrong = item.options[item.extra["origins"].index("pool")]
    row = ROWS[item.id]
    labels = [
        (row["accepted_iris"][0], answers.gold_of(row), "name"),
        (row["accepted_iris"][0], wrong, "alias"),
    ]
    names = {row["kg"]: answers.AliasIndex.from_rows(labels)}
    found = {item.id: item for item in make(DATA, seed=1, names=names).items}
    assert item.id not in found or wrong not in found[item.id].options


def test_wrong_input(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is no benchmark"):
        make(tmp_path)
    with pytest.raises(InputError, match="too few"):
        make(DATA, options=1)
    (tmp_path / "questions.parquet").write_bytes(b"PAR1")
    with pytest.raises(InputError, match="cannot be read"):
        make(tmp_path)
    pq.write_table(pa.table({"id": ["x"]}), tmp_path / "questions.parquet")
    with pytest.raises(InputError, match="cannot be read"):
        make(tmp_path)


@pytest.mark.parametrize(
    ("number", "text"),
    [(8.045231, "8.05"), (0.09996, "0.100"), (9.999, "10.0"), (11.83, "11.8"), (636.5, "636"), (3046.7, "3050"), (0, "0"),
     (1234567, "1230000"), (0.00924, "0.00924"), (99.95, "100"), (-1.5, "-1.50"), (999.6, "1000")],
)  # fmt: skip
def test_three_digits(number: float, text: str) -> None:
    assert rounded(number) == text


def test_texts_of_options() -> None:
    assert (
        text_of(True, {"format": "boolean"}) == "true"
        and text_of("plausibly", {"format": "boolean"}) == "plausibly"
    )
    assert text_of(88577999, {"format": "count"}) == "88600000" and text_of(140, {"format": "count"}) == "140"
    assert (
        text_of(["x" * 100, "y" * 100], {"format": "set"}) is None and text_of([], {"format": "set"}) is None
    )
    assert (
        text_of("POLYGON ((0 0, 1 1, 1 0, 0 0))", {"format": "polygon"}) == "POLYGON ((0 0, 1 1, 1 0, 0 0))"
    )


@pytest.mark.parametrize(
    ("gold", "system", "around"),
    [
        ("8928308280fffff", "h3", 6),
        ("89c25a224", "s2", 8),
        ("u4pruyd", "geohash", 8),
        ("80", "geohash", 8),
        ("zz", "geohash", 5),
    ],
)
def test_cells_are_chosen_so_that_none_stands_out(gold: str, system: str, around: int) -> None:
    assert len(beside(gold, system)) == around
    if system == "h3":
        assert beside(gold, system) == sorted(set(h3.grid_disk(gold, 1)) - {gold})
    around_cell = cache(beside)
    random, middle = Random(1), 0.0
    for _ in range(400):
        found = cells(gold, system, 3, random)
        assert found is not None and len({*found, gold}) == 4
        touching = [sum(b in around_cell(a, system) for b in (gold, *found)) for a in (gold, *found)]
        middle += (touching[0] == max(touching)) / touching.count(max(touching))
    if around != 5:  # at a pole the neighbourhoods differ in size
        assert abs(middle / 400 - 0.25) < 0.06


def test_no_room_for_cells() -> None:
    assert cells("8928308280fffff", "h3", 12, Random(0)) is None


def test_ladders_even_out_ranks_and_pairs() -> None:
    random, options = Random(4), {}
    for n in range(300):
        gold = random.gauss(0, 1)
        pool = [Candidate(i, at, "pool") for i, at in enumerate(np.linspace(-6, 6, 60))]
        options[f"q{n}"] = ladders(gold, pool, 3, (0.25, 0.8), lambda one, other: True, random)
    chosen = even(options, dict.fromkeys(options, "all"), 4)
    assert len(chosen) == 300
    ranks = Counter(rungs.rank for rungs in chosen.values())
    assert set(ranks.values()) == {75}
    assert abs(sum(rungs.paired for rungs in chosen.values()) - 150) <= 2
    for rungs in chosen.values():
        assert len({each.value for each in rungs.chosen}) == 3


def test_a_gold_that_is_always_least_is_left_out_beyond_an_even_share() -> None:
    options = {
        f"q{n}": ladders(
            0.0, [Candidate(i, i / 2, "pool") for i in range(1, 9)], 3, (0.3, 0.7), lambda *_: True, Random(n)
        )
        for n in range(20)
    }
    assert all({rank for rank, _ in found} == {0} for found in options.values())
    assert len(even(options, dict.fromkeys(options, "x"), 4)) == 2
    assert even({"a": {}}, {"a": "x"}, 4) == {}


def test_nudges() -> None:
    random = Random(0)
    for _ in range(300):
        number = nudged(100.0, "distance", random)
        assert number != 100 and abs(number - 100) < 4.2
        assert 0 < nudged(0.99, "ratio", random) < 1.04 and nudged(1.0, "ratio", random) <= 1.0
        assert abs(nudged(20000, "count", random) - 20000) <= 840 and nudged(20, "count", random) == 20
        polar = nudged({"azimuth_deg": 359.5, "distance_km": 10.0}, "polar", random)
        assert 0 <= polar["azimuth_deg"] < 360 and abs(polar["distance_km"] - 10) < 0.42
        point = nudged({"lat": 89.999, "lon": 179.999}, "point", random)
        assert point["lat"] <= 90 and -180 <= point["lon"] < 180
        for box in (
            {"west": 179.99, "south": -90.0, "east": -179.99, "north": -89.99},
            {"west": 1.0, "south": 2.0, "east": 3.0, "north": 4.0},
        ):
            moved = nudged(box, "polygon", random)
            assert -90 <= moved["south"] < moved["north"] <= 90 and (moved["west"] > moved["east"]) == (
                box["west"] > box["east"]
            )
    assert (
        nudged("Kayes", "entity", random) == "Kayes"
        and nudged("POLYGON EMPTY", "polygon", random) == "POLYGON EMPTY"
    )
    assert math.isfinite(nudged(0.5, "ratio", random))


def test_three_truth_values() -> None:
    maker = Maker(Pool([]), 2)
    row = {"format": "boolean", "gold": "plausibly", "raw_gold": '"plausibly"', "slips": {}, "language": "eng", "accepted": [],
           "kg": "x", "params": {}}  # fmt: skip
    assert maker.unranked(row, Random(0)) == [("true", "pool"), ("false", "pool")]
    assert Maker(Pool([]), 3).unranked(row, Random(0)) == "fewer_values_than_options"
    assert (
        Maker(Pool([]), 3).unranked({**row, "format": "polygon", "gold": "POLYGON EMPTY"}, Random(0))
        == "no_box"
    )
    assert pairs({"h3": "8928308280fffff", "s2": "89c25a224"}, 12, Random(0)) is None
    assert Maker(Pool([]), 3).ranked({**row, "format": "ratio", "gold": -1.0, "subtemplate": "K", "country": None,
                                      "subregion": None, "continent": None}, Random(0)) == {}  # fmt: skip


def test_an_answer_too_long_to_be_an_option_is_left_out() -> None:
    row = {
        "format": "set",
        "gold": ["x" * 100, "y" * 100],
        "slips": {},
        "language": "eng",
        "params": {},
        "question": "?",
    }
    assert Maker(Pool([]), 3).unranked(row, Random(0)) == "too_long"
