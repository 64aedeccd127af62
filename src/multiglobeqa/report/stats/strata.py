"""Questions by stratum, KG, class and variant: Tables 2 and 7 and what goes with them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, Final

from multiglobeqa.kg.schema import DENSITY_TIERS, INCOME_TIERS, KGS
from multiglobeqa.report.stats.questions import Questions
from multiglobeqa.report.stats.table import Row, Table, share
from multiglobeqa.taxonomy.model import FAMILIES

INCOMES: Final = tuple(reversed(INCOME_TIERS))
"""Income tiers from high to low, as they are printed."""
STRATA: Final = tuple((income, density) for income in INCOMES for density in DENSITY_TIERS)
NONE: Final = "no stratum"
SLICES: Final = ("true", "false", "image")
"""What a question is: text with a true premise, text with a false one, or of the image slice."""


def kgs_of(values: Iterable[str]) -> list[str]:
    """The KGs among the values, in their own order."""
    order = {kg: place for place, kg in enumerate(KGS)}
    return sorted(set(values), key=lambda kg: (order.get(kg, len(order)), kg))


def slices(questions: Questions) -> list[str]:
    """(n,) the slice of each question, of `SLICES`."""
    pairs = zip(questions.column("modality"), questions.column("premise"), strict=True)
    return ["image" if modality == "image" else "true" if premise else "false" for modality, premise in pairs]


def table2(questions: Questions) -> Table:
    """Table 2: questions by income and density tier, and the countries of each income tier.

    The row ``no stratum`` holds events without a place and countries without an income tier; a country counts in the
    row of its questions.
    """
    triples = zip(*(questions.column(name) for name in ("income", "density", "country")), strict=True)
    cells: Counter[tuple[str, str]] = Counter()
    outside: Counter[str] = Counter()
    countries: dict[str, set[str]] = defaultdict(set)
    for income, density, country in triples:
        inside = (income, density) in STRATA
        row = income if inside else NONE
        if inside:
            cells[income, density] += 1
        else:
            outside[row] += 1
        if country is not None:
            countries[row].add(country)
    total = questions.table.num_rows
    rows: list[Row] = []
    for income in INCOMES:
        counts = [cells[income, density] for density in DENSITY_TIERS]
        rows.append((income, *counts, sum(counts), share(sum(counts), total), len(countries[income])))
    if outside:
        lost = outside[NONE]
        rows.append((NONE, *[None] * len(DENSITY_TIERS), lost, share(lost, total), len(countries[NONE])))
    sums = [sum(cells[income, density] for income in INCOMES) for density in DENSITY_TIERS]
    every = len(set().union(*countries.values()))
    rows.append(("all", *sums, total, share(total, total), every))
    rows.append(("share, %", *(share(value, total) for value in sums), share(total, total), None, None))
    columns = ("income", *DENSITY_TIERS, "questions", "share, %", "countries")
    return Table("table2_strata", "Table 2: questions by income and density tier", columns, rows)


def table7(questions: Questions) -> Table:
    """Table 7: questions by family and KG; image slice and false premises in columns of their own."""
    kgs = kgs_of(questions.column("kg"))
    counts = Counter(zip(questions.column("family"), questions.column("kg"), slices(questions), strict=True))
    families = [*FAMILIES, *sorted({key[0] for key in counts} - FAMILIES.keys())]
    rows: list[Row] = []
    for family in families:
        cells = [counts[family, kg, part] for kg in kgs for part in SLICES]
        rows.append((f"{family} {FAMILIES.get(family, '')}".strip(), *cells, sum(cells)))
    rows.append(("all", *(sum(row[place] for row in rows) for place in range(1, 3 * len(kgs) + 2))))
    columns = ("family", *(f"{kg} {part}" for kg in kgs for part in SLICES), "questions")
    narrow = [
        (row[0], *(_slashed(row[1 + 3 * i : 4 + 3 * i]) for i in range(len(kgs))), row[-1]) for row in rows
    ]
    return Table(
        "table7_families", "Table 7: questions by family and KG", columns, rows,
        notes=("Text questions of true / of false premise / image questions.",),
        narrow=(("family", *kgs, "questions"), narrow),
    )  # fmt: skip


def _slashed(values: Sequence[Any]) -> str:
    return " / ".join(f"{value:,}" for value in values)


def class_by_stratum(questions: Questions, classes: Sequence[str]) -> Table:
    """Questions by the class they are about, for each KG and stratum. ``classes``: (n,)."""
    columns = ("kg", "income", "density")
    counts = Counter(zip(classes, *(questions.column(name) for name in columns), strict=True))
    keys = {(kg, name) for name, kg, _, _ in counts}
    rows: list[Row] = []
    narrow: list[Row] = []
    for kg in kgs_of(kg for kg, _ in keys):
        mine = []
        for name in sorted(name for other, name in keys if other == kg):
            cells = [counts[name, kg, *stratum] for stratum in STRATA]
            total = sum(n for key, n in counts.items() if key[:2] == (name, kg))
            mine.append((kg, name, *cells, total - sum(cells), total))
        mine.sort(key=lambda row: (-row[-1], row[1]))
        rows += mine
    width = len(DENSITY_TIERS)
    for row in rows:
        parts = [row[2 + width * i : 2 + width * (i + 1)] for i in range(len(INCOMES))]
        narrow.append((*row[:2], *map(_slashed, parts), *row[-2:]))
    wide = ("kg", "class", *(f"{i} {d}" for i, d in STRATA), NONE, "questions")
    return Table(
        "class_by_stratum", "Questions by class and stratum", wide, rows, text=2,
        notes=("Each income tier: questions of low / medium / high density.",),
        narrow=(("kg", "class", *INCOMES, NONE, "questions"), narrow),
    )  # fmt: skip


def variant_sizes(questions: Questions) -> Table:
    """Questions of the large and the small variant by KG, text and image."""
    keys = list(zip(questions.column("kg"), questions.column("modality"), strict=True))
    large = Counter(keys)
    small = Counter(key for key, drawn in zip(keys, questions.small.tolist(), strict=True) if drawn)
    rows: list[Row] = [
        (kg, modality, large[kg, modality], small[kg, modality])
        for kg in kgs_of(kg for kg, _ in keys)
        for modality in sorted({m for k, m in keys if k == kg}, reverse=True)
    ]
    rows.append(("all", "", questions.table.num_rows, sum(small.values())))
    return Table("variants", "Size of the variants", ("kg", "modality", "large", "small"), rows, text=2)


def by_format(questions: Questions, formats: Sequence[str]) -> Table:
    """Figure 6: questions by answer format; those of ``formats`` also without a question, others where they occur."""
    counts: Counter[Any] = Counter(questions.column("format"))
    total = questions.table.num_rows
    names = [*formats, *sorted(counts.keys() - set(formats))]
    rows: list[Row] = [(name, counts[name], share(counts[name], total)) for name in names]
    rows.sort(key=lambda row: -row[1])
    return Table(
        "figure6_formats", "Figure 6: questions by answer format", ("format", "questions", "share, %"), rows
    )
