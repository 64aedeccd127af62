"""Reading template files.

A file ``templates/<family>/<template>.yaml`` holds what its sub-templates share and, under ``subtemplates``, what
each has of its own (any key may be overridden; ``params``, ``bind``, ``facts`` and ``roles`` are merged). The SQL
stands beside it in ``<template>.sql`` unless ``sql_file`` names another. ``{name}`` in steps and SQL is replaced by
the value in ``params`` or ``bind``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from multiglobeqa.errors import TemplateError
from multiglobeqa.taxonomy.check_shape import missing_files, model_faults, shape_faults, type_faults
from multiglobeqa.taxonomy.check_wording import wording_faults
from multiglobeqa.taxonomy.document import Document
from multiglobeqa.taxonomy.model import SubTemplate
from multiglobeqa.taxonomy.subject import Subject

TEMPLATES = Path(__file__).with_name("templates")


def files_of(folder: Path) -> list[Path]:
    """The template files of a folder: ``<folder>/<family>/<template>.yaml``; ``golden`` holds cases, no templates."""
    return sorted(path for path in folder.glob("*/*.yaml") if path.parent.name != "golden")


def load(
    directory: Path | Sequence[Path] = TEMPLATES, only: Iterable[str] | None = None
) -> list[SubTemplate]:
    """All sub-templates below a folder, or several, ordered by id.

    ``only`` keeps the named sub-templates, templates or families ("A01.a", "A01", "A").
    Raises TemplateError naming file, line and mend.
    """
    directories = [directory] if isinstance(directory, Path) else list(directory)
    for folder in directories:
        if not files_of(folder):
            raise TemplateError(
                "holds no template.",
                source=folder,
                mend="Templates stand in <folder>/<family>/<template>.yaml.",
            )
    files = [path for folder in directories for path in files_of(folder)]
    found: list[SubTemplate] = []
    seen: dict[str, Path] = {}
    for path in files:
        for sub in load_file(path):
            if sub.id in seen:
                line = Document(path).line(sub.id.partition(".")[2] or "_")
                what = f"{sub.id} is defined again; first in {seen[sub.id]}."
                raise TemplateError(what, source=path, place=line, mend="Choose another id.")
            seen[sub.id] = path
            found.append(sub)
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
    """The sub-templates of one file.

    Raises TemplateError naming file, line and mend: of its YAML, its shape, its wordings, a SQL file that is missing.
    """
    document = Document(path)
    if not document.letters():
        raise document.without_subtemplates().error()
    return [_sub_template(Subject(document, letter)) for letter in document.letters()]


def _sub_template(sub: Subject) -> SubTemplate:
    faults = type_faults(sub) or [*shape_faults(sub), *wording_faults(sub), *missing_files(sub)]
    for fault in faults or model_faults(sub, ()):
        raise fault.error()
    return SubTemplate.model_validate(sub.fields())
