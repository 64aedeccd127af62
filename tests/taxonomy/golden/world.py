"""The golden world: hand-made, on and near the equator, small enough to check by eye.

One degree of longitude on the equator is 111.3195 km, one degree of latitude 110.574 km. Each group of entities stands
in a country code of its own, since most templates pair entities of one country; the groups are named after the templates
they serve. Three knowledge graphs hold the same geometries under other IRIs and classes:

    knowwheregraph  countries, regions, cities, airports, lakes, borders, storms, earthquakes
    osmh3kg         areas as admin_area of levels 2 and 4, cities as villages, airports, lakes; roads and venues besides
    worldkg         cities as settlements, airports as schools, lakes, venues that are points

The main stage (country AAA and its neighbour BBB):

    Realm      0 E to 4 E, 1 S to 1 N: Westland to 2 E, Eastland from 2 E
    March      4 E to 6.5 E, 1 S to 1 N: Outerland 4.05 E to 5 E, Innerland from 5 E
    cities     W1 W2 W3 at 0.5, 1, 1.5 E on the equator; E1 (2.5 E, 0.4 S), E2 (3.5 E, 0.5 N), Verge (3.85 E, 0)
               Brink (4.05 E, 0.5 N), M1 M2 M3 (4.5, 5, 5.9 E), Hem and Seam near the eastern edge of March, Yonder east of it
    airports   X1 (0.4 E) and X2 (1.9 E) in Westland; Y1 (4.75 E), Y2 (5.5 E, 0.5 N), Rim (4.0895 E, 0.5 S) in March
"""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import h3
import numpy as np
import shapely

from multiglobeqa.geo import measure
from multiglobeqa.kg.swept import swept_area

KM_LON, KM_LAT = 111.3195, 110.574
KGS = ("knowwheregraph", "osmh3kg", "worldkg")
KWGR = "http://stko-kwg.geog.ucsb.edu/lod/resource/"
OSM = "https://www.openstreetmap.org/"
WKG = "http://www.worldkg.org/resource/"

CLASSES: dict[str, dict[str, tuple[str, int | None]]] = {
    "country": {"knowwheregraph": ("country", 0), "osmh3kg": ("admin_area", 2)},
    "region": {"knowwheregraph": ("admin1", 1), "osmh3kg": ("admin_area", 4)},
    "city": {
        "knowwheregraph": ("city15000", None),
        "osmh3kg": ("village", None),
        "worldkg": ("settlement", None),
    },
    "seat": {"worldkg": ("administrative_seat", None)},
    "airport": {
        "knowwheregraph": ("iata_airport", None),
        "osmh3kg": ("airport", None),
        "worldkg": ("school", None),
    },
    "lake": {
        "knowwheregraph": ("natural_earth_lake", None),
        "osmh3kg": ("lake", None),
        "worldkg": ("natural_earth_lake", None),
    },
    "border": {"knowwheregraph": ("border", None)},
    "storm": {"knowwheregraph": ("storm", None)},
    "storm_footprint": {"knowwheregraph": ("storm_footprint", None)},
    "earthquake": {"knowwheregraph": ("earthquake", None)},
    "road": {"osmh3kg": ("road", None)},
    "district": {"osmh3kg": ("admin_area", 6)},
    "town": {"osmh3kg": ("admin_area", 8)},
    "cafe": {"osmh3kg": ("cafe", None), "worldkg": ("cafe", None)},
    "bakery": {"osmh3kg": ("bakery", None), "worldkg": ("bakery", None)},
    "library": {"osmh3kg": ("library", None), "worldkg": ("library", None)},
}
"""What an entity of the world is in each KG: class and administrative level."""


@dataclass
class Place:
    """An entity of the world. ``inside``: names of the areas that hold it, the direct parent first."""

    name: str
    what: str
    wkt: str
    country: str
    inside: tuple[str, ...] = ()
    cell: tuple[str, str] = ("LIC", "low")
    time: tuple[str, str] | None = None
    attributes: dict[str, Any] = field(default_factory=dict)


