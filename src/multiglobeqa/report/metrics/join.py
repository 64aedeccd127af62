"""Score rows joined to the columns of their questions: the table that every metric reads."""

from __future__ import annotations

import csv
import json
from functools import cache
from importlib.resources import files
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from multiglobeqa.errors import InputError
from multiglobeqa.report.metrics.entities import classes_of, clusters_of
from multiglobeqa.report.metrics.groups import grouped
from multiglobeqa.report.metrics.measures import MISSING

QUESTION_GROUPS: Final = (
    "kg", "family", "template", "subtemplate", "format", "income", "density", "country", "continent", "subregion",
    "modality", "depth", "source", "question_type",
)  # fmt: skip
"""Columns taken from the questions as they are; null where the benchmark lacks them."""
GROUPS: Final = (
    *QUESTION_GROUPS, "premise", "class", "cluster", "script", "resource", "language", "run", "model", "tier", "seed",
    "status", "diagnosis",
)  # fmt: skip
"""The columns that make groups, in any combination."""
DEFAULTS: Final[dict[str, tuple[pa.DataType, Any]]] = {
    "run": (pa.string(), ""), "model": (pa.string(), ""), "tier": (pa.string(), ""), "seed": (pa.int32(), 0),
    "diagnosis": (pa.string(), None), "confidence": (pa.float64(), None), "tokens_in": (pa.int64(), None),
    "tokens_out": (pa.int64(), None), "tokens_reasoning": (pa.int64(), None), "steps": (pa.int32(), None),
    "tool_calls": (pa.int32(), None), "seconds": (pa.float64(), None), "cost": (pa.float64(), None),
    "cap_hit": (pa.bool_(), None),
}  # fmt: skip
"""Score columns that a file may lack: their type and what then stands in them."""
JOINED: Final = ("id", "em", "ne", *GROUPS, "carrier", "n_facts", *list(DEFAULTS)[5:])
"""The columns of a joined table; columns of the scores that are not named here stay too."""
_NEEDED: Final = ("id", "premise", "subtemplate")


def joined(
    questions: pa.Table, scores: pa.Table, *, facts: pa.Table | None = None, extra: tuple[str, ...] = ()
) -> pa.Table:
    """One row a score, in the order of the scores, with the columns of its question.

    Parameters
    ----------
    questions : rows of ``build.schema.QUESTION_SCHEMA`` (``id``, ``premise`` and ``subtemplate`` are needed) of the
        whole benchmark: they say which sub-templates carry false premises.
    scores : rows of ``evaluate.scoring.SCORE_SCHEMA``; ``id``, ``status``, ``em`` and ``ne`` are needed. Where
        ``language`` is null or absent it is the question's.
    facts : the benchmark's ``fact_id``, ``triple``; they tell the class of the cluster's entity, where the
        questions have no column ``class``.
    extra : further columns of the questions to take.

    Returns
    -------
    The columns ``JOINED`` and the scores' own. Group columns of text are dictionary-encoded. ``cluster`` is the IRI
    of the first role's entity (else the first of ``entities``, else the question's id); ``carrier`` says whether
    the sub-template has false premises; ``n_facts`` counts gold triples; ``script`` and ``resource`` (high, mid,
    low) are the language's. A score in a language that its question is not stored in takes the question's columns,
    and no ``source``.

    Raises
    ------
    InputError : a column is missing, a question stands twice, a score belongs to no question (its id is named), or
        one (run, model, tier, id, language, seed) is scored twice.
    """
    for source, table, needed in (
        ("questions", questions, _NEEDED),
        ("scores", scores, ("id", "status", "em", "ne")),
    ):
        if missing := [column for column in needed if column not in table.column_names]:
            raise InputError(f"has no column {missing[0]!r}.", source=source)
    scores = with_defaults(scores)
    place, known = _places(questions, scores)
    language = _language(questions, scores, place)
    prepared = _prepared(questions, facts, extra)
    columns: dict[str, Any] = {name: scores[name] for name in scores.column_names if name != "language"}
    for name in ("run", "model", "tier", "status", "diagnosis"):
        columns[name] = _coded(scores[name])
    columns["language"] = language
    at = pa.array(place)
    for name, values in prepared.items():
        if name not in columns:
            columns[name] = values.take(at)
    if "source" in columns and not known.all():
        columns["source"] = pc.if_else(pa.array(known), columns["source"].cast(pa.string()), None)
    columns |= _language_columns(language)
    result = pa.table(columns)
    _once(result, place)
    return result


