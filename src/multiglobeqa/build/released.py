"""Reading questions with their triples from any form in which a benchmark is at hand.

- a benchmark folder: questions.parquet, facts.parquet
- a release folder: ``data/<language>/<variant>/*.parquet``, the triples inside each row
- one file, Parquet or JSON Lines: the triples inside each row in the list column ``triples``, or the facts in a
  ``facts.parquet`` beside the file
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from multiglobeqa.errors import InputError
from multiglobeqa.kg.store import require_parquet

TRIPLES: Final = "triples"
FACTS: Final = "facts.parquet"
NEEDED: Final = (
    "id", "subtemplate", "kg", "format", "roles", "params", "gold", "accepted_iris", "premise", "premise_failure",
)  # fmt: skip
_LABEL: Final = " <http://www.w3.org/2000/01/rdf-schema#label> "
_BATCH: Final = 256


def rows_of(path: Path) -> Iterator[tuple[dict[str, Any], list[str]]]:
    """Each different question once: its row (JSON columns as text) and its N-Triples lines.

    Raises InputError naming file and row for what cannot be read, and where no triples are at hand.
    """
    seen: set[bytes] = set()
    facts: dict[Path, dict[int, str]] = {}
    for file in files_of(path):
        for place, row in _rows(file):
            row = _checked(row, file, place)
            lines = _lines(row, file, place, facts)
            content = json.dumps(
                [{key: row[key] for key in NEEDED}, row.get("language"), lines], sort_keys=True, default=str
            )
            digest = hashlib.sha256(content.encode()).digest()
            if digest not in seen:  # the small variant repeats rows of the large one
                seen.add(digest)
                yield row, lines


def files_of(path: Path) -> list[Path]:
    """The question files of a folder, or the file itself."""
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise InputError("is neither a file nor a folder.", source=path)
    if (path / "questions.parquet").is_file():
        return [path / "questions.parquet"]
    if found := sorted((path / "data").glob("*/*/*.parquet")):
        return found
    raise InputError(
        "holds no questions.",
        source=path,
        mend="Name a benchmark folder (questions.parquet), a release folder (data/<language>/<variant>) or a file.",
    )


def names_fault(row: dict[str, Any], lines: list[str]) -> str | None:
    """Whether the names in an English gold are those of its entities; None where they are.

    A surface name is the label in the triples, or the label and what tells it apart in brackets.
    """
    if row["format"] not in ("entity", "set") or not row["premise"] or row.get("language", "eng") != "eng":
        return None
    gold = json.loads(row["gold"])
    names = [gold] if isinstance(gold, str) else list(gold or ())
    roles = {value["iri"]: value["name"] for value in json.loads(row["roles"]).values() if value.get("name")}
    labels = _labels(lines)
    iris = row["accepted_iris"] if row["format"] == "set" else row["accepted_iris"][:1]
    if len(names) != len(iris):
        return (
            f"{row['id']} ({row['subtemplate']}, {row['kg']}): gold names {len(names)}, entities {len(iris)}"
        )
    for iri in iris:
        known = {name for name in (roles.get(iri), *labels.get(iri, ())) if name}
        if known and not any(
            name == label or name.startswith(f"{label} (") for label in known for name in names
        ):
            return (
                f"{row['id']} ({row['subtemplate']}, {row['kg']}): gold {_short(gold)} does not name {iri}, "
                f"which is {sorted(known)[0]}"
            )
    return None


def _labels(lines: list[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in lines:
        subject, mark, value = line.partition(_LABEL)
        if mark:
            text = value[value.index('"') : value.rindex('"') + 1]
            found.setdefault(subject.strip("<> "), []).append(_unescaped(text))
    return found


def _unescaped(text: str) -> str:
    try:
        return str(json.loads(text))
    except ValueError:  # an escape that N-Triples has and JSON lacks, such as \\U0001F600
        return text[1:-1].encode("latin-1", "backslashreplace").decode("unicode_escape")


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 120 else text[:120] + "..."


def json_lines(file: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Line number and object of each line that is not empty. Raises InputError where a line is no JSON object."""
    with file.open(encoding="utf-8") as stream:
        for number, line in enumerate(stream, 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except ValueError as error:
                raise InputError(f"is not JSON: {error}.", source=file, place=number) from error
            if not isinstance(row, dict):
                raise InputError("is no JSON object.", source=file, place=number)
            yield number, row


def _rows(file: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    if file.suffix == ".jsonl":
        for number, row in json_lines(file):
            yield str(number), row
        return
    require_parquet(file, mend="Name a Parquet or a JSON Lines (.jsonl) file of questions.")
    try:
        parquet = pq.ParquetFile(file)
        wanted = [
            name for name in parquet.schema_arrow.names if name in (*NEEDED, "language", "fact_ids", TRIPLES)
        ]
        number = 0
        for batch in parquet.iter_batches(_BATCH, columns=wanted):
            for row in batch.to_pylist():
                number += 1
                yield f"row {number}", row
    except pa.ArrowException as error:
        raise InputError(f"cannot be read: {error}.", source=file) from error


def _checked(row: dict[str, Any], file: Path, place: str) -> dict[str, Any]:
    if missing := [name for name in NEEDED if name not in row]:
        raise InputError(
            f"has no column {missing[0]}.", source=file, place=place,
            mend="It is no file of questions; another benchmark's goes through `mgqa import-benchmark`.",
        )  # fmt: skip
    out = dict(row)
    for name in ("roles", "params"):
        out[name] = (
            row[name] if isinstance(row[name], str) else json.dumps(row[name] or {}, ensure_ascii=False)
        )
    for name in ("roles", "params", *(["gold"] if row["premise"] else [])):
        try:
            json.loads(out[name])
        except (TypeError, ValueError) as error:
            raise InputError(
                f"{name} of question {row['id']} is not JSON: {error}.", source=file, place=place
            ) from error
    out["accepted_iris"] = list(row["accepted_iris"] or ())
    return out


def _lines(row: dict[str, Any], file: Path, place: str, facts: dict[Path, dict[int, str]]) -> list[str]:
    if row.get(TRIPLES):
        return list(row[TRIPLES])
    beside = file.with_name(FACTS)
    if not beside.is_file():
        raise InputError(
            f"has no triples: neither a column `{TRIPLES}` nor a {FACTS} beside it; "
            "without triples no answer can be computed again.",
            source=file, place=place, mend="A benchmark that was imported without triples can be scored, not verified.",
        )  # fmt: skip
    if beside not in facts:
        require_parquet(beside, mend="Build the benchmark again.")
        table = pq.read_table(beside, columns=["fact_id", "triple"])
        facts[beside] = dict(zip(table["fact_id"].to_pylist(), table["triple"].to_pylist(), strict=True))
    lines = facts[beside]
    numbers = row.get("fact_ids") or []
    if missing := [number for number in numbers if number not in lines]:
        raise InputError(f"question {row['id']} names fact {missing[0]}, which is not there.", source=beside)
    return [lines[number] for number in numbers]