def box(west: float, south: float, east: float, north: float) -> str:
    """A box as WKT."""
    return f"POLYGON(({west} {south},{east} {south},{east} {north},{west} {north},{west} {south}))"


def ring(*xy: tuple[float, float]) -> str:
    """A polygon as WKT from its vertices."""
    return "POLYGON((" + ",".join(f"{x} {y}" for x, y in (*xy, xy[0])) + "))"


def at(lon: float, lat: float = 0.0) -> str:
    """A point as WKT."""
    return f"POINT({lon} {lat})"


def line(*xy: tuple[float, float]) -> str:
    """A line as WKT."""
    return "LINESTRING(" + ",".join(f"{x} {y}" for x, y in xy) + ")"


WEST, EAST = ("Westland", "Realm"), ("Eastland", "Realm")
OUTER, INNER = ("Outerland", "March"), ("Innerland", "March")
GROUP_CELLS = [(i, d) for i in ("LMC", "UMC", "HIC") for d in ("low", "medium", "high")]


def stage() -> Iterator[Place]:
    """Realm, March and what lies in and around them."""
    yield Place("Realm", "country", box(0, -1, 4, 1), "AAA", attributes={"first_level_units": 2})
    yield Place("Westland", "region", box(0, -1, 2, 1), "AAA", ("Realm",))
    yield Place("Eastland", "region", box(2, -1, 4, 1), "AAA", ("Realm",))
    yield Place("March", "country", box(4, -1, 6.5, 1), "BBB", attributes={"first_level_units": 2})
    yield Place("Outerland", "region", box(4.05, -1, 5, 1), "BBB", ("March",))
    yield Place("Innerland", "region", box(5, -1, 6.5, 1), "BBB", ("March",))
    yield Place("Corner", "region", box(-1, 1, 0, 2), "AAA")  # meets Westland in a point
    yield Place("Hair", "region", box(-1, -1, -0.003, 0.9), "AAA")  # 334 m from Westland
    cities: list[tuple[str, float, float, str, tuple[str, ...]]] = [
        ("W1", 0.5, 0, "AAA", WEST),
        ("W2", 1, 0, "AAA", WEST),
        ("W3", 1.5, 0, "AAA", WEST),
        ("E1", 2.5, -0.4, "AAA", EAST),
        ("E2", 3.5, 0.5, "AAA", EAST),
        ("Verge", 3.85, 0, "AAA", EAST),
        ("Brink", 4.05, 0.5, "BBB", ("March",)),
        ("M1", 4.5, 0, "BBB", OUTER),
        ("M2", 5.0, 0, "BBB", ("March",)),
        ("M3", 5.9, 0, "BBB", INNER),
        ("Hem", 6.49, -0.8, "BBB", INNER),
        ("Seam", 6.465, 0.8, "BBB", INNER),
        ("Yonder", 6.6, 0, "BBB", ()),
    ]
    for name, lon, lat, country, inside in cities:
        yield Place(name, "city", at(lon, lat), country, inside)
    yield Place("X1", "airport", at(0.4), "AAA", WEST)
    yield Place("X2", "airport", at(1.9), "AAA", WEST)
    yield Place("Y1", "airport", at(4.75), "BBB", OUTER)
    yield Place("Y2", "airport", at(5.5, 0.5), "BBB", INNER)
    yield Place("Rim", "airport", at(4.0895, -0.5), "BBB", OUTER)
    yield Place("Mere", "lake", box(0.2, 0.2, 0.4, 0.4), "AAA", WEST)
    yield Place("Pond", "lake", box(1.9, -0.1, 2.1, 0.1), "AAA", ("Realm",))  # half in each region
    yield Place("Nick", "lake", box(1.998, 0.3, 2.5, 0.4), "AAA", ("Realm",))  # 0.4 % in Westland
    yield Place("Rest", "lake", box(1.5, -0.6, 2.001, -0.5), "AAA", ("Realm",))  # 0.2 % outside Westland
    yield Place("Farmere", "lake", box(4.03, -0.9, 4.045, -0.8), "AAA")  # 3.3 km from Eastland
    yield Place("Nearmere", "lake", box(4.003, 0.85, 4.04, 0.95), "AAA")  # 334 m from Eastland
    yield Place("Border Lake", "lake", box(3.9, 0.6, 4.1, 0.8), "AAA")
    frontier = line((4, -1), (4, 1))
    yield Place(
        "border between March and Realm", "border", frontier, "AAA", attributes={"of": ["March", "Realm"]}
    )
    yield Place(
        "Dateline", "region", f"MULTIPOLYGON{_two(box(179, 0, 180, 1), box(-180, 0, -179, 1))}", "AAA"
    )
    yield Place(
        "Dateline North", "region", f"MULTIPOLYGON{_two(box(179, 1, 180, 2), box(-180, 1, -179, 2))}", "AAA"
    )
    yield Place("Seamland", "country", box(178, -12, 180, -10), "SEA", attributes={"first_level_units": 2})
    yield Place("Seam Region", "region", box(179, -12, 180, -10), "SEA", ("Seamland",))
    yield Place("Inner Region", "region", box(178, -12, 179, -11), "SEA", ("Seamland",))
    yield Place("Seam Lake", "lake", box(179.5, -12, 180, -11.8), "SEA")
    yield Place("Inner Lake", "lake", box(178.5, -12, 178.7, -11.8), "SEA")
    yield Place("Overlay", "region", box(6.0, -0.5, 6.3, -0.3), "BBB")  # upon Innerland
    # a city that two regions hold; a region that shares 55 m with one of them
    yield Place("Duo North", "region", box(8, 0, 9, 1), "DDD")
    yield Place("Duo South", "region", box(8, -1, 9, 0), "DDD")
    yield Place("Stub", "region", box(9, 0.5, 9.1, 0.5005), "DDD")
    yield Place("Both", "city", at(8.5), "DDD", ("Duo North", "Duo South"))


