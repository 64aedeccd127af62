"""When the query's answer and the solver's are the same answer.

Discrete answers must be equal. Continuous ones may differ by what two exact methods differ in: 0.01 % or 2 m for
lengths, 0.02 % for areas and ratios, 0.001 degrees for angles. Constructions leave more room: 0.1 % for areas
swept by storms and for centroids of simplified outlines, 0.5 % for other measures of simplified outlines (a stored
footprint is one), where the last vertex kept may be another one; the scorer allows 5 %.
"""

from __future__ import annotations

from math import cos, radians
from typing import Any, Final

LENGTH_RELATIVE: Final = 1e-4
LENGTH_KM: Final = 0.002
AREA_RELATIVE: Final = 2e-4
SWEPT: Final = 1e-3
MOVED: Final = 1e-3
SIMPLIFIED: Final = 5e-3
CONSTRUCTED: Final = {
    "B03": AREA_RELATIVE,
    "G03": MOVED,
    "K05": SIMPLIFIED,
    "I03": SWEPT,
    "I04": SIMPLIFIED,
    "I05": SIMPLIFIED,
}
"""Template -> relative difference allowed."""
DEGREES: Final = 1e-3
COORDINATE_DEGREES: Final = 1e-4


def same(format_name: str, mine: Any, theirs: Any, template: str = "") -> bool:
    """Whether two canonical answers agree. ``mine`` is the query's, ``theirs`` the solver's."""
    if mine is None or theirs is None:
        return mine is theirs
    if format_name == "distance":
        return _close(mine, theirs, CONSTRUCTED.get(template, LENGTH_RELATIVE), LENGTH_KM)
    if format_name == "area":
        return _close(mine, theirs, CONSTRUCTED.get(template, AREA_RELATIVE), 1e-6)
    if format_name == "count" and template in CONSTRUCTED:
        return _close(mine, theirs, CONSTRUCTED[template], 1)
    if format_name == "ratio":
        return _close(mine, theirs, CONSTRUCTED.get(template, AREA_RELATIVE), 1e-6)
    if format_name == "point":
        return _close(mine["lat"], theirs["lat"], 0, COORDINATE_DEGREES) and _angle(
            mine["lon"], theirs["lon"], COORDINATE_DEGREES / max(1e-7, _cosine(mine["lat"]))
        )
    if format_name == "polar":
        return _close(mine["distance_km"], theirs["distance_km"], LENGTH_RELATIVE, LENGTH_KM) and _angle(
            mine["azimuth_deg"], theirs["azimuth_deg"], DEGREES
        )
    if format_name == "polygon" and isinstance(mine, dict):
        return all(_angle(mine[k], theirs[k], 1e-6) for k in ("west", "south", "east", "north"))
    return bool(mine == theirs)


def _close(a: float, b: float, relative: float, absolute: float) -> bool:
    return abs(float(a) - float(b)) <= max(absolute, relative * abs(float(a)))


def _angle(a: float, b: float, degrees: float) -> bool:
    return abs((float(a) - float(b) + 180) % 360 - 180) <= degrees


def _cosine(latitude: float) -> float:
    return cos(radians(latitude))
