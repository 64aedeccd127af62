"""A synthetic planet: a KG snapshot of any size that is like the embedded one.

    python benchmarks/planet.py OUT --kg osmh3kg --entities 1000000 [--seed 1] [--alone] [--triples]

OUT/<kg> is a snapshot that `mgqa build --kg OUT/<kg>` reads. It holds the parts of the embedded world (left out with
``--alone``) and copies of their neighbourhoods, moved to other land places, until about that many entities are there:

- an OSM extract moves as a whole, turned by a random angle: classes, kinds, vertices, tags, labels, containment and
  the covered area stay together, so its surroundings are as dense as real ones; extracts never overlap;
- towns and airports move in groups of neighbours, lakes and earthquakes one by one, all to the surroundings of a
  populated place; storms, with their footprints, move along their parallel;
- countries, first-level regions and borders do not multiply; towns and airports get the areas they land in as parents.

Copies have ids of their own and names with a word of their own (one for each neighbourhood). Country, tiers, size
and cells are computed for the new place. What ties a copy to its original is left out: Wikidata, images, ISO codes.
Memory does not grow with the size but for some 100 bytes a neighbourhood. Equal arguments give equal bytes.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import shapely
from planet_places import FIRST_ID, Land, Plan, plan
from planet_sources import Floats, Geometries, Ints, Source, motions, moved, read_sources, word

from multiglobeqa.build import embedded_snapshots
from multiglobeqa.errors import MultiGlobeQAError
from multiglobeqa.kg.finish import write_part
from multiglobeqa.kg.hierarchy import NO_LEVEL, AdminAreas
from multiglobeqa.kg.report import ImportReport
from multiglobeqa.kg.schema import KGS, LABEL_SCHEMA, RAW_SCHEMA
from multiglobeqa.kg.store import Part, Snapshot, open_snapshot, write_manifest
from multiglobeqa.kg.strata import Strata
from multiglobeqa.kg.triples_snapshot import render_snapshot

PART_ROWS: Final = 1_000_000
BATCH_COORDINATES: Final = 400_000
"""A point counts as eight."""
COMPRESSION: Final = 3
_ISO3: Final = re.compile(r"administrativeRegion\.([A-Z]{3})$")


class Copier:
    """Yields the raw rows and labels of planned copies."""

    def __init__(self, sources: list[Source], land: Land, strata: Strata, areas: AdminAreas | None) -> None:
        self._sources, self._land, self._strata, self._areas = sources, land, strata, areas

    def raw(self, copies: Plan) -> Iterator[pa.RecordBatch]:
        """Batches of RAW_SCHEMA."""
        for source, chosen, row, which in self._batches(copies):
            yield self._entities(source, chosen, row, which)

    def labels(self, copies: Plan) -> Iterator[pa.RecordBatch]:
        """Batches of LABEL_SCHEMA."""
        for source, chosen, row, which in self._batches(copies):
            count = source.label_start[row + 1] - source.label_start[row]
            at = np.repeat(source.label_start[row] - (np.cumsum(count) - count), count) + np.arange(
                count.sum()
            )
            iri = self._iris(source, chosen, row, which).take(pa.array(np.repeat(np.arange(len(row)), count)))
            labels = source.labels.take(pa.array(at))
            text = _named(labels["label"], self._words(chosen, np.repeat(which, count)))
            columns = {"iri": iri, "lang": labels["lang"], "label": text, "kind": labels["kind"]}
            yield from pa.table(columns).cast(LABEL_SCHEMA).combine_chunks().to_batches()

    def _batches(self, copies: Plan) -> Iterator[tuple[Source, Plan, Ints, Ints]]:
        """A source, copies of it, the source row of each entity, and which copy it belongs to."""
        coordinates = np.array(
            [
                self._sources[s].weight[u]
                for s, u in zip(copies.source.tolist(), copies.unit.tolist(), strict=True)
            ],
            dtype=np.int64,
        )
        piece = np.cumsum(coordinates) // BATCH_COORDINATES
        for index in np.split(np.arange(len(piece)), np.flatnonzero(np.diff(piece)) + 1):
            for number in np.unique(copies.source[index]).tolist():
                chosen = copies.take(index[copies.source[index] == number])
                source = self._sources[number]
                units = [source.units[unit] for unit in chosen.unit.tolist()]
                yield (
                    source,
                    chosen,
                    np.concatenate(units),
                    np.repeat(np.arange(len(units)), [len(u) for u in units]),
                )

    def _entities(self, source: Source, chosen: Plan, row: Ints, which: Ints) -> pa.RecordBatch:
        motion = motions(source.centre[chosen.unit], chosen.place, chosen.turn)
        geometry = moved(source.geometry[row], motion, which)
        rows, word_ = source.rows.take(pa.array(row)), self._words(chosen, which)
        iri = self._iris(source, chosen, row, which)
        admin, country = self._parents(source, chosen, row, which, geometry)
        columns = {
            "iri": iri,
            "name": _named(rows["name"], word_),
            "geometry": pa.array(shapely.to_wkb(geometry).tolist(), pa.binary()),
            "admin": admin,
            "country": country,
            "attributes": self._attributes(source, chosen, row, which, geometry),
            "image": pa.nulls(len(row), pa.string()),
        } | {name: rows[name] for name in ("class", "kind", "level", "time_start", "time_end")}
        table = pa.table({name: columns[name] for name in RAW_SCHEMA.names}).cast(RAW_SCHEMA)
        if source.on_land:
            table = table.filter(pc.is_valid(table["country"]))
        batch: pa.RecordBatch = table.combine_chunks().to_batches()[0]
        return batch

    def _words(self, chosen: Plan, which: Ints) -> pa.Array:
        return pa.array([word(number) for number in (chosen.first - FIRST_ID).tolist()]).take(pa.array(which))

    def _numbers(self, source: Source, chosen: Plan, row: Ints, which: Ints) -> pa.Array:
        """The copies' own ids as text: digits where the original's are."""
        start = np.array([source.units[unit][0] for unit in chosen.unit.tolist()])[which]
        number = chosen.first[which] + (
            0 if source.storms else row - start
        )  # a footprint shares its track's id
        return pc.binary_join_element_wise(
            source.mark.take(pa.array(row)), pa.array(number).cast(pa.string()), ""
        )

    def _iris(self, source: Source, chosen: Plan, row: Ints, which: Ints) -> Any:
        at = pa.array(row)
        number = self._numbers(source, chosen, row, which)
        return pc.binary_join_element_wise(source.head.take(at), number, source.tail.take(at), "")

    def _parents(
        self, source: Source, chosen: Plan, row: Ints, which: Ints, geometry: Geometries
    ) -> tuple[pa.Array, pa.Array]:
        """Admin parents and country: an extract's own areas, else the areas that a town or airport lands in."""
        none = pa.nulls(len(row), pa.string())
        if source.extract:
            parents = [source.parents[r] for r in row.tolist()]
            count = np.array([len(p) for p in parents], dtype=np.int64)
            flat = np.array([r for p in parents for r in p], dtype=np.int64)
            values = self._iris(source, chosen, flat, np.repeat(which, count))
            offsets = np.concatenate([[0], np.cumsum(count)])
            return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), values), none
        lon, lat = shapely.get_x(shapely.centroid(geometry)), shapely.get_y(shapely.centroid(geometry))
        if self._areas is None or not source.contained:
            empty = pa.array([[]] * len(row), pa.list_(pa.string()))
            return empty, pa.array(self._strata.country(lon, lat), pa.string())
        found = self._areas.parent_column(geometry, np.full(len(row), NO_LEVEL))
        iso = [_ISO3.search(parents[-1]) if parents else None for parents in found.to_pylist()]
        return found, pa.array([match[1] if match else None for match in iso], pa.string())

    def _attributes(self, source: Source, chosen: Plan, row: Ints, which: Ints, geometry: Geometries) -> Any:
        if source.storms:
            return self._storm_attributes(source, chosen, row, which)
        pieces = source.attributes.take(pa.array(row))
        number = self._numbers(source, chosen, row, which)
        own = pc.binary_join_element_wise(pieces["key"], number, pieces["close"], "")  # null without a key
        parts = [pieces["before"], own, pieces["after"]]
        if source.has_admin1:
            lonlat = np.column_stack([shapely.get_x(geometry), shapely.get_y(geometry)])
            region = self._land.admin1(lonlat)
            parts.insert(
                0,
                pc.if_else(
                    pc.equal(region, "null"), None, pc.binary_join_element_wise('"admin1"', region, ":")
                ),
            )
        inner = pc.binary_join_element_wise(*parts, ",", null_handling="skip")
        return pc.binary_join_element_wise("{", inner, "}", "")

    def _storm_attributes(self, source: Source, chosen: Plan, row: Ints, which: Ints) -> pa.Array:
        """Fixes move with the track, a footprint names the copy of its track."""
        shift = (chosen.place - source.centre[chosen.unit])[which, 0]
        tracks = {
            int(c): n
            for n, c in enumerate(which.tolist())
            if source.rows["class"][int(row[n])].as_py() == "storm"
        }
        iri = self._iris(source, chosen, row, which).to_pylist()
        out = []
        for number, text in enumerate(source.rows["attributes"].take(pa.array(row)).to_pylist()):
            value = json.loads(text)
            if "fixes" in value:
                value["fixes"] = [
                    [t, round(x + shift[number], 7) + 0.0, *rest] for t, x, *rest in value["fixes"]
                ]
            if "track" in value:
                value["track"] = iri[tracks[int(which[number])]]
            out.append(json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")))
        return pa.array(out, pa.string())


def _named(names: Any, words: pa.Array) -> Any:
    """Names with a word: before a bracket at the end ("Storm Amy Baba (1975)"), else at the end."""
    parts = pc.extract_regex(pc.cast(names, pa.string()), r"^(?P<name>(?s:.*?))(?P<end>(?: \([^()]*\))?)$")
    parts = parts.combine_chunks() if isinstance(parts, pa.ChunkedArray) else parts
    head = pc.binary_join_element_wise(parts.field("name"), words, " ")
    return pc.binary_join_element_wise(head, parts.field("end"), "")


@cache
def _earth() -> tuple[Strata, Land]:
    strata = Strata.load()
    return strata, Land(strata)


def write_planet(
    out: Path, kg: str, entities: int, seed: int = 1, *, alone: bool = False, part_rows: int = PART_ROWS
) -> Snapshot:
    """Write the snapshot folder ``out/kg`` of about ``entities`` entities and open it; see the module."""
    world = open_snapshot(next(path for path in embedded_snapshots() if path.name == kg))
    random = np.random.default_rng([seed, KGS.index(kg)])
    strata, land = _earth()
    sources = read_sources(world)
    kept = () if alone else world.parts
    copies = plan(sources, entities - sum(part.entities for part in kept), land, random)
    folder = out / kg
    folder.mkdir(parents=True, exist_ok=True)
    for file in (*world.entity_files, *world.label_files) if kept else ():
        shutil.copyfile(file, folder / Path(file).name)
    copier = Copier(sources, land, strata, _areas(world))
    parts: list[Part] = list(kept)
    groups = sorted({source.group for source in sources})
    for group in groups:
        members = np.array([source.group == group for source in sources])
        mine = copies.take(np.flatnonzero(members[copies.source])) if len(copies.source) else copies
        sizes = np.array(
            [len(sources[s].units[u]) for s, u in zip(mine.source, mine.unit, strict=True)], dtype=np.int64
        )
        piece = np.cumsum(sizes) // part_rows
        for number, index in enumerate(np.split(np.arange(len(sizes)), np.flatnonzero(np.diff(piece)) + 1)):
            if index.size:
                model = next(source.part for source in sources if source.group == group)
                name = f"synthetic_{group}_{number:04d}"
                parts.append(_write(folder, name, kg, copier, mine.take(index), sources, model, strata))
    return write_manifest(folder, kg, parts)


def _write(
    folder: Path,
    name: str,
    kg: str,
    copier: Copier,
    copies: Plan,
    sources: list[Source],
    model: Part,
    strata: Strata,
) -> Part:
    return write_part(
        folder, name, kg, copier.raw(copies), copier.labels(copies),
        report=ImportReport(source="synthetic"), licence=model.licence, attribution=model.attribution,
        coverage=coverage_of(copies, sources), supplement=model.supplement, strata=strata,
        compression_level=COMPRESSION,
    )  # fmt: skip


def coverage_of(copies: Plan, sources: list[Source]) -> str | None:
    """The covered area of copies of extracts; None for the world's parts."""
    extents = []
    for number in np.unique(copies.source).tolist():
        source, mine = sources[number], copies.take(np.flatnonzero(copies.source == number))
        if source.part.coverage is None:
            return None
        extent = np.full(len(mine.unit), shapely.from_wkt(source.part.coverage))
        motion: Floats = motions(source.centre[mine.unit], mine.place, mine.turn)
        extents.append(moved(extent, motion, np.arange(len(mine.unit))))
    return str(shapely.to_wkt(shapely.union_all(np.concatenate(extents)), rounding_precision=7))


def _areas(world: Snapshot) -> AdminAreas | None:
    file = world.path / "admin.entities.parquet"
    if not file.is_file():
        return None
    table = pq.read_table(file, columns=["iri", "geometry", "level"])
    surfaces = shapely.from_wkb(table["geometry"].to_numpy())
    return AdminAreas(table["iri"].to_pylist(), surfaces, table["level"].to_pylist())


def main() -> None:
    """Write a planet."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--kg", choices=KGS, action="append", help="By default all three.")
    parser.add_argument(
        "--entities", type=int, required=True, help="In all; KGs share as the embedded ones do."
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--alone", action="store_true", help="Leave the embedded world's own parts out.")
    parser.add_argument("--triples", action="store_true", help="Write N-Triples beside the parts.")
    options = parser.parse_args()
    sizes = {p.name: sum(part.entities for part in open_snapshot(p).parts) for p in embedded_snapshots()}
    sizes = {kg: n for kg, n in sizes.items() if kg in (options.kg or KGS)}
    try:
        for kg, size in sizes.items():
            share = round(options.entities * size / sum(sizes.values()))
            snapshot = write_planet(options.out, kg, share, options.seed, alone=options.alone)
            if options.triples:
                render_snapshot(snapshot)
            total = sum(part.entities for part in snapshot.parts)
            print(f"{snapshot.path}: {total:,} entities in {len(snapshot.parts)} parts")
    except MultiGlobeQAError as error:
        raise SystemExit(f"planet: {error}") from None


if __name__ == "__main__":
    main()
