"""Tables over scored questions: the article's ``summary``, what became of the replies, positions, baselines.

Group keys are the article's: "all", "lang / sw", "type / spatial_relation", "region / East Africa", and combinations as
"lang / sw / type / spatial_relation". Languages stand under their ISO 639-1 code where they have one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, Final

from scipy.stats import chi2

from multiglobeqa.answers.option_letters import letter
from multiglobeqa.evaluate.choices.items import Item
from multiglobeqa.evaluate.choices.score import Scored

FACETS: Final = ("lang", "type", "region")
GROUPINGS: Final = (
    (),
    ("lang",),
    ("type",),
    ("region",),
    ("lang", "type"),
    ("lang", "region"),
    ("type", "region"),
)
"""The groupings of ``summary``; () is "all"."""


def grouped(
    rows: Iterable[Scored], groupings: Sequence[Sequence[str]] = GROUPINGS
) -> dict[str, list[Scored]]:
    """Group key -> scores, grouping by grouping, groups by name; no group is empty."""
    rows = list(rows)
    found: dict[str, list[Scored]] = {}
    for grouping in groupings:
        groups: dict[str, list[Scored]] = defaultdict(list)
        for row in rows:
            parts = [part for facet in grouping for part in (facet, _facet(row.item, facet))]
            groups[" / ".join(parts) or "all"].append(row)
        found |= dict(sorted(groups.items()))
    return found


def summary(groups: dict[str, list[Scored]]) -> dict[str, dict[str, Any]]:
    """The article's four numbers by group: accuracy (4 decimals), correct, total, failures (no reply came)."""
    found = {}
    for name, rows in groups.items():
        correct = sum(row.correct for row in rows)
        found[name] = {
            "accuracy": round(correct / len(rows), 4),
            "correct": correct,
            "total": len(rows),
            "failures": sum(row.failed for row in rows),
        }
    return found


def outcomes(groups: dict[str, list[Scored]]) -> dict[str, dict[str, Any]]:
    """What became of the questions by group; answered + refusals + parse_failures + failures = total.

    ``accuracy_answered`` is over the answered ones alone, null where there is none; ``flagged`` counts answers whose
    text and letter disagree.
    """
    return {
        name: {
            "total": len(rows),
            "answered": (answered := sum(row.status == "answered" for row in rows)),
            "refusals": sum(row.status == "declined" for row in rows),
            "parse_failures": sum(row.status == "unparseable" for row in rows),
            "failures": sum(row.failed for row in rows),
            "flagged": sum(row.flagged for row in rows),
            "accuracy_answered": round(sum(row.correct for row in rows) / answered, 4) if answered else None,
        }
        for name, rows in groups.items()
    }


def baselines(items: Sequence[Item]) -> dict[str, Any]:
    """What needs no knowledge: chance (mean of 1 / options) and always the same letter; shares in [0, 1]."""
    chance = sum((Fraction(1, len(item.options)) for item in items), Fraction()) / len(items)
    right = Counter(item.answer_index for item in items)
    always = {letter(place): round(right[place] / len(items), 4) for place in range(_width(items))}
    best = max(always, key=lambda mark: (always[mark], -ord(mark[0])))
    return {"chance": round(float(chance), 4), "always": always, "best_letter": {best: always[best]}}


def position_bias(rows: Sequence[Scored]) -> dict[str, Any]:
    """Whether a model prefers a letter whatever it stands for.

    By letter: shares of the answers and of the right options (of the answered questions), accuracy where it is right.
    ``p`` tests the wrong answers alone against an even choice among the wrong options (chi-squared, Pearson): right
    answers follow the right options and hide a preference. Null under 30 wrong answers.
    """
    answered = [row for row in rows if row.place is not None]
    width = _width([row.item for row in rows]) if rows else 0
    given = Counter(row.place for row in answered)
    right = Counter(row.item.answer_index for row in answered)
    hits = Counter(row.item.answer_index for row in answered if row.correct)
    wrong = [row for row in answered if not row.correct]
    expected = [0.0] * width
    for row in wrong:
        others = [i for i in range(len(row.item.options)) if row.item.options[i] != row.item.answer]
        for place in others:
            expected[place] += 1 / len(others)
    observed = Counter(row.place for row in wrong)
    used = [place for place in range(width) if expected[place] > 0]
    statistic = sum((observed[place] - expected[place]) ** 2 / expected[place] for place in used)
    tested = len(wrong) >= 30 and len(used) > 1
    return {
        "answered": len(answered),
        "letters": {
            letter(place): {
                "answered": round(given[place] / len(answered), 4),
                "right": round(right[place] / len(answered), 4),
                "accuracy": round(hits[place] / right[place], 4) if right[place] else None,
            }
            for place in range(width)
            if answered
        },
        "wrong_answers": len(wrong),
        "p": float(chi2.sf(statistic, len(used) - 1)) if tested else None,
    }


def detail(row: Scored) -> dict[str, Any]:
    """One question as ``eval_result.json`` holds it: the article's fields, then ours."""
    return {
        "id": row.item.id,
        "language": row.item.language.tag,
        "question_type": row.item.question_type,
        "region": row.item.region,
        "prediction": row.prediction,
        "correct": row.correct,
        "status": row.status,
        "answered_index": row.place,
        "answer_index": row.item.answer_index,
        "original_index": None if row.place is None else row.item.original(row.place),
        "flagged": row.flagged,
        "rule": row.rule,
        "reason": row.reason,
        "confidence": row.confidence,
        "option_mass": row.chances.mass if row.chances else None,
        "unlisted_options": row.chances.unlisted if row.chances else None,
    }


def confidently_wrong(rows: Iterable[Scored], *, least: float = 0.8, most: int = 100) -> list[dict[str, Any]]:
    """Wrong answers of at least this confidence, the surest first: to be read by a person."""
    found = [row for row in rows if row.status == "answered" and not row.correct]
    sure = [row for row in found if row.confidence is not None and row.confidence >= least]
    sure.sort(key=lambda row: (-(row.confidence or 0.0), row.item.key))
    return [
        {
            "id": row.item.id,
            "language": row.item.language.tag,
            "question": row.item.question,
            "answered": row.item.options[row.place] if row.place is not None else None,
            "answer": row.item.answer,
            "confidence": row.confidence,
            "region": row.item.region,
            "question_type": row.item.question_type,
        }
        for row in sure[:most]
    ]


def _facet(item: Item, facet: str) -> str:
    if facet == "lang":
        return item.language.short
    return item.question_type if facet == "type" else item.region


def _width(items: Sequence[Item]) -> int:
    return max(len(item.options) for item in items)
