"""What a KG snapshot holds: counts by part, kind, class, stratum, country and language."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from multiglobeqa.kg.schema import DENSITY_TIERS, INCOME_TIERS, KINDS
from multiglobeqa.kg.store import Snapshot

_COLUMNS = ["layer", "class", "kind", "country", "income", "density", "length_km"]


@dataclass(frozen=True)
class PartSummary:
    """One part of a snapshot; ``by_kind``: kind -> entities."""

    name: str
    entities: int
    by_kind: dict[str, int]
    labels: int
    licence: str
    attribution: str
    supplement: bool
    complete_in: str


@dataclass(frozen=True)
class Lines:
    """The lines of one class in one country: number and total length in km."""

    cls: str
    country: str | None
    count: int
    length_km: float


@dataclass(frozen=True)
class SnapshotSummary:
    """Counts of a snapshot.

    ``strata``: one row for each income x density with the number of entities by kind; the last row (income
    and density None) counts entities outside the 12 strata. ``classes``: class -> kind -> entities.
    ``languages``: ISO 639-3 code -> labels (aliases not counted).
    """

    kg: str
    snapshot_id: str
    path: str
    entities: int
    parts: list[PartSummary]
    kinds: dict[str, int]
    classes: dict[str, dict[str, int]]
    strata: list[dict[str, Any]]
    unclassified: int
    countries: dict[str, int]
    languages: dict[str, int]
    lines: list[Lines]

    def as_dict(self) -> dict[str, Any]:
        """JSON form."""
        return asdict(self)


def summarize(snapshot: Snapshot) -> SnapshotSummary:
    """Count a snapshot's entities and labels. Reads the small columns only, one part at a time."""
    tables = [pq.read_table(file, columns=_COLUMNS) for file in snapshot.entity_files]
    entities = (
        pa.concat_tables(tables)
        if tables
        else pa.table({name: pa.array([], pa.string()) for name in _COLUMNS})
    )
    kinds = _count(entities, "kind")
    classes: dict[str, dict[str, int]] = {}
    for (name, kind), count in _count_by(entities, ["class", "kind"]).items():
        classes.setdefault(str(name), {})[str(kind)] = count
    return SnapshotSummary(
        kg=snapshot.kg,
        snapshot_id=snapshot.snapshot_id,
        path=str(snapshot.path),
        entities=entities.num_rows,
        parts=_parts(snapshot, tables),
        kinds={kind: kinds.get(kind, 0) for kind in KINDS},
        classes=dict(sorted(classes.items(), key=lambda item: (-sum(item[1].values()), item[0]))),
        strata=_strata(entities),
        unclassified=_count(entities, "income").get("unclassified", 0),
        countries=_count(entities, "country"),
        languages=_languages(snapshot),
        lines=_lines(entities),
    )


def entity_counts(summary: SnapshotSummary) -> list[dict[str, Any]]:
    """Rows kg, kind, income, density, count, as in ``build.json``."""
    return [
        {
            "kg": summary.kg,
            "kind": kind,
            "income": row["income"],
            "density": row["density"],
            "count": row[kind],
        }
        for row in summary.strata
        for kind in KINDS
    ]


def _parts(snapshot: Snapshot, tables: list[pa.Table]) -> list[PartSummary]:
    found = []
    for part, table in zip(snapshot.parts, tables, strict=True):
        kinds = _count(table, "kind")
        found.append(
            PartSummary(
                part.name,
                part.entities,
                {kind: kinds[kind] for kind in KINDS if kind in kinds},
                part.labels,
                part.licence,
                part.attribution,
                part.supplement,
                "its extent" if part.coverage else "the world",
            )
        )
    return found


def _count_by(table: pa.Table, columns: list[str]) -> dict[tuple[str | None, ...], int]:
    rows = table.group_by(columns).aggregate([([], "count_all")]).to_pylist()
    return {tuple(row[name] for name in columns): row["count_all"] for row in rows}


def _count(table: pa.Table, column: str) -> dict[str, int]:
    """Value -> rows without nulls, most frequent first."""
    counts = {key[0]: n for key, n in _count_by(table, [column]).items() if key[0] is not None}
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _strata(table: pa.Table) -> list[dict[str, Any]]:
    counts = _count_by(table, ["income", "density", "kind"])
    rows: list[dict[str, Any]] = []
    for income in INCOME_TIERS:
        for density in DENSITY_TIERS:
            own = {kind: counts.pop((income, density, kind), 0) for kind in KINDS}
            rows.append({"income": income, "density": density, **own})
    rest = {kind: sum(n for key, n in counts.items() if key[2] == kind) for kind in KINDS}
    rows.append({"income": None, "density": None, **rest})
    return rows


def _languages(snapshot: Snapshot) -> dict[str, int]:
    total: dict[str, int] = {}
    for file in snapshot.label_files:
        table = pq.read_table(file, columns=["lang", "kind"])
        for language, count in _count(table.filter(pc.equal(table["kind"], "name")), "lang").items():
            total[language] = total.get(language, 0) + count
    return dict(sorted(total.items(), key=lambda item: (-item[1], item[0])))


def _lines(table: pa.Table) -> list[Lines]:
    lines = table.filter(pc.equal(table["kind"], "line"))
    rows = (
        lines.group_by(["class", "country"]).aggregate([([], "count_all"), ("length_km", "sum")]).to_pylist()
    )
    found = [
        Lines(row["class"], row["country"], row["count_all"], round(row["length_km_sum"] or 0.0, 1))
        for row in rows
    ]
    return sorted(found, key=lambda row: (row.cls, -row.count, row.country or ""))
