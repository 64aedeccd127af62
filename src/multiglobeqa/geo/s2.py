"""S2 cell ids as vectorised NumPy: the geometry of s2sphere (Hilbert curve on the cube, quadratic
projection).

Ids are uint64 in S2's own numbering: the leaf id (level 30) sorts along the Hilbert curve, the id of a
coarser cell is the leaf's high bits, one marker bit and zeros. Source: Google's S2 (s2cell_id.cc), checked
against s2sphere.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from multiglobeqa.geo.check import Bools, Floats, Ints

Cells = NDArray[np.uint64]
MAX_LEVEL: Final = 30
_POS_TO_IJ: Final = np.array([[0, 1, 3, 2], [0, 2, 3, 1], [3, 2, 0, 1], [3, 1, 0, 2]], dtype=np.int64)
_IJ_TO_POS: Final = np.argsort(_POS_TO_IJ, axis=1)
_POS_TO_TURN: Final = np.array([1, 0, 0, 3], dtype=np.int64)
_LEAVES: Final = 1 << MAX_LEVEL
_ONE: Final = np.uint64(1)


def leaf(lon: Floats, lat: Floats) -> Cells:
    """(m,) leaf cell ids of points in degrees (checked, one longitude for each place)."""
    lam, phi = np.radians(lon), np.radians(lat)
    xyz = np.stack([np.cos(phi) * np.cos(lam), np.cos(phi) * np.sin(lam), np.sin(phi)])
    x, y, z = np.abs(xyz)
    axis = np.where(x > y, np.where(x > z, 0, 2), np.where(y > z, 1, 2))  # ties as in S2
    main = np.take_along_axis(xyz, axis[None], axis=0)[0]
    face = axis + np.where(main < 0, 3, 0)
    x, y, z = xyz
    u = np.choose(face, [y, -x, -x, z, z, -y]) / np.choose(face, [x, y, z, x, y, z])
    v = np.choose(face, [z, z, -y, y, -x, -x]) / np.choose(face, [x, y, z, x, y, z])
    i, j = (np.clip(np.floor(_LEAVES * _st(w)).astype(np.int64), 0, _LEAVES - 1) for w in (u, v))
    return _from_face_ij(face, i, j)


def _st(u: Floats) -> Floats:
    root = np.sqrt(1 + 3 * np.abs(u))
    return np.asarray(np.where(u >= 0, 0.5 * root, 1 - 0.5 * root), dtype=np.float64)


def _uv(s: Floats) -> Floats:
    return np.where(s >= 0.5, (4 * s * s - 1) / 3, (1 - 4 * (1 - s) ** 2) / 3)


def _from_face_ij(face: Ints, i: Ints, j: Ints) -> Cells:
    turn = face & 1
    out = face.astype(np.uint64)
    for k in range(MAX_LEVEL - 1, -1, -1):
        pos = _IJ_TO_POS[turn, ((i >> k) & 1) * 2 + ((j >> k) & 1)]
        turn = turn ^ _POS_TO_TURN[pos]
        out = (out << np.uint64(2)) | pos.astype(np.uint64)
    return (out << _ONE) | _ONE


def lowest_bit(cells: Cells) -> Cells:
    """Marker bit of each id (0 for an id of 0)."""
    return cells & (~cells + _ONE)


def level(cells: Cells) -> Ints:
    """(m,) level 0 to 30 of valid ids."""
    bit = np.log2(lowest_bit(cells).astype(np.float64)).astype(np.int64)
    return MAX_LEVEL - bit // 2


def is_valid(cells: Cells) -> Bools:
    """(m,) True where the face is 0 to 5 and the marker bit stands at an even place."""
    low = lowest_bit(cells)
    out: Bools = ((cells >> np.uint64(61)) < 6) & ((low & np.uint64(0x1555555555555555)) != 0)
    return out


def ancestor(cells: Cells, levels: Ints) -> Cells:
    """(m,) ids of the ancestors at the given levels (not finer than the cells)."""
    bit = _ONE << (2 * (MAX_LEVEL - levels)).astype(np.uint64)
    out: Cells = (cells & (~bit + _ONE)) | bit
    return out


def square(cells: Cells) -> tuple[Ints, Floats, Floats, Floats]:
    """Face, the low corner (s, t) and the side of each cell in (s, t) space [0, 1]: (m,) each."""
    face = (cells >> np.uint64(61)).astype(np.int64)
    turn = face & 1
    i = np.zeros(len(cells), dtype=np.int64)
    j = np.zeros(len(cells), dtype=np.int64)
    depth = level(cells)
    for k in range(MAX_LEVEL):
        live = k < depth
        pos = ((cells >> np.uint64(61 - 2 * (k + 1))) & np.uint64(3)).astype(np.int64)
        ij = _POS_TO_IJ[turn, pos]
        i = np.where(live, 2 * i + (ij >> 1), i)
        j = np.where(live, 2 * j + (ij & 1), j)
        turn = np.where(live, turn ^ _POS_TO_TURN[pos], turn)
    side = np.asarray(0.5**depth, dtype=np.float64)
    return face, i * side, j * side, side


def lonlat(face: Ints, s: ArrayLike, t: ArrayLike) -> tuple[Floats, Floats]:
    """(lon, lat) in degrees of points in (s, t) space on a face."""
    u, v = _uv(np.asarray(s, dtype=np.float64)), _uv(np.asarray(t, dtype=np.float64))
    one = np.ones_like(u)
    x = np.choose(face, [one, -u, -u, -one, v, v])
    y = np.choose(face, [u, one, -v, -v, -one, u])
    z = np.choose(face, [v, v, one, -u, -u, -one])
    return np.degrees(np.arctan2(y, x)), np.degrees(np.arctan2(z, np.hypot(x, y)))


def tokens(cells: Cells) -> NDArray[np.str_]:
    """(m,) tokens: the id in hexadecimal without trailing zeros ("X" for 0)."""
    return np.array([f"{int(c):016x}".rstrip("0") or "X" for c in cells], dtype=np.str_)
