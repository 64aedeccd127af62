"""Administrative regions: countries (level 0) and first-level units (level 1), in the ISO view.

First-level units come from Natural Earth's admin-1 layer, simplified as one coverage. A country is the
union of its simplified units where the union of the unsimplified ones is the country of the countries layer
(their difference at most ``MATCH_SHARE`` of the country); else it is the country's own surface, simplified
alone. The attribute ``outline`` says which: ``units`` or ``country``.

Who is a country: every unit of the countries layer that has an ISO code (or XKX) of its own; dependencies
too, told by the attribute ``status`` (Natural Earth's TYPE). Ground without a code of its own:

- Somaliland, Northern Cyprus and the Cyprus buffer zone belong to Somalia and Cyprus, Crimea and Sevastopol
to Ukraine
  (ISO view, ``codes`` rules 3 and 5), the leased ground of Baykonur to Kazakhstan; the first three and
  Baykonur are no first-level units, Crimea and Sevastopol are.
- Everything else (bases, reefs, glaciers, no man's land, Australia's and France's islands without a code)
is left out.

First-level units without a name are left out, and so are the Paracel Islands (in dispute) and a unit that
is the whole of its country (Monaco, Gibraltar): it is no subdivision.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import shapely

from multiglobeqa.errors import InputError
from multiglobeqa.kg.atlas import codes, region_names
from multiglobeqa.kg.atlas.batches import Gather
from multiglobeqa.kg.atlas.countries import Unit, repaired
from multiglobeqa.kg.atlas.coverage import simplify_coverage
from multiglobeqa.kg.atlas.languages import ISO_639_3, NATURAL_EARTH
from multiglobeqa.kg.report import ImportReport

IRI: Final = "http://stko-kwg.geog.ucsb.edu/lod/resource/administrativeRegion.{}"
TOLERANCE_DEG: Final = 0.008
DECIMALS: Final = 5
MATCH_SHARE: Final = 0.002
NO_SUBDIVISION: Final = frozenset({"NO-X01~", "KI-X01~", "KI-X02~", "AE-X01~", "AE-X02~", "SY-X01~"})
"""Units that Natural Earth makes up: Bouvet Island (a dependency of Norway), Kiribati's two halves, ground shared by
emirates, the United Nations' zone on the Golan."""
DISPUTED: Final = frozenset({"PFA+00?"})
LEASED: Final = frozenset({"KAB"})
"""Leased ground that goes back to the country around it."""


@dataclass(frozen=True)
class Regions:
    """Simplified regions and what they were made from.

    ``exact``: the unsimplified first-level surfaces, in the order of ``first_level``; ``simple``: the
    simplified ones. ``countries``: ISO code -> (surface, outline).
    """

    first_level: list[dict[str, Any]]
    exact: np.ndarray
    simple: np.ndarray
    countries: dict[str, tuple[Any, str]]


def country_iri(iso3: str) -> str:
    """IRI of a country."""
    return IRI.format(iso3)


def entity_code(unit: Unit) -> str | None:
    """The country whose surface the unit is part of, or None."""
    if unit.own or unit.ne_code in codes.ISO_VIEW or unit.ne_code in LEASED:
        return unit.iso3
    return None


def build(
    units: list[Unit],
    surfaces: np.ndarray,
    properties: list[dict[str, Any]],
    shapes: np.ndarray,
    tolerance: float,
) -> Regions:
    """Simplify the first-level coverage and make the countries.

    Parameters
    ----------
    units, surfaces : Natural Earth's countries (``countries.read_units``).
    properties, shapes : its admin-1 layer (``vector.read_geojson``).
    tolerance : degrees.
    """
    exact = repaired(shapely.force_2d(shapes))
    simple = simplify_coverage(exact, tolerance, DECIMALS)
    by_ne = {unit.ne_code: unit for unit in units}
    rows, group = [], np.full(len(exact), None, dtype=object)
    for i, row in enumerate(properties):
        unit = by_ne.get(row["adm0_a3"])
        code = entity_code(unit) if unit is not None else None
        if row["iso_3166_2"] in codes.UKRAINE_BY_ISO:
            code = "UKR"
        group[i] = code
        rows.append({**row, "iso3": code, "of_own": unit is not None and unit.own})
    outlines = {}
    moved = shapely.union_all(exact[[r["iso_3166_2"] in codes.UKRAINE_BY_ISO for r in rows]])
    for code in sorted({c for c in map(entity_code, units) if c}):
        whole = shapely.union_all(surfaces[[entity_code(unit) == code for unit in units]])
        whole = shapely.difference(whole, moved) if code == "RUS" else whole
        whole = shapely.union(whole, moved) if code == "UKR" else whole
        mine = np.flatnonzero(group == code)
        apart = np.inf
        if len(mine):
            apart = shapely.area(shapely.symmetric_difference(shapely.union_all(exact[mine]), whole))
        if apart <= MATCH_SHARE * shapely.area(whole):
            outlines[code] = (shapely.union_all(simple[mine]), "units")
        else:
            own = simplify_coverage(np.array([whole], dtype=object), tolerance, DECIMALS)[0]
            outlines[code] = (own, "country")
    return Regions(rows, exact, simple, outlines)


