"""Operators on two relations: distance, nearest, topology, pair measures, boundary distance."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import shapely
from numpy.typing import NDArray

from multiglobeqa.engine.arguments import id_columns, ids, kinds, pair_table, relation, required, select
from multiglobeqa.engine.contract import Engine, Ids
from multiglobeqa.engine.winds import winds
from multiglobeqa.geo import meeting
from multiglobeqa.geo import topology as kernel
from multiglobeqa.geo.distance import boundary_distance_km
from multiglobeqa.geo.nearest import PointIndex, geometry_k_nearest, geometry_within

Arguments = Any


def within_distance(engine: Engine, arguments: Arguments) -> pa.Table:
    """All pairs of ``left`` and ``right`` at most ``radius_km`` apart, an entity never with itself.

    With ``centres: true`` the distance is between reference points, else along edges.
    Columns: left_id, right_id, distance_km.
    """
    left, right = ids(engine, arguments, "left"), ids(engine, arguments, "right")
    radius = float(required(arguments, "radius_km"))
    if not left.size or not right.size:
        i = j = np.empty(0, dtype=np.int64)
        distance = np.empty(0)
    elif arguments.get("centres") or (kinds(engine, left) | kinds(engine, right)) == {"point"}:
        i, j, distance = PointIndex(*engine.points(right)).within(*engine.points(left), radius)
    else:
        i, j, distance = geometry_within(engine.geometries(left), engine.geometries(right), radius)
    return _sorted_pairs(left[i], right[j], distance)


def nearest(engine: Engine, arguments: Arguments) -> pa.Table:
    """The ``k`` nearest of ``right`` for each of ``left``, ties by id, an entity never with itself.

    With ``by: COLUMN`` (of the relation ``right``) the k nearest are found in each group; with ``match: COLUMN``
    (of both relations) only in the groups that a left row names.
    Columns: left_id, right_id, rank (from 1), distance_km, and "group" (text, null without groups).
    """
    k, column = int(required(arguments, "k")), arguments.get("by", arguments.get("match"))
    left, right = required(arguments, "left"), required(arguments, "right")
    if column is None:
        parts: list[tuple[str | None, Ids, Ids]] = [
            (None, ids(engine, arguments, "left"), ids(engine, arguments, "right"))
        ]
    else:
        groups = _groups(engine, right, column)
        named = (
            _groups(engine, left, column)
            if "match" in arguments
            else dict.fromkeys(groups, ids(engine, arguments, "left"))
        )
        parts = [(label, named[label], members) for label, members in groups.items() if label in named]
    none = np.empty(0, np.int64)
    tables = [
        _nearest(engine, mine, others, k, label) for label, mine, others in parts if mine.size and others.size
    ]
    return pa.concat_tables([_nearest_table(none, none, none, np.empty(0), None), *tables])


def _groups(engine: Engine, source: str, column: str) -> dict[str, Ids]:
    """Ids of a relation by the text of one of its columns, both ascending."""
    table = engine.query(
        f"SELECT DISTINCT CAST({column} AS VARCHAR) AS label, id FROM {relation(source)} ORDER BY label, id"
    )
    labels, members = table["label"].to_numpy(zero_copy_only=False), table["id"].to_numpy()
    starts = np.flatnonzero(np.r_[True, labels[1:] != labels[:-1]]) if labels.size else np.empty(0, int)
    return (
        dict(zip(labels[starts].tolist(), np.split(members, starts[1:]), strict=True)) if labels.size else {}
    )


def _nearest(engine: Engine, left: Ids, right: Ids, k: int, label: str | None) -> pa.Table:
    wanted = min(k + 1, right.size)  # one more, for the entity itself
    if (kinds(engine, left) | kinds(engine, right)) == {"point"}:
        index, distance = PointIndex(*engine.points(right)).k_nearest(*engine.points(left), wanted)
    else:
        index, distance = geometry_k_nearest(engine.geometries(left), engine.geometries(right), wanted)
    left_id = np.repeat(left, wanted)
    right_id = right[np.asarray(index).ravel()]
    flat = np.asarray(distance).ravel()
    order = np.lexsort((right_id, flat, left_id))
    left_id, right_id, flat = left_id[order], right_id[order], flat[order]
    keep = left_id != right_id
    left_id, right_id, flat = left_id[keep], right_id[keep], flat[keep]
    starts = np.r_[True, left_id[1:] != left_id[:-1]] if left_id.size else np.empty(0, bool)
    position = np.arange(left_id.size)
    rank = position - np.maximum.accumulate(np.where(starts, position, 0)) + 1
    kept = rank <= k
    return _nearest_table(left_id[kept], right_id[kept], rank[kept], flat[kept], label)


def _nearest_table(
    left: Ids, right: Ids, rank: Ids, distance: NDArray[np.float64], label: str | None
) -> pa.Table:
    return pair_table(
        left, right, rank=rank, distance_km=distance, group=pa.array([label] * len(left), pa.string())
    )


def topology(engine: Engine, arguments: Arguments) -> pa.Table:
    """Pairs of ``left`` and ``right`` whose geometries meet, an entity never with itself, with their relations.

    Columns: left_id, right_id, de9im (nine characters), touches, overlapping, crossing, covers (left covers right),
    covered_by, equals, dimension (-1 to 2: of the shared interior; -1 where only boundaries meet).
    """
    meeting = engine.intersecting(select(required(arguments, "left")), select(required(arguments, "right")))
    left, right = meeting["left_id"].to_numpy(), meeting["right_id"].to_numpy()
    other = left != right
    left, right = left[other], right[other]
    a, b = engine.geometries(left), engine.geometries(right)
    matrix = np.asarray(shapely.relate(a, b), dtype=object) if left.size else np.empty(0, dtype=object)
    interior = np.array([-1 if m[0] == "F" else int(m[0]) for m in matrix], dtype=np.int8)
    return pair_table(
        left,
        right,
        de9im=pa.array(matrix.tolist(), pa.string()),
        **predicates(matrix, shapely.get_dimensions(a), shapely.get_dimensions(b)),
        dimension=interior,
    )


def predicates(matrix: NDArray[np.object_], left: Ids, right: Ids) -> dict[str, NDArray[np.bool_]]:
    """The named relations of pairs by their DE-9IM and the dimensions of both sides, each of shape (n,).

    The patterns are those of OGC Simple Features 1.2.1, 6.1.15, with GEOS's covers and covered by.
    """
    cells = np.array(matrix.tolist(), dtype="S9").view("S1").reshape(-1, 9)
    inner, inner_edge, inner_out, edge_inner, edges, edge_out, out_inner, out_edge, _ = (cells != b"F").T
    point_shared = inner | inner_edge | edge_inner | edges
    alike, lines = left == right, (left == 1) & (right == 1)
    return {
        "touches": ~inner & (inner_edge | edge_inner | edges),
        "overlapping": alike & inner_out & out_inner & np.where(lines, cells[:, 0] == b"1", inner),
        "crossing": np.where(
            alike, lines & (cells[:, 0] == b"0"), inner & np.where(left < right, inner_out, out_inner)
        ),
        "covers": point_shared & ~out_inner & ~out_edge,
        "covered_by": point_shared & ~inner_out & ~edge_out,
        "equals": inner & ~inner_out & ~edge_out & ~out_inner & ~out_edge,
    }


_PAIR_MEASURES = {
    "crossing_points": (pa.int64(), "distinct points 1 m or more apart in which two lines meet"),
    "crossing_points_apart": (pa.int64(), "distinct points apart_km or more apart in which two lines meet"),
    "shares_segment": (pa.bool_(), "two lines run together for a stretch"),
    "intersection_area_km2": (pa.float64(), "area common to two surfaces"),
    "shared_boundary_km": (pa.float64(), "length of the boundary common to two surfaces"),
    "inside_km": (pa.float64(), "length of the left line inside the right surface"),
    "overlap_width_km": (pa.float64(), "mean width of the overlap of two surfaces"),
    "hole_gap_share": (
        pa.float64(),
        "how badly the right surface fills a hole of the left; null: no hole met",
    ),
    "crossing_end_km": (
        pa.float64(),
        "longest way from a common point of two lines to the nearest end of either",
    ),
    "crossing_end_least_km": (pa.float64(), "the shortest such way"),
    "main_part_meets": (pa.bool_(), "the largest part of the left entity meets the right one"),
}
_MEETING: dict[str, Callable[[Any, Any], Any]] = {
    "overlap_width_km": meeting.overlap_width_km,
    "hole_gap_share": meeting.hole_gap_share,
    "crossing_end_km": meeting.crossing_end_km,
    "crossing_end_least_km": partial(meeting.crossing_end_km, least=True),
    "main_part_meets": meeting.main_part_meets,
}


def pair(engine: Engine, arguments: Arguments) -> pa.Table:
    """What two entities have in common, for the rows of ``pairs`` (columns left_id, right_id).

    ``of: [winds]`` stands alone: the first contact of a storm's winds (left, a track with fixes) with a surface.
    Times as ISO text in UTC, null where there is none: contact, wider and narrower (radius changed by 5 % and at
    least 1 km), from_fix and to_fix (fixes before the wider and after the narrower winds' contact), start (first
    fix), first_inside (first fix that lies in the surface); known (every fix up to to_fix has a diameter; every fix
    where there is none), complete (every fix has one), greatest_km (largest radius).
    Otherwise ``of`` lists measures: crossing_points, crossing_points_apart (points nearer than ``apart_km`` count
    once) and shares_segment (lines), intersection_area_km2 and shared_boundary_km (surfaces), inside_km (left line,
    right surface).
    Columns: left_id, right_id, one for each measure.
    """
    left, right = id_columns(engine, arguments, "pairs", ("left_id", "right_id"))
    wanted = list(required(arguments, "of"))
    if wanted == ["winds"]:
        return pair_table(left, right, **winds(engine, left, right))
    a, b = engine.geometries(left), engine.geometries(right)
    columns: dict[str, Any] = {}
    if {"crossing_points", "shares_segment"} & set(wanted):
        count, shared = kernel.crossing_points(a, b)
        columns |= {"crossing_points": count, "shares_segment": shared}
    if "crossing_points_apart" in wanted:
        apart_m = 1000 * float(required(arguments, "apart_km"))
        columns["crossing_points_apart"] = kernel.crossing_points(a, b, apart_m=apart_m)[0]
    if "intersection_area_km2" in wanted:
        columns["intersection_area_km2"] = kernel.intersection_area_km2(a, b)
    if "shared_boundary_km" in wanted:
        columns["shared_boundary_km"] = kernel.shared_boundary_km(a, b)
    if "inside_km" in wanted:
        columns["inside_km"] = kernel.line_length_inside_km(a, b)
    for name in [name for name in wanted if name in _MEETING]:
        columns[name] = _MEETING[name](a, b) if left.size else np.empty(0)
    return pair_table(
        left, right, **{k: pa.array(columns[k], _PAIR_MEASURES[k][0], from_pandas=True) for k in wanted}
    )


def boundary_distance(engine: Engine, arguments: Arguments) -> pa.Table:
    """Distance from the left entity to the boundary line of the right surface, for the rows of ``pairs``.

    Columns: left_id, right_id, distance_km, inside (the left entity's reference point lies in the surface).
    """
    left, right = id_columns(engine, arguments, "pairs", ("left_id", "right_id"))
    distance, inside = boundary_distance_km(engine.geometries(left), engine.geometries(right))
    return pair_table(left, right, distance_km=np.asarray(distance, float), inside=np.asarray(inside, bool))


def _sorted_pairs(left: Ids, right: Ids, distance: NDArray[np.float64]) -> pa.Table:
    keep = left != right
    left, right, distance = left[keep], right[keep], distance[keep]
    order = np.lexsort((right, left))
    return pair_table(left[order], right[order], distance_km=distance[order])
