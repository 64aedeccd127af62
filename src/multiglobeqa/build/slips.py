"""What typical mistakes would answer, computed from geometries, and the floor they set (TAXONOMY rule 11).

A binding slip that the tolerance cannot tell from the gold (within 2 tau) takes the question out: it would be right by
accident. Other slips are stored only where they differ that much. Sub-templates name the slips in ``slips``:

    centroid [A, B]        the distance of the centres, where edges are meant (binding)
    vertex [A, B]          the distance of the nearest stored vertices
    planar [A, B] or [A]   degrees taken as a plane of 111.32 km: distance, or the length of A
    mercator [A, B] or [A] the same on the Web Mercator plane; the area of A for areas
    axes_swapped []        latitude and longitude of the answer exchanged
    box_centre [A]         the middle of A's bounding box
    from_other_end [A, B]  the azimuth at A towards B, where that at B towards A is meant
    opposite [], neighbours []      the wind across, and those beside; the other side
    coarser [A], finer [A]          the cell of A one resolution up or down
    neighbour_cells []              the cells around the answer
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Final

import h3
import numpy as np
import shapely
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from multiglobeqa import answers
from multiglobeqa.answers.label import FLOW, SIDES, WINDS
from multiglobeqa.build.gold import ID_FORMATS, Instance
from multiglobeqa.engine import Engine
from multiglobeqa.geo import cells, geohash
from multiglobeqa.geo.distance import azimuth_deg, distance_km
from multiglobeqa.geo.ellipsoid import unit_vectors
from multiglobeqa.geo.measure import bounds

NUMERIC: Final = ("distance", "area", "ratio", "point", "polar")
BINDING: Final = ("centroid",)
"""Slips of this module that take questions out; they are cheap and run over all candidates."""
DEGREE_KM: Final = 111.32
_EARTH_KM: Final = 6378.137
_ROUND: Final = 6

Roles = Sequence[str]
Floats = NDArray[np.float64]


def binding(engine: Engine, instances: list[Instance]) -> tuple[list[Instance], Counter[str]]:
    """The instances of one sub-template whose binding slips lie outside 2 tau, and the discards by cause."""
    discards: Counter[str] = Counter()
    kept: list[Instance] = []
    for name in BINDING:
        if instances and name in instances[0].sub.slips:
            _add(engine, instances, name)
            for found in instances:
                found.binding.add(name)
    for found in instances:
        names = sorted(found.binding) if found.sub.format in NUMERIC else ()
        near = next((name for name in names if _near(found, name)), None)
        if near is None:
            kept.append(found)
        else:
            discards[f"slip_{near}_within_tolerance"] += 1
    return kept, discards


def complete(engine: Engine, instances: list[Instance]) -> None:
    """Add the other slips of one sub-template's drawn instances; those that are no other answer are left out."""
    for name in instances[0].sub.slips if instances else ():
        if name not in BINDING:
            _add(engine, instances, name)
    for found in instances:
        found.slips = {
            name: value
            for name, value in sorted(found.slips.items())
            if value is not None and value != [] and not _near(found, name)
        }


def _add(engine: Engine, instances: list[Instance], name: str) -> None:
    roles = instances[0].sub.slips[name]
    for found, value in zip(instances, _SLIPS[name](engine, instances, roles), strict=True):
        found.slips[name] = value


def _near(found: Instance, name: str) -> bool:
    """Whether a slip is no other answer: equal, or within 2 tau of a number."""
    value = found.slips.get(name)
    if value is None:
        return False
    if found.sub.format in ID_FORMATS:
        listed = value if isinstance(value, list) else [value]
        return bool(
            set(listed) <= set(found.answer_ids)
            and (found.sub.format == "entity" or len(listed) == len(found.answer_ids))
        )
    if found.sub.format not in NUMERIC:
        return bool(value == found.gold)
    rule = answers.get(found.sub.format)
    question = {"format": found.sub.format, "unit": found.sub.unit, "subtemplate": found.sub.id}
    apart = rule.distance(value, found.gold, question)
    return apart is not None and apart <= 2 * rule.tolerance(found.gold, question)


def _ids(instances: list[Instance], role: str) -> NDArray[np.int64]:
    return np.array([found.roles[role] for found in instances], dtype=np.int64)


def _listed(values: Floats) -> list[float | None]:
    return [round(float(v), _ROUND) if np.isfinite(v) else None for v in values]


def _centroid(engine: Engine, instances: list[Instance], roles: Roles) -> list[Any]:
    a, b = (_ids(instances, role) for role in roles)
    points = shapely.get_type_id(engine.geometries(a)) + shapely.get_type_id(engine.geometries(b))
    return _listed(np.where(points == 0, np.nan, distance_km(*engine.points(a), *engine.points(b))))


def _vertex(engine: Engine, instances: list[Instance], roles: Roles) -> list[Any]:
    return [
        _vertices_km(a, b)
        for a, b in zip(*(engine.geometries(_ids(instances, role)) for role in roles), strict=True)
    ]


def _vertices_km(a: Any, b: Any) -> float | None:
    """Least geodesic distance of the stored vertices, km; None for two points."""
    if a.geom_type == b.geom_type == "Point":
        return None
    p, q = shapely.get_coordinates(a), shapely.get_coordinates(b)
    chords, nearest = cKDTree(unit_vectors(q[:, 0], q[:, 1])).query(unit_vectors(p[:, 0], p[:, 1]))
    i = int(np.argmin(chords))
    j = int(nearest[i])
    return round(float(distance_km(p[i, 0], p[i, 1], q[j, 0], q[j, 1])), _ROUND)


