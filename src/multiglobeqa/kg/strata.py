"""Strata of a point: country, continent, income tier and density tier.

Country: the Natural Earth 10m surface that holds the point, in the ISO view of ``kg.atlas.codes``. A point
outside every surface (sea, harbour, a coast drawn coarsely) takes the nearest country within ``COAST_KM``,
else none. Ground that no ISO code covers (bases, reefs, glaciers in dispute) has no country and gives none
to its surroundings.

Income: World Bank groups of fiscal year 2026. Economies the Bank lists without a group are
``unclassified``; countries and dependencies without a row of their own have none (they do not inherit).
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow.parquet as pq
import shapely

from multiglobeqa.errors import InputError
from multiglobeqa.kg import density
from multiglobeqa.kg.atlas.codes import expand
from multiglobeqa.kg.schema import INCOME_TIERS, UNCLASSIFIED

COAST_KM: Final = 15.0
"""How far from a coast or a border a point still belongs to the nearest country."""
_A: Final = 6378.137
_E2: Final = 0.0066943799901413165


class CountryIndex:
    """Point-in-polygon and nearest-country search over country surfaces.

    Parameters
    ----------
    codes : one code for each surface; None for ground without a country.
    surfaces : valid polygons and multipolygons, longitude latitude.
    """

    def __init__(self, codes: list[str | None], surfaces: np.ndarray) -> None:
        order = sorted(range(len(codes)), key=lambda i: codes[i] or "")
        self.codes = np.array([codes[i] for i in order], dtype=object)
        parts, owner = shapely.get_parts(np.asarray(surfaces, dtype=object)[order], return_index=True)
        shapely.prepare(parts)
        self._parts, self._owner = parts, owner
        self._bounds = shapely.bounds(parts)
        self._segments: tuple[np.ndarray, np.ndarray, shapely.STRtree] | None = None

    def find(self, lon: np.ndarray, lat: np.ndarray, coast_km: float = COAST_KM) -> np.ndarray:
        """Country codes (object array; None where there is none) of points.

        A point on a shared border, and a point at the same distance from two countries, goes to the code
        that sorts first. Ground without a code takes part in neither rule: a point in it has no country.
        """
        lon = np.where(np.asarray(lon, dtype=float) >= 180, np.asarray(lon) - 360, lon).astype(float)
        lat = np.asarray(lat, dtype=float)
        owner = self._containing(lon, lat)
        outside = np.flatnonzero(owner < 0)
        if len(outside) and coast_km > 0:
            owner[outside] = self._nearest(lon[outside], lat[outside], coast_km)
        out = np.full(len(lon), None, dtype=object)
        out[owner >= 0] = self.codes[owner[owner >= 0]]
        return out

    def _containing(self, lon: np.ndarray, lat: np.ndarray) -> np.ndarray:
        owner = np.full(len(lon), -1, dtype=np.int64)
        if not len(lon):
            return owner
        box = shapely.box(np.nanmin(lon), np.nanmin(lat), np.nanmax(lon), np.nanmax(lat))
        xmin, ymin, xmax, ymax = shapely.bounds(box)
        b = self._bounds
        near = np.flatnonzero((b[:, 0] <= xmax) & (b[:, 2] >= xmin) & (b[:, 1] <= ymax) & (b[:, 3] >= ymin))
        by_lon = np.argsort(lon, kind="stable")
        sorted_lon = lon[by_lon]
        for part in near.tolist():  # parts are in the order of the codes: the first that holds the point wins
            first, last = np.searchsorted(sorted_lon, (b[part, 0], b[part, 2] + 1e-12))
            rows = by_lon[first:last]
            rows = rows[(lat[rows] >= b[part, 1]) & (lat[rows] <= b[part, 3]) & (owner[rows] < 0)]
            if len(rows):
                inside = shapely.intersects_xy(self._parts[part], lon[rows], lat[rows])
                owner[rows[inside]] = self._owner[part]
        return owner

    def _segment_tree(self) -> tuple[np.ndarray, np.ndarray, shapely.STRtree]:
        if self._segments is None:
            rings, part = shapely.get_rings(self._parts, return_index=True)
            xy, ring = shapely.get_coordinates(rings, return_index=True)
            joined = np.flatnonzero(ring[1:] == ring[:-1])
            ends = np.concatenate([xy[joined], xy[joined + 1]], axis=1)
            owner = self._owner[part[ring[joined]]]
            boxes = shapely.box(
                np.minimum(ends[:, 0], ends[:, 2]), np.minimum(ends[:, 1], ends[:, 3]),
                np.maximum(ends[:, 0], ends[:, 2]), np.maximum(ends[:, 1], ends[:, 3]),
            )  # fmt: skip
            self._segments = ends, owner, shapely.STRtree(boxes)
        return self._segments

    def _nearest(self, lon: np.ndarray, lat: np.ndarray, coast_km: float) -> np.ndarray:
        """Index of the nearest country within ``coast_km``, -1 where none.

        Distances are taken on the plane that touches the ellipsoid at the point (error below 0.2 % at 15 km).
        """
        ends, owner, tree = self._segment_tree()
        out = np.full(len(lon), -1, dtype=np.int64)
        phi = np.radians(lat)
        w = np.sqrt(1 - _E2 * np.sin(phi) ** 2)
        north = np.radians(_A * (1 - _E2) / w**3)  # km per degree of latitude
        east = np.maximum(np.radians(_A / w * np.cos(phi)), 1e-6)
        dx, dy = np.minimum(1.01 * coast_km / east, 180.0), 1.01 * coast_km / north
        found: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        for shift in (0.0, 360.0, -360.0):
            x = lon + shift
            near = np.flatnonzero((x + dx >= -180) & (x - dx <= 180))
            boxes = shapely.box(
                x[near] - dx[near], lat[near] - dy[near], x[near] + dx[near], lat[near] + dy[near]
            )
            query, segment = tree.query(boxes)
            point = near[query]
            ax, ay = (
                (ends[segment, 0] - x[point]) * east[point],
                (ends[segment, 1] - lat[point]) * north[point],
            )
            bx, by = (
                (ends[segment, 2] - x[point]) * east[point],
                (ends[segment, 3] - lat[point]) * north[point],
            )
            ux, uy = bx - ax, by - ay
            length2 = ux * ux + uy * uy
            t = np.clip(-(ax * ux + ay * uy) / np.where(length2 > 0, length2, 1), 0, 1)
            found.append((point, owner[segment], np.hypot(ax + t * ux, ay + t * uy)))
        point = np.concatenate([f[0] for f in found])
        country = np.concatenate([f[1] for f in found])
        km = np.concatenate([f[2] for f in found])
        has_code = np.array([code is not None for code in self.codes])
        keep = (km <= coast_km) & has_code[country]
        point, country, km = point[keep], country[keep], km[keep]
        order = np.lexsort((country, km, point))
        point, first = np.unique(point[order], return_index=True)
        out[point] = country[order][first]
        return out


@dataclass(frozen=True)
class Strata:
    """Countries, income tiers and density tiers.

    ``attributes`` maps a country code to (continent, subregion, name); ``incomes`` a code to its tier.
    """

    countries: CountryIndex
    attributes: Mapping[str, tuple[str, str, str]]
    incomes: Mapping[str, str]
    densities: density.DensityTable
    local: CountryIndex | None = None

    def refined(self, codes: list[str], surfaces: np.ndarray) -> Strata:
        """Strata in which the given country surfaces decide wherever they hold a point."""
        if not codes:
            return self
        return replace(self, local=CountryIndex(list(codes), surfaces))

    @classmethod
    def load(cls, *, raster: str | Path | None = None, incomes: str | Path | None = None) -> Strata:
        """The embedded strata, with a population raster or an income table of the user's in place of ours.

        Parameters
        ----------
        raster : a GeoTIFF of people per cell in EPSG:4326; else the embedded density table.
        incomes : a CSV with columns iso3 and income_tier; else World Bank fiscal year 2026.
        """
        folder = Path(str(resources.files("multiglobeqa") / "data" / "strata"))
        table = pq.read_table(folder / "countries.parquet")
        rows = table.drop_columns(["geometry"]).to_pylist()
        surfaces = shapely.from_wkb(np.array(table.column("geometry").to_pylist(), dtype=object))
        attributes = {r["iso3"]: (r["continent"], r["subregion"], r["name"]) for r in rows if r["iso3"]}
        income_path = Path(incomes) if incomes is not None else folder / "worldbank_fy2026.csv"
        return cls(
            CountryIndex([r["iso3"] for r in rows], surfaces),
            attributes,
            read_incomes(income_path, frozenset(attributes)),
            density.from_raster(Path(raster)) if raster is not None else density.embedded(),
        )

    def country(self, lon: np.ndarray, lat: np.ndarray) -> np.ndarray:
        """ISO 3166-1 alpha-3 codes (or XKX) of points; None where there is no country. Shape (n,), object."""
        found = self.countries.find(lon, lat)
        if self.local is None:
            return found
        inside = self.local.find(lon, lat, coast_km=0)
        known = np.array([code is not None for code in inside], dtype=bool)
        return np.where(known, inside, found)

    def income(self, country: np.ndarray) -> np.ndarray:
        """Income tier of country codes: LIC, LMC, UMC, HIC, ``unclassified`` or None."""
        return _mapped(country, self.incomes)

    def continent(self, country: np.ndarray) -> np.ndarray:
        """Natural Earth's continent of country codes; None where unknown."""
        return _mapped(country, {k: v[0] for k, v in self.attributes.items()})

    def subregion(self, country: np.ndarray) -> np.ndarray:
        """Natural Earth's subregion of country codes; None where unknown."""
        return _mapped(country, {k: v[1] for k, v in self.attributes.items()})

    def density(self, lon: np.ndarray, lat: np.ndarray) -> np.ndarray:
        """Density tier of points: ``low``, ``medium`` or ``high``."""
        return self.densities.tiers(lon, lat)


