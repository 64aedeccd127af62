"""The two azimuthal projections as array formulas, each coordinate with its own centre.

Both work across the antimeridian and at the poles, in km, x to the east and y to the north of the centre.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from multiglobeqa.geo.check import Floats
from multiglobeqa.geo.ellipsoid import (
    A_KM,
    E2,
    GEOD,
    R_AUTHALIC_KM,
    authalic_sin_cos,
    latitude_of_authalic,
)


def _centre(lat0: ArrayLike) -> tuple[Floats, Floats, Floats]:
    """sin and cos of the authalic latitude of the centre, and D of Snyder (1987), eq. 24-20 (1 at a pole)."""
    phi = np.radians(np.asarray(lat0, dtype=np.float64))
    s1, c1 = authalic_sin_cos(lat0)
    m = np.sin(np.radians(90 - np.abs(np.asarray(lat0, dtype=np.float64)))) / np.sqrt(
        1 - E2 * np.sin(phi) ** 2
    )
    polar = np.abs(np.asarray(lat0, dtype=np.float64)) == 90
    d = np.where(polar, 1.0, A_KM * m / (R_AUTHALIC_KM * np.where(polar, 1.0, c1)))
    return s1, c1, d


def laea(lon: ArrayLike, lat: ArrayLike, lon0: ArrayLike, lat0: ArrayLike) -> tuple[Floats, Floats]:
    """Lambert azimuthal equal-area on WGS84 (Snyder 1987, eq. 24-17 to 24-19): km east and north of the
    centre.

    All inputs in degrees, broadcast. Areas are true; the antipode of the centre maps to a point on the rim.
    """
    s1, c1, d = _centre(lat0)
    s, c = authalic_sin_cos(lat)
    dlam = np.radians(np.asarray(lon, dtype=np.float64) - np.asarray(lon0, dtype=np.float64))
    cos_dlam = np.cos(dlam)
    b = R_AUTHALIC_KM * np.sqrt(2 / np.maximum(1 + s1 * s + c1 * c * cos_dlam, 1e-15))
    return b * d * c * np.sin(dlam), b / d * (c1 * s - s1 * c * cos_dlam)


def laea_inverse(x: ArrayLike, y: ArrayLike, lon0: ArrayLike, lat0: ArrayLike) -> tuple[Floats, Floats]:
    """(lon, lat) in degrees of LAEA coordinates in km; lon in [-180, 180]. Inverse of :func:`laea`."""
    s1, c1, d = _centre(lat0)
    px, py = np.asarray(x, dtype=np.float64) / d, np.asarray(y, dtype=np.float64) * d
    rho = np.hypot(px, py)
    angle = 2 * np.arcsin(np.clip(rho / (2 * R_AUTHALIC_KM), 0, 1))
    sa, ca = np.sin(angle), np.cos(angle)
    ratio = sa / np.where(rho > 0, rho, 1.0)
    sin_beta = np.clip(ca * s1 + py * ratio * c1, -1, 1)
    east, north = px * ratio, ca * c1 - py * ratio * s1
    lam = np.degrees(np.arctan2(east, north)) + np.asarray(lon0, dtype=np.float64)
    beta = np.arctan2(sin_beta, np.hypot(east, north))
    lon = np.mod(lam + 180.0, 360.0) - 180.0
    return lon, latitude_of_authalic(beta)


def aeqd(lon: ArrayLike, lat: ArrayLike, lon0: ArrayLike, lat0: ArrayLike) -> tuple[Floats, Floats]:
    """Azimuthal equidistant on WGS84: geodesic distance along the geodesic azimuth, km east and north.

    All inputs in degrees, broadcast. Distances and directions from the centre are true.
    """
    x, y, x0, y0 = (np.array(v, dtype=np.float64) for v in np.broadcast_arrays(lon, lat, lon0, lat0))
    az, _, metres = GEOD.inv(x0, y0, x, y)
    az, km = np.radians(np.asarray(az)), np.asarray(metres) / 1000
    return km * np.sin(az), km * np.cos(az)


def aeqd_inverse(x: ArrayLike, y: ArrayLike, lon0: ArrayLike, lat0: ArrayLike) -> tuple[Floats, Floats]:
    """(lon, lat) in degrees of AEQD coordinates in km. Inverse of :func:`aeqd`."""
    px, py, x0, y0 = (np.array(v, dtype=np.float64) for v in np.broadcast_arrays(x, y, lon0, lat0))
    lon, lat, _ = GEOD.fwd(x0, y0, np.degrees(np.arctan2(px, py)), np.hypot(px, py) * 1000)
    return np.asarray(lon, dtype=np.float64), np.asarray(lat, dtype=np.float64)
