"""Each kind of fault is planted in a template of one's own: the check names file, line and mend, all faults at once."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from multiglobeqa.engine import DuckEngine
from multiglobeqa.kg.store import open_snapshot
from multiglobeqa.solver import SOLVERS, Solver
from multiglobeqa.solver.errors import SolverError
from multiglobeqa.solver.user import load_solvers, register, registered, solvers_of
from multiglobeqa.taxonomy import load
from multiglobeqa.taxonomy.check import check
from multiglobeqa.taxonomy.check_sql import contract_tables, type_of
from multiglobeqa.taxonomy.document import Fault
from multiglobeqa.taxonomy.scaffold import Plan, read_roles, write

WORLD = Path(__file__).parents[2] / "src" / "multiglobeqa" / "data" / "world"

SAMPLE = Path(__file__).parent / "sample"
YAML = (SAMPLE / "A99.yaml").read_text("utf-8")
SQL = (SAMPLE / "A99.sql").read_text("utf-8")
FALSE_SQL = (SAMPLE / "A99.fp.sql").read_text("utf-8")
CASES = (SAMPLE / "golden/A99.yaml").read_text("utf-8")
SOLVER: Solver = SOLVERS["A01.a"]
MINE: dict[str, Solver] = {"A99.a": SOLVER, "A99.b": SOLVER}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one template without fault."""
    home = tmp_path / "A"
    (home / "golden").mkdir(parents=True)
    (home / "A99.yaml").write_text(YAML)
    (home / "A99.sql").write_text(SQL)
    (home / "A99.fp.sql").write_text(FALSE_SQL)
    (home / "golden" / "A99.yaml").write_text(CASES)
    return tmp_path


def change(folder: Path, name: str, old: str, new: str) -> None:
    """Plant a fault: the text must be there."""
    file = folder / "A" / name
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))


def faults_of(folder: Path, solvers: dict[str, Solver] | None = None) -> list[Fault]:
    return check([folder], solvers=MINE if solvers is None else solvers)[0]


def test_a_good_template_has_no_fault(folder: Path) -> None:
    faults, checked = check([folder], solvers=MINE)
    assert [str(fault) for fault in faults] == []
    assert checked == ["A99.a", "A99.b"]


