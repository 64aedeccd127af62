"""Ways in which tools of this kind go wrong, with the right result: one line a case in cases/shared.jsonl.

The cases are written loosely; ``raws``, ``reply_text`` and ``gold`` bring them to our forms. A case whose
expectation our rules contradict says why under "argued", and what holds here under "instead".
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h3
import numpy as np
import pyarrow as pa
import pyproj
import pytest
import shapely

from multiglobeqa import answers
from multiglobeqa.answers.grids import s2_level
from multiglobeqa.answers.polar import angle_between
from multiglobeqa.geo import cells, distance, measure, nearest
from multiglobeqa.kg import wkt

HERE = Path(__file__)
CASES: list[dict[str, Any]] = [
    json.loads(line)
    for line in HERE.with_name("cases").joinpath("shared.jsonl").read_text("utf-8").splitlines()
]
SHARED = Path(os.environ.get("MGQA_SHARED", HERE.parents[3] / "shared")) / "cases" / "cases.jsonl"
BY_AREA = {
    "parse/number": "distance", "parse/units": "area", "parse/coords": "point", "parse/wkt": "polygon",
    "bbox": "polygon", "area/axis order": "polygon", "grid/h3": "cell", "grid/s2": "cell", "grid/geohash": "geohash",
    "names/set": "set", "names": "entity", "dates": "date", "scoring/zero": "ratio", "scoring/polar": "polar",
    "abstention": "distance", "provider": "count", "axis order": "point", "parse/json": "distance",
}  # fmt: skip
ELSEWHERE = ("abstention/metric", "rdf/robust", "osm/", "strata/", "agent/", "runner/", "report/", "judge",
             "agreement", "translation/", "annotation")  # fmt: skip
"""Areas of cases that concern other rooms, and are tested there."""


def format_name(case: dict[str, Any]) -> str:
    given = case["input"].get("answer_type") or case["input"].get("type")
    if given == "bbox":
        return "polygon"
    return given or next(name for area, name in BY_AREA.items() if case["area"].startswith(area))


def question_of(case: dict[str, Any], language: str) -> dict[str, Any]:
    labels = aliases_of(case)
    system = {"grid/h3": "h3", "grid/s2": "s2"}.get(case["area"])
    return {
        "language": language,
        "params": {"system": system} if system else {},
        "accepted_iris": sorted({iri for iri, _, _ in labels}),
    }


def aliases_of(case: dict[str, Any]) -> list[tuple[str, str, str]]:
    given = case["input"]
    if "aliases" not in given:
        return []
    named = given["aliases"] if isinstance(given["aliases"], dict) else {given["gold"]: given["aliases"]}
    golds = given["gold"] if isinstance(given["gold"], list) else [given["gold"]]
    return [("x:" + name, label, "name") for name in golds for label in (name, *named.get(name, ()))]


def gold(case: dict[str, Any], place: int) -> Any:
    """The gold in canonical form: {"value", "unit"} is the number, a box gets its keys, and so on."""
    value, name = case["input"].get("gold"), format_name(case)
    if isinstance(value, dict) and "value" in value:
        return value["value"]
    if isinstance(value, dict) and "angle" in value:
        return {"azimuth_deg": value["angle"], "distance_km": value["distance_km"]}
    if name == "polygon" and value:
        return dict(zip(("west", "south", "east", "north"), value, strict=True))
    if name == "entity" and isinstance(value, list):
        return value[place]
    return sorted(value) if name == "set" and value else value


def raws(case: dict[str, Any]) -> list[Any]:
    """The replies of a case, one or several."""
    given = case["input"]
    if "pred" in given:
        pred = given["pred"]
        return [
            pred
            if not isinstance(pred, dict)
            else {"azimuth": pred["angle"], "distance": pred["distance_km"]}
        ]
    if "reply" in given:
        return [given["reply"]["content"]]
    if "polygon" in given:
        return [
            "POLYGON((" + ", ".join(f"{x} {y}" for x, y in [*given["polygon"], given["polygon"][0]]) + "))"
        ]
    raw = given["raw"]
    one = not isinstance(raw, list) or (format_name(case) == "set" and all(isinstance(r, str) for r in raw))
    return [raw] if one else raw


def reply_text(raw: Any, area: str) -> str:
    """What the model would have written: a text with an object as it is, anything else as the answer."""
    whole = area.startswith(("parse/reasoning", "abstention", "provider"))
    if isinstance(raw, str) and ("{" in raw.replace("{,}", "") or whole):
        return raw.replace('"value"', '"answer"')
    return json.dumps({"answer": raw}, ensure_ascii=False)


def results(case: dict[str, Any]) -> list[dict[str, Any]]:
    languages = case["input"].get("language", "eng")
    found = []
    for language in languages if isinstance(languages, list) else [languages]:
        for place, raw in enumerate(raws(case)):
            labels = aliases_of(case)
            fmt = answers.get(
                format_name(case), names=answers.AliasIndex.from_rows(labels) if labels else None
            )
            question, right = question_of(case, language), gold(case, place)
            reply = answers.parse_reply(reply_text(raw, case["area"]), fmt, question)
            row = {"status": reply.status, "value": reply.value, "reason": reply.reason, "rule": reply.rule}
            row |= {"em": 0, "ne": 1.0, "d": None, "language": language}
            if reply.status == "answered" and right is not None:
                row["em"] = int(fmt.exact_match(reply.value, right, question))
                row["ne"] = fmt.normalized_error(reply.value, right, question)
                row["d"] = fmt.distance(reply.value, right, question)
            found.append(row)
    return found


def _status(word: str) -> str:
    return "answered" if word.startswith("ok") else "unparseable"


def _compare(case: dict[str, Any], found: list[dict[str, Any]]) -> set[str]:
    """Compare results with what the case expects; the keys that were compared."""
    expected, count = case["expected"] | case.get("instead", {}), len(found)

    def many(key: str) -> list[Any]:
        value = expected[key]
        return value if isinstance(value, list) else [value] * count

    done = set()
    for key, ours, tolerance in (
        ("em", "em", 0), ("ne", "ne", 5e-5), ("values", "value", 1e-9), ("value", "value", 1e-9),
        ("km2", "value", 1e-4), ("geodesic_km", "d", 6e-5), ("d_days", "d", 0),
    ):  # fmt: skip
        if key in expected:
            done.add(key)
            for place, (row, wanted) in enumerate(zip(found, many(key), strict=True)):
                if key == "values" and isinstance(wanted, int | float) and wanted < 0:
                    wanted = None  # "a negative distance is then a domain error"
                assert row[ours] == pytest.approx(wanted, abs=tolerance), (place, row)
    if "iou" in expected:
        done.add("iou")
        assert [1 - row["d"] for row in found] == pytest.approx(many("iou"), abs=5e-5)
    if "status" in expected:
        done.add("status")
        assert [row["status"] for row in found] == [_status(word) for word in many("status")]
    if "refusal" in expected:
        done.add("refusal")
        assert [row["status"] == "declined" for row in found] == expected["refusal"]
    if "lat" in expected:
        done |= {"lat", "lon"}
        assert found[0]["value"] == pytest.approx({"lat": expected["lat"], "lon": expected["lon"]}, abs=1e-6)
    for key in ("canonical", "canonical_token", "answer"):
        if key in expected:
            done.add(key)
            assert [row["value"] for row in found] == [expected[key]] * count
    for language in {"eng", "deu"} & set(expected):
        done.add(language)
        assert [row["value"] for row in found if row["language"] == language] == [expected[language]]
    if "parsed" in expected:
        done.add("parsed")
        written = [{"month precision": "2019-07"}.get(text, text.split(" (")[0]) for text in many("parsed")]
        assert [row["value"] for row in found] == written
    if "valid" in expected:
        done.add("valid")
        assert [row["status"] == "answered" for row in found] == [expected["valid"]]
    if "message_contains" in expected:
        done.add("message_contains")
        assert expected["message_contains"] in found[0]["reason"]
    return done


def _k035(given: dict[str, Any], expected: dict[str, Any]) -> None:
    a, b = given["from"], given["to"]
    km = distance.distance_km(a["lon"], a["lat"], b["lon"], b["lat"])
    assert km == pytest.approx(expected["km"], abs=5e-4)
    swapped = distance.distance_km(a["lat"], a["lon"], b["lat"], b["lon"])
    assert swapped == pytest.approx(expected["wrong_if_swapped_km"], abs=5e-4)


def _k037(given: dict[str, Any], expected: dict[str, Any]) -> None:
    km = float(distance.distance_km(*given["from"], *given["to"]))
    assert km == pytest.approx(expected["km"], abs=5e-4)
    assert all(abs(km - wrong) > 1 for wrong in expected["not"])


def _k038(given: dict[str, Any], expected: dict[str, Any]) -> None:
    names, places = zip(*given["candidates"].items(), strict=True)
    lon, lat = np.array(places, dtype=float).T
    best = nearest.PointIndex(lon, lat).k_nearest([given["from"][0]], [given["from"][1]], 1)[0].item()
    assert names[best] == expected["nearest"]
    km = distance.distance_km(given["from"][0], given["from"][1], lon, lat)
    assert dict(zip(names, km.tolist(), strict=True)) == pytest.approx(expected["km"], abs=5e-4)


def _k040(given: dict[str, Any], expected: dict[str, Any]) -> None:
    point, polygon = shapely.Point(given["point"]), shapely.from_wkt(given["polygon"])
    assert distance.geometry_distance_km(point, polygon) == expected["distance_to_polygon_km"]
    km, inside = distance.boundary_distance_km(point, polygon)
    assert bool(inside)
    assert float(km) == pytest.approx(expected["distance_to_boundary_km"], abs=5e-4)


def _k041(given: dict[str, Any], expected: dict[str, Any]) -> None:
    km2 = float(measure.area_km2(shapely.Polygon(given["polygon"])))
    assert km2 == pytest.approx(expected["km2"], abs=5e-4)


def _k044(given: dict[str, Any], expected: dict[str, Any]) -> None:
    value = answers.get("polygon").parse(given["polygon"], {})
    boxes = [shapely.box(179, 0, 180, 1), shapely.box(-180, 0, -179, 1)]
    assert shapely.from_wkt(value).equals(shapely.MultiPolygon(boxes)), expected["split"]
    (case,) = (case for case in CASES if case["id"] == "K044")
    assert len(case["argued"]) > 80
    km2 = float(measure.area_km2(shapely.from_wkt(value)))
    assert km2 == pytest.approx(case["instead"]["km2"], abs=5e-4)
    lon, lat = shapely.get_coordinates(shapely.from_wkt(given["polygon"])).T
    geodesic = abs(pyproj.Geod(ellps="WGS84").polygon_area_perimeter(lon, lat)[0]) / 1e6
    assert geodesic == pytest.approx(expected["km2"], abs=5e-3)


def _k058(given: dict[str, Any], expected: dict[str, Any]) -> None:
    assert h3.is_pentagon(given["cell"]) is expected["is_pentagon"]
    outline = cells.boundary(cells.from_text([given["cell"]], "h3"), "h3")[0]
    assert shapely.get_num_coordinates(outline) - 1 == expected["boundary_vertices"]
    assert len(h3.grid_ring(given["cell"], 1)) == expected["grid_ring_1"]


def _k082(given: dict[str, Any], expected: dict[str, Any]) -> None:
    point = wkt.parse(pa.array([given["literal"]]), "crs").geometries[0]
    assert {"lon": point.x, "lat": point.y} == expected


KERNELS: dict[str, Callable[[dict[str, Any], dict[str, Any]], None]] = {
    "K035": _k035, "K037": _k037, "K038": _k038, "K040": _k040, "K041": _k041, "K044": _k044, "K058": _k058,
    "K082": _k082,
}  # fmt: skip
"""Cases of the geometry and the import, which hold no reply."""

NOT_OURS = {
    "note",
    "why",
    "not",
    "level",
    "radial_tau",
    "angular_error",
    "diagnostic",
}  # said in words, or checked below or in the tests of the diagnosis


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in CASES])
def test_case(case: dict[str, Any]) -> None:
    if case["id"] in KERNELS:
        KERNELS[case["id"]](case["input"], case["expected"])
        return
    found = results(case)
    assert len(case.get("argued", " " * 99)) > 80, "an argument, not a word"
    if "near" in case.get("instead", {}):
        assert [row["status"] for row in found] == case["instead"]["status"]
        assert {answers.read_reply(raw).status for raw in raws(case)} == {case["instead"]["reply"]}
        for text, value in case["instead"]["near"].items():
            reply = answers.parse_value(answers.Reply("answered", text), answers.get(format_name(case)), {})
            assert reply.value == value
        return
    done = _compare(case, found)
    assert set(case["expected"]) - done <= NOT_OURS, "every expectation is compared"
    assert done


def test_further_words_of_the_cases() -> None:
    by_id = {case["id"]: case for case in CASES}
    assert "swapped" in results(by_id["K022"])[0]["reason"]
    assert results(by_id["K023"])[0]["reason"] == "The reply is empty."
    assert "below 0" in answers.parse_reply('{"answer": "-5"}', answers.get("distance"), {}).reason
    assert s2_level("89c25a224") == by_id["K059"]["expected"]["level"]
    polar = by_id["K080"]
    assert answers.get("distance").tolerance(polar["input"]["gold"]["distance_km"], {}) == 0.5
    assert angle_between(359, 1) == polar["expected"]["angular_error"]
    assert results(by_id["K047"])[0]["rule"] == "polygon: open ring closed"
    assert results(by_id["K005"])[0]["rule"] == "number: comma read as thousands (eng)"
    assert results(by_id["K005"])[1]["rule"] == "number: comma read as decimal (deu)"


@pytest.mark.skipif(not SHARED.exists(), reason="no folder of shared cases (MGQA_SHARED)")
def test_the_cases_are_as_they_were_written() -> None:
    written = {row["id"]: row for row in map(json.loads, SHARED.read_text("utf-8").splitlines())}
    for case in CASES:
        assert {key: case[key] for key in written[case["id"]]} == written[case["id"]]
    left = [row["id"] for row in written.values() if row["id"] not in {case["id"] for case in CASES}]
    assert [key for key in left if not written[key]["area"].startswith(ELSEWHERE)] == []
