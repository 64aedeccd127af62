"""Administrative containment."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely.geometry.base import BaseGeometry

from multiglobeqa.errors import GeometryError
from multiglobeqa.kg.hierarchy import NO_LEVEL, AdminAreas, equal_area

AREAS = AdminAreas(
    ["country", "region", "town", "twin", "ring"],
    [
        shapely.box(0, 0, 10, 10), shapely.box(0, 0, 5, 5), shapely.box(0, 0, 2, 2), shapely.box(0, 0, 3, 3),
        shapely.box(6, 6, 9, 9).difference(shapely.box(7, 7, 8, 8)),
    ],
    [2, 4, 8, 8, 6],
)  # fmt: skip


@pytest.mark.parametrize(
    ("shape", "level", "expected"),
    [
        (shapely.Point(1, 1), NO_LEVEL, ["town", "region", "country"]),  # the smaller of two of one level
        (shapely.Point(2.5, 1), NO_LEVEL, ["twin", "region", "country"]),
        (shapely.Point(5, 1), NO_LEVEL, ["country"]),  # on the region's boundary
        (shapely.Point(7.5, 7.5), NO_LEVEL, ["country"]),  # in the hole of the ring
        (shapely.Point(6.5, 6.5), NO_LEVEL, ["ring", "country"]),
        (shapely.Point(11, 1), NO_LEVEL, []),
        (shapely.box(0, 0, 2, 2), 8, ["region", "country"]),  # an admin area: smaller levels only
        (shapely.box(0, 0, 5, 5), 4, ["country"]),
        (shapely.box(0, 0, 10, 10), 2, []),
        (shapely.box(0, 0, 5.004, 5), NO_LEVEL, ["region", "country"]),  # 99.92 % inside
        (shapely.box(0, 0, 5.006, 5), NO_LEVEL, ["country"]),  # 99.88 %
        (shapely.LineString([(1, 1), (5, 5)]), NO_LEVEL, ["region", "country"]),  # may touch the boundary
        (shapely.LineString([(1, 1), (5.0001, 5)]), NO_LEVEL, ["country"]),  # lines lie wholly inside
        (shapely.MultiPolygon([shapely.box(0, 0, 1, 1), shapely.box(9, 9, 9.5, 9.5)]), NO_LEVEL, ["country"]),
        (shapely.Point(), NO_LEVEL, []),
        (None, NO_LEVEL, []),
    ],
)
def test_parents(shape: BaseGeometry | None, level: int, expected: list[str]) -> None:
    assert AREAS.parent_column(np.array([shape], dtype=object), [level]).to_pylist() == [expected]


def test_mixed_batch_keeps_its_order() -> None:
    shapes = [shapely.Point(11, 1), shapely.Point(1, 1), None, shapely.LineString([(6, 6), (6.5, 6)])]
    offsets, areas = AREAS.parents(shapes)
    assert offsets.tolist() == [0, 0, 3, 3, 5]
    assert AREAS.iri[areas].tolist() == ["town", "region", "country", "ring", "country"]


def test_share_is_of_true_area_not_of_degrees() -> None:
    """From 0 to 80 degrees north, the top 0.15 degrees are 0.19 % of the degrees and 0.05 % of the area."""
    tall = shapely.box(0, 0, 1, 80)
    areas = AdminAreas(["most"], [shapely.box(0, 0, 1, 79.85)], [2])
    assert 1 - 79.85 / 80 > 0.001
    assert areas.parent_column([tall]).to_pylist() == [["most"]]
    assert equal_area([tall])[0] == pytest.approx(np.radians(1) * np.sin(np.radians(80)))


def test_no_areas() -> None:
    empty = AdminAreas([], [], [])
    assert len(empty) == 0 and empty.parent_column([shapely.Point(0, 0)]).to_pylist() == [[]]


@pytest.mark.parametrize(
    ("iri", "geometry", "level"),
    [
        (["bow"], [shapely.Polygon([(0, 0), (1, 1), (1, 0), (0, 1)])], [2]),
        (["line"], [shapely.LineString([(0, 0), (1, 1)])], [2]),
        (["none"], [None], [2]),
        (["minus"], [shapely.box(0, 0, 1, 1)], [-1]),
        (["a", "b"], [shapely.box(0, 0, 1, 1)], [2]),
    ],
)
def test_bad_areas_are_named(iri: list[str], geometry: list[BaseGeometry | None], level: list[int]) -> None:
    with pytest.raises(GeometryError, match=iri[0] if len(iri) == 1 else "differ in length"):
        AdminAreas(iri, np.array(geometry, dtype=object), level)
    with pytest.raises(GeometryError, match="differ in length"):
        AREAS.parents([shapely.Point(0, 0)], [1, 2])


boxes = st.tuples(st.integers(0, 8), st.integers(0, 8), st.integers(1, 6), st.integers(1, 6)).map(
    lambda b: shapely.box(b[0], b[1], b[0] + b[2], b[1] + b[3])
)
points = st.tuples(st.integers(0, 28), st.integers(0, 28)).map(lambda p: shapely.Point(p[0] / 2, p[1] / 2))
lines = st.lists(
    st.tuples(st.integers(0, 14), st.integers(0, 14)), min_size=2, max_size=4, unique=True
).map(shapely.LineString)  # fmt: skip


@given(
    st.lists(st.tuples(boxes, st.integers(0, 4)), min_size=1, max_size=8),
    st.lists(st.tuples(st.one_of(boxes, points, lines), st.integers(-1, 5)), min_size=1, max_size=8),
)
@settings(max_examples=80, deadline=None)
def test_rule_applied_pair_by_pair(
    areas: list[tuple[BaseGeometry, int]], entities: list[tuple[BaseGeometry, int]]
) -> None:
    names = [f"a{number}" for number in range(len(areas))]
    made = AdminAreas(names, [a for a, _ in areas], [level for _, level in areas])
    found = made.parent_column([e for e, _ in entities], [level for _, level in entities]).to_pylist()
    for (shape, own), parents in zip(entities, found, strict=True):
        best: dict[int, tuple[float, str]] = {}
        for name, (area, level) in zip(names, areas, strict=True):
            inside = area.contains(shape) if shape.geom_type == "Point" else area.covers(shape)
            if inside and (own == NO_LEVEL or level < own):
                best[level] = min(best.get(level, (np.inf, "")), (float(equal_area([area])[0]), name))
        assert [made.level[names.index(name)] for name in parents] == sorted(best, reverse=True)
        sizes = {name: equal_area([area])[0] for name, (area, _) in zip(names, areas, strict=True)}
        assert [sizes[name] for name in parents] == pytest.approx(
            [sizes[best[level][1]] for level in sorted(best, reverse=True)]
        )
