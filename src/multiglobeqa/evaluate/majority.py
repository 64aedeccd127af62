"""How far the most frequent answer gets: what a sub-template's distribution gives away (TAXONOMY rule 14)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from multiglobeqa.evaluate.baselines import majority_answers, majority_replies
from multiglobeqa.evaluate.scoring import score


@dataclass(frozen=True)
class MajorityScore:
    """One sub-template's most frequent answer: how many questions it was given to, and how many it is right for."""

    subtemplate: str
    answer: Any
    questions: int
    right: int

    @property
    def em(self) -> float:
        """Exact match, in [0, 1]."""
        return self.right / self.questions


def majority_scores(questions: pa.Table) -> list[MajorityScore]:
    """The score of each sub-template's most frequent answer over its true text questions, ordered by id.

    ``questions``: rows of ``build.schema.QUESTION_SCHEMA`` in one language. False premises have no answer to count, and
    image questions repeat the answers of text questions.
    """
    asked = pc.and_(questions["premise"], pc.not_equal(questions["modality"], "image"))
    table = questions.filter(asked)
    answers = majority_answers(table)
    counts: Counter[str] = Counter(table["subtemplate"].to_pylist())
    scored = score(table, majority_replies(table), diagnosis=False)["em"].to_pylist()
    right: Counter[str] = Counter()
    for sub, em in zip(table["subtemplate"].to_pylist(), scored, strict=True):
        right[sub] += em
    return [MajorityScore(sub, answers[sub], counts[sub], right[sub]) for sub in sorted(counts)]


def summary(scores: Sequence[MajorityScore]) -> dict[str, Any]:
    """The scores as ``build.json`` holds them: overall and by sub-template; ``em`` in [0, 1] or null."""
    questions, right = sum(one.questions for one in scores), sum(one.right for one in scores)
    return {
        "questions": questions,
        "right": right,
        "em": round(right / questions, 4) if questions else None,
        "subtemplates": [
            {
                "subtemplate": one.subtemplate,
                "answer": one.answer,
                "questions": one.questions,
                "right": one.right,
                "em": round(one.em, 4),
            }
            for one in scores
        ],
    }


def by_family(scores: Iterable[tuple[str, int, int]]) -> list[tuple[str, str, int, float]]:
    """(sub-template, questions, right) by family: its letter, each sub-template with its EM, questions, EM; in percent.

    Sub-templates are ordered by falling EM, since those that give most away matter most.
    """
    families: dict[str, list[tuple[str, int, int]]] = defaultdict(list)
    for one in scores:
        families[one[0][:1]].append(one)
    rows = []
    for family, members in sorted(families.items()):
        members.sort(key=lambda one: (-one[2] / one[1], one[0]))
        listed = ", ".join(f"{sub} {100 * right / asked:.1f}" for sub, asked, right in members)
        questions, right = sum(one[1] for one in members), sum(one[2] for one in members)
        rows.append((family, listed, questions, round(100 * right / questions, 1)))
    return rows
