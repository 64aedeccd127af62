"""Rows of the raw entity and label tables, gathered in plain lists and given out as record batches."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

import pyarrow as pa
import shapely

from multiglobeqa.kg.schema import LABEL_SCHEMA, RAW_SCHEMA

ROWS: Final = 65_536
_DEFAULTS: Final[Mapping[str, Any]] = {
    "level": None, "admin": None, "country": None, "time_start": None, "time_end": None, "image": None,
}  # fmt: skip


class Gather:
    """Collects entities and labels of one source.

    ``entity`` takes the columns of RAW_SCHEMA by name; ``geometry`` is a shapely geometry, ``attributes`` a
    mapping (values that are None are left out). ``label`` takes a row of LABEL_SCHEMA; empty texts are
    ignored.
    """

    def __init__(self) -> None:
        self._rows: list[dict[str, Any]] = []
        self._labels: list[dict[str, str]] = []

    def __len__(self) -> int:
        return len(self._rows)

    def entity(self, *, geometry: Any, attributes: Mapping[str, Any], **columns: Any) -> None:
        """Add one entity."""
        kept = {k: v for k, v in attributes.items() if v is not None}
        text = json.dumps(kept, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        columns["class"] = columns.pop("semantic")
        self._rows.append({**_DEFAULTS, **columns, "geometry": shapely.to_wkb(geometry), "attributes": text})

    def label(self, iri: str, lang: str, label: str | None, kind: str = "name") -> None:
        """Add one label; the row is left out if the text is empty."""
        if label and label.strip():
            self._labels.append({"iri": iri, "lang": lang, "label": label.strip(), "kind": kind})

    def labels_of(self, iri: str, plain: str, names: Mapping[str, str | None], aliases: Any = ()) -> None:
        """Add the plain label, labels by ISO 639-3 code and plain aliases of one entity."""
        self.label(iri, "und", plain)
        for lang, text in names.items():
            self.label(iri, lang, text)
        for text in aliases:
            if text and text != plain:
                self.label(iri, "und", text, "alias")

    def raw(self) -> Iterator[pa.RecordBatch]:
        """Batches of RAW_SCHEMA."""
        for start in range(0, len(self._rows), ROWS):
            yield pa.RecordBatch.from_pylist(self._rows[start : start + ROWS], schema=RAW_SCHEMA)

    def labels(self) -> Iterator[pa.RecordBatch]:
        """Batches of LABEL_SCHEMA."""
        for start in range(0, len(self._labels), ROWS):
            yield pa.RecordBatch.from_pylist(self._labels[start : start + ROWS], schema=LABEL_SCHEMA)

    def iris(self) -> frozenset[str]:
        """The IRIs of the entities."""
        return frozenset(row["iri"] for row in self._rows)
