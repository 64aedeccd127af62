"""The benchmark's report: one HTML page that needs nothing but itself."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2
import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq

from multiglobeqa.kg.schema import INCOME_TIERS, UNCLASSIFIED
from multiglobeqa.kg.store import replacing
from multiglobeqa.report.benchmark import Benchmark, BuildInfo
from multiglobeqa.report.matrix import cause_letters, matrices, stratum_label
from multiglobeqa.report.scores import Run
from multiglobeqa.report.values import answer_text, percent, words
from multiglobeqa.report.worldmap import Layer, mark, world_map
from multiglobeqa.taxonomy.model import FAMILIES

if TYPE_CHECKING:
    from multiglobeqa.report.stats.table import Table

_TIERS = (
    ("HIC", "High income", "circle"),
    ("UMC", "Upper middle income", "diamond"),
    ("LMC", "Lower middle income", "square"),
    ("LIC", "Low income", "triangle"),
)
_SAMPLES = 2


def render(
    benchmark: Benchmark,
    runs: Sequence[Run] = (),
    *,
    countries: Sequence[bytes] = (),
) -> str:
    """The page as HTML text. Equal input gives equal text.

    Parameters
    ----------
    runs : scored runs, one column each in the tables.
    countries : WKB surfaces (longitude latitude, cut at longitude 180) drawn under the sites; may be empty.
    """
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("multiglobeqa.report", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "percent": percent,
        "words": words,
        "thousands": lambda value: f"{value:,}",
        "cell": cell_text,
    }
    tables = matrices(benchmark.info.matrix)
    letters = cause_letters(tables)
    return environment.get_template("report.html.j2").render(
        benchmark=benchmark,
        info=benchmark.info,
        total=benchmark.questions.num_rows,
        families=FAMILIES,
        countries=len(pc.unique(benchmark.questions["country"].drop_null())),
        subtemplates=len(pc.unique(benchmark.questions["subtemplate"])),
        kgs=_counts(benchmark, "kg"),
        by_family=dict(sorted(_counts(benchmark, "family").items())),
        formats=_counts(benchmark, "format"),
        matrices=tables,
        peak=max((cell.questions for table in tables for cell in table.cells.values()), default=0),
        letters=letters,
        marks=lambda cell: ", ".join(letter for cause, letter in letters.items() if cause in cell.causes),
        stratum_label=stratum_label,
        runs=runs,
        em_family=em_table(runs, ("family",)),
        em_stratum=em_table(runs, ("income", "density")),
        map=world_map(countries, _layers(benchmark)),
        key=[(css, mark(shape, 12, 12)) for css, _, shape in _TIERS] + [("none", mark("cross", 12, 12))],
        composition=_composition(benchmark),
        samples=_samples(benchmark, runs),
        discards=discards(benchmark.info),
        licences=_licences(benchmark),
    )


def write(path: str | Path, html: str) -> Path:
    """Write the page, atomically."""
    target = Path(path)
    with replacing(target) as temporary:
        temporary.write_text(html, "utf-8")
    return target


def country_surfaces() -> list[bytes]:
    """The embedded surfaces of the world's countries, WKB, cut at longitude 180."""
    file = Path(str(resources.files("multiglobeqa"))) / "data" / "strata" / "countries.parquet"
    surfaces: list[bytes] = pq.read_table(file, columns=["geometry"])["geometry"].to_pylist()
    return surfaces


def cell_text(value: str | float | None) -> str:
    """A value of a table; a dash where there is none."""
    if value is None:
        return "\N{EN DASH}"
    return value if isinstance(value, str) else f"{value:,}"


def _composition(benchmark: Benchmark) -> list[Table]:
    """The short tables of `mgqa stats` that the page has room for."""
    from multiglobeqa.report.stats import golds, majority, questions, strata

    counted = questions.read(benchmark.path).counted()
    return [
        strata.table2(counted),
        strata.table7(counted),
        strata.variant_sizes(counted),
        golds.answer_sizes(counted),
        golds.gold_triples(counted),
        majority.by_subtemplate(counted),
    ]


def _counts(benchmark: Benchmark, column: str) -> dict[str, int]:
    return dict(Counter(benchmark.questions[column].to_pylist()).most_common())


def em_table(runs: Sequence[Run], by: Sequence[str]) -> list[dict[str, Any]]:
    """Rows with the group's key, its denominator and one EM a run."""
    columns = [{scores.group: scores for scores in run.by(*by)} for run in runs]
    keys = sorted({key for column in columns for key in column}, key=_stratum_order if len(by) == 2 else str)
    return [
        {
            "key": key,
            "questions": next(column[key].questions for column in columns if key in column),
            "em": [float(column[key].em or 0) if key in column else None for column in columns],
        }
        for key in keys
    ]


