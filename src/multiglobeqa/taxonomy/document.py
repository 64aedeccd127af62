"""A template file as YAML with line numbers, for faults that name their place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from multiglobeqa.taxonomy.model import fill

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
        name = f"{self.sub}: " if self.sub else ""
        return f"{self.file}:{self.line}: {name}{self.what} {self.mend}".rstrip()


class Document:
    """A template file: its content, its sub-templates merged, and the line of each key.

    Raises yaml.YAMLError where the file is not YAML.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        text = path.read_text("utf-8")
        self._root = yaml.compose(text, Loader=yaml.SafeLoader)
        content = yaml.safe_load(text)
        self.content: dict[Any, Any] = content if isinstance(content, dict) else {}
        self.template = str(self.content.get("template", path.stem))

    def letters(self) -> list[str]:
        """The letters of the sub-templates; empty where there is no mapping of them."""
        subs = self.content.get("subtemplates")
        return list(map(str, subs)) if isinstance(subs, dict) else []

    def identity(self, letter: str) -> str:
        """A01.a, or A01 for the letter "_"."""
        return self.template if letter == "_" else f"{self.template}.{letter}"

    def merged(self, letter: str) -> dict[str, Any]:
        """What the file and the sub-template say together, before values are filled in."""
        shared = {k: v for k, v in self.content.items() if k not in ("subtemplates", "template")}
        own = self.content["subtemplates"][letter]
        own = own if isinstance(own, dict) else {}
        merged = {**shared, **own}
        for key in MERGED:
            parts = [part[key] for part in (shared, own) if isinstance(part.get(key), Mapping)]
            if parts:
                merged[key] = {name: value for part in parts for name, value in part.items()}
        return merged

    def line(self, letter: str, *keys: str | int) -> int:
        """The line of a key of a sub-template: its own, else the file's, else where the sub-template begins."""
        for count in range(len(keys), 0, -1):
            for path in (("subtemplates", letter, *keys[:count]), keys[:count]):
                if (found := self._find(path)) is not None:
                    return found
        return self._find(("subtemplates", letter)) or 1

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
