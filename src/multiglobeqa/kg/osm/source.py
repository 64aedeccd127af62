"""The file that is read: its form, its header, the store of node locations, and errors that say where.

Memory: node locations of files up to `MEMORY_LIMIT` bytes are kept in memory (16 bytes a node); larger files
use a sorted array in a temporary file (16 bytes a node on disk), and files above `DENSE_LIMIT` an array
indexed by node id (8 bytes for each id up to the largest, about 100 GB for the planet), so that memory does
not grow with the nodes. The temporary folder is Python's (``TMPDIR``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, TypeVar

import osmium

from multiglobeqa.errors import InputError

SUFFIXES: Final = (".osm.pbf", ".pbf", ".osm", ".osm.gz", ".osm.bz2")
MEMORY_LIMIT: Final = 1_000_000_000
DENSE_LIMIT: Final = 30_000_000_000

Box = tuple[float, float, float, float]
T = TypeVar("T")


@dataclass(frozen=True)
class Source:
    """An OSM file whose form has been checked.

    ``path``: the file the user gave. ``box``: west, south, east, north of the header, if stated. ``data``:
    the file that is read: the same, or a sorted copy.
    """

    path: Path
    box: Box | None
    data: Path

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return self.path.stat().st_size


class UnsortedError(InputError):
    """The objects do not stand in the order nodes, ways, relations, each by ascending id, each once."""


class Position:
    """The object that was read last: the place an error message names."""

    def __init__(self) -> None:
        self.kind = ""
        self.id = 0

    def __str__(self) -> str:
        return f"after {self.kind} {self.id}" if self.kind else "before the first object"


def open_source(path: str | Path) -> Source:
    """Check that a file is OSM data by name and header.

    Raises InputError: absent, empty, of another suffix, or not OSM data by its first bytes.
    """
    file = Path(path)
    if not file.is_file():
        raise InputError(
            "does not exist or is no file.", source=file, mend="Give the path of an OSM extract."
        )
    if not file.name.lower().endswith(SUFFIXES):
        raise InputError(
            f"has a suffix that is not OSM's ({', '.join(SUFFIXES)}).",
            source=file,
            mend="Give an .osm.pbf or .osm file; convert others with `osmium cat`.",
        )
    if file.stat().st_size == 0:
        raise InputError("is empty (0 bytes).", source=file, place=0, mend="Download it again.")
    with (
        translating(file, Position()),
        osmium.io.Reader(str(file), osmium.osm.osm_entity_bits.NOTHING) as reader,
    ):
        header = reader.header()
        if header.has_multiple_object_versions:
            raise InputError(
                "holds the history of objects.",
                source=file,
                mend="Extract one moment with `osmium time-filter`.",
            )
        return Source(file, _box(header.box()), file)


def _box(box: Any) -> Box | None:
    if not box.valid():
        return None
    low, high = box.bottom_left, box.top_right
    if not (low.valid() and high.valid() and low.lon < high.lon and low.lat < high.lat):
        return None
    return (low.lon, low.lat, high.lon, high.lat)


def objects(source: Source, entities: Any, *handlers: Any) -> Iterator[Any]:
    """The objects of the file that pass the handlers; each is valid until the next one is asked for.

    Osmium keeps no references to its handlers: this frame does, as long as the file is read.
    """
    with osmium.io.Reader(str(source.data), entities) as reader:
        yield from osmium.OsmFileIterator(reader, *handlers)


@contextmanager
def translating(path: Path, position: Position) -> Iterator[None]:
    """Turn osmium's errors into InputError with file and place."""
    try:
        yield
    except (RuntimeError, ValueError, OSError, SystemError) as error:
        text = str(error).strip().rstrip(".")
        place, mend = str(position), "Download or extract it again."
        if "EOF" in text:
            text += f" after {path.stat().st_size:,} bytes"
        if "out of order" in text or "twice in input" in text:
            raise UnsortedError(
                f"is not sorted: {text}.", source=path, place=place, mend="Sort it with `osmium sort`."
            ) from error
        if "parsing error at" in text:
            text, _, place = text.partition(" at ")
            place, _, detail = place.partition(": ")
            text = f"{text}: {detail}"
        elif "top-level element" in text or "detect file format" in text:
            place, mend = "first bytes", "Give OSM data (.osm.pbf or .osm)."
        raise InputError(
            f"cannot be read as OSM data: {text}.", source=path, place=place, mend=mend
        ) from error


def node_store(source: Source, folder: Path, kind: str | None = None) -> Any:
    """A store of node locations fit for the file's size; ``kind``: an osmium index instead of the choice."""
    if kind is None:
        kind = "flex_mem"
        if source.size > DENSE_LIMIT:
            kind = "dense_file_array"
        elif source.size > MEMORY_LIMIT:
            kind = "sparse_file_array"
    if kind.endswith("_file_array"):
        kind = f"{kind},{folder / 'nodes.bin'}"
    return osmium.index.create_map(kind)


def in_order(source: Source, folder: Path, action: Callable[[Source], T]) -> T:
    """What ``action`` makes of the source; if the file proves unsorted, of a sorted copy in ``folder``.

    Sorting holds the file in memory, so files above `MEMORY_LIMIT` are not sorted: UnsortedError. Of objects
    that stand twice the newest version is kept.
    """
    try:
        return action(source)
    except UnsortedError:
        if source.size > MEMORY_LIMIT or source.data != source.path:
            raise
    copy = folder / "sorted.osm.pbf"
    with translating(source.path, Position()):
        merger = osmium.MergeInputReader()
        merger.add_file(str(source.path))
        writer = osmium.SimpleWriter(str(copy))
        try:
            merger.apply(writer)
        finally:
            writer.close()
    return action(replace(source, data=copy))
