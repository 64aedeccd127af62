"""Diagnoses of wrong answers in words (``answers.diagnosis``)."""

from __future__ import annotations

from multiglobeqa.answers.diagnosis import explain
from multiglobeqa.report.values import words


def title(key: str) -> str:
    """A few words for a diagnosis (column ``diagnosis`` of the scores); a key that is not known, as words."""
    try:
        return explain(key).title
    except KeyError:
        return words(key)


def sentence(key: str) -> str:
    """What the answer shows and what a reader may conclude."""
    try:
        kind = explain(key)
    except KeyError:
        return words(key)
    return f"{kind.says} {kind.conclude}".strip()
