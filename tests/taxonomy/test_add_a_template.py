"""docs/add-a-template.md followed literally: its blocks are the files, its commands are run."""

from __future__ import annotations

import json
import re
import textwrap
from pathlib import Path

import pytest

from multiglobeqa.cli.main import main

PAGE = Path(__file__).resolve().parents[2] / "docs" / "add-a-template.md"


def blocks() -> list[str]:
    """The indented blocks of the page, in order."""
    found = re.findall(r"(?:^(?: {4}.*)?\n)+", PAGE.read_text("utf-8"), re.MULTILINE)
    return [textwrap.dedent(block).strip("\n") + "\n" for block in found if block.strip()]


def run(command: str) -> None:
    """One command of the page; a clean end is no exception."""
    try:
        main(command.removeprefix("mgqa ").split())
    except SystemExit as end:
        assert not end.code, command


def test_the_page_as_it_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    page = blocks()
    new = next(block for block in page if block.startswith("mgqa templates new"))
    words = re.sub(r"\\\n\s*", "", new).strip()
    title = re.search(r'"([^"]+)"', words)
    assert title is not None
    arguments = words.replace(title[0], "TITLE").removeprefix("mgqa ").split()
    try:
        main([title[1] if word == "TITLE" else word for word in arguments])
    except SystemExit as end:
        assert not end.code
    folder = tmp_path / "templates" / "K"
    assert {path.name for path in folder.iterdir() if path.is_file()} == {
        "K99.yaml",
        "K99.sql",
        "k99_solver.py",
    }
    (folder / "K99.yaml").write_text(next(b for b in page if b.startswith("template: K99")))
    (folder / "K99.sql").write_text(next(b for b in page if b.startswith("SELECT")))
    scaffolded = (folder / "k99_solver.py").read_text()
    imports = "\n".join(
        line for line in scaffolded.splitlines() if line.startswith(("from multi", "import "))
    )
    solver = next(b for b in page if "def k99" in b)
    (folder / "k99_solver.py").write_text(f"from __future__ import annotations\n{imports}\n\n{solver}")
    golden = next(b for b in page if b.startswith("- {sub: K99.a"))
    (folder / "golden" / "K99.yaml").write_text(golden)
    run(next(b for b in page if b.startswith("mgqa templates check")).strip())
    build = next(b for b in page if b.startswith("mgqa build --templates")).splitlines()[0]
    run(build + " --kg worldkg --per-cell 3 --threads 1")
    capsys.readouterr()
    run(
        f"{build.replace('build --templates templates', 'verify out/k99').split(' --out')[0]} --threads 1 --json"
    )
    told = json.loads(capsys.readouterr().out)
    assert told["questions"] == told["agreed"] > 10
    questions = [json.loads(line) for line in (tmp_path / "out/k99/questions.jsonl").read_text().splitlines()]
    assert {row["subtemplate"] for row in questions} == {"K99.a"}