def gather(regions: Regions, units: list[Unit], report: ImportReport) -> Gather:
    """Countries and first-level units as entities; what is left out is counted by cause."""
    out = Gather()
    for unit in units:
        report.read["country"] += 1
        if unit.iso3 is None or not unit.own:
            report.drop("unit_without_own_code", unit.name)
            continue
        surface, outline = regions.countries[unit.iso3]
        iri = country_iri(unit.iso3)
        out.entity(
            iri=iri,
            name=unit.name,
            semantic="country",
            kind="surface",
            geometry=surface,
            level=0,
            admin=[],
            country=unit.iso3,
            attributes={
                "contested": unit.iso3 in codes.CONTESTED or None,
                "iso_3166_1": unit.iso3 if unit.iso3 != "XKX" else None,
                "outline": outline,
                "status": unit.kind,
                "wikidata": unit.wikidata,
            },
        )
        out.labels_of(iri, unit.name, _names(unit.names), unit.aliases)
        out.label(iri, "zho", unit.names.get("zht"), "alias")
    names = {unit.iso3: unit.name for unit in units if unit.iso3 is not None and unit.own}
    seen: set[str] = set()
    units_of = Counter(row["iso3"] for row in regions.first_level)
    renamed = region_names.replaced(regions.first_level)
    for i, row in enumerate(regions.first_level):
        report.read["first_level_unit"] += 1
        unit_iri = first_level_iri(row)
        place = f"{row['adm1_code']} {row.get('name')}"
        if unit_iri is None:
            report.drop("unit_without_own_code", place)
        elif row.get("iso_3166_2") in NO_SUBDIVISION:
            report.drop("unit_is_no_subdivision", place)
        elif row["adm1_code"] in DISPUTED:
            report.drop("unit_in_dispute", place)
        elif units_of[row["iso3"]] == 1:
            report.drop("unit_is_whole_country", place)
        elif not (row.get("name_en") or row.get("name")):
            report.drop("unit_without_name", place)
        elif unit_iri in seen:
            raise InputError("stands twice in the admin-1 layer.", source=report.source, place=unit_iri)
        else:
            seen.add(unit_iri)
            new = renamed.get(row["adm1_code"])
            _first_level(out, unit_iri, row, regions.simple[i], names[row["iso3"]], new)
    return out


def first_level_iri(row: Mapping[str, Any]) -> str | None:
    """IRI of a first-level unit; None where the unit is no part of a country of its own code."""
    if row["iso3"] is None or not row["of_own"]:
        return None
    number = str(row["adm1_code"]).rpartition("-")[2]
    return IRI.format(f"{row['iso3']}.{number if number.isdigit() else row['ne_id']}")


def _first_level(
    out: Gather, iri: str, row: Mapping[str, Any], surface: Any, country: str, renamed: str | None
) -> None:
    """One first-level unit. An English label that is the country's name (Hovedstaden: "Denmark") is not taken.

    A unit ``renamed`` bears that name alone: the layer's other names, codes and items are another's.
    """
    if renamed:
        row = {key: row.get(key) for key in ("iso3", "gn_id", "type_en")} | {
            "name": renamed,
            "name_en": renamed,
        }
    english = row.get("name_en")
    name = str(row["name"] if not english or (english == country and row.get("name")) else english)
    code = str(row.get("iso_3166_2") or "")
    out.entity(
        iri=iri,
        name=name,
        semantic="admin1",
        kind="surface",
        geometry=surface,
        level=1,
        admin=[country_iri(row["iso3"])],
        country=row["iso3"],
        attributes={
            "geonames_id": row.get("gn_id") if (row.get("gn_id") or 0) > 0 else None,
            "iso_3166_2": code if code and not code.endswith("~") else None,
            "unit_type": row.get("type_en") or None,
            "wikidata": row.get("wikidataid") or None,
        },
    )
    spare = str(row.get("name_alt") or "").split("|")
    names = _names({s: row.get(f"name_{s}") for s in (*NATURAL_EARTH, "zht")})
    if name != english and english:
        names.pop("eng", None)
    out.labels_of(iri, str(row.get("name") or name), names, [s.strip() for s in spare])
    out.label(iri, "zho", row.get("name_zht"), "alias")


def _names(by_suffix: Mapping[str, str | None]) -> dict[str, str | None]:
    return {ISO_639_3[s]: text for s, text in sorted(by_suffix.items()) if s in ISO_639_3}
