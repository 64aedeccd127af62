"""Which reading rules an answer needed, gathered while it is read.

A reader that had to decide something (which mark is the decimal one, which unit was written) calls ``note``;
whoever asked for the reading opens ``noted`` and gets the notes. Without an open ``noted`` a note is lost,
so readers need no further argument.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

_NOTES: Final[ContextVar[list[str] | None]] = ContextVar("reading_rules", default=None)


def note(rule: str) -> None:
    """Say that a rule was applied: "number: comma read as decimal (deu)"."""
    notes = _NOTES.get()
    if notes is not None and rule not in notes:
        notes.append(rule)


@contextmanager
def noted() -> Iterator[list[str]]:
    """The rules noted inside the block, in order, each once; blocks may be nested and threads do not mix."""
    notes: list[str] = []
    token = _NOTES.set(notes)
    try:
        yield notes
    finally:
        _NOTES.reset(token)


def joined(*rules: str | None) -> str | None:
    """Rules as one text, "; " between them; None where there is none."""
    return "; ".join(rule for rule in rules if rule) or None
