"""Edges that no case file can hold: very long texts, very large numbers, faults of the libraries below."""

from __future__ import annotations

import math
from typing import Any

import pytest
import shapely

from multiglobeqa import answers
from multiglobeqa.answers import rules, shapes
from multiglobeqa.answers.reply import MAX_TEXT
from multiglobeqa.answers.set import _matching
from multiglobeqa.answers.text import shown
from multiglobeqa.errors import InputError


def test_texts_beyond_the_limits() -> None:
    assert "characters" in answers.read_reply("x" * (MAX_TEXT + 1)).reason
    assert "too large" in answers.read_reply('{"answer": ' + "9" * 5000 + "}").reason
    assert "too large" in answers.read_reply("9" * 5000).reason
    assert answers.read_reply('{"answer": ' + "9" * 300 + "}").value == int("9" * 300)
    assert "braces" in answers.read_reply("{" * 3000).reason


@pytest.mark.parametrize(
    "value", [10**399, {"value": 10**399, "unit": "mi"}, {"value": 1.7e308, "unit": "mi"}]
)
def test_numbers_beyond_floats_are_format_errors(value: Any) -> None:
    with pytest.raises(answers.FormatError, match="finite"):
        answers.get("distance").parse(value, {})


def test_halves_of_surrogate_pairs() -> None:
    with pytest.raises(answers.FormatError, match="WKT"):
        answers.get("polygon").parse("POLYGON((0 0,1 0,1 1,0 0)) \ud800", {})
    reply = answers.read_reply('{"answer": null, "declined": true, "reason": "no \\ud800"}')
    assert reply.reason == "no ?"
    assert answers.read_reply("I cannot determine this \ud800").reason.endswith("this ?")
    assert answers.parse_reply('{"answer": "\\ud800"}', answers.get("entity"), {}).status == "unparseable"


def test_geojson_positions_are_numbers() -> None:
    for position in ([True, 0], [0], [0, 1, 2, 3], "0 0"):
        with pytest.raises(answers.FormatError, match="broken coordinates"):
            answers.get("polygon").parse({"type": "Polygon", "coordinates": [[position]]}, {})


def test_a_fault_of_the_geometry_library_is_a_format_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> Any:
        raise shapely.errors.GEOSException("TopologyException")

    monkeypatch.setattr(shapes, "_surface", fail)
    with pytest.raises(answers.FormatError, match="cannot be repaired: TopologyException"):
        answers.get("polygon").parse("POLYGON((0 0,1 0,1 1,0 0))", {})


def test_utm_outside_its_zone() -> None:
    for east, north in ((-1, 0), (1_000_001, 0), (500_000, 10_000_001)):
        with pytest.raises(answers.FormatError, match="outside a UTM zone"):
            answers.get("point").parse({"zone": "31N", "easting": east, "northing": north}, {})
    pole = answers.get("point").parse({"zone": "31N", "easting": 1_000_000, "northing": 10_000_000}, {})
    assert math.isfinite(pole["lat"]) and math.isfinite(pole["lon"])


def test_credits_are_checked() -> None:
    for name in ("cell", "composite"):
        with pytest.raises(InputError, match="H3 credit"):
            answers.get(name, h3_credit="half")


def test_common_cells_earn_no_credit_in_a_composite() -> None:
    gold = {"h3": "8928308280fffff", "s2": "89c25a224"}
    finer = {"h3": "8a28308280c7fff", "s2": "89c25a224"}
    assert answers.get("composite").exact_match(finer, gold, {"template": "H03"})
    assert not answers.get("composite").exact_match(finer, gold, {"template": "H02"})


def test_matching_takes_each_key_once() -> None:
    assert _matching([["a"], ["a"]]) == 1
    assert _matching([["a"], ["a", "b"]]) == 2
    assert _matching([["a", "b"], ["a"]]) == 2


def test_values_that_cannot_be_shown() -> None:
    class Shy:
        def __repr__(self) -> str:
            raise RuntimeError

    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert shown(Shy()) == "<Shy>"
    assert shown(deep) == "<list>"
    with pytest.raises(answers.FormatError):
        answers.get("count").parse(deep, {})