def _flat(measure: Callable[[Any], Any]) -> Callable[[Engine, list[Instance], Roles], list[Any]]:
    """Distances, lengths and areas on a plane: ``measure`` turns geometries into that plane's, in km."""

    def slip(engine: Engine, instances: list[Instance], roles: Roles) -> list[Any]:
        planes = [measure(engine.geometries(_ids(instances, role))) for role in roles]
        if len(planes) == 2:
            return _listed(shapely.distance(*planes))
        area = instances[0].sub.format == "area"
        return _listed(shapely.area(planes[0]) if area else shapely.length(planes[0]))

    return slip


def _degrees(geometries: Any) -> Any:
    return shapely.transform(geometries, lambda xy: xy * DEGREE_KM)


def _mercator(geometries: Any) -> Any:
    def project(xy: Any) -> Any:
        lat = np.radians(np.clip(xy[:, 1], -85.06, 85.06))
        return _EARTH_KM * np.column_stack([np.radians(xy[:, 0]), np.arcsinh(np.tan(lat))])

    return shapely.transform(geometries, project)


def _axes_swapped(engine: Engine, instances: list[Instance], roles: Roles) -> list[Any]:
    golds = [found.gold for found in instances]
    return [{"lat": g["lon"], "lon": g["lat"]} if abs(g["lon"]) <= 90 else None for g in golds]


def _box_centre(engine: Engine, instances: list[Instance], roles: Roles) -> list[Any]:
    west, south, east, north = bounds(engine.geometries(_ids(instances, roles[0])))
    lon = west + np.where(east < west, east - west + 360, east - west) / 2
    lon = (lon + 180) % 360 - 180
    return [
        {"lat": round(float(y), 7), "lon": round(float(x), 7)}
        for x, y in zip(lon, (south + north) / 2, strict=True)
    ]


def _from_other_end(engine: Engine, instances: list[Instance], roles: Roles) -> list[Any]:
    a, b = (engine.points(_ids(instances, role)) for role in roles)
    turned = azimuth_deg(*a, *b)
    if instances[0].sub.format == "polar":
        return [
            {"azimuth_deg": round(float(t), 6), "distance_km": found.gold["distance_km"]}
            for found, t in zip(instances, turned, strict=True)
        ]
    return _listed(turned)


def _rose(found: Instance) -> list[str]:
    return list(WINDS[:: 16 // int({**found.sub.params, **found.params}.get("winds", 16))])


def _opposite(engine: Engine, instances: list[Instance], roles: Roles) -> list[Any]:
    out: list[Any] = []
    for found in instances:
        pair = next((p for p in (SIDES, FLOW) if found.gold in p), None)
        rose = list(pair) if pair else _rose(found)
        out.append(rose[(rose.index(found.gold) + len(rose) // 2) % len(rose)])
    return out


def _neighbours(engine: Engine, instances: list[Instance], roles: Roles) -> list[Any]:
    out: list[Any] = []
    for found in instances:
        rose = _rose(found)
        at = rose.index(found.gold)
        out.append([rose[at - 1], rose[(at + 1) % len(rose)]])
    return out


def _at(step: int) -> Callable[[Engine, list[Instance], Roles], list[Any]]:
    """The cell of an entity ``step`` resolutions finer than the answer."""

    def slip(engine: Engine, instances: list[Instance], roles: Roles) -> list[Any]:
        lon, lat = engine.points(_ids(instances, roles[0]))
        out: list[Any] = []
        for found, x, y in zip(instances, lon, lat, strict=True):
            system = _system(found)
            known = cells.resolution(cells.from_text([found.gold], system), system)
            wanted = int(known[0]) + step
            low, high = {"h3": (0, 15), "s2": (0, 30), "geohash": (1, 12)}[system]
            if not low <= wanted <= high:
                out.append(None)
                continue
            out.append(str(cells.to_text(cells.encode([x], [y], system, wanted), system)[0]))
        return out

    return slip


def _system(found: Instance) -> str:
    if found.sub.format == "geohash":
        return "geohash"
    return str({**found.sub.params, **found.params}["system"])


def _neighbour_cells(engine: Engine, instances: list[Instance], roles: Roles) -> list[Any]:
    return [_around(found.gold, _system(found)) for found in instances]


def _around(cell: str, system: str) -> list[str]:
    """The cells that share an edge (H3, S2) or an edge or corner (geohash) with a cell, ascending."""
    if system == "h3":
        return sorted(set(h3.grid_disk(cell, 1)) - {cell})
    if system == "s2":
        import s2sphere

        found = s2sphere.CellId.from_token(cell)
        return sorted(other.to_token() for other in found.get_edge_neighbors())
    west, south, east, north = (float(v[0]) for v in geohash.decode(np.array([cell])))
    x, y = (west + east) / 2, (south + north) / 2
    steps = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0)]
    lon = np.array([(x + i * (east - west) + 180) % 360 - 180 for i, _ in steps])
    lat = np.array([y + j * (north - south) for _, j in steps])
    inside = np.abs(lat) < 90
    return sorted(set(geohash.encode(lon[inside], lat[inside], len(cell)).tolist()) - {cell})


_SLIPS: Final[dict[str, Callable[[Engine, list[Instance], Roles], list[Any]]]] = {
    "centroid": _centroid,
    "vertex": _vertex,
    "planar": _flat(_degrees),
    "mercator": _flat(_mercator),
    "axes_swapped": _axes_swapped,
    "box_centre": _box_centre,
    "from_other_end": _from_other_end,
    "opposite": _opposite,
    "neighbours": _neighbours,
    "coarser": _at(-1),
    "finer": _at(1),
    "neighbour_cells": _neighbour_cells,
}
NAMES: Final = tuple(_SLIPS)
"""The slips that a template may name."""
