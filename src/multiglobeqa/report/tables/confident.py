"""Confidently wrong answers, for people to review: stated confidence, the same in every seed, the same of "
"several models."""

from __future__ import annotations

from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from multiglobeqa.report.metrics import MISSING
from multiglobeqa.report.tables.cell import Cell, Column, NotDrawn, Table, count, number
from multiglobeqa.report.tables.conditions import tier_name
from multiglobeqa.report.tables.study import Study
from multiglobeqa.report.values import answer_text

LEAST: Final = 0.8
"""The confidence from which on a wrong answer is listed."""
MOST: Final = 1000
"""How many are listed."""
_SHOWN: Final = 15
_QUESTION: Final = ("id", "language")
_DETAILS: Final = ("subtemplate", "diagnosis", "question", "gold", "unit")


def confidently_wrong(study: Study) -> Table:
    """The list, the most confident first, then by how many models and seeds agree."""
    table = study.table
    if "parsed" not in table.column_names or table["parsed"].null_count == table.num_rows:
        raise NotDrawn("scores that hold the parsed answers")
    texts = {
        name: table[name].cast(pa.string())
        for name in (*_QUESTION, "model", "tier", "status", "format", "parsed")
    }
    plain = pa.table(texts | {"confidence": table["confidence"], "row": np.arange(table.num_rows)})
    told = pc.and_(table["premise"], pc.not_equal(plain["status"], MISSING))
    asked = plain.filter(told).group_by([*_QUESTION, "model", "tier"]).aggregate([([], "count_all")])
    wrong = plain.filter(
        pc.and_(pc.and_(pc.equal(table["em"], 0), pc.equal(plain["status"], "answered")), told)
    )
    same = wrong.group_by([*_QUESTION, "model", "tier", "format", "parsed"]).aggregate(
        [([], "count_all"), ("confidence", "max"), ("row", "min")]
    )
    alike = same.group_by([*_QUESTION, "parsed"]).aggregate([("model", "count_distinct")])
    both = same.rename_columns({"count_all": "same"}).join(asked, [*_QUESTION, "model", "tier"])
    found = _worth(both.join(alike, [*_QUESTION, "parsed"]))
    if not found.num_rows:
        raise NotDrawn(
            f"wrong answers with a confidence of {LEAST} or more, or given alike by several models or in all of "
            "several seeds"
        )
    order = [
        ("confidence_max", "descending"), ("model_count_distinct", "descending"), ("same", "descending"),
        *((name, "ascending") for name in (*_QUESTION, "model", "tier", "parsed")),
    ]  # fmt: skip
    stated = pc.fill_null(found["confidence_max"], -1.0)
    ranked = found.set_column(found.column_names.index("confidence_max"), "confidence_max", stated)
    first = found.take(pc.sort_indices(ranked, sort_keys=order)[:MOST])
    details = [name for name in _DETAILS if name in table.column_names]
    lines = []
    rows = table.select(details).take(first["row_min"]).to_pylist()
    for one, row in zip(first.to_pylist(), rows, strict=True):
        unit = row.get("unit")
        lines.append(
            (
                Cell(one["id"]), Cell(one["language"]), Cell(one["model"]), Cell(tier_name(one["tier"])),
                Cell(row["subtemplate"]), Cell(row.get("question")), Cell(answer_text(one["parsed"], unit)),
                Cell(answer_text(row.get("gold"), unit)), Cell((row["diagnosis"] or "").replace("_", " ")),
                number(one["confidence_max"]), Cell(f"{one['same']} of {one['count_all']}"),
                count(one["model_count_distinct"]),
            )
        )  # fmt: skip
    names = ("id", "language", "model", "tier", "sub-template", "question", "answer", "gold", "diagnosis")
    heads = (
        *(Column(name, text=True) for name in names),
        Column("confidence"),
        Column("seeds"),
        Column("models"),
    )
    notes = (
        f"For review: wrong answers with a stated confidence of {LEAST} or more, or given alike by several models "
        "(a reason to look at the gold answer, too; yes and no are left out there); where there are none, those "
        f"that are the same in all of several seeds. {found.num_rows:,} found"
        + (f", the first {MOST:,} listed." if found.num_rows > MOST else "."),
    )
    return Table(
        "confidently_wrong",
        "Confidently wrong answers (true premises)",
        heads,
        tuple(lines),
        notes,
        shown=_SHOWN,
    )


def _worth(found: pa.Table) -> pa.Table:
    """The rows worth a look."""
    stated = pc.fill_null(pc.greater_equal(found["confidence_max"], LEAST), False)
    shared = pc.and_(pc.greater(found["model_count_distinct"], 1), pc.not_equal(found["format"], "boolean"))
    chosen = found.filter(pc.or_(stated, shared))
    if chosen.num_rows:
        return chosen
    return found.filter(
        pc.and_(pc.greater(found["count_all"], 1), pc.equal(found["same"], found["count_all"]))
    )
