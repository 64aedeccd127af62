"""``mgqa build`` and ``mgqa verify``."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from multiglobeqa.cli.console import JsonFlag, OutFolder, emit, progress, say, show
from multiglobeqa.cli.kg import show_report
from multiglobeqa.cli.targets import snapshot_path
from multiglobeqa.report.benchmark import Benchmark, open_benchmark


def build(
    out: OutFolder,
    source: Annotated[
        list[Path] | None, typer.Option(metavar="FILE.osm.pbf", help="OSM extract to import and build from.")
    ] = None,
    kg: Annotated[
        list[str] | None,
        typer.Option(metavar="DIR|NAME", help="Snapshot to build from; by default the embedded ones."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Equal seeds give equal files.")] = 2026,
    threads: Annotated[int, typer.Option(min=1)] = 2,
    per_cell: Annotated[int, typer.Option(min=1, help="Most questions a sub-template, KG and stratum.")] = 30,
    subtemplate: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="Build only these (A01.a, A01 or A).")
    ] = None,
    templates: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="DIR|ours", help="Templates of yours instead of ours; `ours` adds ours (repeat)."
        ),
    ] = None,
    solver: Annotated[
        list[Path] | None, typer.Option(metavar="FILE.py", help="Solvers of your own templates (repeat).")
    ] = None,
    disjoint_from: Annotated[
        list[Path] | None,
        typer.Option(metavar="DIR", help="Share no question with this benchmark (repeat for more)."),
    ] = None,
    disjoint_entities_from: Annotated[
        list[Path] | None,
        typer.Option(metavar="DIR", help="Share no entity with it either, as a train split must."),
    ] = None,
    population: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.tif", help="Raster of people (EPSG:4326) for questions on people in a radius."
        ),
    ] = None,
    population_name: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Name and year of the raster, as questions are to say it."),
    ] = None,
    json_: JsonFlag = False,
) -> None:
    """Build a benchmark: draw, compute, check and verify questions, then write them."""
    import pyarrow.parquet as pq

    from multiglobeqa.build import BuildConfig
    from multiglobeqa.build import build as run
    from multiglobeqa.build.variants import chosen
    from multiglobeqa.solver import SOLVERS
    from multiglobeqa.solver.user import solvers_of
    from multiglobeqa.taxonomy.check import demand
    from multiglobeqa.taxonomy.load import TEMPLATES

    if own := [path for path in templates or [] if str(path) != "ours"]:
        with solvers_of(solver or []):
            demand(own, solvers=SOLVERS, only=subtemplate or ())
    snapshots = [snapshot_path(target) for target in kg or []]
    if source:
        from multiglobeqa.kg.ingest import import_extracts

        imported = import_extracts(source, out / "kg")
        if len(imported) == 1 and not json_:
            say("No WorldKG snapshot: no tagged node of the extracts has a type there.")
        for snapshot, parts in imported:
            snapshots.append(snapshot.path)
            for part in parts if not json_ else []:
                show_report(f"{snapshot.kg}/{part.name}", part.report)
    with progress() as callback, solvers_of(solver or []):
        config = BuildConfig(
            out=out,
            seed=seed,
            threads=threads,
            per_cell=per_cell,
            subtemplates=subtemplate,
            disjoint_from=disjoint_from or [],
            disjoint_entities_from=disjoint_entities_from or [],
            population=population,
            population_name=population_name,
            progress=callback,
        )
        if templates:
            config.templates = [TEMPLATES if str(path) == "ours" else path for path in templates]
        if snapshots:
            config.kgs = snapshots
        result = run(config)
    benchmark = open_benchmark(out)
    if json_:
        emit(benchmark.info.model_dump())
        return
    show_benchmark(benchmark)
    small = int(chosen(pq.read_table(out / "questions.parquet")).sum())
    say(f"Variants: large {result.questions:,} questions, small {small:,}")
    show_seconds(result.seconds)
    say(f"Benchmark in {out}")


def show_benchmark(benchmark: Benchmark) -> None:
    """Print the matrix, the questions by family, the discards, the majority scores, the verified share."""
    from multiglobeqa.evaluate.majority import by_family
    from multiglobeqa.report import cause_letters, matrices, percent, words
    from multiglobeqa.report.page import discards
    from multiglobeqa.report.stats.majority import COLUMNS
    from multiglobeqa.taxonomy.model import FAMILIES

    tables = matrices(benchmark.info.matrix)
    letters = cause_letters(tables)
    for table in tables:
        columns = [
            f"{income or '-'}\n{'med' if density == 'medium' else density or '-'}"
            for income, density in table.strata
        ]
        rows = [
            (
                family,
                *(
                    str(cell.questions)
                    if cell.questions
                    else ",".join(letters[c] for c in letters if c in cell.causes)
                    for cell in table.row(family)
                ),
            )
            for family in table.families
        ]
        show(f"{table.kg}: {table.questions:,} questions", ("", *columns), rows)
    if letters:
        show(
            "Why cells are empty",
            ("", "cause"),
            [(mark, words(cause)) for cause, mark in letters.items()],
            text=2,
        )
    counts = Counter(benchmark.questions["family"].to_pylist())
    show(
        "Questions",
        ("", "family", "questions"),
        [(f, name, counts[f]) for f, name in FAMILIES.items()],
        text=2,
    )
    show(
        "Discarded candidates", ("cause", "candidates"), [(words(c), n) for c, n in discards(benchmark.info)]
    )
    if (majority := benchmark.info.majority) is not None:
        scores = by_family((row.subtemplate, row.questions, row.right) for row in majority.subtemplates)
        show("Majority baseline: the most frequent answer of each sub-template", COLUMNS, scores, text=2)
        say(
            f"EM of the majority answers: {percent(majority.share)} of {majority.questions:,} true text questions"
        )
    verified = benchmark.info.verified
    say(f"Verified: {percent(verified.share)} ({verified.agreed:,} of {verified.questions:,} answers)")


def show_seconds(seconds: dict[str, float]) -> None:
    """Print the slowest stages and the sum."""
    slowest = sorted(seconds.items(), key=lambda item: -item[1])[:8]
    say(
        f"Time: {sum(seconds.values()):.1f} s; most: "
        + ", ".join(f"{stage} {value:.1f} s" for stage, value in slowest)
    )


def verify(
    path: Annotated[
        Path,
        typer.Argument(
            metavar="DIR|FILE",
            help="A benchmark folder, a release folder, or a file of questions (Parquet, JSONL).",
        ),
    ],
    solver: Annotated[
        list[Path] | None, typer.Option(metavar="FILE.py", help="Solvers of your own templates.")
    ] = None,
    threads: Annotated[int, typer.Option(min=1)] = 2,
    json_: JsonFlag = False,
) -> None:
    """Recompute every answer of a benchmark from its facts alone, and compare."""
    from multiglobeqa.build import verify as run
    from multiglobeqa.report import percent
    from multiglobeqa.solver.user import solvers_of

    with solvers_of(solver or []):
        result = run(path, threads=threads)
    if json_:
        emit({"questions": result.total, "agreed": result.agreed, "differences": result.differences})
    else:
        share = result.agreed / result.total if result.total else None
        say(f"Verified: {percent(share)} ({result.agreed:,} of {result.total:,} answers)")
        for difference in result.differences:
            say(difference)
    if result.differences:
        raise typer.Exit(1)
