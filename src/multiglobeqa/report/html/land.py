"""The countries: outlines for small maps, in degrees, and as paths of the world map, by country."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import Any, Final

import numpy as np
import pyarrow.parquet as pq
import shapely
from numpy.typing import NDArray

from multiglobeqa.report.html.pack import Pack
from multiglobeqa.report.worldmap import Plane, country_paths, world_map

_TOLERANCE: Final = 0.05
"""Degrees by which an outline of the small maps may be off (5.6 km at the equator)."""
_UNITS: Final = 100
_SMALL: Final = 40.0
"""Square map units below which a country gets a mark."""


@dataclass(frozen=True)
class Country:
    """A surface of the world (WKB, longitude latitude, cut at longitude 180); ``iso3`` and ``name`` are None for land
    that is no country's."""

    iso3: str | None
    name: str | None
    geometry: bytes


@cache
def country_surfaces() -> tuple[Country, ...]:
    """The embedded surfaces of the world's countries."""
    file = resources.files("multiglobeqa") / "data" / "strata" / "countries.parquet"
    table = pq.read_table(str(file), columns=["iso3", "name", "geometry"])
    return tuple(Country(**row) for row in table.to_pylist())


@cache
def country_names() -> dict[str, str]:
    """ISO 3166-1 alpha-3 code -> the country's short name."""
    return {one.iso3: one.name for one in country_surfaces() if one.iso3 and one.name}


def put_land(pack: Pack, countries: Sequence[Country]) -> None:
    """Block ``land``: rings of the land in hundredths of a degree, thinned to 0.05 degrees.

    ``start``: where each ring starts in ``lon`` and ``lat``; a ring's last, closing vertex is left out.
    """
    shapes = shapely.get_parts(_thinned(tuple(countries)))
    lines: list[NDArray[np.int64]] = []
    for shape in shapes:
        for ring in (shape.exterior, *shape.interiors):
            points = np.rint(shapely.get_coordinates(ring) * _UNITS).astype(np.int64)[:-1]
            points = points[np.r_[True, np.any(np.diff(points, axis=0) != 0, axis=1)]]
            if len(points) > 2 and np.ptp(points, axis=0).max() * 1.0 > _UNITS * _TOLERANCE:
                lines.append(points)
    start = np.cumsum([0, *(len(line) for line in lines)])
    flat = np.concatenate(lines) if lines else np.empty((0, 2), np.int64)
    turns = np.diff(flat, axis=0, prepend=0).astype(np.int32)  # steps shrink well; the page sums them
    pack.frame(
        "land",
        {"start": start.astype(np.uint32), "lon": turns[:, 0].copy(), "lat": turns[:, 1].copy()},
        {"units": _UNITS},
    )


def atlas(countries: Sequence[Country]) -> dict[str, Any]:
    """The world map: ``width``, ``height``, ``sphere``, ``graticule`` and ``countries``: iso3, name, path data, centre.

    ``small`` countries get a mark that can be seen and hit.
    """
    base = world_map((), ())
    rows = []
    for one, (path, x, y, area) in zip(countries, _paths(tuple(countries)), strict=True):
        rows.append(
            {
                "iso3": one.iso3,
                "name": one.name or one.iso3,
                "path": path,
                "x": x,
                "y": y,
                "small": area < _SMALL,
            }
        )
    rows.sort(key=lambda row: (row["iso3"] is None, str(row["name"])))
    return {**base, "countries": rows}


@lru_cache(maxsize=2)
def _thinned(countries: tuple[Country, ...]) -> NDArray[np.object_]:
    whole = shapely.from_wkb([one.geometry for one in countries])
    thinned: NDArray[np.object_] = shapely.coverage_simplify(whole, _TOLERANCE)
    return thinned


@lru_cache(maxsize=2)
def _paths(countries: tuple[Country, ...]) -> list[tuple[str, int, int, float]]:
    return country_paths(Plane(), [one.geometry for one in countries])
