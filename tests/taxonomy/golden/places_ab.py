"""Places for A and B: regions and countries in the Indian Ocean, towns on an island of its own in the Pacific, a raster of people.

    Gulf       60 E to 62 E, 40 S to 38 S: cities at 61 E, 39 S; an earthquake a degree south of them; storms along 39 S
    Midland    64 E to 66 E, 40 S to 38 S, its neighbour Eastmark east of 66 E; Margin, Quarrel, Hush, Scatter further south
    Vague      70 E to 72 E, 40 S to 38 S: cities, airports, and a city of which the KG does not say where it lies
    Vast       70 E to 72 E, 44 S to 42 S: cities alone
    Court      150 W, 10 S, and Court Beside: towns with venues (OSM); Court Edge 6 km from the end of the extract

The raster has cells of 0.1 degrees from 66 E to 84 E and 3 S to 3 N: 100 people a cell west of 76 E, 1 east of it, and
100,000 in the cell of 79.85 E, 0.05 N. ``world`` is the golden world's module, put here by it.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import rasterio
from rasterio.transform import from_origin

world: Any
CELL = ("LMC", "low")
CLASSES: dict[str, dict[str, tuple[str, int | None]]] = {
    "museum": {"osmh3kg": ("museum", None)},
    "cinema": {"osmh3kg": ("cinema", None)},
}


def raster(folder: Path) -> Path:
    """The raster of people as a GeoTIFF."""
    lon = 66.05 + 0.1 * np.arange(180)
    people = np.broadcast_to(np.where(lon < 76, 100.0, 1.0), (60, 180)).astype(np.float32)
    people = people.copy()
    people[29, 138] = 100_000  # 79.8 to 79.9 E, 0 to 0.1 N
    path = folder / "people_2020.tif"
    with rasterio.open(
        path, "w", driver="GTiff", width=180, height=60, count=1, dtype="float32", crs="EPSG:4326",
        transform=from_origin(66, 3, 0.1, 0.1), nodata=-1,
    ) as out:  # fmt: skip
        out.write(people, 1)
    return path


def _storm(name: str, first: str, step_h: int, places: list[tuple[float, float]]) -> Any:
    begin = datetime.fromisoformat(first).replace(tzinfo=UTC)
    times = [(begin + timedelta(hours=step_h * k)).strftime("%Y-%m-%dT%H:%M:%SZ") for k in range(len(places))]
    fixes = [[t, lon, lat, None] for t, (lon, lat) in zip(times, places, strict=True)]
    wkt = world.line(*places)
    return world.Place(
        name,
        "storm",
        wkt,
        "ABE",
        time=(times[0], times[-1]),
        attributes={"fixes": fixes, "year": int(first[:4])},
    )


def events() -> Iterator[Any]:
    """Gulf, earthquakes and storms."""
    place, at = world.Place, world.at
    yield place("Gulf", "region", world.box(60, -40, 62, -38), "ABA", cell=CELL)
    for name in ("Port", "Haven", "Quay"):
        yield place(name, "city", at(61, -39), "ABA", ("Gulf",), CELL)
    for name, lat, day in (
        ("Earthquake ab1", -40, "2018-05-06T10:00:00Z"),
        ("Earthquake twin", -41, "2018-06-06T10:00:00Z"),
        ("Earthquake twin", -42, "2018-06-30T23:59:00Z"),
    ):
        yield place(name, "earthquake", at(61, lat), "ABA", time=(day, day))
    west = [(62.0 - k, -39.0) for k in range(13)]  # a degree each 6 hours, over the cities on the first day
    yield _storm("Storm Abel (2011)", "2011-03-01T00:00", 6, west)
    yield _storm("Storm Ogden (2012)", "2012-03-01T03:00", 6, west)  # no fix at midnight
    yield _storm(
        "Storm Vera (2013)", "2013-03-01T00:00", 6, [(x - 3, y) for x, y in west[::-1]]
    )  # comes nearer


def countries() -> Iterator[Any]:
    """Countries with neighbours: plain, contested, with a border that is not stated, of scattered parts."""
    place, at, box, line = world.Place, world.at, world.box, world.line
    for number, (name, beside, code, attributes) in enumerate(
        (
            ("Midland", "Eastmark", "ABB", {}),
            ("Margin", "Frontier", "ABJ", {}),
            ("Quarrel", "Calm", "ABC", {"contested": True}),
            ("Hush", "Told", "ABD", {}),
            ("Scatter", "Gathered", "ABF", {}),
        )
    ):
        y = -40 - 4 * number
        area = box(64, y, 66, y + 2)
        if name == "Scatter":
            parts = (box(65, y, 66, y + 2), box(62, y, 63, y + 2))
            area = "MULTIPOLYGON(" + ",".join(p.removeprefix("POLYGON") for p in parts) + ")"
        yield place(name, "country", area, code, cell=CELL, attributes=attributes)
        yield place(beside, "country", box(66, y, 68, y + 2), code, cell=CELL)
        edge, named = line((66, y), (66, y + 2)), {"of": [name, beside]}
        yield place(f"border between {beside} and {name}", "border", edge, code, cell=CELL, attributes=named)
        for letter, lon in (("A", 65.2), ("B", 65.0), ("C", 65.5)):
            yield place(f"{name} {letter}", "city", at(lon, y + 1), code, (name,), CELL)
    yield place(
        "Untold", "country", box(62, -52, 64, -50), "ABD", cell=CELL
    )  # touches Hush, no border stated
    yield place("Margin D", "city", at(65.5, -42.5), "ABJ", ("Margin",), CELL)  # as far as Margin C
    yield place("Margin E", "city", at(66.1, -43), "ABJ", ("Margin",), CELL)  # beyond the border
    yield place("Margin F", "city", at(65.9, -43.5), "ABJ", ("Margin", "Frontier"), CELL)


def members() -> Iterator[Any]:
    """Regions with members, one of unknown parents; people counted by the table."""
    place, at, box = world.Place, world.at, world.box
    yield place("Vague", "region", box(70, -40, 72, -38), "ABG", cell=CELL)
    yield place("Vast", "region", box(70, -44, 72, -42), "ABG", cell=CELL)
    for k, lon in enumerate((70.2, 70.7, 71.7)):
        yield place(f"Vague {k}", "city", at(lon, -39), "ABG", ("Vague",), CELL)
        yield place(f"Vague Field {k}", "airport", at(lon, -38.5), "ABG", ("Vague",), CELL)
    yield place("Foundling", "city", at(71.2, -39.5), "ABG", (), CELL)
    for k, lon in enumerate((70.1, 70.2, 70.3, 70.4, 71.9)):
        yield place(f"Vast {k}", "city", at(lon, -43), "ABG", ("Vast",), CELL)
    yield place("Steppe", "city", at(30.05, 53.09), "ABH", cell=CELL)


def towns() -> Iterator[Any]:
    """Towns with venues (OSM)."""
    place, at, box = world.Place, world.at, world.box
    yield place("Court", "town", box(-150.1, -10.1, -149.9, -9.9), "ABI", cell=CELL)
    yield place("Court Beside", "town", box(-149.8, -10.1, -149.6, -9.9), "ABI", cell=CELL)
    yield place("Court Edge", "town", box(-150.5, -19.99, -150.4, -19.9), "ABI", cell=CELL)
    court, beside, edge = ("Court",), ("Court Beside",), ("Court Edge",)
    for k, lon in enumerate((-150.0, -149.9998)):  # 22 m apart
        yield place(f"Court Cafe {k}", "cafe", at(lon, -10), "ABI", court, CELL)
    for k, lon in enumerate((-149.999, -149.9988)):
        yield place(f"Court Bakery {k}", "bakery", at(lon, -10), "ABI", court, CELL)
    for k, lon in enumerate((-150.09, -150.05, -150.01)):  # 4.4, 4.4 and 8.8 km
        yield place(f"Court Museum {k}", "museum", at(lon, -10.05), "ABI", court, CELL)
    for k, lon in enumerate((-149.79, -149.76, -149.69)):
        yield place(f"Court Cinema {k}", "cinema", at(lon, -10.05), "ABI", beside, CELL)
    for k, lon in enumerate((-150.49, -150.46, -150.41)):  # 3.1, 5.2 and 8.4 km
        yield place(f"Edge Cafe {k}", "cafe", at(lon, -19.95), "ABI", edge, CELL)
    yield place(
        "Rim Library", "library", at(-150.45, -19.995), "ABI", (), CELL
    )  # 553 m from the end of the extract
    yield place("Rim Cafe", "cafe", at(-150.449, -19.995), "ABI", (), CELL)  # 105 m from it


def places() -> Iterator[Any]:
    """All of them."""
    yield from events()
    yield from countries()
    yield from members()
    yield from towns()
