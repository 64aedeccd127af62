"""Solvers of a user's own templates: a Python file with a mapping ``SOLVERS`` of sub-template id -> solver.

A solver takes a `Question` and `Facts` and returns a `Solution`, as those of this package do.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from multiglobeqa.solver import SOLVERS, Solver
from multiglobeqa.solver.errors import SolverError

_REGISTERED: Final[dict[Path, tuple[str, ...]]] = {}


def load_solvers(path: str | Path) -> dict[str, Solver]:
    """The solvers of a file. Raises SolverError naming file and line where it cannot be run or holds none."""
    file = Path(path)
    if not file.is_file():
        raise SolverError("There is no such solver file.", source=str(file))
    spec = importlib.util.spec_from_file_location(
        f"multiglobeqa_user_{re.sub(r'[^0-9A-Za-z_]', '_', file.stem)}", file
    )
    if spec is None or spec.loader is None:
        raise SolverError("The solver file is no Python file.", source=str(file), mend="Name it *.py.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise SolverError(
            f"The solver file does not run: {type(error).__name__}: {error}.",
            source=str(file),
            place=_line(error, file),
        ) from error
    found = getattr(module, "SOLVERS", None)
    if not isinstance(found, dict) or not found:
        raise SolverError(
            "The solver file has no mapping SOLVERS.", source=str(file), mend='Write SOLVERS = {"A99.a": f}.'
        )
    for identity, solver in found.items():
        if not re.fullmatch(r"[A-N]\d\d(\.[a-z])?", str(identity)) or not callable(solver):
            raise SolverError(
                f"SOLVERS holds {identity!r}: {solver!r}.",
                source=str(file),
                mend="A sub-template id -> a function.",
            )
    return found


def register(path: str | Path) -> tuple[str, ...]:
    """Add the solvers of a file to `SOLVERS`, for ``solve``, the build and verify; their ids. Twice is once.

    Raises SolverError where an id has a solver already.
    """
    file = Path(path).resolve()
    if file in _REGISTERED:
        return _REGISTERED[file]
    found = load_solvers(file)
    if taken := sorted(set(found) & set(SOLVERS)):
        raise SolverError(
            f"{taken[0]} has a solver already.", source=str(file), mend="Choose another template id."
        )
    SOLVERS.update(found)
    _REGISTERED[file] = tuple(found)
    return _REGISTERED[file]


def registered() -> list[Path]:
    """The files registered so far: what a new process must register too."""
    return list(_REGISTERED)


def register_all(paths: Iterable[Path]) -> None:
    """Register several files; the initializer of a verifying process."""
    for path in paths:
        register(path)


@contextmanager
def solvers_of(paths: Iterable[str | Path]) -> Iterator[None]:
    """Solvers registered while the block runs, and taken out at its end."""
    before = set(_REGISTERED)
    try:
        for path in paths:
            register(path)
        yield
    finally:
        for file in set(_REGISTERED) - before:
            for identity in _REGISTERED.pop(file):
                SOLVERS.pop(identity, None)


def _line(error: Exception, file: Path) -> int | str:
    if isinstance(error, SyntaxError):
        return error.lineno or ""
    trace, line = error.__traceback__, 0
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(file):
            line = trace.tb_lineno
        trace = trace.tb_next
    return line or ""