PLANTED = [
    ("A99.yaml", "title: Difference", "title: [Difference", "A99.yaml", 3, "is not YAML"),
    ("A99.yaml", "subtemplates:", "subs:", "A99.yaml", 1, "no mapping `subtemplates`"),
    ("A99.yaml", "template: A99", "template: Z9", "A99.yaml", 12, "'Z9.a' is no id"),
    ("A99.yaml", "operator: measure", "operator: buffer", "A99.yaml", 17, "unknown operator 'buffer'"),
    ("A99.yaml", "of: [distance_km]", "of: [reach_km]", "A99.yaml", 17, "no measure 'reach_km' of pairs"),
    ("A99.yaml", "pairs: ab", "pairs: ba", "A99.yaml", 17, "Table with name ba does not exist"),
    ("A99.yaml", "of: a, partners", "partners", "A99.yaml", 16, "partners without `of`"),
    ("A99.yaml", "as: ab, of: a, partners: \"kind = 'point'\"", "as: ab, of: a", "A99.yaml", 16, "none of draw, partners"),
    ("A99.yaml", "kind = 'point' AND class", "kind = 'point' AND AND class", "A99.yaml", 15, "syntax error"),
    ("A99.yaml", "as: ab, of", "as: A b, of", "A99.yaml", 16, "a step has the name 'A b'"),
    ("A99.yaml", "kgs: [osmh3kg,", "kgs: [osm,", "A99.yaml", 6, "'osm' is no KG"),
    ("A99.yaml", "class = 'city15000'", "class = 'metropolis'", "A99.yaml", 15, "'metropolis' is no class"),
    ("A99.yaml", "class = 'city15000'", "class IN ('city15000', 'hovel')", "A99.yaml", 15, "'hovel' is no class"),
    ("A99.yaml", "anchor: A", "anchor: C", "A99.yaml", 8, "anchor 'C' is no role"),
    ("A99.yaml", "anchor: A", "anchor: A\nscope: X", "A99.yaml", 9, "scope 'X' is no role"),
    ("A99.yaml", "roles: {A: a point entity, B: another}", "roles: {A: a point entity}", "A99.yaml", 9, "facts name 'B'"),
    ("A99.yaml", ", B: [type, label, geometry]}", "}", "A99.yaml", 9, "the role B has no facts"),
    ("A99.yaml", "B: [type, label, geometry]}", "B: [type, label, colour]}", "A99.yaml", 9, "'colour' is no aspect"),
    ("A99.yaml", "B: [type, label, geometry]}", "B: [type, label]}", "A99.yaml", 9, "facts of B lack the geometry"),
    ("A99.yaml", "{side} of {B}?", "{side} of {C}?", "A99.yaml", 20, "no role or parameter fills {C}"),
    ("A99.yaml", "{side} of {B}?", "{side} of it?", "A99.yaml", 20, "does not name the role B"),
    (
        "A99.yaml",
        "      - By how many kilometres does {A} lie {side} of {B}?",
        "      - how  far {side} is {A} FROM {B}",
        "A99.yaml",
        20,
        "two paraphrases are alike; the other stands in line 19",
    ),
    ("A99.yaml", "params: {side: right}", "params: {side: left}", "A99.yaml", 32, "asks in the same words as A99.a (line 19)"),
    ("A99.yaml", "depth: relation", "depth: deep", "A99.yaml", 5, "depth must be one of"),
    ("A99.yaml", "unit: km", "unit: km\nspeed: 3", "A99.yaml", 5, "speed is no key that a template has"),
    ("A99.yaml", "empty: no pair", "empty: TODO", "A99.yaml", 10, "the line says TODO"),
    ("A99.yaml", "SELECT base_id, B AS id FROM base", "SELECT base_id, X AS id FROM base", "A99.yaml", 24, 'Referenced column "X"'),
    ("A99.yaml", "template: A99", "template: A99\nsql_file: none.sql", "A99.yaml", 2, "the SQL file none.sql is missing"),
    ("A99.yaml", "failure: no_pair", "failure: no_pair\n      sql_file: x.sql", "A99.yaml", 21, "x.sql is missing"),
    ("A99.sql", "FROM d", "FROM d WHERE )", "A99.sql", 4, "syntax error"),
    ("A99.sql", "FROM d", "FROM\ndistances", "A99.sql", 5, "Table with name distances does not exist"),
    ("A99.sql", "WHEN distance_km < 2", "WHEN reach < 2", "A99.sql", 3, 'Referenced column "reach" not found'),
    ("A99.sql", "right_id AS B", "right_id AS C", "A99.sql", 2, "no column for the role B"),
    ("A99.sql", "AS answer", "AS result", "A99.sql", 2, "no column answer"),
    ("A99.sql", "closer_than_2_km", "Closer than 2 km", "A99.sql", 3, "'Closer than 2 km' is not in snake_case"),
    ("A99.sql", "FROM d", "FROM d JOIN entity e ON e.id = d.left_id\n  AND e.class <> 'hut'", "A99.sql", 5, "'hut' is no class"),
    ("A99.sql", "distance_km AS answer", "st_x(distance_km) AS answer", "A99.sql", 2, 'Function with name "st_x"'),
    ("A99.fp.sql", "o.base_id, b.A,", "o.base_id,", "A99.fp.sql", 1, "the SQL returns no column A"),
    ("A99.fp.sql", "o.id AS B", "o.nr AS B", "A99.fp.sql", 1, 'column named "nr"'),
    ("golden/A99.yaml", "answer: 3.5}\n- {sub: A99.b", "answer: TODO}\n- {sub: A99.b", "A99.yaml", 1, "golden case is not filled"),
    ("golden/A99.yaml", "sub: A99.b", "sub: A98.b", "A99.yaml", 25, "has no golden case"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "old", "new", "file", "line", "message"), PLANTED, ids=lambda v: str(v)[:40]
)
def test_planted_faults_are_named(
    folder: Path, name: str, old: str, new: str, file: str, line: int, message: str
) -> None:
    change(folder, name, old, new)
    found = faults_of(folder)
    named = [fault for fault in found if message in fault.what]
    assert named, [str(fault) for fault in found]
    assert (named[0].file.name, named[0].line) == (file, line), str(named[0])
    assert named[0].mend and str(named[0]).startswith(f"{named[0].file}:{line}: ")


