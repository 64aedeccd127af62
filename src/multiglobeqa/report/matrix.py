"""The matrix family x stratum for each KG: how many questions, and why there are none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from multiglobeqa.kg.schema import DENSITY_TIERS, INCOME_TIERS, KGS
from multiglobeqa.report.benchmark import MatrixCell

Stratum = tuple[str | None, str | None]
STRATA: tuple[Stratum, ...] = tuple((income, density) for income in INCOME_TIERS for density in DENSITY_TIERS)
"""The 12 strata: income tier, density tier."""
NO_CAUSE = "no cause stated"
EVENTS_ONLY = "only questions about events without a place belong to no stratum"
_ALL_DISCARDED = "all discarded: "


@dataclass
class Cell:
    """Questions of a family in a stratum.

    ``causes`` maps a cause to the sub-templates that have no question for it. Where every candidate was
    discarded, each cause of discard stands for itself, without its count.
    """

    questions: int = 0
    causes: dict[str, list[str]] = field(default_factory=dict)


@dataclass
class Matrix:
    """One KG's matrix. ``cells`` has every (family, stratum) of ``families`` x ``strata``."""

    kg: str
    families: list[str]
    strata: list[Stratum]
    cells: dict[tuple[str, Stratum], Cell]

    @property
    def questions(self) -> int:
        """All questions of the KG."""
        return sum(cell.questions for cell in self.cells.values())

    def row(self, family: str) -> list[Cell]:
        """The cells of a family, in the order of ``strata``."""
        return [self.cells[family, stratum] for stratum in self.strata]

    def empty_causes(self) -> Counter[str]:
        """For the empty cells: cause -> number of cells it stands in."""
        return Counter(cause for cell in self.cells.values() if not cell.questions for cause in cell.causes)


def matrices(rows: Iterable[MatrixCell]) -> list[Matrix]:
    """One matrix a KG, in the KGs' order; columns outside the 12 strata only where they hold questions."""
    by_kg: dict[str, list[MatrixCell]] = {}
    for row in rows:
        by_kg.setdefault(row.kg, []).append(row)
    order = {kg: place for place, kg in enumerate(KGS)}
    return [_matrix(kg, by_kg[kg]) for kg in sorted(by_kg, key=lambda kg: (order.get(kg, len(order)), kg))]


def _matrix(kg: str, rows: list[MatrixCell]) -> Matrix:
    families = sorted({row.family for row in rows})
    others = {(row.income, row.density) for row in rows if row.questions} - set(STRATA)
    strata = [*STRATA, *sorted(others, key=str)]
    cells = {(family, stratum): Cell() for family in families for stratum in strata}
    for row in sorted(rows, key=lambda row: row.subtemplate):
        cell = cells.get((row.family, (row.income, row.density)))
        if cell is None:
            continue
        cell.questions += row.questions
        if not row.questions:
            for cause in causes_of(row.cause):
                cell.causes.setdefault(cause, []).append(row.subtemplate)
    for (_, stratum), cell in cells.items():
        if not cell.questions and not cell.causes:
            cell.causes[NO_CAUSE if stratum in STRATA else EVENTS_ONLY] = []
    return Matrix(kg, families, strata, cells)


def causes_of(cause: str | None) -> list[str]:
    """``all discarded: margin 12, tie 3`` as ``discarded: margin``, ``discarded: tie``; others unchanged."""
    if not cause:
        return [NO_CAUSE]
    if not cause.startswith(_ALL_DISCARDED):
        return [cause]
    names = [part.rstrip("0123456789").strip() for part in cause.removeprefix(_ALL_DISCARDED).split(", ")]
    return [f"discarded: {name}" for name in dict.fromkeys(names) if name]


def cause_letters(tables: Iterable[Matrix]) -> dict[str, str]:
    """Cause of empty cells -> its short mark, most frequent cause first."""
    causes: Counter[str] = Counter()
    for table in tables:
        causes.update(table.empty_causes())
    ordered = sorted(causes, key=lambda cause: (-causes[cause], cause))
    return {cause: _mark(place) for place, cause in enumerate(ordered)}


def _mark(place: int) -> str:
    """a, b, ..., z, aa, ab, ..."""
    text = ""
    place += 1
    while place:
        place, rest = divmod(place - 1, 26)
        text = chr(ord("a") + rest) + text
    return text


def stratum_label(stratum: Stratum) -> str:
    """``LIC low``; a dash for what is not known."""
    return " ".join(part or "\N{EN DASH}" for part in stratum)
