"""GeoNames places: 234,908 rows with labels in 17 languages, in the layout of the derived table.

Columns, tab-separated, without header: id, name, latitude, longitude, ISO alpha-2 country, admin1 code,
population, feature code, Wikidata id, labels (``lang=text|lang=text``).
"""

from __future__ import annotations

import csv
import gzip
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import shapely

from multiglobeqa.errors import InputError
from multiglobeqa.geo.nearest import PointIndex
from multiglobeqa.kg.atlas.batches import Gather
from multiglobeqa.kg.atlas.languages import GEONAMES, ISO_639_3
from multiglobeqa.kg.report import ImportReport

IRI: Final = "https://sws.geonames.org/{}/"
NOT_PLACES: Final[Mapping[str, str]] = {
    "PPLX": "section_of_a_place",
    "PPLH": "historical_place",
    "PPLCH": "historical_place",
    "PPLQ": "abandoned_place",
    "PPLW": "destroyed_place",
}
"""Feature codes that are no populated place of their own, with the cause of the drop."""
LEAST_POPULATION: Final = 1_000
TWIN_KM: Final = 1.0
SEATS: Final = frozenset({"PPLC", "PPLA", "PPLA2", "PPLA3"})
DIVISION: Final = re.compile(r"\b(Municipality|District|Parish|County|Prefecture|Province|Government)\b")
LETTERS: Final = frozenset({"Lu", "Ll", "Lt", "Lo"})
RECODED: Final = frozenset({"VN"})
"""Countries whose codes of first-level divisions in the table of places are of a later date than the table of
their names: each of Vietnam's 473 places that could be compared had the name of another province."""


@dataclass(frozen=True)
class Place:
    """One row of the table; ``country`` is ISO alpha-3 or None, ``alpha2`` as written.

    ``feature`` is "" where the source has none.
    """

    id: str
    name: str
    lon: float
    lat: float
    country: str | None
    alpha2: str
    admin1: str
    population: int
    feature: str
    wikidata: str
    labels: dict[str, str]

    @property
    def iri(self) -> str:
        """The place's IRI at GeoNames."""
        return IRI.format(self.id)


def read_iso2(path: Path) -> dict[str, str]:
    """ISO alpha-2 to alpha-3 codes of GeoNames' countryInfo.txt (XK gives XKX)."""
    out = {}
    with path.open(encoding="utf-8") as stream:
        for line in stream:
            fields = line.rstrip("\n").split("\t")
            if not line.startswith("#") and len(fields) > 2:
                out[fields[0]] = fields[1]
    return out


def read_places(path: Path, iso2: Mapping[str, str], report: ImportReport) -> Iterator[Place]:
    """The populated places of the table; the rest is dropped by cause.

    A row without a feature code is kept: 35,789 rows have none, and they come from a list of populated
    places.
    Raises InputError naming the line for a row of another width or a number that cannot be read.
    """
    with gzip.open(path, "rt", encoding="utf-8", newline="") as stream:
        for line, row in enumerate(csv.reader(stream, delimiter="\t", quoting=csv.QUOTE_NONE), 1):
            if len(row) != 10:
                raise InputError(f"has {len(row)} fields, not 10.", source=path, place=f"line {line}")
            report.read["row"] += 1
            feature = row[7]
            if feature in NOT_PLACES:
                report.drop(NOT_PLACES[feature], f"line {line}")
                continue
            if in_two_scripts(row[1]):
                report.drop("name_in_two_scripts", f"line {line}")
                continue
            try:
                lat, lon, population = float(row[2]), float(row[3]), int(row[6] or 0)
            except ValueError as error:
                raise InputError(f"cannot be read: {error}.", source=path, place=f"line {line}") from error
            labels = {}
            for item in filter(None, row[9].split("|")):
                language, _, text = item.partition("=")
                if language in GEONAMES and text:
                    labels[ISO_639_3[language]] = text
            yield Place(
                row[0],
                row[1],
                lon,
                lat,
                iso2.get(row[4]),
                row[4],
                row[5],
                population,
                feature,
                row[8],
                labels,
            )


