"""Places of the families J to N: waterways and their banks (around 60 E, 30 N), and the corners of UTM.

At 30 N one degree of longitude is 96.49 km, one of latitude 110.85 km.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

world: Any

CLASSES: dict[str, dict[str, tuple[str, int | None]]] = {"waterway": {"osmh3kg": ("waterway", None)}}
RIVER = {"waterway": "river"}


def places() -> Iterator[Any]:
    """All places of this module."""
    yield from _waterways()
    yield from _utm()
    for name, west in (("West Water", 70.0), ("Mid Water", 71.0), ("East Water", 74.5), ("Far Water", 79.0)):
        # gaps on the 15th parallel south: 0.5, 3 and 4 degrees of 107.55 km
        yield world.Place(name, "lake", world.box(west, -15, west + 0.5, -14.5), "JNL", cell=("LIC", "high"))


def _waterways() -> Iterator[Any]:
    def bank(name: str, lon: float, lat: float, code: str) -> Any:
        return world.Place(name, "cafe", world.at(lon, lat), code, cell=("UMC", "low"))

    def water(name: str, wkt: str, code: str, **tags: Any) -> Any:
        return world.Place(name, "waterway", wkt, code, attributes=RIVER | tags, cell=("UMC", "low"))

    # a river that flows east, 0.2 degrees long
    yield water("Clear River", world.line((60, 30), (60.1, 30), (60.2, 30)), "JNA")
    yield bank("Upper Mill", 60.02, 30.002, "JNA")  # 222 m from the river
    yield bank("Lower Mill", 60.15, 29.998, "JNA")  # 12.5 km farther down
    yield bank("Next Mill", 60.153, 29.998, "JNA")  # 289 m below Lower Mill
    # a meander: out 2.9 km, back 0.5 km to the north; the hill stands between the arms, the pier at the bend's end
    bend = world.line((60.5, 30), (60.53, 30), (60.53, 30.005), (60.5, 30.005))
    yield water("Bent River", bend, "JNB")
    yield bank("Bend Hill", 60.51, 30.0024, "JNB")  # 266 m from the arm out, 288 m from the arm back
    yield bank("Bend Pier", 60.52, 29.999, "JNB")
    yield water("Torn Brook", "MULTILINESTRING((61 30,61.1 30),(61.2 30,61.1 30))", "JNC")
    yield bank("Torn West", 61.02, 30.001, "JNC")
    yield bank("Torn East", 61.06, 30.001, "JNC")
    yield water("Still Canal", world.line((61.5, 30), (61.7, 30)), "JND", waterway="canal")
    yield bank("Canal West", 61.52, 30.001, "JND")
    yield bank("Canal East", 61.58, 30.001, "JND")
    # two stretches that do not touch: what lies between is not known
    yield water("Parted River", "MULTILINESTRING((62 30,62.1 30),(62.2 30,62.3 30))", "JNE")
    yield bank("Parted West", 62.05, 30.001, "JNE")
    yield bank("Parted East", 62.25, 30.001, "JNE")
    # 111 m from the end of the extract
    yield water("Rim River", world.line((63, -19.995), (63.2, -19.995)), "JNF")
    yield bank("Rim West", 63.02, -19.999, "JNF")
    yield bank("Rim East", 63.12, -19.996, "JNF")


def _utm() -> Iterator[Any]:
    for name, lon, lat in (
        ("Zone Middle", 3.5, 10.5),  # zone 31, half a degree east of its middle meridian
        ("Wide Norway", 4.0, 60.0),  # zone 32, by rule 31
        ("Zone Edge", 6.00005, 10.5),  # 5.5 m east of the edge of zones 31 and 32
        ("Norway Edge", 3.00005, 60.0),  # 2.8 m east of the edge of zone 32 there
        ("Svalbard Edge", 9.0001, 78.0),  # 2.3 m east of the edge of zones 31 and 33
        ("Not an Edge", 6.0, 78.0),  # zones 31 and 32 would meet here: 32 is not used
        ("Southern Station", 10.0, -85.0),
    ):
        yield world.Place(name, "city", world.at(lon, lat), "UTM", cell=("UMC", "high"))
