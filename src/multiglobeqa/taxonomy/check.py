"""Every fault of template files at once, each with file, line and mend (``mgqa templates check``).

`load` stops at the first fault of YAML and wordings, since a build must not start with one; here a file is read in
full: its YAML, its wordings, its facts, its SQL on empty tables, the solver and the golden cases.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from multiglobeqa.build.slips import NAMES
from multiglobeqa.errors import TemplateError
from multiglobeqa.taxonomy.check_cases import Cases, solver_faults
from multiglobeqa.taxonomy.check_query import QueryCheck
from multiglobeqa.taxonomy.check_shape import missing_files, model_faults, shape_faults, type_faults
from multiglobeqa.taxonomy.check_wording import Asked, unwritten, wording_faults
from multiglobeqa.taxonomy.document import Document, Fault, fault_of
from multiglobeqa.taxonomy.load import TEMPLATES, files_of
from multiglobeqa.taxonomy.subject import Subject

GOLDEN: Final = Path(__file__).parents[3] / "tests" / "taxonomy" / "golden" / "cases"
"""The golden cases of our own templates, where the source tree is at hand."""


@dataclass
class Checker:
    """The faults of template files. ``solvers``: id -> solver; ``cases``: folders of golden cases; None: unchecked."""

    solvers: Mapping[str, Any]
    cases: Iterable[Path] | None
    only: frozenset[str] = frozenset()
    checked: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._query = QueryCheck()
        self._cases = None if self.cases is None else Cases(self.cases)
        self._seen: dict[str, tuple[Path, int]] = {}

    def files(self, paths: Iterable[Path]) -> list[Fault]:
        """The faults of several files, in order of file and line."""
        found = [fault for path in paths for fault in self._file(path)]
        found += self._cases.faults if self._cases is not None else []
        return sorted(dict.fromkeys(found), key=_place)

    def _file(self, path: Path) -> Iterator[Fault]:
        try:
            document = Document(path)
        except TemplateError as error:
            yield fault_of(error, path)
            return
        yield from unwritten(path)
        if not document.letters():
            yield document.without_subtemplates()
            return
        asked = Asked()
        for letter in document.letters():
            identity = document.identity(letter)
            if self.only and not {identity, document.template, document.template[:1]} & self.only:
                continue
            self.checked.append(identity)
            yield from self._twice(document, letter)
            try:
                yield from self._sub(Subject(document, letter), asked)
            except TemplateError as error:  # its SQL cannot be read
                yield fault_of(error, Path(error.source or path))

    def _sub(self, sub: Subject, asked: Asked) -> Iterator[Fault]:
        if wrong := type_faults(sub):
            yield from wrong
            return
        found = [*shape_faults(sub), *_slips(sub), *wording_faults(sub), *missing_files(sub)]
        yield from found
        yield from asked.faults(sub)
        yield from self._query.faults(sub)
        yield from solver_faults(sub, self.solvers)
        if self._cases is not None:
            yield from self._cases.of(sub)
        yield from model_faults(sub, found)

    def _twice(self, document: Document, letter: str) -> Iterator[Fault]:
        identity, line = document.identity(letter), document.line(letter)
        if identity in self._seen:
            file, before = self._seen[identity]
            what = f"is defined again; first in {file.name}:{before}."
            yield Fault(document.path, line, what, "Choose another id.", identity)
        self._seen.setdefault(identity, (document.path, line))


def _place(fault: Fault) -> tuple[str, bool, str, int, str, str]:
    """YAML before SQL: a step that cannot be read makes the SQL wrong too."""
    file = fault.file
    return str(file.parent), file.suffix != ".yaml", file.name, fault.line, fault.sub, fault.what


def _slips(sub: Subject) -> Iterator[Fault]:
    for name in sub.row.get("slips") or {}:
        if name not in NAMES:
            yield sub.fault(
                sub.line("slips", name),
                f"{name!r} is no slip.",
                f"Known: {', '.join(NAMES)}; others are columns slip_*.",
            )


def check(
    targets: Iterable[Path | str] = (), *, solvers: Mapping[str, Any], cases: Path | None = None
) -> tuple[list[Fault], list[str]]:
    """The faults of the targets, and the sub-templates checked.

    ``targets``: folders of templates, template files, or ids (A01.a, A01, A) of ours; none: all of ours. ``cases``: a
    folder of golden cases besides those at their places: ``golden`` beside a template file, and, for ours, the tests of
    the source tree.
    """
    paths: list[Path] = []
    names: set[str] = set()
    faults: list[Fault] = []
    for target in targets:
        path = Path(target)
        if path.is_dir():
            below = files_of(path) or sorted(path.glob("*.yaml"))
            paths += below
            if not below:
                faults.append(
                    Fault(path, 1, "holds no template.", "Templates are files *.yaml in it or one below.")
                )
        elif path.is_file():
            paths.append(path)
        else:
            names.add(str(target))
    if names or not (paths or faults):
        paths += files_of(TEMPLATES)
    folders = [
        folder for folder in dict.fromkeys(path.parent / "golden" for path in paths) if folder.is_dir()
    ]
    folders += [cases] if cases is not None else []
    ours = any(TEMPLATES in path.parents for path in paths)
    if ours and GOLDEN.is_dir():
        folders.append(GOLDEN)
    checker = Checker(solvers, None if ours and not folders else folders, frozenset(names))
    faults += checker.files(paths)
    missing = sorted(name for name in names if not any(name in (i, i[:3], i[:1]) for i in checker.checked))
    faults += [
        Fault(
            Path(name),
            1,
            "is neither a folder, a file nor a sub-template.",
            "`mgqa templates list` prints all.",
        )
        for name in missing
    ]
    return faults, checker.checked


def demand(folders: Sequence[Path], *, solvers: Mapping[str, Any], only: Iterable[str] = ()) -> None:
    """Check folders of templates before a build, all but their golden cases.

    Raises TemplateError with the first fault, and how many there are.
    """
    paths = [path for folder in folders for path in files_of(folder)]
    if not paths:
        return
    faults = Checker(solvers, None, frozenset(only)).files(paths)
    if faults:
        rest = f"{len(faults) - 1} more: `mgqa templates check` prints all." if len(faults) > 1 else ""
        raise faults[0].error(rest)
