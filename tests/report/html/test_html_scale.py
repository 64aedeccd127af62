"""50,000 questions and two runs: the page opens and stays quick. And the page by way of the command."""

from __future__ import annotations

import base64
import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

from multiglobeqa.cli.report import write_page
from multiglobeqa.report import render, write
from multiglobeqa.report.benchmark import Benchmark
from multiglobeqa.report.scores import Run

QUESTIONS = 50_000
READY_MS, TASK_MS = 3000, 500
WATCH = """window.tasks = []; new PerformanceObserver((list) => { for (const one of list.getEntries()) window.tasks.push(one.duration); })
.observe({ type: "longtask", buffered: true });"""


def test_the_command_puts_raw_replies_into_the_page(benchmark_dir: Path, tmp_path: Path) -> None:
    predictions = tmp_path / "model.jsonl"
    lines = [
        {"id": "0000000000000002", "text": 'I think <so>.\n{"answer": 12.25, "declined": false}'},
        {"id": "0000000000000004", "text": "No idea."},
        {"id": "ffff", "text": "of another benchmark"},
    ]
    predictions.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    page = write_page(benchmark_dir, tmp_path / "page.html", [predictions]).read_text("utf-8")
    found = re.search(r'id="data-detail\.0">([^<]+)<', page)
    assert found is not None
    details = json.loads(gzip.decompress(base64.b64decode(found[1])))
    replies = [one["passes"][0].get("reply") for one in details]
    assert replies == [
        None,
        'I think <so>.\n{"answer": 12.25, "declined": false}',
        None,
        "No idea.",
        None,
        None,
    ]
    assert "4 without a reply count as wrong" not in page  # one of them has a false premise
    assert "3 without a reply count as wrong" in page


@pytest.fixture(scope="module")
def large(
    tmp_path_factory: pytest.TempPathFactory, sample: tuple[Benchmark, list[Run]]
) -> tuple[Benchmark, list[Run]]:
    """The sample's questions and scores again and again, with ids of their own."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from multiglobeqa.report import open_benchmark, read_run

    small, runs = sample
    folder = tmp_path_factory.mktemp("large") / "large-world"
    folder.mkdir()
    source = pq.read_table(small.path / "questions.parquet")
    times = QUESTIONS // source.num_rows + 1

    def repeated(table: pa.Table) -> pa.Table:
        parts = []
        for turn in range(times):
            ids = pa.array([f"{turn:05x}{one[5:]}" for one in table["id"].to_pylist()])
            parts.append(table.set_column(table.column_names.index("id"), table.schema.field("id"), ids))
        return pa.concat_tables(parts)

    pq.write_table(repeated(source), folder / "questions.parquet")
    (folder / "facts.parquet").write_bytes((small.path / "facts.parquet").read_bytes())
    (folder / "build.json").write_bytes((small.path / "build.json").read_bytes())
    benchmark = open_benchmark(folder)
    read = []
    for run in runs:
        scores = pq.read_table(small.path / f"{run.name}.parquet")
        pq.write_table(repeated(scores), folder / f"{run.name}.parquet")
        read.append(read_run(benchmark, folder / f"{run.name}.parquet"))
    return benchmark, read


@pytest.mark.slow
def test_fifty_thousand_questions_open_without_freezing(
    chromium: Any, large: tuple[Benchmark, list[Run]]
) -> None:
    benchmark, runs = large
    size = benchmark.questions.num_rows
    assert size >= QUESTIONS
    file = write(benchmark.path / "report.html", render(benchmark, runs))
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.add_init_script(WATCH)
    page.goto(file.as_uri(), wait_until="commit")
    page.wait_for_selector("html[data-ready]", state="attached", timeout=60_000)
    ready = page.evaluate("performance.getEntriesByName('mgqa-ready')[0].startTime")
    page.evaluate("location.hash = '#questions'")
    page.select_option("#filter-family", "0")
    page.fill("#search", "distance")
    page.wait_for_function(
        "() => document.getElementById('active-filters') && document.querySelector('.entry')"
    )
    for place in range(40):
        page.evaluate("at => { document.getElementById('list').scrollTop = at * 20000; }", place)
        page.wait_for_timeout(20)
    page.evaluate("location.hash = '#map'")
    page.check("input[value=points]")
    page.wait_for_timeout(300)
    longest = max(page.evaluate("window.tasks"), default=0)
    print(
        f"{size:,} questions: {file.stat().st_size / 1e6:.1f} MB, ready {ready:.0f} ms, longest task {longest:.0f} ms"
    )
    context.close()
    assert ready < READY_MS
    assert longest < TASK_MS
