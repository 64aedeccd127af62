"""Reading and checking files of multiple-choice questions.

One object a line: id, language, question, options, and answer or answer_index or both; question_type, region, source,
question_en, labels, control, control_of, order and disputed if there are. Every fault is named with file and line; an
item is read, set aside as disputed, or refused, and the three numbers add up to the items of the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from multiglobeqa.answers.choice_text import key
from multiglobeqa.errors import InputError
from multiglobeqa.evaluate.choices.faults import Fault, counted
from multiglobeqa.evaluate.choices.items import CONTROLS, UNKNOWN, Item
from multiglobeqa.evaluate.choices.jsonl import read_lines, write_lines
from multiglobeqa.evaluate.choices.languages import is_listed, read_language

_KNOWN: Final = (
    "id", "language", "question", "options", "answer", "answer_index", "question_type", "region", "source",
    "question_en", "control", "control_of", "labels", "order", "disputed",
)  # fmt: skip
_TEXTS: Final = ("question_type", "region", "source", "question_en", "control_of")


@dataclass
class Questions:
    """A file's items, those set aside, its faults and how many items it holds."""

    file: str
    items: list[Item] = field(default_factory=list)
    disputed: list[Item] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    total: int = 0

    @property
    def refused(self) -> int:
        """Items that could not be read."""
        return self.total - len(self.items) - len(self.disputed)

    def summary(self) -> dict[str, Any]:
        """Counts and the faults by kind."""
        return {
            "file": self.file,
            "total": self.total,
            "read": len(self.items),
            "disputed": [item.id for item in self.disputed],
            "refused": self.refused,
            "faults": counted(self.faults),
        }


def load(path: str | Path, *, strict: bool = False) -> Questions:
    """Read a file of questions.

    Parameters
    ----------
    strict : raise at the first fault that takes an item out.

    Raises
    ------
    InputError : the file cannot be read at all, or holds no item that can; with ``strict`` any refused item.
    """
    found = Questions(Path(path).name)
    seen: dict[tuple[str, str], int] = {}
    for number, row, fault in read_lines(path):
        found.total += row is not None or (fault is not None and fault.severity == "refused")
        faults = [fault] if fault else []
        item = None
        if row is not None:
            item, faults = read_item(row, found.file, number)
        if item is not None and item.key in seen:
            what = f"repeats the id of line {seen[item.key]} in the same language."
            faults.append(Fault(found.file, number, item.id, "duplicate_id", what))
            item = None
        found.faults += faults
        refused = next((each for each in faults if each.severity == "refused"), None)
        if strict and refused is not None:
            raise InputError(refused.what, source=path, place=number, mend="Mend the line or drop --strict.")
        if item is not None:
            seen[item.key] = number
            aside = any(each.severity == "disputed" for each in faults)
            (found.disputed if aside else found.items).append(item)
    if not found.items:
        first = f" First fault: {found.faults[0]}" if found.faults else ""
        raise InputError(f"holds no question that can be asked.{first}", source=path)
    return found


def write(path: str | Path, items: Iterable[Item]) -> int:
    """Write items as JSON Lines; returns their number."""
    return write_lines(path, (item.as_json() for item in items))


def read_item(row: Mapping[str, Any], file: str, line: int) -> tuple[Item | None, list[Fault]]:
    """The item of an object, None where it cannot be one, and its faults."""
    identity = row.get("id")
    name = str(identity) if isinstance(identity, str | int) else ""
    faults: list[Fault] = []

    def fault(kind: str, what: str) -> None:
        faults.append(Fault(file, line, name, kind, what))

    lacking = [each for each in ("id", "language", "question", "options") if row.get(each) in (None, "")]
    if row.get("answer") is None and row.get("answer_index") is None:
        lacking.append("answer_index")
    if lacking:
        fault("missing_key", f"lacks {' and '.join(lacking)}.")
        return None, faults
    if (
        isinstance(identity, bool)
        or not isinstance(identity, str | int)
        or not isinstance(row["question"], str)
    ):
        fault("wrong_type", "has an id or a question that is no text.")
        return None, faults
    wrong = [each for each in _TEXTS if not isinstance(row.get(each) or "", str)]
    if wrong or (row.get("control") or "") not in ("", *CONTROLS):
        fault("wrong_type", f"has a wrong {' and '.join(wrong) or 'control'}.")
        return None, faults
    try:
        language = read_language(row["language"])
    except InputError as error:
        fault("language", str(error))
        return None, faults
    if not is_listed(language.code):
        fault("unlisted_language", f"is in {language.tag}, which has no ISO 639-1 code: default rules hold.")
    options = _options(row["options"], fault)
    place = _right(row, options, language.code, fault) if options is not None else None
    labels, order = _lists(row, len(options or ()), fault)
    if options is None or place is None or any(each.severity == "refused" for each in faults):
        return None, faults
    _doubles(options, place, language.code, fault)
    if row.get("disputed") is True:
        fault("marked_disputed", "is marked as disputed.")
    item = Item(
        id=name,
        language=language,
        question=row["question"],
        options=options,
        answer_index=place,
        question_type=row.get("question_type") or UNKNOWN,
        region=row.get("region") or UNKNOWN,
        source=row.get("source") or UNKNOWN,
        question_en=row.get("question_en") or "",
        control=row.get("control") or "",
        control_of=row.get("control_of") or "",
        labels=labels,
        order=order,
        line=line,
        extra={each: value for each, value in row.items() if each not in _KNOWN},
    )
    return item, faults


