"""What a wrong answer is due to: the language, or the knowledge.

Each question may have an English form (``question_en``), asked as a control. Four cells for a language: both forms
right; only the English one right (a failure of language); only the local one right; both wrong (a failure of
knowledge). McNemar's exact test says whether the two forms differ, Holm's correction is over the languages.

A set of plain-language questions without geography tells the third cause: where a model fails these too, it lacks the
language at large. Of the questions that only English gets right, the share that the plain set explains is at most
E (1 - P / P_en): E the accuracy in English, P and P_en those of the plain set in the language and in English (1 where
it was not asked). What is left are names and terms of geography in that language. This split is an estimate.

Controls never enter the tables of languages.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from multiglobeqa.evaluate.choices.items import ENGLISH, PLAIN, Item
from multiglobeqa.evaluate.choices.languages import Language, short
from multiglobeqa.evaluate.choices.score import Scored
from multiglobeqa.report.metrics import holm, mcnemar

ENG: Final = "eng"
_TAG: Final = Language(ENG, "en")


def english_controls(items: Sequence[Item]) -> list[Item]:
    """The English form of every question that has one and is not English itself, with the id ``ID#en``.

    The options may have an English form too (``options_en``, as many); else they stand as they are. Forms of one
    question in several languages share a control where question and options agree; else it is ``ID#en-LANGUAGE``.
    """
    made: dict[str, Item] = {}
    for item in items:
        if not item.question_en or item.language.code == ENG or item.control:
            continue
        listed = item.extra.get("options_en")
        fits = isinstance(listed, list) and len(listed) == len(item.options)
        control = replace(
            item,
            id=f"{item.id}#en",
            language=_TAG,
            question=item.question_en,
            options=tuple(map(str, listed)) if fits and isinstance(listed, list) else item.options,
            question_en="",
            control=ENGLISH,
            control_of=item.id,
            labels=(),
            extra={},
        )
        twin = made.get(control.id)
        if twin is not None and (twin.question, twin.options, twin.answer_index) != (
            control.question,
            control.options,
            control.answer_index,
        ):
            control = replace(control, id=f"{control.id}-{item.language.code}")
        made.setdefault(control.id, control)
    return list(made.values())


def cells(rows: Sequence[Scored], controls: Sequence[Scored]) -> dict[str, dict[str, Any]]:
    """The four cells of each language that has controlled questions, with McNemar's test.

    Parameters
    ----------
    rows : scores of the questions themselves.
    controls : scores of the items of ``english_controls``.
    """
    english = {row.item.id: row for row in controls if row.item.control == ENGLISH}
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for row in rows:
        own = english.get(f"{row.item.id}#en-{row.item.language.code}") or english.get(f"{row.item.id}#en")
        if own is not None and row.item.language.code != ENG and not row.item.control:
            counts[row.item.language.code][2 * (not own.correct) + (not row.correct)] += 1
    found: dict[str, dict[str, Any]] = {}
    tests = []
    for code, (both, only_english, only_local, neither) in sorted(counts.items()):
        pairs = both + only_english + only_local + neither
        tests.append(mcnemar(only_english, only_local))
        found[short(code)] = {
            "pairs": pairs,
            "both_right": both,
            "only_english_right": only_english,
            "only_local_right": only_local,
            "both_wrong": neither,
            "accuracy": round((both + only_local) / pairs, 4),
            "accuracy_english": round((both + only_english) / pairs, 4),
            "language_failures": round(only_english / pairs, 4),
            "knowledge_failures": round(neither / pairs, 4),
            "p": tests[-1],
        }
    for cell, p in zip(found.values(), holm(tests), strict=True):
        cell["p_holm"] = p
    return found


def attribution(paired: dict[str, dict[str, Any]], plain: Sequence[Scored]) -> dict[str, dict[str, Any]]:
    """The three causes of each language that both controls cover, as shares of its pairs.

    ``knowledge``: wrong in English too. ``plain_language`` and ``geographic_language`` share out what only English gets
    right, by the formula above.
    """
    by_language: dict[str, list[bool]] = defaultdict(list)
    for row in plain:
        if row.item.control == PLAIN:
            by_language[row.item.language.short].append(row.correct)
    accuracy = {code: sum(right) / len(right) for code, right in by_language.items()}
    reference = accuracy.get("en", 1.0)
    found = {}
    for code, cell in paired.items():
        if code not in accuracy:
            continue
        kept = min(1.0, accuracy[code] / reference) if reference else 1.0
        lost = cell["only_english_right"] / cell["pairs"]
        english = (cell["both_right"] + cell["only_english_right"]) / cell["pairs"]
        due = min(lost, english * (1 - kept))
        found[code] = {
            "pairs": cell["pairs"],
            "plain_questions": len(by_language[code]),
            "plain_accuracy": round(accuracy[code], 4),
            "plain_accuracy_english": round(reference, 4) if "en" in accuracy else None,
            "knowledge": round(cell["both_wrong"] / cell["pairs"], 4),
            "plain_language": round(due, 4),
            "geographic_language": round(lost - due, 4),
        }
    return found


def ranking(rows: Sequence[Scored]) -> list[dict[str, Any]]:
    """The languages by accuracy, best first; equal ones share a place. English and controls are never ranked."""
    by_language: dict[str, list[bool]] = defaultdict(list)
    for row in rows:
        if not row.item.control and row.item.language.code != ENG:
            by_language[row.item.language.short].append(row.correct)
    shares = {code: sum(right) / len(right) for code, right in by_language.items()}
    return [
        {
            "place": 1 + sum(other > share for other in shares.values()),
            "language": code,
            "accuracy": round(share, 4),
            "questions": len(by_language[code]),
        }
        for code, share in sorted(shares.items(), key=lambda pair: (-pair[1], pair[0]))
    ]
