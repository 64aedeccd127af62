"""Diagnoses of many answers, what keeps chance out, and that nothing is too odd for them."""

from __future__ import annotations

import json
import math
import random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from multiglobeqa import answers
from multiglobeqa.answers.diagnosis import (
    Diagnosis,
    diagnose,
    diagnose_many,
    diagnose_values,
    explain,
    key_of_slip,
    kind_of,
    kinds,
)
from multiglobeqa.answers.diagnosis.batch import CAUSE, FACT, Findings
from multiglobeqa.answers.diagnosis.cells import neighbours
from multiglobeqa.answers.diagnosis.many import findings, majorities
from multiglobeqa.errors import InputError


def question(answer_format: str, gold: Any, **columns: Any) -> dict[str, Any]:
    return {"format": answer_format, "gold": None if gold is None else json.dumps(gold), **columns}


# --- kinds


def test_kinds_have_words() -> None:
    for key, kind in kinds().items():
        assert kind.key == key
        assert kind.nature in ("cause", "fact", "form")
        assert kind.title and kind.says.endswith(".") and kind.conclude.endswith(".")
        assert "{" not in kind.says


def test_slips_have_the_kind_they_are_an_instance_of() -> None:
    assert key_of_slip("centroid", "distance") == "centroid_for_boundary"
    assert key_of_slip("opposite", "label") == "opposite_direction"
    assert key_of_slip("opposite", "entity") == "slip.opposite"
    assert key_of_slip("half_radius", "count") == "slip.half_radius"


def test_kind_without_variant() -> None:
    assert kind_of("unit_slip.mi_for_km") == "unit_slip"
    assert kind_of("slip.half_radius") == "slip.half_radius"
    assert Diagnosis("sign_flipped.latitude").kind == "sign_flipped"


def test_unknown_slips_are_explained_and_unknown_keys_are_errors() -> None:
    assert "taxi metric" in explain("slip.taxi_metric").says
    with pytest.raises(KeyError):
        explain("bad_luck")


# --- ranks


def test_closest_cause_first_then_facts() -> None:
    found = Findings(3, whole=True)
    found.add("b", [0, 1], CAUSE, [0.5, 0.2])
    found.add("a", [0, 1], CAUSE, [0.1, 0.3])
    found.add("fact", np.arange(3), FACT)
    found.add("nothing", [])
    assert found.keys.tolist() == ["a", "b", "fact"]
    assert found.listed(0) == ["a", "b", "fact"]
    assert found.listed(2) == ["fact"]


def test_first_of_equals_and_best_of_one_row_given_twice() -> None:
    found = Findings(1)
    found.add("first", [0, 0], CAUSE, [0.9, 0.2])
    found.add("second", [0], CAUSE, 0.2)
    assert found.keys[0] == "first"
    assert found.ranks[0] == pytest.approx(0.2)
    assert found.listed(0) == [], "only the best is kept unless the whole is asked for"


# --- many


def table(rows: list[dict[str, Any]]) -> pa.Table:
    names = list(dict.fromkeys(name for row in rows for name in row))
    return pa.table({name: [row.get(name) for row in rows] for name in names})


def test_columns_of_all_formats() -> None:
    questions = table(
        [
            question("distance", 1446.3, kg="a", slips=json.dumps({"planar": 1777.7})),
            question("entity", "Lyon", kg="a", accepted_iris=["k:3"]),
            question("distance", None, kg="b"),
            question("entity", "Lyon", kg="b", accepted_iris=["k:3"]),
        ]
    )
    store = answers.AliasIndex.from_rows([("k:1", "Paris", "name"), ("k:3", "Lyon", "name")])
    rows = [0, 0, 1, 2, 3, 0, 2]
    parsed = pa.array(["1777.7", "898.7", '"Paris"', "12", '"Paris"', None, "13"])
    found = diagnose_many(questions, rows, parsed, names={"a": store})
    assert found.type == pa.string()
    assert found.to_pylist() == [
        "planar", "unit_slip.mi_for_km", "other_entity", "premise_overlooked", None, None, "premise_overlooked",
    ]  # fmt: skip
    spoken = diagnose_many(questions, rows, parsed, names={"a": store}, languages=["deu"] * 7)
    assert spoken.to_pylist() == found.to_pylist()


