"""The order of places along a waterway, which is drawn downstream.

A place's foot is its nearest point on the line, found on the azimuthal equidistant plane centred at the place,
where distances from it are true. Feet are told apart by stretch and by the number of the edge they lie on, so no
length along the line has to be trusted for their order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray
from pyproj import Proj
from shapely.geometry.base import BaseGeometry

from multiglobeqa.solver import edges, geodesy

Floats = NDArray[np.float64]
PART_KM = 0.5


@dataclass(frozen=True)
class Foot:
    """The nearest point on a line: distance in km, number of the stretch, of the edge in it, and share of the edge."""

    km: float
    stretch: int
    edge: int
    share: float


def foot(line: BaseGeometry, lon: float, lat: float) -> Foot:
    """The foot of a point on a (multi)linestring."""
    plane = Proj(proj="aeqd", lon_0=lon, lat_0=lat, ellps="WGS84", units="km")
    found = []
    for number, stretch in enumerate(shapely.get_parts(line)):
        pieces, owner = edges.densify(edges.of(stretch), PART_KM)
        start = np.column_stack(plane(pieces[:, 0], pieces[:, 1]))
        step = np.column_stack(plane(pieces[:, 2], pieces[:, 3])) - start
        length2 = np.maximum((step**2).sum(axis=1), 1e-18)
        share = np.clip(-(start * step).sum(axis=1) / length2, 0.0, 1.0)
        off = np.hypot(*(start + share[:, None] * step).T)
        at = int(np.argmin(off))
        first = int(np.searchsorted(owner, owner[at]))
        parts = int((owner == owner[at]).sum())
        found.append(Foot(float(off[at]), number, int(owner[at]), float((at - first + share[at]) / parts)))
    return min(found, key=lambda one: one.km)


def way_km(line: BaseGeometry, a: Foot, b: Foot) -> float:
    """Way along the stretch of both feet from b to a, negative where a comes first."""
    lengths = geodesy.edge_lengths(edges.of(shapely.get_parts(line)[a.stretch]))
    before = np.append(0.0, np.cumsum(lengths))
    return float(before[a.edge] + a.share * lengths[a.edge] - before[b.edge] - b.share * lengths[b.edge])


def contradicts_itself(line: BaseGeometry) -> bool:
    """Whether two stretches run at or from one another where nothing runs on, or one is a ring."""
    ends: dict[tuple[float, float], list[int]] = {}
    for stretch in shapely.get_parts(line):
        xy = shapely.get_coordinates(stretch)
        if (xy[0] == xy[-1]).all():
            return True
        for row, begins in ((0, 1), (-1, 0)):
            ends.setdefault((float(xy[row, 0]), float(xy[row, 1])), []).append(begins)
    return any(len(kinds) > 1 and len(set(kinds)) == 1 for kinds in ends.values())
