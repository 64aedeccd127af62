"""The table of classes and its faults."""

from __future__ import annotations

from pathlib import Path

import pytest

from multiglobeqa.errors import InputError
from multiglobeqa.kg import classes
from multiglobeqa.kg.classes import Condition

CLASSES = classes.load()
ENTRY = "cafe: {label: café, plural: cafés, kinds: [point], osm: [amenity=cafe], rank: 5, scale: venue}\n"


@pytest.mark.parametrize(
    ("tags", "kind", "expected"),
    [
        ({"amenity": "cafe"}, None, "cafe"),
        ({"amenity": "cafe", "building": "yes"}, "surface", "cafe"),
        ({"tourism": "hotel", "amenity": "restaurant", "building": "hotel"}, "point", "hotel"),
        ({"amenity": "cafe;bar"}, "point", "cafe"),
        ({"amenity": "bar; nightclub"}, "point", "nightclub"),
        ({"natural": "water"}, "surface", "water"),
        ({"natural": "water", "water": "lake"}, "surface", "lake"),
        ({"natural": "water", "water": "river"}, "surface", None),
        ({"boundary": "administrative", "place": "city"}, "surface", "admin_area"),
        ({"boundary": "administrative", "place": "city"}, "point", "city"),
        ({"highway": "residential"}, "line", "road"),
        ({"highway": "residential"}, "surface", None),
        ({"highway": "motorway_link"}, "line", None),
        ({"railway": "station", "station": "subway"}, "point", "subway_station"),
        ({"railway": "station"}, "point", "railway_station"),
        ({"building": "no"}, "surface", None),
        ({"shop": "unheard_of"}, "point", "shop"),
        ({"amenity": "doctors", "healthcare": "hospital"}, "point", "hospital"),
        ({}, None, None),
    ],
)
def test_class_of_tags(tags: dict[str, str], kind: str | None, expected: str | None) -> None:
    assert CLASSES.of_tags(tags, kind) == expected


def test_other_knowledge_graphs_find_their_classes() -> None:
    needed = (
        "storm storm_footprint earthquake border admin1 city settlement country lake airport road waterway"
    )
    assert set(needed.split()) <= set(CLASSES)
    assert CLASSES["border"].kinds == ("line",) and CLASSES["storm_footprint"].kinds == ("surface",)
    assert CLASSES.of_kwg("Earthquake") == "earthquake" and CLASSES.of_kwg("Nothing") is None


def test_levels_stand_in_labels() -> None:
    assert CLASSES.label("admin_area", 8) == "administrative area (OSM level 8)"
    assert CLASSES.plural("admin_area") == "administrative areas"
    assert CLASSES.plural("cafe", 8) == "cafés"


def test_type_names() -> None:
    assert CLASSES.type_name("hotel", "worldkg") == "TourismHotel"
    assert CLASSES.type_name("golf_course", "osmh3kg") == "GolfCourse"
    with pytest.raises(InputError, match="is not a KG"):
        CLASSES.type_name("hotel", "dbpedia")
    for kg in ("worldkg", "knowwheregraph"):
        assert len({CLASSES.type_name(key, kg) for key in CLASSES}) == len(CLASSES)


def test_worldkg_names_are_those_of_the_ontology(shared: Path) -> None:
    """Each listed WorldKG class exists there, and its tag leads to the class that lists it."""
    sources = classes.wkgs_sources(shared / "data/public/rdf_github/WorldKG_Ontolgy.ttl")
    assert len(sources) > 1_000
    text = (shared / "data/public/rdf_github/WorldKG_Ontolgy.ttl").read_text("utf-8")
    water = {"lake", "lagoon", "oxbow", "reservoir", "pond"}  # our patterns ask for natural=water besides
    for key, item in CLASSES.items():
        for name in item.wkgs:
            assert f"wkgs:{name} " in text, name
            tag_key, _, value = sources.get(name, "").partition("=")
            if value and not (tag_key == "water" and value in water) and value != "building":
                assert CLASSES.of_tags({tag_key: value}) == key, name
        for pattern in item.osm:
            if "&" not in pattern and not pattern.endswith("*"):
                assert CLASSES.of_tags(dict([pattern.split("=")])) == key, pattern
    assert CLASSES.of_wkgs("AmenityHospital") == "hospital"
    assert CLASSES.of_wkgs("Accountant") is None and CLASSES.of_wkgs("Accountant", sources) == "office"
    assert CLASSES.of_wkgs("Bench", sources) is None


def test_patterns() -> None:
    assert classes.parse_pattern("!water & natural=water") == (
        Condition("natural", "=", "water"),
        Condition("water", "!", ""),
    )
    unlike = Condition("access", "!=", "private")
    assert (
        unlike.holds({}) and unlike.holds({"access": "yes"}) and not unlike.holds({"access": "yes;private"})
    )


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("a: [1\nb: 2", 2, "is not YAML"),
        ("- a\n", 1, "must map class keys"),
        ("cafe: 3\n", 1, "has no fields"),
        (ENTRY + ENTRY.replace("rank: 5", "\n  rank: many").replace("cafe:", "bar:"), 3, "rank"),
        ("\n" + ENTRY.replace("rank: 5", "rnk: 5"), 2, "class 'cafe'"),
        (ENTRY.replace("[point]", "[blob]"), 1, "kinds"),
        (ENTRY.replace("amenity=cafe", "amenity"), 1, "not a tag pattern"),
        (ENTRY.replace("amenity=cafe", "'!amenity'"), 1, "no tag that must be present"),
        (ENTRY + ENTRY.replace("cafe:", "bar:"), 2, "label 'café' of class 'bar' is also that of 'cafe'"),
        (ENTRY + ENTRY, 2, "class 'cafe'"),
        (ENTRY.replace("cafe:", "Café:"), 1, "key"),
    ],
)
def test_faults_name_file_and_line(tmp_path: Path, text: str, line: int, what: str) -> None:
    path = tmp_path / "classes.yaml"
    path.write_text(text, "utf-8")
    with pytest.raises(InputError) as caught:
        classes.load(path)
    assert what in str(caught.value) and caught.value.place == line and caught.value.source == str(path)


def test_a_table_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(ENTRY, "utf-8")
    mine = classes.load(path)
    assert list(mine) == ["cafe"] and mine.of_tags({"amenity": "cafe"}, "point") == "cafe"
    assert mine.of_wkgs("Cafe") == "cafe"
