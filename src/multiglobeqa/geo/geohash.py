"""Geohash as vectorised NumPy.

Longitude bits first, 5 bits a character. Longitude 180 is taken as -180 (one place, one cell); latitude 90
belongs to the topmost row, as in python-geohash's clamp. Source: Niemeyer (2008), base 32 without a, i, l, o.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from multiglobeqa.geo.check import Floats

MAX_LENGTH: Final = 12
ALPHABET: Final = "0123456789bcdefghjkmnpqrstuvwxyz"
_BYTES: Final = np.frombuffer(ALPHABET.encode(), dtype=np.uint8)
_VALUE: Final = np.full(256, -1, dtype=np.int64)
_VALUE[_BYTES] = np.arange(32)


def _bits(length: int) -> tuple[int, int]:
    total = 5 * length
    return (total + 1) // 2, total // 2


def encode(lon: Floats, lat: Floats, length: int) -> NDArray[np.str_]:
    """(m,) geohashes of points in degrees with lon in [-180, 180)."""
    nx, ny = _bits(length)
    x = np.minimum(np.floor((lon + 180) / 360 * 2.0**nx), 2.0**nx - 1).astype(np.int64)
    y = np.minimum(np.floor((lat + 90) / 180 * 2.0**ny), 2.0**ny - 1).astype(np.int64)
    chars = np.zeros((len(x), length), dtype=np.int64)
    for bit in range(5 * length):
        source = (x >> (nx - 1 - bit // 2)) if bit % 2 == 0 else (y >> (ny - 1 - bit // 2))
        chars[:, bit // 5] = (chars[:, bit // 5] << 1) | (source & 1)
    text = np.ascontiguousarray(_BYTES[chars])
    return np.char.decode(text.view(f"S{length}").ravel(), "ascii").astype(np.str_)


def decode(cells: NDArray[np.str_]) -> tuple[Floats, Floats, Floats, Floats]:
    """(west, south, east, north) of each valid geohash: (m,) degrees each."""
    x = np.zeros(len(cells), dtype=np.int64)
    y = np.zeros(len(cells), dtype=np.int64)
    nx = np.zeros(len(cells), dtype=np.int64)
    ny = np.zeros(len(cells), dtype=np.int64)
    value = values(cells)
    for bit in range(5 * value.shape[1]):
        code = value[:, bit // 5]
        live = code >= 0
        one = (code >> (4 - bit % 5)) & 1
        if bit % 2 == 0:
            x, nx = np.where(live, 2 * x + one, x), nx + live
        else:
            y, ny = np.where(live, 2 * y + one, y), ny + live
    wide, tall = 360 / 2.0**nx, 180 / 2.0**ny
    return x * wide - 180, y * tall - 90, (x + 1) * wide - 180, (y + 1) * tall - 90


def values(cells: NDArray[np.str_]) -> NDArray[np.int64]:
    """(m, longest) value 0 to 31 of each character; -1 beyond the end, -2 for a character not in the
    alphabet.
    """
    longest = max(1, int(np.char.str_len(cells).max(initial=1)))
    points = np.ascontiguousarray(cells.astype(f"<U{longest}")).view(np.uint32).reshape(len(cells), longest)
    out = np.where(points < 256, _VALUE[np.minimum(points, 255)], -1)
    out = np.where((points != 0) & (out < 0), -2, out)
    return np.where(points == 0, -1, out)


def is_valid(cells: NDArray[np.str_]) -> NDArray[np.bool_]:
    """(m,) True for 1 to 12 lower-case characters of the alphabet."""
    size = np.char.str_len(cells)
    return np.asarray((size >= 1) & (size <= MAX_LENGTH) & (values(cells) != -2).all(axis=1), dtype=bool)
