"""How far the most frequent answer gets: what a sub-template's distribution gives away (TAXONOMY rule 14)."""

from __future__ import annotations

import json

from multiglobeqa.evaluate.majority import by_family, majority_scores
from multiglobeqa.report.stats.questions import Questions
from multiglobeqa.report.stats.table import Row, Table, share
from multiglobeqa.report.values import answer_text

COLUMNS = ("family", "EM of its sub-templates, %", "questions", "EM, %")
"""The columns of the short form, by family."""


def by_subtemplate(questions: Questions) -> Table:
    """EM of each sub-template's most frequent answer over its true text questions, in percent, and that answer."""
    scores = majority_scores(questions.table)
    rows: list[Row] = [
        (
            one.subtemplate,
            answer_text(json.dumps(one.answer, ensure_ascii=False)),
            one.questions,
            share(one.right, one.questions),
        )
        for one in scores
    ]
    asked, right = sum(one.questions for one in scores), sum(one.right for one in scores)
    rows.append(("all", "", asked, share(right, asked)))
    narrow: list[Row] = [*by_family((one.subtemplate, one.questions, one.right) for one in scores)]
    narrow.append(("all", "", asked, share(right, asked)))
    columns = ("sub-template", "most frequent answer", "questions", "EM, %")
    return Table(
        "majority",
        "Majority baseline: the most frequent answer of each sub-template",
        columns,
        rows,
        text=2,
        narrow=(COLUMNS, narrow),
    )
