"""The entities of the snapshots that a benchmark was built from: where they lie and what they are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from multiglobeqa.errors import InputError
from multiglobeqa.kg.store import MANIFEST, Snapshot, open_snapshot
from multiglobeqa.report.stats.questions import Questions

_COLUMNS: Final = ("iri", "kg", "class", "kind", "country", "continent", "income", "ref_lon", "ref_lat")


@dataclass(frozen=True)
class World:
    """The snapshots at hand and their entities.

    ``entities``: iri, kg, class, kind, country, continent, income, ref_lon, ref_lat (degrees), snapshot, part.
    ``missing``: ids of snapshots that questions name and that are not at hand. ``whole``: the KGs all of whose
    snapshots are there.
    """

    snapshots: list[Snapshot]
    entities: pa.Table
    missing: list[str]
    whole: frozenset[str]

    def places(self, kg: pa.ChunkedArray, iri: pa.ChunkedArray) -> NDArray[np.int64]:
        """(n,) row of each entity in ``entities``, -1 where it is not there."""
        known = pc.binary_join_element_wise(self.entities["kg"], self.entities["iri"], " ")
        asked = pc.binary_join_element_wise(kg, iri, " ")
        found = pc.fill_null(pc.index_in(asked, value_set=known), -1)
        return np.asarray(found).astype(np.int64)


def open_world(questions: Questions, chosen: Sequence[Path] | None = None) -> World:
    """The snapshots that the questions name: those chosen, else those beside the questions and the embedded.

    Raises InputError for a chosen snapshot from which no question comes.
    """
    named = {
        (kg, one)
        for kg, text in zip(questions.column("kg"), questions.column("snapshot_id"), strict=True)
        for one in text.split("+")
    }
    used = {one for _, one in named}
    found: dict[str, Snapshot] = {}
    for path in _candidates(questions) if chosen is None else chosen:
        snapshot = open_snapshot(path)
        if snapshot.snapshot_id in used:
            found.setdefault(snapshot.snapshot_id, snapshot)
        elif chosen is not None:
            raise InputError(
                f"is snapshot {snapshot.snapshot_id}, from which no question comes.",
                source=path,
                mend=f"The questions name {', '.join(sorted(used)) or 'none'}.",
            )
    kgs = {kg for kg, _ in named}
    lacking = {kg for kg, one in named if one not in found}
    snapshots = [found[one] for _, one in sorted(named) if one in found]
    return World(
        snapshots, _entities(snapshots), sorted(used - found.keys() - {""}), frozenset(kgs - lacking)
    )


def _candidates(questions: Questions) -> list[Path]:
    from multiglobeqa.build import embedded_snapshots

    folder = questions.path if questions.path.is_dir() else questions.path.parent
    return [*sorted(file.parent for file in (folder / "kg").glob(f"*/{MANIFEST}")), *embedded_snapshots()]


def _entities(snapshots: Iterable[Snapshot]) -> pa.Table:
    """The small columns of all parts."""
    degrees = ("ref_lon", "ref_lat")
    schema = pa.schema([(name, pa.float64() if name in degrees else pa.string()) for name in _COLUMNS])
    marked = pa.schema([*schema, ("snapshot", pa.string()), ("part", pa.string())])
    tables = []
    for snapshot in snapshots:
        for part, file in zip(snapshot.parts, snapshot.entity_files, strict=True):
            table = pq.read_table(file, columns=list(_COLUMNS)).select(list(_COLUMNS)).cast(schema)
            for name, value in (("snapshot", snapshot.snapshot_id), ("part", part.name)):
                table = table.append_column(name, pa.repeat(value, table.num_rows))
            tables.append(table)
    return pa.concat_tables([marked.empty_table(), *tables]).combine_chunks()
