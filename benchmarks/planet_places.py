"""Where the copies of a synthetic planet stand: populated places of every stratum, extracts apart from each other."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import h3.api.basic_int as h3
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import shapely
from numpy.typing import NDArray
from planet_sources import EARTH_KM, Floats, Ints, Source, vectors
from scipy.spatial import cKDTree

from multiglobeqa.build import embedded_snapshots
from multiglobeqa.errors import InputError
from multiglobeqa.geo import s2
from multiglobeqa.kg.schema import INCOME_TIERS
from multiglobeqa.kg.strata import Strata

FIRST_ID: Final = 10**12
LARGE: Final = 4
SMALL: Final = 6
"""H3 resolutions of the places for large and small extracts."""
SMALL_KM: Final = 2.5
CLUSTER: Final = 8
"""Small extracts that stand together, on average; 37 at most."""


@dataclass
class Plan:
    """Where units go, one element a copy: source and unit number, place (lon, lat), turn in radians, first id."""

    source: Ints
    unit: Ints
    place: Floats
    turn: Floats
    first: Ints

    def take(self, index: Any) -> Plan:
        """Some of the copies."""
        return Plan(
            self.source[index], self.unit[index], self.place[index], self.turn[index], self.first[index]
        )


class Land:
    """The populated places that copies move to, and what stands there.

    Places of rare strata are taken more often than their share: each stratum by the root of its size.
    """

    def __init__(self, strata: Strata) -> None:
        world = {path.name: path for path in embedded_snapshots()}
        columns = ["ref_lon", "ref_lat", "income", "density", "attributes"]
        towns = pq.read_table(world["worldkg"] / "geonames.entities.parquet", columns=columns)
        tier = pc.binary_join_element_wise(towns["income"], towns["density"], "/")
        towns = towns.append_column("tier", tier).filter(pc.is_valid(tier))
        self.lonlat = np.column_stack([towns["ref_lon"].to_numpy(), towns["ref_lat"].to_numpy()])
        _, stratum = np.unique(towns["tier"].to_numpy(zero_copy_only=False), return_inverse=True)
        weight = np.bincount(stratum)[stratum] ** -0.5
        self._weight = weight / weight.sum()
        self._admin1 = pa.array(
            [
                json.dumps(json.loads(text).get("admin1"), ensure_ascii=False)
                for text in towns["attributes"].to_pylist()
            ]
        )
        self._tree = cKDTree(vectors(*self.lonlat.T))
        self._strata = strata

    def draw(self, count: int, random: np.random.Generator) -> Floats:
        """Points in the surroundings of ``count`` places, (count, 2)."""
        chosen = random.choice(len(self.lonlat), count, p=self._weight)
        return np.asarray(self.lonlat[chosen] + random.normal(0, 0.05, (count, 2)))

    def admin1(self, lonlat: Floats) -> pa.Array:
        """JSON texts: the first-level region of the nearest place."""
        return self._admin1.take(pa.array(self._tree.query(vectors(*lonlat.T))[1]))

    @cached_property
    def _cells(self) -> tuple[Any, Floats, Floats, NDArray[np.str_]]:
        """H3 cells of resolution `LARGE` with a place: ids, middles, inner radii, strata of the middles ("": none)."""
        cells = np.unique([h3.latlng_to_cell(lat, lon, LARGE) for lon, lat in self.lonlat.tolist()])
        middles = middles_of(cells)
        income = self._strata.income(self._strata.country(*middles.T))
        density = self._strata.density(*middles.T)
        tier = [f"{i}/{d}" if i in INCOME_TIERS else "" for i, d in zip(income, density, strict=True)]
        return cells, middles, inner_km(cells), np.array(tier)

    def slots(self, radius_km: float, random: np.random.Generator) -> list[int]:
        """H3 cells on land that hold a circle of the radius, in an order in which every stratum soon occurs."""
        cells, middles, inner, tier = self._cells
        free = (inner >= radius_km) & _open(middles, radius_km)
        key = np.full(len(cells), np.inf)
        for name in sorted(set(tier.tolist()) - {""}):
            mine = random.permutation(np.flatnonzero(free & (tier == name)))
            turn = np.arange(len(mine))
            key[mine] = np.where(turn, (turn + random.random()) / max(1, len(mine)) ** 0.5, 0.0)
        order = np.argsort(key, kind="stable")
        return [int(cell) for cell in cells[order[: np.isfinite(key).sum()]]]


def middles_of(cells: Any) -> Floats:
    """Middles (lon, lat) of H3 cells, (n, 2)."""
    return np.array([h3.cell_to_latlng(int(cell))[::-1] for cell in cells]).reshape(-1, 2)


def inner_km(cells: Any) -> Floats:
    """Radius of the largest circle about the middle of each H3 cell that lies in it."""
    rings = [h3.cell_to_boundary(int(cell)) for cell in cells]
    lat, lon = np.array([corner for ring in rings for corner in (*ring, ring[0])]).reshape(-1, 2).T
    corner, owner = vectors(lon, lat), np.repeat(np.arange(len(rings)), [len(ring) + 1 for ring in rings])
    one = np.flatnonzero(owner[1:] == owner[:-1])
    side = corner[one] + corner[one + 1]
    side /= np.linalg.norm(side, axis=1, keepdims=True)
    apart = np.arccos(np.clip((side * vectors(*middles_of(cells).T)[owner[one]]).sum(axis=1), -1, 1))
    least = np.full(len(rings), np.inf)
    np.minimum.at(least, owner[one], EARTH_KM * apart)
    return least


def _open(lonlat: Floats, radius_km: Any) -> Any:
    """Whether a circle keeps off the poles and the antimeridian."""
    lon, lat = np.asarray(lonlat)[..., 0], np.asarray(lonlat)[..., 1]
    reach = np.degrees(np.asarray(radius_km) / EARTH_KM)
    return (np.abs(lat) + reach < 80) & (np.abs(lon) + reach / np.cos(np.radians(np.abs(lat))) < 179)


# --- plan ---


def plan(sources: list[Source], wanted: int, land: Land, random: np.random.Generator) -> Plan:
    """Copies of about ``wanted`` entities in all; every neighbourhood is taken equally often."""
    source = np.concatenate([np.full(len(s.units), n) for n, s in enumerate(sources)])
    unit = np.concatenate([np.arange(len(s.units)) for s in sources])
    sizes = np.array([len(rows) for s in sources for rows in s.units])
    rounds, rest = divmod(max(0, wanted), int(sizes.sum()))
    order = random.permutation(len(sizes))
    part = order[: np.searchsorted(np.cumsum(sizes[order]), rest)]
    taken = random.permutation(np.concatenate([np.tile(np.arange(len(sizes)), rounds), part]))
    source, unit, sizes = source[taken], unit[taken], sizes[taken]
    radius = np.array([sources[s].radius_km[u] for s, u in zip(source.tolist(), unit.tolist(), strict=True)])
    stormy = np.array([s.storms for s in sources])[source]
    place, turn = land.draw(len(unit), random), random.uniform(0, 2 * np.pi, len(unit))
    while (bad := np.flatnonzero(~stormy & ~_open(place, radius))).size:
        place[bad] = land.draw(bad.size, random)
    whole = np.array([s.extract for s in sources])[source]
    if whole.any():
        place[whole] = _extract_places(radius[whole], land, random)
    for row in np.flatnonzero(stormy).tolist():
        place[row], turn[row] = _along(sources[source[row]], int(unit[row]), random), 0.0
    order = np.argsort(s2.leaf(place[:, 0], place[:, 1]), kind="stable")
    first = FIRST_ID + np.cumsum(sizes[order]) - sizes[order]
    return Plan(source[order], unit[order], place[order], turn[order], first)


def _extract_places(radius: Floats, land: Land, random: np.random.Generator) -> Floats:
    """Places for extracts so that none overlap: a large one in a slot, or a cluster of small ones."""
    slots = iter(land.slots(float(radius.max()), random))
    out = np.empty((len(radius), 2))
    cluster = min(CLUSTER, max(1, len(radius) // 24))  # a few extracts stand in a stratum each
    waiting = list(np.flatnonzero(radius <= SMALL_KM))
    try:
        for row in np.flatnonzero(radius > SMALL_KM).tolist():
            out[row] = h3.cell_to_latlng(next(slots))[::-1]
        while waiting:
            middle = h3.cell_to_center_child(next(slots), SMALL)
            near = [c for k in range(4) for c in sorted(h3.grid_ring(middle, k))]
            near = near[: random.geometric(1 / cluster)]
            for cell, room in zip(near, inner_km(near).tolist(), strict=True):
                if waiting and room >= radius[waiting[-1]]:
                    out[waiting.pop()] = h3.cell_to_latlng(cell)[::-1]
    except StopIteration:
        raise InputError(
            f"the land has no room for {len(radius):,} extracts.", mend="Ask for fewer entities of this KG."
        ) from None
    return out


def _along(source: Source, unit: int, random: np.random.Generator) -> Floats:
    """The middle of a storm moved along its parallel, off the antimeridian."""
    west, _, east, _ = shapely.total_bounds(source.geometry[source.units[unit]])
    shift = round(float(random.uniform(-179 - west, 179 - east)), 1) if east - west < 358 else 0.0
    return np.asarray(source.centre[unit] + np.array([shift, 0.0]))
