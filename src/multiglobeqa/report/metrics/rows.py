"""The scored rows of a table as arrays, checked: the one place where rows become counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from multiglobeqa.errors import InputError
from multiglobeqa.report.metrics.groups import encoded, grouped
from multiglobeqa.report.metrics.measures import STATUSES, Metric, Part
from multiglobeqa.report.metrics.scores import UNIT_BITS, Counts, Scores

_FALSE, _TRUE, _CARRIER = range(3)
_ANSWERED: Final = STATUSES.index("answered")
_HALF: Final = UNIT_BITS // 2
_CHUNK: Final = 1 << 20


@dataclass(frozen=True)
class Rows:
    """(n,) arrays: ``kind`` (0 false premise, 1 true premise, 2 true premise of a carrier), ``status`` (place in
    ``STATUSES``), ``em`` (0 or 1), ``ne`` (in [0, 1])."""

    kind: NDArray[np.int64]
    status: NDArray[np.int64]
    em: NDArray[np.int64]
    ne: NDArray[np.float64]

    def values(self, part: Part) -> NDArray[np.float64]:
        """(n,) what each row adds to a metric's part."""
        kinds = {"true": self.kind >= _TRUE, "carriers": self.kind == _CARRIER, "false": self.kind == _FALSE}
        chosen = kinds.get(part.kind, np.ones(len(self.kind), np.bool_))
        if part.statuses != STATUSES:
            chosen = chosen & np.isin(self.status, [STATUSES.index(status) for status in part.statuses])
        amounts = {
            "rows": lambda: chosen.astype(np.float64),
            "right": lambda: chosen * self.em.astype(np.float64),
            "error": lambda: chosen * self.ne,
            "zero": lambda: (chosen & (self.ne == 0)).astype(np.float64),
            "between": lambda: (chosen & (self.ne > 0) & (self.ne < 1)).astype(np.float64),
            "one": lambda: (chosen & (self.ne == 1)).astype(np.float64),
        }
        summed: NDArray[np.float64] = amounts[part.amount]()
        return summed

    def terms(self, metric: Metric) -> NDArray[np.float64]:
        """(n, 2 x terms) what each row adds to part and whole of each term."""
        columns = [self.values(part) for term in metric.terms for part in (term.part, term.whole)]
        return np.stack(columns, axis=1)


def rows_of(table: pa.Table) -> Rows:
    """The rows of a table with ``status``, ``premise``, ``em``, ``ne``, and ``carrier`` where it has that.

    Raises
    ------
    InputError : names the first row that is no scored reply: an unknown status, a null, a NaN or a number out of
        range, a right or partly right answer that was not answered, a right answer to a false premise.
    """
    for column in ("status", "premise", "em", "ne"):
        if column not in table.column_names:
            raise InputError(f"has no {column!r}.", source="scores", place=0)
    ranks, names = encoded(table["status"], "status")
    place = {name: at for at, name in enumerate(STATUSES)}
    status = np.array([place.get(name, -1) for name in names], np.int64)[ranks] if names else ranks
    premise = _numbers(table["premise"])
    em, ne = _numbers(table["em"]), _numbers(table["ne"])
    answered = status == _ANSWERED
    with np.errstate(invalid="ignore"):
        good = (
            (status >= 0)
            & ((premise == 0) | (premise == 1))
            & ((em == 0) | (em == 1))
            & (ne >= 0)
            & (ne <= 1)
        )
        good &= (answered | ((em == 0) & (ne == 1))) & ((em == 0) | (premise == 1))
    if not good.all():
        _blame(table, int(np.argmin(good)))
    kind = premise.astype(np.int64)
    if "carrier" in table.column_names:
        kind += (kind == _TRUE) & (_numbers(table["carrier"]) == 1)
    return Rows(kind, status, em.astype(np.int64), ne)


