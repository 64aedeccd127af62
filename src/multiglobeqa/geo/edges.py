"""Geometries as flat arrays of edges: the form in which the kernels measure.

Edge rule of the project: **an edge between two stored vertices is the straight segment on the lon-lat
plane**, as GEOS and the WKT readers of triple stores take it (a border along the 49th parallel is the
parallel, not the great circle). Lengths, areas, centroids and distances all measure that curve on the
ellipsoid. Geometries are stored cut at longitude ±180; edges that lie on longitude ±180, or along latitude
±90, are *seam* edges: no boundary.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import shapely

from multiglobeqa.geo.check import SEAM_TOLERANCE_DEG, Bools, Floats, Geoms, Ints, simple_parts
from multiglobeqa.geo.ellipsoid import A_KM, E2

_GAUSS3: Final = np.polynomial.legendre.leggauss(3)
_GAUSS4: Final = np.polynomial.legendre.leggauss(4)
_GAUSS16: Final = np.polynomial.legendre.leggauss(16)


@dataclass(frozen=True)
class Edges:
    """Edges of a 1-D array of n geometries; a point is an edge of length zero.

    lon1, lat1, lon2, lat2: (m,) degrees. ring: (m,) row in the ring tables; edges of a ring are in order.
    ring_geom, ring_part, ring_dim, ring_hole: (r,) geometry index, part index (over all geometries),
    dimension (0, 1, 2) and whether the ring is a hole. Rings are sorted by ring_geom. part_geom: (p,).
    """

    lon1: Floats
    lat1: Floats
    lon2: Floats
    lat2: Floats
    ring: Ints
    ring_geom: Ints
    ring_part: Ints
    ring_dim: Ints
    ring_hole: Bools
    part_geom: Ints
    n: int

    @property
    def geom(self) -> Ints:
        """(m,) geometry index of each edge, ascending."""
        return self.ring_geom[self.ring]

    def take(self, keep: Bools | Ints) -> Edges:
        """The edges selected; the ring and part tables stay whole."""
        return replace(
            self,
            lon1=self.lon1[keep],
            lat1=self.lat1[keep],
            lon2=self.lon2[keep],
            lat2=self.lat2[keep],
            ring=self.ring[keep],
        )


def edges(geoms: Geoms) -> Edges:
    """Edges of a 1-D array of (checked) geometries."""
    parts, part_geom = simple_parts(geoms)
    dim = shapely.get_dimensions(parts).astype(np.int64)
    areal = dim == 2
    rings, owner = shapely.get_rings(parts[areal], return_index=True)
    ring_part = np.concatenate([np.flatnonzero(~areal), np.flatnonzero(areal)[owner]])
    first = np.ones(len(rings), dtype=bool)
    first[1:] = owner[1:] != owner[:-1]
    hole = np.concatenate([np.zeros(int((~areal).sum()), dtype=bool), ~first])
    all_rings = np.concatenate([parts[~areal], rings])
    order = np.argsort(ring_part, kind="stable")
    ring_part, hole, all_rings = ring_part[order], hole[order], all_rings[order]
    xy, ring = shapely.get_coordinates(all_rings, return_index=True)
    ring = ring.astype(np.int64)
    same = ring[1:] == ring[:-1]
    start = np.flatnonzero(same)
    single = np.flatnonzero(dim[ring_part[ring]] == 0)
    begin = np.concatenate([start, single])
    end = np.concatenate([start + 1, single])
    order = np.argsort(begin, kind="stable")
    begin, end = begin[order], end[order]
    return Edges(
        lon1=xy[begin, 0],
        lat1=xy[begin, 1],
        lon2=xy[end, 0],
        lat2=xy[end, 1],
        ring=ring[begin],
        ring_geom=part_geom[ring_part],
        ring_part=ring_part,
        ring_dim=dim[ring_part],
        ring_hole=hole,
        part_geom=part_geom,
        n=len(geoms),
    )


def on_seam(e: Edges) -> Bools:
    """(m,) True for ring edges of surfaces that lie on longitude ±180 or along latitude ±90."""
    tol = SEAM_TOLERANCE_DEG
    meridian = (np.abs(e.lon1 - e.lon2) <= tol) & (np.abs(np.abs(e.lon1) - 180) <= tol)
    pole = (np.abs(e.lat1 - e.lat2) <= tol) & (np.abs(np.abs(e.lat1) - 90) <= tol)
    out: Bools = (e.ring_dim[e.ring] == 2) & (meridian | pole)
    return out


def densify(e: Edges, max_km: float, sagitta_km: float) -> Edges:
    """Edges split (evenly in degrees) so that each piece is at most ``max_km`` long and its lon-lat segment
    stays within ``sagitta_km`` of the geodesic between its ends.

    Geodesic curvature of the lon-lat line is sin(az) tan(lat) (1 + cos²az) / R, so the sagitta of a piece of
    length L that spans dlon is at most L * dlon * sin(lat) / 4.
    """
    return densify_rows(e, max_km, sagitta_km)[0]


def densify_rows(e: Edges, max_km: float, sagitta_km: float) -> tuple[Edges, Ints]:
    """:func:`densify`, and for each piece the row of its edge."""
    dlam, dphi = np.radians(np.abs(e.lon2 - e.lon1)), np.radians(np.abs(e.lat2 - e.lat1))
    low = np.where(e.lat1 * e.lat2 < 0, 0.0, np.minimum(np.abs(e.lat1), np.abs(e.lat2)))
    high = np.maximum(np.abs(e.lat1), np.abs(e.lat2))
    length = 6400.0 * np.hypot(dphi, dlam * np.cos(np.radians(low)))
    bend = length * dlam * np.sin(np.radians(high)) / 4
    count = np.maximum(np.ceil(length / max_km), np.ceil(np.sqrt(bend / sagitta_km)))
    count = np.maximum(count, 1).astype(np.int64)
    if count.max(initial=1) == 1:
        return e, np.arange(len(count))
    row = np.repeat(np.arange(len(count)), count)
    step = np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count)
    t1, t2 = step / count[row], (step + 1) / count[row]
    last = step + 1 == count[row]
    lon1 = e.lon1[row] + t1 * (e.lon2 - e.lon1)[row]
    lat1 = e.lat1[row] + t1 * (e.lat2 - e.lat1)[row]
    lon2 = np.where(last, e.lon2[row], e.lon1[row] + t2 * (e.lon2 - e.lon1)[row])
    lat2 = np.where(last, e.lat2[row], e.lat1[row] + t2 * (e.lat2 - e.lat1)[row])
    return replace(e, lon1=lon1, lat1=lat1, lon2=lon2, lat2=lat2, ring=e.ring[row]), row


def edge_length_km(e: Edges) -> Floats:
    """(m,) length on the ellipsoid of each lon-lat segment, by Gauss-Legendre quadrature.

    Pieces span at most one degree for four nodes; relative error below 1e-10.
    """
    span = np.maximum(np.abs(e.lon2 - e.lon1), np.abs(e.lat2 - e.lat1))
    count = np.maximum(np.ceil(span), 1).astype(np.int64)
    row = np.repeat(np.arange(len(count)), count)
    step = np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count)
    t0 = step / count[row]
    dphi, dlam = np.radians(e.lat2 - e.lat1), np.radians(e.lon2 - e.lon1)
    dphi, dlam, phi1 = (dphi / count)[row], (dlam / count)[row], np.radians(e.lat1)[row] + t0 * dphi[row]
    total = np.zeros(len(row))
    for node, weight in zip(*_GAUSS4, strict=True):
        phi = phi1 + (node + 1) / 2 * dphi
        w2 = 1 - E2 * np.sin(phi) ** 2
        meridian = (1 - E2) / (w2 * np.sqrt(w2)) * dphi
        parallel = np.cos(phi) / np.sqrt(w2) * dlam
        total += weight / 2 * np.hypot(meridian, parallel)
    return A_KM * totals(row, total, len(count))


def edge_area_km2(e: Edges) -> Floats:
    """(m,) signed area between each lon-lat segment and the equator: dlon times the mean of a²q/2 over the
    latitudes it runs through (exact quadrature of the zone area, Snyder 1987, eq. 3-12)."""
    from multiglobeqa.geo.ellipsoid import authalic_q

    phi1, dphi = np.radians(e.lat1), np.radians(e.lat2 - e.lat1)
    out = np.zeros(len(phi1))
    steep = np.abs(dphi) > np.radians(2)
    for mask, rule in ((~steep, _GAUSS3), (steep, _GAUSS16)):
        if mask.any():
            p, d = phi1[mask], dphi[mask]
            mean = np.zeros(len(p))
            for node, weight in zip(*rule, strict=True):
                mean += weight / 2 * authalic_q(np.sin(p + (node + 1) / 2 * d))
            out[mask] = mean
    return np.asarray(A_KM**2 / 2 * out * np.radians(e.lon2 - e.lon1), dtype=np.float64)


def totals(index: Ints, weights: Floats, n: int) -> Floats:
    """(n,) sums of weights by index."""
    return np.asarray(np.bincount(index, weights=weights, minlength=n), dtype=np.float64)


def boundary_lines(surfaces: Geoms) -> Geoms:
    """Boundary of each surface (rings and holes) as lines, without seam edges.

    An entry is an empty line where the whole boundary is seam.
    """
    out: Geoms = np.empty(len(surfaces), dtype=object)
    limits = np.array([180, 90, 180, 90]) - SEAM_TOLERANCE_DEG
    reach = (np.abs(shapely.bounds(surfaces).reshape(-1, 4)) >= limits).any(axis=1)
    at = np.flatnonzero(reach)  # no other surface can have a seam edge
    out[~reach] = shapely.boundary(surfaces[~reach])
    e = edges(surfaces[at])
    keep = ~on_seam(e)
    geom = e.geom
    broken = np.zeros(e.n, dtype=bool)
    broken[geom[~keep]] = True
    out[at[~broken]] = shapely.boundary(surfaces[at[~broken]])
    for i in np.flatnonzero(broken):
        begin, end = np.searchsorted(geom, [i, i + 1])
        rows = begin + np.flatnonzero(keep[begin:end])
        if len(rows) == 0:
            out[at[i]] = shapely.LineString()
            continue
        cut = np.flatnonzero((np.diff(rows) > 1) | (np.diff(e.ring[rows]) != 0)) + 1
        chains = [
            np.column_stack([np.append(e.lon1[r], e.lon2[r[-1]]), np.append(e.lat1[r], e.lat2[r[-1]])])
            for r in np.split(rows, cut)
        ]
        out[at[i]] = shapely.multilinestrings([shapely.LineString(c) for c in chains])
    return out
