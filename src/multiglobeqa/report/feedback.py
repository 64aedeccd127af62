"""From weak cells to training data: train-split questions and triples of a cell's language, type and region.

The train benchmark must share no question and no entity with the one that was asked: what a model is trained on is
never what it is tested on.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from multiglobeqa.build import disjoint
from multiglobeqa.errors import InputError
from multiglobeqa.kg.store import replacing
from multiglobeqa.report.benchmark import open_benchmark
from multiglobeqa.report.tables.scope import lines
from multiglobeqa.report.tables.study import Study
from multiglobeqa.report.tables.weak import KINDS, REGION, WeakCell, Weakness, weaknesses

_COLUMNS: Final = (
    "id", "language", "kg", "family", "template", "subtemplate", "question", "format", "unit", "gold", "accepted",
    "question_type", "depth", "country", "continent", "subregion", "modality", "image",
)  # fmt: skip
_JSON: Final = ("gold",)
MOST: Final = 200
"""Questions a cell, by default."""


@dataclass(frozen=True)
class CellFeedback:
    """A weak cell, how many train questions it has, and how many were written."""

    cell: WeakCell
    found: int
    written: int


@dataclass(frozen=True)
class Feedback:
    """What was written: ``cells`` in the order of lost answers; how many questions and triples; cells that "
    "were tested."""

    cells: tuple[CellFeedback, ...]
    tested: int
    questions: int
    triples: int

    @property
    def empty(self) -> int:
        """Weak cells for which the train benchmark has no question."""
        return sum(not one.found for one in self.cells)


def write_feedback(
    study: Study,
    benchmark: str | Path,
    train: str | Path,
    out: str | Path,
    *,
    kinds: Sequence[str] = KINDS,
    region: str = REGION,
    most: int = MOST,
) -> Feedback:
    """Write ``questions.jsonl``, ``triples.nt`` and ``summary.json`` into the folder ``out``.

    Parameters
    ----------
    benchmark : the folder of the benchmark that was asked.
    train : a benchmark folder built with ``--disjoint-entities-from`` that benchmark.
    kinds, region : see ``tables.weaknesses``.
    most : questions a cell, the first by id; a question of several cells is written once and names them all.

    Raises
    ------
    InputError : the train folder shares a question or an entity with the benchmark, or is the benchmark.
    """
    if most < 1:
        raise InputError(f"{most} questions a cell are too few.")
    opened = open_benchmark(train)
    questions = pq.read_table(opened.path / "questions.parquet")
    _check_disjoint(questions, opened.path, Path(benchmark))
    found = weaknesses(study, kinds, region)
    chosen, cells = _choose(questions, found, region, most)
    facts = _facts(opened.path)
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    used: set[int] = set()
    with replacing(folder / "questions.jsonl") as temporary, temporary.open("w", encoding="utf-8") as stream:
        for place in sorted(chosen):
            row = questions.slice(place, 1).to_pylist()[0]
            used.update(row["fact_ids"])
            line = {name: row.get(name) for name in _COLUMNS if row.get(name) is not None}
            line |= {name: json.loads(line[name]) for name in _JSON if name in line}
            line["triples"] = [facts[fact] for fact in row["fact_ids"]]
            line["cells"] = chosen[place]
            stream.write(json.dumps(line, ensure_ascii=False) + "\n")
    with replacing(folder / "triples.nt") as temporary:
        temporary.write_text("".join(f"{line}\n" for line in sorted({facts[fact] for fact in used})), "utf-8")
    result = Feedback(tuple(cells), found.tested, len(chosen), len({facts[fact] for fact in used}))
    with replacing(folder / "summary.json") as temporary:
        temporary.write_text(
            json.dumps(_summary(study, opened.name, result), indent=1, ensure_ascii=False) + "\n", "utf-8"
        )
    return result


def _check_disjoint(questions: pa.Table, train: Path, benchmark: Path) -> None:
    asked = disjoint.read([], [benchmark])
    ids = pq.read_table(benchmark / "questions.parquet", columns=["id"])["id"].combine_chunks()
    same = np.asarray(pc.is_in(questions["id"], value_set=ids), dtype=np.bool_).tolist()
    faults: dict[str, list[str]] = {}
    for known, row in zip(
        same, questions.select(["id", "question_en", "modality", "entities"]).to_pylist(), strict=True
    ):
        fault = "asked_in_other_benchmark" if known else asked.row_fault(row)
        if fault:
            faults.setdefault(fault, []).append(row["id"])
    if faults:
        told = {
            "asked_in_other_benchmark": "questions are test questions",
            "entity_of_other_benchmark": "questions are about entities of the test",
        }
        raise InputError(
            "; ".join(
                f"{len(ids):,} of {questions.num_rows:,} {told[fault]}" for fault, ids in faults.items()
            )
            + ".",
            source=train,
            place=next(iter(faults.values()))[0],
            mend="Build the train split with `mgqa build --disjoint-entities-from BENCHMARK`.",
        )


def _choose(
    questions: pa.Table, found: Weakness, region: str, most: int
) -> tuple[dict[int, list[int]], list[CellFeedback]]:
    """Row of each question that is written -> the numbers of its cells; and each cell's counts."""
    order = np.argsort(np.asarray(questions["id"].to_pylist(), dtype=np.str_), kind="stable")
    ranked = questions.take(pa.array(order))
    columns = {
        name: np.asarray(pc.fill_null(ranked[name].cast(pa.string()), "").to_pylist(), dtype=np.str_)
        for name in {"language", region, *(one.kind for one in found.cells)}
    }
    usable = np.asarray(pc.and_(ranked["premise"], pc.equal(ranked["modality"], "text")), dtype=np.bool_)
    chosen: dict[int, list[int]] = {}
    cells = []
    for number, one in enumerate(found.cells):
        mine = np.flatnonzero(
            usable
            & (columns["language"] == one.language)
            & (columns[one.kind] == one.value)
            & (columns[region] == one.region)
        )
        for place in order[mine[:most]].tolist():
            chosen.setdefault(place, []).append(number)
        cells.append(CellFeedback(one, len(mine), min(len(mine), most)))
    return chosen, cells


def _facts(train: Path) -> dict[int, str]:
    table = pq.read_table(train / "facts.parquet", columns=["fact_id", "triple"])
    return dict(zip(table["fact_id"].to_pylist(), table["triple"].to_pylist(), strict=True))


def _summary(study: Study, train: str, result: Feedback) -> dict[str, Any]:
    cells = [
        {"cell": number, **{name: _short(value) for name, value in asdict(one.cell).items()},
         "lost_answers": _short(one.cell.lost), "train_questions": one.found, "written": one.written}
        for number, one in enumerate(result.cells)
    ]  # fmt: skip
    return {
        "scope": lines(study),
        "train": train,
        "rule": "Cells of language, type of question or family, and region whose 95 % interval of EM lies below "
        "the EM of that model and tier over all; text questions with a true premise. About 2.5 % of the cells "
        "tested would by chance.",
        "cells_tested": result.tested,
        "cells_weak": len(cells),
        "cells_without_train_questions": result.empty,
        "questions": result.questions,
        "triples": result.triples,
        "cells": cells,
    }


def _short(value: Any) -> Any:
    return round(value, 6) if isinstance(value, float) else value
