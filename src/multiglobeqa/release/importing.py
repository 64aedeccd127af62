"""Taking in another benchmark: a table and a column mapping in, a benchmark folder out."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from multiglobeqa import __version__
from multiglobeqa.build.schema import FACT_SCHEMA, QUESTION_SCHEMA
from multiglobeqa.errors import InputError
from multiglobeqa.kg.store import replacing
from multiglobeqa.release.foreign import ForeignRow, columns_of, rows_of, table_files
from multiglobeqa.release.mapping import ColumnMapping, read_mapping
from multiglobeqa.release.rows import DropError, question_row

_EXAMPLES: Final = 5


@dataclass
class Imported:
    """What was taken in: rows kept, rows dropped by cause, and up to five examples of each cause."""

    path: Path
    questions: int = 0
    facts: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[str]] = field(default_factory=dict)


def import_benchmark(path: str | Path, mapping: str | Path, out: str | Path) -> Imported:
    """Write a benchmark folder from a table (or a folder of tables) and a mapping (a file, or a shipped one's name).

    A row whose gold, premise, lists or objects cannot be read, or whose id stands twice, is dropped and counted.

    Raises
    ------
    InputError : a column that the mapping names is missing; an answer type or a family that it does not name; a file
        that cannot be read; no row left. The message names file and row.
    """
    rules = read_mapping(mapping)
    files = table_files(path)
    result = Imported(Path(out))
    facts: dict[int, str] = {}
    numbers: dict[str, int] = {}
    rows: list[dict[str, Any]] = []
    seen: set[str] = set()
    for file in files:
        known = _check_columns(file, rules, mapping)
        for foreign in rows_of(file, known):
            try:
                row, lines = question_row(foreign, rules)
                if row["id"] in seen:
                    raise DropError("repeated id", f"the id {row['id']} stands twice")
            except DropError as drop:
                _count(result, foreign, *drop.args)
                continue
            seen.add(row["id"])
            row["fact_ids"] = _number(row, lines, facts, numbers, foreign)
            rows.append(row)
    if not rows:
        raise InputError(
            "has no row that can be used" + (": " + _first(result) if result.dropped else "."),
            source=path,
            mend="Mend the mapping file.",
        )
    result.questions, result.facts = len(rows), len(facts)
    _write(result, rows, facts, rules, files)
    return result


def _check_columns(file: Path, mapping: ColumnMapping, source: str | Path) -> set[str]:
    """The columns to read; raises InputError for one that is not there."""
    present = columns_of(file)
    wanted: set[str] = set()
    for name, rule in mapping.rules().items():
        if rule.column is None:
            continue
        if rule.column in present:
            wanted.add(rule.column)
        elif not rule.optional:
            raise InputError(
                f"has no column {rule.column!r}, which {source} names for {name!r}.",
                source=file,
                mend=f"Its columns: {', '.join(present)}. Name one of them, or write `optional: true`.",
            )
    return wanted


def _number(
    row: dict[str, Any],
    lines: list[str] | None,
    facts: dict[int, str],
    numbers: dict[str, int],
    foreign: ForeignRow,
) -> list[int]:
    """The fact ids of a row's triples: its own where it has one for each, else in the order of appearance."""
    if lines is None:
        return []
    own = row["fact_ids"]
    if len(own) != len(lines):
        own = [numbers.setdefault(line, len(numbers)) for line in lines]
    for fact, line in zip(own, lines, strict=True):
        if facts.setdefault(fact, line) != line:
            raise InputError(
                f"fact {fact} is another triple than in an earlier row.",
                source=foreign.file,
                place=foreign.place,
                mend="Take one split at a time, or leave fact_ids out of the mapping.",
            )
    return list(own)


def _count(result: Imported, foreign: ForeignRow, cause: str, what: str) -> None:
    result.dropped[cause] += 1
    examples = result.examples.setdefault(cause, [])
    if len(examples) < _EXAMPLES:
        examples.append(f"{foreign.file.name}:{foreign.place}: {what}")


def _first(result: Imported) -> str:
    return next(iter(result.examples.values()))[0]


def _write(
    result: Imported,
    rows: list[dict[str, Any]],
    facts: dict[int, str],
    mapping: ColumnMapping,
    files: list[Path],
) -> None:
    out = result.path
    out.mkdir(parents=True, exist_ok=True)
    for name in ("build.json", "facts.parquet"):
        (out / name).unlink(missing_ok=True)
    _write_rows(out, rows)
    if facts:
        ids = sorted(facts)
        table = pa.table(
            {"fact_id": pa.array(ids, pa.int32()), "triple": [facts[fact] for fact in ids]},
            schema=FACT_SCHEMA,
        )
        with replacing(out / "facts.parquet") as temporary:
            pq.write_table(table, temporary, compression="zstd")
    with replacing(out / "build.json") as temporary:
        text = json.dumps(_summary(result, rows, mapping, files), indent=1, ensure_ascii=False)
        temporary.write_text(text + "\n", "utf-8")


def _write_rows(out: Path, rows: list[dict[str, Any]]) -> None:
    with replacing(out / "questions.parquet") as temporary:
        pq.write_table(
            pa.Table.from_pylist(rows, schema=QUESTION_SCHEMA),
            temporary,
            compression="zstd",
            row_group_size=8192,
        )
    with replacing(out / "questions.jsonl") as temporary, temporary.open("w", encoding="utf-8") as stream:
        stream.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _summary(
    result: Imported, rows: list[dict[str, Any]], mapping: ColumnMapping, files: list[Path]
) -> dict[str, Any]:
    columns = ("kg", "family", "subtemplate", "income", "density")
    cells = Counter(tuple(row[name] for name in columns) for row in rows)
    snapshots: dict[str, set[str]] = {}
    for row in rows:
        snapshots.setdefault(row["kg"], set()).update(row["snapshot_id"].split("+"))
    return {
        "version": __version__,
        "seed": 0,
        "per_cell": 0,
        "imported": {
            "files": [file.name for file in files],
            "dropped": dict(result.dropped),
            "examples": result.examples,
        },
        "snapshots": {kg: "+".join(sorted(ids)) for kg, ids in sorted(snapshots.items())},
        "questions": len(rows),
        "entities": [],
        "matrix": [
            {**dict(zip(columns, cell, strict=True)), "questions": count, "cause": None}
            for cell, count in sorted(cells.items(), key=str)
        ],
        "discards": [
            {"kg": "", "subtemplate": "", "cause": cause, "count": count}
            for cause, count in sorted(result.dropped.items())
        ],
        "verified": {"questions": 0, "agreed": 0},
        "licences": [
            {
                "kg": kg,
                "part": "imported",
                "licence": mapping.licence or "not stated",
                "attribution": mapping.attribution or "not stated",
            }
            for kg in sorted(snapshots)
        ],
    }
