"""The scorer as a reward function: one question and one reply in, a number in [0, 1] out.

The formats, the reading of replies and the exact match are those of ``evaluate.scoring``. A false premise is rewarded
for declining and for nothing else.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np

from multiglobeqa import answers
from multiglobeqa.answers import AliasIndex, Format, FormatError, Reply
from multiglobeqa.errors import InputError

NEEDED: Final = (
    "format",
    "gold",
    "premise",
    "accepted",
    "accepted_iris",
    "params",
    "entities",
    "subtemplate",
)
"""The columns of a question that a reward is computed from; ``id``, ``kg`` and ``language`` are used if there."""

_LISTS: Final = ("accepted", "accepted_iris", "entities")
_MEND: Final = "Give a row of the question table, with all its columns."
_CONTRACT: Final = frozenset(("answer", "declined"))
_MESSAGE: Final = frozenset(("role", "content"))


def reward(
    question: Mapping[str, Any],
    reply: Any,
    *,
    shaped: bool = False,
    names: AliasIndex | Mapping[str, AliasIndex] | None = None,
    h3_credit: str = "geometric",
) -> float:
    """What a reply earns.

    Parameters
    ----------
    question : a row of the question table, as ``datasets.load_dataset`` or ``pyarrow`` gives it.
    reply : a text is a model's raw reply, read by the reply contract (``answers.reply``); a list of chat messages
        stands for its last one's content; an object with "answer" or "declined" is a reply of the contract; any other
        JSON value is the answer itself. None is no reply.
    shaped : 1 - NE instead of exact match, for a true premise.
    names : alias store, or KG -> alias store; without one, names count as the question prints them.
    h3_credit : see ``answers.get``.

    Returns
    -------
    1.0 for a right answer (true premise) or for declining (false premise), else 0.0; with ``shaped``, 1 - NE of an
    answer to a true premise. A reply that cannot be read earns 0.0, whatever it holds.

    Raises
    ------
    InputError : the question lacks a column, has an unknown format, or its gold is not canonical.
    """
    store = names.get(question.get("kg", "")) if isinstance(names, Mapping) else names
    answer_format, row = _checked(question, store, h3_credit)
    try:
        given = answers.parse_value(_reply(reply), answer_format, row)
        if not row["premise"]:
            return float(given.status == "declined")
        if given.status != "answered":
            return 0.0
        gold = answers.gold_of(row)
        if not shaped:
            return float(answer_format.exact_match(given.value, gold, row))
        return 1.0 - answer_format.normalized_error(given.value, gold, row)
    except Exception:  # the question was checked: what is left is the reply's fault
        return 0.0


def rewards(
    completions: Sequence[Any],
    *,
    shaped: bool = False,
    names: AliasIndex | Mapping[str, AliasIndex] | None = None,
    h3_credit: str = "geometric",
    **columns: Any,
) -> list[float]:
    """The rewards of a batch, in the form that TRL's trainers call: columns of the questions as lists.

    Parameters
    ----------
    completions : n replies, each as ``reply`` of ``reward``.
    columns : the questions' columns, n values each; what is no list of n values is passed over.

    Returns
    -------
    n numbers.

    Raises
    ------
    InputError : a column is missing, or a question is broken; the message names its place in the batch.
    """
    size = len(completions)
    if missing := [
        name
        for name in NEEDED
        if not isinstance(columns.get(name), list | tuple) or len(columns[name]) != size
    ]:
        raise InputError(
            f"the batch has no column {missing[0]!r} with {size} values.",
            source="batch",
            mend="Keep the dataset's columns: remove_unused_columns=False.",
        )
    known = {
        name: values
        for name, values in columns.items()
        if isinstance(values, list | tuple) and len(values) == size
    }
    rows = ({name: values[place] for name, values in known.items()} for place in range(size))
    options: dict[str, Any] = {"shaped": shaped, "names": names, "h3_credit": h3_credit}
    return [reward(row, reply, **options) for row, reply in zip(rows, completions, strict=True)]


def _reply(value: Any) -> Reply:
    if isinstance(value, Sequence) and not isinstance(value, str | bytes) and value:
        last = value[-1]
        if isinstance(last, Mapping) and last.keys() >= _MESSAGE:
            value = last["content"]
    if value is None or isinstance(value, str):
        return answers.read_reply(value)
    if isinstance(value, float) and not math.isfinite(value):
        return Reply("unparseable", reason="The answer is no number of JSON.")
    if isinstance(value, Mapping) and _CONTRACT & value.keys():
        return answers.read_reply(json.dumps(value, allow_nan=False))
    return Reply("answered", json.loads(json.dumps(value, allow_nan=False)))


def _checked(
    question: Mapping[str, Any], names: AliasIndex | None, h3_credit: str
) -> tuple[Format, dict[str, Any]]:
    """The question's format and the columns that are scored, after a check of gold and accepted answers."""
    if missing := [name for name in NEEDED if name not in question]:
        raise _fault(question, f"has no {missing[0]!r}")
    if not isinstance(question["premise"], bool | np.bool_):
        raise _fault(question, f"has premise {question['premise']!r}, neither true nor false")
    if not isinstance(question["format"], str):
        raise _fault(question, f"has format {question['format']!r}, which is no text")
    answer_format = answers.get(question["format"], names=names, h3_credit=h3_credit)
    try:
        row = {name: question[name] for name in NEEDED} | {name: list(question[name]) for name in _LISTS}
        row["language"] = question.get("language")
        if row["premise"]:
            _check(row)
    except (TypeError, KeyError, ValueError, AttributeError, InputError) as error:
        raise _fault(question, f"has gold {question['gold']!r}, no canonical {question['format']}") from error
    return answer_format, row


def _check(row: dict[str, Any]) -> None:
    key = [row["gold"], row["params"], row["subtemplate"], *row["accepted"]]
    if all(isinstance(part, str) for part in key):
        gold, params, subtemplate, *accepted = key
        _check_once(row["format"], gold, params, subtemplate, tuple(accepted), row["language"])
    else:
        _check_row(row)


@lru_cache(maxsize=8192)
def _check_once(
    name: str, gold: str, params: str, subtemplate: str, accepted: tuple[str, ...], language: str | None
) -> None:
    """Raise where a gold cannot be scored; remembered, since training asks a question many times."""
    _check_row(
        {
            "format": name,
            "gold": gold,
            "params": params,
            "subtemplate": subtemplate,
            "accepted": accepted,
            "accepted_iris": (),
            "entities": (),
            "language": language,
        }
    )


def _check_row(question: Mapping[str, Any]) -> None:
    answer_format = answers.get(question["format"])
    gold = answers.gold_of(question)
    value = answer_format.parse(gold, question)
    if not answer_format.exact_match(value, gold, question):
        raise FormatError("The gold is not right by its own score.")


def _fault(question: Mapping[str, Any], what: str) -> InputError:
    return InputError(f"{what}.", source="question", place=question.get("id"), mend=_MEND)
