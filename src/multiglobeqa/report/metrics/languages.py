"""Languages against English, question by question (paper, G.8, Figure 21). English is the control and is never
ranked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from multiglobeqa.errors import InputError
from multiglobeqa.report.metrics.comparison import Comparison
from multiglobeqa.report.metrics.groups import encoded, grouped
from multiglobeqa.report.metrics.measures import metric_of
from multiglobeqa.report.metrics.paired import paired
from multiglobeqa.report.metrics.rows import tabulate
from multiglobeqa.report.metrics.significance import Options, holm

ENGLISH: Final = "eng"


@dataclass(frozen=True)
class LanguageDelta:
    """One language of one group: ``pair`` compares it (a) with English (b) on the questions that both have.

    ``value`` is the metric over all its rows, ``questions`` their denominator.
    """

    group: tuple[Any, ...]
    language: str
    value: Fraction | None
    questions: int
    pair: Comparison

    @property
    def delta(self) -> float | None:
        """The metric minus English's on the same questions."""
        return self.pair.difference


@dataclass(frozen=True)
class Ranked:
    """A language's place, 1 the best; equal values share a place."""

    place: int
    language: str
    value: Fraction
    questions: int


def language_deltas(
    table: pa.Table,
    by: Sequence[str] = ("run",),
    metric: str = "em",
    *,
    english: str = ENGLISH,
    options: Options | None = None,
) -> list[LanguageDelta]:
    """Each language but English, in each group that has English rows: its difference to English, paired by question.

    Seeds are averaged question by question. Holm's correction is over the languages of a group.

    Raises InputError where a group has no English rows.
    """
    if "language" in by:
        raise InputError("'language' is what is compared.", mend="Group by other columns.")
    groups = grouped(table, by)
    found: list[LanguageDelta] = []
    for at, group in enumerate(groups.keys):
        mine = table.filter(pa.array(groups.codes == at))
        codes, names = encoded(mine["language"], "language")
        if english not in names:
            raise InputError(f"has no row in {english!r}.", source="scores", place=" ".join(map(str, group)))
        control = mine.filter(pa.array(codes == names.index(english)))
        scores = {one.group[0]: one for one in tabulate(mine, ("language",))}
        deltas = []
        for place, name in enumerate(names):
            if name in (english, None):
                continue
            rows = mine.filter(pa.array(codes == place))
            (pair,) = paired(
                rows, control, (), metric, key=("id",), names=(name, english), common=True, options=options
            )
            one = scores[name]
            deltas.append(LanguageDelta(group, name, one.rate(metric), one.items(metric), pair))
        adjusted = holm([one.pair.p for one in deltas])
        found += [
            replace(one, pair=replace(one.pair, p_holm=p)) for one, p in zip(deltas, adjusted, strict=True)
        ]
    return found


def language_ranking(table: pa.Table, metric: str = "em", *, english: str = ENGLISH) -> list[Ranked]:
    """The languages other than English by the metric, best first; rows marked ``control`` and unnamed languages
    stay out."""
    kept = pc.fill_null(pc.not_equal(table["language"].cast(pa.string()), english), False)
    if "control" in table.column_names:
        kept = pc.and_(kept, pc.invert(pc.fill_null(table["control"], False)))
    rows = [
        (rate, one)
        for one in tabulate(table.filter(kept), ("language",))
        if (rate := one.rate(metric)) is not None
    ]
    falling = metric_of(metric).better != "low"
    rows.sort(key=lambda row: (-row[0] if falling else row[0], row[1].group[0]))
    return [
        Ranked(
            1 + sum(other > rate if falling else other < rate for other, _ in rows),
            one.group[0],
            rate,
            one.items(metric),
        )
        for rate, one in rows
    ]
