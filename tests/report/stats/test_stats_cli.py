"""``mgqa stats``, run in this process."""

from __future__ import annotations

import json
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from multiglobeqa.cli.main import main
from multiglobeqa.kg.store import Snapshot
from multiglobeqa.report import open_benchmark, render


def run(capsys: pytest.CaptureFixture[str], *arguments: Any) -> tuple[int, str, str]:
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    printed = capsys.readouterr()
    code = ended.value.code
    return (code if isinstance(code, int) else 0), printed.out, printed.err


def test_prints_every_table_and_writes_files(
    benchmark: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    code, out, err = run(capsys, "stats", benchmark, "--out", tmp_path / "out")
    assert (code, err) == (0, "")
    for number in (1, 2, 3, 5, 6, 7):
        assert f"\nTable {number}: " in out
    for number in (4, 5, 6):
        assert f"\nFigure {number}: " in out
    for title in ("class and stratum", "class and continent", "empty cells", "False premises", "Image slice",
                  "Size of the variants", "Set sizes", "Gold triples", "Slips"):  # fmt: skip
        assert title in out
    assert f"10 questions (eng) of {benchmark}" in out.replace("\n", "")
    assert "admin1 (3), road (2)" in out
    assert "worldkg-00000000000000bb is not at hand" in out
    assert len(list((tmp_path / "out").iterdir())) >= 20


def test_json_is_one_object_and_nothing_else(
    benchmark: Path, snapshot: Snapshot, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = run(capsys, "stats", benchmark, "--kg", snapshot.path, "--json")
    assert code == 0
    found = json.loads(out)
    assert found["questions"] == 10
    assert found["rows_repeated"] == 0
    assert found["snapshots_missing"] == ["worldkg-00000000000000bb"]
    (row,) = [row for row in found["tables"]["table2_strata"]["rows"] if row["income"] == "LIC"]
    assert row == {
        "income": "LIC", "low": 5, "medium": 0, "high": 0, "questions": 5, "share, %": 50.0, "countries": 1,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["{tmp}"], "holds no questions"),
        (["{tmp}/none"], "is neither a file nor a folder"),
        (["{bench}", "--split", "dev"], "'dev' is no split"),
        (["{bench}", "--kg", "nothing"], "neither a folder nor an embedded KG"),
    ],
)
def test_bad_input_is_told_in_one_line(
    benchmark: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    given = [text.format(tmp=tmp_path, bench=benchmark) for text in arguments]
    code, out, err = run(capsys, "stats", *given)
    assert code == 1
    assert out == ""
    assert message in err
    assert "Traceback" not in err


class Cells(HTMLParser):
    """The cells of the tables of a page, by caption."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: dict[str, list[list[str]]] = {}
        self._open, self._caption = "", ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._open = tag
        if tag == "tr" and self._caption:
            self.tables.setdefault(self._caption, []).append([])

    def handle_endtag(self, tag: str) -> None:
        self._open = ""
        if tag == "table":
            self._caption = ""

    def handle_data(self, data: str) -> None:
        if self._open == "caption":
            self._caption = data
        elif self._open in ("th", "td") and self._caption:
            self.tables[self._caption][-1].append(data)


def test_the_page_holds_the_short_tables(benchmark_dir: Path, make_snapshot: Callable[..., Snapshot]) -> None:
    cells = Cells()
    cells.feed(render(open_benchmark(benchmark_dir)))
    strata = cells.tables["Table 2: questions by income and density tier"]
    assert strata[0] == ["income", "low", "medium", "high", "questions", "share, %", "countries"]
    assert ["LIC", "3", "0", "0", "3", "50.0", "1"] in strata
    assert ["no stratum", "\N{EN DASH}", "\N{EN DASH}", "\N{EN DASH}", "1", "16.7", "0"] in strata
    families = {row[0][0]: row[1:] for row in cells.tables["Table 7: questions by family and KG"]}
    assert families["A"] == ["0 / 0 / 0", "2 / 1 / 0", "3"]
    assert families["C"] == ["2 / 0 / 0", "0 / 0 / 0", "2"]
    assert ["all", "6", "3", "3.0", "3.0", "3"] in cells.tables["Gold triples a question by income tier"]
