"""``mgqa baseline`` and ``mgqa score``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from multiglobeqa.cli.console import JsonFlag, emit, say, show
from multiglobeqa.cli.targets import snapshot_path
from multiglobeqa.report.scores import Run

if TYPE_CHECKING:
    from multiglobeqa.report.metrics import Scores
    from multiglobeqa.scorer import Result


def baseline(
    name: Annotated[str, typer.Argument(metavar="majority|oracle-solver", help="The baseline.")],
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="A benchmark folder.")],
    out: Annotated[Path, typer.Option("--out", help="The replies file to write (.jsonl).", dir_okay=False)],
    threads: Annotated[int, typer.Option(min=1)] = 2,
) -> None:
    """Write the replies of a baseline that needs no model."""
    from multiglobeqa.evaluate.files import run_baseline

    say(f"{run_baseline(name, directory, out, threads=threads):,} replies in {out}")


def score(
    predictions: Annotated[
        Path,
        typer.Argument(
            metavar="PREDICTIONS", help="A file of any form, or a run folder; see docs/evaluator.md."
        ),
    ],
    benchmark: Annotated[
        Path,
        typer.Option(
            "--benchmark",
            metavar="DIR",
            help="The benchmark that was asked: a folder, a release, or Parquet.",
        ),
    ],
    out: Annotated[
        Path | None, typer.Option("--out", help="The scores to write (.parquet).", dir_okay=False)
    ] = None,
    kg: Annotated[
        list[str] | None,
        typer.Option(metavar="DIR|NAME", help="Snapshot with the names; by default those of the benchmark."),
    ] = None,
    by: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="A further table by this column; may be repeated."),
    ] = None,
    asked: Annotated[
        str | None,
        typer.Option(
            metavar="languages|all|answered|FILE",
            help="Which questions are in the denominator: all in the replies' languages (default), all, those with a "
            "reply, or those that FILE lists.",
        ),
    ] = None,
    language: Annotated[
        str | None, typer.Option(metavar="CODE", help="Language of replies that state none.")
    ] = None,
    encoding: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Encoding of the file; by default UTF-8 or its byte order mark."),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="End with an error where a line or a question is amiss.")
    ] = False,
    run: Annotated[str | None, typer.Option(help="Name of the run; by default the file's.")] = None,
    model: Annotated[str | None, typer.Option(help="Name of the model, where the file has none.")] = None,
    tier: Annotated[str | None, typer.Option(help="Tier of the replies, where the file has none.")] = None,
    h3_credit: Annotated[
        str, typer.Option(metavar="geometric|paper|none", help="Credit for finer H3 cells.")
    ] = "geometric",
    variant: Annotated[str, typer.Option(metavar="large|small", help="Of a release.")] = "large",
    threads: Annotated[int, typer.Option(min=1)] = 2,
    json_: JsonFlag = False,
) -> None:
    """Score predictions and print exact match by family and stratum, and what the file held."""
    from multiglobeqa.evaluate.scoring import Options, prepare
    from multiglobeqa.evaluate.scoring.tables import write_scores
    from multiglobeqa.kg.store import open_snapshot
    from multiglobeqa.scorer import Result

    options = Options(
        asked=asked, language=_code(language), encoding=encoding, strict=strict, run=run, model=model, tier=tier,
        h3_credit=h3_credit, variant=variant, threads=threads,
    )  # fmt: skip
    snapshots = [open_snapshot(snapshot_path(target)) for target in kg] if kg else None
    scored = prepare(predictions, benchmark, options, snapshots=snapshots)
    result = Result(scored.table(), scored.questions, scored.intake)
    tables = {name: result.metrics(name) for name in by or []}
    if out is not None:
        write_scores(out, result.table, scored.metadata)
    if json_:
        emit(
            {
                "run": scored.metadata["run"],
                **metrics(result),
                "by": {k: _rows(v, (k,)) for k, v in tables.items()},
            }
        )
        return
    show_result(result, tables, str(scored.metadata["run"]))
    if out is not None:
        say(f"Scores in {out}")


def metrics(result: Result) -> dict[str, Any]:
    """A result's metrics, statuses and intake as JSON values."""
    groups: dict[str, tuple[str, ...]] = {
        "all": (), "family": ("family",), "stratum": ("income", "density"), "format": ("format",)
    }  # fmt: skip
    rows = {name: _rows(result.metrics(*by), by) for name, by in groups.items()}
    return {
        **rows,
        "statuses": {
            status: {"true": true, "false": false} for status, true, false in _statuses(result.metrics())
        },
        "missing": result.intake.count("missing"),
        "intake": result.intake.as_json(),
    }