def _options(listed: Any, fault: Any) -> tuple[str, ...] | None:
    """The options' texts; numbers are taken as their text."""
    if not isinstance(listed, list):
        fault("options_not_list", f"has options that are no list but {type(listed).__name__}.")
        return None
    if len(listed) < 2:
        fault("too_few_options", f"has {len(listed)} options.")
        return None
    if any(isinstance(each, bool) or not isinstance(each, str | int | float) for each in listed):
        fault("wrong_type", "has an option that is no text.")
        return None
    options = tuple(str(each) for each in listed)
    empty = [place for place, each in enumerate(options) if not each.strip()]
    if empty:
        fault("empty_option", f"has an empty option at index {empty[0]}.")
        return None
    return options


def _right(row: Mapping[str, Any], options: tuple[str, ...], language: str, fault: Any) -> int | None:
    """The index of the right option, from answer_index and answer, which must agree."""
    answer, place = row.get("answer"), row.get("answer_index")
    answer = str(answer) if isinstance(answer, int | float) and not isinstance(answer, bool) else answer
    if place is not None and (isinstance(place, bool) or not isinstance(place, int)):
        fault("wrong_type", f"has the answer_index {place!r}, which is no whole number.")
        return None
    if place is not None and not 0 <= place < len(options):
        fault("index_out_of_range", f"has answer_index {place} and options 0 to {len(options) - 1}.")
        return None
    if answer is None:
        return place
    if not isinstance(answer, str):
        fault("wrong_type", "has an answer that is no text.")
        return None
    if place is None:
        equal = [i for i, each in enumerate(options) if each == answer] or [
            i for i, each in enumerate(options) if key(each, language) == key(answer, language)
        ]
        if not equal:
            fault("answer_differs", f"has the answer {answer!r}, which is no option.")
            return None
        return equal[0]
    if options[place] != answer:
        if key(options[place], language) != key(answer, language):
            fault(
                "answer_differs",
                f"has the answer {answer!r} and the option {options[place]!r} at index {place}.",
            )
            return None
        fault(
            "answer_spelled_differently", f"spells its answer {answer!r} and the option {options[place]!r}."
        )
    return place


def _doubles(options: tuple[str, ...], place: int, language: str, fault: Any) -> None:
    keys = [key(each, language) for each in options]
    twin = next((i for i, own in enumerate(keys) if i != place and own == keys[place]), None)
    if twin is not None:
        fault(
            "duplicate_right_option",
            f"has its right option at index {place} again at index {twin}: disputed.",
        )
    wrong = [own for i, own in enumerate(keys) if i != place]
    if len(set(wrong)) < len(wrong):
        fault("duplicate_options", "has a wrong option twice.")


def _lists(row: Mapping[str, Any], count: int, fault: Any) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Labels and order, which must be as long as the options; empty where the file has none."""
    labels, order = row.get("labels") or [], row.get("order") or []
    if (
        count
        and labels
        and (not isinstance(labels, list) or len(labels) != count or len(set(map(str, labels))) < count)
    ):
        fault("wrong_type", "has labels that are not one for each option.")
        labels = []
    if (
        count
        and order
        and (not isinstance(order, list) or sorted(map(repr, order)) != sorted(map(repr, range(count))))
    ):
        fault("wrong_type", "has an order that is none of its options.")
        order = []
    return tuple(map(str, labels)) if count else (), tuple(order) if count else ()
