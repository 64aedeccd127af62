"""Which ways are one named line: the graph whose components are the features. The rule stands in `lines`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import shapely
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from multiglobeqa.kg.hierarchy import AdminAreas

Ints = NDArray[np.int64]

CARRIAGEWAY_GAP_KM: Final = 0.05
KM_PER_DEGREE: Final = 111.2


@dataclass(frozen=True)
class Ways:
    """n lines as parallel arrays.

    ``way``, ``relation``: OSM ids (relation 0: none). ``group``: number of class and name. ``through``:
    whether the line carries through traffic, or water. ``one_way``: whether traffic goes one way. ``area``:
    position of its local admin area, -1 for none. ``geometry``: linestrings, longitude latitude.
    """

    way: Ints
    relation: Ints
    group: Ints
    through: NDArray[np.bool_]
    one_way: NDArray[np.bool_]
    area: Ints
    geometry: NDArray[np.object_]

    def together(self, a: Ints, b: Ints) -> NDArray[np.bool_]:
        """Whether the admin rule lets the lines at positions a and b be one feature."""
        return np.asarray((self.area[a] == self.area[b]) | (self.through[a] & self.through[b]), dtype=bool)


def local_area(geometry: NDArray[np.object_], areas: AdminAreas | None) -> Ints:
    """Position of the deepest admin area of level 8 or above that holds each line's middle, or -1."""
    result = np.full(len(geometry), -1, dtype=np.int64)
    if areas is None or not len(areas):
        return result
    middle = shapely.line_interpolate_point(geometry, 0.5, normalized=True)
    offsets, parents = areas.parents(middle)
    held = np.flatnonzero(np.diff(offsets) > 0)
    result[held] = parents[offsets[held]]
    return result


def local_length(geometry: NDArray[np.object_]) -> NDArray[np.float64]:
    """Length of each line in degrees of latitude, longitudes shrunk: for shares, not for answers."""
    xy, index = shapely.get_coordinates(geometry, return_index=True)
    step = np.diff(xy, axis=0)
    step[:, 0] *= np.cos(np.radians((xy[1:, 1] + xy[:-1, 1]) / 2))
    within = index[1:] == index[:-1]
    length = np.bincount(index[1:][within], np.hypot(*step[within].T), minlength=len(geometry))
    return np.asarray(length, dtype=np.float64)


def merge(ways: Ways) -> Ints:
    """Component number of each line: lines of one number are one feature (see `lines`); shape (n,)."""
    n = len(ways.way)
    rows = np.arange(n)
    edges = [_chain(ways.way, rows), _chain(ways.relation, rows[ways.relation > 0])]
    edges += [pairs[:, ways.together(*pairs)] for pairs in (*_touching(ways), _carriageways(ways))]
    a, b = np.concatenate(edges, axis=1)
    graph = coo_array((np.ones(len(a), dtype=np.int8), (a, b)), shape=(n, n))
    return np.asarray(connected_components(graph, directed=False)[1], dtype=np.int64)


def _touching(ways: Ways) -> Iterator[Ints]:
    """Pairs of lines of one group of which one has an end on a vertex of the other; shape (2, m) each."""
    xy, index = shapely.get_coordinates(ways.geometry, return_index=True)
    key = np.rint(xy * 1e7).astype(np.int64)
    edge = index[1:] != index[:-1]
    end = np.append(True, edge) | np.append(edge, True)
    order = np.lexsort((key[:, 1], key[:, 0], ways.group[index]))
    owner, x, y, at_end = index[order], key[order, 0], key[order, 1], end[order]
    group = ways.group[owner]
    cluster = np.cumsum(np.append(True, (group[1:] != group[:-1]) | (x[1:] != x[:-1]) | (y[1:] != y[:-1])))
    largest = int(np.bincount(cluster).max()) if len(owner) else 0
    for distance in range(1, largest):
        left = np.flatnonzero(cluster[distance:] == cluster[:-distance])
        touching = at_end[left] | at_end[left + distance]
        yield np.stack([owner[left], owner[left + distance]])[:, touching]


def _carriageways(ways: Ways) -> Ints:
    """Pairs of one-way lines of one group within `CARRIAGEWAY_GAP_KM`; shape (2, m)."""
    rows = np.flatnonzero(ways.one_way)
    if not len(rows):
        return np.empty((2, 0), dtype=np.int64)
    bounds = shapely.bounds(ways.geometry[rows])
    reach = CARRIAGEWAY_GAP_KM / KM_PER_DEGREE
    shrink = np.cos(np.radians(np.minimum(np.abs(bounds[:, [1, 3]]).max(axis=1) + reach, 89.9)))
    margin = np.column_stack([reach / shrink, np.full(len(rows), reach)])
    wide = shapely.box(*(bounds[:, :2] - margin).T, *(bounds[:, 2:] + margin).T)
    left, right = shapely.STRtree(ways.geometry[rows]).query(wide)
    a, b = rows[left], rows[right]
    near = (a < b) & (ways.group[a] == ways.group[b])
    a, b = a[near], b[near]
    latitude = (shapely.bounds(ways.geometry[a])[:, 1] + shapely.bounds(ways.geometry[b])[:, 3]) / 2
    gap = shapely.distance(_shrunk(ways.geometry[a], latitude), _shrunk(ways.geometry[b], latitude))
    return np.stack([a, b])[:, gap <= reach]


def _shrunk(geometry: NDArray[np.object_], latitude: NDArray[np.float64]) -> NDArray[np.object_]:
    """The lines with longitudes shrunk to the scale of latitudes at the given latitude of each."""
    xy, index = shapely.get_coordinates(geometry, return_index=True)
    xy[:, 0] *= np.cos(np.radians(latitude))[index]
    return np.asarray(shapely.linestrings(xy, indices=index), dtype=object)


def _chain(value: Ints, rows: Ints) -> Ints:
    """Edges that link the rows of equal value, one after another; shape (2, m)."""
    order = rows[np.argsort(value[rows], kind="stable")]
    same = value[order[1:]] == value[order[:-1]]
    return np.stack([order[:-1][same], order[1:][same]])
