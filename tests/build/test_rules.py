"""TAXONOMY rules 5, 10, 11, 15 and 16, each with a planted violation; docs/rules.md lists all rules and their tests."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import shapely
from pydantic import ValidationError

from multiglobeqa.build import BuildConfig, build
from multiglobeqa.build.gold import instance
from multiglobeqa.build.naming import event_name
from multiglobeqa.kg.finish import write_part
from multiglobeqa.kg.osm import tags as osm_tags
from multiglobeqa.kg.report import ImportReport
from multiglobeqa.kg.schema import RAW_SCHEMA
from multiglobeqa.kg.store import Snapshot
from multiglobeqa.kg.strata import Strata
from multiglobeqa.taxonomy import SubTemplate, load
from multiglobeqa.taxonomy.model import fill

Row = dict[str, Any]
Make = Callable[..., Snapshot]
SUBS = load()
BY_ID = {sub.id: sub for sub in SUBS}


def rebuilt(sub: SubTemplate, **changes: Any) -> SubTemplate:
    """The sub-template with changes, validated as a file is."""
    return SubTemplate.model_validate(sub.model_dump(by_alias=True) | changes)


# Rule 10: ids, and how many wordings


def alike(subs: list[SubTemplate]) -> list[tuple[str, str, str]]:
    """Wordings that two sub-templates share: text and scale hint, filled with params and bind, case and stops aside."""
    seen: dict[tuple[str, str], str] = {}
    found = []
    for sub in subs:
        values = {**sub.bind, **sub.params}
        for text in sub.paraphrases:
            plain = " ".join(re.findall(r"[\w{}]+", fill(text, values).casefold()))
            other = seen.setdefault((plain, fill(sub.scale_hint or "", values)), sub.id)
            if other != sub.id:
                found.append((other, sub.id, text))
    return found


NEIGHBOURS = {
    ("B01.a", "B01.b"), ("B02.a", "B02.b"), ("C01.a", "C01.b"), ("C01.a", "C01.c"), ("C01.b", "C01.c"),
    ("E02.a", "E02.b"), ("N02.a", "N02.b"),
}  # fmt: skip
"""Sub-templates of one question for other kinds of entities, radii or levels, which the row fills in."""


def test_65_templates_129_sub_templates_315_wordings() -> None:
    assert len({sub.template for sub in SUBS}) == 65
    assert len(SUBS) >= 129
    assert sum(len(sub.paraphrases) for sub in SUBS) >= 315
    assert all(1 <= len(sub.paraphrases) <= 5 for sub in SUBS)
    assert all(re.fullmatch(rf"{sub.template}(\.[a-z])?", sub.id) for sub in SUBS)
    assert max(Counter(sub.id for sub in SUBS).values()) == 1


def test_no_two_wordings_are_alike() -> None:
    assert {one[:2] for one in alike(SUBS)} == NEIGHBOURS
    twin = BY_ID["A01.b"].model_copy(update={"paraphrases": ("how far apart are {A} and {B}",)})
    assert alike([BY_ID["A01.a"], twin]) == [("A01.a", "A01.b", "how far apart are {A} and {B}")]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"paraphrases": ["Is {A} {B}?", "Is {A} {B}?"]}, "alike"),
        ({"paraphrases": [f"Is {{A}} {{B}} {k}?" for k in range(6)]}, "at most 5"),
        ({"paraphrases": []}, "at least 1"),
        ({"id": "A1.a"}, "pattern"),
        ({"id": "Q01.a"}, "pattern"),
        ({"paraphrases": ["How far is {A} from here?"]}, "does not name the role B"),
    ],
)
def test_wordings_and_ids_that_break_rule_10(changes: Row, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        rebuilt(BY_ID["A01.a"], **changes)


# Rule 11: floors


@pytest.mark.parametrize(
    ("sub", "answer", "cause"),
    [
        ("A01.a", {"answer": 1.99}, "distance_below_2_km"),
        ("A01.a", {"answer": 2.01}, None),
        ("K04.a", {"answer": 1.99}, "distance_below_2_km"),
        ("G03.a", {"answer": 1.99}, "distance_below_2_km"),
        ("I04", {"answer": 4.9}, "area_below_5_km2"),
        ("I05", {"answer": 5.1}, None),
        ("M01", {"answer_azimuth_deg": 1.0, "answer_distance_km": 0.4}, None),
    ],
)
def test_floors(sub: str, answer: Row, cause: str | None) -> None:
    roles = {role: number for number, role in enumerate(BY_ID[sub].roles, 1)}
    row = {"_cell": "LIC/low", "_country": "AAA", "_class": "city", **roles, **answer}
    assert instance(BY_ID[sub], row)[1] == cause


def test_only_the_exempt_have_no_floor() -> None:
    numeric = {sub.id for sub in SUBS if sub.format in ("distance", "area", "polar")}
    assert {sub.id for sub in SUBS if sub.id in numeric and not sub.floor} == {"M01"}


# Rule 16: what the answerer needs stands in the question or in the scale hint

WORDS: dict[tuple[str, Any], str] = {
    ("aggregate", "average"): r"average|mean", ("aggregate", "minimum"): r"minimum|closest together|shortest",
    ("aggregate", "maximum"): r"maximum|farthest|longest", ("aggregate", "median"): r"median",
    ("aggregate", "total"): r"total|sum",
    ("rank", 1): r"nearest", ("rank", 2): r"second nearest", ("rank", 3): r"third nearest",
    ("system", "h3"): r"\bH3\b", ("system", "s2"): r"\bS2\b", ("system", "utm"): r"\bUTM\b",
    ("metric", "shape_index"): r"shape index", ("metric", "boundary_excess"): r"boundary excess",
    ("precision", "day"): r"\bday\b", ("precision", "month"): r"\bmonth\b",
}  # fmt: skip
"""Values of parameters and the words that say them."""
CONSTANTS: dict[str, str] = {
    "B03.b": r"resolution 3", "D01.a": r"100 m", "D01.b": r"10 km", "D02.a": r"100 m", "D02.b": r"10 km",
    "D03.a": r"100 m", "D03.b": r"10 km", "D03.c": r"25 km", "D04.a": r"100 m", "D04.b": r"10 km", "D04.c": r"25 km",
    "F02.e": r"1 minus .*width", "F02.f": r"1 minus .*width", "F04": r"45 degrees", "I02.a": r"34-knot",
    "I03": r"34-knot", "I04": r"34-knot", "I05": r"34-knot", "J01": r"45 degrees", "J04.a": r"4 winds",
    "J04.b": r"8 winds", "J04.c": r"16 winds", "K02": r"Polsby-Popper", "K03": r"1 minus width over length",
    "K05": r"divided by", "L02": r"5 times", "L04": r"1\.2 times", "G03": r"Douglas-Peucker",
}  # fmt: skip
"""Sub-templates or templates whose computation has a constant or a measure of its own, and the words that say it."""
UNSAID: dict[tuple[str, str], str] = {
    ("I01.b", "day"): "a storm's year stands in its name; the day belongs to I01.a",
    ("I02.b", "class"): "always first-level regions, and the question says so",
    **{(f"{sub}", "level"): "spoken by {class_plural}, which names the level" for sub in (
        "D01.a", "D01.b", "D02.a", "D02.b", "E02.a", "E02.b", "E05.a", "E05.b", "E05.c", "E05.d",
        "F02.a", "F02.b", "F02.c", "F02.d", "F02.e", "F02.f")},
    **{(f"{template}.{letter}", "threshold_km"): "a constant of the letter: CONSTANTS" for template in ("D03", "D04")
       for letter in "abc"},
    **{(sub, "lead"): "words before a storm's name, no value"
       for sub in ("C04.a", "C05.a", "C06.a", "D03.a", "D04.a")},
    ("C06.a", "lead_c"): "words before a storm's name, no value",
    **{(f"{template}.{letter}", "way"): "the verb, by what meets what; other wordings say intersect"
       for template in ("C04", "C05", "C06") for letter in "ab"},
    **{(f"C06.{letter}", "way_c"): "the same" for letter in "ab"},
}  # fmt: skip
"""Parameters that need no words of their own, and why."""


def parameters(sub: SubTemplate) -> set[str]:
    """Names of the parameters of a sub-template: stated, and returned by its SQL."""
    return {*sub.params, *re.findall(r"\bp_([a-z0-9_]+)", sub.sql)}


def unsaid(sub: SubTemplate) -> set[str]:
    """Parameters, and "constant", that some wording of a sub-template does not say, nor its scale hint."""
    hint = sub.scale_hint or ""
    values = {**sub.bind, **sub.params}
    constant = CONSTANTS.get(sub.id, CONSTANTS.get(sub.template))
    missing = set()
    for text in sub.paraphrases:
        whole = f"{text} {hint}"
        told = fill(whole, values)
        for name in parameters(sub):
            value = sub.params.get(name)
            words = WORDS.get(
                (name, value), rf"\b{re.escape(str(value))}\b" if value is not None else r"(?!)"
            )
            placeholders = {"class": "{class_", "classes": "{class_", "target_class": "{target_"}
            if (
                f"{{{name}}}" not in whole
                and placeholders.get(name, "\0") not in whole
                and not re.search(words, told, re.IGNORECASE)
                and not (
                    isinstance(value, float) and (f"{value * 1000:g} m" in told or f"{value:g} km" in told)
                )
            ):
                missing.add(name)
        if constant is not None and not re.search(constant, told):
            missing.add("constant")
    return missing


@pytest.mark.parametrize("sub", SUBS, ids=lambda sub: sub.id)
def test_everything_the_answerer_needs_is_said(sub: SubTemplate) -> None:
    assert {name for name in unsaid(sub) if (sub.id, name) not in UNSAID} == set()


def test_exceptions_of_rule_16_are_in_use() -> None:
    assert {key for key in UNSAID if key[1] not in unsaid(BY_ID[key[0]])} == set()
    assert {key for key in CONSTANTS if not any(key in (sub.id, sub.template) for sub in SUBS)} == set()


@pytest.mark.parametrize(
    ("sub", "changes", "missing"),
    [
        ("B01.a", {"paraphrases": ("How many {class_plural} are near {B}?",)}, {"radius_km"}),
        ("B01.a", {"paraphrases": ("How many are within {radius_km} km of {B}?",)}, {"class"}),
        ("L01", {"scale_hint": None}, {"threshold_km"}),
        ("L04", {"scale_hint": None}, {"constant"}),
        ("D01.a", {"scale_hint": None}, {"constant", "min_km", "level"}),
        ("D03.a", {"paraphrases": ("Which {class_plural} does {B} pass by?",)}, {"constant", "threshold_km", "lead"}),
        ("H02.a", {"paraphrases": ("Which H3 cell holds {A} and {B}?",), "scale_hint": None}, {"resolution"}),
        ("M02.c", {"paraphrases": ("What is the geohash of {A}?",)}, {"resolution"}),
        ("K05.a", {"paraphrases": ("How irregular is the boundary of {A} at {scale_km} km?",), "scale_hint": None},
         {"metric", "constant"}),
        ("A06.d", {"paraphrases": ("How far apart are {class_plural} in {B}?",)}, {"aggregate"}),
        ("I03.a", {"paraphrases": ("When did the winds of {A} first reach {B}?",)}, {"precision"}),
        ("F04.a", {"scale_hint": None}, {"constant"}),
    ],
)  # fmt: skip
def test_a_value_left_out_of_the_wording_is_found(sub: str, changes: Row, missing: set[str]) -> None:
    assert unsaid(BY_ID[sub].model_copy(update=changes)) == missing


# Rule 15: a surface's stratum is that of its reference point


def test_a_surface_has_the_country_of_its_centroid(tmp_path: Path) -> None:
    """A flat triangle from the Atlantic to Austria: its centroid lies in France, the middle of its box in Germany."""
    shape = shapely.from_wkt("POLYGON((0 49,18 49,0 48.5,0 49))")
    row: Row = dict.fromkeys(RAW_SCHEMA.names) | {
        "iri": "https://example.org/1", "kg": "knowwheregraph", "layer": "hand", "name": "Wedge",
        "class": "natural_earth_lake", "kind": "surface", "geometry": shape.wkb, "attributes": "{}",
    }  # fmt: skip
    row = {name: row[name] for name in RAW_SCHEMA.names}
    strata = Strata.load()
    write_part(
        tmp_path, "p", "knowwheregraph", iter([pa.RecordBatch.from_pylist([row], RAW_SCHEMA)]), (),
        report=ImportReport(source="hand"), licence="CC0-1.0", attribution="hand", strata=strata,
    )  # fmt: skip
    (found,) = pq.read_table(tmp_path / "p.entities.parquet").to_pylist()
    assert (found["ref_lon"], found["country"]) == (pytest.approx(6.0, abs=0.05), "FRA")
    middle = shapely.box(*shape.bounds).centroid
    assert middle.x == 9.0, "the middle of the box lies in Germany"


# Rule 5: names


def named(rows: list[Row], names: dict[str, str], **columns: Any) -> list[Row]:
    """Rows under other names; those renamed get the columns too."""
    return [row | {"name": names[row["name"]]} | columns if row["name"] in names else row for row in rows]


def built(folder: Path, make: Make, rows: list[Row], subs: list[str]) -> tuple[list[Row], Counter[str]]:
    """Questions and discards of a build."""
    (folder / "kg").mkdir()
    snapshot = make(folder / "kg", rows)
    result = build(BuildConfig(folder / "out", [snapshot.path], threads=1, subtemplates=subs))
    causes = Counter({row["cause"]: 0 for row in result.summary["discards"]})
    for row in result.summary["discards"]:
        causes[row["cause"]] += row["count"]
    return list(pq.read_table(folder / "out/questions.parquet").to_pylist()), causes


def test_two_of_one_name_in_different_areas_are_told_apart_by_the_area(
    tmp_path: Path, make_snapshot: Make, small_rows: list[Row]
) -> None:
    """P0 in Westland and P3 in Eastland are both called Twin."""
    rows = named(small_rows, {"P0": "Twin", "P3": "Twin"})
    found, _ = built(tmp_path, make_snapshot, rows, ["N01.b", "A01.a"])
    spoken = {
        value["name"]
        for row in found
        for value in json.loads(row["roles"]).values()
        if "Twin" in value["name"]
    }
    assert {name.split(",")[0] for name in spoken} == {"Twin (Westland", "Twin (Eastland"}
    assert not any("Twin and" in row["question"] or row["question"].endswith("Twin?") for row in found)


def test_two_of_one_name_in_one_area_are_discarded_where_coordinates_tell_the_answer(
    tmp_path: Path, make_snapshot: Make, small_rows: list[Row]
) -> None:
    """P0 and P1 of Westland are both called Twin: coordinates alone tell them apart, and would tell where they lie."""
    rows = named(small_rows, {"P0": "Twin", "P1": "Twin"})
    found, causes = built(tmp_path, make_snapshot, rows, ["N01.b", "A01.a", "M02.a", "M01", "J04.a"])
    assert causes["name_needs_coordinates"] >= 4
    twins = [row for row in found if "Twin" in row["question"]]
    assert {row["subtemplate"] for row in twins} == {"J04.a"}
    assert all("Twin (latitude 0.5000, longitude" in row["question"] for row in twins)


def test_a_storm_without_a_year_gets_it_or_is_left_out(
    tmp_path: Path, make_snapshot: Make, small_rows: list[Row]
) -> None:
    """Two storms pass by P0 to P3 and by P3 and P4; the KG names neither with a year, and dates the first alone."""
    moment = datetime(2005, 8, 29, tzinfo=UTC)
    line = next(row for row in small_rows if row["name"] == "Long Road")
    rows = [row for row in small_rows if row["kind"] != "line"]
    for number, (name, wkt, time) in enumerate(
        (
            ("Hurricane Dated", "LINESTRING(0.5 0.52,3.5 0.55)", moment),
            ("Hurricane Undated", "LINESTRING(2.45 0.5,3.45 1.5)", None),
        )
    ):
        shape = shapely.from_wkt(wkt)
        box = dict(zip(("xmin", "ymin", "xmax", "ymax"), shape.bounds, strict=True))
        place = {"geometry": shape.wkb, "bbox": box, "ref_lon": shape.centroid.x, "ref_lat": shape.centroid.y}
        what = {"iri": f"{line['iri'].rsplit('/', 1)[0]}/stormTrack.{number}", "class": "storm", "admin": []}
        rows.append(line | place | what | {"name": name, "time_start": time, "time_end": time})
    found, causes = built(tmp_path, make_snapshot, rows, ["D03.b"])
    assert {json.loads(row["roles"])["B"]["name"] for row in found} == {"Hurricane Dated (2005)"}
    assert causes["storm_without_year"] == 1


@pytest.mark.parametrize(
    ("given", "spoken"),
    [
        (("storm", "Hurricane Ada", "kwgr:stormTrack.1", 2005), "Hurricane Ada (2005)"),
        (("storm_footprint", "Hurricane Ada (2005)", "kwgr:stormFootprint.1", 2005), "Hurricane Ada (2005)"),
        (("storm", "Cyclone Bea 1999-2000", "kwgr:stormTrack.2", 1999), "Cyclone Bea 1999-2000"),
        (("earthquake", "M 5.2 - 45 km SSW of Tocopilla, Chile", "https://x.org/earthquake.us7000n1", 2024),
         "Earthquake us7000n1"),
        (("earthquake", "Earthquake us7000n1", "https://x.org/earthquake.us7000n1", 2024), "Earthquake us7000n1"),
        (("city15000", "Kilometre 5 km", "https://x.org/city.1", None), "Kilometre 5 km"),
    ],
)  # fmt: skip
def test_names_of_events(given: tuple[str, str, str, int | None], spoken: str) -> None:
    assert event_name(*given) == spoken


def test_an_earthquake_is_not_called_by_a_place_string(
    tmp_path: Path, make_snapshot: Make, small_rows: list[Row]
) -> None:
    moment = datetime(2018, 2, 6, tzinfo=UTC)
    leak = "M 6.4 - 18 km NNE of P2, Westland"
    quake = {"class": "earthquake", "time_start": moment, "time_end": moment, "admin": []}
    place = next(row for row in small_rows if row["name"] == "P2")
    iri = place["iri"].rsplit("/", 1)[0] + "/earthquake.us2018q"
    rows = [*small_rows, place | quake | {"iri": iri, "name": leak}]
    found, _ = built(tmp_path, make_snapshot, rows, ["I01.a", "A03.a", "I02.b"])
    assert found and all("Earthquake us2018q" in row["question"] for row in found)
    assert not any("18 km" in row["question"] for row in found)


def test_english_label_first() -> None:
    assert osm_tags.display_name({"name": "Praha", "name:en": "Prague", "name:de": "Prag"}) == "Prague"
    assert osm_tags.display_name({"name": "Praha", "name:de": "Prag"}) == "Praha"


def _texts() -> Iterator[str]:
    for sub in SUBS:
        yield from sub.paraphrases


def test_no_wording_holds_an_open_brace_that_nothing_fills() -> None:
    assert not [text for text in _texts() if text.count("{") != text.count("}")]
