"""Sample files of lm-evaluation-harness (``samples_TASK_TIME.jsonl``), read without the package.

A line is one document under one filter: ``doc_id``, ``doc``, ``resps`` (for each request its raw responses, one a
repeat), ``filtered_resps``, ``filter``. The question's id is ``doc["id"]``, else ``doc_id``; the reply is the raw
response, since we read replies ourselves; repeats are seeds. Where a file has several filters, the first one's lines
count: the raw responses of the others are the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from multiglobeqa.evaluate.predictions.json_lines import objects
from multiglobeqa.evaluate.predictions.record import Fault, Record, RecordError, reply_body
from multiglobeqa.evaluate.predictions.rows import ID_KEYS, id_of, language_code
from multiglobeqa.evaluate.predictions.source import Source


def is_lm_eval(row: Any) -> bool:
    """Whether an object is a line of a sample file."""
    return isinstance(row, dict) and "doc_id" in row and ("resps" in row or "filtered_resps" in row)


def read_lm_eval(source: Source) -> Iterator[Record | Fault]:
    """The records, or a fault, of each line; lines of other filters than the first are faults of kind "repeat"."""
    chosen: Any = None
    for found in objects(source):
        if isinstance(found, Fault):
            yield found
            continue
        place, row = found
        if not is_lm_eval(row):
            yield Fault(place, f"is no sample: its keys are {', '.join(row) or 'none'}")
            continue
        chosen = row.get("filter") if chosen is None else chosen
        if row.get("filter") != chosen:
            yield Fault(place, f"the same responses under filter {row.get('filter')!r}", "repeat")
        else:
            yield from _records(row, place)


def _records(row: dict[str, Any], place: int) -> Iterator[Record | Fault]:
    doc = row.get("doc")
    doc = doc if isinstance(doc, dict) else {}
    try:
        identity, number = id_of(next((doc[key] for key in ID_KEYS if key in doc), row.get("doc_id")))
        language = language_code(doc.get("language"))
    except RecordError as error:
        yield Fault(place, f"is no reply: {error}")
        return
    for seed, response in enumerate(_responses(row)):
        kind, body, reason = reply_body(response)
        tier = str(doc.get("tier") or "")
        yield Record(place, identity, number, language, "", tier, seed, kind, body, reason)


def _responses(row: dict[str, Any]) -> list[Any]:
    """The responses of the first request, one a repeat; an empty text where there is none."""
    responses = row["resps"] if "resps" in row else [row["filtered_resps"]]
    first = responses[0] if isinstance(responses, list) and responses else None
    repeats = first if isinstance(first, list) and first else [first]
    return [text if isinstance(text, str) else None for text in repeats]
