"""Planar relations in longitude, latitude on the stored coordinates; seam edges are no boundary."""

from __future__ import annotations

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from multiglobeqa.solver import edges, geodesy
from multiglobeqa.solver.plane import unseamed

FILLS = 0.01


def interiors_meet(a: BaseGeometry, b: BaseGeometry) -> bool:
    """Whether the interiors of two surfaces share a point (DE-9IM T********)."""
    return bool(shapely.relate_pattern(a, b, "T********"))


def shared_boundary(a: BaseGeometry, b: BaseGeometry) -> BaseGeometry:
    """Intersection of the two boundaries without seam edges."""
    return shapely.intersection(edges.boundary(a), edges.boundary(b))


def overlap(a: BaseGeometry, b: BaseGeometry) -> bool:
    """Interiors meet and neither surface covers the other."""
    return interiors_meet(a, b) and not shapely.covers(a, b) and not shapely.covers(b, a)


def only_touch(a: BaseGeometry, b: BaseGeometry) -> bool:
    """The boundaries meet, the interiors do not."""
    return not interiors_meet(a, b) and not shapely.is_empty(shared_boundary(a, b))


def adjacent(a: BaseGeometry, b: BaseGeometry) -> bool:
    """The interiors do not meet and the boundaries share a line."""
    return not interiors_meet(a, b) and bool(shapely.length(shared_boundary(a, b)) > 0)


def inside(a: BaseGeometry, b: BaseGeometry) -> bool:
    """B lies in the interior of A: A covers B and their boundaries do not meet."""
    return bool(shapely.covers(a, b)) and bool(shapely.is_empty(shared_boundary(a, b)))


def fills_hole(a: BaseGeometry, b: BaseGeometry) -> bool:
    """B and a hole of A are one region, but for 1 % of the area of B."""
    a, b = unseamed(a), unseamed(b)
    whole = geodesy.area(b)
    for polygon in shapely.get_parts(a):
        for ring in polygon.interiors:
            hole = shapely.polygons(ring)
            if not shapely.intersects(hole, b):
                continue
            if geodesy.area(surfaces(shapely.symmetric_difference(hole, b))) <= FILLS * whole:
                return True
    return False


def share_outside(a: BaseGeometry, b: BaseGeometry) -> float:
    """The share of the area of B that lies outside A, 0 to 1."""
    return geodesy.area(surfaces(shapely.difference(b, a))) / geodesy.area(b)


def surfaces(geometry: BaseGeometry) -> BaseGeometry:
    """The polygons of a geometry, as one MultiPolygon, possibly empty."""
    parts = shapely.get_parts(geometry)
    return shapely.multipolygons(parts[shapely.get_type_id(parts) == 3])


def run_inside(line: BaseGeometry, surface: BaseGeometry) -> float:
    """Length in km of the part of a line inside a surface, its boundary included."""
    parts = shapely.get_parts(shapely.intersection(line, surface))
    lines = parts[shapely.get_dimensions(parts) == 1]
    return geodesy.length(shapely.multilinestrings(lines)) if len(lines) else 0.0


def crossings(a: BaseGeometry, b: BaseGeometry, apart_km: float) -> int | None:
    """Number of places in which two lines meet; None where they share a segment.

    Points nearer to each other than ``apart_km`` (geodesic), directly or over others, are one place.
    """
    parts = shapely.get_parts(shapely.intersection(a, b))
    parts = parts[~shapely.is_empty(parts)]
    if (shapely.get_dimensions(parts) > 0).any():
        return None
    xy = shapely.get_coordinates(parts)
    places = list(range(len(xy)))
    for i in range(len(xy) - 1):
        _, apart = geodesy.inverse(xy[i, 0], xy[i, 1], xy[i + 1 :, 0], xy[i + 1 :, 1])
        for j in np.flatnonzero(apart < apart_km) + i + 1:
            old, new = places[j], places[i]
            places = [new if place == old else place for place in places]
    return len(set(places))
