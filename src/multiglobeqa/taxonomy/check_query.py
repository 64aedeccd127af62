"""Faults of a sub-template's SQL: what its text names, and what comes out of it on empty tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from multiglobeqa.kg import classes
from multiglobeqa.taxonomy.check_sql import Bench, EmptyEngine
from multiglobeqa.taxonomy.check_wording import unwritten
from multiglobeqa.taxonomy.document import Fault, filled
from multiglobeqa.taxonomy.subject import Subject

_CAUSE: Final = re.compile(r"\b(?:THEN|ELSE)\s+'([^']*)'", re.I)
_SNAKE: Final = re.compile(r"[a-z][a-z0-9]*(?:[_.][a-z0-9]+)*")
_CLASS_TEST: Final = re.compile(
    r"\b(?:class|p_class)\s*(?:=|<>|!=)\s*('[^']*')|\bclass\s+(?:NOT\s+)?IN\s*\((?!\s*SELECT)([^()]*)\)|('[^']*')\s+AS\s+p_class\b",
    re.I,
)
_CLASS_MEND: Final = "Classes are the keys of kg/classes.yaml."
_SQL_MEND: Final = "The tables are those of engine/contract.py and of the steps before."
_SYNTAX: Final = re.compile(r"syntax error|unterminated")


class QueryCheck:
    """Checks the SQL of sub-templates, one after the other, on one engine of empty tables."""

    def __init__(self) -> None:
        self._engine = EmptyEngine()
        self._classes = classes.load()

    def faults(self, sub: Subject) -> Iterator[Fault]:
        """The faults of steps, SQL and false-premise SQL. Sets ``sub.columns``."""
        for place, step in enumerate(sub.steps):
            for key in ("sql", "draw", "partners", "args"):
                yield from self._unknown_classes(
                    sub, str(step.get(key) or ""), sub.path, sub.line("steps", place)
                )
        named = sub.values.get("class")
        if isinstance(named, str) and named not in self._classes:
            yield sub.fault(sub.line("params", "class"), f"{named!r} is no class.", _CLASS_MEND)
        if not sub.sql_path.is_file():
            return
        yield from unwritten(sub.sql_path)
        yield from self._text(sub, sub.sql, sub.sql_path)
        bench = Bench(self._engine)
        try:
            for place, text in bench.steps(sub.steps):
                yield sub.fault(
                    sub.line("steps", place), f"step {sub.steps[place].get('as')}: {text}", _mend(text)
                )
            columns, fault = bench.select(sub.sql)
            if fault is not None:
                yield _sql_fault(sub, sub.sql, fault, sub.sql_path)
            elif columns:
                sub.columns = columns
                yield from _missing_columns(sub, columns)
            if sub.variant and sub.false_path.is_file():
                yield from self._false(sub, bench)
        finally:
            bench.close()

    def _false(self, sub: Subject, bench: Bench) -> Iterator[Fault]:
        yield from unwritten(sub.false_path)
        yield from self._text(sub, sub.false_sql, sub.false_path)
        bench.base(sub.sql, sub.roles, sub.row.get("params") or {})
        steps = filled(sub.false_steps, sub.values)
        for place, message in bench.steps(steps):
            at = sub.line("false_premise", "steps", place)
            yield sub.fault(at, f"false premise, step {steps[place].get('as')}: {message}", _mend(message))
        columns, fault = bench.select(sub.false_sql)
        if fault is not None:
            yield _sql_fault(sub, sub.false_sql, fault, sub.false_path)
        elif columns:
            names = {column.lower() for column in columns}
            for name in [name for name in ("base_id", *sub.roles) if name.lower() not in names]:
                yield _no_column(sub, name, sub.false_sql, sub.false_path)

    def _text(self, sub: Subject, sql: str, path: Path) -> Iterator[Fault]:
        """What can be read off a SQL text: discard causes, classes."""
        for start, text in _discards(sql):
            for match in _CAUSE.finditer(text):
                if not _SNAKE.fullmatch(match[1]):
                    at = sql[: start + match.start(1)].count("\n") + 1
                    yield sub.fault(
                        at, f"the discard cause {match[1]!r} is not in snake_case.", "As in too_close.", path
                    )
        yield from self._unknown_classes(sub, sql, path, None)

    def _unknown_classes(self, sub: Subject, text: str, path: Path, line: int | None) -> Iterator[Fault]:
        for match in _CLASS_TEST.finditer(text):
            for name in re.findall(r"'([^']*)'", "".join(group or "" for group in match.groups())):
                if name not in self._classes and "{" not in name:
                    at = line if line is not None else text[: match.start()].count("\n") + 1
                    yield sub.fault(at, f"{name!r} is no class.", _CLASS_MEND, path)


def _mend(told: str) -> str:
    if told.startswith("the arguments"):
        return "docs/engine.md says what each operator takes."
    return "Mend the SQL there." if _SYNTAX.match(told) else _SQL_MEND


def _sql_fault(sub: Subject, sql: str, fault: tuple[int, str], path: Path) -> Fault:
    line, told = fault
    if not re.sub(r"--[^\n]*", "", sql).strip():
        return sub.fault(1, "the SQL is empty.", "Write the SELECT.", path)
    return sub.fault(line, f"SQL: {told}", _mend(told), path)


def _missing_columns(sub: Subject, columns: Mapping[str, str]) -> Iterator[Fault]:
    names = {name.lower() for name in columns}
    for role in [role for role in sub.roles if role.lower() not in names]:
        at = _select_line(sub.sql)
        yield sub.fault(
            at, f"the SQL returns no column for the role {role}.", f"Add ... AS {role}.", sub.sql_path
        )
    if sub.row.get("format") in ("entity", "set"):
        wanted = [] if "answer_ids" in names else ["answer_ids"]
    else:
        wanted = [] if any(name.startswith("answer") for name in names - {"answer_ids"}) else ["answer"]
    for name in wanted:
        yield _no_column(sub, name, sub.sql, sub.sql_path)


def _no_column(sub: Subject, name: str, sql: str, path: Path) -> Fault:
    return sub.fault(_select_line(sql), f"the SQL returns no column {name}.", f"Add ... AS {name}.", path)


def _select_line(sql: str) -> int:
    """The line of the last SELECT that begins a line, which lists the columns."""
    found = [match.start() for match in re.finditer(r"^\s*SELECT\b", sql, re.M | re.I)]
    start = found[-1] + len(sql[found[-1] :]) - len(sql[found[-1] :].lstrip()) if found else 0
    return sql[:start].count("\n") + 1


def _discards(sql: str) -> Iterator[tuple[int, str]]:
    """The CASE expressions named discard: where each begins, and its text."""
    for end in re.finditer(r"\bAS\s+discard\b", sql, re.I):
        depth, start = 0, None
        for word in reversed(list(re.finditer(r"\b(CASE|END)\b", sql[: end.start()], re.I))):
            depth += 1 if word[1].upper() == "END" else -1
            if depth == 0:
                start = word.start()
                break
        if start is not None and re.fullmatch(r"(?:.|\n)*\bEND\s*", sql[start : end.start()], re.I):
            yield start, sql[start : end.start()]