def in_two_scripts(name: str) -> bool:
    """Whether a name mixes Latin letters with others ("Kalimpong, \u041a\u0440\u0443\u043a\u0435\u0442\u0438")."""
    latin = {unicodedata.name(c, "").startswith("LATIN") for c in name if unicodedata.category(c) in LETTERS}
    return len(latin) > 1


def english_name(place: Place) -> str:
    """The name a place is asked by: its English label, if it is no division's where the place's own is not.

    (Wikidata's item is that of the division: Baiti's label is "Baitsi District", Aksakovo's "Aksakovo
    Municipality".)
    """
    label = place.labels.get("eng", place.name)
    return place.name if DIVISION.search(label) and not DIVISION.search(place.name) else label


def read_admin1_names(path: Path) -> dict[tuple[str, str], str]:
    """(ISO alpha-2 country, admin-1 code) -> name, of GeoNames' admin1CodesASCII.txt."""
    out = {}
    with path.open(encoding="utf-8") as stream:
        for line in stream:
            code, name, *_ = line.rstrip("\n").split("\t")
            country, _, unit = code.partition(".")
            out[country, unit] = name
    return out


def settlements(
    places: Iterator[Place], admin1: Mapping[tuple[str, str], str], report: ImportReport
) -> Gather:
    """Places as points; the English label, where there is one, is the name.

    Places of ``LEAST_POPULATION`` people or more are of class ``settlement``. Smaller capitals and seats of
    administrative divisions down to the third level are ``administrative_seat``. Other small places are
    dropped: the source's list of them is not even (30,680 rows state no population at all).
    """
    kept = []
    for place in places:
        if place.population >= LEAST_POPULATION or place.feature in SEATS:
            kept.append(place)
        else:
            report.drop("below_1000_people_and_no_seat", place.iri)
    out = Gather()
    for place in without_twins(kept, report):
        semantic = "settlement" if place.population >= LEAST_POPULATION else "administrative_seat"
        add(out, place, place.iri, semantic, None, admin1)
    return out


def without_twins(places: list[Place], report: ImportReport) -> list[Place]:
    """Places without those that lie within ``TWIN_KM`` of a larger one of the same country: quarters, second
    records of one town."""
    if not places:
        return places
    lon, lat = np.array([p.lon for p in places]), np.array([p.lat for p in places])
    left, right, _ = PointIndex(lon, lat).within(lon, lat, TWIN_KM)
    size = np.array([p.population for p in places])
    identity = np.array([int(p.id) for p in places])
    country = np.array([p.alpha2 for p in places])
    smaller = (size[left] < size[right]) | ((size[left] == size[right]) & (identity[left] > identity[right]))
    twins = set(left[smaller & (country[left] == country[right])].tolist())
    for i in sorted(twins):
        report.drop("within_1_km_of_a_larger_place", places[i].iri)
    return [place for i, place in enumerate(places) if i not in twins]


def add(
    out: Gather,
    place: Place,
    iri: str,
    semantic: str,
    admin: list[str] | None,
    admin1: Mapping[tuple[str, str], str],
) -> None:
    """Add one place with its attributes and labels; ``admin1`` names its first-level division."""
    name = english_name(place)
    out.entity(
        iri=iri,
        name=name,
        semantic=semantic,
        kind="point",
        geometry=shapely.Point(place.lon, place.lat),
        admin=admin,
        country=place.country,
        attributes={
            "admin1": None if place.alpha2 in RECODED else admin1.get((place.alpha2, place.admin1)),
            "feature_code": place.feature or None,
            "geonames_id": int(place.id),
            "population": place.population or None,
            "wikidata": place.wikidata or None,
        },
    )
    labels = dict(place.labels)
    if labels.get("eng", name) != name:
        out.label(iri, "eng", labels.pop("eng"), "alias")
    out.labels_of(iri, place.name, labels)
