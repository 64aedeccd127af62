"""Boxes and polygons: exchanged axes, orders of the four limits, signs, the antimeridian, too large and too small.

A slip explains an answer that shares 80 % of its area with the box it gives (IoU in EPSG:6933; the format's own measure
takes 50 %), where that box is no right answer.
"""

from __future__ import annotations

from itertools import permutations
from typing import Any, Final

import numpy as np
import shapely

from multiglobeqa.answers.diagnosis.batch import CAUSE, FACT, Batch, Findings, Floats, Ints
from multiglobeqa.answers.polygon import MIN_IOU, SIDES
from multiglobeqa.answers.shapes import intersection_over_union

LEAST_IOU: Final = 0.8
WHOLE: Final = 0.99
"""Share of an area from which on it counts as all of it."""
_E: Final = 0.0818191908426215
"""First eccentricity of WGS 84."""


def diagnose_boxes(batch: Batch, found: Findings) -> None:
    """All kinds of boxes; polygons in WKT are looked at one by one."""
    plain = [
        type(value) is dict and type(batch.case(row).gold) is dict for row, value in enumerate(batch.values)
    ]
    rows = np.flatnonzero(plain)
    if rows.size:
        _boxes(batch, found, rows)
    for row in np.flatnonzero(np.logical_not(plain)).tolist():
        _polygon(batch, found, row)


def _boxes(batch: Batch, found: Findings, rows: Ints) -> None:
    p = np.array([_limits(batch.values[row]) for row in rows.tolist()], np.float64)
    g = np.array([_limits(batch.case(row).gold) for row in rows.tolist()], np.float64)
    home = np.full(len(batch), -1)
    home[rows] = np.arange(len(rows))
    owners, keys, values = batch.slips()
    mine = [k for k, row in enumerate(owners.tolist()) if home[row] >= 0 and isinstance(values[k], dict)]
    if mine:
        at = home[owners[mine]]
        given = np.array([_limits(values[k]) for k in mine], np.float64)
        share = _share(p[at], given, g[at])
        hit = np.flatnonzero(share < 1)
        found.add_each([keys[mine[k]] for k in hit.tolist()], owners[mine][hit], CAUSE, share[hit])
    for key, expected in _expected(g):
        share = _share(p, expected, g)
        hit = np.flatnonzero(share < 1)
        found.add(key, rows[hit], CAUSE, share[hit])
    both, one, other = _areas(p, g)
    holds, held = both >= WHOLE * other, both >= WHOLE * one
    _facts(found, rows, holds, held, both > 0)


def _facts(found: Findings, rows: Ints, holds: Any, held: Any, meets: Any) -> None:
    found.add("superset", rows[holds & ~held], FACT, 0.3)
    found.add("subset", rows[held & ~holds], FACT, 0.3)
    found.add("disjoint", rows[~meets], FACT, 0.3)
    found.add("overlap", rows[meets], FACT, 0.4)


def _expected(g: Floats) -> list[tuple[str, Floats]]:
    """What each slip makes of boxes (n, 4); NaN where it makes none."""
    west, south, east, north = g.T
    crossing = (west > east)[:, np.newaxis]
    listed = [
        ("axes_swapped", _box(south, west, north, east)),
        ("sign_flipped.longitude", _box(-east, south, -west, north)),
        ("sign_flipped.latitude", _box(west, -north, east, -south)),
        ("sign_flipped.both", _box(-east, -north, -west, -south)),
        ("antimeridian", np.where(crossing, _box(east, south, west, north), np.nan)),
        ("antimeridian", np.where(crossing, _box(0 * west - 180, south, 0 * east + 180, north), np.nan)),
        ("sides_exchanged", np.where(crossing, np.nan, _box(east, south, west, north))),
    ]
    known = {(0, 1, 2, 3), (1, 0, 3, 2), (2, 1, 0, 3)}
    listed += [
        ("box_order", _box(*(g[:, k] for k in order)))
        for order in permutations(range(4))
        if order not in known
    ]
    return listed


