"""The text and the YAML of template files: what cannot be read is an error that names file, line and mend."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import yaml

from multiglobeqa.errors import TemplateError

_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f]")


class _Loader(yaml.SafeLoader):
    """Values that no Python value stands for (a 13th month) are errors with a line."""

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep=deep)
        except yaml.YAMLError:
            raise
        except Exception as error:
            what = f"a value cannot be read ({error})"
            raise yaml.constructor.ConstructorError(None, None, what, node.start_mark) from error


def read_text(path: Path) -> str:
    """A UTF-8 text, with or without a byte order mark, whatever ends its lines.

    Raises TemplateError with the line where the bytes are no UTF-8 or a control character stands.
    """
    content = path.read_bytes()
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # error.start counts from behind a byte order mark, which holds no line end
        raise TemplateError(
            f"is not UTF-8: byte 0x{error.object[error.start]:02x}.",
            source=path,
            place=error.object[: error.start].count(b"\n") + 1,
            mend="Save the file as UTF-8.",
        ) from error
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if found := _CONTROL.search(text):
        raise TemplateError(
            f"holds the control character 0x{ord(found[0]):02x}.",
            source=path,
            place=text[: found.start()].count("\n") + 1,
            mend="Take it out.",
        )
    return text


def bare(sql: str) -> str:
    """A SELECT without the semicolon at its end, to stand in brackets; a comment may end its last line."""
    return re.sub(r";\s*((?:--[^\n]*\s*)*)\Z", r"\1", sql).rstrip()


def parse_yaml(text: str, path: Path) -> tuple[Any, yaml.Node | None]:
    """The content of a YAML text, and its nodes, which know their lines; (None, None) of an empty one.

    Raises TemplateError with the line where it is not YAML, a mapping has a key twice, or an alias holds itself.
    """
    loader = None
    try:
        loader = _Loader(text)
        node = loader.get_single_node()
        if node is None:
            return None, None
        for line, what, mend in _oddities(node):
            raise TemplateError(what, source=path, place=line, mend=mend)
        return loader.construct_document(node), node
    except yaml.reader.ReaderError as error:
        line = text[: error.position].count("\n") + 1
        raise TemplateError(
            f"is not YAML: {error.reason}.", source=path, place=line, mend="Take the character out."
        ) from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        problem = getattr(error, "problem", None) or str(error)
        raise TemplateError(
            f"is not YAML: {problem}.",
            source=path,
            place=mark.line + 1 if mark else 1,
            mend="Indent with spaces, not tabs."
            if "'\\t'" in problem
            else "Mend the line or the one before it.",
        ) from error
    except RecursionError as error:
        raise TemplateError(
            "is not YAML: it is nested too deep.", source=path, place=1, mend="A template needs six levels."
        ) from error
    finally:
        if loader is not None:
            loader.dispose()


def _oddities(node: yaml.Node, above: tuple[yaml.Node, ...] = ()) -> Iterator[tuple[int, str, str]]:
    """Keys that stand twice, aliases that hold themselves, halves of characters: (line, what, mend)."""
    line = node.start_mark.line + 1
    if any(node is one for one in above):
        yield line, "holds itself through an alias.", "Write the value out."
        return
    inside = (*above, node)
    if isinstance(node, yaml.ScalarNode) and re.search("[\ud800-\udfff]", node.value):
        yield line, "holds half of a surrogate pair.", "Write the character itself."
    if isinstance(node, yaml.SequenceNode):
        for value in node.value:
            yield from _oddities(value, inside)
    elif isinstance(node, yaml.MappingNode):
        seen: dict[tuple[str, str], int] = {}
        for key, value in node.value:
            if isinstance(key, yaml.ScalarNode):
                at = key.start_mark.line + 1
                name = (key.tag, key.value)
                if name in seen:
                    first = f"first in line {seen[name]}"
                    yield at, f"the key {key.value!r} stands twice; {first}.", "Take one out."
                seen[name] = at
            yield from _oddities(value, inside)
