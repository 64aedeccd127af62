"""WGS84: constants, authalic functions, and the two bounds that make searches exact.

The bounds: map each point of the ellipsoid to the unit sphere by its reduced latitude beta, tan(beta) = (1-f)
tan(lat). The ellipsoid is that sphere, scaled by a in the equatorial plane and by b along the axis, so a
curve of angular length theta on the sphere has a length between b*theta and a*theta on the ellipsoid. Hence

    b * theta <= geodesic distance <= a * theta

for every pair of points, across the antimeridian and at the poles. A kd-tree on the unit vectors therefore
gives provable lower and upper bounds within 0.34 %.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import ArrayLike
from pyproj import Geod

from multiglobeqa.geo.check import Floats

GEOD: Final = Geod(ellps="WGS84")
A_KM: Final = 6378.137
F: Final = 1 / 298.257223563
B_KM: Final = A_KM * (1 - F)
E2: Final = F * (2 - F)
E: Final = float(np.sqrt(E2))
HALF_TURN_KM: Final = 20004.0
"""No two points are farther apart than this (20,003.93 km, pole to pole)."""
_QP: Final = float(1 + (1 - E2) / E * np.arctanh(E))
_GAUSS: Final = np.polynomial.legendre.leggauss(12)
R_AUTHALIC_KM: Final = float(A_KM * np.sqrt(_QP / 2))


def unit_vectors(lon: ArrayLike, lat: ArrayLike) -> Floats:
    """(..., 3) unit vectors of the reduced latitude; lon, lat in degrees."""
    lam, phi = np.radians(np.asarray(lon, dtype=np.float64)), np.radians(np.asarray(lat, dtype=np.float64))
    s, c = (1 - F) * np.sin(phi), np.cos(phi)
    r = np.hypot(s, c)
    s, c = s / r, c / r
    return np.stack([c * np.cos(lam), c * np.sin(lam), s], axis=-1)


def angle(chord: ArrayLike) -> Floats:
    """Angle in radians under a chord of the unit sphere (chords outside [0, 2] are clipped)."""
    out: Floats = 2 * np.arcsin(np.clip(np.asarray(chord, dtype=np.float64) / 2, 0, 1))
    return out


def chord(theta: ArrayLike) -> Floats:
    """Chord of the unit sphere over an angle in radians (angles are clipped to [0, pi])."""
    out: Floats = 2 * np.sin(np.clip(np.asarray(theta, dtype=np.float64), 0, np.pi) / 2)
    return out


def search_chord(distance_km: ArrayLike) -> Floats:
    """Chord of the unit sphere that holds every point within a geodesic distance (b * theta <= distance)."""
    return chord(np.asarray(distance_km, dtype=np.float64) / B_KM) * (1 + 1e-12) + 1e-12


def authalic_q(sin_lat: ArrayLike) -> Floats:
    """q of Snyder (1987), eq. 3-12: q(lat) * a²/2 is the area from the equator to lat per radian of
    longitude.
    """
    s = np.asarray(sin_lat, dtype=np.float64)
    out: Floats = (1 - E2) * (s / (1 - E2 * s * s) + np.arctanh(E * s) / E)
    return out


def authalic_sin(lat: ArrayLike) -> Floats:
    """Sine of the authalic latitude; lat in degrees."""
    return np.clip(authalic_q(np.sin(np.radians(np.asarray(lat, dtype=np.float64)))) / _QP, -1, 1)


def authalic_sin_cos(lat: ArrayLike) -> tuple[Floats, Floats]:
    """Sine and cosine of the authalic latitude; lat in degrees.

    Within 10 degrees of a pole the cosine comes from the zone area up to the pole, by quadrature: the plain
    square root of 1 - sin² would lose half of the digits there.
    """
    degrees = np.asarray(lat, dtype=np.float64)
    s = np.asarray(authalic_sin(degrees))
    c = np.sqrt(np.maximum(0.0, 1 - s * s))
    near = np.abs(degrees) > 80
    if near.any():
        gap = np.radians(90 - np.abs(degrees[near]))  # exact: the colatitude
        rest = np.zeros_like(gap)
        for node, weight in zip(*_GAUSS, strict=True):
            t = (node + 1) / 2 * gap
            rest += weight / 2 * gap * 2 * (1 - E2) * np.sin(t) / (1 - E2 * np.cos(t) ** 2) ** 2
        rest /= _QP
        c = np.array(c)
        c[near] = np.sqrt(rest * (2 - rest))
    return s, c


def latitude_of_authalic(beta: ArrayLike) -> Floats:
    """Geodetic latitude in degrees of an authalic latitude in radians (Newton steps on Snyder eq. 3-16)."""
    b = np.asarray(beta, dtype=np.float64)
    target = np.sin(b) * _QP
    e4, e6 = E2**2, E2**3
    phi = (
        b
        + (E2 / 3 + 31 * e4 / 180 + 517 * e6 / 5040) * np.sin(2 * b)
        + (23 * e4 / 360 + 251 * e6 / 3780) * np.sin(4 * b)
        + 761 * e6 / 45360 * np.sin(6 * b)
    )
    for _ in range(2):
        s, c = np.sin(phi), np.cos(phi)
        slope = 2 * (1 - E2) * c / (1 - E2 * s * s) ** 2
        near = np.abs(c) > 1e-3
        phi = phi - np.where(near, (authalic_q(s) - target) / np.where(near, slope, 1.0), 0.0)
    return np.degrees(np.clip(phi, -np.pi / 2, np.pi / 2))