def test_questions_with_and_without_a_gold_in_one_format() -> None:
    rows = [question("distance", 100.0), question("distance", None), question("distance", 100.0)]
    found = diagnose_values("distance", rows, [200, 5, 1000], languages=["eng"] * 3)
    assert found == ["factor_of_two", "premise_overlooked", "factor_of_ten"]
    assert diagnose_values("distance", rows, [200, 5, 1000]) == found
    assert diagnose_values("distance", [], []) == []


def test_language_of_the_reply_folds_names() -> None:
    row = question("entity", "Ankara", slips={"second": "Iğdır"}, language="eng")
    assert diagnose_values("entity", [row, row], ["IĞDIR", "IĞDIR"], languages=["tur", "eng"]) == [
        "slip.second",
        None,
    ]
    assert diagnose_values("entity", [row, row], ["Iğdır", "Bursa"]) == ["slip.second", None]
    cities = question("set", ["Iğdır", "Van"], language="eng")
    assert diagnose_values("set", [cities, cities], [["IĞDIR"]] * 2, languages=["tur", "deu"])[0] == "subset"
    assert diagnose_values("set", [cities, cities], [["Van"], ["Bursa"]]) == ["subset", "disjoint"]


def test_unknown_format() -> None:
    with pytest.raises(InputError, match="not an answer format"):
        diagnose_values("poem", [{}], ["roses"])


def test_majority_answers() -> None:
    rows = [question("label", "north", subtemplate="J04.a", params='{"winds": 16}')] * 8
    rows += [question("label", "east", subtemplate="J04.a", params='{"winds": 16}')] * 4
    rows += [question("label", "south", subtemplate="J04.b")] * 9
    rows += [question("count", n, subtemplate="B01.a") for n in range(20)]
    questions = table(rows)
    assert majorities(questions) == {"J04.a": "north"}, "ten questions at least, and a fifth of them alike"
    assert majorities(questions.drop_columns(["subtemplate"])) == {}
    odd = [*rows, question("label", "south-southeast", subtemplate="J04.a", params='{"winds": 16}')]
    found = diagnose_many(table(odd), [len(rows), len(rows), 8], pa.array(['"north"', '"east"', '"north"']))
    assert found.to_pylist() == ["majority_answer", None, "majority_answer"]


# --- what keeps chance out


def test_random_numbers_are_seldom_explained() -> None:
    rng = np.random.default_rng(7)
    size = 40_000
    gold = np.exp(rng.uniform(math.log(1), math.log(10_000), size))
    pred = np.exp(rng.uniform(math.log(1), math.log(10_000), size))
    slips = np.exp(rng.uniform(math.log(1), math.log(10_000), (size, 3)))
    rows = [
        question("distance", g, slips={"planar": s[0], "mercator": s[1], "second": s[2]})
        for g, s in zip(gold.tolist(), slips.tolist(), strict=True)
    ]
    keys = diagnose_values("distance", rows, pred.tolist())
    causes = [key for key in keys if key and explain(key).nature == "cause"]
    for key in set(causes):
        assert causes.count(key) < 0.005 * size, key
    assert len(causes) < 0.03 * size


def test_random_points_are_hardly_ever_explained() -> None:
    rng = np.random.default_rng(8)
    size = 5000
    lat, lon = rng.uniform(-70, 70, (2, size)), rng.uniform(-180, 180, (2, size))
    golds = [{"lat": a, "lon": b} for a, b in zip(lat[0].tolist(), lon[0].tolist(), strict=True)]
    preds = [{"lat": a, "lon": b} for a, b in zip(lat[1].tolist(), lon[1].tolist(), strict=True)]
    keys = diagnose_values("point", [question("point", gold) for gold in golds], preds)
    assert sum(key is not None for key in keys) <= 5


def test_every_planted_slip_is_found() -> None:
    rng = random.Random(9)
    for answer_format in ("distance", "area", "ratio", "count"):
        rows, values = [], []
        for _ in range(300):
            gold = round(math.exp(rng.uniform(0, 9)), 3 if answer_format != "count" else None)
            slip = round(
                gold * rng.choice([0.37, 0.71, 1.3, 2.9]) + 1, 3 if answer_format != "count" else None
            )
            rows.append(question(answer_format, gold, slips={"made_up": slip}))
            values.append(slip)
        assert set(diagnose_values(answer_format, rows, values)) == {"slip.made_up"}


