"""What is wrong with a file of questions or replies: each fault with its kind, file, line and item."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

REFUSED: Final = {
    "not_json": "is not JSON",
    "torn_last_line": "breaks off at the end of the file",
    "encoding": "is not UTF-8",
    "not_object": "is no object",
    "missing_key": "lacks a field",
    "wrong_type": "has a field of the wrong type",
    "language": "has no language code",
    "options_not_list": "has options that are no list",
    "too_few_options": "has fewer than two options",
    "empty_option": "has an empty option",
    "index_out_of_range": "has an answer_index outside the options",
    "answer_differs": "has an answer that is not the option at answer_index",
    "duplicate_id": "repeats an id",
}
"""Faults that take an item out: what is right cannot be told, or the line cannot be read."""

DISPUTED: Final = {
    "duplicate_right_option": "has its right option twice",
    "marked_disputed": "is marked as disputed",
}
"""Faults that set an item aside: it is kept in the list of disputed items and not scored."""

WARNED: Final = {
    "byte_order_mark": "begins with a byte order mark",
    "duplicate_options": "has a wrong option twice",
    "answer_spelled_differently": "spells its answer otherwise than the option",
    "unlisted_language": "is in a language without ISO 639-1 code; default rules hold",
}
"""What is told and changes nothing."""


@dataclass(frozen=True)
class Fault:
    """One fault. ``line`` counts from 1; in a JSON list it is the item's number."""

    file: str
    line: int
    id: str
    kind: str
    what: str

    @property
    def severity(self) -> str:
        """ "refused", "disputed" or "warned"."""
        return "refused" if self.kind in REFUSED else "disputed" if self.kind in DISPUTED else "warned"

    def __str__(self) -> str:
        item = f" {self.id}:" if self.id else ""
        return f"{self.file}:{self.line}:{item} {self.what}"


def counted(faults: Iterable[Fault]) -> dict[str, int]:
    """Number of faults by kind, most frequent first."""
    return dict(Counter(fault.kind for fault in faults).most_common())
