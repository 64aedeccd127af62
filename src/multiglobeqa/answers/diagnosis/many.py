"""Many wrong answers at once."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import ArrayLike

from multiglobeqa.answers.aliases import AliasIndex
from multiglobeqa.answers.base import Question
from multiglobeqa.answers.diagnosis.batch import LAST, Batch, Case, Findings
from multiglobeqa.answers.diagnosis.boxes import diagnose_boxes
from multiglobeqa.answers.diagnosis.cells import diagnose_cells, diagnose_composites
from multiglobeqa.answers.diagnosis.choices import diagnose_choices
from multiglobeqa.answers.diagnosis.dates import diagnose_dates
from multiglobeqa.answers.diagnosis.entities import diagnose_entities
from multiglobeqa.answers.diagnosis.labels import diagnose_booleans, diagnose_labels
from multiglobeqa.answers.diagnosis.numbers import diagnose_numbers
from multiglobeqa.answers.diagnosis.points import diagnose_points
from multiglobeqa.answers.diagnosis.polar import diagnose_polar
from multiglobeqa.answers.diagnosis.sets import diagnose_sets
from multiglobeqa.errors import InputError

PREMISE: Final = "premise_overlooked"
USED: Final = (
    "format", "gold", "kg", "language", "template", "subtemplate", "params", "slips", "roles", "entities", "accepted",
    "accepted_iris", "options", "labels", "origins",
)  # fmt: skip
"""Columns of the questions that are read, where they are there."""
MAJORITY_FORMATS: Final = ("label", "count", "entity", "date")
_LEAST_SHARE: Final = 0.2
_LEAST_ASKED: Final = 10

_BY_FORMAT: Final[Mapping[str, Callable[[Batch, Findings], None]]] = {
    "boolean": diagnose_booleans, "entity": diagnose_entities, "label": diagnose_labels, "set": diagnose_sets,
    "cell": diagnose_cells, "geohash": diagnose_cells, "composite": diagnose_composites, "distance": diagnose_numbers,
    "area": diagnose_numbers, "count": diagnose_numbers, "ratio": diagnose_numbers, "point": diagnose_points,
    "polar": diagnose_polar, "polygon": diagnose_boxes, "date": diagnose_dates, "choice": diagnose_choices,
}  # fmt: skip


def diagnose_values(
    answer_format: str,
    questions: Sequence[Question],
    values: Sequence[Any],
    *,
    languages: Sequence[str] | None = None,
    names: AliasIndex | None = None,
) -> list[str | None]:
    """The diagnosis of many wrong answers of one format.

    Parameters
    ----------
    answer_format : name of the format.
    questions : (n,) rows of the question table, one an answer. One object may stand for many answers and is then
        prepared once.
    values : (n,) canonical answers, all of them wrong: of a right one the result means nothing.
    languages : (n,) language of each reply; None for that of its question.
    names : alias store of the questions' KG.

    Returns
    -------
    (n,) a key of ``kinds`` each, None where nothing is to be said.

    Raises
    ------
    InputError : no such format.
    """
    found = findings(answer_format, questions, values, languages=languages, names=names)
    result: list[str | None] = found.keys.tolist()
    return result


def findings(
    answer_format: str,
    questions: Sequence[Question],
    values: Sequence[Any],
    *,
    languages: Sequence[str] | None = None,
    names: AliasIndex | None = None,
    gold: Any = None,
    whole: bool = False,
) -> Findings:
    """As ``diagnose_values``, with ranks, and where ``whole`` all keys of each answer."""
    if answer_format not in _BY_FORMAT:
        raise InputError(
            f"{answer_format!r} is not an answer format.", mend=f"Formats: {', '.join(_BY_FORMAT)}."
        )
    found = Findings(len(values), whole=whole)
    if not len(values):
        return found
    known: dict[int, int] = {}
    cases: list[Case] = []
    at = np.empty(len(values), np.int64)
    for place, row in enumerate(questions):
        mark = id(row)
        if mark not in known:
            known[mark] = len(cases)
            cases.append(Case(row, answer_format, gold))
        at[place] = known[mark]
    without = np.array([case.gold is None for case in cases], dtype=bool)[at]
    found.add(PREMISE, np.flatnonzero(without))
    rows = np.flatnonzero(~without)
    if len(rows) == len(values):
        _diagnose(answer_format, cases, at, values, languages, names, found)
    elif rows.size:
        picked = [questions[row] for row in rows.tolist()]
        spoken = None if languages is None else [languages[row] for row in rows.tolist()]
        inner = findings(
            answer_format, picked, [values[row] for row in rows.tolist()], languages=spoken, names=names
        )
        found.keys[rows], found.ranks[rows] = inner.keys, inner.ranks
    return found


def _diagnose(
    answer_format: str, cases: list[Case], at: Any, values: Sequence[Any], languages: Sequence[str] | None,
    names: AliasIndex | None, found: Findings,
) -> None:  # fmt: skip
    spoken = [cases[item].language for item in at.tolist()] if languages is None else languages
    _BY_FORMAT[answer_format](Batch(cases, at, values, spoken, names), found)


def diagnose_many(
    questions: pa.Table,
    rows: ArrayLike,
    parsed: pa.Array | pa.ChunkedArray,
    *,
    names: Mapping[str, AliasIndex] | None = None,
    languages: Sequence[str] | None = None,
) -> pa.Array:
    """The diagnosis of many wrong answers of any formats.

    Parameters
    ----------
    questions : question table; of its columns those in ``USED`` are read.
    rows : (n,) row of each answer's question in ``questions``.
    parsed : (n,) canonical answers as JSON, null where there is none. All are taken for wrong.
    names : KG -> alias store.
    languages : (n,) language of each reply; None for that of its question.

    Returns
    -------
    (n,) keys of ``kinds``, null where nothing is to be said. An answer that is the most frequent gold of its
    sub-template and nothing else is a "majority_answer" (labels, counts, names and dates; see ``majorities``).
    """
    at = np.asarray(rows, np.int64)
    used = np.unique(at)
    place = np.searchsorted(used, at)
    table = questions.select([name for name in USED if name in questions.column_names])
    items = table.take(pa.array(used)).to_pylist()
    golds = majorities(table)
    texts = parsed.to_pylist()
    keys: list[str | None] = [None] * len(at)
    groups: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for row, text in enumerate(texts):
        if text is not None:
            item = items[place[row]]
            groups[item["format"], item.get("kg") or ""].append(row)
    for (answer_format, kg), mine in groups.items():
        values = json.loads("[" + ",".join(texts[row] for row in mine) + "]")
        found = findings(
            answer_format,
            [items[place[row]] for row in mine],
            values,
            languages=None if languages is None else [languages[row] for row in mine],
            names=(names or {}).get(kg),
        )
        if answer_format in MAJORITY_FORMATS:
            say_majority(found, [items[place[row]] for row in mine], values, golds)
        for row, key in zip(mine, found.keys.tolist(), strict=True):
            keys[row] = key
    return pa.array(keys, pa.string())


def majorities(questions: pa.Table) -> dict[str, Any]:
    """Sub-template -> its most frequent gold, where at least 10 questions were asked and a fifth has it."""
    if not {"subtemplate", "gold", "format"} <= set(questions.column_names):
        return {}
    kept = questions.filter(
        pc.and_(pc.is_in(questions["format"], pa.array(MAJORITY_FORMATS)), pc.is_valid(questions["gold"]))
    )
    counted: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for sub, gold in zip(kept["subtemplate"].to_pylist(), kept["gold"].to_pylist(), strict=True):
        counted[sub][gold] += 1
    found = {}
    for sub, golds in counted.items():
        (gold, most), asked = golds.most_common(1)[0], golds.total()
        if asked >= _LEAST_ASKED and most >= _LEAST_SHARE * asked:
            found[sub] = json.loads(gold)
    return found


def say_majority(
    found: Findings, questions: Sequence[Question], values: Sequence[Any], golds: Mapping[str, Any]
) -> None:
    """Say "majority_answer" of answers that are their sub-template's in ``golds`` (see ``majorities``)."""
    hit = [
        row for row, (question, value) in enumerate(zip(questions, values, strict=True))
        if question.get("subtemplate") in golds and golds[question["subtemplate"]] == value
    ]  # fmt: skip
    found.add("majority_answer", hit, LAST, 0.5)
