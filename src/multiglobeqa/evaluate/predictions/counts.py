"""What became of every line of a file of predictions: counted, and the first of each kind named."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from multiglobeqa.answers.text import printable

SHOWN: Final = 20
"""How many of each kind are named."""

KINDS: Final[dict[str, str]] = {
    "broken": "lines that cannot be read as a reply",
    "truncated": "lines that break off at the end of the file",
    "encoding": "lines that are not of the file's encoding",
    "unknown": "replies to no question of this benchmark",
    "conflicting": "further, different replies to the same question; the first counts",
    "identical": "further, identical replies to the same question",
    "attempts": "earlier attempts of the run log; the final one counts",
    "not asked": "replies to questions that were not asked",
    "null": "replies that are null: they count as unparseable",
    "number": "ids that are numbers",
    "repeat": "lines that repeat a response under another filter",
    "cost": "costs that are no numbers and were left out",
    "missing": "questions without a reply: they count as wrong",
}
"""Kind -> what it is, in the order of the report."""
PROBLEMS: Final = (
    "broken",
    "truncated",
    "encoding",
    "unknown",
    "conflicting",
    "not asked",
    "null",
    "missing",
)
"""The kinds that ``strict`` takes for an error."""


@dataclass
class Intake:
    """Counts of what was read and what became of it.

    ``read``: replies read. ``scored``: replies that are scored. ``asked``: which questions are in the denominator, in
    words. ``counts``, ``named``: kind -> how many, and the first ``SHOWN`` of them as "place: what".
    read = scored + unknown + conflicting + identical + attempts + not asked.
    """

    source: str = ""
    form: str = ""
    asked: str = ""
    restricted: bool = False
    read: int = 0
    scored: int = 0
    questions: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    named: dict[str, list[str]] = field(default_factory=dict)

    def add(self, kind: str, what: str, count: int = 1) -> None:
        """Count one more of a kind, and name it if it is among the first."""
        self.counts[kind] = self.counts.get(kind, 0) + count
        names = self.named.setdefault(kind, [])
        if len(names) < SHOWN:
            names.append(printable(what))

    def count(self, kind: str) -> int:
        """How many of a kind."""
        return self.counts.get(kind, 0)

    def as_json(self) -> dict[str, Any]:
        """The counts as JSON values, kinds in their order."""
        return {
            "source": self.source,
            "form": self.form,
            "asked": self.asked,
            "restricted": self.restricted,
            "read": self.read,
            "scored": self.scored,
            "questions": self.questions,
            **{kind: self.count(kind) for kind in KINDS},
            "named": {kind: self.named[kind] for kind in KINDS if self.named.get(kind)},
        }

    def lines(self) -> list[str]:
        """What a person should know, a line each."""
        told = [f"{self.read:,} replies read ({self.form}), {self.scored:,} scored; {self.asked}."]
        for kind, meaning in KINDS.items():
            if count := self.count(kind):
                names = self.named[kind]
                more = f"; and {count - len(names):,} more" if count > len(names) else ""
                told.append(f"{count:,} {meaning}: {'; '.join(names[:5])}" + (
                    f"; and {count - 5:,} more" if count > 5 else more))  # fmt: skip
        return told

    @property
    def problems(self) -> list[str]:
        """The kinds of ``PROBLEMS`` that occur."""
        return [kind for kind in PROBLEMS if self.count(kind)]
