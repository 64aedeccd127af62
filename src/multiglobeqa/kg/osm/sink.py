"""Entities on their way out: candidates are checked in batches, the sound ones go to the spools."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa

from multiglobeqa.kg.osm import tags as tagging
from multiglobeqa.kg.osm.geometry import check, from_wkb, to_wkb
from multiglobeqa.kg.osm.spool import Spool, Workspace
from multiglobeqa.kg.report import ImportReport
from multiglobeqa.kg.schema import LABEL_SCHEMA, RAW_SCHEMA

BATCH: Final = 8_192
ADMIN_CLASS: Final = "admin_area"


@dataclass(frozen=True)
class Candidate:
    """A named object of a class, before its geometry is checked. ``place``: what the report calls it."""

    place: str
    iri: str
    class_key: str
    kind: str
    tags: dict[str, str]
    wkb: bytes
    own: dict[str, Any]


class Sink:
    """Collects candidates, writes RAW_SCHEMA and LABEL_SCHEMA rows, keeps the admin surfaces for merging."""

    def __init__(self, workspace: Workspace, report: ImportReport, *, keep_admin_to_level: int) -> None:
        self.raw = Spool(workspace, "raw", RAW_SCHEMA)
        self.labels = Spool(workspace, "labels", LABEL_SCHEMA)
        self.admin: list[tuple[str, Any, int]] = []
        self._level = keep_admin_to_level
        self._report = report
        self._pending: list[Candidate] = []

    def add(self, candidate: Candidate) -> None:
        """Take one candidate."""
        self._pending.append(candidate)
        if len(self._pending) >= BATCH:
            self.flush()

    def flush(self) -> None:
        """Check and write what is pending."""
        pending, self._pending = self._pending, []
        if not pending:
            return
        checked = check(from_wkb([item.wkb for item in pending]))
        wkb = to_wkb(checked.geometry)
        for index in np.flatnonzero(checked.cause != ""):
            self._report.drop(str(checked.cause[index]), pending[index].place)
        for index in np.flatnonzero(checked.cause == ""):
            self._write(pending[index], checked.geometry[index], wkb[index])

    def _write(self, item: Candidate, geometry: Any, wkb: bytes) -> None:
        level = None
        if item.class_key == ADMIN_CLASS:
            level = tagging.admin_level(item.tags)
            if level is None:
                self._report.drop("admin_level_missing", item.place)
                return
            if level <= self._level:
                self.admin.append((item.iri, geometry, level))
        self._report.kept[item.kind] += 1
        self.raw.add(
            {
                "iri": item.iri,
                "name": tagging.display_name(item.tags),
                "class": item.class_key,
                "kind": item.kind,
                "geometry": wkb,
                "level": level,
                "country": tagging.country(item.tags),
                "attributes": tagging.attributes(item.tags, **item.own),
                "image": tagging.image(item.tags),
            }
        )
        for language, text, kind in tagging.labels(item.tags):
            self.labels.add({"iri": item.iri, "lang": language, "label": text, "kind": kind})


def empty(schema: pa.Schema) -> pa.RecordBatch:
    """A batch without rows."""
    return pa.RecordBatch.from_pylist([], schema=schema)
