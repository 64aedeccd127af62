"""Surface names: each name in a question means one entity (TAXONOMY rule 5).

A name that its KG holds once stays as it is. A name that several entities of one layer share gets the smallest
context that tells it apart: the country, its class, the administrative parent; for venues the street; at last the
coordinates. Two entities of one name within 50 km always need more than a country.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa

from multiglobeqa.engine import Engine
from multiglobeqa.kg import classes
from multiglobeqa.kg.countries import country_names

COORDINATES = "coordinates"
"""The context of a name that only its coordinates tell apart."""
UNDATED = "undated"
"""The context of a storm's name whose year is not known."""
STORMS = ("storm", "storm_footprint")
_YEAR = re.compile(r"(?<!\d)(1[89]|20)\d\d(?!\d)")
_DISTANCE = re.compile(r"\d\s*(km|mi|miles?)\b", re.IGNORECASE)


def folded(name: str) -> str:
    """A name for comparison: compatibility forms, case and runs of space folded away."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


_WITH_ARTICLE = re.compile(
    r"^(border between |Bahamas|Comoros|Gambia|Maldives|Netherlands|Philippines|Seychelles|United |Vatican$|Isle of )"
    r"|(Republic|Islands|Territory|Territories|Emirates|Federation|Kingdom|States|Lands)( \(|$)"
    r"|^(Democratic |People's |Federated |Republic of )"
)


def event_name(class_: str, name: str, iri: str, year: int | None) -> str:
    """The name of an event: storms carry the year in which they began, earthquakes whose label tells a distance
    ("12 km SSW of Vaduz") are called by the event id that ends their IRI."""
    if class_ in STORMS and year is not None and not _YEAR.search(name):
        return f"{name} ({year})"
    if class_ == "earthquake" and _DISTANCE.search(name):
        return f"Earthquake {re.split(r'[./#]', iri)[-1]}"
    return name


def in_sentence(name: str) -> str:
    """A name as it stands inside an English sentence: with the article where its kind takes one."""
    return f"the {name}" if _WITH_ARTICLE.search(name) else name


_WAYS: Final = frozenset({"road", "path", "waterway"})

_BARE = re.compile(
    r"(the )?(north|south|east|west|cent(re|er)|central|coast|littoral|capital|plateau|mountain|lakes?|northern|"
    r"southern|eastern|western|islands?|region|province|state|middle|upper|lower)"
    r"(([- ]| and )?(north|south|east|west|northern|southern|eastern|western|central|coast|river|islands?|region|"
    r"province|state))*"
)
"""Names of regions that are common words: many countries have an East."""

Context = tuple[str, Callable[[int], str | None]]
"""A kind of context and the function from an entity's position to its words."""


@dataclass(frozen=True)
class SurfaceName:
    """A name as it stands in a question. ``context``: "", "country", "class", "parent", "street",
    "coordinates" or "undated"."""

    text: str
    context: str


