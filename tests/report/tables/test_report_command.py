"""``mgqa report`` from its command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from multiglobeqa.cli.main import main
from multiglobeqa.report.figures import available

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def mgqa(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    """Run the command; (exit code, standard output, standard error)."""

    def run(*arguments: Any) -> tuple[int, str, str]:
        code = 0
        try:
            main([str(part) for part in arguments])
        except SystemExit as end:
            code = int(end.code or 0)
        told = capsys.readouterr()
        return code, told.out, told.err

    monkeypatch.setattr("multiglobeqa.cli.console.console.width", 160, raising=False)
    return run


def test_tables_on_the_terminal(mgqa: Command, run_file: Path, bench: Path) -> None:
    code, out, _ = mgqa("report", run_file, "--benchmark", bench, "--draws", 50)
    assert code == 0
    assert "A score is not readiness" in out
    assert "Table 4: results by tier" in out and "22.5 (3.5)" in out and "42.5†" in out
    assert out.index("Benchmark small-world") < out.index("Table 4")
    assert "Weak cells" in out and "Paired comparison" in out
    code, out, _ = mgqa(
        "report", run_file, "--benchmark", bench, "--only", "table13,family,figure2", "--draws", 50
    )
    assert code == 0 and "Table 4" not in out
    assert "Exact match by family" in out
    assert "Figure 2: EM by family and answer format: --out DIR draws it" in out
    assert "table13: not made, needs a benchmark that is larger than its small variant." in out


def test_everything_as_files(mgqa: Command, run_file: Path, bench: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    code, told, _ = mgqa("report", run_file, "--benchmark", bench, "--out", out, "--draws", 20)
    assert code == 0
    assert "figure19: not made, needs" in told
    tables, figures = ({path.name for path in (out / part).iterdir()} for part in ("tables", "figures"))
    assert {"table4.csv", "table4.tex", "table4.md", "weak_cells.csv", "confidently_wrong.md"} <= tables
    assert "figure2.csv" in figures
    if available():
        assert {"figure2.svg", "figure2.png", "figure21.png"} <= figures
    page = (out / "report.md").read_text("utf-8")
    assert page.index("## Scope") < page.index("A score is not readiness") < page.index("## Tables")
    assert "- figure19: not made, needs a benchmark that is larger than its small variant." in page
    assert "(figures/figure2.csv)" in page
    scope = json.loads((out / "scope.json").read_text("utf-8"))
    assert (scope["benchmark"], scope["tiers"][0], scope["models"]) == (
        "small-world",
        "T1",
        ["Alpha", "Beta"],
    )
    html = (out / "report.html").read_text("utf-8")
    assert "Figure 2" in html or not available()
    again, some = tmp_path / "again", "table4,weak_cells,figure2,figure3"
    mgqa("report", run_file, "--benchmark", bench, "--out", again, "--draws", 20, "--only", some)
    for path in [*again.glob("tables/*"), *again.glob("figures/*")]:
        assert path.read_bytes() == (out / path.relative_to(again)).read_bytes(), path.name


def test_only_some_in_some_formats(mgqa: Command, run_file: Path, bench: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    arguments = (
        "report",
        run_file,
        "--benchmark",
        bench,
        "--out",
        out,
        "--only",
        "table4,figure11",
        "--format",
        "latex,svg",
    )
    assert mgqa(*arguments)[0] == 0
    found = {str(path.relative_to(out)) for path in out.rglob("*.*")}
    expected = {"tables/table4.tex", "figures/figure11.csv", "report.md", "scope.json"}
    assert found == expected | ({"figures/figure11.svg"} if available() else set())


def test_json(mgqa: Command, run_file: Path, bench: Path) -> None:
    code, out, _ = mgqa("report", run_file, "--benchmark", bench, "--only", "table4,figure12", "--json")
    data = json.loads(out)
    assert code == 0 and data["warning"].startswith("A score is not readiness")
    assert data["tables"]["table4"]["rows"][0]["T1"] == 22.5
    assert data["figures"]["figure12"]["rows"][0]["median tokens"] == 120


def test_the_page_of_a_benchmark_without_runs(mgqa: Command, bench: Path, tmp_path: Path) -> None:
    assert mgqa("report", "--benchmark", bench, "--html", tmp_path / "a.html")[0] == 0
    assert "<html" in (tmp_path / "a.html").read_text("utf-8")
    code, _, error = mgqa("report", "--benchmark", bench)
    assert code == 1 and "no run was named" in error


def test_predictions_are_scored_on_the_way(
    mgqa: Command, bench: Path, tmp_path: Path, asked: Callable[[], list[dict[str, Any]]]
) -> None:
    file = tmp_path / "my.jsonl"
    golds = [{"id": q["id"], "answer": json.loads(q["gold"])} for q in asked() if q["premise"]]
    file.write_text("".join(json.dumps(row) + "\n" for row in golds), "utf-8")
    code, out, _ = mgqa("report", file, "--benchmark", bench, "--html", tmp_path / "a.html", "--draws", 20)
    assert code == 0 and (tmp_path / "a.html").stat().st_size > 10_000
    code, out, _ = mgqa("report", file, "--benchmark", bench, "--only", "status")
    assert "100.0" in out


def test_feedback(
    mgqa: Command,
    run_file: Path,
    bench: Path,
    tmp_path: Path,
    make_question: Callable[..., dict[str, Any]],
    make_benchmark: Callable[..., Path],
) -> None:
    train = make_benchmark(tmp_path / "train", [make_question(f"t{n:015d}", "A", n) for n in range(20)])
    code, out, _ = mgqa(
        "report",
        run_file,
        "--benchmark",
        bench,
        "--feedback",
        tmp_path / "f",
        "--train",
        train,
        "--draws",
        50,
    )
    assert code == 0 and "weak cells of" in out
    assert (tmp_path / "f" / "summary.json").is_file()
    code, _, error = mgqa(
        "report", run_file, "--benchmark", bench, "--feedback", tmp_path / "f", "--train", bench
    )
    assert code == 1 and "test questions" in error


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--only", "table99"), "'table99' is no table and no figure. Tables: asked, table4"),
        (("--format", "pdf"), "'pdf' is no format. Formats: csv, latex, markdown, svg, png."),
        (("--variant", "tiny"), "'tiny' is no variant"),
        (("--feedback", "f"), "--feedback and --train go together"),
    ],
)
def test_wrong_usage(
    mgqa: Command, run_file: Path, bench: Path, arguments: tuple[str, ...], message: str
) -> None:
    code, _, error = mgqa("report", run_file, "--benchmark", bench, *arguments)
    assert code == 1 and message in error
