"""``mgqa questions``: multiple-choice files in the article's form."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from multiglobeqa.cli.console import JsonFlag, emit, say, show
from multiglobeqa.errors import InputError

if TYPE_CHECKING:
    from multiglobeqa.evaluate.choices.fairness import GuessScore
    from multiglobeqa.evaluate.choices.items import Item

app = typer.Typer(no_args_is_help=True, help="Multiple-choice questions: check, shuffle, make, score.")

Questions = Annotated[
    Path, typer.Argument(metavar="FILE", help="Questions, one JSON object a line.", dir_okay=False)
]
OutFile = Annotated[Path, typer.Option("--out", metavar="FILE", help="The file to write.", dir_okay=False)]
Seed = Annotated[int, typer.Option(help="Seed of every random choice.")]


@app.command()
def check(
    file: Questions,
    guesses: Annotated[bool, typer.Option(help="Also show what guesses that know nothing get.")] = False,
    json_: JsonFlag = False,
) -> None:
    """Check a file: every fault with its line. Exit code 1 where an item is refused or disputed."""
    from multiglobeqa.evaluate.choices.load import load

    found = load(file)
    shares = _guesses(found.items) if guesses else []
    if json_:
        faults = [{**vars(fault), "severity": fault.severity} for fault in found.faults]
        emit(
            {
                **found.summary(),
                "list": faults,
                "guesses": [{**vars(each), "telling": each.telling} for each in shares],
            }
        )
    else:
        for fault in found.faults:
            say(f"{fault.severity}: {fault}")
        say(
            f"{found.total:,} items: {len(found.items):,} read, {len(found.disputed)} disputed, {found.refused} refused"
        )
        _show_guesses(shares)
    if found.disputed or found.refused:
        raise typer.Exit(1)


@app.command()
def shuffle(file: Questions, out: OutFile, seed: Seed = 0) -> None:
    """Put the options in a new order, right ones evenly over the letters; the field `order` leads back."""
    from multiglobeqa.evaluate.choices.load import load, write
    from multiglobeqa.evaluate.choices.shuffle import balanced

    found = load(file)
    _tell(found.summary())
    say(f"{write(out, balanced(found.items, seed)):,} items in {out}")


@app.command()
def controls(file: Questions, out: OutFile) -> None:
    """Write the English forms (`question_en`) as control questions; their ids are ID#en."""
    from multiglobeqa.evaluate.choices.controls import english_controls
    from multiglobeqa.evaluate.choices.load import load, write

    found = load(file)
    _tell(found.summary())
    made = english_controls(found.items)
    if not made:
        raise InputError("has no question with an English form.", source=file, mend="Add `question_en`.")
    say(f"{write(out, made):,} items in {out}")


@app.command("make-choice")
def make_choice(
    benchmark: Annotated[Path, typer.Argument(metavar="BENCHMARK", help="A benchmark folder.")],
    out: OutFile,
    options: Annotated[int, typer.Option(help="Options a question.", min=2)] = 4,
    seed: Seed = 0,
    premise: Annotated[
        bool,
        typer.Option(
            "--premise", help="Add an option for a wrong assumption to every question, and ask those too."
        ),
    ] = False,
    kg: Annotated[
        list[str] | None,
        typer.Option(metavar="DIR|NAME", help="Snapshot with the names; by default those of the benchmark."),
    ] = None,
    json_: JsonFlag = False,
) -> None:
    """Turn a benchmark into multiple-choice questions, and show what guesses that know nothing get."""
    from multiglobeqa.answers import AliasIndex
    from multiglobeqa.cli.targets import snapshot_path, snapshots_of
    from multiglobeqa.evaluate.choices.load import write
    from multiglobeqa.evaluate.choices.make import make
    from multiglobeqa.kg.store import open_snapshot
    from multiglobeqa.report.benchmark import open_benchmark

    opened = [open_snapshot(snapshot_path(target)) for target in kg or []] or snapshots_of(
        open_benchmark(benchmark)
    )
    files: dict[str, list[str]] = {}
    for snapshot in opened:
        files.setdefault(snapshot.kg, []).extend(snapshot.label_files)
    names = {name: AliasIndex.read(paths) for name, paths in files.items()}
    made = make(benchmark, options=options, seed=seed, premise=premise, names=names)
    count = write(out, made.items)
    left = [(name, cause.replace("_", " "), number) for (name, cause), number in made.left_out.most_common()]
    shares = _guesses(made.items)
    if json_:
        emit(
            {
                "items": count,
                "left_out": [{"format": a, "cause": b, "questions": c} for a, b, c in left],
                "origins": dict(made.origins.most_common()),
                "guesses": [{**vars(each), "telling": each.telling} for each in shares],
            }
        )
        return
    show("Questions left out", ("format", "cause", "questions"), left, text=2)
    _show_guesses(shares)
    say(f"{count:,} items in {out}")


