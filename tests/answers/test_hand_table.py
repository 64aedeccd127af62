"""Ten replies a format, scored by hand: cases/hand_table.jsonl says how in the column ``how``.

Lengths are geodesics on WGS 84; areas of boxes come from the closed formula of the authalic latitude, not
from a projection. Statuses of the runner (budget, overflow, harness) stand without a text.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from multiglobeqa import answers

ROWS: list[dict[str, Any]] = [
    json.loads(line)
    for line in Path(__file__).with_name("cases").joinpath("hand_table.jsonl").read_text("utf-8").splitlines()
]
RUNNER = ("budget", "overflow", "harness")


def test_ten_a_format_and_every_status() -> None:
    assert Counter(row["format"] for row in ROWS) == Counter(dict.fromkeys(answers.FORMATS, 10))
    assert {row["status"] for row in ROWS} == set(answers.STATUSES)
    assert all(row["how"] for row in ROWS)


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(row, id=f"{row['format']} {place % 10}: {row['how'][:40]}")
        for place, row in enumerate(ROWS)
    ],
)
def test_row(row: dict[str, Any]) -> None:
    labels = row.get("labels")
    names = answers.AliasIndex.from_rows([tuple(label) for label in labels]) if labels else None
    fmt, question = answers.get(row["format"], names=names), row.get("question", {})
    if row["status"] in RUNNER:
        reply = answers.parse_value(answers.Reply(row["status"]), fmt, question)
    else:
        reply = answers.parse_reply(row["reply"], fmt, question)
    assert reply.status == row["status"], reply
    answered = reply.status == "answered"
    near = row["format"] in ("point", "polar", "polygon", "distance", "area")
    assert reply.value == (pytest.approx(row["parsed"], abs=1e-9) if near and answered else row["parsed"])
    if not answered:
        assert (row["em"], row["ne"], row["d"], row["tau"]) == (0, 1, None, None)
        return
    d = fmt.distance(reply.value, row["gold"], question)
    assert d is None if row["d"] is None else d == pytest.approx(row["d"], abs=1e-8)
    assert fmt.tolerance(row["gold"], question) == pytest.approx(row["tau"], abs=1e-12)
    assert fmt.exact_match(reply.value, row["gold"], question) is bool(row["em"])
    assert fmt.normalized_error(reply.value, row["gold"], question) == pytest.approx(row["ne"], abs=1e-8)
