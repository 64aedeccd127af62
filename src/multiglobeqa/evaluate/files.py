"""Replies as files, and the baselines over a benchmark folder."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from multiglobeqa.answers import Reply
from multiglobeqa.errors import InputError
from multiglobeqa.evaluate.baselines import majority_replies, oracle_replies
from multiglobeqa.evaluate.predictions import Fault, open_predictions
from multiglobeqa.evaluate.predictions.rows import FORM
from multiglobeqa.evaluate.scoring.files import score_file
from multiglobeqa.evaluate.scoring.single import reply_of
from multiglobeqa.kg.store import replacing

__all__ = ["BASELINES", "read_replies", "run_baseline", "score_file", "write_replies"]


def read_replies(path: str | Path) -> dict[str, Reply]:
    """Question id -> reply of a file of any form of ``predictions``, one reply a question.

    Raises InputError naming the first line that is broken or answers a question again; ``scoring.score_file`` counts
    such lines instead.
    """
    replies: dict[str, Reply] = {}
    for found in open_predictions(path).read():
        if isinstance(found, Fault):
            raise InputError(f"{found.what}.", source=path, place=found.place, mend=FORM)
        if found.id in replies:
            raise InputError(f"answers {found.id} a second time.", source=path, place=found.place)
        replies[found.id] = reply_of(found.kind, found.body, found.reason, found.language or "eng")
    return replies


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


def _table(path: Path) -> pa.Table:
    if not path.is_file():
        raise InputError("is not there.", source=path, mend="Make a benchmark with `mgqa build`.")
    try:
        return pq.read_table(path)
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(f"cannot be read as Parquet: {error}.", source=path) from error
