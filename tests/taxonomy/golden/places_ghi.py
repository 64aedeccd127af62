"""Places for G, H and I, on the Atlantic between 50 W and 40 W, and one near San Francisco.

Storms move one degree west to east in six hours; 60 nautical miles of diameter are a radius of 55.56 km, half a degree.

    Harbinger  on the equator from 49 W at 6:00 of 30 August 2012; Cradle, Midnight Isle, Easthold on its way
    Lacuna     on 6 S, the winds of its second fix unknown; Leeward on its way
    Grazer     on 12 S; Graze 54.2 km off its track, Broadland half in its winds
    Claimer    on 18 S; Claimland, a contested country, in its way
    Wideland   50 W to 47 W, 20 N to 23 N, and lands with other troubles to the north of it
    Torn Sail, Plank, Polar Sail   from 50 W, on 37, 38 and 60 N: outlines whose simplification says nothing
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import shapely

from multiglobeqa.kg.swept import swept_area

world: Any
CLASSES: dict[str, dict[str, tuple[str, int | None]]] = {}
EARLY, LATE, PLAIN, DOUBTFUL = ("LIC", "high"), ("HIC", "medium"), ("UMC", "low"), ("LMC", "medium")


def storms() -> Iterator[Any]:
    """Tracks and the areas that their winds swept."""
    tracks: dict[str, tuple[str, float, list[float | None]]] = {
        "Storm Harbinger (2012)": ("2012-08-30T06:00", 0.0, [60.0] * 7),
        "Storm Lacuna (2013)": ("2013-08-10T00:00", -6.0, [60.0, None, 60.0, 60.0]),
        "Storm Grazer (2014)": ("2014-08-10T00:00", -12.0, [60.0] * 4),
        "Storm Claimer (2015)": ("2015-08-10T00:00", -18.0, [60.0] * 2),
    }
    for name, (first, lat, diameters) in tracks.items():
        begin = datetime.fromisoformat(first).replace(tzinfo=UTC)
        fixes = [
            [(begin + timedelta(hours=6 * k)).strftime("%Y-%m-%dT%H:%M:%SZ"), -49.0 + k, lat, diameter]
            for k, diameter in enumerate(diameters)
        ]
        time = (fixes[0][0], fixes[-1][0])
        wkt = world.line(*((fix[1], fix[2]) for fix in fixes))
        kept = {"fixes": fixes, "year": begin.year}
        yield world.Place(name, "storm", wkt, "EEE", time=time, attributes=kept)
        swept = shapely.to_wkt(swept_area(fixes), rounding_precision=7)
        yield world.Place(name, "storm_footprint", swept, "EEE", time=time, attributes={"track": name})


def shores() -> Iterator[Any]:
    """What the storms reach and what they do not."""
    regions = {
        "Cradle": (world.box(-49.1, -0.1, -48.9, 0.1), "GHA", EARLY),  # the first fix lies in it
        "Midnight Isle": (world.box(-46.2, -0.3, -46.0, 0.3), "GHA", EARLY),  # reached between 18:00 and 0:00
        "Easthold": (world.box(-44.3, -0.3, -44.1, 0.3), "GHA", EARLY),  # reached between 6:00 and 12:00
        "Nigh": (world.box(-49.6, 3.5, -49.0, 4.0), "GHA", EARLY),  # 387 km north of the track
        "Afar": (world.box(-45, 20, -44, 21), "GHA", EARLY),
        "Leeward": (world.box(-46.3, -7.0, -45.0, -6.0), "GHB", PLAIN),
        "Graze": (world.box(-47.5, -11.51, -47.3, -11.4), "GHC", LATE),  # 54.2 km
        "Broadland": (world.box(-50, -14, -45, -12), "GHC", LATE),
        "Nearland": (world.box(-44.4, -14.5, -43.4, -13.4), "GHC", LATE),  # the winds end 177 km off
        "Farland": (world.box(-46, -30, -44, -28), "GHC", LATE),
    }
    for name, (wkt, code, cell) in regions.items():
        yield world.Place(name, "region", wkt, code, cell=cell)
    claimed = {"contested": True}
    yield world.Place(
        "Claimland", "country", world.box(-48.5, -18.5, -48, -18), "GHD", cell=LATE, attributes=claimed
    )
    yield world.Place("Portal", "city", world.at(-49, 3), "GHA", cell=EARLY)  # 331.7 km from the track


def centres() -> Iterator[Any]:
    """Five or six cities a land, for the medoid; distances by eye in tenths of a degree."""
    star = {
        "Hubville": (1, 1),
        "Westley": (0.5, 1),
        "Southley": (1, 0.5),
        "Northley": (1, 1.5),
        "Outley": (2.9, 2.8),
    }
    even = {
        "Twin West": (0.8, 1),
        "Twin East": (1.2, 1),
        "Arm West": (0, 1.5),
        "Arm East": (2, 1.5),
        "Foot": (1, 0.2),
    }
    cross = {
        "Cross": (1, 1),
        "Cross West": (0.5, 1),
        "Cross East": (1.5, 1),
        "Cross Foot": (1, 0.5),
        "Cross Head": (1, 1.5),
    }
    lands = {
        "Wideland": ((-50, 20), star, "", "GHE", PLAIN),
        "Evenland Isle": ((-50, 24), even, "", "GHF", PLAIN),
        "Crossland": ((-50, 28), cross, "", "GHG", PLAIN),
        "Doubtland": ((-50, 32), star, "Doubt ", "GHI", DOUBTFUL),
    }
    for land, ((west, south), cities, prefix, code, cell) in lands.items():
        yield world.Place(land, "region", world.box(west, south, west + 3, south + 3), code, cell=cell)
        for name, (x, y) in cities.items():
            yield world.Place(prefix + name, "city", world.at(west + x, south + y), code, (land,), cell)
    yield world.Place(
        "Stateless", "city", world.at(-49, 34), "GHI", (), DOUBTFUL
    )  # in Doubtland by its place only
    yield world.Place(
        "Nextland", "region", world.box(-47, 20, -44, 23), "GHE", cell=PLAIN
    )  # Outley is 10 km west


def outlines() -> Iterator[Any]:
    """Lakes whose simplified outlines are not asked for; plain ones are in world.py."""
    across, up = world.KM_LON * 0.8, world.KM_LAT  # km in a degree at 37 N
    torn = [(0, 0), (40 / across, -9.86 / up), (80 / across, 0), (0, 50 / up)]  # 9.95 km from the chord
    plank = [(0, 0), (2.5, 0), (2.55, 0.09), (0.05, 0.09)]  # 10 km high: two corners are left
    polar = [
        (0, 0),
        (9, -40 / up),
        (18, 0),
        (0, 4.5),
    ]  # its long side follows the parallel, 70 km from the chord
    for name, corner, lat in (("Torn Sail", torn, 37), ("Plank", plank, 38), ("Polar Sail", polar, 60)):
        wkt = world.ring(*[(round(x - 50, 7), round(y + lat, 7)) for x, y in corner])
        yield world.Place(name, "lake", wkt, "GHK", cell=PLAIN)


def places() -> Iterator[Any]:
    """All of them."""
    yield from storms()
    yield from shores()
    yield from centres()
    yield from outlines()
    yield world.Place("Off H3", "city", world.at(-122.418307, 37.805356), "GHJ", cell=world.GROUP_CELLS[5])
