"""One catalogue of awkward geometries: data only, for tests and the conformance suite.

Geometries are shapely objects in degrees, stored as the project stores them (cut at ±180) unless the name
says ``jumping`` or ``beyond``: those are raw input that :func:`multiglobeqa.geo.topology.split_antimeridian`
must cut. ``VALID`` can be measured, ``RAW`` must be cut first, ``INVALID`` must be repaired first (or
refused).
"""

from __future__ import annotations

from typing import Any, Final

import shapely

_WKT: Final[dict[str, str]] = {
    # points
    "point": "POINT (12 55)",
    "point at 180": "POINT (180 -16.5)",
    "point at -180": "POINT (-180 -16.5)",
    "point at the north pole": "POINT (0 90)",
    "point at the south pole": "POINT (135 -90)",
    "point at zero": "POINT (0 0)",
    "points": "MULTIPOINT ((179.5 -17), (-179.5 -17))",
    "points, duplicates": "MULTIPOINT ((1 1), (1 1), (1 1))",
    # lines
    "line": "LINESTRING (10 50, 11 51, 12 50)",
    "line across the antimeridian": "MULTILINESTRING ((179 10, 180 10.5), (-180 10.5, -179 11))",
    "line along a parallel at 60": "LINESTRING (0 60, 40 60)",
    "line to the north pole": "LINESTRING (30 80, 30 90)",
    "line over the north pole": "LINESTRING (30 85, 30 90, -150 90, -150 85)",
    "line, duplicate vertices": "LINESTRING (0 0, 0 0, 1 0, 1 0, 2 0)",
    "line that crosses itself": "LINESTRING (0 0, 2 2, 2 0, 0 2)",
    "line, short": "LINESTRING (5 5, 5.000001 5)",
    "line in two parts": "MULTILINESTRING ((0 0, 1 0), (5 0, 6 1))",
    # surfaces
    "box": "POLYGON ((0 0, 1 0, 1 1, 0 1, 0 0))",
    "box, clockwise": "POLYGON ((0 0, 0 1, 1 1, 1 0, 0 0))",
    "box, duplicate vertices": "POLYGON ((0 0, 0 0, 1 0, 1 0, 1 1, 0 1, 0 0))",
    "box, small at 60 north": "POLYGON ((20 60, 20.02 60, 20.02 60.01, 20 60.01, 20 60))",
    "box, wide at high latitude": "POLYGON ((0 60, 30 60, 30 75, 0 75, 0 60))",
    "box that ends at 180": "POLYGON ((179 0, 180 0, 180 1, 179 1, 179 0))",
    "box over 180": (
        "MULTIPOLYGON (((179 0, 180 0, 180 1, 179 1, 179 0)), ((-180 0, -179 0, -179 1, -180 1, -180 0)))"
    ),
    "hole": "POLYGON ((0 0, 4 0, 4 4, 0 4, 0 0), (1 1, 1 3, 3 3, 3 1, 1 1))",
    "hole, same direction as the shell": "POLYGON ((0 0, 4 0, 4 4, 0 4, 0 0), (1 1, 3 1, 3 3, 1 3, 1 1))",
    "hole that touches the shell": "POLYGON ((0 0, 4 0, 4 4, 0 4, 0 0), (0 2, 1 1, 1 3, 0 2))",
    "enclave": "POLYGON ((1 1, 3 1, 3 3, 1 3, 1 1))",
    "island in a hole": (
        "MULTIPOLYGON (((0 0, 4 0, 4 4, 0 4, 0 0), (1 1, 1 3, 3 3, 3 1, 1 1)),"
        " ((1.5 1.5, 2.5 1.5, 2.5 2.5, 1.5 2.5, 1.5 1.5)))"
    ),
    "hole across the antimeridian": (
        "MULTIPOLYGON (((176 -4, 180 -4, 180 -1, 178 -1, 178 1, 180 1, 180 4, 176 4, 176 -4)),"
        " ((-180 -4, -176 -4, -176 4, -180 4, -180 1, -178 1, -178 -1, -180 -1, -180 -4)))"
    ),
    "sliver": "POLYGON ((0 0, 10 0.000001, 10 0, 0 0))",
    "parts": "MULTIPOLYGON (((0 0, 1 0, 1 1, 0 1, 0 0)), ((3 0, 4 0, 4 1, 3 1, 3 0)))",
    "parts that touch in a point": "MULTIPOLYGON (((0 0, 1 0, 1 1, 0 1, 0 0)), ((1 1, 2 1, 2 2, 1 2, 1 1)))",
    "parts far apart": (
        "MULTIPOLYGON (((-80 10, -79 10, -79 11, -80 11, -80 10)), ((75 10, 76 10, 76 11, 75 11, 75 10)))"
    ),
    "neighbour": "POLYGON ((1 0, 2 0, 2 1, 1 1, 1 0))",
    "neighbour in a point": "POLYGON ((1 1, 2 1, 2 2, 1 2, 1 1))",
    "overlap": "POLYGON ((0.5 0.5, 1.5 0.5, 1.5 1.5, 0.5 1.5, 0.5 0.5))",
    "cap on the north pole": "POLYGON ((-180 80, -90 80, 0 80, 90 80, 180 80, 180 90, -180 90, -180 80))",
    "cap on the south pole": "POLYGON ((-180 -90, 180 -90, 180 -75, 60 -70, -60 -72, -180 -75, -180 -90))",
    "wedge at the pole": "POLYGON ((10 85, 50 85, 50 90, 10 90, 10 85))",
    "three parts round 180": (
        "MULTIPOLYGON (((176.9 -18.3, 178.7 -18.3, 178.7 -17.3, 176.9 -17.3, 176.9 -18.3)),"
        " ((179.5 -17, 180 -17, 180 -16.1, 179.5 -16.1, 179.5 -17)),"
        " ((-180 -17, -179.7 -17, -179.7 -16.1, -180 -16.1, -180 -17)))"
    ),
    "tiny": "POLYGON ((7 46, 7.000001 46, 7.000001 46.000001, 7 46.000001, 7 46))",
    # one surface in touch with a pole by a single vertex
    "triangle to the north pole": "POLYGON ((0 80, 30 80, 15 90, 0 80))",
}