RULES = [
    ("distance", "3,145", "eng", {}, "number: comma read as thousands (eng)"),
    ("distance", "3,145", "deu", {}, "number: comma read as decimal (deu)"),
    ("distance", "3.145", "deu", {}, "number: point read as thousands (deu)"),
    ("distance", "3.5", "deu", {}, "number: point read as decimal (deu)"),
    ("distance", "3,5", "eng", {}, "number: comma read as decimal (eng)"),
    ("distance", "3.5", "eng", {}, None),
    ("distance", 3.5, "deu", {}, None),
    ("distance", "3,145 mi", "deu", {}, "number: comma read as decimal (deu); unit: mi converted"),
    ("distance", "5 km", "eng", {}, None),
    ("cell", 617700169958293503, "eng", {}, "cell: integer id"),
    ("point", [1, 2], "eng", {}, "point: bare pair read as latitude, longitude"),
    ("point", "1, 2", "eng", {}, "point: bare pair read as latitude, longitude"),
    ("point", "1N 2E", "eng", {}, None),
    ("point", "POINT(1 2)", "eng", {}, "point: WKT is longitude, latitude"),
    ("point", {"type": "Point", "coordinates": [1, 2]}, "eng", {}, "point: GeoJSON is longitude, latitude"),
    ("point", {"lat": 1, "lon": 181}, "eng", {}, "point: longitude wrapped"),
    ("point", {"zone": "31N", "easting": 500000, "northing": 0}, "eng", {}, "point: read as UTM"),
    ("point", '{"lat": 1, "lon": 2}', "eng", {}, "answer: JSON inside a text"),
    ("polygon", [0, 0, 1, 1], "eng", {}, "polygon: list read as west, south, east, north"),
    ("polygon", {"west": 179, "south": 0, "east": 181, "north": 1}, "eng", {}, "polygon: longitude wrapped"),
    ("polygon", "POLYGON((0 0,0 1,1 1,1 0))", "eng", {}, "polygon: open ring closed"),
    ("polygon", "POLYGON((0 0,2 2,2 0,0 2,0 0))", "eng", {}, "polygon: invalid surface repaired"),
    (
        "polygon",
        "POLYGON((179 0,179 1,-179 1,-179 0,179 0))",
        "eng",
        {},
        "polygon: cut at the 180th meridian",
    ),
    ("polar", {"azimuth": -45, "distance": 5}, "eng", {}, "polar: azimuth taken modulo 360"),
    ("date", "20190704", "eng", {}, "date: basic form"),
    ("date", "2019-07-04T10:00Z", "eng", {}, "date: time dropped, date as written"),
    ("label", "NNE", "eng", {"winds": 16}, "label: wind read from its short or longer form"),
    ("label", "North-East", "eng", {"winds": 8}, None),
    ("boolean", "да", "rus", {}, "boolean: word for true (rus)"),
    ("boolean", "false", "rus", {}, None),
    ("set", "A; B", "eng", {}, "set: text read as one name a line or between semicolons"),
    ("entity", ["A"], "eng", {}, "name: only member of a list"),
]


@pytest.mark.parametrize(("name", "value", "language", "params", "rule"), RULES)
def test_rule(name: str, value: Any, language: str, params: dict[str, Any], rule: str | None) -> None:
    question = {"language": language, "params": params}
    reply = answers.parse_value(answers.Reply("answered", value), answers.get(name), question)
    assert (reply.status, reply.rule) == ("answered", rule)


def test_rules_of_the_reply_come_first() -> None:
    reply = answers.parse_reply(
        '{"answer": 1} {"answer": "2,5 mi"}', answers.get("distance"), {"language": "deu"}
    )
    assert reply.rule == "reply: the last of 2 answer objects; unit: mi converted"
    assert answers.read_reply("5").rule == "reply: a bare JSON value"


def test_notes_are_kept_apart() -> None:
    rules.note("lost")
    with rules.noted() as outer:
        rules.note("a")
        with rules.noted() as inner:
            rules.note("b")
            rules.note("b")
        rules.note("c")
    assert (outer, inner) == (["a", "c"], ["b"])