def _stratum_order(key: tuple[str | None, ...]) -> tuple[int, int]:
    incomes: dict[str | None, int] = {tier: place for place, tier in enumerate(INCOME_TIERS)}
    densities: dict[str | None, int] = {"low": 0, "medium": 1, "high": 2}
    return incomes.get(key[0], len(incomes)), densities.get(key[1], 3)


def _layers(benchmark: Benchmark) -> list[Layer]:
    """Sites by income tier, the most frequent tier first so that it lies lowest."""
    questions = benchmark.questions
    lon = questions["lon"].to_numpy(zero_copy_only=False).astype(float)
    lat = questions["lat"].to_numpy(zero_copy_only=False).astype(float)
    income = np.array(questions["income"].to_pylist(), dtype=object)
    known = np.isfinite(lon) & np.isfinite(lat)
    layers = [
        Layer(label, shape, tier, lon[known & (income == tier)], lat[known & (income == tier)])
        for tier, label, shape in _TIERS
    ]
    rest = known & ~np.isin(income.astype(str), INCOME_TIERS)
    label = "No income tier" if not (income == UNCLASSIFIED).any() else "No income tier or unclassified"
    return [*layers, Layer(label, "cross", "none", lon[rest], lat[rest])]


def _samples(benchmark: Benchmark, runs: Sequence[Run]) -> list[dict[str, Any]]:
    """Up to two questions a family: the first by id, then the first of another sub-template and KG.

    Ids are hashes, so the choice is arbitrary and stable.
    """
    columns = [
        "id",
        "kg",
        "family",
        "subtemplate",
        "question",
        "format",
        "unit",
        "gold",
        "country",
        "premise",
    ]
    table = benchmark.questions.select(columns)
    facts = pc.list_value_length(benchmark.questions["fact_ids"])
    rows = table.append_column("facts", facts).append_column("place", [np.arange(table.num_rows)]).to_pylist()
    chosen: list[dict[str, Any]] = []
    by_family: dict[str, list[dict[str, Any]]] = {}
    for row in sorted(rows, key=lambda row: str(row["id"])):
        by_family.setdefault(row["family"], []).append(row)
    for _, candidates in sorted(by_family.items()):
        first = candidates[0]
        rest = sorted(
            candidates[1:],
            key=lambda row: (row["subtemplate"] == first["subtemplate"], row["kg"] == first["kg"]),
        )
        chosen.extend([first, *rest[: _SAMPLES - 1]])
    names = _names(benchmark)
    for row in chosen:
        row["gold"] = answer_text(row["gold"], row["unit"]) if row["premise"] else "the premise fails"
        row["answers"] = [_answer(run, row, names) for run in runs]
    return chosen


def _names(benchmark: Benchmark) -> dict[str, str]:
    """IRI -> name of the entities that a question names: its roles, and a gold answer that is one entity."""
    table = benchmark.questions.select(["roles", "format", "gold", "accepted_iris"])
    names: dict[str, str] = {}
    for row in table.to_pylist():
        names.update((role["iri"], role["name"]) for role in json.loads(row["roles"]).values())
        if row["format"] == "entity" and row["gold"] and len(row["accepted_iris"]) == 1:
            names[row["accepted_iris"][0]] = json.loads(row["gold"])
    return names


def _answer(run: Run, question: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    """What a run said; entities given by IRI are shown by name, and a right set as the gold is."""
    row = run.rows[question["place"]]
    if row["parsed"] is None:
        return {"run": run.name, "text": row["status"], "em": row["em"]}
    if question["format"] == "set" and row["em"]:
        return {"run": run.name, "text": question["gold"], "em": row["em"]}
    parsed = json.loads(row["parsed"])
    if isinstance(parsed, list):
        parsed = [names.get(member, member) if isinstance(member, str) else member for member in parsed]
    elif isinstance(parsed, str):
        parsed = names.get(parsed, parsed)
    return {"run": run.name, "text": answer_text(json.dumps(parsed), question["unit"]), "em": row["em"]}


def discards(info: BuildInfo) -> list[tuple[str, int]]:
    """Discarded candidates by cause, most frequent first."""
    causes: Counter[str] = Counter()
    for row in info.discards:
        causes[row.cause] += row.count
    return sorted(causes.items(), key=lambda item: (-item[1], item[0]))


def _licences(benchmark: Benchmark) -> list[dict[str, Any]]:
    """One row for each licence and attribution, with the parts it covers."""
    rows: dict[tuple[str, str], list[str]] = {}
    for row in benchmark.info.licences:
        rows.setdefault((row.licence, row.attribution), []).append(f"{row.kg}/{row.part}")
    return [
        {"licence": licence, "attribution": attribution, "parts": parts}
        for (licence, attribution), parts in sorted(rows.items())
    ]