def tabulate(table: pa.Table, by: Sequence[str] = ()) -> list[Scores]:
    """The scores of each group that the columns ``by`` make, sorted by group; a group without rows does not appear.

    Parameters
    ----------
    table : one row a scored reply: ``status``, ``premise``, ``em``, ``ne``, those of ``by``; with ``carrier`` the
        rates on sub-templates that carry false premises are there too. ``joined`` makes such a table.
    by : columns that make the groups; none for one group of all.

    Raises
    ------
    InputError : a column is missing, or a row is no scored reply (see ``rows_of``).
    """
    rows, groups = rows_of(table), grouped(table, by)
    size, width = len(groups), 3 * len(STATUSES)
    cells = groups.codes * width + rows.kind * len(STATUSES) + rows.status
    counts = np.bincount(cells, minlength=size * width).reshape(size, 3, len(STATUSES))
    true = rows.kind >= _TRUE
    codes, ne = groups.codes[true], rows.ne[true]
    right = np.bincount(codes, weights=rows.em[true], minlength=size).astype(np.int64)
    zero = np.bincount(codes[ne == 0], minlength=size)
    between = np.bincount(codes[(ne > 0) & (ne < 1)], minlength=size)
    units = _units(codes, ne, size)
    return [
        Scores(
            group=key,
            true=_counts(counts[at, _TRUE] + counts[at, _CARRIER]),
            false=_counts(counts[at, _FALSE]),
            carriers=_counts(counts[at, _CARRIER]),
            right=int(right[at]),
            error_units=units[at],
            zero=int(zero[at]),
            between=int(between[at]),
        )
        for at, key in enumerate(groups.keys)
    ]


def summarize(rows: Iterable[Mapping[str, Any]], by: Sequence[str] = ()) -> list[Scores]:
    """``tabulate`` for mappings with ``status``, ``premise``, ``em``, ``ne`` and the keys of ``by``."""
    listed = list(rows)
    columns = list(dict.fromkeys(("status", "premise", "em", "ne", *by)))
    for number, row in enumerate(listed):
        for column in columns:
            if column not in row:
                raise InputError(f"has no {column!r}.", source="scores", place=number)
    if not listed:
        return []
    if any("carrier" in row for row in listed):
        columns.append("carrier")
    return tabulate(pa.table({column: [row.get(column) for row in listed] for column in columns}), by)


def _counts(line: NDArray[np.int64]) -> Counts:
    return Counts(**dict(zip(STATUSES, line.tolist(), strict=True)))


def _numbers(column: pa.ChunkedArray) -> NDArray[np.float64]:
    """(n,) float64, null as NaN."""
    if not (
        pa.types.is_boolean(column.type)
        or pa.types.is_integer(column.type)
        or pa.types.is_floating(column.type)
    ):
        return np.full(len(column), np.nan)
    return np.asarray(pc.fill_null(pc.cast(column, pa.float64()), float("nan")), dtype=np.float64)


def _units(codes: NDArray[np.int64], ne: NDArray[np.float64], size: int) -> list[int]:
    """(size,) the exact sums of NE by group in units of 2^-62, each NE rounded to that unit.

    High and low 31 bits are summed apart, a million rows at a time, so that no sum passes 2^53.
    """
    high, low = [0] * size, [0] * size
    for start in range(0, len(ne), _CHUNK):
        part, at = ne[start : start + _CHUNK] * 2.0**_HALF, codes[start : start + _CHUNK]
        upper = np.floor(part)
        for sums, amount in ((high, upper), (low, np.rint((part - upper) * 2.0**_HALF))):
            for place, value in enumerate(np.bincount(at, weights=amount, minlength=size).tolist()):
                sums[place] += int(value)
    return [(upper << _HALF) + lower for upper, lower in zip(high, low, strict=True)]


def _blame(table: pa.Table, number: int) -> None:
    row = table.slice(number, 1).to_pylist()[0]
    shown = {
        key: row[key]
        for key in ("id", "run", "language", "seed", "status", "premise", "em", "ne")
        if key in row
    }
    raise InputError(
        f"is no scored reply: {shown!r}.",
        source="scores",
        place=number,
        mend=f"Statuses: {', '.join(STATUSES)}; em 0 or 1; ne in [0, 1]; em 0 and ne 1 unless answered.",
    )
