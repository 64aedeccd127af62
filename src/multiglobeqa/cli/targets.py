"""Naming a snapshot on the command line: a folder, or the name of an embedded KG."""

from __future__ import annotations

from pathlib import Path

from multiglobeqa.errors import InputError
from multiglobeqa.kg.schema import KGS
from multiglobeqa.kg.store import MANIFEST, Snapshot, open_snapshot
from multiglobeqa.report.benchmark import Benchmark


def snapshot_path(target: str) -> Path:
    """The folder of a snapshot. A folder that exists wins over an embedded KG of the same name."""
    from multiglobeqa.build import embedded_snapshots

    embedded = {path.name: path for path in embedded_snapshots()}
    if Path(target).is_dir() or target not in embedded:
        if not Path(target).exists():
            raise InputError(
                f"{target!r} is neither a folder nor an embedded KG.",
                mend=f"Embedded: {', '.join(embedded) or 'none of ' + ', '.join(KGS)}.",
            )
        return Path(target)
    return embedded[target]


def snapshots_of(benchmark: Benchmark) -> list[Snapshot]:
    """The snapshots a benchmark was built from that are at hand: in its folder ``kg``, or embedded."""
    from multiglobeqa.build import embedded_snapshots

    own = sorted(path.parent for path in (benchmark.path / "kg").glob(f"*/{MANIFEST}"))
    wanted = set(benchmark.info.snapshots.values())
    found = (open_snapshot(path) for path in (*own, *embedded_snapshots()))
    return [snapshot for snapshot in found if snapshot.snapshot_id in wanted]
