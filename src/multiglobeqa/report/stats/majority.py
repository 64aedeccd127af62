"""How far the most frequent answer gets: what a sub-template's distribution gives away (TAXONOMY rule 14)."""

from __future__ import annotations

from collections import defaultdict

import pyarrow.compute as pc

from multiglobeqa.evaluate.baselines import majority_answers, majority_replies
from multiglobeqa.evaluate.score import score
from multiglobeqa.report.stats.questions import Questions
from multiglobeqa.report.stats.table import Row, Table


def by_subtemplate(questions: Questions) -> Table:
    """EM of each sub-template's most frequent answer over its true text questions, in percent, and that answer."""
    asked = pc.and_(questions.table["premise"], pc.not_equal(questions.table["modality"], "image"))
    table = questions.table.filter(asked)
    scores = score(table, majority_replies(table))
    right: dict[str, list[int]] = defaultdict(list)
    for sub, em in zip(table["subtemplate"].to_pylist(), scores["em"].to_pylist(), strict=True):
        right[sub].append(em)
    answers = majority_answers(table)
    rows: list[Row] = [
        (sub, str(answers[sub])[:40], len(hits), round(100 * sum(hits) / len(hits), 1))
        for sub, hits in sorted(right.items())
    ]
    every = [em for hits in right.values() for em in hits]
    rows.append(("all", "", len(every), round(100 * sum(every) / len(every), 1) if every else None))
    columns = ("sub-template", "most frequent answer", "questions", "EM, %")
    return Table("majority", "Majority baseline by sub-template", columns, rows, text=2)
