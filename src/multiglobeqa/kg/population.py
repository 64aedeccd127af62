"""Numbers of people from a raster that the user gives: the cells in a geodesic circle (TAXONOMY, B03.a).

The raster is a GeoTIFF in EPSG:4326 with one band of people per cell. Cells equal to nodata or NaN hold nobody.
A large raster is not kept in memory: each circle reads its own window.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import rasterio
import shapely
from numpy.typing import NDArray
from pyproj import Geod
from rasterio.windows import Window

from multiglobeqa.errors import InputError
from multiglobeqa.geo.lambert import laea
from multiglobeqa.kg.density import check_raster

Floats = NDArray[np.float64]

SIDES_IN_RADIUS: Final = 5
"""A radius is asked where the longer side of a cell is at most this part of it."""
RADII_KM: Final = (5.0, 10.0, 25.0, 50.0, 100.0, 250.0, 500.0, 1000.0)
CIRCLE_VERTICES: Final = 720
KEPT_CELLS: Final = 2_000_000
"""A raster of no more cells is read once."""
_KM_PER_DEG: Final = 111.694
"""The longest degree: of latitude at the poles."""
_LEAST_KM_PER_DEG: Final = 110.574
_GEOD: Final = Geod(ellps="WGS84")


@dataclass(frozen=True)
class Circle:
    """The cells round one place.

    ``lon, lat, people`` (cells,): centres and people of the cells that the circle may meet; ``inside`` whether the
    centre lies in the circle. ``total`` people by that rule; ``by_area`` by the share of each cell's area.
    ``whole``: the circle lies in the raster.
    """

    row: NDArray[np.int64]
    column: NDArray[np.int64]
    lon: Floats
    lat: Floats
    people: Floats
    inside: NDArray[np.bool_]
    by_area: float
    whole: bool

    @property
    def total(self) -> float:
        """People in the cells whose centre lies in the circle."""
        return float(self.people[self.inside].sum())


class PopulationGrid:
    """A population raster.

    Raises InputError naming file and mend where it cannot be read, is not in EPSG:4326, is rotated, has more than
    one band, or reaches beyond a pole; and, when a window is read, for negative numbers.
    """

    def __init__(self, path: Path, name: str | None = None) -> None:
        self.path = path
        self.name = name or path.stem.replace("_", " ")
        try:
            self._raster = rasterio.open(path)
        except rasterio.errors.RasterioError as error:
            raise InputError(f"cannot be read as a raster: {str(error).rstrip('.')}.", source=path) from error
        check_raster(self._raster, path)
        place = self._raster.transform
        self._west, self._north = float(place.c), float(place.f)
        self._dx, self._dy = float(place.a), float(-place.e)
        if self._dx <= 0 or self._dy <= 0:
            raise InputError(
                "is not north up.", source=path, mend="Warp it with `gdalwarp -t_srs EPSG:4326 -r sum`."
            )
        turns = self._dx * self._raster.width
        self._round = abs(turns - 360) < self._dx / 2
        self._whole: Floats | None = None
        if self._raster.width * self._raster.height <= KEPT_CELLS:
            self._whole = np.asarray(self._raster.read(1, masked=True).filled(0), dtype=np.float64)

    @property
    def side_km(self) -> float:
        """The longest side of a cell: at the equator."""
        return max(self._dx, self._dy) * _KM_PER_DEG

    def radii_km(self) -> tuple[float, ...]:
        """The two least radii that are long against the cells; fewer where none is."""
        return tuple(r for r in RADII_KM if self.side_km * SIDES_IN_RADIUS <= r)[:2]

    def circle(self, lon: float, lat: float, radius_km: float, *, by_area: bool = True) -> Circle:
        """The cells round a place, in the order of rows and columns; without ``by_area`` that sum is NaN."""
        reach = (radius_km + 1.5 * self.side_km) / _LEAST_KM_PER_DEG
        top = int(np.floor((self._north - (lat + reach)) / self._dy))
        bottom = int(np.ceil((self._north - (lat - reach)) / self._dy))
        rows = np.arange(max(top, 0), min(bottom, self._raster.height))
        columns = self._columns(lon, lat, reach)
        if not len(rows) or not len(columns):
            return _nothing()
        people = self._read(rows, columns)
        row, column = (k.ravel() for k in np.meshgrid(rows, columns, indexing="ij"))
        x = self._west + (column + 0.5) * self._dx
        y = self._north - (row + 0.5) * self._dy
        km = _GEOD.inv(np.full(x.shape, lon), np.full(x.shape, lat), x, y)[2] / 1000
        near = km <= radius_km + 1.5 * self.side_km
        row, column, x, y, km, people = (v[near] for v in (row, column, x, y, km, people.ravel()))
        shared = float((people * self._shares(lon, lat, radius_km, x, y, km)).sum()) if by_area else np.nan
        return Circle(
            row, column, np.mod(x + 180, 360) - 180, y, people, km <= radius_km,
            shared, self._holds(lon, lat, radius_km),
        )  # fmt: skip

    def _columns(self, lon: float, lat: float, reach: float) -> NDArray[np.int64]:
        """Columns within ``reach`` degrees on the ground, the raster's first column is 0; each once."""
        polemost = min(abs(lat) + reach, 90.0)
        if polemost >= 90:
            return np.arange(self._raster.width)
        sine = np.sin(np.radians(reach)) / np.cos(np.radians(lat))
        wide = 180.0 if sine >= 1 else float(np.degrees(np.arcsin(sine))) * 1.01
        found = []
        for turn in (-1, 0, 1):
            left = (lon + 360 * turn - wide - self._west) / self._dx
            right = (lon + 360 * turn + wide - self._west) / self._dx
            found.append(np.arange(max(0, int(np.floor(left))), min(self._raster.width, int(np.ceil(right)))))
        return np.unique(np.concatenate(found))

    def _read(self, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> Floats:
        """People (rows, columns); the columns may be two runs, at both ends of the raster."""
        runs = np.split(columns, np.flatnonzero(np.diff(columns) > 1) + 1)
        parts = []
        for run in runs:
            window = Window(int(run[0]), int(rows[0]), len(run), len(rows))
            if self._whole is not None:
                parts.append(self._whole[window.toslices()])
                continue
            band = self._raster.read(1, window=window, masked=True)
            parts.append(np.asarray(band.filled(0), dtype=np.float64))
        people = np.hstack(parts)
        people[~np.isfinite(people)] = 0
        if (people < 0).any():
            at = np.argwhere(people < 0)[0]
            raise InputError(
                f"holds {people[tuple(at)]:g} people in a cell.", source=self.path,
                place=f"row {rows[at[0]]}, column {columns[at[1]]}", mend="Set the raster's nodata value.",
            )  # fmt: skip
        return people

    def _shares(self, lon: float, lat: float, radius_km: float, x: Floats, y: Floats, km: Floats) -> Floats:
        """Share of each cell's area inside the circle, on the equal-area plane centred at the place."""
        half = np.hypot(self._dx, self._dy) / 2 * _KM_PER_DEG
        share = (km <= radius_km).astype(np.float64)
        edge = np.flatnonzero(np.abs(km - radius_km) <= half)
        if not len(edge):
            return share
        turn = np.arange(CIRCLE_VERTICES) * (360.0 / CIRCLE_VERTICES)
        n = np.ones(CIRCLE_VERTICES)
        out = _GEOD.fwd(n * lon, n * lat, turn, n * radius_km * 1000)
        circle = shapely.polygons(np.column_stack(laea(out[0], out[1], lon, lat)))
        shapely.prepare(circle)
        step = np.array([[-1, -1], [0, -1], [1, -1], [1, 0], [1, 1], [0, 1], [-1, 1], [-1, 0]]) / 2
        px = x[edge, None] + step[:, 0] * self._dx
        py = np.clip(y[edge, None] + step[:, 1] * self._dy, -90, 90)
        flat = np.stack(laea(px, py, lon, lat), axis=-1)
        cells = shapely.polygons(flat)
        share[edge] = shapely.area(shapely.intersection(cells, circle)) / shapely.area(cells)
        return share

    def _holds(self, lon: float, lat: float, radius_km: float) -> bool:
        south, east = self._north - self._dy * self._raster.height, self._west + self._dx * self._raster.width
        turn = np.arange(72) * 5.0
        n = np.ones(72)
        x, y, _ = _GEOD.fwd(n * lon, n * lat, turn, n * radius_km * 1000)
        x, y = np.asarray(x), np.asarray(y)
        pole = radius_km / _LEAST_KM_PER_DEG
        above = lat + pole > 90 and self._north < 90 - 1e-6
        below = lat - pole < -90 and south > -90 + 1e-6
        rows = (y <= self._north + 1e-9).all() and (y >= south - 1e-9).all() and not above and not below
        if self._round:
            return bool(rows)
        shifted = np.mod(x - self._west, 360) + self._west
        return bool(rows and (shifted <= east).all())


def _nothing() -> Circle:
    none = np.empty(0)
    whole = np.empty(0, dtype=np.int64)
    return Circle(whole, whole, none, none, none, np.empty(0, dtype=bool), 0.0, False)
