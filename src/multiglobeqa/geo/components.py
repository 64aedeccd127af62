"""North-south and east-west components of the way from one point to another.

The north component is the meridian arc between the two latitudes. The east component is the geodesic from the
first point to the point at its own latitude and the other's longitude, the short way round. All inputs are
degrees, broadcast; results are km, positive north and east.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from multiglobeqa.geo.distance import distance_km

Floats = NDArray[np.float64]
WGS84_A_KM = 6378.137
WGS84_E2 = 0.0066943799901413165


def north_km(lon1: ArrayLike, lat1: ArrayLike, lon2: ArrayLike, lat2: ArrayLike) -> Floats:
    """Meridian arc from latitude 1 to latitude 2, north positive. Raises GeometryError as `distance_km` does."""
    lon1, lat1, lat2 = np.broadcast_arrays(*(np.asarray(v, dtype=float) for v in (lon1, lat1, lat2)))
    return np.asarray(np.sign(lat2 - lat1) * distance_km(lon1, lat1, lon1, lat2), dtype=float)


def east_km(lon1: ArrayLike, lat1: ArrayLike, lon2: ArrayLike, lat2: ArrayLike) -> Floats:
    """Geodesic from point 1 to (longitude 2, latitude 1), east positive; ``lat2`` is not used."""
    lon1, lat1, lon2 = np.broadcast_arrays(*(np.asarray(v, dtype=float) for v in (lon1, lat1, lon2)))
    return np.sign(_turn(lon1, lon2)) * distance_km(lon1, lat1, lon2, lat1)


def parallel_km(lon1: ArrayLike, lat1: ArrayLike, lon2: ArrayLike, lat2: ArrayLike) -> Floats:
    """Length along the parallel of latitude 1 from longitude 1 to longitude 2, east positive.

    The radius of the parallel is a cos(lat) / sqrt(1 - e² sin²(lat)) on WGS84.
    """
    lat = np.radians(np.asarray(lat1, dtype=float))
    radius = WGS84_A_KM * np.cos(lat) / np.sqrt(1 - WGS84_E2 * np.sin(lat) ** 2)
    return np.asarray(radius * np.radians(_turn(lon1, lon2)), dtype=float)


def _turn(lon1: Any, lon2: Any) -> Floats:
    """Longitude difference the short way round, in [-180, 180)."""
    return np.asarray((np.asarray(lon2, dtype=float) - np.asarray(lon1, dtype=float) + 180) % 360 - 180)
