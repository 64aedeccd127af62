"""Places that a reader knows beside those of the KG asked: homonyms in other KGs (TAXONOMY rule 5).

A question names a place to somebody who knows one world, not our division of it into KGs: a city that its KG holds
once may have ten homonyms among the smaller places of another.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, Final

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from multiglobeqa.build.words import folded
from multiglobeqa.kg import classes
from multiglobeqa.kg.store import Snapshot

AREAS: Final = frozenset({"country", "admin1", "county", "region", "admin_area"})
"""Classes of administrative areas: in a country, one of them may hold a town of its own name."""
GEONAMES: Final = frozenset({"settlement", "administrative_seat", "city15000"})
"""Classes of GeoNames; a KG may hold the towns of OSM beside them."""
SAME_KM: Final = 10.0
"""Records of comparable class and one name this near are taken for one place. Among the GeoNames places of a country
such pairs stand above chance up to 10 km (111 pairs, 27 by chance from the density of homonyms at 25 to 50 km); from
10 to 15 km there are 34, 33 by chance."""
SAME_AREA_KM: Final = 25.0
"""The same for centres of areas and lakes, of which two sources draw different outlines."""

_PLACES = """
WITH stored AS (SELECT iri, name, class, level, country, ref_lon, ref_lat, attributes, admin FROM read_parquet($files))
SELECT DISTINCT e.iri, e.name, e.class, e.level, e.country, e.ref_lon, e.ref_lat,
       coalesce(json_extract_string(e.attributes, '$.admin1'), p.name) AS parent
FROM stored e LEFT JOIN (SELECT iri, min(name) AS name FROM stored GROUP BY iri) p ON p.iri = e.admin[1]
WHERE list_contains($classes, e.class)
ORDER BY e.iri, e.class, e.ref_lon, e.ref_lat
"""


@lru_cache(maxsize=8)
def _read(files: tuple[str, ...]) -> pa.Table:
    known = classes.load()
    wanted = [key for key, entry in known.items() if entry.scale != "venue" and key != "border"]
    with duckdb.connect() as connection:
        table = connection.execute(_PLACES, {"files": list(files), "classes": wanted}).to_arrow_table()
    names = pa.array([folded(name) for name in table["name"].to_pylist()], pa.string())
    return table.append_column("folded", names)


def places(snapshots: Sequence[Snapshot], names: Iterable[str], without: Iterable[str] = ()) -> pa.Table:
    """Settlements, areas, lakes and airports of snapshots that bear one of the names.

    ``names``: folded. ``without``: IRIs to leave out, since the KG asked holds them itself. Columns: iri, name, class,
    level, country, ref_lon, ref_lat, parent, folded; one row a record, in the order of the snapshots. Each snapshot is
    read once in a process.
    """
    wanted, left = pa.array(sorted(set(names)), pa.string()), pa.array(sorted(set(without)), pa.string())
    found = []
    for snapshot in snapshots:
        table = _read(tuple(snapshot.entity_files))
        kept = pc.and_(pc.is_in(table["folded"], wanted), pc.invert(pc.is_in(table["iri"], left)))
        found.append(table.filter(kept))
    return pa.concat_tables(found)


@lru_cache(maxsize=1)
def _siblings() -> frozenset[tuple[str, str]]:
    return frozenset(classes.siblings())


def comparable(one: str, other: str) -> bool:
    """Whether people may take an entity of one class for one of the other: towns and villages, a lake and a pond."""
    return one == other or (one, other) in _siblings()


def one_place(a: dict[str, Any], b: dict[str, Any]) -> bool:
    """Whether two records of one name in two KGs are of one place: comparable, of one country, and near.

    OSM's administrative areas are the countries and regions of other KGs. Keys: class, level, country, ref_lon,
    ref_lat.
    """
    one, other = a["class"], b["class"]
    if a["country"] and b["country"] and a["country"] != b["country"]:
        return False
    area = _one_area(a, b) or _one_area(b, a)
    if not (area or comparable(one, other)):
        return False
    wide = area or one in AREAS or one.endswith("lake")
    return km(a["ref_lon"], a["ref_lat"], b["ref_lon"], b["ref_lat"]) <= (SAME_AREA_KM if wide else SAME_KM)


def _one_area(osm: dict[str, Any], other: dict[str, Any]) -> bool:
    if osm["class"] != "admin_area":
        return False
    whole = osm["level"] is not None and osm["level"] <= 2
    return other["class"] == "country" if whole else other["class"] in AREAS - {"country"}


def km(lon: float, lat: float, other_lon: float, other_lat: float) -> float:
    """The great-circle distance of two points in degrees, on a sphere of 6,371 km: good to 0.6 %."""
    y, other_y = math.radians(lat), math.radians(other_lat)
    half = math.sin((other_y - y) / 2) ** 2
    half += math.cos(y) * math.cos(other_y) * math.sin(math.radians(other_lon - lon) / 2) ** 2
    return 12_742.0 * math.asin(min(1.0, math.sqrt(half)))
