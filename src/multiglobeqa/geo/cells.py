"""Discrete global grids: H3, S2 and geohash behind one set of functions.

``system`` is ``h3`` (resolution 0 to 15), ``s2`` (level 0 to 30) or ``geohash`` (length 1 to 12). H3 and S2
cells are uint64 arrays, geohashes string arrays; :func:`to_text` and :func:`from_text` change to the written
forms.

A place has one cell: longitude 180 is taken as -180, and at a pole H3 and S2 ignore the longitude (geohash,
which has a row of cells there, keeps it). Latitudes beyond ±90 are errors, although h3 accepts them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import h3.api.basic_int as h3
import numpy as np
import shapely
from numpy.typing import ArrayLike, NDArray

from multiglobeqa.errors import GeometryError
from multiglobeqa.geo import geohash, s2
from multiglobeqa.geo.check import Bools, Floats, Geoms, Ints, coordinates
from multiglobeqa.geo.distance import destination
from multiglobeqa.geo.seam import polygon_from_ring

SYSTEMS: Final = {"h3": (0, 15), "s2": (0, s2.MAX_LEVEL), "geohash": (1, geohash.MAX_LENGTH)}
"""Coarsest and finest resolution of each system."""
Cells = NDArray[Any]


def _resolution(system: str, value: int) -> int:
    if system not in SYSTEMS:
        raise GeometryError(f"unknown grid {system!r}.", mend=f"Use one of {', '.join(SYSTEMS)}.")
    low, high = SYSTEMS[system]
    if int(value) != value or not low <= value <= high:
        raise GeometryError(f"{system} resolution {value} is outside {low} to {high}.")
    return int(value)


def _places(lon: ArrayLike, lat: ArrayLike, system: str) -> tuple[Floats, Floats, tuple[int, ...]]:
    x, y = coordinates(lon, lat)
    x = np.where(x == 180, -180.0, x)
    if system != "geohash":
        x = np.where(np.abs(y) == 90, 0.0, x)
    return x.ravel(), np.asarray(y, dtype=np.float64).ravel(), x.shape


def encode(lon: ArrayLike, lat: ArrayLike, system: str, resolution: int) -> Cells:
    """Cell of each point (degrees, broadcast): uint64 for h3 and s2, str for geohash.

    Raises :class:`GeometryError` for bad coordinates, an unknown system or resolution.
    """
    res = _resolution(system, resolution)
    x, y, shape = _places(lon, lat, system)
    if system == "s2":
        return s2.ancestor(s2.leaf(x, y), np.full(len(x), res)).reshape(shape)
    if system == "geohash":
        return geohash.encode(x, y, res).reshape(shape)
    found = map(h3.latlng_to_cell, y.tolist(), x.tolist(), [res] * len(x))
    return np.fromiter(found, dtype=np.uint64, count=len(x)).reshape(shape)


def s2_leaf(lon: ArrayLike, lat: ArrayLike) -> NDArray[np.uint64]:
    """S2 leaf cell (level 30) of each point as uint64: a sort key along the Hilbert curve of the globe."""
    return np.asarray(encode(lon, lat, "s2", s2.MAX_LEVEL), dtype=np.uint64)


def _array(cells: Any, system: str) -> Cells:
    if system not in SYSTEMS:
        raise GeometryError(f"unknown grid {system!r}.", mend=f"Use one of {', '.join(SYSTEMS)}.")
    if system == "geohash":
        return np.asarray(cells, dtype=np.str_)
    try:
        return np.asarray(cells, dtype=np.uint64)
    except (TypeError, ValueError, OverflowError) as error:
        raise GeometryError(f"{system} cells must be whole numbers.", mend="Use from_text first.") from error


def is_valid(cells: Any, system: str) -> Bools:
    """True for each cell id that names a cell of the system."""
    c = _array(cells, system)
    if system == "s2":
        return s2.is_valid(c.ravel()).reshape(c.shape)
    if system == "geohash":
        return geohash.is_valid(c.ravel()).reshape(c.shape)
    return np.array([h3.is_valid_cell(v) for v in c.ravel().tolist()], dtype=bool).reshape(c.shape)


def _valid(cells: Any, system: str) -> Cells:
    c = _array(cells, system)
    bad = ~is_valid(c, system)
    if bad.any():
        at = int(np.flatnonzero(bad.ravel())[0])
        raise GeometryError(f"{c.ravel()[at]} is not a cell of {system}.", place=at)
    return c


def resolution(cells: Any, system: str) -> Ints:
    """Resolution (level, length) of each cell. Raises :class:`GeometryError` for an invalid cell."""
    c = _valid(cells, system)
    if system == "s2":
        return s2.level(c.ravel()).reshape(c.shape)
    if system == "geohash":
        return np.asarray(np.char.str_len(c), dtype=np.int64)
    return np.array([h3.get_resolution(v) for v in c.ravel().tolist()], dtype=np.int64).reshape(c.shape)


def decode(cells: Any, system: str) -> tuple[Floats, Floats]:
    """Centre (lon, lat) of each cell in degrees. Raises :class:`GeometryError` for an invalid cell."""
    c = _valid(cells, system)
    flat = c.ravel()
    if system == "s2":
        face, s, t, side = s2.square(flat)
        lon, lat = s2.lonlat(face, s + side / 2, t + side / 2)
    elif system == "geohash":
        west, south, east, north = geohash.decode(flat)
        lon, lat = (west + east) / 2, (south + north) / 2
    else:
        both = np.array([h3.cell_to_latlng(v) for v in flat.tolist()], dtype=np.float64).reshape(-1, 2)
        lon, lat = both[:, 1], both[:, 0]
    return lon.reshape(c.shape), lat.reshape(c.shape)


def parent(cells: Any, system: str, resolution: int) -> Cells:
    """Cell of a coarser (or the same) resolution that the grid names as parent.

    An H3 parent holds the child's centre, not all of the child: for the cell of a point use :func:`encode`.
    Raises :class:`GeometryError` for an invalid cell or a resolution finer than the cell's.
    """
    res = _resolution(system, resolution)
    c = _valid(cells, system)
    finer = globals()["resolution"](c, system) < res
    if finer.any():
        at = int(np.flatnonzero(np.atleast_1d(finer).ravel())[0])
        raise GeometryError(f"a cell is coarser than the resolution {res} of the parent.", place=at)
    if system == "s2":
        return s2.ancestor(c.ravel(), np.full(c.size, res)).reshape(c.shape)
    if system == "geohash":
        return c.astype(f"<U{res}")
    up = [h3.cell_to_parent(v, res) for v in c.ravel().tolist()]
    return np.array(up, dtype=np.uint64).reshape(c.shape)


def common(
    lon1: ArrayLike, lat1: ArrayLike, lon2: ArrayLike, lat2: ArrayLike, system: str
) -> tuple[Cells, Ints]:
    """Finest cell that holds both points, and its resolution: the finest one at which both encode to the same
    cell.

    Where no cell holds both: cell 0 (empty text for geohash) and resolution -1. Raises as :func:`encode`.
    """
    _resolution(system, SYSTEMS[system][0] if system in SYSTEMS else 0)
    x1, y1 = coordinates(lon1, lat1)
    x2, y2 = coordinates(lon2, lat2)
    x1, y1, x2, y2 = np.broadcast_arrays(x1, y1, x2, y2)
    shape = x1.shape
    x1, y1, x2, y2 = (v.ravel() for v in (x1, y1, x2, y2))
    low, high = SYSTEMS[system]
    cell: Cells = np.zeros(len(x1), dtype="<U12" if system == "geohash" else np.uint64)
    found = np.full(len(x1), -1, dtype=np.int64)
    for res in range(high, low - 1, -1):
        rows = np.flatnonzero(found < 0)
        if len(rows) == 0:
            break
        a, b = (encode(x[rows], y[rows], system, res) for x, y in ((x1, y1), (x2, y2)))
        same = a == b
        cell[rows[same]], found[rows[same]] = a[same], res
    return cell.reshape(shape), found.reshape(shape)


def boundary(cells: Any, system: str) -> Geoms:
    """Outline of each cell as a shapely polygon in degrees (object array), cut at ±180; round a pole where it
    is.

    H3 cells have the vertices that H3 states (a pentagon has 5, or 10 at odd resolutions); the great-circle
    edges of S2 cells coarser than level 12 get intermediate points. Raises :class:`GeometryError` for an
    invalid cell.
    """
    c = _valid(cells, system)
    outline: dict[str, Callable[[Cells], list[Any]]] = {
        "h3": _h3_outlines,
        "s2": _s2_outlines,
        "geohash": lambda flat: list(shapely.box(*geohash.decode(flat))),
    }
    out: Geoms = np.empty(c.size, dtype=object)
    out[:] = outline[system](c.ravel())
    return out.reshape(c.shape)


def _h3_outlines(flat: Cells) -> list[Any]:
    out = []
    for cell in flat.tolist():
        lat, lon = np.array(h3.cell_to_boundary(cell)).T
        out.append(polygon_from_ring(lon, lat))
    return out


def _s2_outlines(flat: Cells) -> list[Any]:
    face, s, t, side = s2.square(flat)
    out = []
    for k, depth in enumerate(s2.level(flat).tolist()):
        steps = max(1, 2 ** (12 - depth) // 32 if depth < 12 else 1, 8 if depth < 8 else 1)
        w = np.arange(min(steps, 64)) / min(steps, 64)
        zero, one = np.zeros_like(w), np.ones_like(w)
        a = np.concatenate([w, one, 1 - w, zero]) * side[k] + s[k]
        b = np.concatenate([zero, w, one, 1 - w]) * side[k] + t[k]
        out.append(polygon_from_ring(*s2.lonlat(np.full(len(a), face[k]), a, b)))
    return out


def cell_is_stable(
    lon: ArrayLike, lat: ArrayLike, system: str, resolution: int, move_km: float = 0.01
) -> Bools:
    """True where the cell stays the same when the point moves by ``move_km`` in 8 directions, and when it is
    rounded to 5 decimals. Raises as :func:`encode`."""
    x, y = coordinates(lon, lat)
    home = encode(x, y, system, resolution)
    same = encode(np.round(x, 5), np.round(y, 5), system, resolution) == home
    for azimuth in range(0, 360, 45):
        moved = destination(x, y, azimuth, move_km)
        same &= encode(*moved, system, resolution) == home
    return np.asarray(same, dtype=bool)


def to_text(cells: Any, system: str) -> NDArray[np.str_]:
    """Written form: H3 as lower-case hexadecimal, S2 as token, geohash as it is."""
    c = _valid(cells, system)
    if system == "s2":
        return s2.tokens(c.ravel()).reshape(c.shape)
    if system == "geohash":
        return c
    return np.array([h3.int_to_str(v) for v in c.ravel().tolist()], dtype=np.str_).reshape(c.shape)


def from_text(text: Any, system: str) -> Cells:
    """Cells from the written form (H3 hexadecimal, S2 token, geohash; any case).

    Raises :class:`GeometryError` with the index for text that is not a cell.
    """
    words = np.char.lower(np.char.strip(np.asarray(text, dtype=np.str_)))
    if system == "geohash":
        return _valid(words, system)
    _resolution(system, SYSTEMS.get(system, (0, 0))[0])
    values = []
    for at, word in enumerate(words.ravel().tolist()):
        full = word.ljust(16, "0") if system == "s2" else word
        digits = 1 <= len(word) <= 16 and all(ch in "0123456789abcdef" for ch in word)
        if not digits:
            raise GeometryError(f"{word!r} is not a cell of {system}.", place=at)
        values.append(int(full, 16))
    return _valid(np.array(values, dtype=np.uint64).reshape(words.shape), system)
