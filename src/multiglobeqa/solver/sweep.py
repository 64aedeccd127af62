"""The area swept by a storm's 34 kt winds, from its fixes (TAXONOMY I).

Between two fixes the position moves along the geodesic and the radius changes linearly in time. The area
is the union of geodesic discs at equal steps of 10 km or less between consecutive fixes. An interval counts
where both radii are known; a fix whose radius is known counts by its own disc; a radius of 0 sweeps nothing.

Areas are taken on a cylindrical equal-area plane (that of EPSG:6933 up to the scale of its axes), with
longitudes counted from the first fix.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry.base import BaseGeometry

from multiglobeqa.solver import edges, geodesy
from multiglobeqa.solver.errors import SolverError
from multiglobeqa.solver.facts import Fix
from multiglobeqa.solver.separation import Extent, separation

Floats = NDArray[np.float64]
STEP_KM = 10.0
VERTICES = 360
CONTACT_KM = 1e-3
LEAST_STEP_S = 5.0


@dataclass(frozen=True)
class Interval:
    """The move between two consecutive fixes with known radii."""

    start: Fix
    end: Fix

    @property
    def seconds(self) -> float:
        """Duration."""
        return (self.end.time - self.start.time).total_seconds()

    def at(self, share: Floats) -> tuple[Floats, Floats, Floats]:
        """Longitude, latitude, radius (km) at shares 0..1 of the interval."""
        a, b = self.start, self.end
        assert a.radius_km is not None and b.radius_km is not None
        azimuth, _, metres = geodesy.GEOD.inv(a.lon, a.lat, b.lon, b.lat)
        n = len(share)
        lon, lat, _ = geodesy.GEOD.fwd(
            np.full(n, a.lon), np.full(n, a.lat), np.full(n, azimuth), metres * share
        )
        return np.asarray(lon), np.asarray(lat), a.radius_km + (b.radius_km - a.radius_km) * share


def intervals(fixes: list[Fix]) -> Iterator[Interval]:
    """Consecutive fixes of which both radii are known and one at least is above 0."""
    for a, b in pairwise(fixes):
        if a.radius_km is not None and b.radius_km is not None and max(a.radius_km, b.radius_km) > 0:
            yield Interval(a, b)


def discs(fixes: list[Fix], step_km: float = STEP_KM) -> Floats:
    """Longitude, latitude, radius (km) of all discs of the swept area, shape (n, 3)."""
    known = [(f.lon, f.lat, f.radius_km) for f in fixes if f.radius_km]
    rows = [np.array(known, dtype=np.float64).reshape(-1, 3)]
    for move in intervals(fixes):
        km = geodesy.distance(move.start.lon, move.start.lat, move.end.lon, move.end.lat)
        steps = max(1, int(np.ceil(km / step_km)))
        rows.append(np.column_stack(move.at(np.linspace(0, 1, steps + 1)[1:-1])))
    found = np.vstack(rows)
    found = found[found[:, 2] > 0]
    if not len(found):
        raise SolverError("No fix states winds of 34 kt.", place="fixes")
    return found


class Swept:
    """The swept area of a storm on its equal-area plane.

    Areas are km². Raises SolverError where no fix has a radius above 0 or a disc reaches a pole.
    """

    def __init__(self, fixes: list[Fix], step_km: float = STEP_KM) -> None:
        self.lon0 = fixes[0].lon
        circles = discs(fixes, step_km)
        n = len(circles)
        turn = np.tile(np.linspace(0, 360, VERTICES, endpoint=False), n)
        lon, lat, radius = (np.repeat(column, VERTICES) for column in circles.T)
        centre = np.repeat(circles[:, 0], VERTICES)
        lon, lat, _ = geodesy.GEOD.fwd(lon, lat, turn, radius * 1000.0)
        if (90 - np.abs(circles[:, 1])).min() * 111.0 < circles[:, 2].max():
            raise SolverError("A disc of winds reaches a pole.", place="fixes")
        base = (circles[:, 0] - self.lon0 + 180.0) % 360.0 - 180.0  # a disc lies near its centre
        local = (np.asarray(lon) - centre + 180.0) % 360.0 - 180.0
        xy = self._flat(np.repeat(base, VERTICES) + local, np.asarray(lat))
        self.shape: BaseGeometry = shapely.union_all(shapely.polygons(xy.reshape(n, VERTICES, 2)))

    @staticmethod
    def _flat(dlon: Floats, lat: Floats) -> Floats:
        r = geodesy.R_AUTHALIC
        return np.column_stack([r * np.radians(dlon), r * geodesy.authalic(lat)])

    @property
    def area(self) -> float:
        """Area in km²."""
        return float(self.shape.area)

    def area_inside(self, surface: BaseGeometry) -> float:
        """Area in km² of the part inside a surface given in degrees."""
        total = 0.0
        for turn in (-360.0, 0.0, 360.0):
            flat = self._surface(surface, turn)
            if shapely.box(*flat.bounds).intersects(shapely.box(*self.shape.bounds)):
                total += float(shapely.intersection(self.shape, flat).area)
        return total

    def _surface(self, surface: BaseGeometry, turn: float) -> BaseGeometry:
        polygons = []
        for polygon in shapely.get_parts(surface):
            rings = []
            for ring in shapely.get_rings(polygon):
                parts, _ = edges.densify(edges.of(ring), 5.0)
                closed = np.vstack([parts[:, :2], parts[:1, :2]])
                rings.append(self._flat(closed[:, 0] - self.lon0 + turn, closed[:, 1]))
            holes = [shapely.linearrings(ring) for ring in rings[1:]]  # of as many vertices as each has
            polygons.append(shapely.polygons(shapely.linearrings(rings[0]), holes or None))
        return shapely.union_all(polygons) if len(polygons) > 1 else polygons[0]


def track_distance(fixes: list[Fix], surface: Extent) -> float:
    """A lower bound, at most STEP_KM below it, of the distance in km from the track to a surface.

    The track runs along the geodesics between all consecutive fixes, their radius known or not.
    """
    bare = [replace(fix, radius_km=1.0) for fix in fixes]
    rows = [np.array([[fix.lon, fix.lat] for fix in fixes])]
    for move in intervals(bare):
        km = geodesy.distance(move.start.lon, move.start.lat, move.end.lon, move.end.lat)
        lon, lat, _ = move.at(np.linspace(0, 1, max(1, int(np.ceil(km / STEP_KM))) + 1))
        rows.append(np.column_stack([lon, lat]))
    at = Extent(shapely.MultiPoint(np.vstack(rows)))
    return max(0.0, separation(at, surface) - STEP_KM / 2)


def swept_distance(fixes: list[Fix], surface: Extent, enough: float = np.inf) -> float:
    """A lower bound, at most STEP_KM below it, of the distance in km from the swept area to a surface.

    Where the centres alone show that it is ``enough`` or more, the bound may be lower than that says.
    """
    circles = discs(fixes)
    centres = Extent(shapely.MultiPoint(circles[:, :2]))
    least = separation(centres, surface) - float(circles[:, 2].max()) - STEP_KM
    if least < enough:
        gaps = [separation(Extent(shapely.Point(lon, lat)), surface) - radius for lon, lat, radius in circles]
        least = min(gaps) - STEP_KM
    return max(0.0, least)


def first_contact(fixes: list[Fix], surface: Extent) -> datetime | None:
    """The UTC time at which the winds first reach a surface, None where they never do.

    The gap between the winds' edge and the surface changes no faster than the storm moves and grows, so each
    step skips the time that the gap needs to close at least.
    """
    times = list(_fix_contacts(fixes, surface))
    for move in intervals(fixes):
        if times and min(times) <= move.start.time:
            break
        share = _contact_share(move, surface)
        if share is not None:
            times.append(move.start.time + (move.end.time - move.start.time) * share)
            break
    return min(times, default=None)


def _fix_contacts(fixes: list[Fix], surface: Extent) -> Iterator[datetime]:
    bound = {move.start.time for move in intervals(fixes)} | {move.end.time for move in intervals(fixes)}
    for fix in fixes:
        if fix.radius_km and fix.time not in bound:
            at = Extent(shapely.Point(fix.lon, fix.lat))
            if separation(at, surface) <= fix.radius_km:
                yield fix.time
                return


def _contact_share(move: Interval, surface: Extent) -> float | None:
    km = geodesy.distance(move.start.lon, move.start.lat, move.end.lon, move.end.lat)
    assert move.start.radius_km is not None and move.end.radius_km is not None
    rate = km + abs(move.end.radius_km - move.start.radius_km)  # km for the whole interval
    share = 0.0
    while True:
        lon, lat, radius = (float(v[0]) for v in move.at(np.array([share])))
        gap = separation(Extent(shapely.Point(lon, lat)), surface) - radius
        if gap <= CONTACT_KM and radius > 0:
            return share
        if share >= 1.0:
            return None
        skip = max(gap, CONTACT_KM) / rate if rate > 0 else 1.0
        share = min(1.0, share + max(skip, LEAST_STEP_S / move.seconds))
