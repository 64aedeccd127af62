"""The loss report of an import: what was read, what was kept, what was dropped and why."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

MAX_EXAMPLES = 5


@dataclass
class ImportReport:
    """Counts of one import.

    Attributes
    ----------
    source : the file that was read.
    read : objects read, by type ("node", "way", "triple", "row", ...).
    kept : entities kept, by kind ("point", "line", "surface").
    dropped : objects dropped, by cause (a snake_case word, "relation_member_missing").
    unnamed : venues dropped for want of a name, by class: what counts of it leave out (also in ``dropped``).
    examples : up to five places for each cause ("way 123", "line 17").
    notes : sentences for the reader.
    """

    source: str
    read: Counter[str] = field(default_factory=Counter)
    kept: Counter[str] = field(default_factory=Counter)
    dropped: Counter[str] = field(default_factory=Counter)
    unnamed: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[str]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def drop(self, cause: str, place: str, count: int = 1) -> None:
        """Count one dropped object and keep its place if few are known."""
        self.dropped[cause] += count
        places = self.examples.setdefault(cause, [])
        if len(places) < MAX_EXAMPLES:
            places.append(place)

    def merge(self, other: ImportReport) -> None:
        """Add the counts of another report to this one."""
        self.read += other.read
        self.kept += other.kept
        self.dropped += other.dropped
        self.unnamed += other.unnamed
        for cause, places in other.examples.items():
            mine = self.examples.setdefault(cause, [])
            mine.extend(places[: MAX_EXAMPLES - len(mine)])
        self.notes.extend(other.notes)

    def as_dict(self) -> dict[str, Any]:
        """JSON form, keys sorted so that equal imports give equal bytes."""
        return {
            "source": self.source,
            "read": dict(sorted(self.read.items())),
            "kept": dict(sorted(self.kept.items())),
            "dropped": dict(sorted(self.dropped.items())),
            "unnamed": dict(sorted(self.unnamed.items())),
            "examples": dict(sorted(self.examples.items())),
            "notes": self.notes,
        }
