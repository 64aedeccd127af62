"""The questions of a benchmark, from any folder that holds them, and the alias stores of its KGs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from multiglobeqa.errors import InputError
from multiglobeqa.evaluate.scoring.schema import NEEDED, USED
from multiglobeqa.kg.store import MANIFEST, Snapshot, open_snapshot

VARIANTS: Final = ("large", "small")
_GROUPS: Final = (
    "family", "country", "continent", "subregion", "income", "density", "source", "question_type", "depth", "modality",
    "snapshot_id", "fact_ids",
)  # fmt: skip
_MEND: Final = "Name a folder of `mgqa build`, a released folder, or a Parquet file of questions."


@dataclass(frozen=True)
class Questions:
    """The questions that were to be asked.

    ``table``: columns ``schema.USED`` and those that make groups, as far as they are there. ``snapshots``: ids of the
    KG snapshots they come from.
    """

    path: Path
    table: pa.Table
    snapshots: tuple[str, ...]

    @property
    def name(self) -> str:
        """The folder's or file's name."""
        return self.path.resolve().name


def open_questions(path: str | Path, variant: str = "large") -> Questions:
    """Open a benchmark folder, a release folder (all its languages), a folder of Parquet files, or one such file.

    Parameters
    ----------
    variant : of a release, "large" or "small"; its test split.

    Raises
    ------
    InputError : there are no questions; a column is missing; an (id, language) stands twice.
    """
    place = Path(path)
    files = _files(place, variant)
    tables = [_read(file) for file in files]
    table = pa.concat_tables(tables, promote_options="default").combine_chunks()
    if not table.num_rows:
        raise InputError("has no questions.", source=place, mend=_MEND)
    if "language" not in table.column_names:
        table = table.append_column("language", pa.array(["eng"] * table.num_rows))
    _check_once(table, place)
    return Questions(place, table, _snapshots(place, table))


def stores_of(questions: Questions, snapshots: Iterable[Snapshot] | None = None) -> dict[str, list[str]]:
    """KG -> label files: of the snapshots given, else of those the benchmark was built from that are at hand (in its
    folder ``kg``, or embedded)."""
    files: dict[str, list[str]] = {}
    for snapshot in _at_hand(questions) if snapshots is None else snapshots:
        files.setdefault(snapshot.kg, []).extend(snapshot.label_files)
    return files


def _at_hand(questions: Questions) -> list[Snapshot]:
    from multiglobeqa.build import embedded_snapshots

    folder = questions.path if questions.path.is_dir() else questions.path.parent
    own = sorted(path.parent for path in (folder / "kg").glob(f"*/{MANIFEST}"))
    opened = {(one := open_snapshot(path)).snapshot_id: one for path in (*embedded_snapshots(), *own)}
    return [opened[name] for name in questions.snapshots if name in opened]


def _files(place: Path, variant: str) -> list[Path]:
    if place.is_file():
        return [place]
    if (place / "questions.parquet").is_file():
        return [place / "questions.parquet"]
    if not place.is_dir():
        raise InputError("does not exist.", source=place, mend=_MEND)
    if variant not in VARIANTS:
        raise InputError(f"{variant!r} is no variant.", mend=f"Variants: {', '.join(VARIANTS)}.")
    found = sorted(place.glob(f"data/*/{variant}*/test-*.parquet"))
    found = found or sorted(place.glob("test-*.parquet"))
    if not found:
        raise InputError("is no benchmark.", source=place, mend=_MEND)
    return found


def _read(file: Path) -> pa.Table:
    try:
        present = pq.read_schema(file).names
        if missing := [name for name in NEEDED if name not in present]:
            raise InputError(f"has no column {missing[0]!r}.", source=file, mend=_MEND)
        return pq.read_table(file, columns=[name for name in (*USED, *_GROUPS) if name in present])
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(f"cannot be read as Parquet: {error}.", source=file, mend=_MEND) from error


def _check_once(table: pa.Table, place: Path) -> None:
    keys = ["id", "language"]
    counts = table.select(keys).group_by(keys).aggregate([([], "count_all")])
    if counts.num_rows < table.num_rows:
        twice = next(row for row in counts.to_pylist() if row["count_all"] > 1)
        raise InputError(f"stands twice in {twice['language']}.", source=place, place=twice["id"])


def _snapshots(place: Path, table: pa.Table) -> tuple[str, ...]:
    record = place / "build.json"
    if record.is_file():
        try:
            found: Any = json.loads(record.read_text("utf-8")).get("snapshots")
        except (ValueError, AttributeError) as error:
            raise InputError(f"is not JSON: {error}.", source=record) from error
        if isinstance(found, dict):
            return tuple(str(value) for value in found.values())
    names: Sequence[str] = (
        table["snapshot_id"].unique().to_pylist() if "snapshot_id" in table.column_names else ()
    )
    return tuple(sorted(names))
