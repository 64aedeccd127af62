"""Outlines simplified by a rule that hangs on nothing stored but the vertices.

On a plane each ring is cut into two lines at its two vertices that are farthest apart; each line is simplified by
Douglas-Peucker (Douglas and Peucker 1973; its ends stay, distances are taken to the segment); the lines are joined
again. Where a ring begins and which way it runs make no difference.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import shapely
from numpy.typing import NDArray

from multiglobeqa.errors import GeometryError
from multiglobeqa.geo.check import Bools, Floats, Geoms

Ints = NDArray[np.int64]
TIE: Final = 1e-5
"""Pairs whose distances differ by less than this share of the largest are as far apart."""
_ROWS: Final = 256


@dataclass(frozen=True)
class CutOutlines:
    """Rings of surfaces on a plane, each cut in two. Rings too small to survive ``least_km`` are left out.

    count: number of surfaces. lines: (2 r,) the two lines of each of r rings, one after the other. part: (r,) the
    polygon a ring belongs to. shell: (r,) whether it is a polygon's outer ring. owner: (p,) the surface of
    each polygon. unique: (count,) whether in every ring of a surface one pair alone is the farthest, by ``TIE``.
    """

    count: int
    least_km: float
    lines: Geoms
    part: Ints
    shell: Bools
    owner: Ints
    unique: Bools

    def of(self, surfaces: Ints) -> CutOutlines:
        """The cut outlines of some of the surfaces, in the order given."""
        place = np.full(self.count, -1)
        place[surfaces] = np.arange(len(surfaces))
        mine = place[self.owner[self.part]] >= 0
        return CutOutlines(
            len(surfaces),
            self.least_km,
            self.lines[np.repeat(mine, 2)],
            self.part[mine],
            self.shell[mine],
            place[self.owner],
            self.unique[surfaces],
        )

    def reversed(self) -> CutOutlines:
        """The same with all lines run the other way: of vertices equally far out the other one is met first."""
        turned = shapely.reverse(self.lines)
        return CutOutlines(self.count, self.least_km, turned, self.part, self.shell, self.owner, self.unique)


def farthest_pair(xy: Floats) -> tuple[int, int, float, float]:
    """The two of the (n, 2) points that are farthest apart: their rows (i < j), their distance, and the largest
    distance of any other pair of points (0 for two points alone). Points do not repeat.

    Both ends of the farthest pair are vertices of the convex hull (Preparata and Shamos 1985, chapter 4). Any pair
    nearly as far apart shows up in the distances among the hull's vertices or from the two ends to all points.
    """
    hull = shapely.convex_hull(shapely.multipoints(xy))
    corners = shapely.get_coordinates(hull)
    corners = corners[:-1] if hull.geom_type == "Polygon" else corners
    first = second = 0
    km = runner_up = -1.0
    for start in range(0, len(corners), _ROWS):
        block = corners[start : start + _ROWS]
        apart = np.hypot(*(block[:, None, :] - corners[None, :, :]).transpose(2, 0, 1))
        apart[
            np.arange(start, start + len(block))[:, None] >= np.arange(len(corners))
        ] = -1.0  # each pair once
        row, column = np.unravel_index(int(np.argmax(apart)), apart.shape)
        most, apart[row, column] = float(apart[row, column]), -1.0
        runner_up = max(runner_up, float(apart.max()), min(km, most))
        if most > km:
            first, second, km = start + int(row), int(column), most
    ends = [int(np.flatnonzero((xy == corners[k]).all(axis=1))[0]) for k in (first, second)]
    for here, there in (ends, ends[::-1]):
        others = np.hypot(*(xy - xy[here]).T)
        others[there] = 0.0
        runner_up = max(runner_up, float(others.max()))
    return min(ends), max(ends), km, max(runner_up, 0.0)


def cut_outlines(plane: Geoms, least_km: float) -> CutOutlines:
    """The rings of (n,) surfaces on a plane (km) cut at their farthest vertices.

    ``least_km``: the least tolerance they will be simplified with. A ring whose box has no longer diagonal vanishes
    under it whatever its cut, and is left out.
    """
    polygons, owner = shapely.get_parts(plane, return_index=True)
    rings, part = shapely.get_rings(polygons, return_index=True)
    shell = np.append(True, part[1:] != part[:-1]) if len(part) else np.empty(0, dtype=bool)
    box = shapely.bounds(rings).reshape(-1, 4)
    large = np.hypot(box[:, 2] - box[:, 0], box[:, 3] - box[:, 1]) > least_km
    rings, part, shell = rings[large], part[large], shell[large]
    unique = np.ones(len(plane), dtype=bool)
    coordinates, lengths = [], []
    for ring, of in zip(rings, part, strict=True):
        xy = shapely.get_coordinates(ring)[:-1]
        i, j, km, runner_up = farthest_pair(xy)
        if runner_up > (1 - TIE) * km:
            unique[owner[of]] = False
        coordinates += [xy[i : j + 1], xy[j:], xy[: i + 1]]
        lengths += [j - i + 1, len(xy) - j + i + 1]
    index = np.repeat(np.arange(len(lengths)), lengths)
    lines = (
        shapely.linestrings(np.concatenate(coordinates), indices=index) if lengths else np.empty(0, object)
    )
    return CutOutlines(len(plane), least_km, lines, part, shell, np.asarray(owner), unique)


def simplify_cut(cut: CutOutlines, tolerance_km: float) -> Geoms:
    """The surfaces simplified by ``tolerance_km``: (n,) multipolygons on the plane, None where the result is empty or
    not valid. Rings left with fewer than three corners are dropped, and holes with their outer ring.

    Raises :class:`GeometryError` for a tolerance below ``least_km``.
    """
    out: Geoms = np.full(cut.count, None, dtype=object)
    if tolerance_km < cut.least_km:
        raise GeometryError(
            f"outlines cut for {cut.least_km} km and more, not for {tolerance_km} km.", place="tolerance"
        )
    if not len(cut.lines):
        return out
    lines = shapely.simplify(cut.lines, tolerance_km, preserve_topology=False)
    xy, line = shapely.get_coordinates(lines, return_index=True)
    within = np.append(line[1:] == line[:-1], False)  # the last vertex of a line is the first of the other
    xy, ring = xy[within], line[within] // 2
    corners = np.bincount(ring, minlength=len(cut.part))
    shells = np.zeros(len(cut.owner), dtype=bool)
    shells[cut.part[cut.shell & (corners >= 3)]] = True
    kept = (corners >= 3) & shells[cut.part]
    if not kept.any():
        return out
    place = np.cumsum(kept) - 1
    rings = shapely.linearrings(xy[kept[ring]], indices=place[ring[kept[ring]]])
    part, shell = cut.part[kept], cut.shell[kept]
    polygons = shapely.polygons(rings[shell])
    owner = cut.owner[part[shell]]
    row = np.cumsum(shell) - 1  # holes follow their outer ring
    holes = np.flatnonzero(~shell)
    for at in np.unique(row[holes]):
        polygons[at] = shapely.polygons(rings[shell][at], rings[holes[row[holes] == at]])
    order = np.argsort(owner, kind="stable")
    shapely.multipolygons(polygons[order], indices=owner[order], out=out)
    out[~shapely.is_valid(out)] = None
    return out
