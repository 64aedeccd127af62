"""Files that no template can be: the check and the build name file, line and mend, and never a traceback."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from multiglobeqa.cli.main import main
from multiglobeqa.errors import TemplateError
from multiglobeqa.solver.user import load_solvers
from multiglobeqa.taxonomy import load
from multiglobeqa.taxonomy.check import check, demand

SOLVERS = """\
from multiglobeqa.solver import Facts, Question, Solution


def one(q: Question, f: Facts) -> Solution:
    return Solution(1.0)


SOLVERS = {"A99.a": one, "A99.b": one}
"""
SAMPLE = Path(__file__).parent / "sample"
GOOD: dict[str, bytes] = {
    name: (SAMPLE / name).read_bytes() for name in ("A99.yaml", "A99.sql", "A99.fp.sql", "golden/A99.yaml")
} | {"solvers.py": SOLVERS.encode()}
ROLES = "roles: {A: a point entity, B: another}"
LAST = "- By how many kilometres does {A} lie {side} of {B}?"
WORDINGS = "paraphrases:\n      - How far {side} is {A} from {B}?\n      " + LAST
STEP = "- {as: d, operator: measure, args: {pairs: ab, of: [distance_km]}}"


def yaml(old: str, new: str | bytes) -> dict[str, bytes | None]:
    """The template with one text replaced."""
    return {"A99.yaml": replaced("A99.yaml", old, new)}


def sql(old: str, new: str | bytes) -> dict[str, bytes | None]:
    """The SQL with one text replaced."""
    return {"A99.sql": replaced("A99.sql", old, new)}


def replaced(name: str, old: str, new: str | bytes) -> bytes:
    assert old.encode() in GOOD[name], old
    return GOOD[name].replace(old.encode(), new.encode() if isinstance(new, str) else new, 1)


BAD: list[tuple[str, dict[str, bytes | None], str, str]] = [
    ("tab", yaml("    params", "\tparams"), "A99.yaml:13", "Indent with spaces, not tabs"),
    ("key twice", yaml("unit: km", "unit: km\nunit: m"), "A99.yaml:5", "'unit' stands twice; first in line 4"),
    ("letter twice", yaml("  b:\n", "  a:\n"), "A99.yaml:25", "'a' stands twice; first in line 12"),
    ("role twice", yaml("B: another}", "A: another}"), "A99.yaml:7", "'A' stands twice"),
    ("empty file", {"A99.yaml": b""}, "A99.yaml:1", "has no mapping `subtemplates`"),
    ("a list", {"A99.yaml": b"- a\n- b\n"}, "A99.yaml:1", "has no mapping `subtemplates`"),
    ("sub-templates in a list", yaml("subtemplates:", "subtemplates: [a]\nmore:"), "A99.yaml:11", "has no mapping"),
    ("two documents", {"A99.yaml": GOOD["A99.yaml"] + b"---\nx: 1\n"}, "A99.yaml:33", "is not YAML"),
    ("Latin-1", yaml("Difference", b"Diff\xe9rence"), "A99.yaml:2", "is not UTF-8: byte 0xe9"),
    ("UTF-16", {"A99.yaml": GOOD["A99.yaml"].decode().encode("utf-16")}, "A99.yaml:1", "is not UTF-8"),
    ("a zero byte", yaml("unit: km", "unit: k\0m"), "A99.yaml:4", "control character 0x00"),
    ("half a character", yaml("title: Diff", 'title: "\\ud800"  # Diff'), "A99.yaml:2", "surrogate"),
    ("thirteenth month", yaml("side: left", "side: 2001-14-45"), "A99.yaml:13", "month must be in 1..12"),
    ("not a number", yaml("unit: km", "unit: !!int km"), "A99.yaml:4", "a value cannot be read"),
    ("Python tag", yaml("unit: km", "unit: !!python/name:os.system x"), "A99.yaml:4", "is not YAML"),
    ("no such alias", yaml("unit: km", "unit: *km"), "A99.yaml:4", "undefined alias"),
    ("alias of itself", yaml("{side: left}", "&p {side: left, p: *p}"), "A99.yaml:13", "holds itself"),
    ("too deep", yaml("side: left", "side: " + "[" * 3000 + "]" * 3000), "A99.yaml:1", "nested too deep"),
    ("open bracket", yaml("B: another}", "B: another"), "A99.yaml:8", "is not YAML"),
    ("Windows lines", {"A99.yaml": replaced("A99.yaml", "measure", "buffer").replace(b"\n", b"\r\n")}, "A99.yaml:17",
     "unknown operator 'buffer'"),
    ("old Mac lines", {"A99.yaml": replaced("A99.yaml", "measure", "buffer").replace(b"\n", b"\r")}, "A99.yaml:17",
     "unknown operator 'buffer'"),
    ("a byte order mark", {"A99.yaml": b"\xef\xbb\xbf" + replaced("A99.yaml", "measure", "buffer")}, "A99.yaml:17",
     "unknown operator 'buffer'"),
    ("roles in a list", yaml(ROLES, "roles: [A, B]"), "A99.yaml:7", "roles must be a mapping"),
    ("no roles", yaml(ROLES + "\n", ""), "A99.yaml:7", "anchor 'A' is no role"),
    ("role without text", yaml("B: another", "B: "), "A99.yaml:7", "roles.B must be a text"),
    ("role called on", yaml("B: another", "B: another, on: x"), "A99.yaml:7", "Put the name in quotes"),
    ("facts as text", yaml("{A: [type, label, geometry]", "{A: type"), "A99.yaml:9", "facts.A must be a list"),
    ("unknown fact", yaml("geometry]}", "shape]}"), "A99.yaml:9", "'shape' is no aspect of facts"),
    ("facts of the variant", yaml("failure: no_pair", "failure: no_pair\n      facts: {Q: [type]}"), "A99.yaml:23",
     "facts name 'Q'"),
    ("params in a list", yaml("{side: left}", "[left]"), "A99.yaml:13", "params must be a mapping"),
    ("step as text", yaml(STEP, "- measure"), "A99.yaml:17", "steps.2 must be a mapping"),
    ("step arguments in a list", yaml("{pairs: ab, of: [distance_km]}", "[ab]"), "A99.yaml:17", "must be a mapping"),
    ("step arguments null", yaml("of: [distance_km]", "of: "), "A99.yaml:17", "do not fit the operator"),
    ("operator in a list", yaml("operator: measure", "operator: [measure]"), "A99.yaml:17", "must be a text"),
    ("step key misspelt", yaml("per_cell", "per_cel"), "A99.yaml:15", "steps.0.per_cel is no key"),
    ("step quota 0", yaml("per_cell: 120", "per_cell: 0"), "A99.yaml:15", "per_cell is 0"),
    ("step quota in words", yaml("per_cell: 120", "per_cell: many"), "A99.yaml:15", "must be a whole number"),
    ("partners of no column", yaml("[cell, country]", "[]"), "A99.yaml:16", "same is empty"),
    ("empty draw", yaml("draw: \"kind = 'point' AND class = 'city15000'\"", 'draw: ""'), "A99.yaml:15", "draw is empty"),
    ("step name twice", yaml("as: d,", "as: ab,"), "A99.yaml:17", "two steps have the name ab"),
    ("step called entity", yaml("as: a, draw", "as: entity, draw"), "A99.yaml:15", "has a table of this name"),
    ("wordings as text", yaml(WORDINGS, "paraphrases: How far is {A} from {B}?"), "A99.yaml:18", "must be a list"),
    ("no wording", yaml(WORDINGS, "paraphrases: []"), "A99.yaml:18", "has 0 paraphrases"),
    ("blank wording", yaml(LAST, '- ""'), "A99.yaml:20", "the paraphrase is empty"),
    ("wording with a colon", yaml(LAST, "- Say: how far is {A} from {B}?"), "A99.yaml:20", "in quotes"),
    ("braces in braces", yaml("{side} of", "{side{A}} of"), "A99.yaml:20", "is no placeholder"),
    ("doubled braces", yaml("of {B}", "of {{B}}"), "A99.yaml:20", "is no placeholder"),
    ("spaces in braces", yaml("{side} of", "{ side } of"), "A99.yaml:20", "'{ side }' is no placeholder"),
    ("open brace", yaml("{side} of", "{side of"), "A99.yaml:20", "is no placeholder"),
    ("hint that nothing fills", yaml("empty: no", "scale_hint: within {r}\nempty: no"), "A99.yaml:10", "fills {r}"),
    ("no KG", yaml("[osmh3kg, knowwheregraph]", "[]"), "A99.yaml:6", "kgs is empty"),
    ("title missing", yaml("title: Difference of two distances\n", ""), "A99.yaml:11", "title is missing"),
    ("template without a name", yaml("template: A99", "template:"), "A99.yaml:12", "'None.a' is no id"),
    ("letter without a name", yaml("  b:\n", "  ~:\n"), "A99.yaml:11", "'A99.None' is no id"),
    ("sub-template as text", {"A99.yaml": GOOD["A99.yaml"] + b"  c: text\n"}, "A99.yaml:33", "is no mapping"),
    ("slip of no role", yaml("empty: no", "slips: {centroid: [C]}\nempty: no"), "A99.yaml:10", "names 'C'"),
    ("unknown slip", yaml("empty: no", "slips: {wormhole: [A]}\nempty: no"), "A99.yaml:10", "'wormhole' is no slip"),
    ("image of no role", yaml("empty: no", "image: {role: C, steps: [a]}\nempty: no"), "A99.yaml:10", "'C' is no role"),
    ("image of no step", yaml("empty: no", "image: {role: A, steps: [x]}\nempty: no"), "A99.yaml:10", "'x' is no step"),
    ("sizes the wrong way", yaml("empty: no", "set_size: [9, 1]\nempty: no"), "A99.yaml:10", "is no range"),
    ("variant in a list", yaml("failure: no_pair\n      steps:", "x: 1\n      steps:"), "A99.yaml:21", "failure is missing"),
    ("SQL missing", {"A99.sql": None}, "A99.yaml:12", "the SQL file A99.sql is missing"),
    ("SQL a folder", yaml("empty: no", "sql_file: golden\nempty: no"), "A99.yaml:10", "SQL file golden is missing"),
    ("false SQL missing", {"A99.fp.sql": None}, "A99.yaml:21", "the SQL file A99.fp.sql is missing"),
    ("SQL empty", {"A99.sql": b"-- nothing\n"}, "A99.sql:1", "the SQL is empty"),
    ("SQL in Latin-1", sql("a comment\n", b"a comment\n-- caf\xe9\n"), "A99.sql:2", "is not UTF-8"),
    ("SQL quote open", sql("'closer_than_2_km'", "'closer"), "A99.sql:3", "unterminated quoted string"),
    ("SQL bracket open", sql("FROM d", "FROM (d"), "A99.sql:4", "syntax error"),
    ("two SELECTs", sql("FROM d", "FROM d; SELECT 1"), "A99.sql:4", "syntax error"),
    ("SQL of another kind", {"A99.sql": b"DROP TABLE entity"}, "A99.sql:1", "syntax error"),
    ("no such column", sql("distance_km AS answer", "length AS answer"), "A99.sql:2", 'Referenced column "length"'),
    ("all columns", {"A99.sql": b"SELECT * FROM d"}, "A99.sql:1", "returns no column answer"),
]  # fmt: skip
UNHARMED: list[tuple[str, dict[str, bytes | None]]] = [
    ("good", {}),
    ("a byte order mark", {name: b"\xef\xbb\xbf" + GOOD[name] for name in ("A99.yaml", "A99.sql", "A99.fp.sql")}),
    ("Windows lines", {name: GOOD[name].replace(b"\n", b"\r\n") for name in ("A99.yaml", "A99.sql")}),
    ("a comment after the semicolon", {"A99.sql": GOOD["A99.sql"].rstrip() + b"; -- done"}),
]  # fmt: skip


def write(folder: Path, changed: dict[str, bytes | None]) -> Path:
    home = folder / "mine" / "A"
    (home / "golden").mkdir(parents=True)
    for name, content in {**GOOD, **changed}.items():
        if content is not None:
            (home / name).write_bytes(content)
    return home


def run(*arguments: str) -> int:
    """The command in this process: anything but a clean exit is an error of the test."""
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    return int(ended.value.code or 0)


@pytest.mark.parametrize(
    ("changed", "place", "message"), [row[1:] for row in BAD], ids=[row[0] for row in BAD]
)
def test_file_line_and_mend_are_named(
    tmp_path: Path, changed: dict[str, bytes | None], place: str, message: str
) -> None:
    home = write(tmp_path, changed)
    solvers = load_solvers(home / "solvers.py")
    told = [str(fault) for fault in check([home / "A99.yaml"], solvers=solvers)[0]]
    named = [line for line in told if line.startswith(f"{home}/{place}: ") and message in line]
    assert named, told
    assert re.search(r"[.!?)]\S* [A-Z`W].*\.$", named[0]), f"no mend: {named[0]}"
    with pytest.raises(TemplateError) as caught:
        demand([home.parent], solvers=solvers)
    error = str(caught.value)
    assert re.match(rf"{re.escape(str(home))}/\S+\.(yaml|sql):\d+: ", error), error
    assert isinstance(caught.value.place, int) and caught.value.mend
    if place.startswith("A99.yaml"):
        assert error.startswith(f"{home}/{place}: "), error


@pytest.mark.parametrize(
    "name", ["tab", "Latin-1", "braces in braces", "operator in a list", "no such column"]
)
def test_the_commands_print_it(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    changed, place, message = next(row[1:] for row in BAD if row[0] == name)
    home = write(tmp_path, changed)
    solver = ("--solver", str(home / "solvers.py"))
    assert run("templates", "check", str(home / "A99.yaml"), *solver) == 1
    told = capsys.readouterr().out
    assert f"{home}/{place}: " in told and message in told
    assert run("build", "--templates", str(home.parent), *solver, "--out", str(tmp_path / "out")) == 1
    error = capsys.readouterr().err
    assert error.startswith(f"mgqa: {home}/{place}: ") and message in error and "Traceback" not in error
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("changed", [row[1] for row in UNHARMED], ids=[row[0] for row in UNHARMED])
def test_marks_and_line_ends_do_no_harm(tmp_path: Path, changed: dict[str, bytes | None]) -> None:
    home = write(tmp_path, changed)
    solvers = load_solvers(home / "solvers.py")
    faults, checked = check([home], solvers=solvers)
    assert ([str(fault) for fault in faults], checked) == ([], ["A99.a", "A99.b"])
    demand([home.parent], solvers=solvers)
    assert [sub.id for sub in load(home.parent)] == checked


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        (b"- {sub: A99.a, roles: [\n", 2, "is not YAML"),
        (b"sub: A99.a\n", 1, "is no list of golden cases"),
        (b"- {sub: A99.a, roles: {A: a, B: b}, answer: 1}\n- text\n", 2, "is no golden case"),
        (b"- {sub: A99.a,\n  roles: {A: caf\xe9}}\n", 2, "is not UTF-8"),
    ],
)
def test_golden_cases_that_cannot_be_read(tmp_path: Path, content: bytes, line: int, message: str) -> None:
    home = write(tmp_path, {"golden/A99.yaml": content})
    told = [str(fault) for fault in check([home], solvers=load_solvers(home / "solvers.py"))[0]]
    place = f"{home}/golden/A99.yaml:{line}: "
    assert any(text.startswith(place) and message in text for text in told), told


def test_a_folder_without_templates_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "A99.yml").write_bytes(GOOD["A99.yaml"])
    assert run("templates", "check", str(tmp_path)) == 1
    assert f"{tmp_path}:1: holds no template. Templates are files *.yaml" in capsys.readouterr().out
    assert run("build", "--templates", str(tmp_path), "--out", str(tmp_path / "out")) == 1
    assert "holds no template" in capsys.readouterr().err