def _two(*polygons: str) -> str:
    return "(" + ",".join(p.removeprefix("POLYGON") for p in polygons) + ")"


def pairs() -> Iterator[Place]:
    """Groups of two, three or four cities, each in a country code of its own."""
    groups: dict[str, dict[str, tuple[float, float]]] = {
        "PAA": {"Null": (20, 0), "East One": (21, 0)},
        "PAB": {"South Foot": (30, 0), "North Head": (30, 1)},
        "PAC": {"Slim": (40, 0), "Tall": (41, 10)},  # 111 km east of 1,112 km
        "PAD": {"Low Fifty": (50, 50), "High Sixty": (60, 56)},  # the parallels differ by 13 %
        "PAE": {"Third": (70, 0), "One Off": (71, 0), "Three Off": (73, 0)},
        "PAF": {"Middle": (80, 0), "Right": (81, 0), "Left": (78.98, 0)},  # 1 and 1.02 degrees
        "PAI": {"Spot": (82, 0), "Dot": (82.0003, 0), "Blot": (81.9999, 0.0002)},  # 33 and 25 m
        "PAG": {"G1": (100, 0), "G2": (100.9, 0), "G3": (100.2, 0)},  # 100.19 km and 22.3 km
        "PAH": {"Skew": (120, 0), "Askew": (121, 1)},  # azimuth 45 degrees
        "PAJ": {"Far West": (125, 0), "Far East": (145, 0)},  # 2,226 km
        "PAK": {"Bow": (-150, 60), "Arrow": (-128, 69)},  # bearings differ across 45 degrees
        "PAL": {"Start": (-100, 0), "End": (-98, 0), "Lefty": (-99, 0.5)},
        "PAM": {"Start2": (-90, 0), "End2": (-88, 0), "Righty": (-89, -0.5)},
        "PAN": {"Start3": (-80, 0), "End3": (-78, 0), "Onny": (-79, 0.01)},
        "PAO": {"Inside H3": (-122.418, 37.7759), "Also H3": (-122.4185, 37.7763)},
        "PAP": {"Jutland": (10.40744, 57.64911), "Near Jutland": (10.4075, 57.6492)},
        "PAQ": {"On Edge": _edge_point(), "Off Edge": (-73.9, 40.7)},
        "PAR": {"Meridian": (5.0, 45.1), "Parallel": (5.05, 45.1)},
        "PAS": {"Ten": (-60, 0.1), "Eleven": (-59.9, 0.1), "Ten and More": (-60, 0.2)},
        "PAT": {"Coarse West": (44.95, 0.3), "Coarse East": (45.05, 0.3)},
    }
    for number, (code, places) in enumerate(groups.items()):
        for name, (lon, lat) in places.items():
            yield Place(name, "city", at(lon, lat), code, cell=GROUP_CELLS[number % len(GROUP_CELLS)])
    cell = ("HIC", "high")
    # L: distances in degrees from Core; each in a place where nothing else lies within 160 km
    for code, core, others in (
        ("LAA", ("Core", 0.0), {"Near": 0.1, "Apart": -0.3}),
        ("LAB", ("Core2", 5.0), {"Doubt": 5.13}),
        ("LAC", ("Core3", 10.0), {"Half": 10.5}),
        ("LAD", ("Core4", 15.0), {"Full": 16.0}),
        ("LAE", ("Core5", 20.0), {"Unsure": 20.7}),
        ("LAF", ("Core6", 25.0), {"First": 25.1, "Close Second": 24.89, "Later": 25.3}),
        ("LAG", ("Core7", 30.0), {"First7": 30.1, "Between7": 29.87, "Later7": 30.3}),
        ("LAH", ("Core8", 35.0), {"Twin8": 35.0002, "Next8": 35.5}),
    ):
        yield Place(core[0], "city", at(-core[1] - 10, 10), code, cell=cell)
        for name, lon in others.items():
            yield Place(name, "city", at(-lon - 10, 10), code, cell=cell)
    yield Place("Brim", "city", at(-10, -19.9), "LAJ", cell=cell)  # 11 km from the end of the OSM extract
    yield Place("Rimmer", "city", at(-10, -19.7), "LAJ", cell=cell)
    for k in range(9):  # nine about as near as one another: a ring of 0.1 degrees on the ground
        turn = k * 40
        lon, lat, _ = _forward(-55.0, 12.0, turn, 20.0 + 0.2 * k)
        yield Place(f"Ring {k}", "city", at(round(lon, 6), round(lat, 6)), "LAI", cell=cell)
    yield Place("Navel", "city", at(-55, 12), "LAI", cell=cell)


