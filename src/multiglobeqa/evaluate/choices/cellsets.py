"""Wrong grid cells among which the right one does not stand out.

A hidden cell is drawn from the gold and its neighbours, and the options from the hidden cell and its neighbours. On a
grid where every cell has as many neighbours the gold is then any member of the set with equal chance: it is neither
the middle of the others nor at their edge.
"""

from __future__ import annotations

from random import Random
from typing import Any

import h3
import numpy as np
import s2sphere

from multiglobeqa.geo import geohash


def beside(cell: str, system: str) -> list[str]:
    """The cells of the same size that touch a cell, sorted; ``system``: h3, s2 or geohash."""
    if system == "h3":
        return sorted(set(h3.grid_disk(cell, 1)) - {cell})
    if system == "s2":
        own = s2sphere.CellId.from_token(cell)
        return sorted({each.to_token() for each in own.get_all_neighbors(own.level())} - {cell})
    west, south, east, north = (float(side[0]) for side in geohash.decode(np.array([cell])))
    step = np.arange(-1, 2)
    lon, lat = np.meshgrid(
        (west + east) / 2 + step * (east - west), (south + north) / 2 + step * (north - south)
    )
    inside = np.abs(lat) < 90
    found = geohash.encode((lon[inside] + 180) % 360 - 180, lat[inside], len(cell))
    return sorted(set(found.tolist()) - {cell})


def cells(gold: str, system: str, wanted: int, random: Random) -> list[str] | None:
    """``wanted`` other cells; None where the neighbourhood is too small."""
    hidden = random.choice([gold, *beside(gold, system)])
    others = [each for each in (hidden, *beside(hidden, system)) if each != gold]
    return random.sample(sorted(others), wanted) if len(others) >= wanted else None


def pairs(gold: dict[str, Any], wanted: int, random: Random) -> list[dict[str, str]] | None:
    """``wanted`` other pairs of an H3 and an S2 cell, each part from the sets of ``cells``."""
    h3_cells, s2_cells = cells(gold["h3"], "h3", wanted, random), cells(gold["s2"], "s2", wanted, random)
    if h3_cells is None or s2_cells is None:
        return None
    return [{"h3": a, "s2": b} for a, b in zip(h3_cells, s2_cells, strict=True)]
