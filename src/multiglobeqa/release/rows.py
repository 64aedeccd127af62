"""One row of another table as one row of ours."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final

import pyarrow as pa

from multiglobeqa.answers import FormatError
from multiglobeqa.build.gold import QUESTION_TYPES
from multiglobeqa.build.schema import QUESTION_SCHEMA
from multiglobeqa.errors import InputError
from multiglobeqa.release.foreign import ForeignRow
from multiglobeqa.release.gold import OUR_UNITS, canonical
from multiglobeqa.release.mapping import KNOWN_FORMATS, ColumnMapping, Rule, translate
from multiglobeqa.release.tables import TRIPLES
from multiglobeqa.taxonomy.model import FAMILIES

_OBJECTS: Final = ("roles", "params", "slips")
_LISTS: Final = ("accepted", "accepted_iris", "entities", "fact_ids", TRIPLES)
_FLAGS: Final[Mapping[str, bool]] = {
    "true": True,
    "false": False,
    "yes": True,
    "no": False,
    "1": True,
    "0": False,
}


class DropError(Exception):
    """A row that cannot be used: (cause, what is wrong)."""


def question_row(foreign: ForeignRow, mapping: ColumnMapping) -> tuple[dict[str, Any], list[str] | None]:
    """Our row, and its triples where it has some; ``fact_ids`` are still theirs.

    Raises DropError for a row that cannot be used, InputError for a format or family that the mapping does not name.
    """
    row: dict[str, Any] = dict.fromkeys(QUESTION_SCHEMA.names)
    rules = mapping.rules()
    values = {name: _translated(foreign, name, rule) for name, rule in rules.items()}
    row.update({name: value for name, value in values.items() if name in row})
    for name in _LISTS:
        values[name] = _list(name, values.get(name))
    for name in _OBJECTS:
        row[name] = _object(name, values.get(name))
    row["premise"] = _flag(values.get("premise"))
    _defaults(row, foreign)
    row |= {name: values[name] for name in ("accepted_iris", "entities", "fact_ids")}
    row["accepted"] = []
    row["gold"], row["accepted"] = _answers(row, values, mapping)
    if not mapping.gold.canonical:
        row["unit"] = OUR_UNITS.get(row["format"], row["unit"])
    if row["id"] is None:
        key = json.dumps([row["kg"], row["language"], row["question"], row["gold"]], ensure_ascii=False)
        row["id"] = hashlib.sha256(key.encode()).hexdigest()[:16]
    for column in QUESTION_SCHEMA:
        if pa.types.is_string(column.type) and row[column.name] is not None:
            row[column.name] = str(row[column.name])
        elif pa.types.is_floating(column.type) and row[column.name] is not None:
            row[column.name] = _float(column.name, row[column.name])
    return row, values[TRIPLES] if TRIPLES in rules and values[TRIPLES] else None


def _translated(foreign: ForeignRow, name: str, rule: Rule) -> Any:
    value = foreign.values.get(rule.column) if rule.column is not None else None
    known = {"format": KNOWN_FORMATS, "family": [key.casefold() for key in FAMILIES]}.get(name)
    try:
        found = translate(rule, value, known)
    except KeyError as error:
        raise _unnamed(foreign, name, rule, value) from error
    if name == "family" and isinstance(found, str):
        found = found.strip().upper()
    if (name == "format" and found not in KNOWN_FORMATS) or (name == "family" and found not in FAMILIES):
        raise _unnamed(foreign, name, rule, found)
    return found


def _unnamed(foreign: ForeignRow, name: str, rule: Rule, value: Any) -> InputError:
    allowed = {"format": sorted(KNOWN_FORMATS), "family": list(FAMILIES)}.get(name, [])
    return InputError(
        f"column {rule.column!r} holds {value!r}, which stands for no {name}.",
        source=foreign.file,
        place=foreign.place,
        mend=f"Add it under columns: {name}: values in the mapping file"
        + (f"; ours: {', '.join(allowed)}." if allowed else "."),
    )


def _defaults(row: dict[str, Any], foreign: ForeignRow) -> None:
    if not isinstance(row["question"], str) or not row["question"].strip():
        raise DropError("no question", "the question is empty")
    row["kg"] = row["kg"] or "unknown"
    row["snapshot_id"] = row["snapshot_id"] or "imported"
    row["language"] = row["language"] or "eng"
    row["template"] = row["template"] or f"{row['family']}00"
    row["subtemplate"] = row["subtemplate"] or row["template"]
    row["paraphrase"] = row["paraphrase"] or row["subtemplate"]
    row["question_en"] = row["question_en"] or row["question"]
    row["source"] = row["source"] or "imported"
    row["question_type"] = row["question_type"] or QUESTION_TYPES[row["format"]]
    row["depth"] = row["depth"] or "unknown"
    row["modality"] = row["modality"] or "text"
    row["query"] = row["query"] or foreign.file.name


def _answers(
    row: dict[str, Any], values: dict[str, Any], mapping: ColumnMapping
) -> tuple[str | None, list[str]]:
    """Gold and accepted answers as canonical JSON text; none where the premise is false."""
    if not row["premise"]:
        return None, []
    if values["gold"] is None:
        raise DropError("no gold answer", "the premise is true and the gold is null")
    try:
        gold = canonical(values["gold"], row, mapping.gold)
        accepted = [canonical(each, row, mapping.gold) for each in values["accepted"]]
    except FormatError as error:
        raise DropError(f"gold is no {row['format']}", str(error)) from error
    if mapping.gold.canonical:
        return values["gold"], list(values["accepted"])
    return json.dumps(gold, ensure_ascii=False), [json.dumps(each, ensure_ascii=False) for each in accepted]


def _flag(value: Any) -> bool:
    if value is None:
        return True
    if isinstance(value, bool):
        return value
    found = _FLAGS.get(str(value).strip().casefold())
    if found is None:
        raise DropError("premise is neither true nor false", f"the premise is {value!r}")
    return found


def _list(name: str, value: Any) -> list[Any]:
    if isinstance(value, str) and value.strip():
        try:
            value = json.loads(value)
        except ValueError:
            value = None if name != "accepted" else [value]
        if not isinstance(value, list):
            raise DropError(f"{name} is no list", f"{name} is no JSON list")
    if value is None or value == "":
        return []
    if not isinstance(value, list):
        raise DropError(f"{name} is no list", f"{name} is {type(value).__name__}")
    return value


def _object(name: str, value: Any) -> str:
    if value is None or value == "":
        return "{}"
    try:
        decoded = json.loads(value) if isinstance(value, str) else value
    except ValueError:
        decoded = None
    if not isinstance(decoded, dict):
        raise DropError(f"{name} is no object", f"{name} is no JSON object")
    return value if isinstance(value, str) else json.dumps(decoded, ensure_ascii=False, sort_keys=True)


def _float(name: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError) as error:
        raise DropError(f"{name} is no number", f"{name} is {value!r}") from error
