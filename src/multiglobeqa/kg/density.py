"""People per km² in H3 resolution-3 cells, and the three density tiers.

Tiers: population density of each H3 cell of resolution 3, binned at the 33rd and 67th percentile of the
cells with people. Below the first threshold is ``low``, from the second on ``high``; a cell that is not in
the table is ``low``.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, Final

import h3
import h3.api.basic_int as h3_int
import numpy as np
import rasterio
from pyproj import Geod
from rasterio.windows import Window

from multiglobeqa.errors import InputError
from multiglobeqa.kg.schema import DENSITY_TIERS

RESOLUTION: Final = 3
PERCENTILES: Final = (33.0, 67.0)
WINDOW_CELLS: Final = 1_000_000
"""Raster cells read at a time."""
SPLIT_DEG: Final = 0.1
"""Raster cells with a longer side are split evenly into parts no longer than this, each with its share of
the people: an H3 cell of resolution 3 is about 1 degree wide, and whole coarse cells would fall to one side
or the other."""
_GEOD: Final = Geod(ellps="WGS84")


@dataclass(frozen=True)
class DensityTable:
    """Density by H3 cell.

    Attributes
    ----------
    cells : uint64, ascending, H3 resolution 3.
    density : float64, people per km², same length.
    thresholds : lower and upper bound of the medium tier, people per km².
    source : name and year of the population data.
    """

    cells: np.ndarray
    density: np.ndarray
    thresholds: tuple[float, float]
    source: str

    def lookup(self, lon: np.ndarray, lat: np.ndarray) -> np.ndarray:
        """People per km² at points; NaN in cells that are not in the table."""
        return self.of_cells(cells_of(lon, lat))

    def of_cells(self, cells: np.ndarray) -> np.ndarray:
        """People per km² of H3 cells; NaN where absent."""
        if not len(self.cells):
            return np.full(len(cells), np.nan)
        at = np.minimum(np.searchsorted(self.cells, cells), len(self.cells) - 1)
        out: np.ndarray = np.where(self.cells[at] == cells, self.density[at], np.nan)
        return out

    def tiers(self, lon: np.ndarray, lat: np.ndarray) -> np.ndarray:
        """Density tier (object array of ``low``, ``medium``, ``high``) of points."""
        return tiers_of(self.lookup(lon, lat), self.thresholds)


def tiers_of(density: np.ndarray, thresholds: tuple[float, float]) -> np.ndarray:
    """Tier names of densities; NaN (an absent cell) is ``low``."""
    rank = np.searchsorted(np.asarray(thresholds), np.nan_to_num(density, nan=0.0), side="right")
    out: np.ndarray = np.array(DENSITY_TIERS, dtype=object)[rank]
    return out


def cells_of(lon: np.ndarray, lat: np.ndarray, resolution: int = RESOLUTION) -> np.ndarray:
    """H3 cells (uint64) of points; ValueError for latitudes beyond 90 degrees or values that are not
    finite."""
    lon, lat = np.asarray(lon, dtype=np.float64), np.asarray(lat, dtype=np.float64)
    if not (np.isfinite(lon).all() and (np.abs(lat) <= 90).all()):
        raise ValueError("longitudes and latitudes must be finite and latitudes lie in [-90, 90]")
    encode = h3_int.latlng_to_cell
    return np.fromiter(
        (encode(y, x, resolution) for x, y in zip(lon.tolist(), lat.tolist(), strict=True)),
        np.uint64,
        len(lon),
    )


def cell_area_km2(cells: np.ndarray) -> np.ndarray:
    """Area of H3 cells on the WGS84 ellipsoid, km², with geodesic edges between the cell's vertices."""
    out = np.empty(len(cells))
    for i, cell in enumerate(cells.tolist()):
        boundary = np.array(h3_int.cell_to_boundary(cell))
        area, _ = _GEOD.polygon_area_perimeter(boundary[:, 1], boundary[:, 0])
        out[i] = abs(area) / 1e6
    return out


def percentile_thresholds(density: np.ndarray) -> tuple[float, float]:
    """The 33rd and 67th percentile of the densities above 0."""
    lower, upper = np.percentile(density[density > 0], PERCENTILES)
    return float(lower), float(upper)


def from_raster(path: Path) -> DensityTable:
    """Density table of a population raster: a GeoTIFF whose cells hold numbers of people.

    The raster is read in windows. A cell's people go to the H3 cell that holds its centre (cells longer than
    ``SPLIT_DEG`` are split first). Cells equal to nodata, NaN or 0 hold nobody.

    Raises
    ------
    InputError : the file cannot be read, is not in EPSG:4326, holds negative numbers, has more than one
    band, reaches
        beyond a latitude of 90 degrees, or holds no people.
    """
    people: dict[int, float] = {}
    try:
        with rasterio.open(path) as raster:
            check_raster(raster, path)
            for window in _windows(raster.width, raster.height):
                _add_window(raster, window, people, path)
    except rasterio.errors.RasterioError as error:
        raise InputError(f"cannot be read as a raster: {str(error).rstrip('.')}.", source=path) from error
    if not people:
        raise InputError("holds no people: every cell is 0 or nodata.", source=path)
    cells = np.array(sorted(people), dtype=np.uint64)
    density = np.array([people[c] for c in cells.tolist()]) / cell_area_km2(cells)
    return DensityTable(cells, density, percentile_thresholds(density), path.name)


