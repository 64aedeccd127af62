"""Every fault of template files at once, each with file, line and mend (``mgqa templates check``).

`load` stops at the first fault, since a build must not start with one; here a file is read in full: its YAML, its
wordings, its facts, its SQL on empty tables, the solver and the golden cases.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, get_args

import yaml
from pydantic import ValidationError

from multiglobeqa.kg import classes
from multiglobeqa.taxonomy.check_facts import geometries_missing, is_stub
from multiglobeqa.taxonomy.check_sql import Bench, EmptyEngine
from multiglobeqa.taxonomy.document import Document, Fault, filled
from multiglobeqa.taxonomy.load import TEMPLATES
from multiglobeqa.taxonomy.model import FACT_ASPECTS, FAMILIES, KG, OPERATOR_NAMES, SubTemplate, fill

GOLDEN: Final = Path(__file__).parents[3] / "tests" / "taxonomy" / "golden" / "cases"
"""The golden cases of our own templates, where the source tree is at hand."""
TODO: Final = "TODO"
_KINDS: Final = ("draw", "partners", "operator", "sql")
_PLACEHOLDER: Final = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")
_CAUSE: Final = re.compile(r"\b(?:THEN|ELSE)\s+'([^']*)'", re.I)
_SNAKE: Final = re.compile(r"[a-z][a-z0-9]*(?:[_.][a-z0-9]+)*")
_CLASS_TEST: Final = re.compile(
    r"\b(?:class|p_class)\s*(?:=|<>|!=)\s*('[^']*')|\bclass\s+(?:NOT\s+)?IN\s*\((?!\s*SELECT)([^()]*)\)|('[^']*')\s+AS\s+p_class\b",
    re.I,
)


@dataclass
class _Case:
    """A golden case: where it stands, and whether it says what must come out."""

    file: Path
    line: int
    filled: bool


@dataclass
class Checker:
    """The faults of template files. ``solvers``: id -> solver; ``cases``: folders of golden cases; None: unchecked."""

    solvers: Mapping[str, Any]
    cases: Iterable[Path] | None
    only: frozenset[str] = frozenset()
    checked: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._engine = EmptyEngine()
        self._classes = classes.load()
        self._cases: dict[str, list[_Case]] = {}
        self._seen: dict[str, tuple[Path, int]] = {}
        for folder in self.cases or ():
            for file in sorted(folder.glob("*.yaml")):
                self._read_cases(file)

    def files(self, paths: Iterable[Path]) -> list[Fault]:
        """The faults of several files, in order of file and line."""
        found = [fault for path in paths for fault in self._file(path)]
        return sorted(
            dict.fromkeys(found), key=lambda fault: (str(fault.file), fault.line, fault.sub, fault.what)
        )

    # -- one file --------------------------------------------------------------------------------------

    def _file(self, path: Path) -> Iterator[Fault]:
        try:
            document = Document(path)
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            yield Fault(
                path, mark.line + 1 if mark else 1, f"is not YAML: {getattr(error, 'problem', error)}.",
                "Mend the line or the one before it.",
            )  # fmt: skip
            return
        yield from _unwritten(path)
        letters = document.letters()
        if not letters:
            yield Fault(path, 1, "has no mapping `subtemplates`.", "Add one: a letter and what is its own.")
            return
        asked: dict[tuple[Any, ...], tuple[str, int]] = {}
        for letter in letters:
            identity = document.identity(letter)
            if self.only and not {identity, document.template, document.template[:1]} & self.only:
                continue
            self.checked.append(identity)
            yield from self._twice(document, letter)
            sub = _Sub(document, letter)
            yield from self._shape(sub)
            yield from self._wording(sub, asked)
            yield from self._sql(sub)
            yield from self._surroundings(sub)
            yield from self._model(sub)

    def _twice(self, document: Document, letter: str) -> Iterator[Fault]:
        identity, line = document.identity(letter), document.line(letter)
        if identity in self._seen:
            file, before = self._seen[identity]
            yield Fault(
                document.path,
                line,
                f"is defined again; first in {file.name}:{before}.",
                "Choose another id.",
                identity,
            )
        self._seen.setdefault(identity, (document.path, line))

    def _shape(self, sub: _Sub) -> Iterator[Fault]:
        """Roles, facts, KGs, steps."""
        roles, line = sub.roles, sub.line
        if not re.fullmatch(r"[A-N]\d\d(\.[a-z])?", sub.id):
            yield sub.fault(
                line(),
                f"{sub.id!r} is no id.",
                f"A family {next(iter(FAMILIES))} to N, two digits, a letter.",
            )
        for key in ("anchor", "scope"):
            if (value := sub.row.get(key)) is not None and value not in roles:
                yield sub.fault(line(key), f"{key} {value!r} is no role.", f"Roles: {', '.join(roles)}.")
        for kg in sub.row.get("kgs") or ():
            if kg not in get_args(KG):
                yield sub.fault(line("kgs"), f"{kg!r} is no KG.", f"Known: {', '.join(get_args(KG))}.")
        facts = sub.row.get("facts") or {}
        for group, aspects in facts.items():
            if group not in (*roles, "members", "evidence"):
                yield sub.fault(
                    line("facts", group), f"facts name {group!r}.", "Name a role, members or evidence."
                )
            for aspect in set(aspects or ()) - set(FACT_ASPECTS):
                yield sub.fault(
                    line("facts"), f"{aspect!r} is no aspect of facts.", f"Known: {', '.join(FACT_ASPECTS)}."
                )
        for role in [role for role in roles if role not in facts]:
            yield sub.fault(
                line("facts"), f"the role {role} has no facts.", f"Add {role}: [type, label, ...] to facts."
            )
        for where, steps in (("steps", sub.raw_steps), ("false_premise", sub.false_steps)):
            for place, step in enumerate(steps):
                at = line("steps", place) if where == "steps" else line(where, "steps", place)
                yield from _step_faults(sub, step, at)

    # -- wordings --------------------------------------------------------------------------------------

    def _wording(self, sub: _Sub, asked: dict[tuple[Any, ...], tuple[str, int]]) -> Iterator[Fault]:
        texts = [str(text) for text in sub.row.get("paraphrases") or ()]
        if not 1 <= len(texts) <= 5:
            yield sub.fault(sub.line("paraphrases"), f"has {len(texts)} paraphrases.", "Write 1 to 5.")
        lines = [sub.line("paraphrases", place) for place in range(len(texts))]
        hint = sub.row.get("scale_hint")
        marked = [*zip(texts, lines, strict=True), *([(str(hint), sub.line("scale_hint"))] if hint else [])]
        for text, at in marked:
            used = _PLACEHOLDER.findall(text)
            for name in dict.fromkeys(name for name in used if name not in sub.fillable):
                yield sub.fault(
                    at,
                    f"no role or parameter fills {{{name}}}.",
                    f"Known: {', '.join(sorted(sub.fillable))}.",
                )
            if text != hint:
                for role in [role for role in sub.roles if role not in used]:
                    yield sub.fault(
                        at, f"the paraphrase does not name the role {role}.", f"Put {{{role}}} into it."
                    )
        said: dict[str, int] = {}
        for text, at in zip(texts, lines, strict=True):
            plain = _plain(fill(text, sub.values))
            if plain in said:
                yield sub.fault(
                    at, f"two paraphrases are alike; the other stands in line {said[plain]}.", "Change one."
                )
            said.setdefault(plain, at)
            yield from _alike(sub, plain, at, hint, asked)

    # -- SQL -------------------------------------------------------------------------------------------

    def _sql(self, sub: _Sub) -> Iterator[Fault]:
        for place, step in enumerate(sub.steps):
            for key in ("sql", "draw", "partners", "args"):
                yield from self._unknown_classes(
                    sub, str(step.get(key) or ""), sub.path, sub.line("steps", place)
                )
        named = sub.values.get("class")
        if isinstance(named, str) and named not in self._classes:
            yield sub.fault(sub.line("params", "class"), f"{named!r} is no class.", _CLASS_MEND)
        if not sub.sql_path.is_file():
            yield sub.fault(
                sub.line("sql_file"),
                f"the SQL file {sub.sql_path.name} is missing.",
                "Write it beside the YAML.",
            )
            return
        sql = filled(sub.sql_path.read_text("utf-8"), sub.values)
        yield from _unwritten(sub.sql_path)
        yield from self._text(sub, sql, sub.sql_path)
        bench = Bench(self._engine)
        try:
            for place, text in bench.steps(sub.steps):
                yield sub.fault(
                    sub.line("steps", place), f"step {sub.steps[place].get('as')}: {text}", _SQL_MEND
                )
            columns, fault = bench.select(sql)
            if fault is not None:
                yield sub.fault(fault[0], f"SQL: {fault[1]}", _SQL_MEND, sub.sql_path)
            elif columns:
                sub.columns = columns
                yield from _missing_columns(sub, columns, sql)
            yield from self._false_sql(sub, bench, sql)
        finally:
            bench.close()

    def _false_sql(self, sub: _Sub, bench: Bench, sql: str) -> Iterator[Fault]:
        variant = sub.row.get("false_premise")
        if not isinstance(variant, dict):
            return
        path = sub.path.with_name(str(variant.get("sql_file", f"{sub.document.template}.fp.sql")))
        if not path.is_file():
            yield sub.fault(
                sub.line("false_premise"),
                f"the SQL file {path.name} is missing.",
                "Write it beside the YAML.",
            )
            return
        text = filled(path.read_text("utf-8"), sub.values)
        yield from self._text(sub, text, path)
        bench.base(sql, sub.roles, sub.row.get("params") or {})
        steps = filled(sub.false_steps, sub.values)
        for place, message in bench.steps(steps):
            at = sub.line("false_premise", "steps", place)
            yield sub.fault(at, f"false premise, step {steps[place].get('as')}: {message}", _SQL_MEND)
        columns, fault = bench.select(text)
        if fault is not None:
            yield sub.fault(fault[0], f"SQL: {fault[1]}", _SQL_MEND, path)
        elif columns:
            for name in [
                name for name in ("base_id", *sub.roles) if name.lower() not in {c.lower() for c in columns}
            ]:
                yield sub.fault(
                    _select_line(text), f"the SQL returns no column {name}.", f"Add ... AS {name}.", path
                )

    def _text(self, sub: _Sub, sql: str, path: Path) -> Iterator[Fault]:
        """What can be read off a SQL text: discard causes, classes."""
        for start, text in _discards(sql):
            for match in _CAUSE.finditer(text):
                if not _SNAKE.fullmatch(match[1]):
                    at = sql[: start + match.start(1)].count("\n") + 1
                    yield sub.fault(
                        at, f"the discard cause {match[1]!r} is not in snake_case.", "As in too_close.", path
                    )
        yield from self._unknown_classes(sub, sql, path, None)

    def _unknown_classes(self, sub: _Sub, text: str, path: Path, line: int | None) -> Iterator[Fault]:
        for match in _CLASS_TEST.finditer(text):
            for name in re.findall(r"'([^']*)'", "".join(group or "" for group in match.groups())):
                if name not in self._classes and "{" not in name:
                    at = line if line is not None else text[: match.start()].count("\n") + 1
                    yield sub.fault(at, f"{name!r} is no class.", _CLASS_MEND, path)

    # -- solver, cases, model --------------------------------------------------------------------------

    def _surroundings(self, sub: _Sub) -> Iterator[Fault]:
        solver = self.solvers.get(sub.id)
        if solver is None:
            yield sub.fault(
                sub.line(), "has no solver.", "Add one to SOLVERS, or name its file with --solver FILE.py."
            )
        elif sub.roles and sub.row.get("format"):
            columns = [name for name in sub.columns if name.startswith("p_")]
            if is_stub(solver, {**sub.row, "id": sub.id, "roles": sub.roles}):
                yield sub.fault(
                    sub.line(), "the solver is a stub: it raises NotImplementedError.", "Write it."
                )
            facts = {k: v for k, v in (sub.row.get("facts") or {}).items() if isinstance(v, list)}
            for group in sorted(
                geometries_missing(solver, {**sub.row, "id": sub.id, "roles": sub.roles}, facts, columns)
            ):
                at = sub.line("facts", group)
                yield sub.fault(
                    at, f"the facts of {group} lack the geometry that the solver asks for.", "Add geometry."
                )
        if self.cases is None:
            return
        mine = self._cases.get(sub.id, [])
        if not mine:
            yield sub.fault(
                sub.line(),
                "has no golden case.",
                "Add one with sub, roles and answer; see docs/add-a-template.md.",
            )
        elif not any(case.filled for case in mine):
            yield Fault(
                mine[0].file,
                mine[0].line,
                "the golden case is not filled.",
                "Write roles and answer.",
                sub.id,
            )

    def _model(self, sub: _Sub) -> Iterator[Fault]:
        """What the model itself refuses and no check above has named."""
        row = filled({k: v for k, v in sub.row.items() if k != "sql_file"}, {}) | {
            "id": sub.id, "family": sub.id[:1], "template": sub.document.template, "sql": "", "source": "",
            "sha256": "", "steps": sub.steps,
        }  # fmt: skip
        if isinstance(row.get("false_premise"), dict):
            row["false_premise"] = {k: v for k, v in row["false_premise"].items() if k != "sql_file"} | {
                "sql": ""
            }
        try:
            SubTemplate.model_validate(row)
        except ValidationError as error:
            for one in error.errors():
                if one["type"] == "value_error" and one["loc"][:1] in ((), ("steps",)):
                    continue  # named above, with its own line
                keys = tuple(one["loc"])
                where = ".".join(map(str, keys))
                yield sub.fault(
                    sub.line(*keys),
                    f"{where}: {one['msg'].removeprefix('Value error, ')}.",
                    "See docs/add-a-template.md.",
                )

    def _read_cases(self, file: Path) -> None:
        node = yaml.compose(file.read_text("utf-8"), Loader=yaml.SafeLoader)
        rows = yaml.safe_load(file.read_text("utf-8")) or []
        for row, place in zip(rows, node.value if node is not None else [], strict=True):
            told = [row[key] for key in ("answer", "by_resolution", "failure") if key in row]
            whole = bool(told) and TODO not in str(row)
            self._cases.setdefault(str(row.get("sub")), []).append(
                _Case(file, place.start_mark.line + 1, whole)
            )


class _Sub:
    """One sub-template under check, merged but not yet validated."""

    def __init__(self, document: Document, letter: str) -> None:
        self.document, self.letter, self.path = document, letter, document.path
        self.id = document.identity(letter)
        self.row = document.merged(letter)
        self.columns: dict[str, str] = {}
        roles = self.row.get("roles")
        self.roles: dict[str, str] = roles if isinstance(roles, dict) else {}
        self.values = {**(self.row.get("params") or {}), **(self.row.get("bind") or {})}
        self.raw_steps = [step for step in self.row.get("steps") or () if isinstance(step, dict)]
        self.steps = filled(self.raw_steps, self.values)
        variant = self.row.get("false_premise")
        self.false_steps = (
            [s for s in variant.get("steps") or () if isinstance(s, dict)]
            if isinstance(variant, dict)
            else []
        )
        self.sql_path = self.path.with_name(str(self.row.get("sql_file", f"{document.template}.sql")))
        sql = fill(self.sql_path.read_text("utf-8"), self.values) if self.sql_path.is_file() else ""
        self.named = named = set(re.findall(r"\bp_([a-z0-9_]+)", sql))
        words = {"class_singular", "class_plural"} if named & {"class", "classes"} else set()
        words |= {"target_singular", "target_plural"} if "target_class" in named else set()
        self.fillable = {*self.roles, *self.values, *named, *words}

    def line(self, *keys: str | int) -> int:
        """The line of a key."""
        return self.document.line(self.letter, *keys)

    def fault(self, line: int, what: str, mend: str, file: Path | None = None) -> Fault:
        """A fault of this sub-template."""
        return Fault(file or self.path, line, what, mend, self.id)


_CLASS_MEND: Final = "Classes are the keys of kg/classes.yaml."
_SQL_MEND: Final = "The tables are those of engine/contract.py and of the steps before."


def _step_faults(sub: _Sub, step: Mapping[str, Any], at: int) -> Iterator[Fault]:
    kinds = [kind for kind in _KINDS if step.get(kind) is not None]
    name = step.get("as")
    if not re.fullmatch(r"[a-z][a-z0-9_]*", str(name)):
        yield sub.fault(
            at, f"a step has the name {name!r}.", "Give it `as: name`, small letters and underscores."
        )
    if len(kinds) != 1:
        yield sub.fault(
            at,
            f"step {name} has {', '.join(kinds) or 'none'} of draw, partners, operator, sql.",
            "Give it one.",
        )
    if "partners" in kinds and "of" not in step:
        yield sub.fault(at, f"step {name}: partners without `of`.", "Name the table whose rows get partners.")
    if "operator" in kinds and step["operator"] not in OPERATOR_NAMES:
        yield sub.fault(
            at, f"step {name}: unknown operator {step['operator']!r}.", f"Known: {', '.join(OPERATOR_NAMES)}."
        )


def _unwritten(path: Path) -> Iterator[Fault]:
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        if TODO in line:
            yield Fault(
                path, number, "is not written yet: the line says TODO.", "Write it and take the word out."
            )


def _alike(
    sub: _Sub, plain: str, at: int, hint: Any, asked: dict[tuple[Any, ...], tuple[str, int]]
) -> Iterator[Fault]:
    """Two sub-templates that draw the same candidates must not ask in the same words."""
    if "class_" in plain and "level" in sub.named:
        return  # the level's word comes from the row
    key = (plain, _plain(fill(str(hint), sub.values)), repr(sub.raw_steps))
    other = asked.setdefault(key, (sub.id, at))
    if other[0] != sub.id:
        yield sub.fault(
            at, f"asks in the same words as {other[0]} (line {other[1]}), and of the same candidates.",
            "Tell them apart by a word of params or bind.",
        )  # fmt: skip


def _plain(text: str) -> str:
    """A wording without its case, spaces and stops."""
    return " ".join(re.findall(r"[^\W_]+|\{\w+\}", text.casefold()))


def _missing_columns(sub: _Sub, columns: Mapping[str, str], sql: str) -> Iterator[Fault]:
    names = {name.lower() for name in columns}
    kind = sub.row.get("format")
    for role in [role for role in sub.roles if role.lower() not in names]:
        yield sub.fault(
            _select_line(sql),
            f"the SQL returns no column for the role {role}.",
            f"Add ... AS {role}.",
            sub.sql_path,
        )
    if kind in ("entity", "set"):
        wanted = [] if "answer_ids" in names else ["answer_ids"]
    else:
        wanted = [] if any(name.startswith("answer") for name in names - {"answer_ids"}) else ["answer"]
    for name in wanted:
        yield sub.fault(
            _select_line(sql), f"the SQL returns no column {name}.", f"Add ... AS {name}.", sub.sql_path
        )


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


def check(
    targets: Iterable[Path | str] = (), *, solvers: Mapping[str, Any], cases: Path | None = None
) -> tuple[list[Fault], list[str]]:
    """The faults of the targets, and the sub-templates checked.

    ``targets``: folders of templates, template files, or ids (A01.a, A01, A) of ours; none: all of ours. ``cases``: a
    folder of golden cases besides those at their places: ``golden`` beside a template file, and, for ours, the tests of
    the source tree.
    """
    paths, names = [], set()
    for target in targets:
        path = Path(target)
        if path.is_dir():
            paths += sorted(path.glob("*/*.yaml")) or sorted(path.glob("*.yaml"))
        elif path.is_file():
            paths.append(path)
        else:
            names.add(str(target))
    if names or not paths:
        paths += sorted(TEMPLATES.glob("*/*.yaml"))
    folders = [
        folder for folder in dict.fromkeys(path.parent / "golden" for path in paths) if folder.is_dir()
    ]
    folders += [cases] if cases is not None else []
    ours = any(TEMPLATES in path.parents for path in paths)
    if ours and GOLDEN.is_dir():
        folders.append(GOLDEN)
    checker = Checker(solvers, None if ours and not folders else folders, frozenset(names))
    faults = checker.files(paths)
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