def _mapped(keys: np.ndarray, values: Mapping[str, Any]) -> np.ndarray:
    out = np.empty(len(keys), dtype=object)
    out[:] = [values.get(key) if key is not None else None for key in keys]
    return out


def read_incomes(path: Path, known: frozenset[str]) -> dict[str, str]:
    """Income tiers by country code of a CSV with columns iso3 and income_tier.

    Codes of the World Bank's own are expanded by ``codes.expand`` (CHI stands for JEY and GGY).

    Raises InputError naming file and line for a missing column, a code that is no country, a repeated code,
    or a tier other than LIC, LMC, UMC, HIC and ``unclassified``.
    """
    if not path.is_file():
        raise InputError("does not exist.", source=path)
    out: dict[str, str] = {}
    with path.open(encoding="utf-8-sig", newline="") as stream:
        rows = csv.DictReader(stream)
        missing = {"iso3", "income_tier"} - set(rows.fieldnames or ())
        if missing:
            raise InputError(f"has no column {sorted(missing)[0]}.", source=path, place=1)
        for row in rows:
            tier, stated = (row["income_tier"] or "").strip(), (row["iso3"] or "").strip()
            tier = UNCLASSIFIED if tier.lower() == UNCLASSIFIED else tier
            if tier not in (*INCOME_TIERS, UNCLASSIFIED):
                raise InputError(
                    f"has the income tier {tier!r}.", source=path, place=f"line {rows.line_num}",
                    mend=f"Use one of {', '.join((*INCOME_TIERS, UNCLASSIFIED))}.",
                )  # fmt: skip
            for code in expand(stated):
                if code not in known:
                    raise InputError(
                        f"has the unknown country code {stated!r}.",
                        source=path,
                        place=f"line {rows.line_num}",
                        mend="Use ISO 3166-1 alpha-3 codes, XKX for Kosovo, CHI for the Channel Islands.",
                    )  # fmt: skip
                if code in out:
                    raise InputError(f"has {code} twice.", source=path, place=f"line {rows.line_num}")
                out[code] = tier
    return out
