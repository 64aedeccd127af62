"""The second source for the number of first-level units: its table, and what a country states itself."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from multiglobeqa.engine.stated import counts, stated_units
from multiglobeqa.kg.atlas import geonames

SHARED = Path(os.environ.get("MGQA_SHARED", Path(__file__).resolve().parents[3] / "shared"))


def test_the_table_holds_known_countries() -> None:
    known = counts()
    assert {code: known[code] for code in ("BLZ", "LIE", "DEU", "USA")} == {
        "BLZ": 6,
        "LIE": 11,
        "DEU": 16,
        "USA": 51,  # with the District of Columbia
    }
    assert len(known) > 200 and min(known.values()) >= 1


def test_the_table_is_geonames() -> None:
    folder = SHARED / "data" / "registry" / "geonames"
    if not (folder / "admin1CodesASCII.txt").is_file():
        pytest.skip(
            "GeoNames' admin-1 codes are not here (MGQA_SHARED, or the folder shared beside the repository)"
        )
    iso2 = geonames.read_iso2(folder / "countryInfo.txt")
    names = geonames.read_admin1_names(folder / "admin1CodesASCII.txt")
    assert counts() == Counter(iso2[two] for two, _ in names if two in iso2)


def test_what_a_country_states_comes_first() -> None:
    rows: list[dict[str, Any]] = [
        {"id": 1, "country": "BLZ", "attributes": "{}"},
        {"id": 2, "country": "BLZ", "attributes": '{"first_level_units": 7}'},
        {"id": 3, "country": "ZZZ", "attributes": '{"first_level_units": 3}'},
        {"id": 4, "country": "ZZZ", "attributes": "{}"},
        {"id": 5, "country": None, "attributes": '{"first_level_units": "many"}'},
    ]
    assert stated_units(rows).to_pylist() == [
        {"id": 1, "units": 6},
        {"id": 2, "units": 7},
        {"id": 3, "units": 3},
    ]
    assert stated_units([]).num_rows == 0
