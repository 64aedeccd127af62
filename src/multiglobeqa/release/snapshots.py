"""The KG snapshots of a release: GeoParquet and N-Triples, with checksums and licences of their own."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pyarrow.parquet as pq

from multiglobeqa.errors import InputError
from multiglobeqa.kg.store import MANIFEST, Snapshot, open_snapshot, require_parquet, sha256_of
from multiglobeqa.kg.triples_snapshot import render_snapshot

SUMS: Final = "SHA256SUMS"
LICENCES: Final = "LICENCES.md"


@dataclass(frozen=True)
class ReleasedSnapshot:
    """One snapshot in a release: its folder from the root, and its triples by part."""

    snapshot: Snapshot
    folder: str
    triples: dict[str, int]


def check_used(snapshots: Sequence[Snapshot], used: Iterable[str]) -> None:
    """Raise InputError unless the snapshots are exactly those that the questions name (``A+B`` names two)."""
    wanted = {part for text in used for part in text.split("+")}
    given = {snapshot.snapshot_id: snapshot for snapshot in snapshots}
    if missing := sorted(wanted - given.keys()):
        raise InputError(
            f"the questions come from snapshot {missing[0]}, which is not at hand.",
            source="KG snapshots",
            mend="Name its folder with --kg, or leave the snapshots out with --no-snapshots.",
        )
    if unused := sorted(given.keys() - wanted):
        raise InputError(
            f"is snapshot {unused[0]}, from which no question comes.",
            source=given[unused[0]].path,
            mend="Leave it out.",
        )


def write_snapshots(root: Path, snapshots: Iterable[Snapshot]) -> list[ReleasedSnapshot]:
    """Copy each snapshot to ``kg/SNAPSHOT_ID`` and render its triples beside; files whose hash differs are refused."""
    return [
        _write(root, snapshot) for snapshot in sorted(snapshots, key=lambda each: (each.kg, each.snapshot_id))
    ]


def _write(root: Path, snapshot: Snapshot) -> ReleasedSnapshot:
    name = f"kg/{snapshot.snapshot_id}"
    folder = root / name
    folder.mkdir(parents=True)
    for part in snapshot.parts:
        for file, digest in part.sha256.items():
            shutil.copyfile(snapshot.path / file, folder / file)
            if sha256_of(folder / file) != digest:
                raise InputError(
                    "is not the file that the manifest names: its SHA-256 differs.",
                    source=snapshot.path / file,
                    mend="Import the KG again.",
                )
    shutil.copyfile(snapshot.path / MANIFEST, folder / MANIFEST)
    triples = render_snapshot(snapshot, folder)
    (folder / LICENCES).write_text(licences_text(snapshot), "utf-8")
    write_sums(folder)
    return ReleasedSnapshot(snapshot, name, triples)


def licences_text(snapshot: Snapshot) -> str:
    """Licence and attribution of each part, as Markdown."""
    lines = [f"# {snapshot.snapshot_id}", "", "| part | licence | attribution |", "|---|---|---|"]
    lines += [f"| {part.name} | {part.licence} | {part.attribution} |" for part in snapshot.parts]
    return "\n".join(lines) + "\n"


def write_sums(folder: Path) -> Path:
    """Write ``SHA256SUMS`` over all files below a folder, as ``sha256sum -c`` reads it."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path != folder / SUMS)
    target = folder / SUMS
    target.write_text(
        "".join(f"{sha256_of(path)}  {path.relative_to(folder).as_posix()}\n" for path in files), "utf-8"
    )
    return target


def used_snapshots(candidates: Iterable[Path], benchmarks: Iterable[Path]) -> list[Snapshot]:
    """Of the candidate snapshot folders, those that the questions of the benchmark folders come from, each once."""
    used: set[str] = set()
    for folder in benchmarks:
        file = folder / "questions.parquet"
        if file.is_file():
            require_parquet(file, mend="Build the benchmark again.")
            texts = pq.read_table(file, columns=["snapshot_id"])["snapshot_id"].unique().to_pylist()
            used.update(part for text in texts for part in text.split("+"))
    found: dict[str, Snapshot] = {}
    for path in candidates:
        snapshot = open_snapshot(path)
        if snapshot.snapshot_id in used:
            found.setdefault(snapshot.snapshot_id, snapshot)
    return list(found.values())
