"""From the records of a file to one reply for each question that was asked.

The key of a reply is (id, language, model, tier, seed). Rules:

1. Lines with ``attempt`` or ``final`` are attempts: the last one marked final counts; where none is, the one of the
   highest attempt, the last in the file.
2. Other lines with one key are duplicates: identical ones count once; of different ones the first counts.
3. A question that was asked and has no reply gets the kind MISSING. Asked are, for each (model, tier, seed) of the
   file and each of its languages, all questions that the benchmark has in that language (in all, where it has none in
   that language); ``asked`` may say otherwise.
4. Everything that is left out, and every missing question, is counted and named in an ``Intake``.
"""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from multiglobeqa.errors import InputError
from multiglobeqa.evaluate.predictions.asked import Asked
from multiglobeqa.evaluate.predictions.counts import Intake
from multiglobeqa.evaluate.predictions.detect import Predictions
from multiglobeqa.evaluate.predictions.record import EMPTY, MISSING, SCHEMA, Fault, Record
from multiglobeqa.evaluate.predictions.settled import NO_LANGUAGE, Settled


@dataclass(frozen=True)
class Taken:
    """One row a (question, language, model, tier, seed) that was asked, by question of the benchmark, then the others.

    ``table``: columns of ``SCHEMA``, ``language`` filled in, and ``question``, the row of the benchmark's table.
    """

    table: pa.Table
    intake: Intake


def take(
    predictions: Predictions, questions: pa.Table, *, asked: Asked | None = None, language: str | None = None,
    strict: bool = False,
) -> Taken:  # fmt: skip
    """Read predictions and settle which reply each question gets.

    Parameters
    ----------
    questions : columns ``id`` and ``language`` of the benchmark.
    asked : which questions are in the denominator; by default rule 3.
    language : that of replies which state none; needed only where the benchmark has a question in several.
    strict : take a problem of the intake for an error.

    Raises
    ------
    InputError : the file holds no reply, or none to a question of this benchmark; with ``strict`` any problem.
    """
    intake = Intake(source=predictions.path.name, form=predictions.form)
    parts = list(predictions.tables(lambda found: _counted(found, intake)))
    replies = pa.concat_tables(parts) if parts else SCHEMA.empty_table()
    intake.read = replies.num_rows
    if not replies.num_rows:
        raise InputError("holds no reply.", source=predictions.path, mend="; ".join(_first_faults(intake)))
    rows = Settled(replies, questions, intake, language)
    if not len(rows.place):
        names = "; ".join(intake.named["unknown"][:3])
        example = questions["id"][0].as_py() if questions.num_rows else "none"
        raise InputError(
            f"none of its {replies.num_rows:,} replies is to a question of this benchmark: {names}.",
            source=predictions.path, mend=f"Its ids look like {example}. {_no_language(intake)}",
        )  # fmt: skip
    rows.one_reply_a_key()
    (asked or Asked()).apply(rows)
    taken = Taken(rows.table(), intake)
    intake.scored = int(pc.sum(pc.not_equal(taken.table["kind"], MISSING)).as_py() or 0)
    intake.questions = taken.table.num_rows
    if strict and (problems := intake.problems):
        told = intake.lines()[1:]
        raise InputError(f"{', '.join(problems)}: " + " ".join(told), source=predictions.path,
                         mend="Mend the file, or leave out --strict.")  # fmt: skip
    return taken


def _counted(found: Record | Fault, intake: Intake) -> bool:
    """Count what is out of the common; whether it is a record."""
    if isinstance(found, Fault):
        intake.add(found.kind, f"{found.place}: {found.what}")
        return False
    if found.number:
        intake.add("number", f"{found.place}: {found.id}")
    if found.kind == EMPTY:
        intake.add("null", f"{found.place}: {found.id}")
    return True


def _first_faults(intake: Intake) -> list[str]:
    return [f"Line {line}" for names in intake.named.values() for line in names[:3]][:3]


def _no_language(intake: Intake) -> str:
    named = intake.named.get("unknown", [])
    return "Name the language with --language." if any(NO_LANGUAGE in name for name in named) else ""