def _forward(lon: float, lat: float, azimuth: float, km: float) -> tuple[float, float, float]:
    from pyproj import Geod

    x, y, back = Geod(ellps="WGS84").fwd(lon, lat, azimuth, km * 1000)
    return float(x), float(y), float(back)


def _edge_point() -> tuple[float, float]:
    """The middle of an edge of an H3 cell of resolution 7: on the edge at resolution 7, by construction."""
    (lat1, lon1), (lat2, lon2) = h3.cell_to_boundary(h3.latlng_to_cell(40.7, -74.0, 7))[:2]
    return round((lon1 + lon2) / 2, 7), round((lat1 + lat2) / 2, 7)


def shapes() -> Iterator[Place]:
    """Lakes of plain shapes, two a country code, for A01.b, G, K and N."""
    cell = ("LMC", "high")
    ell = ring((0, 0), (3, 0), (3, 1), (1, 1), (1, 3), (0, 3))  # area 5, perimeter 12, hull 7 and 10.83
    w, h = 80 / KM_LON, 50 / KM_LAT  # a right triangle 80 km wide, 50 km high, its foot bulging 9 km down
    comb = [(0.0, 0.0), (1.0, 0.0), (1.0, 0.6)]
    for k in range(10):  # teeth from 0.6 to 1
        comb += [(0.98 - k * 0.1, 1.0), (0.92 - k * 0.1, 0.6)]
    saw = [(0.0, 0.0), (1.0, 0.0)] + [
        (1 - k * 0.01, 0.5 + 0.02 * (k % 2)) for k in range(101)
    ]  # teeth of 2.2 km
    beam = ring(
        (0, 0), (1, 0), (1, 0.15), (0.55, 0.15), (0.55, 0.85), (1, 0.85), (1, 1), (0, 1), (0, 0.85), (0.45, 0.85), (0.45, 0.15),
        (0, 0.15),
    )  # fmt: skip
    groups: dict[str, dict[str, str]] = {
        "SAA": {"Lower": box(0, 0, 1, 1), "Upper": box(0, 2, 1, 3)},  # 1 degree of latitude apart
        "SAB": {"Left Half": box(0, 0, 1, 1), "Right Half": box(1, 0, 2, 1)},  # meet
        "SAC": {"Unit": box(0, 0, 1, 1), "Unit and Some": box(2, 0, 3, 1.02)},  # areas within 2 %
        "SAD": {"Square": box(0, 0, 1, 1), "Bar": box(2, 0, 6, 1)},
        "SAE": {"Comb": ring(*comb), "Rod": box(2, 0, 6, 1)},  # Polsby-Popper and Reock disagree
        "SAF": {"Beam": beam, "Brick": box(2, 0, 3, 0.8)},  # rectangle and ellipse disagree
        "SAG": {"Ell": ell},
        "SAH": {"Sail": ring((0, 0), (w / 2, -9 / KM_LAT), (w, 0), (0, h))},
        "SAI": {"Great Sail": ring((0, 0), (5 * w, -90 / KM_LAT), (10 * w, 0), (0, 10 * h))},
        "SAJ": {"Isles": f"MULTIPOLYGON{_two(box(0, 0, 1, 1), box(3, 0, 4, 1))}"},
        "SAK": {"Ditch": box(0, 0, 1, 0.02)},  # 111 km by 2.2 km
        "SAL": {"Puddle": box(0, 0, 0.0005, 0.01)},  # 56 m wide
        "SAM": {"Great Square": box(0, 0, 5, 5)},
        "SAN": {"Frame": "POLYGON((0 0,3 0,3 3,0 3,0 0),(1 1,2 1,2 2,1 2,1 1))"},
        "SAO": {"Saw": ring(*saw)},
    }  # fmt: skip
    for number, (code, places) in enumerate(groups.items()):
        west = -170 + 8 * number
        for name, wkt in places.items():
            moved = shapely.transform(
                shapely.from_wkt(wkt), lambda xy, west=west: np.round(xy + np.array([west, 0]), 7)
            )
            yield Place(name, "lake", shapely.to_wkt(moved, rounding_precision=7, trim=True), code, cell=cell)


