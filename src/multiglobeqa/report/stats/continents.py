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
ASKED: Final = "asked"
MISSED: Final = "entities, no question"
ABSENT: Final = "no entity"
UNKNOWN: Final = "snapshot not at hand"
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
    """Every cell of class and continent, empty ones too, with the KG's entities in it.

    The narrow form names the empty cells: those with entities by continent, with their number; the others by the
    continents they share.
    """
    placed = [row for row in rows if row[2] != NOWHERE]
    out: list[Row] = []
    for kg in dict.fromkeys(row[0] for row in placed):
        mine = [row for row in placed if row[0] == kg]
        out += _missed(kg, mine)
        for what in (ABSENT, UNKNOWN):
            out += _grouped(kg, what, mine)
    columns = ("kg", "class", "continent", "questions", "entities", "cell")
    return Table(
        "empty_cells", "Class by continent: the empty cells", columns, list(rows), text=6,
        narrow=(("kg", "cell", "continents", "classes"), out),
    )  # fmt: skip


def _missed(kg: str, rows: Sequence[Row]) -> list[Row]:
    """Rows kg, cell, continent, the classes with entities and no question there, most entities first."""
    found: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if row[5] == MISSED:
            found[row[2]].append(row)
    return [
        (
            kg,
            MISSED,
            place,
            ", ".join(f"{row[1]} ({row[4]:,})" for row in sorted(mine, key=lambda r: (-r[4], r[1]))),
        )
        for place, mine in found.items()
    ]


def _grouped(kg: str, what: str, rows: Sequence[Row]) -> list[Row]:
    """Rows kg, cell, continents, classes: the continents without any class, then classes that share theirs."""
    places = list(dict.fromkeys(row[2] for row in rows))
    bare = [place for place in places if all(row[5] == what for row in rows if row[2] == place)]
    found: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        if row[5] == what and row[2] not in bare:
            found[row[1]].append(row[2])
    groups: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for name, where in found.items():
        groups[tuple(where)].append(name)
    out: list[Row] = [(kg, what, ", ".join(bare), "all")] if bare else []
    return out + [
        (kg, what, ", ".join(where), ", ".join(names))
        for where, names in sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
    ]
