"""Regions of the embedded world bear their own names: the places that lie in them say so."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from multiglobeqa.kg.atlas import borders, region_names
from multiglobeqa.kg.atlas.regions import IRI

WORLD = Path(region_names.__file__).parents[2] / "data" / "world" / "knowwheregraph"


@pytest.fixture(scope="module")
def regions() -> dict[str, str]:
    table = pq.read_table(WORLD / "admin.entities.parquet", columns=["iri", "name"])
    return dict(zip(table["iri"].to_pylist(), table["name"].to_pylist(), strict=True))


@pytest.mark.parametrize(
    ("city", "country", "region"),
    [
        ("Asmara", "ERI", "Maekel"),
        ("Keren", "ERI", "Anseba"),
        ("New Amsterdam", "GUY", "East Berbice-Corentyne"),
        ("Georgetown", "GUY", "Demerara-Mahaica"),
        ("Ambato", "ECU", "Tungurahua"),
        ("Tena", "ECU", "Napo"),
        ("Sikasso", "MLI", "Sikasso"),
        ("Genoa", "ITA", "Genoa"),
        ("Barnaul", "RUS", "Altai Krai"),
        ("Antsirabe", "MDG", "Vakinankaratra"),
        ("Khujand", "TJK", "Sughd"),
        ("Nur-Sultan", "KAZ", "Astana"),
        ("Changuinola", "PAN", "Bocas del Toro"),
        ("Geneina", "SDN", "West Darfur"),
    ],
)
def test_a_city_lies_in_its_own_region(regions: dict[str, str], city: str, country: str, region: str) -> None:
    table = pq.read_table(WORLD / "cities.entities.parquet", columns=["name", "country", "admin"])
    homes = [
        regions[row["admin"][0]]
        for row in table.to_pylist()
        if row["name"] == city and row["country"] == country
    ]
    assert homes == [region]


def test_every_correction_stands(regions: dict[str, str]) -> None:
    for code, name in region_names.CORRECTED.items():
        assert regions[IRI.format(code.replace("-", "."))] == name


def test_no_land_border_runs_at_sea() -> None:
    found = pq.read_table(WORLD / "borders.entities.parquet", columns=["iri"])["iri"].to_pylist()
    assert found
    assert not {borders.IRI.format(*pair) for pair in borders.AT_SEA} & set(found)


def test_a_label_of_several_stays_with_the_unit_whose_name_it_is() -> None:
    def row(code: str, name: str, english: str, iso3: str = "AAA") -> dict[str, str]:
        return {"adm1_code": code, "name": name, "name_en": english, "iso3": iso3}

    rows = [
        row("AAA-1", "Ávila", "Avila"),
        row("AAA-2", "Itasy", "Avila"),
        row("AAA-3", "Norte", "North"),
        row("BBB-1", "Süd", "Avila", "BBB"),
        row("MLI-2794", "Sikasso", "Wassoulou", "MLI"),
    ]
    assert region_names.replaced(rows) == {"AAA-2": "Itasy", "MLI-2794": "Sikasso"}
