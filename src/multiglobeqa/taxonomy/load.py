"""Reading template files.

A file ``templates/<family>/<template>.yaml`` holds what its sub-templates share and, under ``subtemplates``, what
each has of its own (any key may be overridden; ``params``, ``bind``, ``facts`` and ``roles`` are merged). The SQL
stands beside it in ``<template>.sql`` unless ``sql_file`` names another. ``{name}`` in steps and SQL is replaced by
the value in ``params`` or ``bind``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from multiglobeqa.errors import TemplateError
from multiglobeqa.taxonomy.model import FAMILIES, SubTemplate, fill

TEMPLATES = Path(__file__).with_name("templates")
_MERGED = ("params", "bind", "facts", "roles", "slips")


def load(
    directory: Path | Sequence[Path] = TEMPLATES, only: Iterable[str] | None = None
) -> list[SubTemplate]:
    """All sub-templates below a folder, or several, ordered by id.

    ``only`` keeps the named sub-templates, templates or families ("A01.a", "A01", "A").
    Raises TemplateError naming file, line and mend.
    """
    directories = [directory] if isinstance(directory, Path) else list(directory)
    for folder in directories:
        if not any(folder.glob("*/*.yaml")):
            raise TemplateError(
                "holds no template.",
                source=folder,
                mend="Templates stand in <folder>/<family>/<template>.yaml.",
            )
    files = [path for folder in directories for path in sorted(folder.glob("*/*.yaml"))]
    found = [sub for path in files for sub in load_file(path)]
    seen: dict[str, str] = {}
    for sub in found:
        if sub.id in seen:
            raise TemplateError(f"{sub.id} is defined again; first in {seen[sub.id]}.", source=sub.source)
        seen[sub.id] = sub.source
    if only is not None:
        wanted = set(only)
        known = {name for sub in found for name in (sub.id, sub.template, sub.family)}
        if unknown := wanted - known:
            raise TemplateError(
                f"no sub-template {sorted(unknown)[0]!r}.",
                source=", ".join(map(str, directories)),
                mend="`mgqa templates list` prints all.",
            )
        found = [sub for sub in found if {sub.id, sub.template, sub.family} & wanted]
    return sorted(found, key=lambda sub: sub.id)


def load_file(path: Path) -> list[SubTemplate]:
    """The sub-templates of one file."""
    text = path.read_text("utf-8")
    try:
        content = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        raise TemplateError(
            f"is not YAML: {getattr(error, 'problem', error)}.",
            source=path.name,
            place=mark.line + 1 if mark else None,
        ) from error
    if not isinstance(content, dict) or not isinstance(content.get("subtemplates"), dict):
        raise TemplateError("has no mapping `subtemplates`.", source=path.name, place=1)
    shared = {key: value for key, value in content.items() if key != "subtemplates"}
    return [
        _sub_template(path, text, shared, letter, own or {})
        for letter, own in content["subtemplates"].items()
    ]


def _sub_template(
    path: Path, text: str, shared: dict[str, Any], letter: str, own: dict[str, Any]
) -> SubTemplate:
    merged = {**shared, **own}
    for key in _MERGED:
        if key in shared or key in own:
            merged[key] = {**shared.get(key, {}), **own.get(key, {})}
    template = str(merged.pop("template", path.stem))
    identity = template if letter == "_" else f"{template}.{letter}"
    sql_path = path.with_name(str(merged.pop("sql_file", f"{template}.sql")))
    if not sql_path.is_file():
        raise TemplateError(f"{identity}: the SQL file {sql_path.name} is missing.", source=path.name)
    sql = sql_path.read_text("utf-8")
    values = {**merged.get("params", {}), **merged.get("bind", {})}
    merged["steps"] = _filled(merged.get("steps", []), values)
    texts = [text, sql]
    if isinstance(merged.get("false_premise"), dict):
        variant = dict(_filled(merged["false_premise"], values))
        false_path = path.with_name(str(variant.pop("sql_file", f"{template}.fp.sql")))
        if not false_path.is_file():
            raise TemplateError(f"{identity}: the SQL file {false_path.name} is missing.", source=path.name)
        texts.append(false_path.read_text("utf-8"))
        merged["false_premise"] = {**variant, "sql": fill(texts[-1], values)}
    merged |= {
        "id": identity,
        "family": template[:1],
        "template": template,
        "sql": fill(sql, values),
        "source": f"{template[:1]}/{path.name}",
        "sha256": hashlib.sha256("\0".join(texts).encode()).hexdigest(),
    }
    if template[:1] not in FAMILIES:
        raise TemplateError(f"template {template!r} is of no family A to N.", source=path.name, place=1)
    try:
        return SubTemplate.model_validate(merged)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise TemplateError(
            f"{identity}: {where + ': ' if where else ''}{first['msg'].removeprefix('Value error, ')}.",
            source=path.name,
            place=_line_of(text, letter, first),
        ) from error


def _filled(value: Any, params: dict[str, Any]) -> Any:
    if isinstance(value, str):
        return fill(value, params)
    if isinstance(value, list):
        return [_filled(item, params) for item in value]
    if isinstance(value, dict):
        return {key: _filled(item, params) for key, item in value.items()}
    return value


def _line_of(text: str, letter: str, error: Any) -> int:
    """The line of the offending key: searched by its own words, else the sub-template's line."""
    needles = [part for part in reversed(error["loc"]) if isinstance(part, str)]
    quoted = [word for word in reversed(str(error["msg"]).split("'")[1::2]) if word]
    lines = text.splitlines()
    for needle in (*quoted, *(f"{needle}:" for needle in needles)):
        for number, line in enumerate(lines, 1):
            if needle in line:
                return number
    for number, line in enumerate(lines, 1):
        if line.strip().startswith(f"{letter}:"):
            return number
    return 1
