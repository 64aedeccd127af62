"""Questions by class and continent, and the empty cells by name."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final

import pyarrow.parquet as pq

from multiglobeqa.report.stats.classes import UNKNOWN as UNKNOWN_CLASS
from multiglobeqa.report.stats.questions import Questions
from multiglobeqa.report.stats.strata import kgs_of
from multiglobeqa.report.stats.table import Row, Table
from multiglobeqa.report.stats.world import World

NOWHERE: Final = "no continent"
ASKED, MISSED, ABSENT, UNKNOWN = "asked", "entities, no question", "no entity", "snapshot not at hand"
"""What a cell is: questions are there; none, though the KG has such entities there; none, and no entity either; none,
and the KG's snapshot is not at hand, so that nobody knows."""

SHORT: Final = {
    "Africa": "AF", "Antarctica": "AN", "Asia": "AS", "Europe": "EU", "North America": "NA", "Oceania": "OC",
    "Seven seas (open ocean)": "SE", "South America": "SA", NOWHERE: "no",
}  # fmt: skip
"""The continents as column heads."""


@cache
def continents() -> tuple[str, ...]:
    """The continents of the embedded countries, ascending."""
    path = Path(str(files("multiglobeqa"))) / "data" / "strata" / "countries.parquet"
    return tuple(
        sorted(pq.read_table(path, columns=["continent"])["continent"].unique().drop_null().to_pylist())
    )


def cells(questions: Questions, classes: Sequence[str], world: World) -> list[Row]:
    """Rows kg, class, continent, questions, entities, what the cell is; also the empty ones.

    ``classes``: (n,) the class each question is about; its continent is that of its anchor. Every class of which the KG
    holds an entity or the benchmark a question stands with every continent; entities is None where the KG's snapshot
    is not at hand. Questions of an unknown class stand only where they are.
    """
    asked = Counter(zip(questions.column("kg"), classes, questions.column("continent"), strict=True))
    grouped = world.entities.group_by(["kg", "class", "continent"]).aggregate([([], "count_all")]).to_pylist()
    held = {(row["kg"], row["class"], row["continent"]): row["count_all"] for row in grouped}
    pairs: dict[str, set[str]] = defaultdict(set)
    for kg, name, _ in [*asked, *held]:
        pairs[kg].add(name)
    places: list[str | None] = list(continents())
    places += sorted({key[2] for key in [*asked, *held] if key[2] is not None} - set(places))
    rows: list[Row] = []
    for kg in kgs_of(pairs):
        for name in sorted(pairs[kg]):
            for continent in [*places, None]:
                here = asked[kg, name, continent]
                entities = held.get((kg, name, continent), 0) if kg in world.whole else None
                what = ASKED if here else UNKNOWN if entities is None else MISSED if entities else ABSENT
                if here or entities or (continent is not None and name != UNKNOWN_CLASS):
                    rows.append((kg, name, continent or NOWHERE, here, entities, what))
    return rows


def class_by_continent(rows: Sequence[Row]) -> Table:
    """Questions by class and continent. ``rows``: of `cells`."""
    places = [*dict.fromkeys(row[2] for row in rows if row[2] != NOWHERE), NOWHERE]
    counts = {row[:3]: row[3] for row in rows}
    out: list[Row] = []
    for kg, name in dict.fromkeys(row[:2] for row in rows):
        line = [counts.get((kg, name, place), 0) for place in places]
        if sum(line):
            out.append((kg, name, *line, sum(line)))
    short = [SHORT.get(place, place) for place in places]
    legend = ", ".join(f"{code} {place}" for code, place in zip(short, places, strict=True) if code != place)
    columns = ("kg", "class", *places, "questions")
    return Table(
        "class_by_continent", "Questions by class and continent", columns, out, text=2,
        notes=(f"{legend}.",) if legend else (), narrow=(("kg", "class", *short, "all"), out),
    )  # fmt: skip


def empty_cells(rows: Sequence[Row]) -> Table:
    """Every cell of class and continent, empty ones too, with the KG's entities in it; narrow: the empty ones named."""
    out: list[Row] = []
    where: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        if row[2] != NOWHERE:
            where[row[0], row[2]].append(row)
    for (kg, continent), mine in where.items():
        listed = {what: [row for row in mine if row[5] == what] for what in (ASKED, MISSED, ABSENT, UNKNOWN)}
        missed = sorted(listed[MISSED], key=lambda row: (-row[4], row[1]))
        absent = ", ".join(row[1] for row in listed[ABSENT])
        if len(listed[ABSENT]) == len(mine):
            absent = f"all {len(mine)}: the KG has no entity there"
        unknown = ", ".join(row[1] for row in listed[UNKNOWN])
        out.append(
            (
                kg,
                continent,
                ", ".join(f"{row[1]} ({row[4]:,})" for row in missed),
                absent or (f"unknown, {UNKNOWN}: {unknown}" if unknown else ""),
                len(listed[ASKED]),
            )
        )
    narrow = (
        "kg",
        "continent",
        "no question, but so many entities",
        "no question, no entity",
        "classes asked",
    )
    return Table(
        "empty_cells", "Class by continent: the empty cells",
        ("kg", "class", "continent", "questions", "entities", "cell"), list(rows), text=6, narrow=(narrow, out),
    )  # fmt: skip
