"""Scoring of boxes: intersection over union on EPSG:6933, as arrays of geometries."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import shapely
from numpy.typing import NDArray

from multiglobeqa.answers.polygon import MIN_IOU, SIDES
from multiglobeqa.answers.shapes import _project
from multiglobeqa.evaluate.scoring.block import Block, Rows
from multiglobeqa.evaluate.scoring.numeric import is_number

_KEYS: Final = set(SIDES)


def score_boxes(block: Block, rows: Rows) -> None:
    """1 - IoU, right from an IoU of 0.5 on. Boxes across the antimeridian and other shapes are compared one by one."""
    values = block.raw.value
    read: Rows = []
    for row in rows:
        value = values[row]
        if _is_plain(value):
            values[row] = {side: float(value[side]) + 0.0 for side in SIDES}
            read.append(row)
        elif block.parse(row):
            read.append(row)
    block.dump(read)
    together: Rows = []
    for row in block.split(read):
        if _is_plain(values[row]) and _is_plain(block.items[row].gold):
            together.append(row)
        else:
            block.compare(row)
    if together:
        first = _planes([values[row] for row in together])
        second = _planes([block.items[row].gold for row in together])
        iou = ious(first, second)
        block.em[together] = iou >= MIN_IOU
        block.ne[together] = np.minimum(1.0, np.maximum(0.0, 1.0 - iou))


def ious(first: NDArray[np.object_], second: NDArray[np.object_]) -> NDArray[np.float64]:
    """(n,) as ``answers.shapes.intersection_over_union``, of shapes on the plane."""
    whole = shapely.area(shapely.union(first, second))
    part = shapely.area(shapely.intersection(first, second))
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(whole > 0, np.minimum(1.0, part / whole), 0.0)
    result: NDArray[np.float64] = np.where(shapely.equals_exact(first, second, 0.0), 1.0, share)
    return result


def _is_plain(value: Any) -> bool:
    """Whether a value is a box that ``answers.polygon.read_box`` takes as it is and that does not cross 180°."""
    if type(value) is not dict or value.keys() != _KEYS:
        return False
    west, south, east, north = (value[side] for side in SIDES)
    if not (is_number(west) and is_number(south) and is_number(east) and is_number(north)):
        return False
    return bool(-180 <= west < east <= 180 and east - west < 360 and -90 <= south < north <= 90)


def _planes(boxes: list[dict[str, float]]) -> NDArray[np.object_]:
    """(n,) the boxes on the plane, made as ``answers.shapes`` makes one."""
    sides = np.array([[box[side] for side in SIDES] for box in boxes], np.float64)
    drawn = shapely.box(*sides.T)
    planes: NDArray[np.object_] = shapely.transform(shapely.union_all(drawn[:, np.newaxis], axis=1), _project)
    return planes
