"""Reading a benchmark folder (see ``build/schema.py``) for reports."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import BaseModel, ConfigDict, ValidationError

from multiglobeqa.errors import InputError

QUESTION_COLUMNS: Final = (
    "id", "language", "kg", "family", "template", "subtemplate", "question", "format", "unit", "gold", "country",
    "continent", "subregion", "income", "density", "lon", "lat", "source", "question_type", "depth", "premise",
    "modality", "fact_ids", "roles", "entities", "accepted_iris",
)  # fmt: skip
"""The columns of ``build.schema.QUESTION_SCHEMA`` that reports read."""
_MEND = "Make a benchmark with `mgqa build`."


class _Row(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True)


class EntityCount(_Row):
    """Entities of one KG, kind and stratum; ``income`` and ``density`` are null outside the 12 strata."""

    kg: str
    kind: str
    income: str | None
    density: str | None
    count: int


class MatrixCell(_Row):
    """Questions of one sub-template in one stratum of one KG; ``cause`` says why there are none."""

    kg: str
    family: str
    subtemplate: str
    income: str | None
    density: str | None
    questions: int
    cause: str | None = None


class Discards(_Row):
    """Candidate tuples thrown away for one cause."""

    kg: str
    subtemplate: str
    cause: str
    count: int


class Verified(_Row):
    """How many questions the solver answered from their facts, and how many answers agreed."""

    questions: int
    agreed: int

    @property
    def share(self) -> float | None:
        """Agreed / questions, in [0, 1]; None without questions."""
        return self.agreed / self.questions if self.questions else None


class Licence(_Row):
    """The licence of one part of a snapshot."""

    kg: str
    part: str
    licence: str
    attribution: str


class MajorityRow(_Row):
    """One sub-template's most frequent answer: true text questions, and those for which it is right."""

    subtemplate: str
    answer: Any
    questions: int
    right: int


class Majority(_Row):
    """The score of the most frequent answer, overall and by sub-template."""

    questions: int
    right: int
    subtemplates: list[MajorityRow]

    @property
    def share(self) -> float | None:
        """Right / questions, in [0, 1]; None without questions."""
        return self.right / self.questions if self.questions else None


class BuildInfo(_Row):
    """The content of ``build.json``."""

    version: str
    seed: int
    per_cell: int
    snapshots: dict[str, str]
    entities: list[EntityCount]
    matrix: list[MatrixCell]
    discards: list[Discards]
    verified: Verified
    licences: list[Licence] = []
    majority: Majority | None = None


@dataclass(frozen=True)
class Benchmark:
    """An opened benchmark: its folder, its build record and its questions (columns ``QUESTION_COLUMNS``)."""

    path: Path
    info: BuildInfo
    questions: pa.Table

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.path.resolve().name


def open_benchmark(directory: str | Path) -> Benchmark:
    """Open a benchmark folder.

    Raises
    ------
    InputError : a file is missing or does not satisfy ``build/schema.py``; names file and place.
    """
    path = Path(directory)
    info_file, questions_file = path / "build.json", path / "questions.parquet"
    for file in (info_file, questions_file):
        if not file.is_file():
            raise InputError("is not a benchmark: this file is missing.", source=file, mend=_MEND)
    try:
        info = BuildInfo.model_validate(json.loads(info_file.read_text("utf-8")))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise InputError(f"{first['msg']}.", source=info_file, place=place, mend=_MEND) from error
    except ValueError as error:
        raise InputError(f"is not JSON: {error}.", source=info_file, mend=_MEND) from error
    try:
        present = pq.read_schema(questions_file).names
        if missing := [name for name in QUESTION_COLUMNS if name not in present]:
            raise InputError(f"has no column {missing[0]!r}.", source=questions_file, mend=_MEND)
        questions = pq.read_table(questions_file, columns=list(QUESTION_COLUMNS))
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(f"cannot be read as Parquet: {error}.", source=questions_file, mend=_MEND) from error
    return Benchmark(path, info, questions)
