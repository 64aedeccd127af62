"""Replies as files, and the baselines and the scorer over a benchmark folder.

A replies file is JSON Lines, one object a question::

    {"id": "0123456789abcdef", "text": "The answer is {\"answer\": 12.5, \"declined\": false}"}
    {"id": "0123456789abcdef", "answer": 12.5}
    {"id": "0123456789abcdef", "declined": true, "reason": "no member"}

``text`` is a model's raw reply, read by the reply contract (``answers.reply``); ``answer`` is a JSON value.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from multiglobeqa.answers import AliasIndex, Reply, read_reply
from multiglobeqa.errors import InputError
from multiglobeqa.evaluate.baselines import majority_replies, oracle_replies
from multiglobeqa.evaluate.score import score, write_scores
from multiglobeqa.kg.store import Snapshot, replacing

_FORM: Final = (
    'One object a line: {"id": .., "text": ..}, {"id": .., "answer": ..} or {"id": .., "declined": true}.'
)


def read_replies(path: str | Path) -> dict[str, Reply]:
    """Question id -> reply. Raises InputError naming the line of a broken or repeated reply."""
    replies: dict[str, Reply] = {}
    try:
        with Path(path).open(encoding="utf-8") as stream:
            for number, line in enumerate(stream, 1):
                if line.strip():
                    identity, reply = _read_line(path, number, line)
                    if identity in replies:
                        raise InputError(f"answers {identity} a second time.", source=path, place=number)
                    replies[identity] = reply
    except FileNotFoundError as error:
        raise InputError("does not exist.", source=path) from error
    except UnicodeDecodeError as error:
        raise InputError("is not UTF-8.", source=path, place=f"byte {error.start}") from error
    return replies


def _read_line(path: str | Path, number: int, line: str) -> tuple[str, Reply]:
    try:
        row = json.loads(line, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise InputError(f"is not JSON: {error}.", source=path, place=number, mend=_FORM) from error
    if not isinstance(row, dict) or not isinstance(row.get("id"), str):
        raise InputError("is no reply: it has no id.", source=path, place=number, mend=_FORM)
    if "text" in row:
        text = row["text"]
        if text is not None and not isinstance(text, str):
            raise InputError("has a `text` that is no text.", source=path, place=number, mend=_FORM)
        return row["id"], read_reply(text)
    if row.get("declined") is True:
        return row["id"], Reply("declined", reason=str(row.get("reason") or ""))
    if row.get("answer") is None:
        raise InputError("has neither text, answer nor declined.", source=path, place=number, mend=_FORM)
    return row["id"], Reply("answered", row["answer"])


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is no JSON number")


def write_replies(path: str | Path, replies: Mapping[str, Reply]) -> None:
    """Write replies whose status is answered or declined, sorted by question id."""
    with replacing(Path(path)) as temporary, temporary.open("w", encoding="utf-8") as stream:
        for identity, reply in sorted(replies.items()):
            row: dict[str, Any] = {"id": identity}
            if reply.status == "answered":
                row["answer"] = reply.value
            else:
                row |= {"declined": True, "reason": reply.reason}
            stream.write(json.dumps(row, ensure_ascii=False, sort_keys=True) + "\n")


def _majority(questions: pa.Table, directory: Path, threads: int) -> dict[str, Reply]:
    return majority_replies(questions)


def _oracle_solver(questions: pa.Table, directory: Path, threads: int) -> dict[str, Reply]:
    return oracle_replies(questions, _table(directory / "facts.parquet"), threads=threads)


BASELINES: Final[dict[str, Callable[[pa.Table, Path, int], dict[str, Reply]]]] = {
    "majority": _majority,
    "oracle-solver": _oracle_solver,
}


def run_baseline(name: str, benchmark: str | Path, out: str | Path, *, threads: int = 2) -> int:
    """Write the replies of a baseline (one of BASELINES) over a benchmark folder; returns their number."""
    if name not in BASELINES:
        raise InputError(f"no baseline {name!r}.", mend=f"Known: {', '.join(BASELINES)}.")
    directory = Path(benchmark)
    replies = BASELINES[name](_table(directory / "questions.parquet"), directory, threads)
    write_replies(out, replies)
    return len(replies)


def score_file(
    replies: str | Path, benchmark: str | Path, out: str | Path, *, snapshots: Iterable[Snapshot] = ()
) -> pa.Table:
    """Score a replies file against a benchmark folder and write the scores as Parquet; returns them.

    ``snapshots`` give the names and aliases of their KGs; a KG without one is scored by the names as printed.
    """
    files: dict[str, list[str]] = {}
    for snapshot in snapshots:
        files.setdefault(snapshot.kg, []).extend(snapshot.label_files)
    names = {kg: AliasIndex.read(paths) for kg, paths in files.items()}
    table = score(_table(Path(benchmark) / "questions.parquet"), read_replies(replies), names=names)
    write_scores(Path(out), table)
    return table


def _table(path: Path) -> pa.Table:
    if not path.is_file():
        raise InputError("is not there.", source=path, mend="Make a benchmark with `mgqa build`.")
    try:
        return pq.read_table(path)
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(f"cannot be read as Parquet: {error}.", source=path) from error
