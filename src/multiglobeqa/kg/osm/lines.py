"""Named roads and waterways: the ways of one name that touch become one feature (TAXONOMY D).

Ways become one feature where

- a relation says so (waterway, street, associatedStreet), or
- they have the same class and name, lie in the same admin area, and an end of one lies on a vertex of the
  other, or both are one-way and come within 50 m of each other (the carriageways of a divided road).

The admin area is the country for waterways and for roads that carry through traffic (motorway to secondary),
and for local roads the deepest complete admin area of level 8 or above that holds the way's middle; where the
file holds no such area there is none to part them.

Both carriageways of a divided road bear its name, so both belong to the feature; ``osm_oneway_share`` says
how much of the length is one-way, for those who would take the length of the street itself.

Ways keep their direction. ``osm_flow_unclear`` marks the waterways whose direction does not tell their flow: canals,
and those whose ways run against each other.

Ways go to disk in buckets by name, and one bucket at a time comes back: memory is bounded by the ways of a
bucket and the admin surfaces.
"""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa
import shapely
from numpy.typing import NDArray

from multiglobeqa.kg import flow
from multiglobeqa.kg.hierarchy import AdminAreas
from multiglobeqa.kg.osm.merging import Ints, Ways, local_area, local_length, merge
from multiglobeqa.kg.osm.relations import LineRelation
from multiglobeqa.kg.osm.spool import Spool, Workspace, pack

THROUGH_ROADS: Final = frozenset({"motorway", "trunk", "primary", "secondary"})
LOCAL_LEVEL: Final = 8
BUCKET_BYTES: Final = 64_000_000

_SCHEMA: Final = pa.schema(
    [
        pa.field("way", pa.int64()),
        pa.field("relation", pa.int64()),
        pa.field("class", pa.string()),
        pa.field("group", pa.string()),
        pa.field("through", pa.bool_()),
        pa.field("one_way", pa.bool_()),
        pa.field("cut", pa.bool_()),
        pa.field("tags", pa.string()),
        pa.field("geometry", pa.binary()),
    ]
)


@dataclass(frozen=True)
class Feature:
    """One named line: ``geometry`` a (multi)linestring whose parts keep the ways' direction."""

    iri: str
    class_key: str
    tags: dict[str, str]
    geometry: Any
    own: dict[str, Any]
    ways: int


