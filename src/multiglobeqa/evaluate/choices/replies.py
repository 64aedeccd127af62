"""Replies to multiple-choice questions, as files give them, and which question each belongs to.

One object a line, or one JSON list, or the article's ``eval_result.json`` (its ``detail``): ``id``; ``language`` where
one id is asked in several; the raw text under one of TEXT_KEYS, or an ``answer``, or ``declined``; ``status`` or
``error`` where no reply came; ``logprobs`` and ``confidence`` if there are (see ``confidence``).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from multiglobeqa.errors import InputError
from multiglobeqa.evaluate.choices.faults import Fault
from multiglobeqa.evaluate.choices.items import Item
from multiglobeqa.evaluate.choices.jsonl import Line, read_lines
from multiglobeqa.evaluate.choices.languages import read_language

TEXT_KEYS: Final = ("text", "reply", "prediction", "raw_output", "output", "response")
FAILED: Final = ("budget", "overflow", "harness")
"""Statuses of the runner: no reply came."""
NAMED: Final = 20

Key = tuple[str, str]


@dataclass
class Intake:
    """What became of a file's lines. Lists name the first 20, counts count all."""

    file: str = ""
    read: int = 0
    used: int = 0
    repeated: int = 0
    replaced: int = 0
    aside: int = 0
    unknown: int = 0
    broken: int = 0
    named: list[str] = field(default_factory=list)

    def name(self, text: str) -> None:
        """Add a line to what is named."""
        if len(self.named) < NAMED:
            self.named.append(text)


def read_replies(path: str | Path) -> tuple[list[tuple[int, dict[str, Any]]], list[Fault]]:
    """The objects of a replies file with their line numbers, and the lines that cannot be read.

    Raises
    ------
    InputError : the file is not there or cannot be read as text.
    """
    path = Path(path)
    lines = list(_detail(path) or read_lines(path))
    rows = [(number, row) for number, row, _ in lines if row is not None]
    return rows, [fault for _, _, fault in lines if fault is not None and fault.severity == "refused"]


def matched(
    rows: Sequence[tuple[int, Mapping[str, Any]]],
    faults: Sequence[Fault],
    items: Sequence[Item],
    *,
    aside: Sequence[Item] = (),
    file: str = "replies",
) -> tuple[dict[Key, Mapping[str, Any]], Intake]:
    """Each item's reply by id and ISO 639-3 code, and what became of all lines.

    Of several replies to one item the last counts (a log's later attempt); where they differ it is named. A reply to
    no item of the file is named and counted, one to an item that was set aside is counted.
    """
    intake = Intake(file, read=len(rows) + len(faults), broken=len(faults))
    for fault in faults:
        intake.name(str(fault))
    languages: dict[str, list[str]] = {}
    known = {item.key for item in items}
    for item in (*items, *aside):
        languages.setdefault(item.id, []).append(item.language.code)
    replies: dict[Key, Mapping[str, Any]] = {}
    for number, row in rows:
        key, fault_text = _key(row, languages)
        if key is None:
            intake.unknown += 1
            intake.name(f"{file}:{number}: {fault_text}")
        elif key not in known:
            intake.aside += 1
        else:
            if key in replies:
                same = {**replies[key]} == {**row}
                intake.repeated += same
                intake.replaced += not same
                if not same:
                    intake.name(
                        f"{file}:{number}: {key[0]}: replies a second time and otherwise: the last counts."
                    )
            replies[key] = row
    intake.used = len(replies)
    return replies, intake


def _key(row: Mapping[str, Any], languages: Mapping[str, Sequence[str]]) -> tuple[Key | None, str]:
    identity = row.get("id")
    name = str(identity) if isinstance(identity, str | int) and not isinstance(identity, bool) else ""
    if not name:
        return None, "has no id."
    if name not in languages:
        return None, f"{name}: is no question of the file."
    asked = languages[name]
    if row.get("language") is None:
        if len(asked) > 1:
            return None, f"{name}: is asked in {len(asked)} languages, and the reply names none."
        return (name, asked[0]), ""
    try:
        code = read_language(row["language"]).code
    except InputError as error:
        return None, f"{name}: {error}"
    return ((name, code), "") if code in asked else (None, f"{name}: is not asked in {row['language']}.")


def _detail(path: Path) -> list[Line] | None:
    """The ``detail`` of an eval_result.json; None where the file is none."""
    try:
        with path.open("rb") as stream:
            head = stream.read(4096)
        if b'"summary"' not in head and b'"detail"' not in head:
            return None
        data = json.loads(path.read_bytes().decode("utf-8"))
    except (OSError, ValueError, RecursionError):
        return None  # what is wrong is told when it is read as lines
    detail = data.get("detail") if isinstance(data, dict) else None
    if not isinstance(detail, list) or not all(isinstance(row, dict) for row in detail):
        return None
    return [(number, row, None) for number, row in enumerate(detail, 1)]
