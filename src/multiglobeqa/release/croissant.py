"""The Croissant file of a release (MLCommons Croissant 1.0): files with checksums, one record set a split."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from multiglobeqa import __version__
from multiglobeqa.kg.store import sha256_of
from multiglobeqa.release.slice import PICTURE
from multiglobeqa.release.tables import Split

CONFORMS_TO: Final = "http://mlcommons.org/croissant/1.0"
PARQUET: Final = "application/x-parquet"

CONTEXT: Final[Mapping[str, Any]] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
"""The context that the Croissant 1.0 specification prints (appendix 1)."""

_MEDIA: Final = {
    ".parquet": PARQUET,
    ".gz": "application/gzip",
    ".json": "application/json",
    ".md": "text/markdown",
}


def croissant(
    root: Path,
    splits: Sequence[tuple[Split, Sequence[Path]]],
    others: Sequence[Path],
    licences: Sequence[str],
    date: str | None = None,
) -> str:
    """The Croissant file as JSON text.

    Parameters
    ----------
    root : the release's folder.
    splits : each split with its files.
    others : further files to list (KG snapshots).
    licences : licence texts of the data's parts.
    date : day of publication, YYYY-MM-DD.
    """
    distribution: list[dict[str, Any]] = []
    records: list[dict[str, Any]] = []
    for split, files in splits:
        distribution += [_file(root, path) for path in files]
        source = {"fileObject": {"@id": _id(root, files[0])}}
        if len(files) > 1:
            distribution.append(_file_set(split))
            source = {"fileSet": {"@id": _set_id(split)}}
        records.append(_record_set(split, pq.read_schema(files[0]), source))
    distribution += [_file(root, path) for path in others]
    content = {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "name": "MultiGlobeQA",
        "conformsTo": CONFORMS_TO,
        "description": "Questions about places all over the world, each with an answer computed from a geospatial "
        "knowledge graph and the RDF triples that prove it.",
        "license": list(licences),
        "inLanguage": sorted({split.language for split, _ in splits}),
        "version": __version__,
        **({"datePublished": date} if date else {}),
        "keywords": ["geospatial", "question answering", "knowledge graph", "benchmark"],
        "distribution": distribution,
        "recordSet": records,
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _id(root: Path, path: Path) -> str:
    return path.relative_to(root).as_posix()


def _set_id(split: Split) -> str:
    return f"{split.folder}/{split.name}"


def record_set_id(split: Split) -> str:
    """``eng-large/test``."""
    return f"{split.config}/{split.name}"


def _file(root: Path, path: Path) -> dict[str, Any]:
    identity = _id(root, path)
    return {
        "@type": "cr:FileObject",
        "@id": identity,
        "name": identity,
        "contentUrl": identity,
        "contentSize": f"{path.stat().st_size} B",
        "encodingFormat": _MEDIA.get(path.suffix, "text/plain"),
        "sha256": sha256_of(path),
    }


def _file_set(split: Split) -> dict[str, Any]:
    return {
        "@type": "cr:FileSet",
        "@id": _set_id(split),
        "name": _set_id(split),
        "encodingFormat": PARQUET,
        "includes": f"{split.folder}/{split.name}-*.parquet",
    }


def _record_set(split: Split, schema: pa.Schema, source: dict[str, Any]) -> dict[str, Any]:
    identity = record_set_id(split)
    return {
        "@type": "cr:RecordSet",
        "@id": identity,
        "name": identity,
        "description": f"Questions in {split.language}, variant {split.variant}, split {split.name}.",
        "field": [_field(identity, field, source) for field in schema],
    }


def _field(record_set: str, field: pa.Field, source: dict[str, Any]) -> dict[str, Any]:
    out: dict[str, Any] = {
        "@type": "cr:Field",
        "@id": f"{record_set}/{field.name}",
        "name": f"{record_set}/{field.name}",
        "dataType": "sc:ImageObject" if field.name == PICTURE.name else _data_type(field.type),
        "source": {**source, "extract": {"column": field.name}},
    }
    if field.name == PICTURE.name:
        out["source"]["transform"] = {"jsonPath": "bytes"}
    if pa.types.is_list(field.type):
        out["repeated"] = True
    return out


def _data_type(kind: pa.DataType) -> str:
    if pa.types.is_list(kind):
        return _data_type(kind.value_type)
    if pa.types.is_boolean(kind):
        return "sc:Boolean"
    if pa.types.is_integer(kind):
        return "sc:Integer"
    return "sc:Float" if pa.types.is_floating(kind) else "sc:Text"
