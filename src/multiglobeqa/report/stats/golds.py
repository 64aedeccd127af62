"""What the questions hold: false premises, pictures, sizes of answers, gold triples, slips."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from multiglobeqa.errors import InputError
from multiglobeqa.report.stats.classes import UNKNOWN, entity_classes
from multiglobeqa.report.stats.questions import Questions, decoded
from multiglobeqa.report.stats.strata import INCOMES, kgs_of
from multiglobeqa.report.stats.table import Row, Table, share
from multiglobeqa.report.stats.world import World
from multiglobeqa.taxonomy.model import FAMILIES, SubTemplate

SIZES: Final = ((0, 0), (1, 1), (2, 2), (3, 3), (4, 5), (6, 10), (11, 20), (21, 30), (31, None))
"""Classes of set sizes and counts, both ends included. No true answer is 0 (TAXONOMY rule 6)."""
_NO_TIER: Final = "none"


def false_premises(questions: Questions, subs: Sequence[SubTemplate]) -> Table:
    """Text questions with a false premise by sub-template; also sub-templates that could have some and have none."""
    counts: Counter[tuple[str, bool]] = Counter()
    failures: dict[str, set[str]] = defaultdict(set)
    names = ("subtemplate", "premise", "premise_failure", "modality")
    for sub, premise, failure, modality in zip(*(questions.column(n) for n in names), strict=True):
        if modality != "image":
            counts[sub, premise] += 1
            if failure:
                failures[sub].add(failure)
    marked = {sub.id: sub.false_premise.failure for sub in subs if sub.false_premise is not None}
    rows: list[Row] = []
    for sub in sorted(marked.keys() | {name for name, premise in counts if not premise}):
        true, false = counts[sub, True], counts[sub, False]
        words = failures[sub] or {marked.get(sub, "not stated")}
        rows.append(
            (sub, ", ".join(sorted(words)).replace("_", " "), true, false, share(false, true + false))
        )
    true, false = (sum(n for key, n in counts.items() if key[1] is premise) for premise in (True, False))
    rows.append(("all questions", "", true, false, share(false, true + false)))
    columns = ("sub-template", "premise that fails", "true", "false", "false, %")
    return Table("false_premises", "False premises by sub-template", columns, rows, text=2)


def image_slice(questions: Questions, world: World) -> Table:
    """Image questions by the class of the pictured place, with the pictures and countries they show."""
    iris: list[str | None] = []
    for identity, image in zip(questions.column("id"), decoded(questions, "image"), strict=True):
        if image is not None and not (isinstance(image, dict) and isinstance(image.get("iri"), str)):
            raise InputError("has an image that names no iri.", source=questions.path, place=identity)
        iris.append(image["iri"] if image else None)
    classes = entity_classes(questions, world, iris) if any(iris) else [None] * len(iris)
    cells: dict[tuple[str, str], list[tuple[str, str | None]]] = defaultdict(list)
    names = ("kg", "modality", "country")
    for kg, modality, country, iri, name in zip(*map(questions.column, names), iris, classes, strict=True):
        if modality == "image":
            cells[kg, name or UNKNOWN].append((str(iri), country))
    rows: list[Row] = []
    for kg in kgs_of(key[0] for key in cells):
        mine = [
            (kg, name, len(found), len({iri for iri, _ in found}), len({c for _, c in found if c}))
            for (other, name), found in cells.items()
            if other == kg
        ]
        rows += sorted(mine, key=lambda row: (-row[2], row[1]))
    every = [pair for found in cells.values() for pair in found]
    countries = {country for _, country in every if country}
    rows.append(("all", "", len(every), len({iri for iri, _ in every}), len(countries)))
    columns = ("kg", "class", "questions", "places", "countries")
    return Table("image_slice", "Image slice by class of the pictured place", columns, rows, text=2)


def answer_sizes(questions: Questions) -> Table:
    """How large sets are and how high counts of true questions; people (B03) apart, since they have no bound."""
    sizes: dict[str, list[int]] = {"sets": [], "counts": [], "people": []}
    names = ("id", "format", "template", "premise", "gold")
    for identity, form, template, premise, text in zip(*map(questions.column, names), strict=True):
        if not premise or form not in ("set", "count"):
            continue
        gold = _gold(questions, identity, text)
        if form == "set" and isinstance(gold, list):
            sizes["sets"].append(len(gold))
        elif form == "count" and isinstance(gold, int | float) and not isinstance(gold, bool):
            sizes["people" if template == "B03" else "counts"].append(int(gold))
        else:
            raise InputError(
                f"gold of question {identity} is no {form}.", source=questions.path, place=identity
            )
    rows: list[Row] = []
    for low, high in SIZES:
        label = str(low) if low == high else f"{low} to {high}" if high is not None else f"{low} or more"
        inside = [sum(low <= v and (high is None or v <= high) for v in mine) for mine in sizes.values()]
        rows.append((label, *inside))
    rows.append(("questions", *(len(mine) for mine in sizes.values())))
    rows.append(("median", *(float(np.median(mine)) if mine else None for mine in sizes.values())))
    return Table("answer_sizes", "Set sizes and counts", ("size", *sizes), rows)


def _gold(questions: Questions, identity: str, text: str | None) -> Any:
    try:
        return json.loads(text or "null")
    except ValueError as error:
        raise InputError(
            f"gold of question {identity} is not JSON: {error}.", source=questions.path, place=identity
        ) from error


def gold_triples(questions: Questions) -> Table:
    """Gold triples a question by income tier: least, median, mean, most; questions without a number are left out."""
    by_tier: dict[str, list[int]] = defaultdict(list)
    for income, facts in zip(questions.column("income"), questions.column("facts"), strict=True):
        if facts is not None:
            by_tier[income if income in INCOMES else _NO_TIER].append(facts)
    rows = [_spread(tier, by_tier[tier]) for tier in (*INCOMES, _NO_TIER) if by_tier[tier]]
    rows.append(_spread("all", [n for mine in by_tier.values() for n in mine]))
    columns = ("income", "questions", "least", "median", "mean", "most")
    return Table("gold_triples", "Gold triples a question by income tier", columns, rows)


def _spread(label: str, values: list[int]) -> Row:
    if not values:
        return (label, 0, None, None, None, None)
    return (
        label, len(values), min(values), float(np.median(values)), round(float(np.mean(values)), 1), max(values),
    )  # fmt: skip


def slips(questions: Questions) -> Table:
    """Questions with a true premise that store at least one slip, by family."""
    counts: Counter[tuple[str, bool]] = Counter()
    columns = zip(
        questions.column("family"), questions.column("premise"), decoded(questions, "slips"), strict=True
    )
    for family, premise, stored in columns:
        if premise:
            counts[family, bool(stored)] += 1
    families = [*FAMILIES, *sorted({family for family, _ in counts} - FAMILIES.keys())]
    rows: list[Row] = []
    for family in families:
        having, total = counts[family, True], counts[family, True] + counts[family, False]
        rows.append((f"{family} {FAMILIES.get(family, '')}".strip(), total, having, share(having, total)))
    total, having = (sum(row[place] for row in rows) for place in (1, 2))
    rows.append(("all", total, having, share(having, total)))
    names = ("family", "questions", "with a slip", "share, %")
    return Table("slips", "Slips: questions that store what a mistake would answer", names, rows,
                 notes=("Of the questions with a true premise.",))  # fmt: skip
