"""Means over groups: micro (over questions) and macro (over groups)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from multiglobeqa.errors import InputError
from multiglobeqa.report.metrics.scores import Scores, merged


@dataclass(frozen=True)
class Means:
    """``micro``: over all items, the headline; ``macro``: over groups, each with equal weight; how many groups and
    items."""

    metric: str
    micro: Fraction
    macro: Fraction
    groups: int
    items: int


def means(scores: Iterable[Scores], metric: str = "em", *, skip_empty: bool = False) -> Means:
    """Both means of a metric over disjoint groups; the micro mean is the metric of their union.

    Raises InputError naming the group whose denominator is 0, unless ``skip_empty`` leaves such groups out; and
    where no group is left.
    """
    parts = [one for one in scores if not skip_empty or one.rate(metric) is not None]
    rates = []
    for one in parts:
        rate = one.rate(metric)
        if rate is None:
            raise InputError(
                f"metric {metric!r} missing in {_label(one.group)}: no item.", source="scores",
                mend="Leave such groups out, and say so.",
            )  # fmt: skip
        rates.append(rate)
    whole = merged(parts)
    micro = whole.rate(metric)
    if not rates or micro is None:
        raise InputError(f"no group has an item for {metric!r}.", source="scores")
    return Means(metric, micro, sum(rates, Fraction(0)) / len(rates), len(rates), whole.items(metric))


def aggregate(groups: Mapping[str, Mapping[str, Any]], metric: str, weight: str | None = None) -> Means:
    """Both means of numbers that were computed elsewhere: group -> {metric: value, weight: items}.

    Without ``weight`` each group is one item. Values keep their unit (shares or percent).

    Raises InputError naming the group where the metric or the weight is missing, or is no number.
    """
    if not groups:
        raise InputError("there is no group.", source="groups")
    numbers = {name: _number(name, values, metric) for name, values in groups.items()}
    items = {name: Fraction(1) if weight is None else _number(name, groups[name], weight) for name in groups}
    if wrong := [name for name, count in items.items() if count <= 0 or count.denominator != 1]:
        raise InputError(
            f"{weight} is {float(items[wrong[0]])}, not a number of items.", source="groups", place=wrong[0]
        )
    total = sum(items.values(), Fraction(0))
    micro = sum((numbers[name] * items[name] for name in groups), Fraction(0)) / total
    return Means(metric, micro, sum(numbers.values(), Fraction(0)) / len(groups), len(groups), int(total))


def _number(name: str, values: Mapping[str, Any], key: str) -> Fraction:
    value = values.get(key)
    if value is None:
        raise InputError(f"metric missing in {name}: it has no {key!r}.", source="groups", place=name)
    if isinstance(value, bool) or not isinstance(value, int | float | Fraction) or not math.isfinite(value):
        raise InputError(f"{key} is {value!r}, not a number.", source="groups", place=name)
    return Fraction(str(value)) if isinstance(value, float) else Fraction(value)  # 24.21 is 2421/100


def _label(group: tuple[Any, ...]) -> str:
    return " ".join("none" if value is None else str(value) for value in group) or "the group of all"
