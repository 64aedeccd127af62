"""The awkward world: every geometry of `multiglobeqa.geo.awkward.VALID` as entities of several classes.

A surface is a region, a lake and a country, a line a border or a road and a storm track, a point a city and an
airport; so all that the catalogue holds meets all else. All stand in one stratum and country, parents follow the rule of
`kg.hierarchy`. A grid of cities round the places of the catalogue gives the classes members.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import shapely

from multiglobeqa.geo import measure
from multiglobeqa.geo.awkward import VALID
from multiglobeqa.kg.hierarchy import NO_LEVEL, AdminAreas
from multiglobeqa.kg.swept import swept_area

KWGR = "http://stko-kwg.geog.ucsb.edu/lod/resource/"
BASE = {
    "knowwheregraph": KWGR,
    "osmh3kg": "https://www.openstreetmap.org/way/",
    "worldkg": "http://www.worldkg.org/resource/",
}
KINDS: dict[str, dict[str, list[tuple[str, int | None]]]] = {
    "knowwheregraph": {
        "point": [("city15000", None), ("iata_airport", None), ("earthquake", None)],
        "line": [("border", None), ("storm", None)],
        "surface": [("country", 0), ("admin1", 1), ("natural_earth_lake", None)],
    },
    "osmh3kg": {
        "point": [("village", None), ("cafe", None)],
        "line": [("road", None), ("waterway", None)],
        "surface": [("admin_area", 4), ("admin_area", 8), ("lake", None), ("school", None)],
    },
    "worldkg": {"point": [("settlement", None), ("cafe", None)], "surface": [("natural_earth_lake", None)]},
}
LEFT_OUT = ("points", "points, duplicates")
"""Points of several parts: the importers keep none."""
CITIES = [
    (lon, lat)
    for lon, lat in (
        (0.3, 0.3), (0.7, 0.7), (0.31, 0.32), (1.2, 0.4), (1.5, 1.5), (2.0, 2.0), (2.2, 1.8), (3.5, 0.5), (3.5, 3.5),
        (179.2, 0.5), (179.99, 0.5), (-179.99, 0.4), (-179.5, 0.5), (179.9, -16.6), (-179.9, -16.5), (177.5, -18.0),
        (178.5, -3.0), (-178.5, 3.0), (20.01, 60.005), (15.0, 67.0), (30.0, 88.0), (25.0, 86.0), (120.0, 85.0),
        (0.0, -85.0), (90.0, -80.0), (-60.0, 89.9), (75.5, 10.5), (-79.5, 10.5), (10.2, 50.1), (11.0, 51.0),
    )
]  # fmt: skip


def _kind(geometry: Any) -> str:
    return ("point", "line", "surface")[shapely.get_dimensions(geometry)]


def rows(kg: str) -> list[dict[str, Any]]:
    """The entity rows of one KG."""
    named = {name: geometry for name, geometry in VALID.items() if name not in LEFT_OUT} | {
        f"city {i}": shapely.Point(*xy) for i, xy in enumerate(CITIES)
    }
    found: list[dict[str, Any]] = []
    for name, geometry in named.items():
        for class_, level in KINDS[kg].get(_kind(geometry), []):
            found.append(_row(kg, len(found), f"{name} ({class_}{level or ''})", class_, level, geometry))
    _link(kg, found)
    return found


def _row(kg: str, number: int, name: str, class_: str, level: int | None, geometry: Any) -> dict[str, Any]:
    kind = _kind(geometry)
    array = np.array([geometry], dtype=object)
    lon, lat = measure.centroid(array)
    parts = shapely.get_parts(geometry)
    sizes = (
        measure.area_km2(parts)
        if kind == "surface"
        else measure.length_km(parts)
        if kind == "line"
        else np.ones(1)
    )
    xmin, ymin, xmax, ymax = geometry.bounds
    begin = datetime(2015, 1, 1, tzinfo=UTC) if class_ in ("earthquake", "storm") else None
    attributes: dict[str, Any] = {}
    if class_ == "storm":
        attributes["fixes"] = _fixes(geometry)
    return {
        "iri": f"{BASE[kg]}{'administrativeRegion.' if class_ in ('country', 'admin1') else ''}{1000 + number}",
        "kg": kg, "layer": "awkward", "name": name, "class": class_, "kind": kind, "geometry": geometry.wkb,
        "bbox": {"xmin": xmin, "ymin": ymin, "xmax": xmax, "ymax": ymax},
        "ref_lon": float(lon[0]), "ref_lat": float(lat[0]), "main_share": float(sizes.max() / sizes.sum()),
        "area_km2": float(measure.area_km2(array)[0]) if kind == "surface" else None,
        "length_km": float(measure.length_km(array)[0]) if kind == "line" else None,
        "country": "AAA", "continent": "Africa", "subregion": "Middle Africa", "income": "LIC", "density": "low",
        "level": level, "admin": [], "h3": 0, "time_start": begin, "time_end": begin,
        "attributes": json.dumps(attributes), "image": None,
    }  # fmt: skip


def _fixes(geometry: Any) -> list[list[Any]]:
    """A fix every 6 hours at the vertices, with a diameter of 60 nautical miles."""
    xy = shapely.get_coordinates(geometry)
    keep = np.r_[True, (np.diff(xy, axis=0) != 0).any(axis=1)]
    begin = datetime(2015, 1, 1, tzinfo=UTC)
    return [
        [(begin + timedelta(hours=6 * k)).strftime("%Y-%m-%dT%H:%M:%SZ"), float(x), float(y), 60.0]
        for k, (x, y) in enumerate(xy[keep])
        if abs(y) < 80
    ]


def _link(kg: str, found: list[dict[str, Any]]) -> None:
    """Parents by containment, borders of the first countries, footprints of the storms."""
    geometry = np.array([shapely.from_wkb(row["geometry"]) for row in found], dtype=object)
    levels = np.array([NO_LEVEL if row["level"] is None else row["level"] for row in found])
    areas = np.flatnonzero(levels >= 0)
    if kg != "worldkg" and len(areas):
        admin = AdminAreas([found[i]["iri"] for i in areas], geometry[areas], levels[areas])
        for row, parents in zip(found, admin.parent_column(geometry, levels).to_pylist(), strict=True):
            row["admin"] = parents
    countries = [row["iri"] for row in found if row["class"] == "country"]
    for row in [row for row in found if row["class"] == "border"]:
        row["attributes"] = json.dumps({"of": countries[:2]})
    for row in [row for row in found if row["class"] == "storm"]:
        fixes = json.loads(row["attributes"])["fixes"]
        swept = swept_area(fixes) if len(fixes) > 1 else None
        if swept is not None and shapely.is_valid(swept):
            footprint = _row(kg, len(found), row["name"], "storm_footprint", None, swept)
            found.append(
                footprint
                | {
                    "attributes": json.dumps({"track": row["iri"]}),
                    "time_start": row["time_start"],
                    "time_end": row["time_end"],
                }
            )