def check_raster(raster: Any, path: Path) -> None:
    """Raise InputError unless an open raster is one band in EPSG:4326, rows along parallels, within the poles."""
    mend = "Reproject it with `gdalwarp -t_srs EPSG:4326` (a count raster: with `-r sum`)."
    if raster.crs is None or raster.crs.to_epsg() != 4326:
        name = (
            "no coordinate system"
            if raster.crs is None
            else f"coordinate system {raster.crs.to_string()[:80]}"
        )
        raise InputError(f"has {name}; population rasters must be in EPSG:4326.", source=path, mend=mend)
    if raster.count != 1:
        raise InputError(f"has {raster.count} bands; one band of people per cell is expected.", source=path)
    transform = raster.transform
    if transform.b or transform.d:
        raise InputError("is rotated; rows must follow parallels.", source=path, mend=mend)
    north, south = transform.f, transform.f + raster.height * transform.e
    if max(abs(north), abs(south)) > 90 + 1e-6:
        raise InputError(f"reaches from latitude {south} to {north}.", source=path)


def _windows(width: int, height: int) -> Iterator[Window]:
    rows = max(1, WINDOW_CELLS // width)
    for row in range(0, height, rows):
        yield Window(0, row, width, min(rows, height - row))


def _add_window(raster: Any, window: Window, people: dict[int, float], path: Path) -> None:
    band = raster.read(1, window=window, masked=True)
    values = np.asarray(band.filled(0), dtype=np.float64)
    values[~np.isfinite(values)] = 0
    row, column = np.nonzero(values)
    counts = values[row, column]
    row = row + window.row_off
    if (counts < 0).any():
        at = int(np.argmin(counts))
        raise InputError(
            f"holds {counts[at]:g} people in a cell.",
            source=path,
            place=f"row {row[at]}, column {column[at]}",
            mend="Set the raster's nodata value.",
        )  # fmt: skip
    transform = raster.transform
    nx, ny = (max(1, math.ceil(abs(side) / SPLIT_DEG - 1e-9)) for side in (transform.a, transform.e))
    part_x, part_y = (k.ravel() for k in np.meshgrid((np.arange(nx) + 0.5) / nx, (np.arange(ny) + 0.5) / ny))
    lon = (transform.c + (column[:, None] + part_x) * transform.a).ravel()
    lat = np.clip((transform.f + (row[:, None] + part_y) * transform.e).ravel(), -90, 90)
    counts = np.repeat(counts / (nx * ny), nx * ny)
    cells, inverse = np.unique(cells_of(lon, lat), return_inverse=True)
    for cell, total in zip(cells.tolist(), np.bincount(inverse, weights=counts).tolist(), strict=True):
        people[cell] = people.get(cell, 0.0) + total


def read_table(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Cells (uint64, ascending) and densities of a CSV with columns h3_r3 and a density per km².

    Raises InputError naming the line for a cell that is no H3 cell of resolution 3, a repeated cell or a
    bad number.
    """
    found: dict[int, float] = {}
    with path.open(encoding="utf-8", newline="") as stream:
        rows = csv.reader(stream)
        header = next(rows, [])
        if header[:1] != ["h3_r3"]:
            raise InputError("has no column h3_r3.", source=path, place=1)
        for line, row in enumerate(rows, 2):
            if len(row) < 2 or not h3.is_valid_cell(row[0]) or h3.get_resolution(row[0]) != RESOLUTION:
                raise InputError("is not an H3 cell of resolution 3 and a number.", source=path, place=line)
            cell = h3.str_to_int(row[0])
            try:
                value = float(row[-1])
            except ValueError as error:
                raise InputError(f"has {row[-1]!r} for a density.", source=path, place=line) from error
            if not np.isfinite(value) or value < 0 or cell in found:
                raise InputError("has a repeated cell or a density below 0.", source=path, place=line)
            found[cell] = value
    cells = np.array(sorted(found), dtype=np.uint64)
    return cells, np.array([found[c] for c in cells.tolist()], dtype=np.float64)


def embedded() -> DensityTable:
    """The table that comes with the package, with thresholds fitted to a real raster (see
    data/SOURCES.md)."""
    folder = Path(str(resources.files("multiglobeqa") / "data" / "strata"))
    cells, density = read_table(folder / "density.csv")
    fitted = json.loads((folder / "density_thresholds.json").read_text("utf-8"))
    return DensityTable(cells, density, (fitted["lower"], fitted["upper"]), fitted["source"])