def test_solver_faults(folder: Path) -> None:
    def stub(q: object, f: object) -> object:
        raise NotImplementedError

    (fault,) = faults_of(folder, {"A99.a": SOLVER})
    assert (fault.line, fault.sub, fault.what) == (25, "A99.b", "has no solver.")
    (fault,) = faults_of(folder, {"A99.a": SOLVER, "A99.b": stub})  # type: ignore[dict-item]
    assert (fault.line, fault.sub) == (25, "A99.b") and "stub" in fault.what


def test_all_faults_at_once(folder: Path) -> None:
    change(folder, "A99.yaml", "operator: measure", "operator: buffer")
    change(folder, "A99.yaml", "{side} of {B}?", "{side} of it?")
    change(folder, "A99.sql", "closer_than_2_km", "Too close")
    change(folder, "golden/A99.yaml", "sub: A99.b", "sub: A98.b")
    found = faults_of(folder, {"A99.a": SOLVER})
    whats = " ".join(fault.what for fault in found)
    for message in ("unknown operator", "name the role B", "snake_case", "no golden case", "no solver"):
        assert message in whats
    assert "name d does not exist" not in whats  # follows from the operator


def test_an_id_defined_twice_is_named(folder: Path) -> None:
    (folder / "A" / "B99.yaml").write_text(YAML)
    found = [fault for fault in faults_of(folder) if "defined again" in fault.what]
    assert [(fault.file.name, fault.line, fault.sub) for fault in found] == [
        ("B99.yaml", 12, "A99.a"),
        ("B99.yaml", 25, "A99.b"),
    ]


def test_unknown_target_is_named() -> None:
    faults, checked = check(["A01.a", "Z99"], solvers=SOLVERS)
    assert checked == ["A01.a"]
    assert ["neither a folder" in fault.what for fault in faults] == [True]


def test_the_empty_tables_are_those_of_the_engine() -> None:
    """Names and types: a column that the engine gains and the check lacks would pass unseen."""
    if not (WORLD / "osmh3kg" / "manifest.json").is_file():
        pytest.skip("the embedded world is not there")
    engine = DuckEngine([open_snapshot(WORLD / "osmh3kg")], threads=1)
    for name, columns in contract_tables().items():
        described = engine.query(f"DESCRIBE {name}")
        real = dict(
            zip(described["column_name"].to_pylist(), described["column_type"].to_pylist(), strict=True)
        )
        assert {column: type_of(column) for column in columns} == real, name


SOLVER_FILE = """\
from multiglobeqa.solver import Facts, Question, Solution


def difference(q: Question, f: Facts) -> Solution:
    return Solution(abs(q.number("x_km")))


SOLVERS = {"A98.a": difference}
"""


def test_solvers_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(SOLVER_FILE)
    assert list(load_solvers(file)) == ["A98.a"] and "A98.a" not in SOLVERS
    try:
        with solvers_of([file]):
            assert SOLVERS["A98.a"].__name__ == "difference" and registered() == [file]
            assert register(file) == ("A98.a",)  # twice is once
        assert "A98.a" not in SOLVERS and registered() == []
    finally:
        SOLVERS.pop("A98.a", None)


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("x = 1\n", "has no mapping SOLVERS", ""),
        ("x = 1\ny = x +\n", "SyntaxError", 2),
        ("x = 1\n\nraise ValueError('no')\n", "ValueError: no", 3),
        ("SOLVERS = {'A99': 3}\n", "'A99': 3", ""),
        ("SOLVERS = {'A01.a': len}\n", "A01.a has a solver already", ""),
    ],
)
def test_bad_solver_files_are_named(tmp_path: Path, text: str, message: str, line: int | str) -> None:
    file = tmp_path / "mine.py"
    file.write_text(text)
    with pytest.raises(SolverError) as caught:
        register(file)
    assert message in str(caught.value) and str(file) in str(caught.value)
    assert caught.value.place == line


