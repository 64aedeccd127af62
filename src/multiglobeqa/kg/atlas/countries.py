"""Natural Earth's countries in the ISO view: the units, and one surface for each ISO code."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import shapely

from multiglobeqa.kg.atlas import codes
from multiglobeqa.kg.atlas.languages import NATURAL_EARTH
from multiglobeqa.kg.atlas.vector import read_shapefile

_COLUMNS = (
    "ADMIN", "NAME_EN", "NAME", "NAME_LONG", "FORMAL_EN", "ADM0_A3", "ISO_A3", "ISO_A3_EH", "ISO_A2_EH",
    "TYPE", "CONTINENT", "SUBREGION", "WIKIDATAID", "NE_ID", "NAME_ZHT",
    *(f"NAME_{s.upper()}" for s in NATURAL_EARTH if s != "en"),
)  # fmt: skip


@dataclass(frozen=True)
class Unit:
    """One unit of Natural Earth's countries layer."""

    ne_code: str
    iso3: str | None
    """The code by the rules of ``codes``; None where ISO knows none."""
    own: bool
    """The unit is the country its code names, not ground that rules add to it."""
    iso2: str | None
    name: str
    kind: str
    continent: str
    subregion: str
    wikidata: str | None
    ne_id: int
    names: dict[str, str] = field(default_factory=dict)
    """Natural Earth's language suffix -> name; ``zht`` included."""
    aliases: tuple[str, ...] = ()


def _text(value: Any) -> str | None:
    return str(value).strip() or None if value is not None and str(value).strip() != codes.NONE else None


def read_units(path: Path) -> tuple[list[Unit], np.ndarray]:
    """The units of ``ne_10m_admin_0_countries.shp`` and their surfaces, repaired to be valid.

    Surfaces stay in Natural Earth's default view; ``iso_surfaces`` moves what the ISO view moves.
    """
    table, geometries = read_shapefile(path, _COLUMNS)
    units = []
    for i, ne_code in enumerate(table["ADM0_A3"]):
        iso3 = codes.reconcile(table["ISO_A3"][i], table["ISO_A3_EH"][i], ne_code)
        # FRA, NOR, XKX: -99 in ISO_A3 but the unit's own code renamed is the country's
        own = iso3 is not None and (table["ISO_A3"][i] == iso3 or codes.RENAMED.get(ne_code, ne_code) == iso3)
        names = {s: _text(table[f"NAME_{s.upper()}"][i]) for s in (*NATURAL_EARTH, "zht")}
        name = _text(table["NAME_EN"][i]) or table["ADMIN"][i]
        spare = {_text(table[k][i]) for k in ("ADMIN", "NAME", "NAME_LONG", "FORMAL_EN")} - {None, name}
        units.append(
            Unit(
                ne_code, iso3, own, _text(table["ISO_A2_EH"][i]), name, table["TYPE"][i],
                table["CONTINENT"][i], table["SUBREGION"][i], _text(table["WIKIDATAID"][i]),
                int(table["NE_ID"][i]),
                {k: v for k, v in sorted(names.items()) if v}, tuple(sorted(s for s in spare if s)),
            )
        )  # fmt: skip
    return units, repaired(geometries)


def repaired(surfaces: np.ndarray) -> np.ndarray:
    """The surfaces, made valid where they are not (polygonal parts only)."""
    out = surfaces.copy()
    for i in np.flatnonzero(~shapely.is_valid(surfaces)):
        parts = shapely.get_parts(shapely.make_valid(surfaces[i], method="structure", keep_collapsed=False))
        out[i] = shapely.union_all([p for p in parts if p.geom_type in ("Polygon", "MultiPolygon")])
    return out


def iso_surfaces(units: list[Unit], surfaces: np.ndarray, ukraine: np.ndarray) -> dict[str | None, Any]:
    """One surface for each ISO code (None: ground without a code), in the ISO view.

    Parameters
    ----------
    units, surfaces : as of ``read_units``.
    ukraine : surfaces that Natural Earth draws with Russia and ISO 3166-2 lists under Ukraine (rule 5).
    """
    moved = shapely.union_all(ukraine) if len(ukraine) else None
    out: dict[str | None, Any] = {}
    by_code: dict[str | None, list[Any]] = {}
    for unit, surface in zip(units, surfaces, strict=True):
        by_code.setdefault(unit.iso3, []).append(surface)
    for code, parts in by_code.items():
        surface = shapely.union_all(parts) if len(parts) > 1 else parts[0]
        if moved is not None and code == "RUS":
            surface = shapely.difference(surface, moved)
        if moved is not None and code == "UKR":
            surface = shapely.union(surface, moved)
        out[code] = surface
    return out
