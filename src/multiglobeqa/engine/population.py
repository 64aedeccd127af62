"""The operator ``population``: people inside geodesic circles round reference points, and the facts behind the sums.

table  people per km² in H3 cells of resolution 3 (``kg.density``). People = density x area of the cell x share of the
       area inside the circle; cell edges are geodesics.
grid   a raster of people that the user gives (``kg.population``). People = those of the cells whose centre lies in
       the circle.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import h3
import h3.api.basic_int as h3_int
import numpy as np
import pyarrow as pa
import shapely
from numpy.typing import NDArray
from pyproj import Geod
from scipy.spatial import cKDTree

from multiglobeqa.engine.arguments import ids, required
from multiglobeqa.engine.contract import Engine
from multiglobeqa.errors import EngineError
from multiglobeqa.geo.lambert import aeqd, aeqd_inverse
from multiglobeqa.kg import density
from multiglobeqa.kg.population import Circle, PopulationGrid
from multiglobeqa.kg.triples import GEO, KWG_ONT, WKT_LITERAL, decimal, literal, triple

Floats = NDArray[np.float64]
_GEOD: Final = Geod(ellps="WGS84")
_EARTH_KM: Final = 6371.0
_CELL_REACH_KM: Final = 95.0
"""No vertex of an H3 cell of resolution 3 lies farther from its centre."""
_EDGE_PARTS: Final = 8
_CIRCLE_VERTICES: Final = 1440
_NEGLIGIBLE: Final = 1e-9
"""A share of a cell below this does not count as meeting the circle."""


@dataclass(frozen=True)
class Cells:
    """All H3 cells of resolution 3: ids, centres, and a search tree over them."""

    cell: NDArray[np.uint64]
    lon: Floats
    lat: Floats
    tree: Any


@cache
def _all_cells() -> Cells:
    cell = np.array(
        sorted(
            c for base in h3_int.get_res0_cells() for c in h3_int.cell_to_children(base, density.RESOLUTION)
        ),
        dtype=np.uint64,
    )
    centres = np.array([h3_int.cell_to_latlng(c) for c in cell.tolist()])
    return Cells(cell, centres[:, 1], centres[:, 0], cKDTree(_unit(centres[:, 1], centres[:, 0])))


def _unit(lon: Floats, lat: Floats) -> Floats:
    lam, phi = np.radians(lon), np.radians(lat)
    return np.column_stack([np.cos(phi) * np.cos(lam), np.cos(phi) * np.sin(lam), np.sin(phi)])


def population(engine: Engine, arguments: Any) -> pa.Table:
    """People within each of ``radius_km`` (a list of km) of the reference points of ``ids``.

    ``source``: table, or grid (no rows where the engine holds none; of the radii the two least that are 5 cells or
    longer).
    Columns: id, radius_km, people (the source's own rule, rounded), people_other (by the centre rule for a table, by
    the share of areas for a grid), people_half (within half the radius), cells, complete (every cell that meets the
    circle has a value; the circle lies in the raster), source (name of the table or raster).
    For a table ``people``, ``people_other`` and ``people_half`` are null where the circle is not complete.
    """
    found = ids(engine, arguments, "ids")
    radii = [float(r) for r in required(arguments, "radius_km")]
    source = required(arguments, "source")
    if source == "table":
        table = _embedded()
        rows = _table_rows(found, *engine.points(found), radii, table)
    elif source == "grid":
        grid = engine.population
        rows = [] if grid is None else _grid_rows(found, *engine.points(found), radii, grid)
    else:
        raise EngineError(f"operator population knows no source {source!r}; table or grid.")
    return pa.Table.from_pylist(rows, schema=_SCHEMA)


_SCHEMA: Final = pa.schema(
    [
        ("id", pa.int64()),
        ("radius_km", pa.float64()),
        ("people", pa.float64()),
        ("people_other", pa.float64()),
        ("people_half", pa.float64()),
        ("cells", pa.int64()),
        ("complete", pa.bool_()),
        ("source", pa.string()),
    ]
)


@cache
def _embedded() -> density.DensityTable:
    return density.embedded()


# --- the table ---


def _table_rows(
    found: NDArray[np.int64], lon: Floats, lat: Floats, radii: list[float], table: density.DensityTable
) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    gap_km = _nearest_gap_km(lon, lat, table)
    for entity, x, y, gap in zip(found.tolist(), lon.tolist(), lat.tolist(), gap_km.tolist(), strict=True):
        for radius in radii:
            row = {"id": entity, "radius_km": radius, "complete": False, "source": table.source}
            cells = overlaps(x, y, radius, table) if gap > radius else None
            if cells is not None:
                half = overlaps(x, y, radius / 2, table)
                row |= {
                    "people": float(np.round(cells.people.sum())),
                    "people_other": float((cells.density * cells.area)[cells.inside].sum()),
                    "people_half": None if half is None else float(np.round(half.people.sum())),
                    "cells": len(cells.cell),
                    "complete": True,
                }
            rows.append(row)
    return rows


def _nearest_gap_km(lon: Floats, lat: Floats, table: density.DensityTable) -> Floats:
    """Distance to the centre of a cell without a value that is nearest, or nearly so; infinite without such cells."""
    every = _all_cells()
    gaps = np.flatnonzero(np.isnan(table.of_cells(every.cell)))
    if not len(gaps) or not len(lon):
        return np.full(len(lon), np.inf)
    _, at = cKDTree(_unit(every.lon[gaps], every.lat[gaps])).query(_unit(lon, lat))
    near = gaps[np.asarray(at)]
    return np.asarray(_GEOD.inv(lon, lat, every.lon[near], every.lat[near])[2]) / 1000


@dataclass(frozen=True)
class Overlaps:
    """The cells that meet a circle: id, density (people per km²), area (km²), share of the area inside the circle,
    and whether the centre lies inside."""

    cell: NDArray[np.uint64]
    density: Floats
    area: Floats
    share: Floats
    inside: NDArray[np.bool_]

    @property
    def people(self) -> Floats:
        """People of each cell inside the circle."""
        return np.asarray(self.density * self.area * self.share)


def overlaps(lon: float, lat: float, radius_km: float, table: density.DensityTable) -> Overlaps | None:
    """The cells of a table that meet a geodesic circle, in the order of their ids; None where one has no value.

    Shares are ratios of geodesic areas; circle and cells are cut on the plane that keeps distances and directions
    from the circle's centre, where the circle is one.
    """
    every = _all_cells()
    reach = (radius_km + _CELL_REACH_KM) * 1.01
    at = np.sort(np.array(every.tree.query_ball_point(
        _unit(np.array([lon]), np.array([lat]))[0], 2 * np.sin(min(reach / _EARTH_KM, np.pi) / 2)
    )))  # fmt: skip
    cell, x, y = every.cell[at], every.lon[at], every.lat[at]
    value = table.of_cells(cell)
    n = np.ones(len(at))
    km = np.asarray(_GEOD.inv(n * lon, n * lat, x, y)[2]) / 1000
    if np.isnan(value[km <= radius_km]).any():
        return None
    near = np.flatnonzero(km <= radius_km + _CELL_REACH_KM)
    cell, value, km = cell[near], value[near], km[near]
    area = _areas(cell)
    share = (km <= radius_km).astype(np.float64)
    edge = np.flatnonzero(np.abs(km - radius_km) <= _CELL_REACH_KM)
    for k in edge[np.argsort(~np.isnan(value[edge]), kind="stable")].tolist():  # those without a value first
        share[k] = _share(int(cell[k]), area[k], lon, lat, radius_km)
        if np.isnan(value[k]) and share[k] > _NEGLIGIBLE:
            return None
    meets = share > _NEGLIGIBLE
    return Overlaps(cell[meets], value[meets], area[meets], share[meets], (km <= radius_km)[meets])


def _areas(cells: NDArray[np.uint64]) -> Floats:
    return np.array([_area(c) for c in cells.tolist()])


@cache
def _area(cell: int) -> float:
    return float(density.cell_area_km2(np.array([cell], dtype=np.uint64))[0])


@cache
def _outline(cell: int) -> tuple[Floats, Floats]:
    """Longitudes and latitudes along the geodesic edges of a cell."""
    corners = [(x, y) for y, x in h3_int.cell_to_boundary(cell)]
    points = []
    for (x1, y1), (x2, y2) in zip(corners, corners[1:] + corners[:1], strict=True):
        points += [(x1, y1), *_GEOD.npts(x1, y1, x2, y2, _EDGE_PARTS - 1)]
    xy = np.array(points)
    return xy[:, 0], xy[:, 1]


@cache
def _disc(radius_km: float) -> Any:
    turn = np.radians(np.arange(_CIRCLE_VERTICES) * (360.0 / _CIRCLE_VERTICES))
    wide = radius_km / np.sqrt(np.sinc(2 / _CIRCLE_VERTICES))  # the polygon has the area of the circle
    disc = shapely.polygons(np.column_stack([wide * np.sin(turn), wide * np.cos(turn)]))
    shapely.prepare(disc)
    return disc


def _share(cell: int, area: float, lon: float, lat: float, radius_km: float) -> float:
    x, y = _outline(cell)
    flat = shapely.polygons(np.column_stack(aeqd(x, y, lon, lat)))
    disc = _disc(radius_km)
    if shapely.covers(disc, flat):
        return 1.0
    common = shapely.intersection(flat, disc)
    total = 0.0
    for part in shapely.get_parts(common):
        if part.geom_type != "Polygon":
            continue
        ring = shapely.get_coordinates(part.exterior)[:-1]
        px, py = aeqd_inverse(ring[:, 0], ring[:, 1], lon, lat)
        total += abs(_GEOD.polygon_area_perimeter(px, py)[0]) / 1e6
    return min(total / area, 1.0)


# --- the grid ---


def _grid_rows(
    found: NDArray[np.int64], lon: Floats, lat: Floats, radii: list[float], grid: PopulationGrid
) -> list[dict[str, Any]]:
    asked = [r for r in radii if r in grid.radii_km()]
    rows = []
    for entity, x, y in zip(found.tolist(), lon.tolist(), lat.tolist(), strict=True):
        for radius in asked:
            circle, half = grid.circle(x, y, radius), grid.circle(x, y, radius / 2, by_area=False)
            rows.append(
                {
                    "id": entity, "radius_km": radius, "people": float(np.round(circle.total)),
                    "people_other": circle.by_area, "people_half": float(np.round(half.total)),
                    "cells": int(circle.inside.sum()), "complete": circle.whole, "source": grid.name,
                }
            )  # fmt: skip
    return rows


# --- facts ---


def facts(engine: Engine, aspect: str, lon: float, lat: float, radius_km: float) -> list[str]:
    """The triples of the cells behind a sum: ``density`` (of the table) or ``people`` (of the grid).

    density: ``<urn:h3:CELL> kwg-ont:populationDensity "x"^^xsd:double`` for each cell that meets the circle.
    people: ``<urn:cell:ROW-COLUMN> geo:asWKT "POINT(..)"^^geo:wktLiteral`` and ``kwg-ont:population`` for each cell of
    the raster whose centre lies in the circle or less than one and a half cells outside.
    """
    if aspect == "density":
        cells = overlaps(lon, lat, radius_km, _embedded())
        if cells is None:
            raise EngineError(f"a cell within {radius_km:g} km of {lat}, {lon} has no density.")
        return list(_density_facts(cells))
    grid = engine.population
    if grid is None:
        raise EngineError("the engine holds no population raster.")
    return list(_people_facts(grid.circle(lon, lat, radius_km)))


def _density_facts(cells: Overlaps) -> Iterable[str]:
    for cell, value in zip(cells.cell.tolist(), cells.density.tolist(), strict=True):
        subject = f"urn:h3:{h3.int_to_str(cell)}"
        yield triple(subject, KWG_ONT + "populationDensity", literal(float(value)))


def _people_facts(circle: Circle) -> Iterable[str]:
    columns = (circle.row, circle.column, circle.lon, circle.lat, circle.people)
    for row, column, x, y, people in zip(*(c.tolist() for c in columns), strict=True):
        subject = f"urn:cell:{row}-{column}"
        yield triple(subject, GEO + "asWKT", literal(f"POINT({decimal(x)} {decimal(y)})", WKT_LITERAL))
        yield triple(subject, KWG_ONT + "population", literal(float(people)))
