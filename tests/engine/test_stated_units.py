"""The second source for the number of first-level units: its table, and what a country states itself."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import shapely

from multiglobeqa.engine import DuckEngine
from multiglobeqa.engine.stated import counts, stated_units
from multiglobeqa.kg.atlas import geonames
from multiglobeqa.kg.schema import ENTITY_SCHEMA
from multiglobeqa.kg.store import Snapshot

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


def _area(
    name: str, class_: str, country: str, parent: str | None = None, units: int | None = None
) -> dict[str, Any]:
    row: dict[str, Any] = dict.fromkeys(ENTITY_SCHEMA.names)
    stated = "{}" if units is None else f'{{"first_level_units": {units}}}'
    return row | {
        "iri": f"https://example.org/{name}", "kg": "knowwheregraph", "layer": "hand", "name": name, "class": class_,
        "kind": "surface", "geometry": shapely.box(0, 0, 1, 1).wkb, "bbox": {"xmin": 0, "ymin": 0, "xmax": 1, "ymax": 1},
        "ref_lon": 0.5, "ref_lat": 0.5, "main_share": 1.0, "country": country, "h3": 0, "attributes": stated,
        "admin": [f"https://example.org/{parent}"] if parent else [],
    }  # fmt: skip


def test_units_on_whose_number_sources_differ_are_doubted(
    make_snapshot: Callable[..., Snapshot], tmp_path: Path
) -> None:
    """Belize has 6 districts by GeoNames: of two held, both and the country are doubted; of 2 of 2 stated, none."""
    rows = [
        _area("belize", "country", "BLZ"), _area("corozal", "admin1", "BLZ", "belize"),
        _area("cayo", "admin1", "BLZ", "belize"), _area("alike", "country", "ZZZ", units=2),
        _area("alike-west", "admin1", "ZZZ", "alike"), _area("alike-east", "admin1", "ZZZ", "alike"),
        _area("unstated", "country", "ZZY"), _area("unstated-only", "admin1", "ZZY", "unstated"),
        _area("bare", "country", "ZZX"), _area("orphan", "admin1", "ZZX"),
    ]  # fmt: skip
    engine = DuckEngine([make_snapshot(tmp_path, rows)], threads=1)
    doubted = engine.query("SELECT e.iri FROM doubted_units d JOIN entity e USING (id)")["iri"].to_pylist()
    assert sorted(iri.rsplit("/", 1)[1] for iri in doubted) == [
        "belize", "cayo", "corozal", "unstated", "unstated-only"
    ]  # fmt: skip