@app.command()
def score(
    file: Questions,
    replies: Annotated[
        Path, typer.Argument(metavar="REPLIES", help="Replies, one JSON object a line; ids as in FILE.")
    ],
    out: Annotated[
        Path, typer.Option("--out", metavar="eval_result.json", help="The result to write.", dir_okay=False)
    ],
    plain: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Plain-language control questions.")
    ] = None,
    plain_replies: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Their replies, if not in REPLIES.")
    ] = None,
    figure: Annotated[
        Path | None,
        typer.Option(metavar="FILE.svg|png", help="Draw the reliability plot, where there are confidences."),
    ] = None,
    json_: JsonFlag = False,
) -> None:
    """Score replies: accuracy by language, type and region, refusals, letters, calibration, controls."""
    from multiglobeqa.evaluate.choices.calibration import draw
    from multiglobeqa.evaluate.choices.result import evaluate, write_result

    result = evaluate(file, replies, plain=plain, plain_replies=plain_replies)
    write_result(out, result)
    if figure is not None:
        curves = result.calibrations()
        if not curves:
            raise InputError("holds no log-probabilities and no confidences to draw.", source=replies)
        draw(figure, curves)
    data = result.as_json()
    if json_:
        emit({name: value for name, value in data.items() if name != "detail"})
        return
    _tell(data["questions"])
    for intake in data["intake"]:
        for line in intake["named"]:
            say(line)
    _show_result(data)
    say(f"{data['scope']}\nResult in {out}")


def _show_result(data: dict[str, Any]) -> None:
    """Print what ``Result.as_json`` holds."""
    outcomes, base, bias = data["outcomes"], data["baselines"], data["position_bias"]
    rows = [
        (
            name,
            *(100 * each["accuracy"], each["correct"], each["total"], each["failures"]),
            *(outcomes[name][column] for column in ("refusals", "parse_failures", "flagged")),
        )
        for name, each in data["summary"].items()
        if name.count(" / ") < 2
    ]
    columns = ("group", "accuracy, %", "correct", "total", "failures", "refusals", "not read", "flagged")
    show("Accuracy", columns, rows)
    letter, share = next(iter(base["best_letter"].items()))
    say(f"chance {100 * base['chance']:.1f} %, always {letter} {100 * share:.1f} %")
    if bias["letters"]:
        rows = [
            (name, *(None if value is None else 100 * value for value in each.values()))
            for name, each in bias["letters"].items()
        ]
        show("Letters, %", ("letter", "answered", "right", "accuracy where right"), rows)
    if bias["p"] is not None:
        say(f"wrong answers spread evenly over the letters: p = {bias['p']:.4f}")
    for name, curve in data["calibration"].items():
        ece, brier = curve["ece_equal_width"], curve["brier"]
        say(f"calibration, {name}: ECE {ece:.4f}, Brier {brier:.4f}, {curve['answers']:,} answers")
    _show_controls(data["controls"])


def _show_controls(controls: dict[str, Any]) -> None:
    if controls["cells"]:
        names = ("pairs", "both_right", "only_english_right", "only_local_right", "both_wrong")
        show(
            "English controls",
            ("language", "pairs", "both right", "only English", "only local", "both wrong", "p (Holm)"),
            [
                (code, *(cell[name] for name in names), f"{cell['p_holm']:.4f}")
                for code, cell in controls["cells"].items()
            ],
        )
    if controls["attribution"]:
        causes = ("knowledge", "plain_language", "geographic_language")
        show(
            "Causes of wrong answers, % of pairs",
            ("language", "knowledge", "plain language", "geographic language"),
            [
                (code, *(100 * cell[name] for name in causes))
                for code, cell in controls["attribution"].items()
            ],
        )


def _tell(summary: dict[str, Any]) -> None:
    """Name what was not read."""
    if summary["refused"]:
        say(f"{summary['file']}: {summary['refused']} items refused; `mgqa questions check` names them")
    if summary["disputed"]:
        say(f"{summary['file']}: disputed, set aside: {', '.join(summary['disputed'])}")


def _guesses(items: Sequence[Item]) -> list[GuessScore]:
    from multiglobeqa.evaluate.choices.fairness import fairness

    return fairness(items)


def _show_guesses(shares: list[GuessScore]) -> None:
    if not shares:
        return
    show(
        "Guesses that know nothing, % right",
        ("guess", "items", "right", "chance", "95 % interval", "telling"),
        [
            (
                g.guess,
                g.items,
                100 * g.share,
                100 * g.chance,
                f"{100 * g.low:.1f} to {100 * g.high:.1f}",
                g.telling,
            )
            for g in shares
        ],
    )
