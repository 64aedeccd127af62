"""Two baselines that need no model: the majority answer and the solver on the gold facts."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any, Final

import pyarrow as pa

from multiglobeqa.answers import Reply
from multiglobeqa.errors import InputError
from multiglobeqa.solver import Solution, solve

_QUESTION: Final = ("id", "subtemplate", "kg", "format", "roles", "params", "fact_ids")
_CHUNK: Final = 64


def majority_answers(questions: pa.Table) -> dict[str, Any]:
    """The most frequent canonical gold of each sub-template, over its true-premise questions.

    Parameters
    ----------
    questions : rows of ``build.schema.QUESTION_SCHEMA``.

    Returns
    -------
    Sub-template -> canonical value. Golds are equal where their JSON with sorted keys is; of equally
    frequent ones the first by that text wins.
    """
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    columns = (questions[name].to_pylist() for name in ("subtemplate", "gold", "premise"))
    for subtemplate, gold, premise in zip(*columns, strict=True):
        if premise and gold is not None:
            counts[subtemplate][json.dumps(json.loads(gold), sort_keys=True, ensure_ascii=False)] += 1
    return {
        subtemplate: json.loads(min(golds, key=lambda text: (-golds[text], text)))
        for subtemplate, golds in counts.items()
    }


def majority_replies(questions: pa.Table) -> dict[str, Reply]:
    """The majority answer of its sub-template for each question; false premises too, as it never declines."""
    values = majority_answers(questions)
    pairs = zip(questions["id"].to_pylist(), questions["subtemplate"].to_pylist(), strict=True)
    return {key: Reply("answered", values[sub]) for key, sub in pairs if sub in values}


def oracle_replies(
    questions: pa.Table, facts: pa.Table, names: Mapping[str, str] | None = None, *, threads: int = 1
) -> dict[str, Reply]:
    """What the solver answers from each question's own facts.

    Parameters
    ----------
    questions, facts : rows of ``build.schema``'s schemas.
    names : entity IRI -> name to answer with; an entity without one is answered by its IRI, which the
    entity and
        the set format read as the entity itself.
    threads : worker processes; 1 solves in this one.

    Returns
    -------
    Question id -> reply; declined where the solver finds that the premise fails.

    Raises
    ------
    InputError : a question names a fact that is not there.
    SolverError : the facts do not suffice.
    """
    chunks = _chunks(questions, facts)
    if threads <= 1:
        solved = [pair for chunk in chunks for pair in _solve_chunk(chunk)]
        return _replies(questions, solved, names or {})
    with ProcessPoolExecutor(threads, mp_context=get_context("spawn")) as pool:
        solved = [pair for chunk in pool.map(_solve_chunk, chunks) for pair in chunk]
    return _replies(questions, solved, names or {})


def _chunks(questions: pa.Table, facts: pa.Table) -> Iterator[list[tuple[dict[str, Any], list[str]]]]:
    lines = dict(zip(facts["fact_id"].to_pylist(), facts["triple"].to_pylist(), strict=True))
    for batch in questions.select(list(_QUESTION)).to_batches(max_chunksize=_CHUNK):
        chunk = []
        for row in batch.to_pylist():
            missing = [number for number in row["fact_ids"] if number not in lines]
            if missing:
                raise InputError(
                    f"names fact {missing[0]}, which is not there.", source="questions", place=row["id"]
                )
            chunk.append((row, [lines[number] for number in row["fact_ids"]]))
        yield chunk


def _solve_chunk(chunk: list[tuple[dict[str, Any], list[str]]]) -> list[tuple[str, Solution]]:
    return [(row["id"], solve(row, lines)) for row, lines in chunk]


def _replies(
    questions: pa.Table, solved: list[tuple[str, Solution]], names: Mapping[str, str]
) -> dict[str, Reply]:
    formats = dict(zip(questions["id"].to_pylist(), questions["format"].to_pylist(), strict=True))
    return {key: _reply(solution, formats[key], names) for key, solution in solved}


def _reply(solution: Solution, answer_format: str, names: Mapping[str, str]) -> Reply:
    answer = solution.answer
    if answer is None:
        return Reply("declined", reason=solution.premise_failure or "")
    if answer_format == "entity":
        answer = names.get(answer, answer)
    elif answer_format == "set":
        answer = sorted(names.get(iri, iri) for iri in answer)
    return Reply("answered", answer)
