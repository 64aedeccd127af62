"""Airports and large cities, with the regions they lie in.

The parents of a point are the first-level unit and the country that hold it, where three things agree: the
unsimplified regions, the simplified ones of the snapshot, and the country the source states. Where they do not (a
place on a border, a coast drawn coarsely, ground in dispute) the stated country decides: its nearest region within
``REACH_KM``, else the country alone.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import shapely

from multiglobeqa.errors import InputError
from multiglobeqa.geo.nearest import geometry_within
from multiglobeqa.kg.atlas import geonames
from multiglobeqa.kg.atlas.airport_positions import position
from multiglobeqa.kg.atlas.batches import Gather
from multiglobeqa.kg.atlas.regions import Regions, country_iri, first_level_iri
from multiglobeqa.kg.hierarchy import AdminAreas
from multiglobeqa.kg.report import ImportReport

AIRPORT_IRI: Final = "http://stko-kwg.geog.ucsb.edu/lod/resource/airport.{}"
CITY_POPULATION: Final = 15_000
REACH_KM: Final = 50.0
"""How far from its region's outline a place of the stated country may lie (coasts, ports, small islands)."""


class Parents:
    """Finds the parents of points.

    ``known``: the IRIs of the first-level units that are entities of the snapshot.
    """

    def __init__(self, regions: Regions, known: frozenset[str]) -> None:
        iris = [first_level_iri(row) or f"none.{i}" for i, row in enumerate(regions.first_level)]
        level = np.ones(len(iris), dtype=np.int64)
        self._known = known
        self._exact = AdminAreas(iris, regions.exact, level)
        self._simple = AdminAreas(iris, regions.simple, level)
        self._country = {iri: row["iso3"] for iri, row in zip(iris, regions.first_level, strict=True)}
        self._surface = {
            iri: surface
            for iri, surface, row in zip(iris, regions.exact, regions.first_level, strict=True)
            if row["of_own"] and not iri.startswith("none.")
        }
        codes = sorted(regions.countries)
        self._codes = frozenset(codes)
        self._countries = AdminAreas(
            [country_iri(c) for c in codes],
            np.array([regions.countries[c][0] for c in codes]),
            np.zeros(len(codes)),
        )

    def of(self, lon: Any, lat: Any, stated: list[str | None], report: ImportReport) -> list[list[str]]:
        """Parents of n points, direct parent first; ``stated``: ISO alpha-3 codes or None."""
        points = shapely.points(np.asarray(lon, dtype=float), np.asarray(lat, dtype=float))
        exact = self._exact.parent_column(points).to_pylist()
        simple = self._simple.parent_column(points).to_pylist()
        held = self._countries.parent_column(points).to_pylist()
        out: list[list[str]] = []
        open_rows: list[int] = []
        for i, code in enumerate(stated):
            unit = exact[i][0] if exact[i] else None
            country = self._country.get(unit) if unit is not None else None
            agree = exact[i] == simple[i] and country is not None and held[i] == [country_iri(country)]
            if unit is None or country is None or not agree or (code is not None and code != country):
                open_rows.append(i)
                out.append([])
            else:
                out.append(self._chain(unit, country))
        near = self._of_stated_country(points, stated, open_rows, out)
        report.notes.append(
            f"{len(open_rows)} points lie in no region, where simplified and unsimplified regions differ, or in "
            f"another country than stated: {near} belong to the nearest region of the stated country within "
            f"{REACH_KM:g} km, the rest to the country alone."
        )
        return out

    def _chain(self, unit: str, country: str) -> list[str]:
        return [unit, country_iri(country)] if unit in self._known else [country_iri(country)]

    def _of_stated_country(
        self, points: Any, stated: list[str | None], rows: list[int], out: list[list[str]]
    ) -> int:
        """Parents of the points of ``rows`` by the country that the source states; how many got a region."""
        found = 0
        for code in sorted({c for i in rows if (c := stated[i]) is not None and c in self._codes}):
            mine = [i for i in rows if stated[i] == code]
            units = [u for u, country in self._country.items() if country == code and u in self._surface]
            for i in mine:
                out[i] = [country_iri(code)]
            if not units:
                continue
            surfaces = np.array([self._surface[u] for u in units], dtype=object)
            left, right, km = geometry_within(points[mine], surfaces, REACH_KM)
            best: dict[int, tuple[float, str]] = {}
            for point, unit, apart in zip(left.tolist(), right.tolist(), km.tolist(), strict=True):
                best[point] = min(best.get(point, (np.inf, "")), (apart, units[unit]))
            for point, (_, unit) in best.items():
                out[mine[point]] = self._chain(unit, code)
            found += len(best)
        return found


def airports(path: Path, iso2: Mapping[str, str], parents: Parents, report: ImportReport) -> Gather:
    """Airports with an IATA code, class ``airport``; without a name, position or ICAO code they are
    dropped."""
    rows: list[dict[str, str]] = []
    with path.open(encoding="utf-8", newline="") as stream:
        for line, row in enumerate(csv.DictReader(stream), 2):
            report.read["airport"] += 1
            if not row["iata"]:
                report.drop("airport_without_iata", f"line {line}")
            elif not row["icao"] or not row["name"].strip():
                report.drop("airport_without_code_or_name", f"line {line}")
            else:
                rows.append({**row, "line": str(line)})
    try:
        found = [position(r["icao"], r["lat"], r["lon"]) for r in rows]
    except ValueError as error:
        raise InputError(f"has a position that cannot be read: {error}.", source=path) from error
    lat, lon = np.array(found, dtype=float).reshape(-1, 2).T
    stated = [iso2.get(row["country"]) for row in rows]
    out = Gather()
    for i, chain in enumerate(parents.of(lon, lat, stated, report)):
        row, iri = rows[i], AIRPORT_IRI.format(rows[i]["icao"])
        name = " ".join(row["name"].split())
        out.entity(
            iri=iri,
            name=name,
            semantic="iata_airport",
            kind="point",
            geometry=shapely.Point(lon[i], lat[i]),
            admin=chain,
            country=stated[i],
            attributes={"city": row["city"] or None, "iata": row["iata"], "icao": row["icao"]},
        )
        out.label(iri, "und", name)
        out.label(iri, "eng", name)
        out.label(iri, "und", row["iata"], "alias")
    return out


def cities(
    places: Iterable[geonames.Place],
    parents: Parents,
    admin1: Mapping[tuple[str, str], str],
    report: ImportReport,
) -> Gather:
    """GeoNames places of 15,000 people or more, class ``city15000``."""
    large = []
    for place in places:
        if place.population >= CITY_POPULATION:
            large.append(place)
        else:
            report.drop("place_below_15000_people", place.iri)
    large = geonames.without_twins(large, report)
    chains = parents.of([p.lon for p in large], [p.lat for p in large], [p.country for p in large], report)
    out = Gather()
    for place, chain in zip(large, chains, strict=True):
        geonames.add(out, place, place.iri, "city15000", chain, admin1)
    return out
