"""The arrays behind the maps: where the KGs' geometries and the questions' entities lie.

Projection: Equal Earth, as in ``report.worldmap``; it keeps areas, so cells of its plane are of equal area.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyproj
import shapely
from numpy.typing import NDArray

from multiglobeqa.report.stats.questions import Questions
from multiglobeqa.report.stats.strata import INCOMES, kgs_of
from multiglobeqa.report.stats.table import Row, Table
from multiglobeqa.report.stats.world import World
from multiglobeqa.report.worldmap import PROJECTION, WIDTH, Plane

CELL: Final = 10
"""Side of a density cell in map units."""
_DENSIFY_DEG: Final = 2.0
_TOLERANCE: Final = 0.9
_MIN_AREA: Final = 2.0
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Density:
    """Geometries of one KG by cell of the map. ``counts``: (rows, columns), from the north and the west."""

    kg: str
    counts: NDArray[np.int64]

    @property
    def geometries(self) -> int:
        """All of them."""
        return int(self.counts.sum())


@dataclass(frozen=True)
class Sites:
    """Distinct places of the questions' entities: (n,) degrees, income tier ("" where there is none), country ("")."""

    lon: Floats
    lat: Floats
    income: NDArray[np.str_]
    country: NDArray[np.str_]

    @property
    def countries(self) -> int:
        """How many countries they lie in."""
        return len(set(self.country.tolist()) - {""})


def cell_km() -> float:
    """Side of a density cell, km; its area is the square."""
    metres = pyproj.Transformer.from_crs("EPSG:4326", PROJECTION, always_xy=True).transform(180.0, 0.0)[0]
    units = float(Plane().project(np.array([[180.0, 0.0]]))[0, 0]) - WIDTH / 2
    return CELL * float(metres) / units / 1000


