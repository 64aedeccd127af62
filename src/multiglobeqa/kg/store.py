"""A knowledge-graph snapshot on disk: a folder of parts and a manifest.

    DIR/
      manifest.json            kg, snapshot id, parts with counts, hashes, licences, import reports
      <part>.entities.parquet  GeoParquet 1.1, WKB, bbox covering, sorted along the S2 (Hilbert) curve
      <part>.labels.parquet    labels and aliases
      <part>.triples.nt.gz     optional

A part is written under a temporary name and renamed; the manifest is written last, so a folder without a
manifest is not a snapshot. The snapshot id is a hash of the parts' hashes.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from multiglobeqa.errors import InputError
from multiglobeqa.kg.schema import ENTITY_SCHEMA, KGS, LABEL_SCHEMA

MANIFEST = "manifest.json"
FORMAT_VERSION = 1
ROW_GROUP = 65_536
COMPRESSION_LEVEL = 9
DATA_PAGE_BYTES = 8_388_608
DICTIONARY_COLUMNS = frozenset(
    {
        "kg", "layer", "class", "kind", "main_share", "area_km2", "length_km", "country", "continent",
        "subregion", "income", "density", "level", "admin.list.element", "time_start", "time_end", "image",
        "lang",
    }
)  # fmt: skip
"""Columns in which values repeat; in the others a dictionary costs more than it saves."""


@dataclass(frozen=True)
class Part:
    """One part of a snapshot: the entities of one source.

    ``coverage`` is the WKT (longitude latitude) of the area in which the part is complete, or None for the
    whole world: circles, discs and scopes must lie inside it (TAXONOMY rule 12). ``supplement`` marks parts
    that are not of the KG's own origin.
    """

    name: str
    entities: int
    labels: int
    licence: str
    attribution: str
    coverage: str | None
    supplement: bool
    sha256: dict[str, str]
    report: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Snapshot:
    """An opened snapshot."""

    path: Path
    kg: str
    snapshot_id: str
    parts: tuple[Part, ...]

    @property
    def entity_files(self) -> list[str]:
        """The entity tables' paths, in the order of the manifest."""
        return [str(self.path / f"{part.name}.entities.parquet") for part in self.parts]

    @property
    def label_files(self) -> list[str]:
        """The label tables' paths, in the order of the manifest."""
        return [str(self.path / f"{part.name}.labels.parquet") for part in self.parts]


def sha256_of(path: Path) -> str:
    """SHA-256 of a file's bytes, hexadecimal."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside ``path`` and rename it when the block ends without error."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        yield temporary
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_table(
    path: Path,
    schema: pa.Schema,
    batches: Iterable[pa.RecordBatch],
    *,
    compression_level: int = COMPRESSION_LEVEL,
) -> int:
    """Write record batches as one Parquet file (zstd), atomically; returns the row count."""
    rows = 0
    names = {f"{f.name}.list.element" if pa.types.is_list(f.type) else f.name for f in schema}
    with (
        replacing(path) as temporary,
        pq.ParquetWriter(
            temporary,
            schema,
            compression="zstd",
            compression_level=compression_level,
            use_dictionary=sorted(names & DICTIONARY_COLUMNS),
            data_page_size=DATA_PAGE_BYTES,
        ) as writer,
    ):
        for batch in batches:
            rows += batch.num_rows
            writer.write_table(pa.Table.from_batches([batch]).cast(schema), row_group_size=ROW_GROUP)
    return rows


def geoparquet_schema(bounds: tuple[float, float, float, float] | None, kinds: Iterable[str]) -> pa.Schema:
    """The entity schema with GeoParquet 1.1 metadata. ``bounds``: xmin, ymin, xmax, ymax in degrees."""
    types = {
        "point": ["Point"],
        "line": ["LineString", "MultiLineString"],
        "surface": ["Polygon", "MultiPolygon"],
    }
    column: dict[str, Any] = {
        "encoding": "WKB",
        "geometry_types": [name for kind in sorted(set(kinds)) for name in types[kind]],
        "covering": {"bbox": {k: ["bbox", k] for k in ("xmin", "ymin", "xmax", "ymax")}},
    }
    if bounds is not None:
        column["bbox"] = list(bounds)
    geo = {"version": "1.1.0", "primary_column": "geometry", "columns": {"geometry": column}}
    return ENTITY_SCHEMA.with_metadata({b"geo": json.dumps(geo, sort_keys=True).encode()})


def write_labels(
    path: Path, batches: Iterable[pa.RecordBatch], *, compression_level: int = COMPRESSION_LEVEL
) -> int:
    """Write a part's label table; returns the row count."""
    return write_table(path, LABEL_SCHEMA, batches, compression_level=compression_level)


def write_manifest(directory: Path, kg: str, parts: Iterable[Part]) -> Snapshot:
    """Write the manifest, which makes the folder a snapshot, and open it."""
    ordered = tuple(sorted(parts, key=lambda part: part.name))
    digest = hashlib.sha256()
    for part in ordered:
        for name, value in sorted(part.sha256.items()):
            digest.update(f"{name} {value}\n".encode())
    content = {
        "format": FORMAT_VERSION,
        "kg": kg,
        "snapshot_id": f"{kg}-{digest.hexdigest()[:16]}",
        "parts": [asdict(part) for part in ordered],
    }
    with replacing(directory / MANIFEST) as temporary:
        temporary.write_text(
            json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False) + "\n", "utf-8"
        )
    return open_snapshot(directory)


def require_parquet(file: str | Path, *, mend: str) -> None:
    """Raise InputError for a file that does not begin and end as Parquet: another format, or cut off."""
    with Path(file).open("rb") as stream:
        head, size = stream.read(4), stream.seek(0, os.SEEK_END)
        stream.seek(max(size - 4, 0))
        if size < 12 or head != b"PAR1" or stream.read(4) != b"PAR1":
            raise InputError("is no whole Parquet file.", source=file, place=f"{size} bytes", mend=mend)


def open_snapshot(directory: str | Path) -> Snapshot:
    """Open a snapshot folder; raises InputError naming what is missing."""
    path = Path(directory)
    manifest = path / MANIFEST
    if not manifest.is_file():
        raise InputError(
            "is not a KG snapshot: it has no manifest.json.",
            source=path,
            mend="Make one with `mgqa kg import`.",
        )
    try:
        content = json.loads(manifest.read_text("utf-8"))
        parts = tuple(Part(**part) for part in content["parts"])
        kg, snapshot_id, version = content["kg"], content["snapshot_id"], content["format"]
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"cannot be read as a manifest: {error}.", source=manifest) from error
    if version != FORMAT_VERSION or kg not in KGS:
        raise InputError(
            f"has format {version} and KG {kg!r}, which this version does not know.", source=manifest
        )
    snapshot = Snapshot(path, kg, snapshot_id, parts)
    for file in (*snapshot.entity_files, *snapshot.label_files):
        if not Path(file).is_file():
            raise InputError(
                "is named by the manifest and missing.", source=file, mend="Import the KG again."
            )
        require_parquet(file, mend="Import the KG again.")
    return snapshot
