"""Latitudes and longitudes as people write them.

A pair without letters or keys is latitude, longitude, in this order (WKT: longitude, latitude). Letters (N,
S, E, W) name the axis and may come in either order. A sign or a letter applies to the whole of degrees,
minutes and seconds; signs behind the first number only separate ("46-13.4N").
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import Final

import pyproj

from multiglobeqa.answers.base import FormatError
from multiglobeqa.answers.numbers import check_number
from multiglobeqa.answers.rules import note
from multiglobeqa.answers.text import ascii_digits, shown, strip_invisible

MAX_TEXT: Final = 200
_N: Final = r"\d{1,12}(?:[.,]\d{1,20})?"
_ONE: Final = re.compile(
    rf"(?P<h1>[NSEW])?\s*(?P<sign>[+-])?\s*(?P<d>{_N})\s*"
    rf"(?:(?:°|:|-|\s|D)\s*(?P<m>{_N})\s*(?:(?:'|:|-|\s)\s*(?P<s>{_N})\s*(?:\"|'')?|'?)|°|DEG)?\s*(?P<h2>[NSEW])?"
)
_MARKS: Final = str.maketrans(
    {"′": "'", "’": "'", "‘": "'", "ʹ": "'", "´": "'", "″": '"', "”": '"', "“": '"', "ʺ": '"', "º": "°",
     "˚": "°",
     "−": "-", "–": "-", "－": "-", "﹣": "-", "，": ",", "．": ".", "；": ";", "\u066b": ".", "\u060c": ","}
)  # fmt: skip
_KEYED: Final = re.compile(r"LAT(?:ITUDE)?\s*[:=]?\s*(.+?)\s*[,;]?\s*LON(?:G|GITUDE)?\s*[:=]?\s*(.+)")
_LETTERED: Final = (
    re.compile(r"([^EW]*[NS])\s*[,;]?\s*([^NS]*[EW])"),
    re.compile(r"([NS][^EW]*?)\s*[,;]?\s*([EW][^NS]*)"),
    re.compile(r"([^NS]*[EW])\s*[,;]?\s*([^EW]*[NS])"),
    re.compile(r"([EW][^NS]*?)\s*[,;]?\s*([NS][^EW]*)"),
)


def check_point(lat: float, lon: float) -> tuple[float, float]:
    """A pair in degrees with longitude wrapped to [-180, 180].

    Raises FormatError outside latitude [-90, 90] and longitude [-180, 360]; never swaps.
    """
    if not -90 <= lat <= 90:
        hint = "Latitude and longitude may be swapped." if abs(lat) <= 180 and abs(lon) <= 90 else ""
        raise FormatError(f"Latitude {shown(lat)} is out of range.", mend=hint)
    if not -180 <= lon <= 360:
        raise FormatError(f"Longitude {shown(lon)} is out of range.")
    if lon > 180:
        note("point: longitude wrapped")
    return float(lat) + 0.0, float(lon - 360 if lon > 180 else lon) + 0.0


def read_angle(value: object, axis: str) -> float:
    """One coordinate in degrees: a JSON number, or a text in decimal degrees or degrees, minutes, seconds.

    ``axis`` is "lat" or "lon"; a letter of the other axis is an error.
    """
    if not isinstance(value, str):
        return check_number(value)
    degrees, found = _one(_clean(value), value)
    if found not in ("", axis):
        raise FormatError(f"{shown(value)} is not a {'latitude' if axis == 'lat' else 'longitude'}.")
    return degrees


def read_pair(text: str) -> tuple[float, float]:
    """Latitude and longitude of a text; raises FormatError."""
    cleaned = _clean(text)
    wkt = re.fullmatch(r"POINT\s*\(\s*(\S+)\s+(\S+)\s*\)", cleaned)
    if wkt:
        note("point: WKT is longitude, latitude")
        return read_angle(wkt[2], "lat"), read_angle(wkt[1], "lon")
    keyed = _KEYED.fullmatch(cleaned)
    if keyed:
        return read_angle(keyed[1].strip(" ,;"), "lat"), read_angle(keyed[2], "lon")
    cleaned = cleaned.strip("()[] ")
    pieces = next((match.groups() for match in (p.fullmatch(cleaned) for p in _LETTERED) if match), None)
    pieces = pieces or _split(cleaned)
    if pieces is None:
        raise FormatError(
            f"{shown(text)} is not a pair of coordinates.", mend="Write latitude and longitude by key."
        )
    (first, axis1), (second, axis2) = (_one(piece.strip(), text) for piece in pieces)
    if {axis1, axis2} in ({""}, {"lat", "lon"}):
        if not axis1:
            note("point: bare pair read as latitude, longitude")
        return (second, first) if axis1 == "lon" else (first, second)
    raise FormatError(f"{shown(text)} does not name one latitude and one longitude.")


def read_utm(zone: object, hemisphere: object, easting: object, northing: object) -> tuple[float, float]:
    """Latitude and longitude of WGS 84 / UTM coordinates in metres.

    Parameters
    ----------
    zone : 1 to 60, or a text with the hemisphere behind it ("33N"; S is south, not a latitude band).
    hemisphere : "N", "S", a word that starts so, or None where the zone has it.
    """
    text = (str(zone) + (hemisphere[:1] if isinstance(hemisphere, str) else "")).strip().upper()
    match = re.fullmatch(r"(\d{1,2})\s*([NS])\2?", text) if len(text) <= 20 else None
    if match is None or not 1 <= int(match[1]) <= 60:
        raise FormatError(
            f"{shown(zone)}, {shown(hemisphere)} is not a UTM zone.", mend="Write 1 to 60 and N or S."
        )
    east, north = check_number(easting), check_number(northing)
    if not (0 <= east <= 1_000_000 and 0 <= north <= 10_000_000):
        raise FormatError(f"Easting {shown(east)}, northing {shown(north)} is outside a UTM zone.")
    lon, lat = _utm(int(match[1]), match[2]).transform(east, north)
    return float(lat), float(lon)


@lru_cache(maxsize=120)
def _utm(zone: int, hemisphere: str) -> pyproj.Transformer:
    return pyproj.Transformer.from_crs((32600 if hemisphere == "N" else 32700) + zone, 4326, always_xy=True)


def _clean(text: str) -> str:
    if len(text) > MAX_TEXT:
        raise FormatError(f"{shown(text)} is too long for coordinates.")
    return ascii_digits(strip_invisible(text)).translate(_MARKS).upper().strip().removesuffix(".")


def _split(text: str) -> tuple[str, ...] | None:
    for separator in (r"\s*;\s*", r",\s+", r",", r"\s+"):
        pieces = tuple(re.split(separator, text))
        if len(pieces) == 2 and all(pieces):
            return pieces
    return None


def _one(text: str, source: object) -> tuple[float, str]:
    """Degrees and axis ("lat", "lon" or "") of one coordinate."""
    match = _ONE.fullmatch(text)
    if match is None:
        raise FormatError(f"{shown(source)} is not a coordinate.", mend="Write decimal degrees.")
    parts = [match[name] for name in ("d", "m", "s")]
    numbers = [float(part.replace(",", ".")) for part in parts if part]
    letter = (match["h1"] or "") + (match["h2"] or "")
    whole = all("." not in part.replace(",", ".") for part, finer in pairwise(parts) if part and finer)
    if (
        any(number >= 60 for number in numbers[1:])
        or not whole
        or len(letter) > 1
        or (letter and match["sign"])
    ):
        raise FormatError(f"{shown(source)} is not a coordinate: its parts contradict each other.")
    size = sum(number / 60**place for place, number in enumerate(numbers))
    negative = match["sign"] == "-" or letter in ("S", "W")
    return (-size if negative else size), ("lat" if letter in ("N", "S") else "lon") if letter else ""