def show_result(result: Result, tables: dict[str, list[Scores]], name: str) -> None:
    """Print a result: exact match by family, by stratum and by further columns, statuses, and the intake."""
    from multiglobeqa.report import percent, stratum_label
    from multiglobeqa.taxonomy.model import FAMILIES

    columns = ("questions", "EM", "NE", "coverage")
    families = [
        (s.group[0], FAMILIES.get(s.group[0] or "", ""), *_cells(s)) for s in _asked(result.metrics("family"))
    ]
    show("Exact match by family", ("", "family", *columns), families, text=2)
    strata = [(stratum_label(s.group), *_cells(s)) for s in _asked(result.metrics("income", "density"))]
    show("Exact match by stratum", ("stratum", *columns), strata)
    for column, scores in tables.items():
        show(
            f"Exact match by {column}", (column, *columns), [(s.group[0], *_cells(s)) for s in _asked(scores)]
        )
    whole = result.metrics()
    show("Statuses", ("status", "true premise", "false premise"), _statuses(whole))
    for line in result.intake.lines():
        say(line)
    for one in _asked(whole):
        told = f"EM {name}: {percent(one.em)} of {one.questions:,} questions"
        say(
            told
            + (
                f"; {percent(one.nrr)} of {one.false_premise:,} false premises declined"
                if one.false_premise
                else ""
            )
        )


def show_runs(runs: list[Run]) -> None:
    """Print exact match by family and by stratum, one column a run."""
    from multiglobeqa.report import percent, stratum_label
    from multiglobeqa.report.page import em_table
    from multiglobeqa.taxonomy.model import FAMILIES

    names = [run.name for run in runs]
    rows = em_table(runs, ("family",))
    show(
        "Exact match by family",
        ("", "family", "questions", *names),
        [(r["key"][0], FAMILIES[r["key"][0]], r["questions"], *map(percent, r["em"])) for r in rows],
        text=2,
    )
    rows = em_table(runs, ("income", "density"))
    show(
        "Exact match by stratum",
        ("stratum", "questions", *names),
        [(stratum_label(r["key"]), r["questions"], *map(percent, r["em"])) for r in rows],
    )
    for run in runs:
        if run.overall:
            say(f"EM {run.name}: {percent(run.overall.em)} of {run.overall.questions:,} questions")
        if run.missing:
            say(f"{run.name}: {run.missing:,} questions have no reply and count as wrong.")


def _code(language: str | None) -> str | None:
    from multiglobeqa.errors import InputError
    from multiglobeqa.evaluate.predictions.record import RecordError
    from multiglobeqa.evaluate.predictions.rows import language_code

    try:
        return language_code(language)
    except RecordError as error:
        raise InputError(f"{error}.", mend="Three letters, such as deu.") from error


def _asked(scores: Sequence[Scores]) -> list[Scores]:
    """Groups that have a question with a true premise."""
    return [one for one in scores if one.questions]


def _cells(scores: Scores) -> tuple[int, str, str, str]:
    from multiglobeqa.report import percent

    ne = "\N{EN DASH}" if scores.ne is None else f"{scores.ne:.3f}"
    return scores.questions, percent(scores.em), ne, percent(scores.coverage)


def _rows(scores: Sequence[Scores], by: tuple[str, ...]) -> list[dict[str, Any]]:
    return [
        {
            **dict(zip(by, one.group, strict=True)),
            "questions": one.questions,
            "em": None if one.em is None else float(one.em),
            "ne": one.ne,
            "coverage": None if one.coverage is None else float(one.coverage),
        }
        for one in _asked(scores)
    ]


def _statuses(whole: Sequence[Scores]) -> list[tuple[str, int, int]]:
    """Status, true-premise and false-premise questions that end in it."""
    from multiglobeqa.report.metrics import STATUSES

    return [
        (status, sum(s.true.of((status,)) for s in whole), sum(s.false.of((status,)) for s in whole))
        for status in STATUSES
    ]
