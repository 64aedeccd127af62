"""Answers of other questions, moved a little: a value that is right elsewhere in the file would tell itself wrong.

Numbers move by up to 4 %, less than the tolerance of an answer; a number up to 1 stays below 1, as many ratios must.
Points move by up to 0.01 degrees, boxes by up to 4 % of their extent and 0.01 degrees, azimuths by
up to 2 degrees. What is then printed occurs nowhere else.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any, Final

from multiglobeqa.evaluate.choices.display import EXACT_COUNT

SHARE: Final = 0.04
DEGREES: Final = 0.01
TURN: Final = 2.0


def nudged(value: Any, answer_format: str, random: Random) -> Any:
    """The value moved; as it is where the format has no neighbouring values."""
    if answer_format in ("distance", "area", "ratio"):
        return _number(float(value), random)
    if answer_format == "count" and value >= EXACT_COUNT:
        return round(_number(float(value), random))
    if answer_format == "point":
        lat = min(90.0, max(-90.0, value["lat"] + random.uniform(-DEGREES, DEGREES)))
        return {"lat": lat, "lon": _longitude(value["lon"] + random.uniform(-DEGREES, DEGREES))}
    if answer_format == "polar":
        turned = (value["azimuth_deg"] + random.uniform(-TURN, TURN)) % 360
        return {"azimuth_deg": turned, "distance_km": _number(value["distance_km"], random)}
    if answer_format == "polygon" and isinstance(value, Mapping):
        return _box(value, random)
    return value


def _number(value: float, random: Random) -> float:
    factor = 1 + random.uniform(-SHARE, SHARE)
    return value / factor if value <= 1 < value * factor else value * factor


def _box(box: Mapping[str, float], random: Random) -> dict[str, float]:
    """Each side moved outwards or inwards; the box stays one, in bounds and on its side of the antimeridian."""
    wide, tall = (box["east"] - box["west"]) % 360, box["north"] - box["south"]
    west, east = (random.uniform(-SHARE, SHARE) * wide + random.uniform(-DEGREES, DEGREES) for _ in range(2))
    south, north = (
        random.uniform(-SHARE, SHARE) * tall + random.uniform(-DEGREES, DEGREES) for _ in range(2)
    )
    moved = {
        "west": _longitude(box["west"] + west),
        "east": _longitude(box["east"] + east),
        "south": max(-90.0, box["south"] + south),
        "north": min(90.0, box["north"] + north),
    }
    crosses = box["west"] > box["east"]
    kept = moved["south"] < moved["north"] and (moved["west"] > moved["east"]) == crosses
    return moved if kept else dict(box)


def _longitude(degrees: float) -> float:
    return (degrees + 180) % 360 - 180
