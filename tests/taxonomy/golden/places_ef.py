"""Places for E (hierarchy) and F (ordering): countries of 4 by 4 degrees from 20 N to 34 N west of Greenwich, groups of cities
from 36 N to 40 N, and one near the pole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

world: Any  # the module that reads this one

CELL = ("LIC", "high")


def _halves(name: str, code: str, west: float, south: float = 30) -> Iterator[Any]:
    """A country of 4 by 4 degrees, of a western and an eastern half."""
    place, box, north = world.Place, world.box, south + 4
    yield place(name, "country", box(west, south, west + 4, north), code, cell=CELL)
    yield place(f"West {name}", "region", box(west, south, west + 2, north), code, (name,), CELL)
    yield place(f"East {name}", "region", box(west + 2, south, west + 4, north), code, (name,), CELL)


def _units() -> Iterator[Any]:
    """Quarterland: 4 regions, each of 2 districts (OSM); the country itself says 4."""
    place, box = world.Place, world.box
    yield place(
        "Quarterland", "country", box(-45, 30, -41, 34), "EFA", cell=CELL, attributes={"first_level_units": 4}
    )
    for k in range(4):
        west, south = -45 + 2 * (k % 2), 30 + 2 * (k // 2)
        quarter = f"Quarter {k + 1}"
        yield place(quarter, "region", box(west, south, west + 2, south + 2), "EFA", ("Quarterland",), CELL)
        for half in (0, 1):
            area = box(west + half, south, west + half + 1, south + 2)
            yield place(
                f"{quarter} District {half + 1}", "district", area, "EFA", (quarter, "Quarterland"), CELL
            )


def _lakes() -> Iterator[Any]:
    """Largest and smallest lakes of countries that lie in one half, or nearly, or not."""
    place, box = world.Place, world.box
    yield from _halves("Lakeland", "EFB", -40)
    for name, wkt in {
        "Great Lake": box(-39.5, 31, -38.8, 31.7),  # in the west
        "Second Lake": box(-37.5, 31, -37, 31.4),
        "Small Lake": box(-36.5, 33, -36.4, 33.1),
    }.items():
        yield place(name, "lake", wkt, "EFB", cell=CELL)
    # south of the two halves a region without a lake, 120 km from the nearest
    yield place("South Lakeland", "region", box(-40, 27, -36, 29.9), "EFB", cell=CELL)
    yield from _halves("Twinlake", "EFC", -35)
    yield place("Twin One", "lake", box(-34.5, 31, -34, 31.5), "EFC", cell=CELL)
    yield place("Twin Two", "lake", box(-32.5, 31, -32, 31.502), "EFC", cell=CELL)  # 0.4 % larger
    yield from _halves("Rivaland", "EFD", -30)
    yield place("Inner Water", "lake", box(-29.5, 33, -29.2, 33.3), "EFD", cell=CELL)
    yield place("Inner Pool", "lake", box(-27.5, 33, -27.4, 33.1), "EFD", cell=CELL)
    yield place(
        "Border Water", "lake", box(-30.01, 31, -29, 32), "EFD", cell=CELL
    )  # 1 % abroad, and the largest
    yield from _halves("Seamlake", "EFE", -25)
    yield place("Seam Water", "lake", box(-24, 31, -22.98, 32), "EFE", cell=CELL)  # 2 % in the east
    yield place("Seam Pool", "lake", box(-21.5, 33, -21.4, 33.1), "EFE", cell=CELL)
    yield from _halves("Brinkland", "EFF", -20)
    yield place("Brink Water", "lake", box(-19, 31, -18.005, 32), "EFF", cell=CELL)  # 480 m from the east
    yield place("Brink Pool", "lake", box(-16.5, 33, -16.4, 33.1), "EFF", cell=CELL)


def _roads() -> Iterator[Any]:
    """Longest and shortest roads (OSM)."""
    place, line = world.Place, world.line
    cut = {"osm_cut": True}
    for name, code, west, roads in (
        ("Roadland", "EFG", -45, {"Long Way": (0.5, 1.5), "Middle Way": (2.5, 3.0), "Short Way": (3.0, 3.1)}),
        ("Severland", "EFH", -40, {"Cut Way": (0.5, 1.5), "Whole Way": (2.5, 3.0), "Cut Not": (3.0, 3.1)}),
        ("Meetland", "EFJ", -30, {"Meet Way": (1.0, 2.0), "Free Way": (2.5, 3.0), "Less Way": (3.0, 3.1)}),
    ):
        yield from _halves(name, code, west, 20)
        for number, (road, (start, end)) in enumerate(roads.items()):
            y = 20.5 + number
            wkt = line((west + start, y), (west + end, y))
            yield place(road, "road", wkt, code, (name,), CELL, attributes=cut if road == "Cut Way" else {})
    yield from _halves("Partland", "EFI", -35, 20)
    parts = {"Part Street": [(0.2, 0.7), (0.7, 1.2)], "Eight Way": [(2.2, 3.0)], "Three Way": [(2.2, 2.5)]}
    parts["One Way"] = [(2.2, 2.3)]
    for number, (road, stretches) in enumerate(parts.items()):
        for start, end in stretches:
            wkt = line((-35 + start, 20.5 + number), (-35 + end, 20.5 + number))
            yield place(road, "road", wkt, "EFI", ("Partland",), CELL)


def _cities() -> Iterator[Any]:
    """Cities round a hub, a compass 22 km south of it: one north, south, east and west of the compass."""
    place, at = world.Place, world.at
    groups: dict[str, tuple[float, dict[str, tuple[float, float]]]] = {
        # from the hub: 22, 29, 29 and 42 km
        "EFK": (
            -40,
            {"Norther": (0, 0.2), "Easter": (0.2, -0.2), "Wester": (-0.2, -0.2), "Souther": (0, -0.38)},
        ),
        "EFL": (-35, {"Rimmed": (0, 0.45), "Rimmed Low": (0, -0.3)}),  # 49.95 km north of the hub
        "EFM": (-30, {"Slanted": (0.3417, 0.1), "Slanted Low": (0, -0.3)}),  # 42 degrees from the compass
        "EFN": (-25, {"Clinging": (0, -0.195), "Clinging Low": (0, -0.3)}),  # 560 m from the compass
        "EFO": (-20, {"Seated": (0, 0.2), "Seated Low": (0, -0.3)}),
    }
    for code, (lon, others) in groups.items():
        yield place(f"Hub {code}", "city", at(lon, 38), code, cell=CELL)
        yield place(f"Compass {code}", "city", at(lon, 37.8), code, cell=CELL)
        for name, (x, y) in others.items():
            yield place(name, "city", at(round(lon + x, 6), round(38 + y, 6)), code, cell=CELL)
    yield place(
        "Throne", "seat", at(-19.8, 38.1), "EFO", cell=CELL
    )  # of unknown population, 21 km from the hub
    # at 88 N the bearing is 38 degrees and the rhumb line 46
    for name, lon, lat in (
        ("Polar Hub", 0, 88.2),
        ("Polar Compass", 0, 88.0),
        ("Polar Bend", 17.0771, 88.4982),
        ("Polar Low", 0, 87.8),
    ):
        yield place(name, "city", at(lon, lat), "EFP", cell=CELL)


def _ports() -> Iterator[Any]:
    """Portland: airports in the north and east, none in the south; Driftland: a city of unknown parents."""
    place, box, at = world.Place, world.box, world.at
    units = {"first_level_units": 4}
    yield place("Portland", "country", box(-15, 30, -11, 34), "EFQ", cell=CELL, attributes=units)
    north, east = ("North Portland", "Portland"), ("East Portland", "Portland")
    yield place("North Portland", "region", box(-15, 32, -13, 34), "EFQ", ("Portland",), CELL)
    yield place("South Portland", "region", box(-15, 30, -13, 32), "EFQ", ("Portland",), CELL)
    yield place("East Portland", "region", box(-13, 30, -11, 34), "EFQ", ("Portland",), CELL)
    yield place("Upper Port", "airport", at(-14, 33.5), "EFQ", north, CELL)
    yield place("Lower Port", "airport", at(-14.5, 32.5), "EFQ", north, CELL)  # 55 km from the south
    yield place("East Port", "airport", at(-12, 33), "EFQ", east, CELL)
    isle = ("Isle Portland", "Portland")
    yield place("Isle Portland", "region", box(-19, 30, -17, 32), "EFQ", ("Portland",), CELL)
    yield place(
        "Isle Port", "airport", at(-16.8, 31), "EFQ", isle, CELL
    )  # 19 km off the outline, inside as stated
    yield from _halves("Driftland", "EFR", -10)
    west = ("West Driftland", "Driftland")
    yield place("Drift One", "city", at(-9.5, 31), "EFR", west, CELL)
    yield place("Drift Two", "city", at(-9, 32), "EFR", west, CELL)
    yield place("Drifter", "city", at(-8.5, 33), "EFR", (), CELL)


def places() -> Iterator[Any]:
    """All of them."""
    yield from _units()
    yield from _lakes()
    yield from _roads()
    yield from _cities()
    yield from _ports()
