"""Surface names: each name in a question means one entity (TAXONOMY rule 5).

A name that nothing else bears, in its KG or among the places of the others, stays as it is. A name that several
share gets the smallest context that tells it apart: the country, its class, the administrative parent; for venues the
street; at last the coordinates. No country or parent tells a town from an area of its name in the same country: the
class must. A town or region named like a river or an island that no KG holds says its class too (`renown`). Two
stretches of one street are not told apart: coordinates say where one lies, not where it ends.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa

from multiglobeqa.build import gazetteer
from multiglobeqa.build.doubts import named_divisions, second_records
from multiglobeqa.build.renown import RENOWNED
from multiglobeqa.build.words import BARE, STORMS, YEAR
from multiglobeqa.build.words import event_name as event_name
from multiglobeqa.build.words import folded as folded
from multiglobeqa.build.words import in_sentence as in_sentence
from multiglobeqa.engine import Engine
from multiglobeqa.kg import classes
from multiglobeqa.kg.countries import country_names
from multiglobeqa.kg.store import Snapshot

COORDINATES = "coordinates"
"""The context of a name that only its coordinates tell apart."""
UNDATED = "undated"
"""The context of a storm's name whose year is not known."""
UNTOLD = "untold"
"""The context of a name that nothing tells apart: a place on record twice, two regions of one name in one country."""
_WAYS: Final = frozenset({"road", "path", "waterway"})
_SPOKEN: Final = {
    "settlement": "populated place",
    "city15000": "populated place",
    "natural_earth_lake": "lake",
    "iata_airport": "airport",
}
"""Classes that a list makes, as a reader knows them: it tells nothing on whose list a lake stands."""
STRETCH_KM: Final = 2.0
"""Roads, paths or waters of one name this near may be stretches of one, which the map does not join. Of 243 such lines
of the embedded extracts that have a namesake, 141 have it this near, 41 from there to 5 km."""
_COLUMNS: Final = ("name", "class", "level", "country", "ref_lon", "ref_lat")

Context = tuple[str, Callable[[int], str | None]]
"""A kind of context and the function from an entity's position to its words."""


@dataclass(frozen=True)
class SurfaceName:
    """A name as it stands in a question. ``context``: "", "country", "class", "parent", "street",
    "coordinates", "undated" or "untold"."""

    text: str
    context: str