class Namer:
    """Surface names of one KG's entities.

    Homonyms are looked for in the whole KG, whatever their class, except between an entity and the same place in
    another form (a storm and its footprint, a city's node inside the city's own area of the same name).
    """

    def __init__(self, engine: Engine) -> None:
        table = engine.query(
            "SELECT id, name, class, level, extent, country, ref_lon, ref_lat, year(time_start) AS year, "
            "CASE WHEN class IN ('storm', 'storm_footprint', 'earthquake') THEN iri END AS event "
            "FROM entity ORDER BY id"
        )
        self._rows: dict[str, list[Any]] = table.to_pydict()
        for position, iri in enumerate(self._rows["event"]):
            if iri is not None:
                class_, year = self._rows["class"][position], self._rows["year"][position]
                self._rows["name"][position] = event_name(class_, self._rows["name"][position], iri, year)
        groups: dict[str, list[int]] = defaultdict(list)
        for position, name in enumerate(self._rows["name"]):
            groups[folded(name)].append(position)
        self._groups = groups
        self._classes = classes.load()
        self._parent = self._direct_parents(engine)
        self._engine = engine
        self._street: dict[int, str | None] = {}
        self._country_names = country_names()
        self._contexts: tuple[Context, ...] = (
            ("country", self._country),
            ("class", self._class),
            ("class", self._class_and_country),
            ("parent", self._parent_and_country),
            ("street", self._at_street),
        )
        self._local_contexts: tuple[Context, ...] = (
            ("parent", self._where),
            ("class", self._class_and_where),
            ("street", self._at_street),
        )
        self._apart_contexts: tuple[Context, ...] = (
            ("class", self._class_and_country),
            ("country", self._country),
            ("class", self._class),
        )

    def name(self, entity: int, *, placed: bool = False, unsaid: frozenset[str] = frozenset()) -> SurfaceName:
        """The surface name of an entity id.

        ``unsaid``: folded names that the context must not hold, since they would tell the answer.

        ``placed``: features of a bounded extract always carry the place they lie in, since a shop's or a street's
        name means nothing without its town.
        """
        position = entity - 1
        plain = self._rows["name"][position]
        if self._rows["class"][position] in STORMS and not _YEAR.search(plain):
            return SurfaceName(plain, UNDATED)
        others = [
            p for p in self._groups[folded(plain)] if p != position and not self._same_place(p, position)
        ]
        local = placed and self._rows["extent"][position] != "world" and self._where(position) is not None
        bare = self._rows["class"][position] == "admin1" and _BARE.fullmatch(folded(plain)) is not None
        if not others and not local and not bare:
            return SurfaceName(plain, "")
        contexts = self._contexts_of(position, local=local)
        for context, key in (*contexts, *self._apart_contexts) if unsaid else contexts:
            mine = key(position)
            if mine is None or folded(mine) == folded(plain) or unsaid & set(folded(mine).split(", ")):
                continue
            if all(key(p) != mine for p in others):
                return SurfaceName(f"{plain} ({mine})", context)
        lon, lat = self._rows["ref_lon"][position], self._rows["ref_lat"][position]
        return SurfaceName(f"{plain} (latitude {lat:.4f}, longitude {lon:.4f})", COORDINATES)

    def _contexts_of(self, position: int, *, local: bool) -> tuple[Context, ...]:
        """What may tell the entity apart, in order. A way or a venue says what it is: "Otto (Finland)" tells nobody
        that Otto is a bank."""
        if not local:
            return self._contexts
        class_ = self._rows["class"][position]
        said = class_ in _WAYS or self._classes[class_].scale == "venue"
        return self._local_contexts[1:] if said else self._local_contexts

    def takes_article(self, entity: int) -> bool:
        """Whether the entity is of a kind whose English names may take the article: countries and borders."""
        return self._rows["class"][entity - 1] in ("country", "border")

    def prepare(self, entities: list[int]) -> None:
        """Fetch the streets and divisions of entities and of their homonyms in one query."""
        positions = {p for e in entities for p in self._groups[folded(self._rows["name"][e - 1])]}
        missing = np.array(sorted(p + 1 for p in positions if p not in self._street), dtype=np.int64)
        if not missing.size:
            return
        self._engine.register("name_ids", pa.table({"id": missing}))
        rows = self._engine.query("SELECT id, attributes FROM entity WHERE id IN (SELECT id FROM name_ids)")
        for entity, text in zip(rows["id"].to_pylist(), rows["attributes"].to_pylist(), strict=True):
            attributes = json.loads(text)
            self._street[entity - 1] = attributes.get("addr:street")
            for key in ("admin1", "addr:city"):
                if attributes.get(key):
                    self._parent.setdefault(entity - 1, attributes[key])

    def _same_place(self, a: int, b: int) -> bool:
        """Two records of one thing in one KG: the storm and its footprint, a place's node within 2 km of its area."""
        classes = {self._rows["class"][a], self._rows["class"][b]}
        return classes == {"storm", "storm_footprint"}

    def _country(self, position: int) -> str | None:
        code = self._rows["country"][position]
        return self._country_names.get(code, code) if code else None

    def _class(self, position: int) -> str | None:
        level = self._rows["level"][position]
        return self._classes.label(self._rows["class"][position], level).replace(" (", ", ").replace(")", "")

    def _class_and_country(self, position: int) -> str | None:
        country = self._country(position)
        return f"{self._class(position)}, {country}" if country else None

    def _where(self, position: int) -> str | None:
        return self._parent_and_country(position) or self._country(position)

    def _class_and_where(self, position: int) -> str | None:
        where = self._where(position)
        return f"{self._class(position)}, {where}" if where else None

    def _parent_and_country(self, position: int) -> str | None:
        parent = self._parent.get(position)
        country = self._country(position)
        if parent is None:
            return None
        return parent if country is None or folded(parent) == folded(country) else f"{parent}, {country}"

    def _at_street(self, position: int) -> str | None:
        street = self._street.get(position)
        parent = self._parent.get(position)
        return f"{street}, {parent}" if street and parent else street

    def _direct_parents(self, engine: Engine) -> dict[int, str]:
        rows = engine.query(
            "SELECT a.child_id, p.name FROM ancestor a JOIN entity p ON p.id = a.parent_id WHERE a.depth = 1"
        )
        return {c - 1: n for c, n in zip(rows["child_id"].to_pylist(), rows["name"].to_pylist(), strict=True)}
