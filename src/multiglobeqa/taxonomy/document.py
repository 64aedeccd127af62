"""A template file as YAML with line numbers, for faults that name their place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from multiglobeqa.errors import TemplateError
from multiglobeqa.taxonomy.model import fill
from multiglobeqa.taxonomy.source import parse_yaml, read_text

MERGED: Final = ("params", "bind", "facts", "roles", "slips")
"""Keys whose mappings of file and sub-template are joined; of the others the sub-template's stands alone."""


@dataclass(frozen=True)
class Fault:
    """One fault of a template: where it is, what is wrong, what to do."""

    file: Path
    line: int
    what: str
    mend: str
    sub: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self._named()} {self.mend}".rstrip()

    def _named(self) -> str:
        return f"{self.sub}: {self.what}" if self.sub else self.what

    def error(self, more: str = "") -> TemplateError:
        """The fault as an error; ``more`` is put behind the mend."""
        return TemplateError(
            self._named(), source=self.file, place=self.line, mend=f"{self.mend} {more}".strip()
        )


def fault_of(error: TemplateError, path: Path) -> Fault:
    """An error of reading a file as a fault."""
    return Fault(path, int(error.place or 1), error.what, error.mend)


class Document:
    """A template file: its text, its content, its sub-templates merged, and the line of each key.

    Raises TemplateError with file and line where the file cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self.path, self.text = path, read_text(path)
        content, self._root = parse_yaml(self.text, path)
        self.content: dict[Any, Any] = content if isinstance(content, dict) else {}
        self.template = str(self.content.get("template", path.stem))
        subs = self.content.get("subtemplates")
        self._own = {str(letter): own for letter, own in subs.items()} if isinstance(subs, dict) else {}

    def letters(self) -> list[str]:
        """The letters of the sub-templates; empty where there is no mapping of them."""
        return list(self._own)

    def without_subtemplates(self) -> Fault:
        """The fault of a file that has none."""
        line = self._find(("subtemplates",)) or 1
        return Fault(
            self.path, line, "has no mapping `subtemplates`.", "Add one: a letter and what is its own."
        )

    def identity(self, letter: str) -> str:
        """A01.a, or A01 for the letter "_"."""
        return self.template if letter == "_" else f"{self.template}.{letter}"

    def own(self, letter: str) -> Any:
        """What stands under the letter; none reads as an empty mapping."""
        return {} if self._own[letter] is None else self._own[letter]

    def merged(self, letter: str) -> dict[str, Any]:
        """What the file and the sub-template say together, before values are filled in."""
        shared = {k: v for k, v in self.content.items() if k not in ("subtemplates", "template")}
        own = self.own(letter)
        own = own if isinstance(own, dict) else {}
        merged = {str(key): value for key, value in {**shared, **own}.items()}
        for key in MERGED:
            parts = [part[key] for part in (shared, own) if part.get(key) is not None]
            if parts and all(isinstance(part, Mapping) for part in parts):
                merged[key] = {name: value for part in parts for name, value in part.items()}
        return merged

    def line(self, letter: str, *keys: str | int) -> int:
        """The line of a key of a sub-template: its own, else the file's, else where the sub-template begins."""
        for count in range(len(keys), 0, -1):
            for path in (("subtemplates", letter, *keys[:count]), keys[:count]):
                if (found := self._find(path)) is not None:
                    return found
        return self._find(("subtemplates", letter)) or self._find(("subtemplates",)) or 1

    def _find(self, path: tuple[str | int, ...]) -> int | None:
        node, line = self._root, None
        for key in path:
            found = _child(node, key)
            if found is None:
                return None
            node, line = found
        return line


def _child(node: Any, key: str | int) -> tuple[Any, int] | None:
    if isinstance(node, yaml.SequenceNode):
        if isinstance(key, int) and key < len(node.value):
            return node.value[key], node.value[key].start_mark.line + 1
        return None
    if not isinstance(node, yaml.MappingNode):
        return None
    for name, value in node.value:
        if name.value == str(key):
            return value, name.start_mark.line + 1
    for name, value in node.value:  # <<: *anchor
        if name.tag == "tag:yaml.org,2002:merge":
            for source in value.value if isinstance(value, yaml.SequenceNode) else [value]:
                if (found := _child(source, key)) is not None:
                    return found
    return None


def filled(value: Any, values: Mapping[str, Any]) -> Any:
    """A tree of YAML values with ``{name}`` replaced in every text."""
    if isinstance(value, str):
        return fill(value, dict(values))
    if isinstance(value, list):
        return [filled(item, values) for item in value]
    if isinstance(value, dict):
        return {key: filled(item, values) for key, item in value.items()}
    return value
