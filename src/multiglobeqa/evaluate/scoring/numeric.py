"""Scoring of numbers, points and relative positions, as arrays."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from multiglobeqa.answers.distance import Distance
from multiglobeqa.answers.numeric import ALPHA_INVERSE, Numeric
from multiglobeqa.answers.point import GEOD, TOLERANCE_KM
from multiglobeqa.answers.polar import ANGLE_TOLERANCE
from multiglobeqa.evaluate.scoring.block import Block, Rows

LIMIT: Final = 1e15
"""Up to here a float holds every whole number, so that whole and decimal numbers subtract alike."""
_POINT: Final = {"lat", "lon"}
_POLAR: Final = {"azimuth_deg", "distance_km"}
_RADIAL: Final = Distance()
Floats = NDArray[np.float64]


def is_number(value: Any) -> bool:
    """Whether a value is a number of JSON that arrays may hold."""
    return type(value) in (float, int) and -LIMIT < value < LIMIT


def score_numbers(block: Block, rows: Rows) -> None:
    """Distance, area, count and ratio: |p - g| against max(floor, 5 %)."""
    if not rows:
        return
    answer_format = block.items[rows[0]].answer_format
    assert isinstance(answer_format, Numeric)
    values = block.raw.value
    whole, least = answer_format.name == "count", answer_format.minimum
    read: Rows = []
    for row in rows:
        value = values[row]
        if is_number(value) and (least is None or value >= least):
            if whole:
                values[row] = int(value) if value == int(value) else value
            elif value == 0:
                values[row] = value + 0.0 if type(value) is float else value
            read.append(row)
        elif block.parse(row):
            read.append(row)
    block.dump(read)
    plain = _apart(block, block.split(read), lambda value, gold: is_number(value) and is_number(gold))
    if plain:
        p, g = (np.array(side, np.float64) for side in zip(*_pairs(block, plain), strict=True))
        block.put(plain, np.abs(p - g), tolerances(answer_format, g))


def tolerances(answer_format: Numeric, gold: Floats) -> Floats:
    """(n,) ``answer_format.tolerance`` of golds: the floor of each band is asked once."""
    size = np.abs(gold)
    edges = (0.0, 50.0, 500.0, 2_500.0, 250_000.0)
    floors = np.array([answer_format.floor(edge) for edge in edges])
    at = np.searchsorted(np.array(edges[1:]), size, side="right")
    result: Floats = np.maximum(floors[at], size / ALPHA_INVERSE)
    return result


def score_points(block: Block, rows: Rows) -> None:
    """Geodesic distance against 10 km."""
    values = block.raw.value
    read: Rows = []
    for row in rows:
        value = values[row]
        if type(value) is dict and value.keys() == _POINT:
            lat, lon = value["lat"], value["lon"]
            if is_number(lat) and is_number(lon) and -90 <= lat <= 90 and -180 <= lon <= 180:
                values[row] = {"lat": float(lat) + 0.0, "lon": float(lon) + 0.0}
                read.append(row)
                continue
        if block.parse(row):
            read.append(row)
    for row in read:
        point = values[row]
        block.parsed[row] = f'{{"lat": {point["lat"]!r}, "lon": {point["lon"]!r}}}'
    plain = block.split(read)
    if plain:
        p, g = (_columns(side, ("lon", "lat")) for side in zip(*_pairs(block, plain), strict=True))
        d = np.asarray(GEOD.inv(p[0], p[1], g[0], g[1])[2], np.float64) / 1000.0
        block.put(plain, d, np.full(len(plain), TOLERANCE_KM))


def score_polar(block: Block, rows: Rows) -> None:
    """The larger of angular and radial error, each as a share of its tolerance."""
    values = block.raw.value
    read: Rows = []
    for row in rows:
        value = values[row]
        if type(value) is dict and value.keys() == _POLAR:
            azimuth, km = value["azimuth_deg"], value["distance_km"]
            if is_number(azimuth) and is_number(km) and 0 <= azimuth < 360 and km >= 0:
                km = km + 0.0 if km == 0 and type(km) is float else km
                values[row] = {"azimuth_deg": float(azimuth) + 0.0, "distance_km": km}
                read.append(row)
                continue
        if block.parse(row):
            read.append(row)
    block.dump(read)
    plain = _apart(
        block, block.split(read), lambda p, g: is_number(p["distance_km"]) and is_number(g["distance_km"])
    )
    if plain:
        p, g = (
            _columns(side, ("azimuth_deg", "distance_km")) for side in zip(*_pairs(block, plain), strict=True)
        )
        turn = np.abs(p[0] - g[0]) % 360.0
        angular = np.minimum(turn, 360.0 - turn) / ANGLE_TOLERANCE
        radial = np.abs(p[1] - g[1]) / tolerances(_RADIAL, g[1])
        block.put(plain, np.maximum(angular, radial), np.ones(len(plain)))


def _pairs(block: Block, rows: Rows) -> list[tuple[Any, Any]]:
    """Answer and gold of each row."""
    return [(block.raw.value[row], block.items[row].gold) for row in rows]


def _columns(values: tuple[dict[str, float], ...], keys: tuple[str, str]) -> tuple[Floats, Floats]:
    return (
        np.array([value[keys[0]] for value in values], np.float64),
        np.array([value[keys[1]] for value in values], np.float64),
    )


def _apart(block: Block, rows: Rows, fits: Any) -> Rows:
    """Compare by themselves the answers that arrays do not hold exactly; the others are given back."""
    kept: Rows = []
    for row in rows:
        if fits(block.raw.value[row], block.items[row].gold):
            kept.append(row)
        else:
            block.compare(row)
    return kept