VALID: Final[dict[str, Any]] = {name: shapely.from_wkt(text) for name, text in _WKT.items()}
"""Name -> geometry that every kernel must take."""

RAW: Final[dict[str, Any]] = {
    name: shapely.from_wkt(text)
    for name, text in {
        "jumping box": "POLYGON ((179 0, 179 1, -179 1, -179 0, 179 0))",
        "box beyond 180": "POLYGON ((179 0, 181 0, 181 1, 179 1, 179 0))",
        "box beyond -180": "POLYGON ((-181 0, -179 0, -179 1, -181 1, -181 0))",
        "jumping line": "LINESTRING (179 10, -179 11)",
        "line beyond 180": "LINESTRING (179 10, 181 11)",
        "line twice across": "LINESTRING (179 0, -179 1, 179 2)",
        "jumping hole": (
            "POLYGON ((176 -4, -176 -4, -176 4, 176 4, 176 -4), (178 -1, 178 1, -178 1, -178 -1, 178 -1))"
        ),
        "jumping ring round the north pole": "POLYGON ((0 80, 90 80, 179 80, -90 80, 0 80))",
        "jumping ring round the south pole": "POLYGON ((0 -80, -100 -80, 100 -80, 0 -80))",
        "point beyond 180": "POINT (190 10)",
    }.items()
}
"""Name -> geometry that is right on the globe but not stored as the project stores it."""

INVALID: Final[dict[str, Any]] = {
    name: shapely.from_wkt(text)
    for name, text in {
        "bow-tie": "POLYGON ((0 0, 1 1, 1 0, 0 1, 0 0))",
        "spike": "POLYGON ((0 0, 2 0, 2 1, 1 1, 1 2, 1 1, 0 1, 0 0))",
        "overlapping parts": "MULTIPOLYGON (((0 0, 2 0, 2 2, 0 2, 0 0)), ((1 1, 3 1, 3 3, 1 3, 1 1)))",
        "hole outside": "POLYGON ((0 0, 1 0, 1 1, 0 1, 0 0), (2 2, 3 2, 3 3, 2 3, 2 2))",
        "flat ring": "POLYGON ((0 0, 1 1, 2 2, 0 0))",
    }.items()
}
"""Name -> surface that is not valid on the lon-lat plane."""

COORDINATES_BAD: Final[list[tuple[float, float]]] = [
    (float("nan"), 0.0),
    (0.0, float("nan")),
    (float("inf"), 0.0),
    (0.0, 91.0),
    (0.0, -90.0001),
    (180.0001, 0.0),
    (-200.0, 0.0),
    (4.9, 173.7),
]
"""(lon, lat) that every kernel must refuse; the last has its axes swapped."""

COORDINATES_EDGE: Final[list[tuple[float, float]]] = [
    (180.0, 0.0),
    (-180.0, 0.0),
    (180.0, 66.5),
    (0.0, 90.0),
    (77.0, 90.0),
    (0.0, -90.0),
    (0.0, 0.0),
    (-0.0, -0.0),
    (179.9999999, 89.9999999),
    (-179.9999999, -89.9999999),
]
"""(lon, lat) that every kernel must take."""

H3_PENTAGON: Final = "85080003fffffff"
"""A pentagon at resolution 5: 10 vertices in its boundary."""
