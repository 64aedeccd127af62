"""First pass: the relations that make surfaces and the relations that say which ways are one line."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
import osmium
from numpy.typing import NDArray

from multiglobeqa.kg.classes import Classes
from multiglobeqa.kg.osm.source import Position, Source, objects, translating
from multiglobeqa.kg.osm.tags import display_name, out_of_use, plain_name
from multiglobeqa.kg.report import ImportReport

AREA_TYPES: Final = frozenset({"multipolygon", "boundary"})
LINE_TYPES: Final = {"waterway": "waterway", "street": "road", "associatedStreet": "road"}
"""Relations whose ways are one named feature, with its class. (``type=route`` is an itinerary, no road.)"""
LINE_ROLES: Final = {
    "waterway": frozenset({"", "main_stream"}),
    "street": frozenset({"street"}),
    "associatedStreet": frozenset({"street"}),
}


@dataclass
class AreaRelation:
    """A named relation of a surface class: its class, name, number of way members."""

    id: int
    class_key: str
    name: str
    found: bool = False


@dataclass
class LineRelation:
    """A named relation of a line class, its tags, and how many of its ways the file holds."""

    id: int
    class_key: str
    name: str
    tags: dict[str, str]
    is_feature: bool
    members: int
    seen: int = 0


@dataclass
class Relations:
    """What the first pass keeps. Memory grows with the named relations and their members only.

    ``member_way`` (sorted) and ``member_of`` are parallel: way id, id of the area relation it belongs to.
    """

    areas: dict[int, AreaRelation] = field(default_factory=dict)
    lines: dict[int, LineRelation] = field(default_factory=dict)
    line_of_way: dict[int, int] = field(default_factory=dict)
    member_way: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    member_of: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))

    def relations_of(self, way: int) -> NDArray[np.int64]:
        """Ids of the area relations a way is a member of."""
        low, high = np.searchsorted(self.member_way, [way, way + 1])
        return self.member_of[low:high]

    def members_of(self, relations: list[int]) -> dict[int, NDArray[np.int64]]:
        """Way members of the given area relations."""
        chosen = np.isin(self.member_of, relations)
        way, of = self.member_way[chosen], self.member_of[chosen]
        return {relation: way[of == relation] for relation in relations}


def read_relations(source: Source, classes: Classes, report: ImportReport) -> Relations:
    """Read all relations, keep those that make entities, count the others by cause."""
    result = Relations()
    ways: list[int] = []
    owners: list[int] = []
    position = Position()
    with translating(source.path, position):
        for relation in objects(source, osmium.osm.osm_entity_bits.RELATION):
            position.kind, position.id = "relation", relation.id
            report.read["relation"] += 1
            cause = _keep(relation, classes, result, ways, owners)
            if cause is not None:
                report.drop(cause, f"relation {relation.id}")
    order = np.lexsort((np.array(owners, np.int64), np.array(ways, np.int64)))
    result.member_way = np.array(ways, np.int64)[order]
    result.member_of = np.array(owners, np.int64)[order]
    return result


def _keep(
    relation: osmium.osm.Relation, classes: Classes, result: Relations, ways: list[int], owners: list[int]
) -> str | None:
    """Keep one relation, or say why not."""
    kind = relation.tags.get("type", "")
    if kind not in AREA_TYPES and kind not in LINE_TYPES:
        return "relation_type_without_geometry"
    if relation.id <= 0:
        return "id_not_of_openstreetmap"
    tags = dict(relation.tags)
    name = display_name(tags)
    if name is None:
        return "unnamed"
    if out_of_use(tags):
        return "out_of_use"
    if kind in AREA_TYPES:
        class_key = classes.of_tags(tags, "surface")
        if class_key is None:
            return "no_class"
        result.areas[relation.id] = AreaRelation(relation.id, class_key, name)
        members = [member.ref for member in relation.members if member.type == "w"]
        ways.extend(members)
        owners.extend([relation.id] * len(members))
        return None
    class_key = LINE_TYPES[kind]
    members = [m.ref for m in relation.members if m.type == "w" and m.role in LINE_ROLES[kind]]
    if not members:
        return "relation_without_ways"
    result.lines[relation.id] = LineRelation(
        relation.id,
        class_key,
        plain_name(tags) or name,
        tags,
        is_feature=kind == "waterway",
        members=len(set(members)),
    )
    for way in members:
        result.line_of_way.setdefault(way, relation.id)
    return None
