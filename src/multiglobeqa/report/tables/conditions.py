"""Models and tiers in the order of reports, and what they are called."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

ORACLE_FORMS: Final = ("T1-o-raw", "T1-o-structured", "T1-o-verbalized")
TIERS: Final = ("T1", "T2", "T3a", "T3b", "T3c", *ORACLE_FORMS, "T3-o")
"""The tiers in the order of tables."""
AGENTS: Final = ("T3a", "T3b", "T3c", "T3-o")
"""The tiers with an agent: steps, tool calls and cap hits are theirs."""
RETRIEVAL: Final = ("T3a", "T3b", "T3c")
MEANINGS: Final = {
    "T1": "direct answer",
    "T2": "reasoning",
    "T3a": "agent, knowledge graph",
    "T3b": "agent, web search",
    "T3c": "agent, both",
    "T1-o-raw": "gold triples, raw",
    "T1-o-structured": "gold triples, structured",
    "T1-o-verbalized": "gold triples, verbalized",
    "T3-o": "agent with gold triples",
}

Condition = tuple[str, str]
"""A model and a tier."""


def in_order(tiers: Iterable[str]) -> list[str]:
    """Tiers in the order of tables, unknown ones behind by name."""
    return sorted(set(tiers), key=lambda tier: (TIERS.index(tier) if tier in TIERS else len(TIERS), tier))


def tier_name(tier: str) -> str:
    """How a tier is headed."""
    return tier or "no tier"


def condition_name(condition: Condition) -> str:
    """Model and tier in one."""
    model, tier = condition
    return f"{model}, {tier}" if tier else model


def headline_tiers(conditions: Iterable[Condition]) -> list[str]:
    """The tiers of the main table: of the forms of gold triples in the prompt the one that most models have been given
    (of equal ones verbalized before structured before raw), and all other tiers."""
    given = list(conditions)
    forms = [form for form in reversed(ORACLE_FORMS) if any(tier == form for _, tier in given)]
    best = max(forms, key=lambda form: sum(tier == form for _, tier in given), default=None)
    return in_order(tier for _, tier in given if tier not in ORACLE_FORMS or tier == best)
