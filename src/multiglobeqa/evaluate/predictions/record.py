"""One prediction as every reader gives it, and the table that predictions are kept in."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

import pyarrow as pa

TEXT, QUOTED, ANSWER, LOOSE, DECLINED, BAD, EMPTY, BUDGET, OVERFLOW, HARNESS, MISSING = range(11)
"""What a prediction holds.

TEXT a model's raw text; QUOTED the same as a JSON text, where it holds halves of surrogate pairs; ANSWER the JSON of
an answer; LOOSE a text that is a reply or, where no reply is in it, an answer; DECLINED a refusal with its reason; BAD
an answer that is no JSON, with the cause as its reason; EMPTY a null; BUDGET, OVERFLOW, HARNESS what the runner found;
MISSING no reply.
"""
RUNNER: Final = {"budget": BUDGET, "overflow": OVERFLOW, "harness": HARNESS}

SCHEMA: Final = pa.schema(
    [
        pa.field("place", pa.int64(), nullable=False),  # line, or number of the sample
        pa.field("id", pa.string(), nullable=False),
        pa.field("number", pa.bool_(), nullable=False),  # the id was a number
        pa.field("language", pa.string()),
        pa.field("model", pa.string(), nullable=False),
        pa.field("tier", pa.string(), nullable=False),
        pa.field("seed", pa.int32(), nullable=False),
        pa.field("kind", pa.int8(), nullable=False),
        pa.field("body", pa.string()),
        pa.field("reason", pa.string(), nullable=False),
        pa.field(
            "otherwise", pa.int8(), nullable=False
        ),  # BUDGET or OVERFLOW if the text cannot be read, else 0
        pa.field("final", pa.bool_()),
        pa.field("attempt", pa.int32()),
        pa.field("confidence", pa.float64()),
        pa.field("tokens_in", pa.int64()),
        pa.field("tokens_out", pa.int64()),
        pa.field("tokens_reasoning", pa.int64()),
        pa.field("steps", pa.int32()),
        pa.field("tool_calls", pa.int32()),
        pa.field("seconds", pa.float64()),
        pa.field("cost", pa.float64()),
        pa.field("cap_hit", pa.bool_()),
    ]
)
COSTS: Final = (
    "confidence", "tokens_in", "tokens_out", "tokens_reasoning", "steps", "tool_calls", "seconds", "cost", "cap_hit",
)  # fmt: skip
BATCH: Final = 16_384
_KINDS: Final = {name: str(SCHEMA.field(name).type) for name in COSTS}
_LIMITS: Final = {"int64": 1 << 63, "int32": 1 << 31}


class Costs(NamedTuple):
    """What a reply cost; None where it is not told. ``tokens_reasoning`` are part of ``tokens_out``."""

    confidence: float | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    tokens_reasoning: int | None = None
    steps: int | None = None
    tool_calls: int | None = None
    seconds: float | None = None
    cost: float | None = None
    cap_hit: bool | None = None


NO_COSTS: Final = Costs()


class Record(NamedTuple):
    """One prediction; the fields of ``SCHEMA`` with the costs as one."""

    place: int
    id: str
    number: bool
    language: str | None
    model: str
    tier: str
    seed: int
    kind: int
    body: str | None
    reason: str = ""
    otherwise: int = 0
    final: bool | None = None
    attempt: int | None = None
    costs: Costs = NO_COSTS


class Fault(NamedTuple):
    """A part of the file that gives no prediction: where, what is wrong, and of which kind ("broken", "truncated",
    "encoding", "repeat")."""

    place: int
    what: str
    kind: str = "broken"


class RecordError(ValueError):
    """A row that is no prediction; its text says why."""


def tables(records: Iterable[Record]) -> Iterator[pa.Table]:
    """Records as tables of ``SCHEMA``, some thousands of rows each."""
    held: list[Record] = []
    for record in records:
        held.append(record)
        if len(held) == BATCH:
            yield _table(held)
            held = []
    if held:
        yield _table(held)


def _table(records: list[Record]) -> pa.Table:
    *plain, costs = zip(*records, strict=True)
    columns = [*plain, *zip(*costs, strict=True)]
    arrays = [pa.array(column, field.type) for column, field in zip(columns, SCHEMA, strict=True)]
    return pa.Table.from_arrays(arrays, schema=SCHEMA)


def text_body(text: str) -> tuple[int, str]:
    """Kind and body of a raw text."""
    if text.isascii() or not any("\ud800" <= c <= "\udfff" for c in text):
        return TEXT, text
    return QUOTED, json.dumps(text)


def answer_body(value: Any) -> tuple[int, str | None, str]:
    """Kind, body and reason of an answer given as a value."""
    if value is None:
        return EMPTY, None, ""
    try:
        return ANSWER, json.dumps(value, allow_nan=False), ""
    except (ValueError, RecursionError):
        return BAD, None, "The answer is no JSON: it holds NaN or an infinity, or is nested too deeply."


def reply_body(value: Any, kind: int = TEXT) -> tuple[int, str | None, str]:
    """Kind, body and reason of a raw reply: a text, or the JSON that the text would hold."""
    if value is None:
        return EMPTY, None, ""
    if isinstance(value, str):
        found, body = text_body(value)
        return (kind if found == TEXT else found), body, ""
    found, text, reason = answer_body(value)
    return (TEXT if found == ANSWER else found), text, reason


def costs_of(row: dict[str, Any]) -> tuple[Costs, int]:
    """The costs that a row tells, and how many of them are no numbers and were left out."""
    told = {name: row[name] for name in _KINDS.keys() & row.keys() if row[name] is not None}
    if not told:
        return NO_COSTS, 0
    bad = 0
    for name, value in told.items():
        if not _fits(value, _KINDS[name]):
            told[name], wrong = _cost(value, _KINDS[name])
            bad += wrong
    return Costs(**told), bad


def _fits(value: Any, kind: str) -> bool:
    """Whether a value may stand in a column as it is."""
    given = type(value)
    if given is int:
        return kind in _LIMITS and abs(value) < _LIMITS[kind]
    return (given is float and kind == "double" and math.isfinite(value)) or (
        given is bool and kind == "bool"
    )


def _cost(value: Any, kind: str) -> tuple[Any, bool]:
    if value == "":
        return None, False
    if kind == "bool":
        known = {"true": True, "false": False, "1": True, "0": False}
        found = known.get(str(value).lower())
        return found, found is None
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None, True
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None, True
    if kind == "double":
        return float(value), False
    whole = int(value)
    fits = whole == value and abs(whole) < _LIMITS[kind]
    return (whole if fits else None), not fits
