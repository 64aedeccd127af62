"""NOAA HURDAT2 storms (Atlantic, 1975 on): tracks and the areas their tropical-storm-force winds swept.

The table (R's dplyr::storms) has one row a fix: name, year, month, day, hour (UTC), lat, long, status,
category, wind, pressure, and, since 2004, the diameters inside which winds reach 34 and 64 knots, in
nautical miles.
"""

from __future__ import annotations

import csv
import gzip
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import shapely

from multiglobeqa.errors import InputError
from multiglobeqa.kg.atlas.batches import Gather
from multiglobeqa.kg.report import ImportReport
from multiglobeqa.kg.swept import swept_area
from multiglobeqa.kg.wkt import cut_at_antimeridian

RESOURCE: Final = "http://stko-kwg.geog.ucsb.edu/lod/resource/"
RANKS: Final = (
    ("hurricane", "Hurricane"),
    ("tropical storm", "Tropical Storm"),
    ("subtropical storm", "Subtropical Storm"),
    ("tropical depression", "Tropical Depression"),
    ("subtropical depression", "Subtropical Depression"),
)
"""Status -> title, highest class first."""


@dataclass(frozen=True)
class Storm:
    """One storm. ``fixes``: [ISO time, longitude, latitude, 34-kt diameter in nautical miles or None]."""

    name: str
    year: int
    title: str
    category: int
    wind_kt: int
    fixes: list[list[Any]]

    @property
    def id(self) -> str:
        """Year and name, as in ``2005.Katrina``."""
        return f"{self.year}.{self.name.replace(' ', '')}"

    @property
    def label(self) -> str:
        """The name people use, with the year: ``Hurricane Katrina (2005)``."""
        if self.name.upper().startswith("AL") and self.name[2:].isdigit():
            return f"Tropical system {self.name.upper()} ({self.year})"
        return f"{self.title} {self.name} ({self.year})"


def read_storms(path: Path, report: ImportReport) -> list[Storm]:
    """All storms of the table, in the order of its first rows.

    A season's storms carry into the next year under one name: rows of one name are one storm while less
    than 60 days lie between them. Raises InputError naming the line for a value that cannot be read.
    """
    open_storm: dict[str, tuple[datetime, list[dict[str, Any]]]] = {}
    groups: list[list[dict[str, Any]]] = []
    with gzip.open(path, "rt", encoding="utf-8", newline="") as stream:
        for line, row in enumerate(csv.DictReader(stream), 2):
            report.read["fix"] += 1
            try:
                fix = _fix(row)
            except (ValueError, KeyError, TypeError) as error:
                raise InputError(f"cannot be read: {error}.", source=path, place=f"line {line}") from error
            last = open_storm.get(row["name"])
            if last is None or (fix["time"] - last[0]).days >= 60 or fix["time"] < last[0]:
                groups.append([])
                open_storm[row["name"]] = (fix["time"], groups[-1])
            rows = open_storm[row["name"]][1]
            open_storm[row["name"]] = (fix["time"], rows)
            if rows and rows[-1]["time"] == fix["time"]:
                report.drop("fix_repeated", f"line {line}")
                continue
            rows.append(fix)
    return [_storm(rows) for rows in groups]


def _fix(row: dict[str, str]) -> dict[str, Any]:
    moment = datetime(int(row["year"]), int(row["month"]), int(row["day"]), int(row["hour"]), tzinfo=UTC)
    diameter = row["tropicalstorm_force_diameter"]
    return {
        "name": row["name"],
        "time": moment,
        "lon": float(row["long"]),
        "lat": float(row["lat"]),
        "status": row["status"],
        "category": int(float(row["category"] or 0)),
        "wind": int(float(row["wind"])),
        "diameter": float(diameter) if diameter not in ("", "NA") else None,
    }


def _storm(rows: list[dict[str, Any]]) -> Storm:
    reached = {row["status"] for row in rows}
    title = next((title for status, title in RANKS if status in reached), "Storm")
    fixes = [[_iso(r["time"]), r["lon"], r["lat"], r["diameter"]] for r in rows]
    return Storm(
        rows[0]["name"],
        rows[0]["time"].year,
        title,
        max(r["category"] for r in rows),
        max(r["wind"] for r in rows),
        fixes,
    )


def _iso(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def gather(storms: list[Storm], out: Gather, report: ImportReport) -> None:
    """Add tracks (class ``storm``) and footprints (class ``storm_footprint``) to ``out``.

    A storm of one place only has no track and is counted. Footprints exist where 34-kt diameters are known
    and above 0 at two fixes in a row.
    """
    for storm in storms:
        points = [(fix[1], fix[2]) for fix in storm.fixes]
        if len(set(points)) < 2:
            report.drop("track_of_one_place", storm.label)
            continue
        track = cut_at_antimeridian(shapely.LineString(points))
        iri = f"{RESOURCE}stormTrack.{storm.id}"
        columns = {
            "time_start": datetime.fromisoformat(storm.fixes[0][0]),
            "time_end": datetime.fromisoformat(storm.fixes[-1][0]),
        }
        out.entity(
            iri=iri,
            name=storm.label,
            semantic="storm",
            kind="line",
            geometry=track,
            admin=[],
            attributes={
                "category": storm.category or None,
                "fixes": storm.fixes,
                "max_wind_kt": storm.wind_kt,
                "year": storm.year,
            },
            **columns,
        )
        out.label(iri, "und", storm.label)
        out.label(iri, "eng", storm.label)
        swept = swept_area(storm.fixes)
        if swept is None:
            continue
        footprint = f"{RESOURCE}stormFootprint.{storm.id}"
        out.entity(
            iri=footprint,
            name=storm.label,
            semantic="storm_footprint",
            kind="surface",
            geometry=swept,
            admin=[],
            attributes={"track": iri, "year": storm.year},
            **columns,
        )
        out.label(footprint, "und", storm.label)
        out.label(footprint, "eng", storm.label)
