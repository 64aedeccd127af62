"""The image slice of a release: image questions with the picture's bytes, author and licence in the row.

``mgqa images fetch`` leaves ``images/manifest.jsonl`` in the benchmark folder, one line a picture, the last line of an
entity being the one that counts, and each usable picture under the SHA-256 of its bytes.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from multiglobeqa.errors import InputError

MANIFEST: Final = "images/manifest.jsonl"
PICTURE: Final = pa.field("picture", pa.struct([("bytes", pa.binary()), ("path", pa.string())]))
"""What ``datasets`` reads as its feature Image."""

CREDITS: Final = ("author", "licence", "licence_url", "credit", "source_url")
"""Columns ``picture_NAME`` beside the picture."""

NO_MANIFEST: Final = "no picture was fetched"
NOT_WANTED: Final = "pictures were not asked for"
NOT_FETCHED: Final = "its picture was not fetched"
NO_FILE: Final = "its picture's file is missing or changed"


@dataclass(frozen=True)
class ImageRows:
    """Image questions that carry their picture, and why the others were left out: cause -> questions."""

    questions: pa.Table
    left_out: Counter[str]


def image_rows(questions: pa.Table, directory: Path, *, wanted: bool = True) -> ImageRows:
    """Join the image questions of a benchmark folder to the pictures fetched for them.

    Raises
    ------
    InputError : the manifest, or the column ``image`` of an image question, cannot be read.
    """
    rows = questions.filter(pc.equal(questions["modality"], "image"))
    left_out: Counter[str] = Counter()
    if not wanted:
        left_out[NOT_WANTED] += rows.num_rows
        return ImageRows(_with_pictures(rows.slice(0, 0), []), +left_out)
    known = read_manifest(directory / MANIFEST)
    store: dict[str, dict[str, Any] | None] = {}
    found: list[dict[str, Any]] = []
    keep = []
    for identity, text in zip(rows["id"].to_pylist(), rows["image"].to_pylist(), strict=True):
        iri = _iri(identity, text)
        entry = known.get(iri)
        cause = _cause(entry, bool(known))
        if cause is None and entry is not None:
            if iri not in store:
                store[iri] = _load(directory, entry)
            picture = store[iri]
            cause = None if picture else NO_FILE
            if picture:
                found.append(picture)
        keep.append(cause is None)
        if cause is not None:
            left_out[cause] += 1
    return ImageRows(_with_pictures(rows.filter(pa.array(keep, pa.bool_())), found), left_out)


def read_manifest(path: Path) -> dict[str, dict[str, Any]]:
    """Entity IRI -> the last whole line about it; empty where there is no manifest."""
    if not path.is_file():
        return {}
    entries: dict[str, dict[str, Any]] = {}
    with path.open("rb") as stream:
        for number, line in enumerate(stream, 1):
            if not line.endswith(b"\n"):
                break  # torn: its writer died
            try:
                row = json.loads(line)
                entries[row["iri"]] = row
            except (ValueError, KeyError, TypeError) as error:
                raise InputError(
                    f"is no line about a picture: {error!r}.",
                    source=path,
                    place=number,
                    mend="Remove the line and run `mgqa images fetch` again.",
                ) from error
    return entries


def _iri(identity: str, text: str | None) -> str:
    try:
        return str(json.loads(text or "")["iri"])
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"has {text!r} in the column image, which names no entity.",
            source="questions",
            place=identity,
            mend="Build the benchmark again.",
        ) from error


def _cause(entry: Mapping[str, Any] | None, some: bool) -> str | None:
    if entry is None:
        return NOT_FETCHED if some else NO_MANIFEST
    if entry.get("status") != "usable":
        return f"its picture is not usable: {entry.get('status') or 'no status'}"
    if not entry.get("licence"):
        return "its picture has no stated licence"
    return None


def _load(directory: Path, entry: Mapping[str, Any]) -> dict[str, Any] | None:
    """The picture of a manifest line, or None where its file is missing or is not what the line says."""
    digest = str(entry.get("sha256") or "")
    if len(digest) != 64 or not digest.isalnum():
        return None
    for file in sorted((directory / "images" / digest[:2]).glob(f"{digest}.*")):
        data = file.read_bytes()
        if hashlib.sha256(data).hexdigest() == digest:
            credits = {f"picture_{name}": _text(entry.get(name)) for name in CREDITS}
            return {"picture": {"bytes": data, "path": file.name}, **credits}
    return None


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def _with_pictures(rows: pa.Table, found: list[dict[str, Any]]) -> pa.Table:
    rows = rows.append_column(PICTURE, pa.array([row["picture"] for row in found], PICTURE.type))
    for name in CREDITS:
        column = pa.array([row[f"picture_{name}"] for row in found], pa.string())
        rows = rows.append_column(pa.field(f"picture_{name}", pa.string()), column)
    return rows


def features_metadata(schema: pa.Schema) -> dict[bytes, bytes]:
    """Parquet metadata by which ``datasets`` knows the column ``picture`` as an image."""
    features = {field.name: _feature(field) for field in schema}
    return {b"huggingface": json.dumps({"info": {"features": features}}).encode()}


def _feature(field: pa.Field) -> dict[str, Any]:
    if field.name == PICTURE.name:
        return {"_type": "Image"}
    if pa.types.is_list(field.type):
        return {"feature": {"dtype": _dtype(field.type.value_type), "_type": "Value"}, "_type": "Sequence"}
    return {"dtype": _dtype(field.type), "_type": "Value"}


def _dtype(kind: pa.DataType) -> str:
    return {"double": "float64", "float": "float32"}.get(str(kind), str(kind))