def with_defaults(scores: pa.Table) -> pa.Table:
    """Scores with every column of ``DEFAULTS``; null where a file leaves run, model, tier or seed open becomes the
    default."""
    for place, name in enumerate(scores.column_names):
        if pa.types.is_dictionary(scores[name].type):
            scores = scores.set_column(place, name, pc.cast(scores[name], scores[name].type.value_type))
    for name, (kind, default) in DEFAULTS.items():
        if name not in scores.column_names:
            column = pa.chunked_array([pa.repeat(pa.scalar(default, kind), scores.num_rows)])
            scores = scores.append_column(name, column)
        elif default is not None and scores[name].null_count:
            filled = pc.fill_null(scores[name], pa.scalar(default, scores[name].type))
            scores = scores.set_column(scores.column_names.index(name), name, filled)
    return scores


def completed(questions: pa.Table, scores: pa.Table) -> pa.Table:
    """The scores, and a row of status ``missing`` (EM 0, NE 1) for each question that a run lacks.

    A run is a (run, model, tier, language, seed) that has a score; it is asked all questions of ``questions`` in that
    language, or all of them where the questions stand in one language only.
    """
    scores = with_defaults(scores)
    place, _ = _places(questions, scores)
    own = _language(questions, scores, place)
    scores = scores.drop_columns(["language"]) if "language" in scores.column_names else scores
    scores = scores.append_column("language", own.cast(pa.string()))
    stored = questions["language"] if "language" in questions.column_names else None
    several = stored is not None and len(stored.unique()) > 1
    keys = ["run", "model", "tier", "language", "seed"]
    parts = [scores]
    runs = scores.select(keys).group_by(keys).aggregate([]).to_pylist()
    for run in runs or [dict.fromkeys(keys, None) | {"run": "", "model": "", "tier": "", "seed": 0}]:
        mine = np.ones(scores.num_rows, np.bool_)
        for name, value in run.items():
            mine &= np.asarray(pc.fill_null(pc.equal(scores[name], value), value is None), dtype=np.bool_)
        asked = questions.filter(pc.equal(questions["language"], run["language"])) if several else questions
        ids = (asked if asked.num_rows else questions)["id"].unique()
        present = scores["id"].filter(pa.array(mine)).combine_chunks()
        lacking = ids.filter(pc.invert(pc.is_in(ids, value_set=present)))
        if len(lacking):
            fixed = {**run, "status": MISSING, "em": 0, "ne": 1.0, "reason": "no reply"}
            arrays = [
                pa.chunked_array([lacking.cast(field.type)])
                if field.name == "id"
                else pa.chunked_array([pa.repeat(pa.scalar(fixed.get(field.name), field.type), len(lacking))])
                for field in scores.schema
            ]
            parts.append(pa.table(arrays, schema=scores.schema))
    return pa.concat_tables(parts)


def _prepared(
    questions: pa.Table, facts: pa.Table | None, extra: tuple[str, ...]
) -> dict[str, pa.ChunkedArray]:
    """The columns that questions give, in their order."""
    size = questions.num_rows
    columns: dict[str, Any] = {
        name: _coded(questions[name])
        if name in questions.column_names
        else _coded(pa.chunked_array([pa.nulls(size, pa.string())]))
        for name in QUESTION_GROUPS
    }
    columns["premise"] = questions["premise"]
    false = questions["subtemplate"].filter(pc.invert(questions["premise"])).unique()
    columns["carrier"] = pc.is_in(questions["subtemplate"], value_set=false)
    clusters = clusters_of(questions)
    columns["cluster"] = _coded(clusters)
    if "class" in questions.column_names:
        columns["class"] = _coded(questions["class"])
    else:
        columns["class"] = _coded(classes_of(questions, clusters, facts))
    columns["n_facts"] = _fact_counts(questions)
    for name in extra:
        if name not in questions.column_names:
            raise InputError(f"has no column {name!r}.", source="questions")
        columns[name] = questions[name]
    return columns


