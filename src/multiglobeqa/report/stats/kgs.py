"""Table 6: the KGs by source part, from their manifests."""

from __future__ import annotations

from collections import Counter

from multiglobeqa.kg.schema import KINDS
from multiglobeqa.report.stats.table import Row, Table
from multiglobeqa.report.stats.world import World


def table6(world: World) -> Table:
    """Table 6: each part of each snapshot: entities by kind, licence, attribution; snapshot ids in the notes."""
    grouped = world.entities.group_by(["snapshot", "part", "kind"]).aggregate([([], "count_all")]).to_pylist()
    counts = Counter({(row["snapshot"], row["part"], row["kind"]): row["count_all"] for row in grouped})
    rows: list[Row] = []
    notes = []
    for kg in dict.fromkeys(snapshot.kg for snapshot in world.snapshots):
        mine: list[Row] = []
        for snapshot in (each for each in world.snapshots if each.kg == kg):
            notes.append(f"{kg}: snapshot {snapshot.snapshot_id}.")
            for part in snapshot.parts:
                kinds = [counts[snapshot.snapshot_id, part.name, kind] for kind in KINDS]
                extent = "its extent" if part.coverage else "the world"
                origin = "supplement" if part.supplement else "own"
                mine.append(
                    (kg, part.name, origin, extent, part.licence, part.attribution, *kinds, part.entities)
                )
        rows += mine
        sums = [sum(row[place] for row in mine) for place in range(6, 6 + len(KINDS) + 1)]
        rows.append((kg, "all", None, None, None, None, *sums))
    notes += [
        f"Snapshot {one} is not at hand: --kg names its folder. Classes come from the triples."
        for one in world.missing
    ]
    columns = (
        "kg",
        "part",
        "origin",
        "complete in",
        "licence",
        "attribution",
        *(f"{k}s" for k in KINDS),
        "entities",
    )
    return Table("table6_kgs", "Table 6: knowledge graphs", columns, rows, text=6, notes=tuple(notes))
