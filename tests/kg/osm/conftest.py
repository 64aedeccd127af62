"""A small OSM file written by hand, and the rows that come out of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import osmium
import pyarrow as pa
import pytest
import shapely

from multiglobeqa.kg.osm import read
from multiglobeqa.kg.report import ImportReport
from multiglobeqa.kg.schema import LABEL_SCHEMA, RAW_SCHEMA

Tags = Mapping[str, str]


@dataclass
class Map:
    """Nodes, ways and relations to be written as one .osm file."""

    nodes: dict[int, tuple[float, float]] = field(default_factory=dict)
    node_tags: dict[int, Tags] = field(default_factory=dict)
    ways: dict[int, tuple[Sequence[int], Tags]] = field(default_factory=dict)
    relations: dict[int, tuple[Sequence[tuple[str, int, str]], Tags]] = field(default_factory=dict)
    bounds: tuple[float, float, float, float] | None = None

    def node(self, number: int, lon: float, lat: float, **tags: str) -> None:
        """A node; tag keys may write a colon as two underscores."""
        self.nodes[number] = (lon, lat)
        self.node_tags[number] = {key.replace("__", ":"): value for key, value in tags.items()}

    def way(self, number: int, nodes: Sequence[int], **tags: str) -> None:
        """A way."""
        self.ways[number] = (nodes, {key.replace("__", ":"): value for key, value in tags.items()})

    def ring(self, number: int, west: float, south: float, east: float, north: float, **tags: str) -> None:
        """A closed way around a box, with nodes of its own."""
        first = number * 10
        for step, (lon, lat) in enumerate([(west, south), (east, south), (east, north), (west, north)]):
            self.node(first + step, lon, lat)
        self.way(number, [first, first + 1, first + 2, first + 3, first], **tags)

    def relation(self, number: int, members: Sequence[tuple[str, int, str]], **tags: str) -> None:
        """A relation; members are (way | node | relation, id, role)."""
        self.relations[number] = (members, {key.replace("__", ":"): value for key, value in tags.items()})

    def xml(self, order: str = "nwr") -> str:
        """OSM XML; ``order`` of the object types."""
        texts = {
            "n": [
                f'<node id="{n}" version="1" lon="{lon}" lat="{lat}">{_tags(self.node_tags[n])}</node>'
                for n, (lon, lat) in sorted(self.nodes.items())
            ],
            "w": [
                f'<way id="{w}" version="1">{"".join(f"<nd ref={chr(34)}{n}{chr(34)}/>" for n in nodes)}'
                f"{_tags(tags)}</way>"
                for w, (nodes, tags) in sorted(self.ways.items())
            ],
            "r": [
                f'<relation id="{r}" version="1">'
                + "".join(f'<member type="{t}" ref="{ref}" role="{role}"/>' for t, ref, role in members)
                + f"{_tags(tags)}</relation>"
                for r, (members, tags) in sorted(self.relations.items())
            ],
        }
        head = ""
        if self.bounds:
            west, south, east, north = self.bounds
            head = f'<bounds minlon="{west}" minlat="{south}" maxlon="{east}" maxlat="{north}"/>'
        body = "\n".join(line for kind in order for line in texts[kind])
        return f'<?xml version="1.0" encoding="UTF-8"?>\n<osm version="0.6">{head}\n{body}\n</osm>\n'


def _tags(tags: Tags) -> str:
    return "".join(f"<tag k={quoteattr(key)} v={quoteattr(value)}/>" for key, value in tags.items())


@dataclass
class Result:
    """What an import gave: rows by IRI suffix (``way/3``), labels, the report."""

    rows: dict[str, dict[str, Any]]
    labels: set[tuple[str, str, str, str]]
    report: ImportReport
    raw: pa.Table

    def geometry(self, place: str) -> Any:
        """Geometry of one row."""
        return shapely.from_wkb(self.rows[place]["geometry"])


def run(path: Path, **options: Any) -> Result:
    """Import a file."""
    report = ImportReport(path.name)
    raw_batches, label_batches = read(path, report, **options)
    raw = pa.Table.from_batches(list(raw_batches), schema=RAW_SCHEMA)
    labels = pa.Table.from_batches(list(label_batches), schema=LABEL_SCHEMA)
    prefix = "https://www.openstreetmap.org/"
    rows = {row["iri"].removeprefix(prefix): row for row in raw.to_pylist()}
    assert len(rows) == raw.num_rows, "an IRI stands twice"
    texts = {
        (row["iri"].removeprefix(prefix), row["lang"], row["label"], row["kind"])
        for row in labels.to_pylist()
    }
    assert len(texts) == labels.num_rows, "a label stands twice"
    assert sum(report.kept.values()) == raw.num_rows
    return Result(rows, texts, report, raw)


Importer = Callable[..., Result]


@pytest.fixture
def osm_import(tmp_path: Path) -> Importer:
    """Write a Map and import it; ``suffix`` .osm or .osm.pbf."""

    def importer(data: Map, suffix: str = ".osm", order: str = "nwr", **options: Any) -> Result:
        path = tmp_path / f"map{suffix}"
        if suffix == ".osm":
            path.write_text(data.xml(order), "utf-8")
        else:
            write_pbf(data, path)
        return run(path, **options)

    return importer


def write_pbf(data: Map, path: Path) -> None:
    """The same objects as PBF."""
    plain = path.with_name("plain.osm")
    plain.write_text(data.xml(), "utf-8")
    with osmium.SimpleWriter(str(path), overwrite=True) as writer:
        for item in osmium.FileProcessor(str(plain)):
            writer.add(item)


@pytest.fixture
def osm_map() -> Map:
    """An empty map."""
    return Map()


@pytest.fixture(scope="session")
def real_import(shared: Path) -> Callable[[str], Result]:
    """Import a real extract by its path under ``data``, once a session."""
    done: dict[str, Result] = {}

    def importer(name: str) -> Result:
        if name not in done:
            done[name] = run(shared / "data" / name)
        return done[name]

    return importer
