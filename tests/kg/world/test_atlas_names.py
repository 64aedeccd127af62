"""Names that the sources have wrong: lakes without their marked letters, units on a neighbour's surface."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from multiglobeqa.kg.atlas import geonames
from multiglobeqa.kg.atlas.batches import Gather
from multiglobeqa.kg.atlas.lakes import english_name

WORLD = Path(geonames.__file__).parents[2] / "data" / "world"


@pytest.mark.parametrize(
    ("name", "english", "other", "single", "asked"),
    [
        ("Lake Erie", "Erie", None, True, "Lake Erie"),
        ("Inarijrvi", "Inari", None, True, "Lake Inari"),
        ("Qypshaq Kli", "Qypshaq Lake", None, True, "Qypshaq Lake"),
        ("Shardara Bgeni", "Chardara Reservoir", "Shardara Reservoir", True, "Chardara Reservoir"),
        ("Bodensee", "Constance", "Lake Constance", True, "Lake Constance"),
        ("Mälaren", "Mälaren", "Lake Malar", True, "Mälaren"),
        ("Po Hu", "Poyang Lake", None, False, "Po Hu"),
        ("St. Marys River", "St. Marys River", "Great Lakes", True, "St. Marys River"),
        ("Lago de  Erepecu", "Lagoa do Erepecur", None, True, "Lago de Erepecu"),
    ],
)
def test_lakes_are_asked_by_a_whole_name(
    name: str, english: str, other: str | None, single: bool, asked: str
) -> None:
    assert english_name(name, english, other, single) == asked


def test_divisions_of_another_date_are_not_named() -> None:
    out = Gather()
    for country, alpha2 in (("VNM", "VN"), ("LAO", "LA")):
        place = geonames.Place("1", "A", 105.0, 20.0, country, alpha2, "7", 5, "PPL", "", {})
        geonames.add(out, place, f"urn:{alpha2}", "settlement", None, {("VN", "7"): "X", ("LA", "7"): "Y"})
    rows = [row for batch in out.raw() for row in batch.to_pylist()]
    assert [json.loads(row["attributes"]).get("admin1") for row in rows] == [None, "Y"]


@pytest.mark.parametrize(
    ("airport", "unit"),
    [
        ("SYLT", "Upper Takutu-Upper Essequibo"),  # Lethem, Guyana
        ("SYNA", "East Berbice-Corentyne"),  # New Amsterdam, Guyana
        ("SEAM", "Tungurahua"),  # Ambato, Ecuador
        ("HHAS", "Maekel"),  # Asmara, Eritrea
        ("HHMS", "Northern Red Sea"),  # Massawa, Eritrea
        ("UNBB", "Altai Krai"),  # Barnaul, Russia
        ("KDCA", "Virginia"),  # Washington National stands in Virginia
        ("OABN", "Bamyan"),  # Bamyan, Afghanistan
        ("EBBR", "Flemish Brabant"),  # Brussels
    ],
)
def test_airports_of_the_embedded_world_lie_in_the_right_unit(airport: str, unit: str) -> None:
    folder = WORLD / "knowwheregraph"
    airports = pq.read_table(folder / "airports.entities.parquet", columns=["iri", "admin"]).to_pylist()
    regions = pq.read_table(folder / "admin.entities.parquet", columns=["iri", "name"]).to_pylist()
    parent = next(row["admin"][0] for row in airports if row["iri"].endswith(f"/airport.{airport}"))
    assert next(row["name"] for row in regions if row["iri"] == parent) == unit


@pytest.mark.parametrize(
    ("plain", "english", "asked"),
    [
        ("Baiti", "Baitsi District", "Baiti"),
        ("Xindian", "Xindian District", "Xindian"),
        ("Wien", "Vienna", "Vienna"),
        ("Bay District", "Bay District", "Bay District"),
        ("Torrance County", "Torrance County", "Torrance County"),
    ],
)
def test_a_place_does_not_bear_its_divisions_name(plain: str, english: str, asked: str) -> None:
    place = geonames.Place("1", plain, 1.0, 2.0, "AAA", "AA", "7", 5, "PPL", "", {"eng": english})
    out = Gather()
    geonames.add(out, place, "urn:a", "settlement", None, {})
    assert [row["name"] for batch in out.raw() for row in batch.to_pylist()] == [asked]
    labels = [row for batch in out.labels() for row in batch.to_pylist()]
    assert {(row["label"], row["kind"]) for row in labels if row["lang"] == "eng"} == {
        (english, "name" if english == asked else "alias")
    }


def test_names_in_two_scripts_are_told() -> None:
    assert geonames.in_two_scripts("Kalimpong, \u041a\u0440\u0443\u043a\u0435\u0442\u0438")
    assert not any(
        map(geonames.in_two_scripts, ("Sha‘biyyat", "\u041f\u0435\u0442\u0440", "東京", "Nāgarpur (2)"))
    )
