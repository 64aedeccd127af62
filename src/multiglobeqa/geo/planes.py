"""Local planes: geometries to km east and north of a centre, and back; simplification on the plane.

``laea`` (Lambert azimuthal equal-area: areas true) and ``aeqd`` (azimuthal equidistant: distances from the
centre true), both on WGS84, across the antimeridian and at the poles.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import shapely
from numpy.typing import ArrayLike

from multiglobeqa.errors import GeometryError
from multiglobeqa.geo.check import Bools, Floats, Geoms, coordinates, geometries, positive, simple_parts
from multiglobeqa.geo.edges import densify, edges
from multiglobeqa.geo.lambert import aeqd, aeqd_inverse, laea, laea_inverse
from multiglobeqa.geo.measure import area_km2, centroid
from multiglobeqa.geo.seam import split_antimeridian, touches_seam, unwrap

PLANES: Final = ("laea", "aeqd")
_FORWARD: Final = {"laea": laea, "aeqd": aeqd}
_INVERSE: Final = {"laea": laea_inverse, "aeqd": aeqd_inverse}
PLANE_PIECE_KM: Final = 20.0
PLANE_SAGITTA_KM: Final = 5e-5
_JOIN_DEG: Final = 1e-5
"""Ends of a ring on both sides of the seam this close in latitude are one place (real data: 4e-7)."""
_WIDE_KM: Final = 9000.0
BACK_PIECE_KM: Final = 2.0
"""Longest edge on the way back; shorter near the poles, where lon-lat segments bend more."""


def _plane(name: str) -> tuple[Callable[..., tuple[Floats, Floats]], Callable[..., tuple[Floats, Floats]]]:
    if name not in PLANES:
        raise GeometryError(f"unknown plane {name!r}.", mend=f"Use one of {', '.join(PLANES)}.")
    return _FORWARD[name], _INVERSE[name]


def to_plane(
    geoms: Any, lon0: ArrayLike, lat0: ArrayLike, plane: str = "laea", *, dense: bool = True
) -> Geoms:
    """Geometries on the plane centred at (lon0, lat0), in km: object array of the shape of ``geoms``.

    The seam is dissolved (a surface cut at ±180 becomes whole). With ``dense`` edges are first split so that
    the plane follows the lon-lat segment within 5 cm. Centres: scalars or the shape of ``geoms``.

    Raises :class:`GeometryError` for bad geometries or centres, an unknown plane, and on ``laea`` a surface
    that holds the antipode of the centre (it has no image on the plane).
    """
    forward, _ = _plane(plane)
    g = geometries(geoms)
    x0, y0 = coordinates(lon0, lat0)
    flat = g.ravel()
    x0, y0 = (np.broadcast_to(v, g.shape).ravel() for v in (x0, y0))
    flat = flat.copy()
    seam = touches_seam(flat)
    if seam.any():
        flat[seam] = unwrap(flat[seam], x0[seam])
    if dense:
        flat = dense_geometries(flat)
    for i in np.flatnonzero(seam):
        flat[i] = _open_caps(flat[i])
    xy, index = shapely.get_coordinates(flat, return_index=True)
    lon = np.where(xy[:, 0] == -180, 180.0, xy[:, 0])  # both sides of the seam, bit for bit the same
    lon = np.where(np.abs(xy[:, 1]) == 90, 0.0, lon)
    out: Geoms = shapely.set_coordinates(flat, np.column_stack(forward(lon, xy[:, 1], x0[index], y0[index])))
    areal = np.flatnonzero(shapely.get_dimensions(out) == 2)
    broken = areal[~shapely.is_valid(out[areal])]
    if len(broken):
        out[broken] = surfaces_only(shapely.make_valid(out[broken], method="structure", keep_collapsed=False))
    lost = shapely.is_empty(out)
    if lost.any():
        raise GeometryError("surface collapses on the plane.", place=int(np.flatnonzero(lost)[0]))
    box = shapely.bounds(out).reshape(-1, 4)
    wide = areal[(np.abs(box[areal]) > _WIDE_KM).any(axis=1)] if plane == "laea" else areal[:0]
    if len(wide):
        true = area_km2(g.ravel()[wide])
        torn = np.abs(shapely.area(out[wide]) - true) > 0.01 * true
        if torn.any():
            raise GeometryError("surface holds the antipode of the centre.", place=int(wide[np.argmax(torn)]))
    return out.reshape(g.shape)


def _open_caps(geometry: Any) -> Any:
    """A surface whose ring runs round a pole along the seam, without those edges: only its outline is
    left.
    """
    parts, _ = simple_parts(np.array([geometry], dtype=object))
    box = shapely.bounds(parts).reshape(-1, 4)
    caps = (box[:, 2] - box[:, 0] == 360) & (np.abs(box[:, [1, 3]]) == 90).any(axis=1)
    if not caps.any() or shapely.get_dimensions(geometry) != 2:
        return geometry
    for i in np.flatnonzero(caps):
        c = shapely.get_coordinates(parts[i].exterior)
        meridian = (c[1:, 0] == c[:-1, 0]) & (np.abs(c[1:, 0]) == 180)
        seam = meridian | ((c[1:, 1] == c[:-1, 1]) & (np.abs(c[1:, 1]) == 90))
        first = int(np.flatnonzero(seam)[0]) if seam.any() else 0
        seam, c = np.roll(seam, -first), np.roll(c[:-1], -first, axis=0)
        keep = np.flatnonzero(~seam)
        chain = np.vstack([c[keep], c[(keep[-1] + 1) % len(c)]]) if len(keep) else c
        joined = len(keep) > 2 and keep[-1] - keep[0] == len(keep) - 1
        level = abs(chain[0, 1] - chain[-1, 1]) <= _JOIN_DEG
        if joined and level and abs(chain[0, 0] - chain[-1, 0]) == 360:
            chain[-1] = chain[0]  # one place; both longitudes have the same image
            parts[i] = shapely.Polygon(chain, parts[i].interiors)
    return parts[0] if len(parts) == 1 else shapely.multipolygons(parts)


def from_plane(geoms: Any, lon0: ArrayLike, lat0: ArrayLike, plane: str = "laea") -> Geoms:
    """Geometries of the plane (km) back in degrees, cut at ±180; inverse of :func:`to_plane`.

    Long edges are split on the plane first, so that the lon-lat segments follow them. A surface that holds a
    pole is led along the pole. Raises :class:`GeometryError` for an empty geometry, a bad centre, an unknown
    plane.
    """
    _, inverse = _plane(plane)
    g: Geoms = np.asarray(geoms, dtype=object)
    x0, y0 = coordinates(lon0, lat0)
    x0, y0 = (np.broadcast_to(v, g.shape).ravel() for v in (x0, y0))
    flat = g.ravel()
    bad = shapely.is_empty(flat) | shapely.is_missing(flat)
    if bad.any():
        raise GeometryError("empty geometry.", place=int(np.flatnonzero(bad)[0]))
    flat = shapely.segmentize(flat, _back_piece_km(flat, inverse, x0, y0))
    xy, index = shapely.get_coordinates(flat, return_index=True)
    lon, lat = inverse(xy[:, 0], xy[:, 1], x0[index], y0[index])
    back = shapely.set_coordinates(flat.copy(), np.column_stack([lon, lat]))
    return split_antimeridian(back).reshape(g.shape)


def _back_piece_km(
    flat: Geoms, inverse: Callable[..., tuple[Floats, Floats]], x0: Floats, y0: Floats
) -> Floats:
    """(n,) longest edge whose lon-lat segment stays within 0.1 m: L² tan(lat) / 4R at the highest latitude of
    the boundary, but not so short that a geometry gets more than 200,000 pieces."""
    step = np.maximum(shapely.length(flat) / 2000, 0.5)
    xy, index = shapely.get_coordinates(shapely.segmentize(flat, step), return_index=True)
    lat = np.abs(inverse(xy[:, 0], xy[:, 1], x0[index], y0[index])[1])
    highest = np.zeros(len(flat))
    np.maximum.at(highest, index, lat)
    longest = np.sqrt(4 * 6371.0 * 1e-4 / np.maximum(np.tan(np.radians(np.minimum(highest, 89.9999))), 1e-3))
    out = np.clip(longest, np.maximum(shapely.length(flat) / 200_000, 0.02), BACK_PIECE_KM)
    return np.asarray(out, dtype=np.float64)


def dense_geometries(
    flat: Geoms, max_km: float = PLANE_PIECE_KM, sagitta_km: float = PLANE_SAGITTA_KM
) -> Geoms:
    """1-D array of geometries with extra vertices, so that each edge is at most ``max_km`` long and within
    ``sagitta_km`` of the geodesic; ring order and structure stay."""
    out = flat.copy()
    e = edges(flat)
    d = densify(e, max_km, sagitta_km)
    grown = np.bincount(d.geom, minlength=e.n) != np.bincount(e.geom, minlength=e.n)
    for i in np.flatnonzero(grown):
        out[i] = _dense(flat[i], max_km, sagitta_km)
    return out


def _dense(geometry: Any, max_km: float, sagitta_km: float) -> Any:
    parts, _ = simple_parts(np.array([geometry], dtype=object))
    done = []
    for part in parts:
        d = densify(edges(np.array([part], dtype=object)), max_km, sagitta_km)
        cut = np.flatnonzero(np.diff(d.ring)) + 1
        rings = []
        for rows in np.split(np.arange(len(d.ring)), cut):
            x, y = np.append(d.lon1[rows], d.lon2[rows[-1]]), np.append(d.lat1[rows], d.lat2[rows[-1]])
            rings.append(np.column_stack([x, y]))
        if part.geom_type == "Polygon":
            done.append(shapely.Polygon(rings[0], rings[1:]))
        else:
            done.append(shapely.LineString(rings[0]) if part.geom_type != "Point" else part)
    if len(done) == 1:
        return done[0]
    build = {0: shapely.multipoints, 1: shapely.multilinestrings, 2: shapely.multipolygons}
    return build[int(shapely.get_dimensions(geometry))](done)


def surfaces_only(geoms: Geoms) -> Geoms:
    """Each geometry of a 1-D array without its points and lines (an empty polygon where nothing is left)."""
    out = geoms.copy()
    for i in np.flatnonzero(~np.isin(shapely.get_type_id(geoms), (3, 6))):
        parts, _ = simple_parts(geoms[i : i + 1])
        keep = parts[shapely.get_type_id(parts) == 3]
        out[i] = (
            keep[0] if len(keep) == 1 else (shapely.multipolygons(keep) if len(keep) else shapely.Polygon())
        )
    return out


def _none_where(bad: Bools, geoms: Geoms) -> Geoms:
    out: Geoms = np.array(geoms, dtype=object)
    out[bad] = None
    return out


def simplify_km(geoms: Any, tolerance_km: ArrayLike, *, keep_valid: bool = False) -> Geoms:
    """Douglas-Peucker on the equal-area plane centred at each geometry's centroid; the result in degrees.

    Plain Douglas-Peucker can break a surface or make it empty: entries that come out empty or invalid are
    None, for the caller to discard, unless ``keep_valid`` asks for the topology-preserving variant.
    ``tolerance_km``: scalar or the shape of ``geoms``. Raises :class:`GeometryError` for bad geometries or
    tolerances.
    """
    g = geometries(geoms)
    lon0, lat0 = centroid(g)
    plane = simplify_plane(to_plane(g, lon0, lat0), tolerance_km, keep_valid=keep_valid)
    flat, whole = plane.ravel(), np.array([p is not None for p in plane.ravel()], dtype=bool)
    out: Geoms = np.full(len(flat), None, dtype=object)
    if whole.any():
        back = from_plane(flat[whole], lon0.ravel()[whole], lat0.ravel()[whole])
        # valid on the plane, it can still cross itself in degrees
        out[whole] = _none_where(~np.asarray(shapely.is_valid(back), dtype=bool), back)
    return out.reshape(g.shape)


def simplify_plane(plane: Geoms, tolerance_km: ArrayLike, *, keep_valid: bool = False) -> Geoms:
    """As :func:`simplify_km` for geometries that already lie on a plane in km; stays on the plane."""
    tolerance = positive(tolerance_km, "tolerance", zero=True)
    out: Geoms = np.asarray(shapely.simplify(plane, tolerance, preserve_topology=keep_valid), dtype=object)
    bad = np.asarray(shapely.is_empty(out) | ~shapely.is_valid(out), dtype=bool)
    return _none_where(bad, out)


def turn_rings(geoms: Geoms, share: float) -> Geoms:
    """Surfaces whose rings start at another of their own vertices, ``share`` of the way around; the same point sets.

    Douglas-Peucker keeps or favours a ring's first vertex, so a measure of a simplified outline that means something
    must not hang on where its rings start. Other kinds of geometry come back as they are.
    """
    out: Geoms = np.empty(len(geoms), dtype=object)
    for i, geometry in enumerate(geoms):
        if geometry.geom_type not in ("Polygon", "MultiPolygon"):
            out[i] = geometry
            continue
        parts = [
            shapely.Polygon(_turned(part.exterior, share), [_turned(hole, share) for hole in part.interiors])
            for part in shapely.get_parts(geometry)
        ]
        out[i] = parts[0] if geometry.geom_type == "Polygon" else shapely.MultiPolygon(parts)
    return out


def _turned(ring: Any, share: float) -> Floats:
    xy = shapely.get_coordinates(ring)[:-1]
    xy = np.roll(xy, -int(share * len(xy)), axis=0)
    return np.vstack([xy, xy[:1]])
