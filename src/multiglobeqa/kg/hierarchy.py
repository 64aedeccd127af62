"""Administrative containment: which admin surfaces hold an entity, direct parent first.

The rule, for all admin surfaces of one layer:

- a point lies in a surface that contains it (a point on the boundary line lies in none);
- a surface lies in a surface that holds at least 99.9 % of its area (neighbours' borders rarely agree to the
  last digit), a line in one that covers it wholly;
- an entity with a level of its own has parents of smaller levels only;
- levels fall strictly along the list: of several surfaces of one level that hold the entity, the smallest
  stands (ties: the first IRI).

The list is true by geometry: it may name an area that does not hold the direct parent whole (a town across
two counties), so containment facts must be written for each parent that the chain does not imply.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pyarrow as pa
import shapely
from numpy.typing import ArrayLike, NDArray

from multiglobeqa.errors import GeometryError

COVER_SHARE: Final = 0.999
NO_LEVEL: Final = -1
_OVERLAY_CHUNK: Final = 4_096

Geometries = NDArray[np.object_]
Indices = NDArray[np.int64]


def equal_area(geometry: Any) -> NDArray[np.float64]:
    """Area of each geometry on the unit sphere (Lambert's cylindrical projection), for shares of area.

    Edges are taken straight in longitude, latitude at their vertices; the unit is arbitrary, so only ratios
    of values of the same place mean something.
    """

    def project(xy: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.column_stack([np.radians(xy[:, 0]), np.sin(np.radians(xy[:, 1]))])

    return np.asarray(shapely.area(shapely.transform(geometry, project)), dtype=np.float64)


class AdminAreas:
    """The admin surfaces of one layer, indexed for containment.

    Parameters
    ----------
    iri : n names.
    geometry : n polygons or multipolygons, longitude latitude.
    level : n administrative levels, 0 or more; smaller is higher up.

    Raises GeometryError if lengths differ, a level is negative, or a geometry is no valid surface.
    """

    def __init__(self, iri: ArrayLike, geometry: ArrayLike, level: ArrayLike) -> None:
        self.iri: NDArray[np.object_] = np.asarray(iri, dtype=object).reshape(-1)
        self.geometry: Geometries = np.asarray(geometry, dtype=object).reshape(-1)
        self.level: Indices = np.asarray(level, dtype=np.int64).reshape(-1)
        if not len(self.iri) == len(self.geometry) == len(self.level):
            raise GeometryError("admin areas: iri, geometry and level differ in length.")
        kinds = shapely.get_type_id(self.geometry)
        wrong = ~np.isin(kinds, (3, 6)) | shapely.is_empty(self.geometry) | ~shapely.is_valid(self.geometry)
        if wrong.any():
            raise GeometryError(f"admin area {self.iri[np.argmax(wrong)]} is not a valid surface.")
        if (self.level < 0).any():
            raise GeometryError(f"admin area {self.iri[np.argmax(self.level < 0)]} has a negative level.")
        self._tree = shapely.STRtree(self.geometry)
        self._area = equal_area(self.geometry)
        self._name_rank = np.argsort(np.argsort(self.iri.astype(str), kind="stable"), kind="stable")
        shapely.prepare(self.geometry)

    def __len__(self) -> int:
        return len(self.iri)

    def containing(self, geometry: ArrayLike) -> tuple[Indices, Indices]:
        """Pairs (entity, area) of positions such that the area holds the entity, by the module's rule.

        ``geometry``: n points, lines or surfaces, longitude latitude, mixed as they come; None and empty
        geometries lie in nothing. Pairs are in no stated order.
        """
        items: Geometries = np.asarray(geometry, dtype=object).reshape(-1)
        entity, area = (np.asarray(part, dtype=np.int64) for part in self._tree.query(items))
        dimension = shapely.get_dimensions(items)[entity]
        keep = np.zeros(len(entity), dtype=bool)
        points = dimension == 0
        keep[points] = shapely.contains(self.geometry[area[points]], items[entity[points]])
        rest = np.flatnonzero(~points)
        keep[rest] = shapely.covers(self.geometry[area[rest]], items[entity[rest]])
        doubtful = rest[(dimension[rest] == 2) & ~keep[rest]]
        doubtful = doubtful[self._may_hold(items, entity[doubtful], area[doubtful])]
        for start in range(0, len(doubtful), _OVERLAY_CHUNK):
            part = doubtful[start : start + _OVERLAY_CHUNK]
            inner = shapely.intersection(self.geometry[area[part]], items[entity[part]])
            whole = equal_area(items[entity[part]])
            keep[part] = (whole > 0) & (equal_area(inner) >= COVER_SHARE * whole)
        return entity[keep], area[keep]

    def _may_hold(self, items: Geometries, entity: Indices, area: Indices) -> NDArray[np.bool_]:
        """Cheap filter before an overlay: the area is large enough, and meets a point inside the entity."""
        unique, where = np.unique(entity, return_inverse=True)
        size = equal_area(items[unique])[where]
        large = self._area[area] >= COVER_SHARE * size
        large[large] = shapely.intersects(self.geometry[area[large]], items[entity[large]])
        return np.asarray(large, dtype=bool)

    def parents(self, geometry: ArrayLike, level: ArrayLike | None = None) -> tuple[Indices, Indices]:
        """Parents of n entities as (offsets, areas).

        Those of entity i are ``areas[offsets[i]:offsets[i + 1]]``, direct parent first, levels strictly
        decreasing. ``level``: n levels, `NO_LEVEL` for what is no admin area; None: none of them is.
        """
        items: Geometries = np.asarray(geometry, dtype=object).reshape(-1)
        own = (
            np.full(len(items), NO_LEVEL) if level is None else np.asarray(level, dtype=np.int64).reshape(-1)
        )
        if len(own) != len(items):
            raise GeometryError("parents: geometry and level differ in length.")
        entity, area = self.containing(items)
        above = (own[entity] == NO_LEVEL) | (self.level[area] < own[entity])
        entity, area = entity[above], area[above]
        order = np.lexsort((self._name_rank[area], self._area[area], -self.level[area], entity))
        entity, area = entity[order], area[order]
        first = np.ones(len(entity), dtype=bool)
        first[1:] = (entity[1:] != entity[:-1]) | (self.level[area[1:]] != self.level[area[:-1]])
        entity, area = entity[first], area[first]
        offsets = np.concatenate([[0], np.cumsum(np.bincount(entity, minlength=len(items)))]).astype(np.int64)
        return offsets, area

    def parent_column(self, geometry: ArrayLike, level: ArrayLike | None = None) -> pa.ListArray:
        """`parents` as the ``admin`` column of the entity table: a list of IRIs for each entity."""
        offsets, areas = self.parents(geometry, level)
        return pa.ListArray.from_arrays(
            pa.array(offsets, pa.int32()), pa.array(self.iri, pa.string()).take(pa.array(areas))
        )
