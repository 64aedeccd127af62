"""Cells of a point: H3 (h3), S2 (s2sphere), geohash (by halving, Niemeyer 2008)."""

from __future__ import annotations

import h3
import numpy as np
import s2sphere

from multiglobeqa.solver import geodesy
from multiglobeqa.solver.errors import SolverError

FINEST = {"h3": 15, "s2": 30, "geohash": 12}
BASE32 = "0123456789bcdefghjkmnpqrstuvwxyz"


def of(system: str, lon: float, lat: float, resolution: int) -> str:
    """The cell of a point as text: H3 lower-case hexadecimal, S2 token, geohash.

    ``resolution``: H3 0 to 15, S2 level 0 to 30, geohash length 1 to 12.
    """
    if not -90 <= lat <= 90:
        raise SolverError(f"Latitude {lat} has no cell.", place="cell")
    if system == "h3":
        return str(h3.latlng_to_cell(lat, lon, resolution))
    if system == "s2":
        leaf = s2sphere.CellId.from_lat_lng(s2sphere.LatLng.from_degrees(lat, lon))
        return str(leaf.parent(resolution).to_token())
    return geohash(lon, lat, resolution)


def h3_diameter(cell: str) -> float:
    """The greatest distance in km of two corners of an H3 cell."""
    corners = np.array(h3.cell_to_boundary(cell))
    a, b = np.triu_indices(len(corners), 1)
    _, km = geodesy.inverse(corners[a, 1], corners[a, 0], corners[b, 1], corners[b, 0])
    return float(km.max())


def geohash(lon: float, lat: float, length: int) -> str:
    """Geohash: each bit says in which half the value lies, longitude first, 5 bits a letter."""
    low, high = [-180.0, -90.0], [180.0, 90.0]
    value = (lon, lat)
    letters, bits = "", 0
    for bit in range(length * 5):
        axis = bit % 2
        middle = (low[axis] + high[axis]) / 2
        upper = value[axis] >= middle
        (low if upper else high)[axis] = middle
        bits = bits * 2 + upper
        if bit % 5 == 4:
            letters, bits = letters + BASE32[bits], 0
    return letters