def borders() -> Iterator[Place]:
    """Hubland with four neighbours, all borders stated; Ringland with five, one border not stated."""
    cell = ("UMC", "medium")
    for hub, lon, extra in (("Hubland", 150.0, False), ("Ringland", 160.0, True), ("Evenland", 170.0, False)):
        long_south = 2.0 if hub == "Evenland" else 1.5  # Evenland: north and south within 2 %
        units = {"first_level_units": 2} if extra else {}
        yield Place(hub, "country", box(lon, 0, lon + 2, 2), "HHH", cell=cell, attributes=units)
        neighbours = {
            "North": (box(lon, 2, lon + 2, 3), line((lon, 2), (lon + 2, 2))),
            "South": (box(lon, -1, lon + long_south, 0), line((lon, 0), (lon + long_south, 0))),
            "East": (box(lon + 2, 0, lon + 3, 1), line((lon + 2, 0), (lon + 2, 1))),
            "West": (box(lon - 1, 0, lon, 0.5), line((lon, 0), (lon, 0.5))),
        }
        for side, (area, edge) in neighbours.items():
            name = f"{hub} {side}"
            yield Place(name, "country", area, "HHH", cell=cell)
            yield Place(
                f"border between {hub} and {name}",
                "border",
                edge,
                "HHH",
                cell=cell,
                attributes={"of": [hub, name]},
            )
        if extra:
            halves = _two(box(lon, 0, lon + 0.4, 0.4), box(lon + 1, 0, lon + 1.4, 0.4))
            yield Place("Split", "region", f"MULTIPOLYGON{halves}", "HHH", (hub,), cell)
            yield Place("Whole", "region", box(lon, 1, lon + 1.8, 1.4), "HHH", (hub,), cell)
            yield Place(f"{hub} Fifth", "country", box(lon + 2, 1.5, lon + 3, 2), "HHH", cell=cell)