def _fact_counts(questions: pa.Table) -> pa.ChunkedArray:
    for name in ("n_facts", "facts"):
        if name in questions.column_names and pa.types.is_integer(questions[name].type):
            return pc.cast(questions[name], pa.int32())
    for name in ("fact_ids", "triples"):
        if name in questions.column_names:
            return pc.cast(pc.list_value_length(questions[name]), pa.int32())
    return pa.chunked_array([pa.nulls(questions.num_rows, pa.int32())])


def _places(questions: pa.Table, scores: pa.Table) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """(n,) the row of each score's question, and whether it stands there in the score's language."""
    ids = questions["id"].cast(pa.string())
    first = _index(scores["id"].cast(pa.string()), ids)
    if (first < 0).any():
        raise InputError(
            "is no question of this benchmark.",
            source="scores",
            place=str(scores["id"][int(np.argmax(first < 0))].as_py()),
            mend="Score the replies against the benchmark that was asked.",
        )
    if "language" not in questions.column_names:
        _unique(ids)
        return first, np.ones(len(first), np.bool_)
    stored = questions["language"].cast(pa.string())
    pairs = pc.binary_join_element_wise(ids, pc.fill_null(stored, ""), "\0")
    _unique(pairs)
    if "language" not in scores.column_names:
        if len(ids.unique()) < len(ids):
            raise InputError("has no column 'language', and the questions stand in several.", source="scores")
        return first, np.ones(len(first), np.bool_)
    wanted = pc.coalesce(scores["language"].cast(pa.string()), stored.take(pa.array(first)))
    exact = _index(pc.binary_join_element_wise(scores["id"].cast(pa.string()), wanted, "\0"), pairs)
    return np.where(exact >= 0, exact, first), exact >= 0


def _unique(keys: pa.ChunkedArray) -> None:
    if len(keys.unique()) < len(keys):
        counts = pc.value_counts(keys)
        twice = counts.filter(pc.greater(counts.field("counts"), 1))[0]["values"].as_py()
        raise InputError("stands twice.", source="questions", place=str(twice).partition("\0")[0])


def _index(values: pa.ChunkedArray, among: pa.ChunkedArray) -> NDArray[np.int64]:
    """(n,) the first place of each value in ``among``, -1 where it is not there."""
    found = pc.index_in(values, value_set=among.combine_chunks())
    return np.asarray(pc.fill_null(found, -1), dtype=np.int64)


def _language(questions: pa.Table, scores: pa.Table, place: NDArray[np.int64]) -> pa.ChunkedArray:
    own = scores["language"].cast(pa.string()) if "language" in scores.column_names else None
    if "language" in questions.column_names:
        of_question = questions["language"].cast(pa.string()).take(pa.array(place))
        own = of_question if own is None else pc.coalesce(own, of_question)
    elif own is None:
        own = pa.chunked_array([pa.nulls(len(place), pa.string())])
    return _coded(own)


def _language_columns(language: pa.ChunkedArray) -> dict[str, pa.Array]:
    whole = language.combine_chunks()
    codes = whole.dictionary.to_pylist()
    table = _languages()
    result = {}
    for name in ("script", "resource"):
        values = pa.array([table.get(code or "", {}).get(name) for code in codes], pa.string())
        result[name] = _coded(pa.chunked_array([values.take(whole.indices)]))
    return result


@cache
def _languages() -> dict[str, dict[str, str]]:
    text = files("multiglobeqa").joinpath("data", "languages.csv").read_text("utf-8")
    return {
        row["code"]: {"script": row["script"], "resource": row["tier"]}
        for row in csv.DictReader(text.splitlines())
    }


def _coded(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if pa.types.is_dictionary(column.type):
        return column
    return pa.chunked_array([column.cast(pa.string()).combine_chunks().dictionary_encode()])


def _once(table: pa.Table, place: NDArray[np.int64]) -> None:
    keys = ("run", "model", "tier", "seed", "language")
    runs = grouped(table, keys)
    different, first = np.unique(runs.codes * (int(place.max(initial=0)) + 1) + place, return_index=True)
    if len(different) < table.num_rows:
        again = int(np.setdiff1d(np.arange(table.num_rows), first)[0])
        row = table.select(["id", *keys]).slice(again, 1).to_pylist()[0]
        raise InputError("is scored twice.", source="scores", place=json.dumps(row, ensure_ascii=False))
