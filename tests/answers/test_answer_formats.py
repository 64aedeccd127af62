"""What holds for every format: contract, schemas, no other error than FormatError, bounds of EM and NE."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import h3
import pytest
import s2sphere
from hypothesis import given, settings
from hypothesis import strategies as st

from multiglobeqa import answers
from multiglobeqa.answers.grids import h3_agrees, read_h3, read_s2, s2_level
from multiglobeqa.answers.polar import angle_between
from multiglobeqa.errors import InputError

GOLDS: dict[str, list[Any]] = {
    "boolean": [True, False],
    "entity": ["Paris", "Đà Nẵng"],
    "label": ["north", "west-southwest"],
    "set": [["A", "B"], []],
    "cell": ["8928308280fffff"],
    "geohash": ["u4pruyd"],
    "composite": [{"h3": "8928308280fffff", "s2": "89c25a224"}],
    "distance": [0.0, 12.5, 499.9, 12000.0],
    "area": [0.0, 2.0, 2500.0, 9e6],
    "count": [1, 140],
    "ratio": [0.0, 0.3, -2.0],
    "point": [{"lat": 48.85, "lon": 2.35}, {"lat": -90.0, "lon": 180.0}],
    "polar": [{"azimuth_deg": 359.0, "distance_km": 0.0}],
    "polygon": [
        {"west": 170.0, "south": -20.0, "east": -170.0, "north": 10.0},
        "POLYGON ((0 0, 1 1, 1 0, 0 0))",
    ],
    "date": ["2019-07-04", "2019-07", "2019"],
    "choice": ["A", "D"],
}
QUESTIONS: list[dict[str, Any]] = [
    {},
    {"language": "deu", "params": {"system": "s2", "winds": 16}, "subtemplate": "L05.a"},
    {"language": "tur", "params": '{"precision": "month", "system": "utm"}', "accepted_iris": None},
]

CASES = Path(__file__).with_name("cases")
NOISE = "0123456789,.-+() NSEW°'\"eE٫٬km²½Ⅷ٣\u200b\x00\ud800"
KEYS = """value unit lat lon h3 s2 west south east north bbox azimuth_deg distance_km type coordinates
geometry name zone hemisphere easting northing"""
keys = st.sampled_from(KEYS.split()) | st.text(max_size=4)
leaves = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=30)
    | st.from_regex(r"[-+]?[0-9.,' ٫٬۱４²eE]{0,12} ?(km|m²|mi|°|%|N|S|E|W)?", fullmatch=True)
    | st.from_regex(r"(SRID=4326;)?(MULTI)?POLYGON ?Z? ?\({1,3}([-0-9nan. ,()]{0,40})\){0,3}", fullmatch=True)
    | st.sampled_from(
        ["Polygon", "MultiPolygon", "Point", "Feature", "N", "nan", "1e999", "\ud800", "İ", "٣"]
    )
)
values = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(keys, inner, max_size=5),
    max_leaves=12,
)


def test_formats_are_fifteen_and_choice_in_order() -> None:
    assert len(answers.FORMATS) == 16
    assert list(answers.FORMATS) == list(GOLDS)
    assert all(answers.get(name).name == name for name in answers.FORMATS)


def test_unknown_format_and_credit_are_named() -> None:
    with pytest.raises(InputError, match="'volume' is not an answer format"):
        answers.get("volume")
    with pytest.raises(InputError, match="'all' is not an H3 credit"):
        answers.get("cell", h3_credit="all")


@pytest.mark.parametrize("name", answers.FORMATS)
@given(value=values, question=st.sampled_from(QUESTIONS))
@settings(max_examples=120, deadline=None)
def test_any_value_parses_or_is_a_format_error(name: str, value: Any, question: dict[str, Any]) -> None:
    fmt = answers.get(name)
    try:
        parsed = fmt.parse(value, question)
    except answers.FormatError as error:
        assert str(error).encode("utf-8")
        return
    canonical = json.loads(json.dumps(parsed, allow_nan=False))
    assert canonical == parsed
    assert fmt.parse(canonical, question) == parsed
    if name == "cell":
        assert fmt.exact_match(parsed, parsed, question)
        return
    golds = [*GOLDS[name], parsed]
    for gold in golds:
        right = fmt.exact_match(parsed, gold, question)
        error_share = fmt.normalized_error(parsed, gold, question)
        assert 0.0 <= error_share <= 1.0
        if right and name not in ("polygon",):
            assert error_share < 1.0
    assert fmt.exact_match(parsed, parsed, question)
    assert fmt.normalized_error(parsed, parsed, question) == 0.0


@pytest.mark.parametrize("name", answers.FORMATS)
def test_gold_is_canonical_right_and_in_its_schema(name: str) -> None:
    fmt = answers.get(name)
    for gold in GOLDS[name]:
        assert fmt.parse(gold, {}) == gold
        assert fmt.exact_match(gold, gold, {})
        assert fmt.normalized_error(gold, gold, {}) == 0.0


@pytest.mark.parametrize("name", answers.FORMATS)
@pytest.mark.parametrize("question", QUESTIONS)
def test_schema_asks_for_the_envelope(name: str, question: dict[str, Any]) -> None:
    fmt = answers.get(name)
    schema = fmt.schema(question)
    assert schema["required"] == ["answer", "declined"]
    assert schema["additionalProperties"] is False
    assert schema["properties"]["answer"]["anyOf"] == [fmt.value_schema(question), {"type": "null"}]
    assert json.loads(json.dumps(schema)) == schema
    assert fmt.describe(question).endswith(".")


def test_descriptions_name_the_unit() -> None:
    assert "km" in answers.get("distance").describe({})
    assert "km²" in answers.get("area").describe({})
    assert "degrees" in answers.get("point").describe({})
    assert "metres" in answers.get("point").describe({"params": {"system": "utm"}})
    assert "plausibly" in answers.get("boolean").describe({"gold": '"true"'})
    assert "YYYY-MM." in answers.get("date").describe({"gold": '"2019-07"'})
    assert "S2" in answers.get("cell").describe({"gold": '"89c25a224"'})
    assert answers.get("label").describe({"params": {"winds": 4}}) == "One of: north, east, south, west."


def test_accepted_answers_count() -> None:
    fmt = answers.get("distance")
    question = {"accepted": ["100.0"]}
    assert fmt.exact_match(100, 500.0, question)
    assert fmt.normalized_error(102.5, 500.0, question) == pytest.approx(0.5)
    assert not fmt.exact_match(100, 500.0, {})


@given(st.text(max_size=200) | st.from_regex(r'[{}\[\]",:a-z0-9<>/`\\ ]{0,80}', fullmatch=True))
@settings(max_examples=300, deadline=None)
def test_any_text_is_a_reply(text: str) -> None:
    reply = answers.parse_reply(text, answers.get("distance"), {})
    assert reply.status in ("answered", "declined", "unparseable")
    assert (reply.value is not None) == (reply.status == "answered")


@given(
    st.recursive(
        st.integers() | st.text(max_size=20) | st.booleans(), lambda v: st.lists(v, max_size=3), max_leaves=6
    ),
    st.text(alphabet="abc `.!\n", max_size=20),
    st.text(alphabet="abc `.!\n", max_size=20),
)
@settings(max_examples=150, deadline=None)
def test_answer_survives_prose_around_it(value: Any, before: str, behind: str) -> None:
    text = json.dumps({"answer": value, "declined": False}, ensure_ascii=True)
    reply = answers.read_reply(f"{before}{text}{behind}")
    assert (reply.status, reply.value) == ("answered", value)


@pytest.mark.parametrize("text", ['{"answer":' * 100_000, "[" * 100_000, "{" * 200_000, '{"a": "' * 3_000])
def test_hostile_replies_end_soon(text: str) -> None:
    assert answers.read_reply(text).status == "unparseable"


@given(st.floats(-90, 90), st.floats(-180, 180), st.integers(0, 30))
@settings(max_examples=200, deadline=None)
def test_s2_forms_agree_with_s2sphere(lat: float, lon: float, level: int) -> None:
    cell = s2sphere.CellId.from_lat_lng(s2sphere.LatLng.from_degrees(lat, lon)).parent(level)
    token, number = cell.to_token(), cell.id()
    signed = number - (1 << 64) if number >= 1 << 63 else number
    assert read_s2(token) == read_s2(token.upper()) == read_s2("0x" + token) == token
    assert s2_level(token) == level
    for form in (number, signed, str(number), str(signed)):
        if len(str(form).removeprefix("-")) > 16 or signed < 0:
            assert read_s2(form) == token


@given(st.floats(-90, 90), st.floats(-180, 180), st.integers(0, 15))
@settings(max_examples=200, deadline=None)
def test_h3_forms_are_one_cell(lat: float, lon: float, resolution: int) -> None:
    cell = h3.latlng_to_cell(lat, lon, resolution)
    number = h3.str_to_int(cell)
    for form in (cell, cell.upper(), "0x" + cell, number, str(number), "0" + cell):
        assert read_h3(form) == cell


def test_h3_credit() -> None:
    """A cell two resolutions finer: centre in the gold cell, ancestor its neighbour."""
    gold = h3.latlng_to_cell(48.85, 2.35, 7)
    fine = next(
        cell
        for near in h3.grid_ring(gold, 1)
        for cell in h3.cell_to_children(near, 9)
        if h3.latlng_to_cell(*h3.cell_to_latlng(cell), 7) == gold
    )
    assert h3_agrees(fine, gold, "geometric")
    assert not h3_agrees(fine, gold, "paper")
    assert not h3_agrees(fine, gold, "none")
    child = h3.cell_to_center_child(gold, 8)
    assert h3_agrees(child, gold, "paper")
    assert not h3_agrees(child, gold, "none")
    assert answers.get("cell").exact_match(fine, gold, {})
    assert not answers.get("cell", h3_credit="paper").exact_match(fine, gold, {})
    assert not answers.get("cell").exact_match(child, gold, {"subtemplate": "H01.a"})
    assert not h3_agrees(gold, child, "geometric")


@given(st.floats(0, 360), st.floats(0, 360))
def test_angles(a: float, b: float) -> None:
    assert 0 <= angle_between(a, b) <= 180
    assert angle_between(a, b) == angle_between(b, a)


def test_mutated_texts_parse_or_are_format_errors() -> None:
    """Texts of the case files with characters lost, added and mixed, read by every format."""
    lines = [line for path in sorted(CASES.glob("*.jsonl")) for line in path.read_text("utf-8").splitlines()]
    texts = [value for line in lines if isinstance(value := json.loads(line).get("value"), str)]
    random = Random(7)
    parsed = 0
    for number in range(1500):
        text = random.choice(texts)[:200]
        for _ in range(random.randint(1, 4)):
            place, kind = random.randint(0, len(text)), random.random()
            piece = "" if kind < 0.4 else random.choice(NOISE) if kind < 0.7 else random.choice(texts)[:60]
            text = text[:place] + piece + text[place + (kind < 0.4) :]
        question = QUESTIONS[number % len(QUESTIONS)]
        for name in answers.FORMATS:
            fmt = answers.get(name)
            try:
                value = fmt.parse(text, question)
            except answers.FormatError:
                continue
            parsed += 1
            json.dumps(value, allow_nan=False)
            assert fmt.parse(value, question) == value
    assert parsed > 2000