def _box(west: Floats, south: Floats, east: Floats, north: Floats) -> Floats:
    """(n, 4) boxes; NaN where they are none."""
    found = np.column_stack([west, south, east, north])
    good = (south < north) & (np.abs(south) <= 90) & (np.abs(north) <= 90) & (west != east)
    result: Floats = np.where(good[:, np.newaxis], found, np.nan)
    return result


def _limits(box: Any) -> list[float]:
    return [box[side] for side in SIDES]


def _share(p: Floats, expected: Floats, gold: Floats) -> Floats:
    """How much is missing to an IoU of 1, as a share of what may be; inf beyond."""
    usable = np.asarray(np.isfinite(expected).all(axis=1))
    box = np.where(usable[:, np.newaxis], expected, gold)
    wrong = _iou(box, gold) < MIN_IOU
    share = (1 - _iou(p, box)) / (1 - LEAST_IOU)
    result: Floats = np.where(usable & wrong & (share <= 1), 0.99 * np.maximum(share, 0), np.inf)
    return result


def _iou(a: Floats, b: Floats) -> Floats:
    both, one, other = _areas(a, b)
    result: Floats = both / np.maximum(one + other - both, 1e-300)
    return result


def _areas(a: Floats, b: Floats) -> tuple[Floats, Floats, Floats]:
    """Areas of the common part and of each of two boxes, on the cylindrical equal-area plane (any unit)."""
    width_a, width_b = _width(a), _width(b)
    common = sum(
        np.maximum(
            0.0, np.minimum(a[:, 0] + width_a, b[:, 0] + turn + width_b) - np.maximum(a[:, 0], b[:, 0] + turn)
        )
        for turn in (-360.0, 0.0, 360.0)
    )
    low_a, high_a, low_b, high_b = (_height(box[:, k]) for box in (a, b) for k in (1, 3))
    tall = np.maximum(0.0, np.minimum(high_a, high_b) - np.maximum(low_a, low_b))
    return common * tall, width_a * (high_a - low_a), width_b * (high_b - low_b)


def _width(box: Floats) -> Floats:
    width = (box[:, 2] - box[:, 0]) % 360.0
    result: Floats = np.where(width == 0, 360.0, width)
    return result


def _height(lat: Floats) -> Floats:
    """The authalic q of latitudes: areas between parallels are proportional to its differences (Snyder 1987, 3-12)."""
    s = np.sin(np.radians(lat))
    es = _E * s
    result: Floats = (1 - _E**2) * (s / (1 - es**2) - np.log((1 - es) / (1 + es)) / (2 * _E))
    return result


def _polygon(batch: Batch, found: Findings, row: int) -> None:
    case = batch.case(row)
    pred, gold = _shape(batch.values[row]), _shape(case.gold)
    for key, turned in (
        ("axes_swapped", lambda xy: xy[:, ::-1]),
        ("sign_flipped.longitude", lambda xy: xy * [-1, 1]),
        ("sign_flipped.latitude", lambda xy: xy * [1, -1]),
        ("sign_flipped.both", lambda xy: -xy),
    ):
        other = shapely.transform(pred, turned)
        if shapely.bounds(other)[3] <= 90 and shapely.bounds(other)[1] >= -90:
            drawn = shapely.to_wkt(other, rounding_precision=-1)
            share = (1 - intersection_over_union(drawn, case.gold)) / (1 - LEAST_IOU)
            if share <= 1:
                found.add(key, row, CAUSE, 0.99 * share)
    both = shapely.intersection(pred, gold).area
    flags = (both >= WHOLE * gold.area, both >= WHOLE * pred.area, both > 0)
    _facts(found, np.array([row]), *(np.array([flag]) for flag in flags))


def _shape(value: Any) -> Any:
    """A canonical value in degrees."""
    if isinstance(value, str):
        return shapely.from_wkt(value)
    west, south, east, north = _limits(value)
    spans = [(west, east)] if west < east else [(west, 180.0), (-180.0, east)]
    return shapely.union_all([shapely.box(a, south, b, north) for a, b in spans])