def test_a_new_template_is_accepted_once_filled(tmp_path: Path, run: Callable[..., tuple[int, str]]) -> None:
    code, out = run("templates", "new", "A99", "--title", "Sum of lengths", "--format", "distance",
                    "--roles", "A:line,B:line", "--out", str(tmp_path))  # fmt: skip
    assert code == 0, out
    solver = tmp_path / "A" / "a99_solver.py"
    arguments = ("templates", "check", str(tmp_path), "--solver", str(solver))
    code, out = run(*arguments)
    assert code == 1 and out.count("TODO") >= 5 and "stub" in out and "not filled" in out
    change(
        tmp_path,
        "A99.yaml",
        "no candidate  # TODO say what is missing where a stratum has no question",
        "no two lines",
    )
    change(
        tmp_path, "A99.yaml", "      # TODO the operator that measures (docs/engine.md), such as\n      # - {as: m, operator",
        "      - {as: m, operator",
    )  # fmt: skip
    change(
        tmp_path,
        "A99.yaml",
        "{ids: a, of: [area_km2]}",
        '{ids: "SELECT left_id AS id FROM ab UNION SELECT right_id FROM ab", of: [line_km]}',
    )
    change(tmp_path, "A99.yaml", '"TODO {A} and {B}?"', "How long are {A} and {B} together?")
    change(
        tmp_path, "A99.sql", "CAST(NULL AS DOUBLE) AS answer,  -- TODO", "x.line_km + y.line_km AS answer,"
    )
    change(tmp_path, "A99.sql", "  -- TODO", "")
    change(
        tmp_path,
        "A99.sql",
        "JOIN ab ON ab.left_id = a.id",
        "JOIN ab ON ab.left_id = a.id JOIN m x ON x.id = a.id JOIN m y ON y.id = ab.right_id",
    )
    solver.write_text(
        solver.read_text()
        .replace('raise NotImplementedError("A99.a")', "return Solution(1.0)")
        .replace("TODO: ", "")
    )
    change(tmp_path, "golden/A99.yaml", "{A: TODO, B: TODO}, answer: TODO", "{A: One, B: Two}, answer: 4.0")
    code, out = run(*arguments)
    assert code == 0, out
    (sub,) = load(tmp_path)
    assert sub.id == "A99.a" and sub.roles == {"A": "a line", "B": "a line"}


@pytest.mark.parametrize(
    "format_name",
    ["boolean", "entity", "set", "point", "polar", "polygon", "composite", "count", "label", "date"],
)
def test_scaffolds_of_every_format_run(tmp_path: Path, format_name: str) -> None:
    """Nothing but the unwritten lines, the stub and the case is at fault."""
    write(Plan("C99", "Something", format_name, read_roles("A:point,B:surface,C:line")), tmp_path)
    faults, _ = check([tmp_path], solvers={"C99.a": SOLVER})
    assert {fault.what for fault in faults} == {
        "is not written yet: the line says TODO.",
        "the golden case is not filled.",
    }


@pytest.mark.parametrize("roles", ["A", "A:blob", "a:point", "A:point,A:line", "A:point,,B:line"])
def test_bad_roles_are_refused(roles: str, run: Callable[..., tuple[int, str]], tmp_path: Path) -> None:
    code, out = run(
        "templates",
        "new",
        "A99",
        "--title",
        "T",
        "--format",
        "distance",
        "--roles",
        roles,
        "--out",
        str(tmp_path),
    )
    assert code == 1 and "is no role" in out


def test_a_new_template_overwrites_nothing(tmp_path: Path) -> None:
    plan = Plan("A99", "T", "distance", {"A": "point"})
    write(plan, tmp_path)
    with pytest.raises(Exception, match="is there already"):
        write(plan, tmp_path)


def test_the_command_prints_json(folder: Path, run: Callable[..., tuple[int, str]]) -> None:
    change(folder, "A99.yaml", "operator: measure", "operator: buffer")
    code, out = run("templates", "check", str(folder), "--json")
    told = json.loads(out)
    assert code == 1 and told["checked"] == ["A99.a", "A99.b"]
    assert {"line": 17, "subtemplate": "A99.a"}.items() <= next(
        f for f in told["faults"] if "buffer" in f["what"]
    ).items()


@pytest.fixture
def run() -> Callable[..., tuple[int, str]]:
    """The command as a process: exit code, and what it prints."""

    def call(*arguments: str) -> tuple[int, str]:
        source = Path(__file__).parents[2] / "src"
        done = subprocess.run(
            [sys.executable, "-m", "multiglobeqa.cli.main", *arguments], capture_output=True, text=True, check=False,
            env={"PYTHONPATH": str(source), "COLUMNS": "300"},
        )  # fmt: skip
        return done.returncode, done.stdout + done.stderr

    return call
