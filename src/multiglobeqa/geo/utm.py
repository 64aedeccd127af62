"""UTM zones of WGS 84, from 80° S to 84° N.

Zones are 6 degrees wide from 180° W; zone 32 is widened to 3° E between 56° N and 64° N (south-west Norway), and from
72° N (Svalbard) zones 31, 33, 35 and 37 take the place of 31 to 37 (NGA.SIG.0012, 2014).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from multiglobeqa.geo.check import Bools, Ints, coordinates
from multiglobeqa.geo.distance import destination

SOUTH: Final = -80.0
NORTH: Final = 84.0


def zone(lon: ArrayLike, lat: ArrayLike) -> Ints:
    """Zone number 1 to 60 of points in degrees, 0 beyond 80° S and 84° N. Raises GeometryError for bad coordinates."""
    x, y = coordinates(lon, lat)
    x = np.where(x == 180, -180.0, x)
    found = np.floor((x + 180) / 6).astype(np.int64) + 1
    found = np.where((y >= 56) & (y < 64) & (x >= 3) & (x < 12), 32, found)
    svalbard = 31 + 2 * np.digitize(x, [9.0, 21.0, 33.0])
    found = np.where((y >= 72) & (x >= 0) & (x < 42), svalbard, found)
    return np.asarray(np.where((y >= SOUTH) & (y <= NORTH), found, 0), dtype=np.int64)


def names(lon: ArrayLike, lat: ArrayLike) -> NDArray[np.str_]:
    """Zone and hemisphere of points as text ("33N", "7S"), empty where UTM does not reach."""
    number, (_, y) = zone(lon, lat), coordinates(lon, lat)
    text = np.char.add(number.astype(np.str_), np.where(y >= 0, "N", "S"))
    return np.asarray(np.where(number > 0, text, ""), dtype=np.str_)


def is_stable(lon: ArrayLike, lat: ArrayLike, move_km: float = 0.01) -> Bools:
    """True where zone and hemisphere stay the same when the point moves by ``move_km`` in 8 directions."""
    home = names(lon, lat)
    same = home != ""
    for azimuth in range(0, 360, 45):
        same &= names(*destination(lon, lat, azimuth, move_km)) == home
    return np.asarray(same, dtype=bool)
