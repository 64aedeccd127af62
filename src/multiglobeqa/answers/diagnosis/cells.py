"""Cells of H3, S2 and geohash: other resolutions, neighbours, exchanged axes, lost signs, another grid.

Cells are compared exactly: equal to a stored slip, an ancestor or a descendant of the gold, a neighbour of it. The
cell of an exchanged or turned place need only touch it: their centres are no farther apart than both cells' radii, and
the gold is ten times as far away.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

import h3
import numpy as np
import s2sphere
from numpy.typing import NDArray

from multiglobeqa.answers.base import FormatError
from multiglobeqa.answers.cell import system_of
from multiglobeqa.answers.diagnosis.batch import CAUSE, FACT, Batch, Findings, Floats, Ints
from multiglobeqa.answers.grids import read_h3, read_s2, s2_level
from multiglobeqa.answers.point import GEOD
from multiglobeqa.geo import cells, geohash

FARTHER: Final = 10.0
_EARTH_KM: Final = 6371.0088
_SPREAD: Final = 1.5
"""The largest cells of a level are this much larger than their mean."""


def diagnose_cells(batch: Batch, found: Findings) -> None:
    """All kinds of single cells."""
    systems = np.array([_system(batch.case(row)) for row in range(len(batch))], dtype=object)
    rows, keys, values = batch.slips()
    stored = np.flatnonzero(
        [batch.values[row] == value for row, value in zip(rows.tolist(), values, strict=True)]
    )
    found.add_each([keys[k] for k in stored.tolist()], rows[stored])
    for system in dict.fromkeys(systems.tolist()):
        mine = np.flatnonzero(systems == system)
        golds = [batch.case(row).gold for row in mine.tolist()]
        compare(found, mine, system, [batch.values[row] for row in mine.tolist()], golds)


def diagnose_composites(batch: Batch, found: Findings) -> None:
    """Two cells: what is wrong with both, or with the part that is wrong."""
    rows, keys, values = batch.slips()
    stored = np.flatnonzero(
        [batch.values[row] == value for row, value in zip(rows.tolist(), values, strict=True)]
    )
    found.add_each([keys[k] for k in stored.tolist()], rows[stored])
    size = len(batch)
    parts: dict[str, Findings] = {}
    wrong: dict[str, NDArray[np.bool_]] = {}
    for part, system in (("h3", "h3"), ("s2", "s2")):
        preds = [value[part] for value in batch.values]
        golds = [batch.case(row).gold[part] for row in range(size)]
        wrong[part] = np.array([a != b for a, b in zip(preds, golds, strict=True)], dtype=bool)
        at = np.flatnonzero(wrong[part])
        parts[part] = Findings(size)
        compare(
            parts[part], at, system, [preds[row] for row in at.tolist()], [golds[row] for row in at.tolist()]
        )
    for part, other in (("h3", "s2"), ("s2", "h3")):
        said, ranks = parts[part].keys, parts[part].ranks
        for row in np.flatnonzero(wrong[part] & (said != None)).tolist():  # noqa: E711
            alone = not wrong[other][row]
            if alone or said[row] == parts[other].keys[row]:
                found.add(said[row], row, ranks[row])
            else:
                found.add(said[row], row, ranks[row], 0.5)
        found.add(f"one_part_right.{part}", np.flatnonzero(~wrong[part] & wrong[other]), FACT, 0.9)


def compare(found: Findings, rows: Ints, system: str, preds: Sequence[str], golds: Sequence[str]) -> None:
    """Say how cells stand to the gold cells of the same grid; all are canonical and different."""
    if not len(rows):
        return
    p, g = cells.from_text(list(preds), system), cells.from_text(list(golds), system)
    fine_p, fine_g = cells.resolution(p, system), cells.resolution(g, system)
    x_p, y_p = cells.decode(p, system)
    x_g, y_g = cells.decode(g, system)
    coarser = _within(g, x_g, y_g, fine_p, p, system, fine_p < fine_g)
    finer = _within(p, x_p, y_p, fine_g, g, system, fine_p > fine_g)
    found.add("wrong_resolution.coarser", rows[coarser], FACT, 0.1)
    found.add("wrong_resolution.finer", rows[finer], FACT, 0.1)
    radius_p, radius_g = _radius(fine_p, y_p, system), _radius(fine_g, y_g, system)
    close = (fine_p == fine_g) & (_km(x_p, y_p, x_g, y_g) <= 2 * (radius_p + radius_g))
    beside = [at for at in np.flatnonzero(close).tolist() if preds[at] in neighbours(golds[at], system)]
    found.add("neighbouring_cell", rows[beside], FACT, 0.1)
    stretched = radius_g / np.maximum(np.cos(np.radians(y_g)), 0.1)
    usable = np.abs(x_g) <= 90
    for key, x, y, reach, fits in (
        ("axes_swapped", np.where(usable, y_g, 0.0), np.where(usable, x_g, 0.0), stretched, usable),
        ("sign_flipped.latitude", x_g, -y_g, radius_g, y_g != 0),
        ("sign_flipped.longitude", -x_g, y_g, radius_g, x_g != 0),
        ("sign_flipped.both", -x_g, -y_g, radius_g, x_g != 0),
    ):
        allowed = radius_p + reach
        share = _km(x_p, y_p, x, y) / allowed
        hit = fits & (share <= 1) & (_km(x, y, x_g, y_g) > FARTHER * allowed)
        found.add(key, rows[hit], CAUSE, 0.99 * share[hit])
    found.add("other_cell_system", rows[_of_other_grid(preds, system, x_g, y_g)], CAUSE, 0.5)
    found.add("wrong_resolution.elsewhere", rows[fine_p != fine_g], FACT, 0.5)


def near_cell(text: Any, system: str, gold: str, gold_system: str) -> bool:
    """Whether a text, read as a cell of ``system``, lies at the gold cell of another grid."""
    try:
        read = {"h3": read_h3, "s2": read_s2, "geohash": _read_geohash}[system](text)
    except FormatError:
        return False
    (x_p, y_p, radius_p), (x_g, y_g, radius_g) = _seat(read, system), _seat(gold, gold_system)
    return bool((_km(x_p, y_p, x_g, y_g) <= radius_p + radius_g)[0])


@lru_cache(maxsize=8192)
def _seat(text: str, system: str) -> tuple[Floats, Floats, Floats]:
    """(1,) longitude and latitude of a cell's centre, and its radius in km."""
    cell = cells.from_text([text], system)
    lon, lat = cells.decode(cell, system)
    return lon, lat, _radius(cells.resolution(cell, system), lat, system)


