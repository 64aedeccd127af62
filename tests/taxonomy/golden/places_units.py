"""Places for the second source's count of first-level units: two countries of two regions, side by side on 32 S.

Miscount   100 E to 104 E, Miscount West to 102 E; a second source counts 3 regions
Truecount  104 E to 108 E, Truecount West to 106 E; a second source counts 2
Count Lake in all but Miscount West, Count Pond in Truecount East alone; Storm Count and Storm Recount likewise,
Storm Gauge, with winds, on the frontier; Storm Turn, with winds, from one month to the next
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import shapely

from multiglobeqa.kg.swept import swept_area

world: Any  # the module that reads this one

CELL = ("LIC", "medium")


def _countries() -> Iterator[Any]:
    place, box = world.Place, world.box
    for name, code, west, stated in (("Miscount", "CDU", 100, 3), ("Truecount", "CDV", 104, 2)):
        units = {"first_level_units": stated}
        yield place(name, "country", box(west, -34, west + 4, -30), code, cell=CELL, attributes=units)
        yield place(f"{name} West", "region", box(west, -34, west + 2, -30), code, (name,), CELL)
        yield place(f"{name} East", "region", box(west + 2, -34, west + 4, -30), code, (name,), CELL)
    yield place("Count Lake", "lake", box(103.8, -32.2, 106.2, -31.8), "CDV", cell=CELL)
    yield place("Count Pond", "lake", box(107, -32.2, 107.3, -31.8), "CDV", cell=CELL)


def _events() -> Iterator[Any]:
    for name, lat, path, diameter, first in (
        ("Storm Count (2016)", -33.0, (102.5, 107.0), None, "08-10T00:00"),
        ("Storm Recount (2017)", -33.3, (106.5, 107.5), None, "08-10T00:00"),
        (
            "Storm Gauge (2018)",
            -31.0,
            (103.0, 105.0),
            60.0,
            "08-10T00:00",
        ),  # a radius of 55.56 km, 0.58 degrees
        # at midnight, the first of September, at 103 E; 0.59 degrees
        ("Storm Turn (2019)", -32.5, (101.0, 102.0, 103.0, 104.0, 105.0), 60.0, "08-31T12:00"),
    ):
        places = [(lon, lat) for lon in path]
        fixes, time = world._fixes(f"{name[-5:-1]}-{first}", places, diameter)
        kept = {"fixes": fixes, "year": int(name[-5:-1])}
        yield world.Place(name, "storm", world.line(*places), "EEE", time=time, attributes=kept)
        if diameter:
            swept = shapely.to_wkt(swept_area(fixes), rounding_precision=7)
            yield world.Place(name, "storm_footprint", swept, "EEE", time=time, attributes={"track": name})
    day = "2018-04-01T12:00:00Z"
    yield world.Place("Earthquake q4", "earthquake", world.at(103, -32), "CDU", time=(day, day))


def places() -> Iterator[Any]:
    """All places of this module."""
    yield from _countries()
    yield from _events()
