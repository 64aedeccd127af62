"""Geometries of a batch: rounded, checked, in the stored form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from multiglobeqa.kg.schema import COORDINATE_DECIMALS

Geometries = NDArray[np.object_]


@dataclass(frozen=True)
class Checked:
    """Rounded geometries, and for each the cause why it cannot be kept ('' if it can)."""

    geometry: Geometries
    cause: NDArray[np.object_]


def check(geometry: Geometries) -> Checked:
    """Round to the stored decimals and say what is wrong: n points, (multi)lines, (multi)polygons, degrees.

    Causes: ``invalid_location`` (outside ±180, ±90), ``crosses_antimeridian`` (a segment longer than 180° of
    longitude: the data do not cut there), ``invalid_area`` (self-crossing after rounding, no extent),
    ``degenerate_line`` (no length). Single-part collections become their part.
    """
    rounded = simplest(shapely.transform(geometry, lambda xy: np.round(xy, COORDINATE_DECIMALS) + 0.0))
    cause = np.full(len(rounded), "", dtype=object)
    dimension = shapely.get_dimensions(rounded)
    wrong_line = (dimension == 1) & ~(shapely.length(rounded) > 0)
    wrong_area = (dimension == 2) & ~(shapely.is_valid(rounded) & (shapely.area(rounded) > 0))
    cause[wrong_line] = "degenerate_line"
    cause[wrong_area] = "invalid_area"
    cause[_long_step(rounded)] = "crosses_antimeridian"
    bounds = shapely.bounds(rounded)
    inside = (np.abs(bounds[:, [0, 2]]) <= 180).all(axis=1) & (np.abs(bounds[:, [1, 3]]) <= 90).all(axis=1)
    cause[~inside] = "invalid_location"
    return Checked(rounded, cause)


def simplest(geometry: Geometries) -> Geometries:
    """Collections of one part as that part."""
    result = geometry.copy()
    single = (shapely.get_type_id(result) >= 4) & (shapely.get_num_geometries(result) == 1)
    result[single] = shapely.get_geometry(result[single], 0)
    return result


def _long_step(geometry: Geometries) -> NDArray[np.bool_]:
    """Whether two neighbouring vertices of one ring or line are more than 180° of longitude apart."""
    parts, owner = shapely.get_parts(geometry, return_index=True)
    areas = shapely.get_dimensions(parts) == 2
    rings, ring_of = shapely.get_rings(parts[areas], return_index=True)
    lines = np.concatenate([parts[~areas], rings])
    owner = np.concatenate([owner[~areas], owner[areas][ring_of]])
    xy, index = shapely.get_coordinates(lines, return_index=True)
    jump = (index[1:] == index[:-1]) & (np.abs(np.diff(xy[:, 0])) > 180)
    result = np.zeros(len(geometry), dtype=bool)
    result[owner[index[1:][jump]]] = True
    return result


def from_wkb(values: list[bytes]) -> Geometries:
    """Geometries of WKB values, as an object array."""
    return np.asarray(shapely.from_wkb(np.array(values, dtype=object)), dtype=object)


def to_wkb(geometry: Geometries) -> list[Any]:
    """WKB (little-endian, two dimensions) of each geometry."""
    return list(shapely.to_wkb(geometry, output_dimension=2, byte_order=1))
