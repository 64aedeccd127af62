"""The small split against the large one (paper, G.1, Table 13)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import pyarrow as pa

from multiglobeqa.report.metrics.measures import metric_of
from multiglobeqa.report.metrics.rows import tabulate
from multiglobeqa.report.metrics.standard import family_mix, standardised

METRICS: Final = ("em", "ne", "coverage", "em_covered", "frr")


@dataclass(frozen=True)
class SplitRow:
    """One metric of one group on both splits. ``delta`` = small - large.

    ``reweighted``: the small split's rates by family under the large split's mix of families, ``delta_reweighted``
    its difference to the large split; ``present``: the share of that mix whose families the small split has.
    """

    group: tuple[Any, ...]
    metric: str
    large: Fraction | None
    small: Fraction | None
    delta: Fraction | None
    reweighted: Fraction | None
    delta_reweighted: Fraction | None
    present: Fraction
    questions_large: int
    questions_small: int


def representativeness(
    large: pa.Table, small: pa.Table, by: Sequence[str] = ("run",), metrics: Sequence[str] = METRICS
) -> list[SplitRow]:
    """Both splits' metrics for each group that has rows of both; the mix is that of the large split's questions."""
    mix = family_mix(large)
    wide, narrow = ({one.group: one for one in tabulate(table, by)} for table in (large, small))
    found = []
    for metric in metrics:
        metric_of(metric)
        weighted = {one.group: one for one in standardised(small, by, mix, metric)}
        for group in wide:
            if group not in narrow:
                continue
            whole, part, again = wide[group].rate(metric), narrow[group].rate(metric), weighted[group]
            found.append(
                SplitRow(
                    group, metric, whole, part, _minus(part, whole), again.value, _minus(again.value, whole),
                    again.present, wide[group].items(metric), narrow[group].items(metric),
                )
            )  # fmt: skip
    return found


def _minus(a: Fraction | None, b: Fraction | None) -> Fraction | None:
    return None if a is None or b is None else a - b
