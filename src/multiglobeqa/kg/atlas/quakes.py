"""Earthquakes: a week of the USGS feed (GeoJSON) and a ComCat catalogue (CSV), as dated points.

Names are "Earthquake <event id>": the feed's own titles name places and distances (TAXONOMY rule 5). Times
are UTC.
"""

from __future__ import annotations

import csv
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import shapely

from multiglobeqa.errors import InputError
from multiglobeqa.kg.atlas.batches import Gather
from multiglobeqa.kg.atlas.vector import read_geojson
from multiglobeqa.kg.report import ImportReport

IRI: Final = "http://stko-kwg.geog.ucsb.edu/lod/resource/earthquake.{}"


def gather_feed(path: Path, out: Gather, report: ImportReport) -> None:
    """Add the feed's earthquakes; explosions and quarry blasts are dropped and counted."""
    properties, ids, points = read_geojson(path)
    for row, event, point in zip(properties, ids, points, strict=True):
        report.read["event"] += 1
        if row["type"] != "earthquake" or event is None:
            report.drop(f"event_is_{str(row['type']).replace(' ', '_')}", str(event))
            continue
        moment = datetime.fromtimestamp(row["time"] / 1000, tz=UTC)
        lon, lat, depth = shapely.get_coordinates(point, include_z=True)[0].tolist()
        _add(out, event, lon, lat, moment, row["mag"], depth, {"magnitude_type": row["magType"]})


def gather_catalogue(path: Path, out: Gather, report: ImportReport) -> None:
    """Add a ComCat catalogue's earthquakes (lon, lat, M, time_string, depth).

    The file states no event ids; the id is ``comcat`` and the time to the hundredth of a second, of which
    no two are the same. Raises InputError naming the line for a value that cannot be read.
    """
    with path.open(encoding="utf-8", newline="") as stream:
        for line, row in enumerate(csv.DictReader(stream), 2):
            report.read["event"] += 1
            try:
                moment = datetime.fromisoformat(row["time_string"]).replace(tzinfo=UTC)
                lon, lat, depth = float(row["lon"]), float(row["lat"]), float(row["depth"])
                magnitude = float(row["M"])
            except (ValueError, KeyError, TypeError) as error:
                raise InputError(f"cannot be read: {error}.", source=path, place=f"line {line}") from error
            event = f"comcat{moment:%Y%m%d%H%M%S}{moment.microsecond // 10_000:02d}"
            _add(out, event, lon, lat, moment, magnitude, depth, {})


def _add(
    out: Gather, event: str, lon: float, lat: float, moment: datetime, magnitude: Any, depth: float, more: Any
) -> None:
    iri, name = IRI.format(event), f"Earthquake {event}"
    out.entity(
        iri=iri,
        name=name,
        semantic="earthquake",
        kind="point",
        geometry=shapely.Point(lon, lat),
        admin=[],
        time_start=moment,
        time_end=moment,
        attributes={"depth_km": depth, "event_id": event, "magnitude": magnitude, **more},
    )
    out.label(iri, "und", name)
    out.label(iri, "eng", name)