def density(kg: str, lon: Floats, lat: Floats) -> Density:
    """Count reference points (degrees) by cell of the map."""
    plane = Plane()
    shape = (-(-plane.height // CELL), WIDTH // CELL)
    points = plane.project(np.column_stack((lon, lat)))
    column = np.clip(points[:, 0] // CELL, 0, shape[1] - 1).astype(np.int64)
    row = np.clip(points[:, 1] // CELL, 0, shape[0] - 1).astype(np.int64)
    flat = np.bincount(row * shape[1] + column, minlength=shape[0] * shape[1])
    return Density(kg, flat.reshape(shape).astype(np.int64))


def densities(world: World) -> list[Density]:
    """Figure 4: one map a KG at hand, every geometry counted once, at its reference point."""
    found = []
    for kg in kgs_of(world.entities["kg"].unique().to_pylist()):
        mine = world.entities.filter(pc.equal(world.entities["kg"], kg))
        found.append(density(kg, mine["ref_lon"].to_numpy(), mine["ref_lat"].to_numpy()))
    return found


def density_cells(maps: Sequence[Density]) -> Table:
    """The cells that hold a geometry: centre in degrees and count."""
    plane = Plane()
    half = WIDTH / 2
    transform = pyproj.Transformer.from_crs(PROJECTION, "EPSG:4326", always_xy=True).transform
    metres = cell_km() * 1000 / CELL
    rows: list[Row] = []
    for each in maps:
        at, column = np.nonzero(each.counts)
        lon, lat = transform(
            ((column + 0.5) * CELL - half) * metres, (plane.height / 2 - (at + 0.5) * CELL) * metres
        )
        counts = each.counts[at, column].tolist()
        known = np.isfinite(lon) & np.isfinite(lat)  # the centre of a cell on the rim may lie off the map
        rows += [
            (each.kg, int(r), int(c), round(float(x), 3) if k else None, round(float(y), 3) if k else None, n)
            for r, c, x, y, k, n in zip(at, column, lon, lat, known, counts, strict=True)
        ]
    columns = ("kg", "row", "column", "lon", "lat", "geometries")
    return Table("figure4_cells", "Figure 4: cells of the map", columns, rows)


def density_summary(maps: Sequence[Density]) -> Table:
    """Figure 4 in numbers: geometries, cells that hold one, and the fullest cell of each KG."""
    rows: list[Row] = [
        (each.kg, each.geometries, int(np.count_nonzero(each.counts)), int(each.counts.max()))
        for each in maps
    ]
    side = cell_km()
    note = f"Cells of {side:,.0f} km by {side:,.0f} km on the Equal Earth map."
    return Table("figure4_density", "Figure 4: density of geometries", ("kg", "geometries", "cells", "fullest cell"),
                 rows, notes=(note,))  # fmt: skip


def sites(questions: Questions, world: World) -> Sites:
    """Figure 5: the distinct reference points of all entities that the questions name or ask for.

    Where an entity's snapshot is not at hand, the reference point of the question's anchor stands for it.
    """
    table = questions.table
    lists = table["entities"].combine_chunks()
    parents = pc.list_parent_indices(lists)
    kg = table["kg"].take(parents)
    at = world.places(kg, pa.chunked_array([lists.flatten()]))
    found = (
        world.entities.take(pa.array(np.unique(at[at >= 0])))
        .select(["ref_lon", "ref_lat", "income", "country"])
        .rename_columns(["lon", "lat", "income", "country"])
    )
    lost = np.unique(np.asarray(parents)[at < 0])
    anchors = table.take(pa.array(lost, pa.int64())).select(["lon", "lat", "income", "country"])
    both = pa.concat_tables([found.cast(anchors.schema), anchors])
    both = both.filter(pc.and_(pc.is_valid(both["lon"]), pc.is_valid(both["lat"])))
    places = np.column_stack((both["lon"].to_numpy(), both["lat"].to_numpy())).astype(np.float64)
    _, first = np.unique(places.reshape(-1, 2), axis=0, return_index=True)
    chosen = both.take(pa.array(np.sort(first)))
    text = [
        np.asarray(pc.fill_null(chosen[name], "").to_pylist(), dtype=np.str_)
        for name in ("income", "country")
    ]
    return Sites(chosen["lon"].to_numpy(), chosen["lat"].to_numpy(), *text)


def site_table(found: Sites) -> Table:
    """Every site of figure 5."""
    rows: list[Row] = [
        (x, y, income or None, country or None)
        for x, y, income, country in zip(
            found.lon.tolist(), found.lat.tolist(), found.income.tolist(), found.country.tolist(), strict=True
        )
    ]
    return Table("figure5_sites", "Figure 5: sites", ("lon", "lat", "income", "country"), rows)


def site_summary(found: Sites, world: World) -> Table:
    """Figure 5 in numbers: sites and countries by income tier."""
    counts = Counter(found.income.tolist())
    rows: list[Row] = []
    for tier in INCOMES:
        mine = set(found.country[found.income == tier].tolist()) - {""}
        rows.append((tier, counts[tier], len(mine)))
    rest = ~np.isin(found.income, INCOMES)
    if rest.any():
        rows.append(("none", int(rest.sum()), len(set(found.country[rest].tolist()) - {""})))
    rows.append(("all", len(found.lon), found.countries))
    notes = ["A site is a distinct reference point of an entity that a question names or asks for."]
    if world.missing:
        notes.append("Where a snapshot is not at hand, the question's own reference point is taken.")
    columns = ("income", "sites", "countries")
    return Table("figure5_summary", "Figure 5: sites by income tier", columns, rows, notes=tuple(notes))


def outlines(countries: Sequence[bytes]) -> list[Floats]:
    """The countries' rings in map units, (k, 2) each. ``countries``: WKB surfaces, cut at longitude 180."""
    plane = Plane()
    surfaces = shapely.segmentize(shapely.from_wkb(list(countries)), _DENSIFY_DEG)
    parts = shapely.get_parts(shapely.transform(surfaces, plane.project))
    parts = shapely.simplify(parts[shapely.area(parts) >= _MIN_AREA], _TOLERANCE, preserve_topology=True)
    rings = shapely.get_rings(shapely.get_parts(parts))
    return [shapely.get_coordinates(ring) for ring in rings]
