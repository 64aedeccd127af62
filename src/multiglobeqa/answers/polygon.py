"""A bounding box or a polygon."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from multiglobeqa.answers.base import Format, FormatError, Question
from multiglobeqa.answers.coordinates import read_angle
from multiglobeqa.answers.jsontext import opened
from multiglobeqa.answers.rules import note
from multiglobeqa.answers.shapes import intersection_over_union, read_geojson, read_wkt
from multiglobeqa.answers.text import shown

MIN_IOU: Final = 0.5
SIDES: Final = ("west", "south", "east", "north")
_ALIASES: Final = {
    **{side: side for side in SIDES},
    "xmin": "west", "minx": "west", "min_lon": "west", "lon_min": "west", "ymin": "south", "miny": "south",
    "min_lat": "south", "lat_min": "south", "xmax": "east", "maxx": "east", "max_lon": "east",
    "lon_max": "east", "ymax": "north", "maxy": "north", "max_lat": "north", "lat_max": "north",
}  # fmt: skip


class Polygon(Format):
    """A box ``{"west", "south", "east", "north"}`` in degrees (west > east crosses the antimeridian) or WKT.

    d = 1 - IoU in EPSG:6933; right where IoU >= 0.5; NE = 1 - IoU.
    """

    name = "polygon"

    def value_schema(self, question: Question) -> dict[str, Any]:
        """Four numbers by key."""
        lon = {"type": "number", "minimum": -180, "maximum": 180}
        lat = {"type": "number", "minimum": -90, "maximum": 90}
        return {
            "type": "object",
            "properties": {"west": lon, "south": lat, "east": lon, "north": lat},
            "required": list(SIDES),
            "additionalProperties": False,
        }

    def describe(self, question: Question) -> str:
        """For the prompt."""
        return (
            'A bounding box as {"west": .., "south": .., "east": .., "north": ..} in decimal degrees '
            "(WGS 84); west is greater than east where the box crosses the 180th meridian."
        )

    def parse(self, value: object, question: Question) -> Any:
        """A box by key, a list west, south, east, north (also under "bbox"), WKT, or a GeoJSON geometry."""
        value = opened(value)
        if isinstance(value, str):
            return read_wkt(value)
        if isinstance(value, list | tuple) and len(value) == 4:
            note("polygon: list read as west, south, east, north")
            return read_box(*value)
        if isinstance(value, Mapping):
            keys = {str(key).strip().casefold(): part for key, part in value.items()}
            if set(keys) == {"bbox"}:
                return (
                    self.parse(keys["bbox"], question)
                    if isinstance(keys["bbox"], list | dict)
                    else _refuse(value)
                )
            if "type" in keys:
                return read_geojson(value)
            sides = {_ALIASES.get(key, ""): part for key, part in keys.items()}
            if set(sides) == set(SIDES) and len(value) == 4:
                return read_box(*(sides[side] for side in SIDES))
        return _refuse(value)

    def distance(self, pred: Any, gold: Any, question: Question) -> float:
        """1 - IoU."""
        return 1.0 - intersection_over_union(pred, gold)

    def tolerance(self, gold: Any, question: Question) -> float:
        """0.5; an IoU of exactly 0.5 is right."""
        return 1.0 - MIN_IOU

    def _right(self, pred: Any, gold: Any, question: Question) -> bool:
        return intersection_over_union(pred, gold) >= MIN_IOU

    def _error(self, pred: Any, gold: Any, question: Question) -> float:
        return min(1.0, max(0.0, self.distance(pred, gold, question)))


def _refuse(value: object) -> Any:
    raise FormatError(f"{shown(value)} is not a box.", mend="Write west, south, east and north.")


def read_box(west: object, south: object, east: object, north: object) -> dict[str, float]:
    """A box with longitudes in [-180, 180]; raises FormatError where it has no area or leaves the Earth.

    Longitudes beyond 180 (to 360) or below -180 (to -360) are wrapped; a width of 360 is the whole circle.
    """
    w, e = read_angle(west, "lon"), read_angle(east, "lon")
    s, n = read_angle(south, "lat"), read_angle(north, "lat")
    if not (-90 <= s <= 90 and -90 <= n <= 90):
        raise FormatError(f"Latitudes {shown(s)} and {shown(n)} are not both within -90 and 90.")
    if not (-360 <= w <= 360 and -360 <= e <= 360) or e - w > 360:
        raise FormatError(f"Longitudes {shown(w)} and {shown(e)} are not those of a box.")
    if not s < n:
        raise FormatError(f"South {shown(s)} is not below north {shown(n)}.")
    if e - w == 360:
        w, e = -180.0, 180.0
    if abs(w) > 180 or abs(e) > 180:
        note("polygon: longitude wrapped")
    w, e = _wrap(w), _wrap(e)
    if w == e or (w, e) == (180.0, -180.0):
        raise FormatError(f"The box has no width: west {shown(w)}, east {shown(e)}.")
    return {"west": w, "south": float(s) + 0.0, "east": e, "north": float(n) + 0.0}


def _wrap(lon: float) -> float:
    return float(lon - 360 if lon > 180 else lon + 360 if lon < -180 else lon) + 0.0
