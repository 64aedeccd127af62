"""A class whose members a list decides is spoken with the list, where the snapshot credits it."""

from __future__ import annotations

import pytest

from multiglobeqa.build.questions import Writer
from multiglobeqa.kg import classes


def speaker(kg: str, *credits: str) -> Writer:
    """A writer that knows only the words: it opens no snapshot."""
    writer = Writer.__new__(Writer)
    writer._classes, writer._kg, writer._credits = classes.load(), kg, " ".join(credits)
    return writer


@pytest.mark.parametrize(
    ("kg", "name", "credits", "spoken"),
    [
        (
            "knowwheregraph",
            "city15000",
            ["GeoNames (geonames.org)"],
            "places of 15,000 people or more (GeoNames, without what it lists as sections of cities)",
        ),
        (
            "worldkg",
            "settlement",
            ["GeoNames (geonames.org)"],
            "populated places of 1,000 people or more (GeoNames, without what it lists as sections of cities)",
        ),
        (
            "knowwheregraph",
            "admin1",
            ["Made with Natural Earth"],
            "first-level administrative regions (Natural Earth)",
        ),
        ("knowwheregraph", "admin1", ["GADM"], "first-level administrative regions"),
        ("worldkg", "admin1", ["Made with Natural Earth"], "named first-level administrative regions"),
        ("knowwheregraph", "iata_airport", ["airportsdata"], "airports with an IATA code (airportsdata)"),
        (
            "worldkg",
            "natural_earth_lake",
            ["GeoNames", "Made with Natural Earth"],
            "named lakes of the 1:10 million map (Natural Earth)",
        ),
        ("osmh3kg", "cafe", ["© OpenStreetMap contributors"], "named cafés"),
        ("knowwheregraph", "country", ["Made with Natural Earth"], "countries or territories"),
    ],
)
def test_the_list_is_named(kg: str, name: str, credits: list[str], spoken: str) -> None:
    assert speaker(kg, *credits)._noun(name, None, many=True) == spoken
