"""Every sub-template on the awkward catalogue: no exception, and what it asks is verified."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from multiglobeqa.taxonomy import SubTemplate, load

SEED = 2026
KEPT = 12
"""Questions of a sub-template and KG that are solved again."""
CAPS = {"K02": ("worldkg",), "K03": ()}
"""Shapes of polar caps take seconds each (a hull of 14,701 vertices): the KGs of the quick run."""
CASES = [(sub, kg) for sub in load() for kg in sub.kgs]
QUICK = [
    (sub, kgs[number % len(kgs)])
    for number, sub in enumerate(load())
    if (kgs := CAPS.get(sub.template, sub.kgs))
]
"""One KG for each sub-template, in turn; the others in `make test-slow`."""


def _run(world: Any, sub: SubTemplate) -> None:
    found = [one for row in world.rows(sub, SEED) if (one := world.outcome(sub, row)[0]) is not None]
    rows, _ = world.writer.rows(found[:KEPT])
    assert world.disagreements(rows) == []


@pytest.mark.parametrize(
    ("sub", "kg"),
    QUICK,
    ids=lambda v: getattr(v, "id", v),
)
def test_no_exception_and_every_question_verified(
    sub: SubTemplate, kg: str, awkward: Callable[[str], Any]
) -> None:
    _run(awkward(kg), sub)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sub", "kg"),
    [case for case in CASES if case not in QUICK],
    ids=lambda v: getattr(v, "id", v),
)
def test_the_other_knowledge_graphs(sub: SubTemplate, kg: str, awkward: Callable[[str], Any]) -> None:
    _run(awkward(kg), sub)
