"""Positions of airports that airportsdata writes wrongly.

Some were copied from aeronautical charts as degrees, minutes and seconds, with a decimal point behind the degrees:
Brussels Airport, at 50 54 05 N 4 29 04 E, stands there as 50.5405, 4.2904, 42 km off, in another province. Found by
reading each position so and asking which reading is nearer to the GeoNames place of the city stated, then by comparing
with the releases 20210425 and 20240119 of airportsdata, where all but one (Navi Mumbai, opened later) are right to
within 1 km. ``CORRECTED`` names them; other positions that differ between the releases by more than 3 km are right in
the later one: new airports of the same code.
"""

from __future__ import annotations

from typing import Final

CORRECTED: Final = frozenset({"EBAW", "EBBR", "EBCI", "EBKT", "EBLG", "EBOS", "ELLX", "VANM"})
"""ICAO codes of airports whose position is degrees, minutes and seconds written as one decimal number."""


def position(icao: str, lat: str, lon: str) -> tuple[float, float]:
    """Latitude and longitude in degrees of an airport, mended where its position is known to be wrong.

    ``lat``, ``lon``: as the source writes them. Raises ValueError where they are no numbers.
    """
    if icao in CORRECTED:
        return from_sexagesimal(lat), from_sexagesimal(lon)
    return float(lat), float(lon)


def from_sexagesimal(text: str) -> float:
    """Degrees of a number written DD.MMSS, with further digits as decimals of the seconds.

    Raises ValueError where it is no number, or minutes or seconds reach 60.
    """
    value = float(text)
    degrees, _, digits = text.strip().lstrip("+-").partition(".")
    digits = digits.ljust(4, "0")
    minutes, seconds = int(digits[:2]), float(f"{digits[2:4]}.{digits[4:] or 0}")
    if minutes >= 60 or seconds >= 60:
        raise ValueError(f"{text} holds no minutes and seconds")
    size = int(degrees or 0) + minutes / 60 + seconds / 3600
    return -size if value < 0 else size