def _fixes(
    first: str, places: list[tuple[float, float]], diameter: float | None
) -> tuple[list[list[Any]], tuple[str, str]]:
    begin = datetime.fromisoformat(first).replace(tzinfo=UTC)
    times = [
        datetime.fromtimestamp(begin.timestamp() + 6 * 3600 * k, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        for k in range(len(places))
    ]
    return [[t, lon, lat, diameter] for t, (lon, lat) in zip(times, places, strict=True)], (
        times[0],
        times[-1],
    )


def events() -> Iterator[Place]:
    """Storms and earthquakes."""
    storms = {
        # straight over Realm and March; crosses the frontier once; no winds stated
        "Storm Crosser (2001)": ("2001-08-01T00:00", [(0.5, 0.8), (3.0, 0.8), (6.0, 0.8)], None),
        # 5 km into Eastland
        "Storm Toucher (2002)": ("2002-08-01T00:00", [(1.0, -0.8), (2.045, -0.8)], None),
        # 216 nautical miles of diameter: a radius of 200.016 km, 5 degrees long on the equator
        "Storm Stadium (2010)": ("2010-09-01T00:00", [(-30.0, 0.0), (-25.0, 0.0)], 216.0),
        # two degrees north of Null
        "Storm Northerly (2003)": ("2003-07-01T00:00", [(18.0, 2.0), (22.0, 2.0)], None),
        "Storm Hogmanay (2005)": ("2005-12-31T18:00", [(18.0, 3.0), (20.0, 3.0), (22.0, 3.0)], None),
        # three times over a border that bends like a river
        "Storm Meander (2006)": ("2006-07-01T00:00", [(-140.0, -10.0), (-139.0, -10.0)], None),
        "Storm Zero (2004)": ("2004-07-01T00:00", [(19.0, 0.0), (20.0, 0.0)], None),  # ends at Null
    }
    for name, (first, places, diameter) in storms.items():
        fixes, time = _fixes(first, places, diameter)
        wkt = line(*places)
        yield Place(name, "storm", wkt, "EEE", time=time, attributes={"fixes": fixes, "year": int(first[:4])})
        area = swept_area([[t, x, y, d] for t, x, y, d in fixes]) if diameter else None
        if area is not None:
            yield Place(
                name, "storm_footprint", shapely.to_wkt(area, rounding_precision=7), "EEE", time=time,
                attributes={"track": name},
            )  # fmt: skip
    yield Place("Halfland", "region", box(-40, 0, -15, 9), "III", cell=("UMC", "high"))
    yield Place("Cutland", "region", box(-40, -9, -15, 1.7), "III", cell=("UMC", "high"))  # nearly all
    for name, lon, lat, day in (
        ("Earthquake q1", 20.0, 1.0, "2018-02-06T23:30:00Z"),
        ("Earthquake q2", 1.0, 0.5, "2018-03-01T12:00:00Z"),
        ("Earthquake q3", 1.99, 0.5, "2018-03-02T12:00:00Z"),
    ):
        yield Place(name, "earthquake", at(lon, lat), "AAA", time=(day, day))


def streets() -> Iterator[Place]:
    """A town with venues and roads (OSM), around 110 E."""
    ville = ("Ville", "Shire")
    yield Place("Shire", "district", box(109.5, -0.5, 110.5, 0.5), "VAA")
    yield Place("Ville", "town", box(109.9, -0.1, 110.1, 0.1), "VAA", ("Shire",))
    yield Place("Hub", "library", at(110), "VAA", ville)
    yield Place("Cafe One", "cafe", at(110.001), "VAA", ville)  # 111 m
    yield Place("Cafe Two", "cafe", at(110.003), "VAA", ville)  # 334 m
    yield Place("Cafe Three", "cafe", box(110.006, -0.0001, 110.0062, 0.0001), "VAA", ville)  # 668 m, an area
    yield Place("Bakery One", "bakery", at(110, 0.001), "VAA", ville)
    yield Place("Bakery Two", "bakery", at(110, 0.00453), "VAA", ville)  # 501 m
    yield Place("Cafe Lane", "road", line((110.02, 0), (110.03, 0)), "VAA", ville)
    yield Place("Lane Cafe", "cafe", at(110.025, 0.0005), "VAA", ville)  # 55 m
    yield Place("Back Cafe", "cafe", at(110.026, 0.0015), "VAA", ville)  # 166 m
    yield Place("Lane Bakery", "bakery", at(110.025, 0.0009), "VAA", ville)  # 99.5 m
    for k in (2, 3, 4):
        wkt = line((110.04, 0.01 * k), (110.04 + 0.01 * k, 0.01 * k))
        yield Place(f"Road {k}", "road", wkt, "VAA", ville)
    cut = {"osm_cut": True}
    yield Place("Long Road", "road", line((0.5, 0.6), (3.5, 0.6)), "AAA", ("Realm",))
    yield Place("Short Reach", "road", line((1, 0.7), (2.0005, 0.7)), "AAA", ("Realm",))  # 56 m into Eastland
    yield Place("Border Lane", "road", line((2, 0.2), (2, 0.25)), "AAA", ("Realm",))
    yield Place("Cross Road", "road", line((1.95, 0.5), (1.95, 0.9)), "AAA", WEST)
    yield Place("Zigzag", "road", line((2.2, 0.5), (2.4, 0.7), (2.6, 0.5), (2.8, 0.7)), "AAA", EAST)
    yield Place("Long Spur", "road", line((3, 0.6), (3.2, 0.6), (3.2, 0.8)), "AAA", EAST)  # along Long Road
    yield Place("Side Street", "road", line((0.8, 0.6), (0.8, 0.75)), "AAA", WEST)  # ends at Long Road
    # Marchland roads, one of them cut by the extract
    for k in range(4):
        wkt = line((5.2, 0.1 * k), (5.3 + 0.1 * k, 0.1 * k))
        yield Place(f"March Road {k}", "road", wkt, "BBB", INNER, attributes=cut if k == 1 else {})


def coarse() -> Iterator[Place]:
    """What is finer than a world map can tell, seats of unknown population, parents that disagree with the outlines."""
    cell = ("HIC", "low")
    # a border that bends like a river: three crossings of the 10th parallel, two of them 2.2 km apart
    bend = line((-139.5, -10.5), (-139.5, -9.9), (-139.49, -10.1), (-139.48, -9.5))
    yield Place("border between Bendland and Riverland", "border", bend, "XAA", cell=cell)
    # an area of 111 by 107 km: epsilon is 2.19 km
    yield Place("Fold State", "country", box(-121, -16, -117, -13), "XAB", cell=cell)
    yield Place("Fold", "region", box(-120, -15, -119, -14), "XAB", ("Fold State",), cell)
    yield Place("Fringe", "city", at(-118.9723, -14.5), "XAB", ("Fold State",), cell)  # 2.98 km outside
    yield Place(
        "Stray", "city", at(-119.5, -14.5), "XAB", ("Fold State",), cell
    )  # inside, not by its parents
    yield Place(
        "Claimed", "city", at(-118.8, -14.5), "XAB", ("Fold", "Fold State"), cell
    )  # outside, but by its parents
    yield Place("Halt", "airport", at(152.0826, 0.5), "XAC", cell=("UMC", "medium"))  # 9.2 km from a border
    # seats: of unknown population between two cities, and of 500 people
    for west, seat, attributes in ((-66.0, "Seat", {}), (-76.0, "Small Seat", {"population": 500})):
        yield Place(f"{seat} West", "city", at(west, -15), "XAD", cell=cell)
        yield Place(f"{seat} East", "city", at(west + 0.5, -15), "XAD", cell=cell)  # 53.8 km
        yield Place(seat, "seat", at(west + 0.2, -15), "XAD", cell=cell, attributes=attributes)  # 21.5 km


def _further() -> Iterator[Place]:
    """The places of the modules ``places_*.py`` beside this one, whose CLASSES join those of this module."""
    for file in sorted(Path(__file__).parent.glob("places_*.py")):
        spec = importlib.util.spec_from_file_location(f"golden_{file.stem}", file)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        module.__dict__["world"] = sys.modules[__name__]
        spec.loader.exec_module(module)
        CLASSES.update(getattr(module, "CLASSES", {}))
        yield from module.places()


def places() -> list[Place]:
    """All entities of the world."""
    return [*stage(), *pairs(), *shapes(), *borders(), *events(), *streets(), *coarse(), *_further()]


def rows(kg: str) -> list[dict[str, Any]]:
    """The entity rows of one KG; IRIs ascend in the order of the list."""
    found = [place for place in places() if kg in CLASSES[place.what] and _fits(kg, place)]
    iris = {place.name: _iri(kg, place, number) for number, place in reversed(list(enumerate(found)))}
    return [_row(kg, place, _iri(kg, place, number), iris) for number, place in enumerate(found)]


def _fits(kg: str, place: Place) -> bool:
    return kg != "worldkg" or place.wkt.startswith("POINT") or place.what == "lake"


def _iri(kg: str, place: Place, number: int) -> str:
    if kg == "osmh3kg":
        kind = "node" if place.wkt.startswith("POINT") else "way"
        return f"{OSM}{kind}/{1000 + number}"
    if kg == "worldkg":
        return (
            f"https://www.naturalearthdata.com/lake/{1000 + number}"
            if place.what == "lake"
            else f"{WKG}{1000 + number}"
        )
    local = {"country": "administrativeRegion", "region": "administrativeRegion"}.get(place.what, place.what)
    return f"{KWGR}{local}.{1000 + number}"


def _row(kg: str, place: Place, iri: str, iris: dict[str, str]) -> dict[str, Any]:
    class_, level = CLASSES[place.what][kg]
    geometry = shapely.from_wkt(place.wkt)
    array = shapely.from_wkb([geometry.wkb])
    dimension = shapely.get_dimensions(geometry)
    kind = ("point", "line", "surface")[dimension]
    lon, lat = measure.centroid(array)
    xmin, ymin, xmax, ymax = geometry.bounds
    areas = (
        [float(measure.area_km2(part)) for part in shapely.get_parts(geometry)]
        if kind == "surface"
        else [1.0]
    )
    attributes = dict(place.attributes)
    if "of" in attributes:
        attributes["of"] = [iris[name] for name in attributes["of"]]
    if "track" in attributes:
        attributes["track"] = iris[attributes["track"]]
    begin, end = (datetime.fromisoformat(t) for t in place.time) if place.time else (None, None)
    return {
        "iri": iri,
        "kg": kg,
        "layer": "golden",
        "name": place.name,
        "class": class_,
        "kind": kind,
        "geometry": geometry.wkb,
        "bbox": {"xmin": xmin, "ymin": ymin, "xmax": xmax, "ymax": ymax},
        "ref_lon": float(lon[0]),
        "ref_lat": float(lat[0]),
        "main_share": max(areas) / sum(areas),
        "area_km2": float(measure.area_km2(array)[0]) if kind == "surface" else None,
        "length_km": float(measure.length_km(array)[0]) if kind == "line" else None,
        "country": place.country,
        "continent": "Africa",
        "subregion": "Middle Africa",
        "income": place.cell[0],
        "density": place.cell[1],
        "level": level,
        "admin": [iris[name] for name in place.inside] if kg != "worldkg" else [],
        "h3": 0,
        "time_start": begin,
        "time_end": end,
        "attributes": json.dumps(attributes, sort_keys=True),
        "image": None,
    }  # fmt: skip
