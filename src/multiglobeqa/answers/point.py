"""A point: latitude and longitude."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import pyproj

from multiglobeqa.answers.base import Format, FormatError, Question, params_of
from multiglobeqa.answers.coordinates import check_point, read_angle, read_pair, read_utm
from multiglobeqa.answers.jsontext import opened
from multiglobeqa.answers.rules import note
from multiglobeqa.answers.text import shown

TOLERANCE_KM: Final = max(5.0, 200.0 / 20)
GEOD: Final = pyproj.Geod(ellps="WGS84")
_LAT: Final = frozenset(("lat", "latitude"))
_LON: Final = frozenset(("lon", "lng", "long", "longitude"))
_UTM: Final = {
    "zone": "zone",
    "hemisphere": "hemisphere",
    "easting": "e",
    "easting_m": "e",
    "northing": "n",
    "northing_m": "n",
}


class Point(Format):
    """``{"lat": .., "lon": ..}`` in degrees; d = geodesic km on WGS 84; tau = max(5, 0.05 x 200) = 10 km.

    Questions whose ``params.system`` is "utm" ask for zone, hemisphere, easting and northing, and are
    scored as the point that these name. A swapped pair is wrong.
    """

    name = "point"

    def utm(self, question: Question) -> bool:
        """Whether the question asks for UTM coordinates."""
        return str(params_of(question).get("system") or "").casefold() == "utm"

    def value_schema(self, question: Question) -> dict[str, Any]:
        """Two numbers by key; or the four parts of UTM coordinates."""
        properties: dict[str, Any] = {
            "lat": {"type": "number", "minimum": -90, "maximum": 90},
            "lon": {"type": "number", "minimum": -180, "maximum": 180},
        }
        if self.utm(question):
            properties = {
                "zone": {"type": "integer", "minimum": 1, "maximum": 60},
                "hemisphere": {"type": "string", "enum": ["N", "S"]},
                "easting": {"type": "number"},
                "northing": {"type": "number"},
            }
        return {
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }

    def describe(self, question: Question) -> str:
        """For the prompt."""
        if self.utm(question):
            return (
                'A point in UTM (WGS 84) as {"zone": .., "hemisphere": "N" or "S", "easting": .., '
                '"northing": ..}, easting and northing in metres.'
            )
        return 'A point as {"lat": .., "lon": ..}: latitude and longitude in decimal degrees (WGS 84).'

    def parse(self, value: object, question: Question) -> Any:
        """From lat and lon by key, a text (decimal degrees or degrees, minutes, seconds), UTM or GeoJSON.

        A bare list of two numbers is latitude, longitude; a GeoJSON Point is longitude, latitude, as its
        standard says.
        """
        lat, lon = check_point(*self._pair(opened(value)))
        return {"lat": lat, "lon": lon}

    def _pair(self, value: object) -> tuple[float, float]:
        if isinstance(value, str):
            return read_pair(value)
        if isinstance(value, list | tuple) and len(value) == 2:
            note("point: bare pair read as latitude, longitude")
            return read_angle(value[0], "lat"), read_angle(value[1], "lon")
        if isinstance(value, Mapping):
            keys = {str(key).strip().casefold(): part for key, part in value.items()}
            names = set(keys)
            if len(keys) == len(value) == 2 and names & _LAT and names & _LON:
                return read_angle(keys[(names & _LAT).pop()], "lat"), read_angle(
                    keys[(names & _LON).pop()], "lon"
                )
            if names <= set(_UTM):
                parts = {_UTM[key]: part for key, part in keys.items()}
                if len(parts) == len(value) and {"zone", "e", "n"} <= set(parts):
                    note("point: read as UTM")
                    return read_utm(parts["zone"], parts.get("hemisphere"), parts["e"], parts["n"])
            pair = keys.get("coordinates")
            if (
                keys.get("type") == "Point"
                and names == {"type", "coordinates"}
                and isinstance(pair, list)
                and len(pair) == 2
            ):
                note("point: GeoJSON is longitude, latitude")
                return read_angle(pair[1], "lat"), read_angle(pair[0], "lon")
        raise FormatError(f"{shown(value)} is not a point.", mend='Write {"lat": .., "lon": ..}.')

    def distance(self, pred: Any, gold: Any, question: Question) -> float:
        """Geodesic distance in km."""
        return float(GEOD.inv(pred["lon"], pred["lat"], gold["lon"], gold["lat"])[2]) / 1000.0

    def tolerance(self, gold: Any, question: Question) -> float:
        """10 km."""
        return TOLERANCE_KM
