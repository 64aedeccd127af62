"""Shapes on the local plane: Lambert azimuthal equal-area on WGS84, km, centred at the centroid."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import affinity
from shapely.geometry.base import BaseGeometry

from multiglobeqa.solver import edges, geodesy
from multiglobeqa.solver.centre import centroid, lambert, ring_centroid
from multiglobeqa.solver.errors import SolverError

Floats = NDArray[np.float64]
SAME_KM = 1e-6
TIE = 1e-9


@dataclass(frozen=True)
class Plane:
    """A local plane. ``lon``, ``lat``: its centre in degrees."""

    lon: float
    lat: float

    def forward(self, xy: Floats) -> Floats:
        """Degrees (n, 2) to km (n, 2)."""
        return np.column_stack(lambert(self.lon, self.lat)(xy[:, 0], xy[:, 1]))

    def back(self, xy: Floats) -> Floats:
        """Kilometres (n, 2) to degrees (n, 2)."""
        return np.column_stack(lambert(self.lon, self.lat)(xy[:, 0], xy[:, 1], inverse=True))


def plane_of(geometry: BaseGeometry) -> Plane:
    """The plane centred at the geometry's equal-area centroid."""
    return Plane(*centroid(geometry))


def unseamed(surface: BaseGeometry) -> BaseGeometry:
    """The surface with its parts joined across longitude 180, longitudes then reach beyond 180.

    A surface that also crosses longitude 0 keeps its cut at 180.
    """
    xmin, _, xmax, _ = surface.bounds
    if xmin > -180 + edges.SEAM_DEG or xmax < 180 - edges.SEAM_DEG:
        return surface
    parts = shapely.get_parts(surface)
    bounds = shapely.bounds(parts)
    if ((bounds[:, 0] < 0) & (bounds[:, 2] > 0)).any():
        return surface
    shifted = [
        affinity.translate(p, xoff=360.0) if b[2] <= 0 else p for p, b in zip(parts, bounds, strict=True)
    ]
    return shapely.union_all(shifted)


def project(surface: BaseGeometry, plane: Plane) -> BaseGeometry:
    """The surface on the plane, seam edges dissolved, rings from their stored first vertex on."""
    polygons = []
    for polygon in shapely.get_parts(unseamed(surface)):
        rings = [_flat_ring(ring, plane) for ring in shapely.get_rings(polygon)]
        if len(rings[0]) >= 3:
            holes = [shapely.linearrings(ring) for ring in rings[1:] if len(ring) >= 3]
            polygons.append(shapely.polygons(shapely.linearrings(rings[0]), holes or None))
    if not polygons:
        raise SolverError("A surface without extent has no shape.", place="plane")
    valid = shapely.is_valid(polygons)
    if not valid.all():
        polygons = [p if ok else shapely.buffer(p, 0) for p, ok in zip(polygons, valid, strict=True)]
        return shapely.union_all(polygons)
    return polygons[0] if len(polygons) == 1 else shapely.multipolygons(polygons)


def _flat_ring(ring: BaseGeometry, plane: Plane) -> Floats:
    """A ring's stored vertices on the plane, without the closing one and repeats at one place.

    A ring closed along a pole is opened there.
    """
    pieces = edges.of(ring)
    lat = pieces[:, 1::2]
    if (np.abs(lat).min(axis=1) >= 90 - edges.SEAM_DEG).any():
        pieces = pieces[~edges.on_seam(pieces)]
    flat = plane.forward(pieces[:, :2])
    keep = np.ones(len(flat), dtype=bool)
    keep[1:] = np.hypot(*np.diff(flat, axis=0).T) > SAME_KM
    flat = flat[keep]
    while len(flat) > 1 and np.hypot(*(flat[-1] - flat[0])) <= SAME_KM:
        flat = flat[:-1]
    return flat


def simplify(surface: BaseGeometry, plane: Plane, tolerance_km: float) -> BaseGeometry:
    """Douglas-Peucker on the plane, topology of rings preserved; the result is on the plane."""
    return shapely.simplify(project(surface, plane), tolerance_km, preserve_topology=True)


def plane_centroid(flat: BaseGeometry, plane: Plane) -> tuple[float, float]:
    """Equal-area centroid (degrees) of a surface given on a plane, its edges straight on that plane."""
    pieces, ring, hole = edges.rings(shapely.segmentize(flat, geodesy.MAX_PART_KM))
    degrees = np.hstack([plane.back(pieces[:, :2]), plane.back(pieces[:, 2:])])
    return ring_centroid(degrees, ring, hole, short_way=True)


def outline(geometry: BaseGeometry, plane: Plane) -> Floats:
    """Points (n, 2) on the plane along all edges, 5 km apart or less."""
    parts, _ = geodesy.pieces_of(edges.of(geometry))
    return plane.forward(np.vstack([parts[:, :2], parts[-1:, 2:]]))


def elongation(geometry: BaseGeometry) -> float:
    """1 - width/length of the minimum-area rotated rectangle on the local plane; 0 = square, 1 = a line.

    The least rectangle has a side along a side of the convex hull (Freeman and Shapira 1975): all are tried.
    Of rectangles of one area, as around every triangle, the narrowest counts.
    """
    hull = shapely.convex_hull(shapely.multipoints(outline(geometry, plane_of(geometry))))
    if hull.geom_type != "Polygon":
        raise SolverError("A geometry without extent has no elongation.", place="elongation")
    xy = shapely.get_coordinates(hull)
    side = np.diff(xy, axis=0)
    along = side / np.hypot(side[:, 0], side[:, 1])[:, None]
    sizes, ratios = [], []
    for chunk in np.array_split(along, max(1, len(along) // 512)):
        across = np.stack([-chunk[:, 1], chunk[:, 0]], axis=1)
        a, b = np.ptp(xy @ chunk.T, axis=0), np.ptp(xy @ across.T, axis=0)
        sizes.append(a * b)
        ratios.append(np.minimum(a, b) / np.maximum(a, b))
    size, ratio = np.concatenate(sizes), np.concatenate(ratios)
    return float(1.0 - ratio[size <= size.min() * (1 + TIE)].min())
