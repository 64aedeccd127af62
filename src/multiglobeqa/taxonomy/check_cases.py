"""Faults of what a sub-template needs beside its files: a solver, and a golden case with its answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from multiglobeqa.errors import TemplateError
from multiglobeqa.taxonomy.check_facts import geometries_missing, is_stub
from multiglobeqa.taxonomy.check_wording import TODO
from multiglobeqa.taxonomy.document import Fault, fault_of
from multiglobeqa.taxonomy.source import parse_yaml, read_text
from multiglobeqa.taxonomy.subject import Subject

_TOLD: Final = ("answer", "by_resolution", "failure")


@dataclass
class _Case:
    """A golden case: where it stands, and whether it says what must come out."""

    file: Path
    line: int
    filled: bool


class Cases:
    """The golden cases of some folders. ``faults``: what is wrong with their files."""

    def __init__(self, folders: Iterable[Path]) -> None:
        self.faults: list[Fault] = []
        self._cases: dict[str, list[_Case]] = {}
        for folder in folders:
            for file in sorted(folder.glob("*.yaml")):
                try:
                    self.faults += self._read(file)
                except TemplateError as error:
                    self.faults.append(fault_of(error, file))

    def of(self, sub: Subject) -> Iterator[Fault]:
        """Faults of a sub-template's golden cases."""
        mine = self._cases.get(sub.id, [])
        if not mine:
            yield sub.fault(
                sub.line(),
                "has no golden case.",
                "Add one with sub, roles and answer; see docs/add-a-template.md.",
            )
        elif not any(case.filled for case in mine):
            first = mine[0]
            yield Fault(
                first.file, first.line, "the golden case is not filled.", "Write roles and answer.", sub.id
            )

    def _read(self, file: Path) -> Iterator[Fault]:
        rows, node = parse_yaml(read_text(file), file)
        if rows is None or node is None:
            return
        if not isinstance(rows, list):
            yield Fault(file, 1, "is no list of golden cases.", "Write `- {sub: .., roles: .., answer: ..}`.")
            return
        for row, place in zip(rows, node.value, strict=True):
            line = place.start_mark.line + 1
            if not isinstance(row, dict) or "sub" not in row:
                yield Fault(
                    file, line, "is no golden case: it names no `sub`.", "Write sub, roles and answer."
                )
                continue
            whole = any(key in row for key in _TOLD) and TODO not in str(row)
            self._cases.setdefault(str(row["sub"]), []).append(_Case(file, line, whole))


def solver_faults(sub: Subject, solvers: Mapping[str, Any]) -> Iterator[Fault]:
    """No solver, a stub, or one that asks for geometries that the facts do not state."""
    solver = solvers.get(sub.id)
    if solver is None:
        yield sub.fault(
            sub.line(), "has no solver.", "Add one to SOLVERS, or name its file with --solver FILE.py."
        )
        return
    if not sub.roles or not isinstance(sub.row.get("format"), str):
        return
    row = {**sub.row, "id": sub.id, "roles": sub.roles}
    if is_stub(solver, row):
        yield sub.fault(sub.line(), "the solver is a stub: it raises NotImplementedError.", "Write it.")
    columns = [name for name in sub.columns if name.startswith("p_")]
    for group in sorted(geometries_missing(solver, row, sub.facts, columns)):
        yield sub.fault(
            sub.line("facts", group),
            f"the facts of {group} lack the geometry that the solver asks for.",
            "Add geometry.",
        )