class Namer:
    """Surface names of one KG's entities.

    Homonyms are looked for in the whole KG, whatever their class, and among the places of the snapshots ``beside``
    it, save for an entity and the same thing in another form (a storm and its footprint, a town in two KGs).

    ``second``: ids of places on record twice, which no context tells apart; sought here where they are not given.
    """

    def __init__(
        self, engine: Engine, beside: Sequence[Snapshot] = (), second: frozenset[int] | None = None
    ) -> None:
        table = engine.query(
            "SELECT id, name, class, level, extent, country, ref_lon, ref_lat, year(time_start) AS year, "
            "CASE WHEN class IN ('storm', 'storm_footprint', 'earthquake') THEN iri END AS event, "
            "CASE WHEN class = 'admin1' THEN json_extract_string(attributes, '$.unit_type') END AS unit "
            "FROM entity ORDER BY id"
        )
        self._own = table.num_rows
        self.second = second_records(engine) if second is None else second
        self._divisions = named_divisions(engine)
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
        self._add_places_beside(engine, beside)
        self._engine = engine
        self._street: dict[int, str | None] = {}
        self._country_names = country_names()
        self._contexts: tuple[Context, ...] = (
            ("country", self._country),
            ("class", self._class),
            ("class", self._class_and_country),
            ("parent", self._parent_and_country),
            ("class", self._class_and_parent),
            ("class", self._unit_and_country),
            ("street", self._at_street),
        )
        self._local_contexts: tuple[Context, ...] = (
            ("parent", self._where),
            ("class", self._class_and_where),
            ("class", self._unit_and_country),
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
        if self._rows["class"][position] in STORMS and not YEAR.search(plain):
            return SurfaceName(plain, UNDATED)
        if entity in self.second or entity in self._divisions:
            return SurfaceName(plain, UNTOLD)
        others = self._others(position)
        local = placed and self._rows["extent"][position] != "world" and self._where(position) is not None
        bare = self._rows["class"][position] == "admin1" and BARE.fullmatch(folded(plain)) is not None
        renowned = not local and self._renowned(position)
        if not others and not local and not bare and not renowned:
            return SurfaceName(plain, "")
        contexts = self._apart_contexts[:1] if renowned else ()
        contexts += self._contexts_of(position, local=local)
        for context, key in (*contexts, *self._apart_contexts) if unsaid else contexts:
            mine = key(position)
            if mine is None or folded(mine) == folded(plain) or unsaid & set(folded(mine).split(", ")):
                continue
            if key == self._class and not unsaid and self._abroad(position, others):
                continue
            if all(self._tells_apart(context, key, mine, position, p) for p in others):
                return SurfaceName(f"{plain} ({mine})", context)
        return self._by_coordinates(position, others)

    def _by_coordinates(self, position: int, others: list[int]) -> SurfaceName:
        """The name by coordinates, with the class where another of the name may hold the same point; two areas of
        one class and country are not told apart by them."""
        plain, class_ = self._rows["name"][position], self._rows["class"][position]
        lon, lat = self._rows["ref_lon"][position], self._rows["ref_lat"][position]
        where = f"latitude {lat:.4f}, longitude {lon:.4f}"
        near = [p for p in others if self._one_country(p, position)]
        if class_ in _WAYS and any(self._stretches(p, position) for p in near):
            return SurfaceName(f"{plain} ({where})", UNTOLD)
        if class_ in gazetteer.AREAS and any(self._rows["class"][p] == class_ for p in near):
            return SurfaceName(f"{plain} ({where})", UNTOLD)
        if any(not self._comparable(p, position) for p in near):
            where = f"{self._class(position)}, {where}"
        return SurfaceName(f"{plain} ({where})", COORDINATES)

    def _tells_apart(
        self, context: str, key: Callable[[int], str | None], mine: str, position: int, other: int
    ) -> bool:
        """Whether a context tells an entity from another of its name.

        A town and an area of one country need the class; the class does not tell a town from a village of another
        KG, nor two places of GeoNames; a country or parent that another KG does not state is no difference.
        """
        theirs = key(other)
        if theirs == mine:
            return False
        comparable, at_home = self._comparable(position, other), self._one_country(position, other)
        parents = None not in (self._parent.get(position), self._parent.get(other))
        both = {self._rows["class"][position], self._rows["class"][other]}
        beside = other >= self._own
        if context in ("country", "parent"):
            if beside and (theirs is None or (context == "parent" and at_home and not parents)):
                return False
            return comparable or not at_home or not both & gazetteer.AREAS
        if context == "class" and comparable and (beside or both <= gazetteer.GEONAMES):
            parted = key in (self._class_and_parent, self._class_and_where)
            return key != self._class and (not at_home or (parted and parents))
        return True

    def _stretches(self, one: int, other: int) -> bool:
        """Whether two of one name may be stretches of one road, path or water."""
        rows = self._rows
        if rows["class"][one] != rows["class"][other]:
            return False
        places = (rows[column][p] for p in (one, other) for column in ("ref_lon", "ref_lat"))
        return gazetteer.km(*places) <= STRETCH_KM

    def _renowned(self, position: int) -> bool:
        """Whether a town or a region bears the name of a river, an island or a land that no KG holds."""
        class_ = self._rows["class"][position]
        kind = class_ in gazetteer.GEONAMES or class_ in gazetteer.AREAS - {"country"}
        return kind and folded(self._rows["name"][position]) in RENOWNED

    def _comparable(self, one: int, other: int) -> bool:
        return gazetteer.comparable(self._rows["class"][one], self._rows["class"][other])

    def _abroad(self, position: int, others: list[int]) -> bool:
        """Whether a name is borne in other countries too: of many a San Carlos, the airport is best known with its own.
        A country needs no other."""
        country = self._rows["class"][position] == "country"
        return not country and not all(self._one_country(p, position) for p in others)

    def _one_country(self, one: int, other: int) -> bool:
        """Whether two may lie in one country: a country that is not known may be any."""
        a, b = self._rows["country"][one], self._rows["country"][other]
        return a is None or b is None or a == b

    def _others(self, position: int) -> list[int]:
        """The other bearers of a name. In other KGs, venues and ways, which always say where they are, have none, and
        countries those at home only: Peru is no town of Illinois."""
        class_ = self._rows["class"][position]
        bearers = self._groups[folded(self._rows["name"][position])]
        if class_ in _WAYS or self._classes[class_].scale == "venue":
            bearers = [p for p in bearers if p < self._own]
        elif class_ == "country":
            bearers = [p for p in bearers if p < self._own or self._one_country(p, position)]
        return [p for p in bearers if p != position and not self._same_place(p, position)]

    def _add_places_beside(self, engine: Engine, beside: Sequence[Snapshot]) -> None:
        """Append the homonyms among the places of other KGs to the rows, behind the entities of this one."""
        if not beside:
            return
        mine = engine.query("SELECT DISTINCT iri FROM entity")["iri"].to_pylist()
        places = gazetteer.places(beside, self._groups, mine)
        columns = {name: places[name].to_pylist() for name in (*_COLUMNS, "parent", "folded")}
        for name, values in self._rows.items():
            values.extend(columns.get(name, [None] * places.num_rows))
        for position, (name, parent) in enumerate(
            zip(columns["folded"], columns["parent"], strict=True), self._own
        ):
            self._groups[name].append(position)
            if parent is not None:
                self._parent[position] = parent

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
        missing = np.array(
            sorted(p + 1 for p in positions if p < self._own and p not in self._street), dtype=np.int64
        )
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
        """Two records of one thing: the storm and its footprint, a place in two KGs or on two lists of one."""
        lists = {self._rows["class"][p] in gazetteer.GEONAMES for p in (a, b)}
        if max(a, b) >= self._own or (len(lists) == 2 and self._comparable(a, b)):
            one, other = ({name: self._rows[name][p] for name in _COLUMNS} for p in (a, b))
            return gazetteer.one_place(one, other)
        return {self._rows["class"][a], self._rows["class"][b]} == {"storm", "storm_footprint"}

    def _country(self, position: int) -> str | None:
        code = self._rows["country"][position]
        return self._country_names.get(code, code) if code else None

    def _class(self, position: int) -> str | None:
        level = self._rows["level"][position]
        spoken = _SPOKEN.get(self._rows["class"][position])
        return spoken or self._classes.label(self._rows["class"][position], level).replace(
            " (", ", "
        ).replace(")", "")

    def _class_and_country(self, position: int) -> str | None:
        country = self._country(position)
        return f"{self._class(position)}, {country}" if country else None

    def _class_and_parent(self, position: int) -> str | None:
        where = self._parent_and_country(position)
        return f"{self._class(position)}, {where}" if where else None

    def _unit_and_country(self, position: int) -> str | None:
        """What the source calls a first-level region: Cork is a county, and a city beside it."""
        unit, country = self._rows["unit"][position], self._country(position)
        if unit is None or country is None:
            return None
        return f"{self._class(position)}: {unit.replace('|', ' or ').lower()}, {country}"

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
