"""Diagnoses of wrong answers in words."""

from __future__ import annotations

from multiglobeqa.report.values import words


def in_words(key: str) -> str:
    """A diagnosis (column ``diagnosis`` of the scores) as a few words."""
    return words(key)
