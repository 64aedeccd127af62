"""Edges of a geometry as an array (n, 4): lon1, lat1, lon2, lat2 in degrees.

Edges that only exist because surfaces are stored cut at longitude ±180 or closed along a pole are "seam":
they are part of the surface but not of its boundary (TAXONOMY rule 3).
"""

from __future__ import annotations

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry.base import BaseGeometry

Floats = NDArray[np.float64]
SEAM_DEG = 5e-8  # half a unit of the 7th decimal


def of(geometry: BaseGeometry, seam: bool = True) -> Floats:
    """All edges; a point is an edge of length 0. With ``seam=False`` seam edges of surfaces are left out."""
    if shapely.get_dimensions(geometry) == 0:
        xy = shapely.get_coordinates(geometry)
        return np.hstack([xy, xy])
    if shapely.get_dimensions(geometry) == 2:
        pieces = rings(geometry)[0]
        return pieces if seam else pieces[~on_seam(pieces)]
    return _consecutive(shapely.get_parts(geometry))[0]


def rings(surface: BaseGeometry) -> tuple[Floats, NDArray[np.int64], NDArray[np.bool_]]:
    """Edges of all rings, the ring number of each edge, and for each ring whether it is a hole."""
    polygons = shapely.get_parts(surface)
    polygons = polygons[shapely.get_type_id(polygons) == 3]
    ring_list, polygon = shapely.get_rings(polygons, return_index=True)
    hole = np.zeros(len(ring_list), dtype=bool)
    hole[1:] = polygon[1:] == polygon[:-1]
    pieces, owner = _consecutive(ring_list)
    return pieces, owner, hole


def _consecutive(lines: NDArray[np.object_]) -> tuple[Floats, NDArray[np.int64]]:
    xy, owner = shapely.get_coordinates(lines, return_index=True)
    same = owner[1:] == owner[:-1]
    pieces = np.hstack([xy[:-1], xy[1:]])[same]
    return pieces, np.asarray(owner[1:][same], dtype=np.int64)


def on_seam(pieces: Floats) -> NDArray[np.bool_]:
    """Which edges run along longitude 180, longitude -180 or a pole."""
    lon1, lat1, lon2, lat2 = pieces.T
    meridian = (np.minimum(np.abs(lon1), np.abs(lon2)) >= 180 - SEAM_DEG) & (lon1 * lon2 > 0)
    pole = (np.minimum(np.abs(lat1), np.abs(lat2)) >= 90 - SEAM_DEG) & (lat1 * lat2 > 0)
    return np.asarray(meridian | pole, dtype=np.bool_)


def boundary(surface: BaseGeometry) -> BaseGeometry:
    """The boundary as lines, seam edges left out; stored coordinates are kept."""
    whole = shapely.boundary(surface)
    pieces = rings(surface)[0]
    keep = ~on_seam(pieces)
    if keep.all():
        return whole
    return shapely.multilinestrings(shapely.linestrings(pieces[keep].reshape(-1, 2, 2)))


def split(pieces: Floats, ratio: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """Cut each edge into ceil(ratio) equal parts (at least 1); returns the parts and their edge's number."""
    count = np.maximum(np.ceil(ratio - 1e-9), 1).astype(np.int64)
    owner = np.repeat(np.arange(len(pieces)), count)
    if len(owner) == len(pieces):
        return pieces, owner
    first = np.repeat(np.cumsum(count) - count, count)
    step = (np.arange(len(owner)) - first).astype(np.float64)
    start, delta = pieces[owner, :2], (pieces[:, 2:] - pieces[:, :2])[owner]
    n = count[owner].astype(np.float64)
    t1, t2 = (step / n)[:, None], ((step + 1) / n)[:, None]
    out = np.hstack([start + delta * t1, start + delta * t2])
    last = step + 1 == n
    out[last, 2:] = pieces[owner[last], 2:]
    return out, owner


def length_bound(pieces: Floats) -> Floats:
    """An upper bound of each edge's length in km, within 1 % for short edges."""
    lon1, lat1, lon2, lat2 = pieces.T
    least = np.where(lat1 * lat2 < 0, 0.0, np.minimum(np.abs(lat1), np.abs(lat2)))
    return np.asarray(np.hypot(111.7 * (lat2 - lat1), 111.7 * np.cos(np.radians(least)) * (lon2 - lon1)))


def densify(pieces: Floats, max_km: float) -> tuple[Floats, NDArray[np.int64]]:
    """Cut edges so that no part is longer than ``max_km``; returns the parts and their edge's number."""
    return split(pieces, length_bound(pieces) / max_km)
