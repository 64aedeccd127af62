"""The area in which an extract is complete: what may be counted there is in the file.

An extract's own bounds promise too much: the header's box is that of a cut along a border, too, and ways and
relations stick out of every cut. So the area is the intersection of up to three, each by a stated rule:

1. the header's box, else the box of the marker nodes without the outermost 1 % on each side;
2. the convex hull of the marker nodes within the box, if it covers under 75 % of it (from 1,000 nodes): the
   cut was no rectangle, or lies at a coast;
3. the smallest complete admin surface that holds at least 99 % of the marker nodes: a cut along a border.

Marker nodes are tagged nodes of a class that never stands on a way (no bus stops, junctions, toll booths):
these come from inside the cut only, apart from a few that relations pull in.
"""

from __future__ import annotations

from array import array
from pathlib import Path
from typing import Any, Final

import numpy as np
import osmium
import shapely
from numpy.typing import NDArray

from multiglobeqa.kg import classes as table
from multiglobeqa.kg.hierarchy import equal_area
from multiglobeqa.kg.osm.geometry import check, from_wkb
from multiglobeqa.kg.osm.sink import ADMIN_CLASS
from multiglobeqa.kg.osm.source import (
    Position,
    Source,
    in_order,
    node_store,
    objects,
    open_source,
    translating,
)
from multiglobeqa.kg.osm.spool import Workspace

ON_WAYS: Final = frozenset(
    {"bus_stop", "tram_stop", "railway_station", "subway_station", "subway_entrance", "motorway_junction",
     "toll_booth", "border_crossing", "dam", "waterfall", "spring", "ferry_terminal", "cave", "peak",
     "volcano", "country", "admin1", "county", "region", "building"}
)  # fmt: skip
"""Classes whose nodes may be vertices of ways, or members of relations that reach out of the cut."""
TRIM_SHARE: Final = 0.01
HULL_SHARE: Final = 0.75
HULL_NODES: Final = 1_000
ADMIN_SHARE: Final = 0.99
LEAST_NODES: Final = 20

Geometries = NDArray[np.object_]
_WORLD: Final = (359.0, 160.0)


def coverage(path: str | Path, *, classes: table.Classes | None = None) -> str:
    """WKT (longitude latitude) of the (multi)polygon in which the extract is complete, by the module's rules.

    ``POLYGON EMPTY``, complete nowhere, if the header has no box and the file fewer than 20 marker nodes
    (``osmium extract --set-bounds`` writes the box). Raises InputError if the file is not OSM data.
    """
    source = open_source(path)
    if source.box is not None and _spans_world(source.box):
        return _wkt(shapely.box(*source.box))
    known = classes or table.load()
    nodes = marker_nodes(source, known)
    if source.box is None and len(nodes) < LEAST_NODES:
        return _wkt(shapely.Polygon())
    workspace = Workspace()
    admin = in_order(source, workspace.path, lambda data: admin_surfaces(data, known))
    return _wkt(covered(source.box, nodes, admin))


def covered(
    box: tuple[float, float, float, float] | None, nodes: NDArray[np.float64], admin: Geometries
) -> Any:
    """The rules of the module on west, south, east, north; (n, 2) marker nodes; and admin surfaces."""
    if box is None:
        low, high = np.quantile(nodes, [TRIM_SHARE, 1 - TRIM_SHARE], axis=0)
        box = (low[0], low[1], high[0], high[1])
    area = shapely.box(*box)
    inside = nodes[((nodes >= box[:2]) & (nodes <= box[2:])).all(axis=1)]
    if len(inside) >= HULL_NODES:
        hull = shapely.MultiPoint(inside).convex_hull
        if equal_area(hull) < HULL_SHARE * equal_area(area):
            area = shapely.intersection(area, hull)
    if len(inside) and len(admin):
        shapely.prepare(admin)
        share = np.array([shapely.contains_xy(surface, *inside.T).mean() for surface in admin])
        held = admin[share >= ADMIN_SHARE]
        if len(held):
            area = shapely.intersection(area, held[int(np.argmin(equal_area(held)))])
    return area


def marker_nodes(source: Source, classes: table.Classes) -> NDArray[np.float64]:
    """Longitude, latitude of the marker nodes, shape (n, 2)."""
    found = array("d")
    position = Position()
    keys = osmium.filter.KeyFilter(*sorted(classes.tag_keys))
    with translating(source.path, position):
        for node in objects(source, osmium.osm.osm_entity_bits.NODE, keys):
            position.kind, position.id = "node", node.id
            class_key = classes.of_tags(dict(node.tags), "point")
            if class_key is not None and class_key not in ON_WAYS and node.location.valid():
                found.extend((node.location.lon, node.location.lat))
    return np.array(found, dtype=np.float64).reshape(-1, 2)


def admin_surfaces(source: Source, classes: table.Classes) -> Geometries:
    """The complete, valid admin surfaces of the file's relations."""
    tagged = osmium.filter.KeyFilter("boundary")
    with translating(source.path, Position()):
        ids = [
            relation.id
            for relation in objects(source, osmium.osm.osm_entity_bits.RELATION, tagged)
            if classes.of_tags(dict(relation.tags), "surface") == ADMIN_CLASS
        ]
    return relation_surfaces(source, ids)[1]


def relation_surfaces(source: Source, ids: list[int]) -> tuple[list[int], Geometries]:
    """Ids and surfaces of the boundary relations among ``ids`` that are complete and valid."""
    if not ids:
        return [], np.empty(0, dtype=object)
    workspace = Workspace()
    name, bits = str(source.data), osmium.osm.osm_entity_bits
    wkb = osmium.geom.WKBFactory()
    found: list[bytes] = []
    origins: list[int] = []
    with translating(source.path, Position()):
        manager, wanted = osmium.area.AreaManager(), osmium.filter.IdFilter(ids)
        collector = manager.first_pass_handler()
        with osmium.io.Reader(name, bits.RELATION) as reader:
            osmium.apply(reader, wanted, collector)
        locator = osmium.NodeLocationsForWays(node_store(source, workspace.path))
        locator.ignore_errors()
        chosen, nothing = osmium.filter.KeyFilter("boundary"), osmium.filter.IdFilter([])
        areas = osmium.BufferIterator(chosen)
        assembler = manager.second_pass_to_buffer(areas)
        for _ in objects(source, bits.NODE | bits.WAY, locator, assembler, nothing):
            pass
        area: Any
        for area in areas:
            if not area.from_way() and area.num_rings()[0]:
                try:
                    found.append(bytes.fromhex(wkb.create_multipolygon(area)))
                except RuntimeError:
                    continue
                origins.append(int(area.orig_id()))
    checked = check(from_wkb(found))
    sound = np.flatnonzero(checked.cause == "")
    surfaces: Geometries = checked.geometry[sound]
    return [origins[i] for i in sound.tolist()], surfaces


def _spans_world(box: tuple[float, float, float, float]) -> bool:
    return box[2] - box[0] >= _WORLD[0] and box[3] - box[1] >= _WORLD[1]


def _wkt(area: Any) -> str:
    return str(shapely.to_wkt(area, rounding_precision=7, trim=True))
