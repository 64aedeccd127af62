"""Places for C and D: blocks of two regions with a lake across their common edge, one inside, and one that is in doubt.

A block at (x, y) is a region of one degree, its neighbour west of it (0.8 degrees), the lake "NAME Across" (0.2 degrees over
the common edge), the lake "NAME Inner" inside the region, and what the block is named after. ``world`` is the golden
world's module, put here by it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

world: Any
CODE = "CDA"
CELL = ("LMC", "low")


def _block(name: str, x: float, y: float, cell: tuple[str, str] = CELL) -> Iterator[Any]:
    box, place = world.box, world.Place
    yield place(name, "region", box(x, y, x + 1, y + 1), CODE, cell=cell)
    yield place(f"{name} West", "region", box(round(x - 0.8, 4), y, x, y + 1), CODE, cell=cell)
    yield place(f"{name} Across", "lake", _at(x, y, -0.1, 0.2, 0.1, 0.4), CODE, cell=cell)
    yield place(f"{name} Inner", "lake", _at(x, y, 0.4, 0.4, 0.6, 0.6), CODE, cell=cell)


def _at(x: float, y: float, west: float, south: float, east: float, north: float) -> str:
    return str(world.box(*(round(v, 4) for v in (x + west, y + south, x + east, y + north))))


def surfaces() -> Iterator[Any]:
    """Lakes in doubt: 1.1 km off, 0.55 km of overlap, touching, 0.4 %, up to the boundary, of one name."""
    place = world.Place
    doubtful = {
        "Gapmark": (60, "Gap Lake", (0.3, 1.01, 0.6, 1.1)),
        "Stripmark": (63, "Strip Lake", (0.3, 0.995, 0.8, 1.2)),
        "Touchmark": (66, "Touch Lake", (0.3, 1, 0.6, 1.1)),
        "Rimmark": (-65, "Rim Lake", (0.3, 0.8, 0.6, 0.99)),
        "Namemark": (-62, "Namemark Inner", (0.7, 0.7, 0.8, 0.8)),
        "Bigmark": (-59, "Flood", (-0.9, -0.1, 1.1, 1.1)),
    }
    for name, (x, lake, corners) in doubtful.items():
        yield from _block(name, x, -18)
        yield place(lake, "lake", _at(x, -18, *corners), CODE, cell=CELL)
    yield from _block("Goodmark", 60, -14, ("UMC", "low"))
    good = {"cell": ("UMC", "low")}
    yield place("Good Offing", "lake", _at(60, -14, 0.3, 1.05, 0.6, 1.1), CODE, **good)  # 5.5 km
    yield place(
        "Corner Region", "region", _at(60, -14, 1, 1, 2, 2), CODE, **good
    )  # meets Goodmark in a point
    yield place("Offing Region", "region", _at(60, -14, 1.04, 0, 2, 0.9), CODE, **good)  # 4.3 km east of it
    # a lake in a country and in a contested one, a lake in the first alone
    yield place("Plainland", "country", world.box(66, -14, 68, -12), CODE, **good)
    yield place(
        "Claimland", "country", world.box(68, -14, 69, -12), CODE, attributes={"contested": True}, **good
    )
    yield place("Claimed Lake", "lake", world.box(67.8, -12.2, 68.2, -11.8), CODE, **good)
    yield place("Eastern Plain", "country", world.box(66, -12, 68, -11), CODE, **good)
    yield place(
        "border between Eastern Plain and Plainland", "border", world.line((66, -12), (68, -12)), CODE,
        attributes={"of": ["Eastern Plain", "Plainland"]}, **good,
    )  # fmt: skip
    yield place("Plain Lake", "lake", world.box(67, -13, 67.3, -12.8), CODE, **good)
    yield place("Three Corner Lake", "lake", world.box(66.5, -12.2, 66.9, -11.8), CODE, **good)


def holes() -> Iterator[Any]:
    """Regions with a hole of one degree, and what lies in it."""
    fillings = {
        "Whole": (0, 0, 1, 1, {}),
        "Most": (0, 0, 0.95, 1, {}),  # 5 % of the hole is left
        "Star Cosmodrome": (0, 0, 1, 1, {}),
        "Disputed": (0, 0, 1, 1, {"contested": True}),
    }
    cell = ("HIC", "medium")
    for number, (name, (west, south, east, north, attributes)) in enumerate(fillings.items()):
        x = -70 + 5 * number
        outer = f"(({x} -6,{x + 3} -6,{x + 3} -3,{x} -3,{x} -6),({x + 1} -5,{x + 2} -5,{x + 2} -4,{x + 1} -4,{x + 1} -5))"
        yield world.Place(f"Round {name}", "region", f"POLYGON{outer}", CODE, cell=cell)
        yield world.Place(f"East of {name}", "region", world.box(x + 3, -6, x + 4, -3), CODE, cell=cell)
        wkt = _at(x + 1, -5, west, south, east, north)
        yield world.Place(name, "region", wkt, CODE, cell=cell, attributes=attributes)
    yield world.Place(
        "Layer", "region", world.box(-69.5, -5.8, -69.2, -5.5), CODE, cell=cell
    )  # on Round Whole


def isles() -> Iterator[Any]:
    """A region of a large and a small part, and what lies on and off them."""
    place, box = world.Place, world.box
    cell = ("HIC", "low")
    two = (
        "MULTIPOLYGON(((80 -18,82 -18,82 -16,80 -16,80 -18)),((83 -18,83.5 -18,83.5 -17.5,83 -17.5,83 -18)))"
    )
    yield place("Twoparts", "region", two, CODE, cell=cell)
    lakes = {
        "Isle Lake": (83.2, -17.8, 83.3, -17.7),  # on the small part
        "Strait Lake": (82.05, -17.5, 82.2, -17.3),  # 5.3 km off
        "Close Lake": (82.003, -16.9, 82.1, -16.7),  # 320 m
        "Off Lake": (82.01, -16.5, 82.1, -16.3),  # 1.07 km
        "Shore Lake": (81, -16, 81.2, -15.9),  # touches
        "Nick Lake": (80, -16.002, 80.5, -15.5),  # 0.4 %
        "Thin Lake": (80.2, -18.1, 80.8, -17.995),  # 5 %, 550 m wide
    }
    for name, corners in lakes.items():
        yield place(name, "lake", box(*corners), CODE, cell=cell)
    stub = [(67.5, -13.0), (67.5, -11.95)]  # ends 5.5 km beyond a border
    fixes, time = world._fixes("2009-08-01T00:00", stub, None)
    attributes = {"fixes": fixes, "year": 2009}
    yield place(
        "Storm Stub (2009)", "storm", world.line(*stub), CODE, cell=cell, time=time, attributes=attributes
    )
    for name, year, south in (("Storm Isle (2007)", 2007, -17.545), ("Storm Graze (2008)", 2008, -17.5005)):
        path = [(83.45, -17.0), (83.45, south)]  # 5 km, 55 m on the small part
        fixes, time = world._fixes(f"{year}-08-01T00:00", path, None)
        attributes = {"fixes": fixes, "year": year}
        yield place(name, "storm", world.line(*path), CODE, cell=cell, time=time, attributes=attributes)


def lines() -> Iterator[Any]:
    """Roads that cross near an end; cafes across, in and as a point in a block."""
    place, line = world.Place, world.line
    cell = ("HIC", "low")
    yield place("Ender", "road", line((86, -15), (86.2, -15)), CODE, cell=cell)
    yield place(
        "Starter", "road", line((86.1995, -15.1), (86.1995, -14.9)), CODE, cell=cell
    )  # 54 m from an end
    yield place("Grill Across", "cafe", world.box(59.99, -17.5, 60.01, -17.49), CODE, cell=CELL)
    yield place("Grill Inner", "cafe", world.box(60.1, -17.5, 60.12, -17.49), CODE, cell=CELL)
    yield place("Grill Point", "cafe", world.at(60.2, -17.5), CODE, cell=CELL)


def absences() -> Iterator[Any]:
    """A region without a lake, one with a lake 4 km off; a border far from any airport, a storm 100 km and one 30 km off Plainland."""
    place, box, line = world.Place, world.box, world.line
    yield place("Dryland", "region", box(75, -19, 76, -18), CODE, cell=CELL)
    yield place("Near Dryland", "region", box(78, -19, 79, -18), CODE, cell=CELL)
    yield place(
        "Edge Dryland", "region", box(81, -19.8, 82, -18.8), CODE, cell=CELL
    )  # the OSM extract ends at 20 S
    yield place("Dry Edge Lake", "lake", box(79.038, -18.6, 79.1, -18.5), CODE, cell=CELL)  # 4 km
    cell = ("LMC", "medium")
    for name, west in (("Bareland", 80), ("Cityland", 86)):
        yield place(f"{name} South", "country", box(west, -12, west + 1, -11), CODE, cell=cell)
        yield place(f"{name} North", "country", box(west, -11, west + 1, -10), CODE, cell=cell)
        yield place(
            f"border between {name} North and {name} South", "border", line((west, -11), (west + 1, -11)), CODE, cell=cell,
            attributes={"of": [f"{name} North", f"{name} South"]},
        )  # fmt: skip
    yield place("Line City", "city", world.at(86.5, -10.95), CODE, cell=cell)  # 5.5 km
    yield place("Far Field", "airport", world.at(86.5, -10.73), CODE, cell=cell)  # 29.9 km
    yield place("Side City", "city", world.at(86.2, -11.03), CODE, cell=cell)  # 3.3 km
    units = {"first_level_units": 2}
    yield place("Stormland", "country", box(90, -12, 92, -10), CODE, cell=cell, attributes=units)
    yield place("Storm West", "region", box(90, -12, 91, -10), CODE, ("Stormland",), cell)
    yield place("Storm East", "region", box(91, -12, 92, -10), CODE, ("Stormland",), cell)
    for name, year, path in (
        ("Storm Over (2011)", 2011, [(90.2, -11.0), (91.8, -11.0)]),
        ("Storm Past (2012)", 2012, [(90.2, -9.1), (91.8, -9.1)]),  # 99.5 km
        ("Storm Close (2013)", 2013, [(90.2, -9.73), (91.8, -9.73)]),  # 29.9 km
    ):
        fixes, time = world._fixes(f"{year}-08-01T00:00", path, None)
        attributes = {"fixes": fixes, "year": year}
        yield place(name, "storm", line(*path), CODE, cell=cell, time=time, attributes=attributes)


def places() -> Iterator[Any]:
    """All places of this module."""
    yield from surfaces()
    yield from holes()
    yield from isles()
    yield from lines()
    yield from absences()
