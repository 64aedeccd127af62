"""Operators on single entities and small tuples: measures, cells, hierarchy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pyarrow as pa
import shapely
from numpy.typing import NDArray

from multiglobeqa.engine import winds
from multiglobeqa.engine.along import places_along
from multiglobeqa.engine.arguments import id_columns, ids, pair_table, relation, required
from multiglobeqa.engine.contract import Engine, Geometries
from multiglobeqa.engine.shift import centroid_shift
from multiglobeqa.engine.tracks import measure_spans
from multiglobeqa.errors import EngineError
from multiglobeqa.geo import cells as grid
from multiglobeqa.geo import components, direction, distance, planes, shape, utm
from multiglobeqa.geo import measure as size

Arguments = Any

_SINGLE: Final[dict[str, Callable[..., Any]]] = {
    "area_km2": size.area_km2,
    "perimeter_km": size.perimeter_km,
    "line_km": size.length_km,
    "polsby_popper": shape.polsby_popper,
    "reock": shape.reock,
    "elongation": shape.elongation,
    "ellipse_elongation": shape.ellipse_elongation,
    "convexity": shape.convexity,
    "shape_index": shape.shape_index,
    "circularity": shape.circularity,
    "boundary_excess": shape.boundary_excess,
}

_COMPONENTS: Final = {
    "north_km": components.north_km,
    "east_km": components.east_km,
    "east_far_km": lambda lon1, lat1, lon2, lat2: components.east_km(lon1, lat2, lon2, lat2),
    "parallel_km": components.parallel_km,
}


def _detail_ratio(geometries: Geometries, tolerance_km: float) -> NDArray[np.float64]:
    """Length of the simplified outline over that of the outline: near 1 where the length does not hang on scale."""
    plane = planes.to_plane(geometries, *size.centroid(geometries), dense=False)
    flat = planes.simplify_plane(plane, tolerance_km, keep_valid=True)
    return np.asarray(shapely.length(flat) / shapely.length(plane), dtype=float)


def _main_outline_km(geometries: Geometries) -> NDArray[np.float64]:
    """Perimeter of the largest part, its holes included."""
    parts, owner = shapely.get_parts(geometries, return_index=True)
    area = size.area_km2(parts)
    order = np.lexsort((area, owner))
    largest = order[np.flatnonzero(np.diff(owner[order], append=-1))]
    return np.asarray(size.perimeter_km(parts[largest]), dtype=float)


def _ends_km(geometries: Geometries) -> NDArray[np.float64]:
    """Distance of the two ends of a line; NaN for lines of several stretches."""
    whole = np.flatnonzero(shapely.get_type_id(geometries) == 1)
    first, last = (shapely.get_coordinates(shapely.get_point(geometries[whole], at)) for at in (0, -1))
    out = np.full(len(geometries), np.nan)
    out[whole] = distance.distance_km(*first.T, *last.T)
    return out


_SINGLE.update(
    detail_ratio=_detail_ratio,
    outer_km=lambda geometries: size.perimeter_km(geometries, holes=False),
    main_outline_km=_main_outline_km,
    ends_km=_ends_km,
)


def measure(engine: Engine, arguments: Arguments) -> pa.Table:
    """Measures of single entities (``ids``), of pairs (``pairs``), of triples (``triples``), or along ``lines``.

    ids: ``of`` from area_km2, perimeter_km (holes included), outer_km (holes left out), main_outline_km (of the
        largest part), line_km, ends_km (between a line's two ends; NaN for several stretches), polsby_popper, reock,
        elongation, ellipse_elongation, convexity, shape_index, circularity, boundary_excess, centroid (lon, lat),
        box (west, south, east, north; west > east across the antimeridian). Shape measures take ``simplify_km``:
        topology-preserving Douglas-Peucker over the stored vertices on the local equal-area plane first;
        NaN where that fails or hangs on how long edges are split or on where rings start. detail_ratio: length of the
        simplified outline or line over its own. centroid_shift_km stands alone: the distance between the centroids
        of the outline simplified by the two tolerances in ``simplify_km``, and ``cause``: null, or why there is no
        distance; with ``tested: false`` whether it hangs on small changes is not asked (`engine.shift`). swept_km2
        stands alone: the area swept by a storm's winds with its radii times ``factor``; so does winds_complete: whether
        each of its fixes has a diameter. Columns: id and the measures.
    pairs (left_id, right_id): distance_km (along edges), centre_km (reference points), azimuth_deg and
        rhumb_deg (from left to right, reference points); components of the way from left to right:
        north_km (meridian arc, north positive), east_km (geodesic to left's latitude and right's longitude, east
        positive), east_far_km (the same at right's latitude), parallel_km (along left's parallel).
        Columns: left_id, right_id and the measures.
    triples (a_id, b_id, c_id): cross_km (signed, right of the route from b to c positive), along_km, route_km,
        for a's reference point. Columns: a_id, b_id, c_id and the measures.
    spans (left_id a storm track, right_id, begins, ends): distance within days: see `engine.tracks.measure_spans`.
    lines (a_id, b_id, c_id): where points a and b stand along the waterway c: see `engine.along.places_along`.
    """
    if "spans" in arguments:
        return measure_spans(engine, arguments)
    if "lines" in arguments:
        return places_along(engine, arguments)
    if "pairs" in arguments:
        return _measure_pairs(engine, arguments)
    if "triples" in arguments:
        return _measure_triples(engine, arguments)
    found = ids(engine, arguments, "ids")
    if required(arguments, "of") in (["swept_km2"], ["winds_complete"]):
        name, factor = arguments["of"][0], float(arguments.get("factor", 1.0))
        return pa.table({"id": found, name: winds.measures(engine, found, name, factor)})
    geometries = engine.geometries(found)
    if required(arguments, "of") == ["centroid_shift_km"]:
        km, cause = centroid_shift(
            geometries, required(arguments, "simplify_km"), tested=bool(arguments.get("tested", True))
        )
        return pa.table({"id": found, "centroid_shift_km": km, "cause": pa.array(cause, pa.string())})
    columns: dict[str, Any] = {"id": found}
    for name in required(arguments, "of"):
        if name == "centroid":
            columns["lon"], columns["lat"] = size.centroid(geometries) if found.size else np.empty((2, 0))
        elif name == "box":
            columns["west"], columns["south"], columns["east"], columns["north"] = (
                size.bounds(geometries) if found.size else np.empty((4, 0))
            )
        elif name in _SINGLE:
            columns[name] = _single(name, geometries, arguments.get("simplify_km"))
        else:
            raise EngineError(f"operator measure knows no measure {name!r} of single entities.")
    return pa.table(columns)


VERTEX_SHARE: Final = 0.01
"""A measure of a simplified outline is kept where splitting long edges first changes it by less than this."""
TURNS: Final = (1 / 6, 1 / 3, 1 / 2, 2 / 3, 5 / 6)
"""Where rings start when a measure of a simplified outline is taken again."""
TURN_SHARE: Final = 0.025
"""It is kept where no such start changes it by more than half the scorer's tolerance of 5 %."""


def _single(name: str, geometries: Geometries, tolerance_km: Any) -> NDArray[np.float64]:
    """One measure of each geometry; of simplified outlines NaN where it hangs on how long edges are split."""
    if not len(geometries):
        return np.empty(0)
    function = _SINGLE[name]
    if tolerance_km is None or function is _detail_ratio:
        options = {} if tolerance_km is None else {"tolerance_km": float(tolerance_km)}
        return np.asarray(function(geometries, **options), dtype=float)
    values, dense = (
        np.asarray(function(geometries, tolerance_km=float(tolerance_km), dense=split), dtype=float)
        for split in (False, True)
    )
    values = _where_alike(values, dense)
    return _where_turns_agree(
        values, geometries, lambda g: function(g, tolerance_km=float(tolerance_km), dense=False)
    )


def _where_turns_agree(
    values: NDArray[np.float64], geometries: Geometries, measured: Any
) -> NDArray[np.float64]:
    """Values that do not hang on where the rings start, else NaN; ``measured`` takes the values again."""
    values = values.copy()
    for share in TURNS:
        live = np.flatnonzero(~np.isnan(values))
        if not live.size:
            break
        again = np.asarray(measured(planes.turn_rings(geometries[live], share)), dtype=float)
        allowed = np.maximum(TURN_SHARE * np.abs(values[live]), 1e-9)
        values[live[~(np.abs(again - values[live]) <= allowed)]] = np.nan
    return values


def _where_alike(values: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(np.abs(values - others) < VERTEX_SHARE * np.abs(values), values, np.nan)


def _measure_pairs(engine: Engine, arguments: Arguments) -> pa.Table:
    left, right = id_columns(engine, arguments, "pairs", ("left_id", "right_id"))
    (lon1, lat1), (lon2, lat2) = engine.points(left), engine.points(right)
    columns: dict[str, NDArray[np.float64]] = {}
    for name in required(arguments, "of"):
        if name == "distance_km":
            columns[name] = distance.geometry_distance_km(engine.geometries(left), engine.geometries(right))
        elif name == "centre_km":
            columns[name] = distance.distance_km(lon1, lat1, lon2, lat2)
        elif name == "azimuth_deg":
            columns[name] = distance.azimuth_deg(lon1, lat1, lon2, lat2)
        elif name == "rhumb_deg":
            columns[name] = distance.rhumb_azimuth_deg(lon1, lat1, lon2, lat2)
        elif name in _COMPONENTS:
            columns[name] = _COMPONENTS[name](lon1, lat1, lon2, lat2)
        else:
            raise EngineError(f"operator measure knows no measure {name!r} of pairs.")
    return pair_table(left, right, **{k: np.asarray(v, dtype=float) for k, v in columns.items()})


def _measure_triples(engine: Engine, arguments: Arguments) -> pa.Table:
    a, b, c = id_columns(engine, arguments, "triples", ("a_id", "b_id", "c_id"))
    points = (*engine.points(a), *engine.points(b), *engine.points(c))
    along, cross = direction.route_position(*points)
    return pa.table(
        {
            "a_id": a,
            "b_id": b,
            "c_id": c,
            "cross_km": np.asarray(cross, dtype=float),
            "along_km": np.asarray(along, dtype=float),
            "route_km": np.asarray(distance.distance_km(*points[2:]), dtype=float),
        }
    )


def cells(engine: Engine, arguments: Arguments) -> pa.Table:
    """Grid cells of reference points (``ids``) or the finest cell common to pairs (``pairs``).

    ``system``: h3, s2 or geohash; ``resolution``: H3 0-15, S2 level 0-30, geohash length 1-12.
    ids: columns id, cell, stable (no move by 10 m, no rounding to 5 decimals changes the cell). ``system: utm`` takes
        no resolution: the cell is the zone with its hemisphere ("33N"), null beyond 80° S and 84° N.
    pairs: columns left_id, right_id, cell (null where none), resolution, stable (a move of either point changes
        neither that cell nor that it is the finest).
    """
    system = str(required(arguments, "system"))
    if "pairs" in arguments:
        return _common_cells(engine, arguments, system)
    found = ids(engine, arguments, "ids")
    lon, lat = engine.points(found)
    if system == "utm":
        zones = pa.array([name or None for name in utm.names(lon, lat).tolist()], pa.string())
        return pa.table({"id": found, "cell": zones, "stable": utm.is_stable(lon, lat)})
    resolution = int(required(arguments, "resolution"))
    return pa.table(
        {
            "id": found,
            "cell": _text(grid.encode(lon, lat, system, resolution), system),
            "stable": np.asarray(grid.cell_is_stable(lon, lat, system, resolution), dtype=bool),
        }
    )


def _common_cells(engine: Engine, arguments: Arguments, system: str) -> pa.Table:
    left, right = id_columns(engine, arguments, "pairs", ("left_id", "right_id"))
    (lon1, lat1), (lon2, lat2) = engine.points(left), engine.points(right)
    cell, resolution = grid.common(lon1, lat1, lon2, lat2, system)
    found = np.asarray(resolution, dtype=np.int64)
    apart = distance.distance_km(lon1, lat1, lon2, lat2)
    stable = found >= 0
    for level in range(max(grid.SYSTEMS[system][0], int(found.min(initial=99))), _FINEST[system] + 1):
        # finer cells count as long as two points so far apart could share one after a small move
        asked = stable & ((found == level) | ((found < level) & (apart < _reach_km(system, level) + 0.05)))
        for lon, lat in ((lon1, lat1), (lon2, lat2)):
            stable[asked] &= grid.cell_is_stable(lon[asked], lat[asked], system, level)
    text = np.full(left.size, None, dtype=object)
    text[found >= 0] = grid.to_text(cell[found >= 0], system)
    return pair_table(left, right, cell=pa.array(text.tolist(), pa.string()), resolution=found, stable=stable)


_FINEST: Final = {"h3": 15, "s2": 30, "geohash": 12}


def _reach_km(system: str, level: int) -> float:
    """An upper bound of the diameter of a cell: H3 edges are at most 1.4 times their mean, S2 diagonals at most
    1.7 times the mean edge of a face cell, geohash cells at most 5,004 km high and twice that wide at length 1."""
    if system == "h3":
        return float(2 * 1.4 * 1281.3 / np.sqrt(7) ** level)
    if system == "s2":
        return float(1.7 * 9_220.0 / 2**level)
    return float(20_020.0 / 2 ** (2.5 * level - 2.5))


def _text(cell: Any, system: str) -> pa.Array:
    return pa.array(np.asarray(grid.to_text(cell, system), dtype=object).tolist(), pa.string())


def hierarchy(engine: Engine, arguments: Arguments) -> pa.Table:
    """The administrative ancestors of the entities in ``ids`` as the KG states them.

    Columns: child_id, parent_id, depth (1 = direct parent). A parent that the KG names and does not hold is
    left out. With ``descendants: true`` the rows are those of all entities below the areas in ``ids``.
    """
    side = "parent_id" if arguments.get("descendants") else "child_id"
    return engine.query(
        f"SELECT child_id, parent_id, depth FROM ancestor WHERE {side} IN "
        f"(SELECT id FROM {relation(required(arguments, 'ids'))}) ORDER BY child_id, depth, parent_id"
    )