class LineSpool:
    """Ways of line classes on disk, in buckets by class and name."""

    def __init__(self, workspace: Workspace, file_size: int) -> None:
        count = int(min(256, max(1, file_size // BUCKET_BYTES)))
        self._buckets = [Spool(workspace, f"lines-{index}", _SCHEMA) for index in range(count)]

    def add(
        self, way: int, class_key: str, name: str, tags: Mapping[str, str], parts: list[bytes], relation: int,
        *, cut: bool,
    ) -> None:  # fmt: skip
        """Add a way: the WKB of its parts (one, unless nodes are missing); ``relation`` 0: none."""
        through = class_key == "waterway" or tags.get("highway") in THROUGH_ROADS
        bucket = self._buckets[zlib.crc32(f"{class_key}\t{name}".encode()) % len(self._buckets)]
        for part in parts:
            bucket.add(
                {
                    "way": way, "relation": relation, "class": class_key, "group": name, "through": through,
                    "one_way": is_one_way(class_key, tags), "cut": cut, "tags": pack(dict(tags)),
                    "geometry": part,
                }
            )  # fmt: skip

    def features(self, areas: AdminAreas | None, relations: Mapping[int, LineRelation]) -> Iterator[Feature]:
        """The merged features, bucket by bucket, by least way id within each."""
        for bucket in self._buckets:
            batches = list(bucket.batches())
            if batches:
                yield from _features(pa.Table.from_batches(batches), areas, relations)


def _features(
    table: pa.Table, areas: AdminAreas | None, relations: Mapping[int, LineRelation]
) -> Iterator[Feature]:
    way, relation = table["way"].to_numpy(), table["relation"].to_numpy()
    geometry = shapely.from_wkb(table["geometry"].to_numpy(zero_copy_only=False))
    keys = pa.compute.binary_join_element_wise(table["class"], table["group"], "\t").combine_chunks()
    group = keys.dictionary_encode().indices.to_numpy().astype(np.int64)
    through = table["through"].to_numpy(zero_copy_only=False).astype(bool)
    one_way = table["one_way"].to_numpy(zero_copy_only=False).astype(bool)
    ways = Ways(way, relation, group, through, one_way, local_area(geometry, areas), geometry)
    component = merge(ways)
    order = np.lexsort((np.arange(len(way)), way, component))
    starts = np.flatnonzero(np.diff(component[order], prepend=-1))
    lengths = local_length(geometry)
    doubled = _doubled(geometry, component)
    merged = shapely.line_merge(
        shapely.multilinestrings(geometry[order], indices=component[order]), directed=True
    )
    tags = table["tags"].combine_chunks().take(pa.array(order)).to_pylist()
    cut = table["cut"].to_numpy(zero_copy_only=False).astype(bool)[order]
    classes = table["class"].combine_chunks().take(pa.array(order[starts])).to_pylist()
    first_way = way[order[starts]]
    ends = np.append(starts[1:], len(order))
    for index in np.argsort(first_way, kind="stable"):
        rows = slice(starts[index], ends[index])
        members = order[rows]
        yield _feature(
            classes[index], merged[component[order[starts[index]]]], way[members], lengths[members],
            [json.loads(text) for text in tags[rows]], bool(cut[rows].any()),
            bool(doubled[component[order[starts[index]]]]),
            [relations[int(r)] for r in np.unique(relation[members]) if r],
        )  # fmt: skip


def _feature(
    class_key: str, geometry: Any, ways: Ints, lengths: NDArray[np.float64], tags: list[dict[str, str]],
    cut: bool, doubled: bool, relations: list[LineRelation],
) -> Feature:  # fmt: skip
    ids = sorted({int(way) for way in ways})
    own: dict[str, Any] = {}
    common = dict(tags[0]) if len(ids) == 1 else _common(tags, lengths)
    iri = f"https://www.openstreetmap.org/way/{ids[0]}" + ("" if len(ids) == 1 else f"#{class_key}")
    if relations:
        named = relations[0]
        name_tags = {key: value for key, value in named.tags.items() if key != "type"}
        if named.is_feature:
            iri = f"https://www.openstreetmap.org/relation/{named.id}"
            common = {**common, **name_tags}
        else:
            common = {**name_tags, **common}
            common["name"] = named.tags.get("name", common.get("name", named.name))
        own["osm_relations"] = [item.id for item in relations]
        missing = sum(item.members - item.seen for item in relations)
        if missing:
            own["osm_relation_members_missing"] = missing
            cut = True
    if len(ids) > 1 or relations:
        own["osm_ways"] = ids
    if class_key != "waterway":
        one_way = np.array([is_one_way(class_key, item) for item in tags])
        own["osm_oneway_share"] = round(float(lengths[one_way].sum() / max(lengths.sum(), 1e-12)), 3)
    if cut:
        own["osm_cut"] = True
    if doubled:
        own["osm_overlap"] = True
    if class_key == "waterway" and not flow.is_told({**common, **own}, geometry):
        own[flow.UNCLEAR] = True
    return Feature(iri, class_key, common, geometry, own, len(ids))


def is_one_way(class_key: str, tags: Mapping[str, str]) -> bool:
    """Whether traffic goes one way, as tagged or implied (motorway, roundabout); not asked of water."""
    if class_key == "waterway":
        return False
    stated = tags.get("oneway")
    implied = tags.get("highway") == "motorway" or tags.get("junction") in ("roundabout", "circular")
    return stated in ("yes", "1", "true", "-1", "reverse") or (stated is None and implied)


def _common(tags: list[dict[str, str]], lengths: NDArray[np.float64]) -> dict[str, str]:
    """Tags of a merged feature: of each key the value with the most length, if half the length has the key.

    Name keys need no majority: any way's translation is the feature's.
    """
    weights: dict[str, Counter[str]] = {}
    for item, length in zip(tags, lengths, strict=True):
        for key, value in item.items():
            weights.setdefault(key, Counter())[value] += max(float(length), 1e-9)  # type: ignore[assignment]
    total = float(np.maximum(lengths, 1e-9).sum())
    result = {}
    for key, values in weights.items():
        value, weight = min(values.items(), key=lambda pair: (-pair[1], pair[0]))
        if "name" in key or key == "wikidata" or weight * 2 >= total * (1 - 1e-9):
            result[key] = value
    return result


def _doubled(geometry: NDArray[np.object_], component: Ints) -> NDArray[np.bool_]:
    """For each component whether some segment is drawn twice in it (by either direction)."""
    xy, index = shapely.get_coordinates(geometry, return_index=True)
    key = np.rint(xy * 1e7).astype(np.int64)
    within = index[1:] == index[:-1]
    a, b = key[:-1][within], key[1:][within]
    swap = (a[:, 0] > b[:, 0]) | ((a[:, 0] == b[:, 0]) & (a[:, 1] > b[:, 1]))
    a[swap], b[swap] = b[swap], a[swap].copy()
    rows = np.column_stack([component[index[1:][within]], a, b])
    rows = rows[np.lexsort(rows.T[::-1])]
    same = (rows[1:] == rows[:-1]).all(axis=1)
    result = np.zeros(int(component.max()) + 1 if len(component) else 0, dtype=bool)
    result[rows[1:][same, 0]] = True
    return result
