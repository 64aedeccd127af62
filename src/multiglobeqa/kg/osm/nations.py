"""The countries that an extract draws itself: complete administrative boundaries with an ISO 3166 code.

A national boundary carries ISO 3166-1, a subdivision ISO 3166-2, whose first part is the country.

They are finer than any world map, so they decide the country of what lies in them; what lies in none keeps the
country of the world map (``kg.strata``).
"""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files
from pathlib import Path

import osmium

from multiglobeqa.kg.osm.coverage import relation_surfaces
from multiglobeqa.kg.osm.geometry import Geometries
from multiglobeqa.kg.osm.source import Position, in_order, objects, open_source, translating
from multiglobeqa.kg.osm.spool import Workspace

OWN_COUNTRY = frozenset(
    f"{country}-{unit}"
    for country, units in {
        "CN": ("HK", "MO", "TW"),
        "FI": ("01",),
        "NL": ("AW", "CW", "SX"),
        "NO": ("21", "22"),
        "US": ("AS", "GU", "MP", "PR", "UM", "VI"),
    }.items()
    for unit in units
)
"""Subdivisions that ISO 3166-1 lists as territories of their own: the world map decides there."""
_CODE_TAGS = ("ISO3166-1:alpha3", "ISO3166-1", "ISO3166-1:alpha2", "country_code")


@cache
def alpha3_codes() -> dict[str, str]:
    """ISO 3166-1 alpha-2 and alpha-3 codes (upper case) -> alpha-3."""
    path = Path(str(files("multiglobeqa"))) / "data" / "strata" / "iso3166.csv"
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    return {row["alpha2"]: row["alpha3"] for row in rows} | {row["alpha3"]: row["alpha3"] for row in rows}


def national_surfaces(path: str | Path) -> tuple[list[str], Geometries]:
    """ISO alpha-3 codes and surfaces of the complete boundary relations of an extract that carry an ISO code.

    Raises InputError if the file is not OSM data.
    """
    source = open_source(path)
    codes: dict[int, str] = {}
    with translating(source.path, Position()):
        tagged = osmium.filter.KeyFilter("admin_level")
        for relation in objects(source, osmium.osm.osm_entity_bits.RELATION, tagged):
            code = _code(dict(relation.tags))
            if relation.tags.get("boundary") == "administrative" and code is not None:
                codes[relation.id] = code
    workspace = Workspace()
    ids, surfaces = in_order(source, workspace.path, lambda data: relation_surfaces(data, sorted(codes)))
    return [codes[i] for i in ids], surfaces


def _code(tags: dict[str, str]) -> str | None:
    if tags.get("admin_level") == "2":
        for tag in _CODE_TAGS:
            code = alpha3_codes().get(tags.get(tag, "").strip().upper())
            if code is not None:
                return code
    subdivision = tags.get("ISO3166-2", "").strip().upper()
    if subdivision in OWN_COUNTRY:
        return None
    return alpha3_codes().get(subdivision.partition("-")[0])
