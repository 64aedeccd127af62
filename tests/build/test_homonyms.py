"""Names are told apart from the places of other KGs too, and places on record twice are not asked of (rule 5)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import shapely

from multiglobeqa.build import BuildConfig, build
from multiglobeqa.build.doubts import named_divisions, second_records, unlabelled_sections
from multiglobeqa.build.gazetteer import one_place
from multiglobeqa.build.naming import UNTOLD, Namer, SurfaceName
from multiglobeqa.engine import DuckEngine
from multiglobeqa.kg.store import Snapshot

Row = dict[str, Any]
Make = Callable[..., Snapshot]
GEONAMES = "https://sws.geonames.org/{}/"


def merged(given: Row, **usual: Any) -> Row:
    """What is usual, but for what is given."""
    return usual | given


class Hand:
    """Writes places by hand as snapshots of one KG each."""

    def __init__(self, folder: Path, make: Make, pattern: Row) -> None:
        self._folder, self._make, self._pattern, self._count = folder, make, pattern, 0

    def place(
        self,
        name: str,
        lon: float,
        lat: float,
        class_: str = "city15000",
        country: str = "FRA",
        **more: Any,
    ) -> Row:
        """A point; keywords beyond the columns are attributes."""
        self._count += 1
        columns = {key: more.pop(key) for key in ("iri", "level", "admin") if key in more}
        point = shapely.Point(lon, lat)
        return self._pattern | {
            "iri": GEONAMES.format(self._count), "name": name, "class": class_, "kind": "point", "level": None,
            "geometry": point.wkb, "bbox": {"xmin": lon, "xmax": lon, "ymin": lat, "ymax": lat}, "ref_lon": lon,
            "ref_lat": lat, "country": country, "admin": [], "attributes": json.dumps(more), "area_km2": None,
        } | columns  # fmt: skip

    def snapshot(self, kg: str, *rows: Row) -> Snapshot:
        """The places as a snapshot of a KG."""
        folder = self._folder / kg
        folder.mkdir()
        return self._make(folder, [row | {"kg": kg} for row in rows])


@pytest.fixture
def hand(tmp_path: Path, make_snapshot: Make, small_rows: list[Row]) -> Hand:
    return Hand(tmp_path, make_snapshot, small_rows[0])


def spoken(hand: Hand, mine: list[Row], *beside: Row) -> list[SurfaceName]:
    """The surface names of places, in their order, beside those of another KG."""
    engine = DuckEngine([hand.snapshot("knowwheregraph", *mine)], threads=1)
    rows = engine.query("SELECT id, iri FROM entity").to_pylist()
    ids = {row["iri"]: row["id"] for row in rows}
    others = [hand.snapshot("worldkg", *beside)] if beside else []
    namer = Namer(engine, others)
    wanted = [ids[row["iri"]] for row in mine]
    namer.prepare(wanted)
    return [namer.name(entity, placed=True) for entity in wanted]


def texts(names: list[SurfaceName]) -> list[str]:
    return [name.text for name in names]


HOMONYMS: list[tuple[str, Row | None, str]] = [
    ("nothing else of the name", None, "Aube"),
    ("abroad", {"lon": 20.0, "country": "POL", "admin1": "Opole"}, "Aube (France)"),
    ("in another region", {"lon": 6.0, "admin1": "Alsace"}, "Aube (Normandy, France)"),
    ("in its region", {"lon": 1.0, "admin1": "Normandy"}, "Aube (latitude 48.0000, longitude 0.0000)"),
    (
        "a seat of its name",
        {"lon": 1.0, "class_": "administrative_seat"},
        "Aube (latitude 48.0000, longitude 0.0000)",
    ),
    ("in a region that is not stated", {"lon": 6.0}, "Aube (latitude 48.0000, longitude 0.0000)"),
    ("itself in the other KG", {"iri": GEONAMES.format(1)}, "Aube"),
    ("its record of OSM, 7 km off", {"lon": 0.1, "class_": "town"}, "Aube"),
    ("a region of its name", {"lon": 1.0, "class_": "admin1", "level": 1}, "Aube (populated place)"),
    ("a region abroad", {"lon": 20.0, "class_": "admin1", "level": 1, "country": "POL"}, "Aube (France)"),
    ("a lake of its name", {"lon": 1.0, "class_": "natural_earth_lake"}, "Aube (populated place)"),
]


@pytest.mark.parametrize(
    ("other", "name"), [case[1:] for case in HOMONYMS], ids=[case[0] for case in HOMONYMS]
)
def test_a_city_beside_a_homonym_of_another_kg(hand: Hand, other: Row | None, name: str) -> None:
    mine = hand.place("Aube", 0.0, 48.0, admin1="Normandy")
    beside = (
        []
        if other is None
        else [hand.place(**merged(other, name="AUBE", lon=0.0, lat=48.0, class_="settlement"))]
    )
    assert texts(spoken(hand, [mine], *beside)) == [name]


def test_a_city_with_a_region_and_another_city_of_its_name(hand: Hand) -> None:
    """The region holds the first city, so its own region does not tell which is meant: the class must."""
    mine = [
        hand.place("Aube", 0.0, 48.0, admin1="Normandy"),
        hand.place("Aube", 6.0, 48.0, admin1="Alsace"),
        hand.place("Aube", 1.0, 48.0, "admin1", level=1),
    ]
    assert texts(spoken(hand, mine)) == [
        "Aube (populated place, Normandy, France)",
        "Aube (populated place, Alsace, France)",
        "Aube (first-level administrative region)",
    ]


@pytest.mark.parametrize(
    ("name", "class_", "text"),
    [
        ("Java", "city15000", "Java (populated place, Georgia)"),
        ("Río Negro", "admin1", "Río Negro (first-level administrative region, Georgia)"),
        ("Niger", "country", "Niger"),
        ("Javakheti", "admin1", "Javakheti"),
    ],
)
def test_the_name_of_a_river_or_an_island_says_its_class(
    hand: Hand, name: str, class_: str, text: str
) -> None:
    assert texts(spoken(hand, [hand.place(name, 44.0, 42.0, class_, "GEO")])) == [text]


def test_a_renowned_name_does_not_say_what_is_asked(hand: Hand) -> None:
    engine = DuckEngine([hand.snapshot("knowwheregraph", hand.place("Java", 44.0, 42.0, "city15000", "GEO"))])
    assert Namer(engine).name(1, unsaid=frozenset({"georgia"})).text == "Java (populated place)"


def test_by_coordinates_the_class_is_said_where_an_area_bears_the_name(hand: Hand) -> None:
    city = hand.place("Aube", 0.0, 48.0, admin1="Normandy")
    twin = hand.place("Aube", 1.0, 48.0, "settlement", admin1="Normandy")
    area = hand.place("Aube", 0.5, 48.0, "admin1", level=1)
    assert texts(spoken(hand, [city], twin, area)) == [
        "Aube (populated place, latitude 48.0000, longitude 0.0000)"
    ]


def test_a_county_and_a_city_of_one_name_say_their_kind(hand: Hand) -> None:
    units = [
        hand.place("Cork", 0.0 + number, 48.0, "admin1", "IRL", level=1, unit_type=kind)
        for number, kind in enumerate(("County", "City|Town"))
    ]
    assert texts(spoken(hand, units)) == [
        "Cork (first-level administrative region: county, Ireland)",
        "Cork (first-level administrative region: city or town, Ireland)",
    ]


def test_two_regions_of_one_kind_and_name_are_not_told_apart(hand: Hand) -> None:
    """Coordinates lie in the region and in the city region inside it alike."""
    units = [hand.place("Oz", 0.0 + n, 48.0, "admin1", "UZB", level=1, unit_type="Region") for n in (0, 1)]
    assert {name.context for name in spoken(hand, units)} == {UNTOLD}


def test_a_country_is_known_before_towns_abroad(hand: Hand) -> None:
    peru = hand.place("Peru", 0.0, 48.0, "country", "PER", level=0)
    town = hand.place("Peru", 20.0, 48.0, "settlement", "USA", admin1="Illinois")
    home = hand.place("Peru", 1.0, 48.0, "settlement", "PER")
    assert texts(spoken(hand, [peru], town)) == ["Peru"]
    (hand._folder / "second").mkdir()
    hand._folder = hand._folder / "second"
    assert texts(spoken(hand, [peru], town, home)) == ["Peru (country or territory)"]


def test_areas_of_osm_are_countries_and_regions_elsewhere() -> None:
    at: Row = {"country": "LIE", "ref_lon": 9.5, "ref_lat": 47.1, "level": None}
    osm = at | {"class": "admin_area", "level": 2}
    assert one_place(osm, at | {"class": "country"}) and one_place(at | {"class": "country"}, osm)
    assert not one_place(osm, at | {"class": "admin1"})
    assert one_place(osm | {"level": 8}, at | {"class": "admin1"})
    assert not one_place(osm | {"level": 8}, at | {"class": "settlement"})
    assert not one_place(osm, at | {"class": "country", "ref_lon": 10.0})


@pytest.mark.parametrize(
    ("other", "twice"),
    [
        ({"lon": 0.12}, True),
        ({"lon": 0.15}, False),
        ({"lon": 0.12, "name": "Aubette"}, False),
        ({"lon": 0.12, "country": "BEL"}, False),
        ({"lon": 0.12, "class_": "admin1"}, False),
        ({"lon": 0.12, "class_": "town"}, False),
        ({"lon": 0.12, "admin1": "Alsace"}, True),
        ({"lon": 1.2, "population": 15_922}, True),
        ({"lon": 1.2, "population": 15_923}, False),
        ({"lon": 1.5, "population": 15_922}, False),
    ],
)  # fmt: skip
def test_second_records(hand: Hand, other: Row, twice: bool) -> None:
    """At 48 degrees north a degree of longitude is 74.6 km: 0.12 is 9 km, 0.15 11 km, 1.2 90 km, 1.5 112 km."""
    one = hand.place("Aube", 0.0, 48.0, admin1="Normandy", population=15_922)
    two = hand.place(**merged(other, name="aube", lat=48.0))
    engine = DuckEngine([hand.snapshot("knowwheregraph", one, two)], threads=1)
    assert second_records(engine) == (frozenset({1, 2}) if twice else frozenset())


def test_two_villages_of_osm_may_have_a_quarter_of_one_name(hand: Hand) -> None:
    """745 m apart they are one, 1.5 km apart two."""
    rows = [hand.place("Oberdorf", lon, 48.0, "neighbourhood") for lon in (0.0, 0.01, 0.03)]
    assert second_records(DuckEngine([hand.snapshot("osmh3kg", *rows)], threads=1)) == {1, 2}


def test_names_of_divisions(hand: Hand) -> None:
    given = {
        "Warwick Parish": True, "Borough of Queens": True, "Freguesia do Ó": True, "No (1) Ward": True,
        "Bang Bo District": True, "Madolenihm Municipality Government": True, "Patterson Park Neighborhood": True,
        "Borough Green": False, "County Park": False, "Whitehall Township": False, "Government Road": False,
        "‘Assāl al Ward": False, "Warwick": False,
    }  # fmt: skip
    rows = [hand.place(name, 0.5 * n, 48.0) for n, name in enumerate(given)]
    bay = hand.place("Bay County", 0.0, 50.0, "admin1", level=1)
    engine = DuckEngine([hand.snapshot("knowwheregraph", *rows, bay)], threads=1)
    names = dict(zip(*engine.query("SELECT id, name FROM entity").to_pydict().values(), strict=True))
    assert {names[entity] for entity in named_divisions(engine)} == {
        name for name, is_one in given.items() if is_one
    }


@pytest.mark.parametrize(
    ("small", "doubtful"),
    [({}, True), ({"feature_code": "PPL"}, False), ({"population": 60_000}, False), ({"lon": 0.4}, False)],
)
def test_a_place_without_a_code_by_a_larger_one_may_be_a_section(
    hand: Hand, small: Row, doubtful: bool
) -> None:
    city = hand.place("Great", 0.0, 48.0, population=100_000)
    part = hand.place(**merged(small, name="Part", lon=0.2, lat=48.0, population=20_000, geonames_id=7))
    engine = DuckEngine([hand.snapshot("knowwheregraph", city, part)], threads=1)
    found = {i for ids in unlabelled_sections(engine).values() for i in ids}
    assert len(found) == doubtful


def counted(folder: Path, snapshot: Snapshot) -> tuple[list[Row], Counter[str]]:
    """Questions of B01.b, B02.b and N01.b, and the discards by cause."""
    out = folder / "out"
    result = build(
        BuildConfig(out, [snapshot.path], threads=1, subtemplates=["B01.b", "B02.b", "N01.b"], gazetteer=[])
    )
    causes: Counter[str] = Counter()
    for row in result.summary["discards"]:
        causes[row["cause"]] += row["count"]
    return list(pq.read_table(out / "questions.parquet").to_pylist()), causes


def test_a_place_on_record_twice_or_a_section_is_not_counted(hand: Hand, tmp_path: Path) -> None:
    """Ten towns in a row, 15 km apart. The second stands twice, the eighth has no code and lies by a large one."""
    row = [
        hand.place(
            f"Town {n}", 0.2 * n, 48.0, feature_code="PPL", population=20_000 + n, geonames_id=n, admin1="N"
        )
        for n in range(10)
    ]
    row[7] = row[7] | {"attributes": json.dumps({"geonames_id": 7, "population": 20_007, "admin1": "N"})}
    row[8] = row[8] | {
        "attributes": json.dumps({"geonames_id": 8, "population": 90_000, "feature_code": "PPL"})
    }
    second = hand.place("Town 1", 0.22, 48.05, feature_code="PPLA3", geonames_id=99, admin1="N")
    parish = hand.place("Row Parish", 0.9, 48.3, feature_code="PPL", geonames_id=98, admin1="N")
    found, causes = counted(tmp_path, hand.snapshot("knowwheregraph", *row, second, parish))
    assert causes["settlement_named_as_a_division"] > 0
    assert causes["second_record_of_one_place"] > 0 and causes["member_may_be_a_city_section"] > 0
    assert {q["subtemplate"] for q in found} == {"B01.b", "B02.b", "N01.b"}
    doubtful = {row[1]["iri"], second["iri"], parish["iri"]}
    assert not [q for q in found if doubtful & set(q["entities"])]
    sets = [q for q in found if q["subtemplate"] != "N01.b"]
    asked = [(json.loads(q["roles"])["B"]["iri"], set(q["entities"])) for q in sets]
    assert not [b for b, entities in asked if row[7]["iri"] in entities - {b}]
    assert any(
        row[7]["iri"] == json.loads(q["roles"])["A"]["iri"] for q in found if q["subtemplate"] == "N01.b"
    )
