"""The image slice of a release: image questions with the picture's bytes, author and licence in the row.

Which pictures may be used is decided by ``images.store``, from what ``mgqa images fetch`` left in the benchmark folder.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from multiglobeqa.images.store import ImageStore
from multiglobeqa.images.wanted import of_json

PICTURE: Final = pa.field("picture", pa.struct([("bytes", pa.binary()), ("path", pa.string())]))
"""What ``datasets`` reads as its feature Image."""

CREDITS: Final = ("author", "licence", "licence_url", "credit", "restrictions", "page")
"""What the manifest says of a picture's rights: columns ``picture_NAME`` beside the picture."""

NOT_WANTED: Final = "left_out_on_request"
CHANGED: Final = "file_changed"
"""The stored picture is no longer the one that was fetched."""


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
    if not wanted:
        left_out = Counter({NOT_WANTED: rows.num_rows})
        return ImageRows(_with_pictures(rows.slice(0, 0), []), +left_out)
    store = ImageStore(directory)
    loaded: dict[str | None, dict[str, Any] | str] = {}
    for identity, image in zip(rows["id"].to_pylist(), rows["image"].to_pylist(), strict=True):
        if image not in loaded:
            loaded[image] = _load(store, image or "", identity)
    found = [loaded[image] for image in rows["image"].to_pylist()]
    keep = pa.array([isinstance(each, dict) for each in found], pa.bool_())
    left_out = Counter(each for each in found if isinstance(each, str))
    return ImageRows(_with_pictures(rows.filter(keep), [e for e in found if isinstance(e, dict)]), left_out)


def _load(store: ImageStore, image: str, identity: str) -> dict[str, Any] | str:
    """The picture that a column ``image`` names, with its credits, or why there is none."""
    wanted = of_json(image, place=identity)
    cause = store.cause(wanted)
    row = store.row(wanted)
    if cause is not None or row is None:
        return cause or "not_fetched"
    if not store.holds(row):
        return CHANGED
    path = store.path(row)
    return {
        "picture": {"bytes": path.read_bytes(), "path": path.name},
        **{f"picture_{name}": _text(row, name) for name in CREDITS},
    }


def _text(row: Mapping[str, Any], name: str) -> str | None:
    value = row.get(name)
    if isinstance(value, list | tuple):
        value = ", ".join(str(part) for part in value)
    return str(value) if value not in (None, "") else None


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