def test_a_slip_just_outside_its_half_per_cent_is_none() -> None:
    row = question("distance", 100.0, slips={"planar": 300.0})
    keys = diagnose_values("distance", [row] * 4, [301.4, 301.6, 298.6, 298.4])
    assert keys == ["planar", None, "planar", None]


# --- grids


def test_neighbours_at_the_poles_and_the_antimeridian() -> None:
    assert all(cell.startswith(("b", "c", "z", "x")) for cell in neighbours("bp", "geohash"))
    assert "80" in neighbours("xb", "geohash")
    assert len(neighbours("u09tvw0", "geohash")) == 8
    assert len(neighbours("8009fffffffffff", "h3")) == 5, "a pentagon"
    assert len(neighbours("47e66e1", "s2")) == 8


def test_an_s2_token_where_a_geohash_is_asked() -> None:
    row = question("geohash", "u09tvw0")
    found = diagnose_values("geohash", [row] * 4, ["47e66e1c", "47e66fd", "47c", "2222"])
    assert found[0] == "other_cell_system"
    assert found[1] is None, "a token of elsewhere, with as many characters as asked"
    assert found[2] == "wrong_resolution.elsewhere", "at the place, but too coarse to tell anything"
    assert found[3] == "wrong_resolution.elsewhere", "no token"


# --- nothing is too odd

ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 1e308, -1e308, 10**300, -(10**300), 0.1, "", " ", "-", "7", "-7 km", "7 km²", "a" * 3000, "{", "[]", "{}",
    "[[1,2],[3]]", '{"lat": "x", "lon": []}', [], [[]], [None], [1, 2], [[1], [2]], [1, 2, 3, 4], ["a", 1, None, {}],
    {}, {"lat": 10**400, "lon": 1}, {"lat": [], "lon": {}}, {"h3": 1, "s2": None}, {"west": None, "south": 1, "east": [], "north": {}},
    {"a": {"b": {"c": 1}}}, {"bbox": 7}, {"answer": -5}, "31.31.2020", "99-99-9999", "N 12 W 13", "1,2", "139.69,35.68", "\ud800", "٣٫٥",
    "u09tvw0", "8a1fb46622dffff", "47e66e", "north", "NNE", ["NNE"], {"x": -1.5}, float("nan"), float("inf"), (1, 2),
)  # fmt: skip
GOLDS: dict[str, Any] = {
    "boolean": True, "entity": "Lyon", "label": "north", "set": ["Lyon", "Metz"], "cell": "871fb4662ffffff",
    "geohash": "u09tvw0", "composite": {"h3": "871fb4662ffffff", "s2": "47e66e1"}, "distance": 100.0, "area": 100.0,
    "count": 10, "ratio": 0.5, "point": {"lat": 48.8, "lon": 2.3}, "polar": {"azimuth_deg": 10.0, "distance_km": 0.0},
    "polygon": {"west": 2.0, "south": 48.0, "east": 3.0, "north": 49.0}, "date": "2012-10-29", "choice": "a",
}  # fmt: skip


@pytest.mark.parametrize("answer_format", answers.FORMATS)
def test_nothing_raises(answer_format: str) -> None:
    columns = {"options": ["a", "b"], "origins": ["gold", "slip:planar"]} if answer_format == "choice" else {}
    for gold in (GOLDS[answer_format], None):
        for value in ODD:
            found = diagnose(question(answer_format, gold, **columns), answer_format, value)
            assert found is None or explain(found.key)


def test_extreme_numbers_have_no_warning_and_no_error() -> None:
    row = question("count", 3)
    assert diagnose_values("count", [row], [10**300]) == ["order_of_magnitude"]
    with np.errstate(all="raise"):
        assert diagnose_values("ratio", [question("ratio", 5e-324)], [1e308]) == ["order_of_magnitude"]


def test_one_with_a_gold_of_its_own() -> None:
    found = diagnose({"gold": None}, "distance", 62.14, 100.0)
    assert found is not None and found.key == "unit_slip.mi_for_km"
    assert found.details == {"answer / gold": 0.6214}
    assert str(diagnose({"gold": "0"}, "distance", 7)) == explain("order_of_magnitude").says
    assert findings("distance", [{}], [62.14], gold=100.0).keys[0] == "unit_slip.mi_for_km"
