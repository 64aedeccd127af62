"""Faults of a sub-template's wordings: placeholders that nothing fills, roles left out, two that are alike."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from multiglobeqa.taxonomy.document import Fault
from multiglobeqa.taxonomy.model import fill
from multiglobeqa.taxonomy.source import read_text
from multiglobeqa.taxonomy.subject import Subject

TODO: Final = "TODO"
_PLACEHOLDER: Final = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")


class Asked:
    """What was asked so far, to find two sub-templates that ask in the same words of the same candidates."""

    def __init__(self) -> None:
        self._first: dict[tuple[Any, ...], tuple[str, int]] = {}

    def faults(self, sub: Subject) -> Iterator[Fault]:
        """The wordings of a sub-template that another has already."""
        hint = _plain(fill(str(sub.row.get("scale_hint")), sub.values))
        for text, at in _texts(sub):
            plain = _plain(fill(text, sub.values))
            if "class_" in plain and "level" in sub.named:
                continue  # the level's word comes from the row
            other, line = self._first.setdefault((plain, hint, repr(sub.raw_steps)), (sub.id, at))
            if other != sub.id:
                yield sub.fault(
                    at,
                    f"asks in the same words as {other} (line {line}), and of the same candidates.",
                    "Tell them apart by a word of params or bind.",
                )


def wording_faults(sub: Subject) -> Iterator[Fault]:
    """What is wrong with the wordings of one sub-template."""
    said = sub.row.get("paraphrases")
    if said is not None and not 1 <= len(said) <= 5:
        yield sub.fault(sub.line("paraphrases"), f"has {len(said)} paraphrases.", "Write 1 to 5.")
    texts = _texts(sub)
    for text, at in texts:
        if not text.strip():
            yield sub.fault(at, "the paraphrase is empty.", "Write it or take the line out.")
            continue
        yield from _placeholders(sub, text, at)
        used = _PLACEHOLDER.findall(text)
        for role in [role for role in sub.roles if role not in used]:
            yield sub.fault(at, f"the paraphrase does not name the role {role}.", f"Put {{{role}}} into it.")
    if isinstance(hint := sub.row.get("scale_hint"), str):
        yield from _placeholders(sub, hint, sub.line("scale_hint"))
    said_in: dict[str, int] = {}
    for text, at in texts:
        plain = _plain(fill(text, sub.values))
        if plain in said_in:
            yield sub.fault(
                at, f"two paraphrases are alike; the other stands in line {said_in[plain]}.", "Change one."
            )
        said_in.setdefault(plain, at)


def unwritten(path: Path) -> Iterator[Fault]:
    """The lines of a file that still say TODO."""
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if TODO in line:
            yield Fault(
                path, number, "is not written yet: the line says TODO.", "Write it and take the word out."
            )


def _texts(sub: Subject) -> list[tuple[str, int]]:
    """The paraphrases that are texts, with their lines."""
    said = sub.row.get("paraphrases") or ()
    return [(t, sub.line("paraphrases", place)) for place, t in enumerate(said) if isinstance(t, str)]


def _placeholders(sub: Subject, text: str, at: int) -> Iterator[Fault]:
    known = f"Known: {', '.join(sorted(sub.fillable))}."
    for name in dict.fromkeys(_PLACEHOLDER.findall(text)):
        if name not in sub.fillable:
            yield sub.fault(at, f"no role or parameter fills {{{name}}}.", known)
    if stray := re.search(r"\{[^{}]*\}?|\}", _PLACEHOLDER.sub("*", text)):
        yield sub.fault(
            at,
            f"{stray[0]!r} is no placeholder.",
            f"Write {{NAME}}, without spaces or braces inside. {known}",
        )


def _plain(text: str) -> str:
    """A wording without its case, spaces and stops."""
    return " ".join(re.findall(r"[^\W_]+|\{\w+\}", text.casefold()))
