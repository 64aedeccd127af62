"""The named relations read from a DE-9IM are those of GEOS, over every pair of shapes that meet in every way."""

from __future__ import annotations

import numpy as np
import shapely

from multiglobeqa.engine.relations import predicates

SHAPES = [
    shapely.from_wkt(text)
    for text in (
        "POLYGON ((0 0, 4 0, 4 4, 0 4, 0 0))",
        "POLYGON ((4 0, 4 4, 0 4, 0 0, 4 0))",
        "POLYGON ((4 0, 8 0, 8 4, 4 4, 4 0))",
        "POLYGON ((2 2, 6 2, 6 6, 2 6, 2 2))",
        "POLYGON ((1 1, 2 1, 2 2, 1 2, 1 1))",
        "POLYGON ((0 0, 2 0, 2 2, 0 2, 0 0))",
        "POLYGON ((0 0, 4 0, 4 4, 0 4, 0 0), (1 1, 1 2, 2 2, 2 1, 1 1))",
        "POLYGON ((4 4, 5 4, 5 5, 4 5, 4 4))",
        "MULTIPOLYGON (((0 0, 1 0, 1 1, 0 1, 0 0)), ((3 3, 5 3, 5 5, 3 5, 3 3)))",
        "LINESTRING (0 0, 4 0)",
        "LINESTRING (0 0, 4 4)",
        "LINESTRING (4 0, 0 4)",
        "LINESTRING (-1 2, 5 2)",
        "LINESTRING (2 0, 6 0)",
        "LINESTRING (1 0, 2 0)",
        "LINESTRING (4 4, 6 6)",
        "LINESTRING (0 0, 4 0, 4 4, 0 4, 0 0)",
        "MULTILINESTRING ((0 0, 1 1), (3 3, 5 5))",
        "POINT (0 0)",
        "POINT (2 2)",
        "POINT (4 2)",
        "MULTIPOINT (0 0, 2 2)",
        "MULTIPOINT (2 2, 9 9)",
    )
]
NAMES = {
    "touches": shapely.touches,
    "overlapping": shapely.overlaps,
    "crossing": shapely.crosses,
    "covers": shapely.covers,
    "covered_by": shapely.covered_by,
    "equals": shapely.equals,
}


def test_relations_are_those_of_geos() -> None:
    shapes = np.array(SHAPES, dtype=object)
    a, b = np.repeat(shapes, len(shapes)), np.tile(shapes, len(shapes))
    meeting = shapely.intersects(a, b)
    a, b = a[meeting], b[meeting]
    found = predicates(
        np.asarray(shapely.relate(a, b), dtype=object), shapely.get_dimensions(a), shapely.get_dimensions(b)
    )
    for name, function in NAMES.items():
        expected = function(a, b)
        assert expected.any(), name
        assert not expected.all(), name
        np.testing.assert_array_equal(found[name], expected, err_msg=name)


def test_no_pairs_give_no_rows() -> None:
    none = np.empty(0, dtype=np.int64)
    found = predicates(np.empty(0, dtype=object), none, none)
    assert {name: values.shape for name, values in found.items()} == dict.fromkeys(NAMES, (0,))
