"""Relative positions: turned, mirrored and mathematical angles, and distances with a slip.

A slip of the azimuth explains an answer whose azimuth is within 2° of what it gives and whose distance is right; a
slip of the distance one whose azimuth is right (5°) and whose distance is within 0.5 % of what it gives; a stored slip
gives both, to 2° and 0.5 %, or a right distance.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from multiglobeqa.answers.diagnosis.batch import CAUSE, FACT, LAST, Batch, Findings, Floats
from multiglobeqa.answers.diagnosis.numbers import FACTORS, WITHIN
from multiglobeqa.answers.distance import Distance
from multiglobeqa.answers.numeric import ALPHA_INVERSE
from multiglobeqa.answers.polar import ANGLE_TOLERANCE

ANGLE_WITHIN: Final = 2.0
_PARTS: Final = ("azimuth_deg", "distance_km")
_RADIAL: Final = Distance()


def diagnose_polar(batch: Batch, found: Findings) -> None:
    """All kinds of relative positions."""
    p = np.array([[value[part] for part in _PARTS] for value in batch.values], np.float64)
    g = batch.golds(lambda gold: [gold[part] for part in _PARTS], 2)
    floors = np.array([_RADIAL.floor(case.gold["distance_km"]) for case in batch.cases], np.float64)[batch.at]
    tau = np.maximum(floors, g[:, 1] / ALPHA_INVERSE)
    radial = np.abs(p[:, 1] - g[:, 1])
    far_right = radial < tau
    turn = _between(p[:, 0], g[:, 0])
    rows, keys, values = batch.slips()
    if len(rows):
        given = np.array([[value[part] for part in _PARTS] for value in values], np.float64)
        share = _between(p[rows, 0], given[:, 0]) / ANGLE_WITHIN
        apart = np.abs(p[rows, 1] - given[:, 1]) / np.maximum(given[:, 1], 1e-9) / WITHIN
        same = np.where(np.abs(given[:, 1] - g[rows, 1]) < tau[rows], radial[rows] / tau[rows], apart)
        hit = np.flatnonzero((share <= 1) & (same <= 1))
        found.add_each([keys[k] for k in hit.tolist()], rows[hit], CAUSE, 0.99 * share[hit])
    for key, azimuth in (
        ("reverse_azimuth", g[:, 0] + 180),
        ("mirrored_azimuth", -g[:, 0]),
        ("angle_from_east", 90 - g[:, 0]),
    ):
        share = _between(p[:, 0], azimuth) / ANGLE_WITHIN
        hit = np.flatnonzero((share <= 1) & far_right)
        found.add(key, hit, CAUSE, 0.99 * share[hit])
    radians = np.radians(g[:, 0])
    share = np.abs(p[:, 0] - radians) / np.maximum(radians, 1e-9) / WITHIN
    found.add("unit_slip.radians", np.flatnonzero((share <= 1) & far_right), CAUSE, 0.5)
    azimuth_right = turn < ANGLE_TOLERANCE
    for key, factor in FACTORS["distance"]:
        share = np.abs(p[:, 1] / factor - g[:, 1]) / np.maximum(g[:, 1], 1e-9) / WITHIN
        hit = np.flatnonzero((share <= 1) & azimuth_right)
        found.add(key, hit, CAUSE, 0.99 * share[hit])
    found.add("one_part_right.azimuth_deg", np.flatnonzero(azimuth_right & ~far_right), FACT)
    found.add("one_part_right.distance_km", np.flatnonzero(far_right & ~azimuth_right), FACT)
    near = (turn < 2 * ANGLE_TOLERANCE) & (radial < 2 * tau)
    found.add("near_miss", np.flatnonzero(near), LAST)


def _between(a: Floats, b: Floats) -> Floats:
    """Least angles between azimuths, 0 to 180 degrees."""
    turn = np.abs(a - b) % 360.0
    result: Floats = np.minimum(turn, 360.0 - turn)
    return result
