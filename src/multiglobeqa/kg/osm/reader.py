"""Read an OSM extract into raw entities and labels.

Three passes over the file: relations; nodes and ways with area assembly; and, only if relations gave no area,
their member ways once more to say why. Named objects of a class (see ``classes.yaml``) become entities:

- nodes: points;
- closed ways, multipolygon and boundary relations: surfaces, assembled by osmium (invalid or incomplete ones
  are counted, with their ids, never mended);
- ways of line classes: merged into named features (see `lines`).

Objects without a name are dropped; those of venue classes are also counted by class in
``report.unnamed``, since a count of a class is only as good as its named share.

A closed way of both a line and a surface class is a surface if tagged ``area=yes``, else what ranks first.

Memory: node locations as `source` says; named relations and their member ids; admin surfaces to level 8; one
batch of rows; one bucket of lines. Nothing else grows with the file; rows wait on disk in a temporary folder.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
import osmium
import pyarrow as pa
import shapely

from multiglobeqa.errors import InputError
from multiglobeqa.kg import classes as table
from multiglobeqa.kg.hierarchy import AdminAreas
from multiglobeqa.kg.osm.geometry import to_wkb
from multiglobeqa.kg.osm.lines import LOCAL_LEVEL, LineSpool
from multiglobeqa.kg.osm.relations import Relations, read_relations
from multiglobeqa.kg.osm.sink import Candidate, Sink
from multiglobeqa.kg.osm.source import (
    Position,
    Source,
    UnsortedError,
    in_order,
    node_store,
    objects,
    open_source,
    translating,
)
from multiglobeqa.kg.osm.spool import Workspace
from multiglobeqa.kg.osm.tags import NAME_KEYS, display_name, out_of_use, plain_name
from multiglobeqa.kg.report import ImportReport

IRI: Final = "https://www.openstreetmap.org/"
UNCOUNTED_KEYS: Final = frozenset({"building", "highway", "waterway", "natural", "landuse", "boundary"})
"""Keys whose unnamed objects are not counted by class: most of them have no name by nature."""
_NODES_AND_WAYS: Final = osmium.osm.osm_entity_bits.NODE | osmium.osm.osm_entity_bits.WAY


def read(
    path: str | Path,
    report: ImportReport,
    *,
    classes: table.Classes | None = None,
    locations: str | None = None,
) -> tuple[Iterator[pa.RecordBatch], Iterator[pa.RecordBatch]]:
    """Read an extract (.osm.pbf, .osm); returns batches of RAW_SCHEMA and batches of LABEL_SCHEMA.

    The file is read whole before this returns, so errors come from the call; the rows lie in a temporary
    folder until both iterators are gone. ``report`` takes the counts. ``classes``: another table of classes.
    ``locations``: an osmium index name for the node locations instead of the choice by file size.

    Raises InputError: not OSM data, truncated, not sorted, or without any named object of a class.
    """
    source = open_source(path)
    workspace = Workspace()

    def attempt(data: Source) -> _Reading:
        counts = ImportReport(report.source)
        if data.data != data.path:
            counts.notes.append("The file was not sorted; a sorted copy was read.")
        reading = _Reading(data, counts, classes or table.load(), workspace)
        reading.run(locations)
        return reading

    reading = in_order(source, workspace.path, attempt)
    report.merge(reading.report)
    if not reading.sink.raw.rows:
        raise InputError(
            "is an empty extract: it holds no named object of a known class.",
            source=source.path,
            place=f"{sum(report.read.values())} tagged objects read",
            mend="Extract a larger area, keep the tags, or add classes to kg/classes.yaml.",
        )
    return reading.sink.raw.batches(), reading.sink.labels.batches()


class _Reading:
    """The state of one import."""

    def __init__(
        self, source: Source, report: ImportReport, classes: table.Classes, workspace: Workspace
    ) -> None:
        self.source, self.report, self.classes, self.workspace = source, report, classes, workspace
        self.counted_keys = classes.tag_keys - UNCOUNTED_KEYS
        self.sink = Sink(workspace, report, keep_admin_to_level=LOCAL_LEVEL)
        self.lines = LineSpool(workspace, source.size)
        self.relations = Relations()
        self.wkb = osmium.geom.WKBFactory()
        self.expected: dict[int, str] = {}  # closed ways whose area has not come yet, with their class
        self.cut_ways = 0
        self.position = Position()

    def run(self, locations: str | None) -> None:
        """All passes."""
        self.relations = read_relations(self.source, self.classes, self.report)
        store = node_store(self.source, self.workspace.path, locations)
        with translating(self.source.path, self.position):
            self._objects(store)
        for way in self.expected:
            self.report.drop("invalid_area", f"way {way}")
        self._explain(store)
        del store
        self.sink.flush()
        self._features()
        self.sink.flush()

    def _objects(self, store: Any) -> None:
        """Second pass: nodes, ways, and the areas osmium assembles on the way."""
        osm = osmium
        name = str(self.source.data)
        manager = osm.area.AreaManager()
        wanted = osm.filter.IdFilter(list(self.relations.areas))
        with osm.io.Reader(name, osm.osm.osm_entity_bits.RELATION) as reader:
            collector = manager.first_pass_handler()
            osm.apply(reader, wanted, collector)
        locator = osm.NodeLocationsForWays(store)
        locator.ignore_errors()
        named, tagged = osm.filter.KeyFilter(*NAME_KEYS), osm.filter.EmptyTagFilter()
        areas = osm.BufferIterator(named)
        assembler = manager.second_pass_to_buffer(
            areas
        )  # osmium keeps no references: these must outlive the loop
        for item in objects(self.source, _NODES_AND_WAYS, locator, assembler, tagged):
            if item.is_way():
                self.position.kind, self.position.id = "way", item.id
                self._way(item)
            else:
                if self.position.kind == "way":
                    raise UnsortedError(
                        "is not sorted: a node follows a way.",
                        source=self.source.path,
                        place=f"node {item.id}",
                        mend="Sort it with `osmium sort`.",
                    )
                self.position.kind, self.position.id = "node", item.id
                self._node(item)
            if areas:
                for area in areas:
                    self._area(area)
        for area in areas:
            self._area(area)

    def _node(self, node: Any) -> None:
        self.report.read["tagged_node"] += 1
        place = f"node {node.id}"
        tags = self._named(node, place)
        if tags is None:
            return
        class_key = self.classes.of_tags(tags, "point")
        if class_key is None:
            self.report.drop("no_class", place)
        elif not node.location.valid():
            self.report.drop("invalid_location", place)
        else:
            wkb = bytes.fromhex(self.wkb.create_point(node))
            self.sink.add(Candidate(place, f"{IRI}node/{node.id}", class_key, "point", tags, wkb, {}))

    def _named(self, item: Any, place: str) -> dict[str, str] | None:
        """Tags of a named object in use, or None with the cause counted."""
        tags = item.tags
        if "name" not in tags and "name:en" not in tags:
            self.report.drop("unnamed", place)
            if any(tag.k in self.counted_keys for tag in tags):
                self._unnamed(item)
            return None
        found = dict(tags)
        if item.id <= 0:
            self.report.drop("id_not_of_openstreetmap", place)
        elif display_name(found) is None:
            self.report.drop("unnamed", place)
        elif out_of_use(found):
            self.report.drop("out_of_use", place)
        else:
            return found
        return None

    def _unnamed(self, item: Any) -> None:
        """Count an unnamed venue by class: the share without a name says how far counts of the class go."""
        tags = dict(item.tags)
        kind = "point" if item.is_node() else "surface" if item.is_closed() else "line"
        class_key = self.classes.of_tags(tags, kind)
        if class_key is not None and not out_of_use(tags):
            self.report.unnamed[class_key] += 1

    def _way(self, way: Any) -> None:
        self.report.read["tagged_way"] += 1
        place = f"way {way.id}"
        relation = self.relations.lines.get(self.relations.line_of_way.get(way.id, 0))
        if relation is not None:
            tags = dict(way.tags)
            relation.seen += 1
            if self.classes.of_tags(tags, "line") == relation.class_key and not out_of_use(tags):
                self._line(way, relation.class_key, tags, relation.name, relation.id)
                return
        named = self._named(way, place)
        if named is None:
            return
        closed = len(way.nodes) > 3 and way.is_closed()
        kind, class_key = self.way_kind(named, closed=closed)
        if class_key is None:
            known = self.classes.of_tags(named) is not None
            self.report.drop("open_way_of_a_surface_class" if known and not closed else "no_class", place)
        elif kind == "line":
            self._line(way, class_key, named, plain_name(named) or "", 0)
        elif not all(node.location.valid() for node in way.nodes):
            self.report.drop("way_node_missing", place)
        else:
            self.expected[way.id] = class_key

    def way_kind(self, tags: dict[str, str], *, closed: bool) -> tuple[str, str | None]:
        """Kind and class of a way."""
        area = tags.get("area", "")
        line = None if closed and area == "yes" else self.classes.of_tags(tags, "line")
        surface = self.classes.of_tags(tags, "surface") if closed and area != "no" else None
        if line is None or (surface is not None and self.classes[surface].rank < self.classes[line].rank):
            return "surface", surface
        return "line", line

    def _line(self, way: Any, class_key: str, tags: dict[str, str], name: str, relation: int) -> None:
        cut = False
        try:
            parts = [bytes.fromhex(self.wkb.create_linestring(way))]
        except (osmium.InvalidLocationError, RuntimeError):
            runs: list[list[tuple[float, float]]] = [[]]
            for node in way.nodes:
                if not node.location.valid():
                    runs.append([])
                elif not runs[-1] or runs[-1][-1] != (node.location.lon, node.location.lat):
                    runs[-1].append((node.location.lon, node.location.lat))
            parts = [shapely.to_wkb(shapely.LineString(run)) for run in runs if len(run) > 1]
            cut = len(runs) > 1
        if not parts:
            self.report.drop("way_node_missing" if cut else "degenerate_line", f"way {way.id}")
            return
        if cut:
            self.cut_ways += 1
        self.lines.add(way.id, class_key, name, tags, parts, relation, cut=cut)

    def _area(self, area: Any) -> None:
        way = area.from_way()
        origin = area.orig_id()
        if way:
            class_key = self.expected.pop(origin, None)
        else:
            relation = self.relations.areas.get(origin)
            class_key = relation.class_key if relation else None
            if relation is not None:
                relation.found = True
        if class_key is None:
            return
        place = f"{'way' if way else 'relation'} {origin}"
        tags = {key: value for key, value in dict(area.tags).items() if way or key != "type"}
        if way and self._repeats_relation(origin, class_key, tags):
            self.report.drop("way_repeats_its_relation", place)
            return
        try:
            wkb = bytes.fromhex(self.wkb.create_multipolygon(area))
        except RuntimeError:  # "invalid area": the rings cross or do not close
            self.report.drop("invalid_area", place)
            return
        self.sink.add(Candidate(place, IRI + place.replace(" ", "/"), class_key, "surface", tags, wkb, {}))

    def _repeats_relation(self, way: int, class_key: str, tags: dict[str, str]) -> bool:
        """Whether a closed way bears the class and name of an area relation it is part of."""
        name = display_name(tags)
        owners = (self.relations.areas[int(r)] for r in self.relations.relations_of(way))
        return any(owner.class_key == class_key and owner.name == name for owner in owners)

    def _explain(self, store: Any) -> None:
        """Third pass: why relations gave no area."""
        lost = [item.id for item in self.relations.areas.values() if not item.found]
        if not lost:
            return
        members = self.relations.members_of(lost)
        ids = {int(way) for ways in members.values() for way in ways}
        complete: dict[int, bool] = {}
        locator, chosen = osmium.NodeLocationsForWays(store), osmium.filter.IdFilter(ids)
        locator.ignore_errors()
        with translating(self.source.path, self.position):
            for way in objects(self.source, osmium.osm.osm_entity_bits.WAY, chosen, locator):
                complete[way.id] = all(node.location.valid() for node in way.nodes)
        for relation in lost:
            ways = [int(way) for way in members[relation]]
            missing = [way for way in ways if way not in complete]
            if not ways:
                cause = "relation_without_ways"
            elif missing:
                cause = "relation_member_missing"
            elif not all(complete[way] for way in ways):
                cause = "relation_node_missing"
            else:
                cause = "invalid_area"
            detail = f" ({len(missing)} of {len(ways)} ways)" if missing else ""
            self.report.drop(cause, f"relation {relation}{detail}")

    def _features(self) -> None:
        """Merge the lines and hand them to the sink."""
        admin = self.sink.admin
        areas = None
        if admin:
            geometry = np.empty(len(admin), dtype=object)
            geometry[:] = [item[1] for item in admin]
            areas = AdminAreas([item[0] for item in admin], geometry, [item[2] for item in admin])
        box = shapely.box(*self.source.box) if self.source.box else None
        for relation in self.relations.lines.values():
            if not relation.seen:
                self.report.drop("relation_member_missing", f"relation {relation.id}")
        merged = features = 0
        for item in self.lines.features(areas, self.relations.lines):
            if box is not None and not box.covers(item.geometry):
                item.own["osm_cut"] = True
            merged += item.ways
            features += 1
            self.sink.add(
                Candidate(
                    item.iri.removeprefix(IRI).replace("/", " "), item.iri, item.class_key, "line", item.tags,
                    to_wkb(np.array([item.geometry], dtype=object))[0], item.own,
                )
            )  # fmt: skip
        if features:
            self.report.notes.append(f"{merged} ways became {features} line features.")
        if self.cut_ways:
            self.report.notes.append(f"{self.cut_ways} line ways were cut where the file lacks their nodes.")