def _of_other_grid(preds: Sequence[str], system: str, lon: Floats, lat: Floats) -> list[int]:
    """Which cells are the cell of another grid at the gold's place, and happen to be cells of this grid, too.

    S2 tokens may be H3 cells or geohashes, and geohashes S2 tokens; an H3 cell has the form of neither.
    """
    groups: defaultdict[tuple[str, int], list[int]] = defaultdict(list)
    for at, text in enumerate(preds):
        if system == "s2" and len(text) == 15 and h3.is_valid_cell(text):
            groups["h3", int(h3.get_resolution(text))].append(at)
        elif system == "s2" and _LEAST["geohash"] <= len(text) <= 12 and "a" not in text:
            groups["geohash", len(text)].append(at)
        elif system == "geohash" and _S2_TOKEN.fullmatch(text):
            try:
                groups["s2", s2_level(read_s2(text))].append(at)
            except FormatError:
                continue
    found = []
    for (other, level), members in groups.items():
        if level >= _LEAST[other]:
            there = cells.to_text(cells.encode(lon[members], lat[members], other, level), other)
            found += [at for at, cell in zip(members, there.tolist(), strict=True) if cell == preds[at]]
    return found


_S2_TOKEN: Final = re.compile("[0-9b-f]{3,12}")
_LEAST: Final = {"h3": 0, "s2": 5, "geohash": 3}
"""Coarser cells hold too much of the Earth to tell anything."""


def _read_geohash(text: Any) -> str:
    found = geohash.is_valid(np.array([str(text)]))
    if not found[0]:
        raise FormatError(f"{text!r} is not a geohash.")
    return str(text)


@lru_cache(maxsize=65_536)
def neighbours(cell: str, system: str) -> frozenset[str]:
    """The cells that share an edge or a corner with a cell."""
    if system == "h3":
        return frozenset(h3.grid_disk(cell, 1)) - {cell}
    if system == "s2":
        found = s2sphere.CellId.from_token(cell)
        return frozenset(other.to_token() for other in found.get_all_neighbors(found.level())) - {cell}
    west, south, east, north = (float(side[0]) for side in geohash.decode(np.array([cell])))
    steps = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0)]
    lon = np.array([((west + east) / 2 + i * (east - west) + 180) % 360 - 180 for i, _ in steps])
    lat = np.array([(south + north) / 2 + j * (north - south) for _, j in steps])
    inside = np.abs(lat) < 90
    return frozenset(geohash.encode(lon[inside], lat[inside], len(cell)).tolist()) - {cell}


def _within(
    fine: Any, lon: Floats, lat: Floats, levels: Ints, coarse: Any, system: str, asked: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Which cells lie in coarser ones: by ancestry, or by their centre."""
    found = np.zeros(len(levels), dtype=bool)
    for level in np.unique(levels[asked]).tolist():
        at = np.flatnonzero(asked & (levels == level))
        found[at] = (cells.parent(fine[at], system, level) == coarse[at]) | (
            cells.encode(lon[at], lat[at], system, level) == coarse[at]
        )
    return found


def _radius(levels: Ints, lat: Floats, system: str) -> Floats:
    """An upper bound of the distance from a cell's centre to its corners, km."""
    if system == "h3":
        edges = np.array([h3.average_hexagon_edge_length(level, unit="km") for level in range(16)])
        return np.asarray(edges[levels] * _SPREAD, np.float64)
    if system == "s2":
        return np.asarray(np.sqrt(4 * np.pi * _EARTH_KM**2 / 6 / 4.0**levels / 2) * _SPREAD, np.float64)
    bits_x, bits_y = (5 * levels + 1) // 2, 5 * levels // 2
    wide = 360 / 2.0**bits_x * np.cos(np.radians(np.maximum(0, np.abs(lat) - 180 / 2.0**bits_y)))
    return np.asarray(np.hypot(wide, 180 / 2.0**bits_y) / 2 * np.radians(1.0) * _EARTH_KM * 1.01, np.float64)


def _km(lon1: Floats, lat1: Floats, lon2: Floats, lat2: Floats) -> Floats:
    return np.asarray(GEOD.inv(lon1, lat1, lon2, lat2)[2], np.float64) / 1000.0


def _system(case: Any) -> str:
    return "geohash" if case.format == "geohash" else system_of(case.row)
