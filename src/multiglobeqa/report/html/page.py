"""The page put together: tables from Python, the question browser and the maps from data blocks and a script."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Final

import jinja2
import pyarrow as pa
import pyarrow.compute as pc
from markupsafe import Markup

from multiglobeqa.kg.schema import DENSITY_TIERS, INCOME_TIERS
from multiglobeqa.kg.store import replacing
from multiglobeqa.report.benchmark import Benchmark, BuildInfo
from multiglobeqa.report.html import breakdowns, cells
from multiglobeqa.report.html.conditions import Together, together
from multiglobeqa.report.html.details import (
    DETAIL_BLOCK,
    FACT_BLOCK,
    SHAPE_BLOCK,
    TEXT_BLOCK,
    put_details,
    put_texts,
)
from multiglobeqa.report.html.diagnoses import title
from multiglobeqa.report.html.items import (
    FILTERS,
    NO_SITE,
    NOT_ASKED,
    SUB_UNITS,
    items,
    put_core,
    questions_of,
)
from multiglobeqa.report.html.land import Country, atlas, country_surfaces, put_land
from multiglobeqa.report.html.pack import Pack
from multiglobeqa.report.matrix import cause_letters, matrices, stratum_label
from multiglobeqa.report.metrics import Interval, intervals, majority_table, tabulate
from multiglobeqa.report.scores import Run
from multiglobeqa.report.values import answer_text, percent, words
from multiglobeqa.taxonomy.model import FAMILIES

SCRIPTS: Final = (
    "data.js", "dom.js", "theme.js", "filters.js", "list.js", "minimap.js", "detail.js", "browser.js", "worldmap.js",
    "versus.js", "main.js",
)  # fmt: skip
"""The page's script, in this order, inside one function."""
LEAST_ITEMS: Final = 5
"""A country with fewer questions gets no colour."""
BASELINE: Final = "majority"
INTAKE: Final = {
    "read": "replies read", "scored": "replies scored", "missing": "questions without a reply: they count as wrong",
    "unknown": "replies to no question of this benchmark", "duplicates": "further replies to the same question",
    "conflicting": "further, different replies to the same question; the first counts",
    "identical": "further, identical replies to the same question",
    "attempts": "earlier attempts of the run log; the final one counts",
    "not asked": "replies to questions that were not asked", "null": "replies that are null: they count as unparseable",
    "number": "ids that are numbers", "repeat": "lines that repeat a response under another filter",
    "broken": "lines that cannot be read as a reply", "truncated": "lines that break off at the end of the file",
    "encoding": "lines that are not of the file's encoding", "cost": "costs that are no numbers and were left out",
}  # fmt: skip
"""What a scores' file may count of its intake, in words."""


@dataclass(frozen=True)
class Figure:
    """A figure to show: SVG text, a title and a note."""

    title: str
    svg: str
    note: str = ""


@dataclass(frozen=True)
class Settings:
    """``items``: most items that the browser holds (tables always cover all); ``facts``: whether gold triples are in
    the page; ``draws`` of the bootstrap of weak cells."""

    items: int = 60_000
    facts: bool = True
    draws: int = 1000


def render(
    benchmark: Benchmark,
    runs: Sequence[Run] = (),
    *,
    countries: Sequence[Country] | None = None,
    intake: Sequence[Mapping[str, Any]] | None = None,
    figures: Sequence[Figure] = (),
    settings: Settings | None = None,
) -> str:
    """The page as HTML text. Equal input gives equal text.

    Parameters
    ----------
    runs : scored runs; columns ``text`` (raw reply, see ``with_replies``) and ``prompt`` are shown too.
    countries : surfaces of the maps; by default the embedded ones.
    intake : what was read of each run's predictions (``source``, ``read``, ``scored``, counts by kind, ``named``); by
        default what the scores' files tell.
    figures : figures to show (SVG).
    """
    settings = settings or Settings()
    land = country_surfaces() if countries is None else countries
    questions = questions_of(benchmark)
    scored = together(runs)
    chosen = items(questions, scored, settings.items)
    pack = Pack()
    put_core(pack, chosen, scored)
    pack.json("atlas", _by_country(scored, questions))
    put_land(pack, land)
    put_texts(pack, chosen)
    put_details(pack, chosen, benchmark, settings.facts)
    pack.json(
        "settings",
        {
            "filters": FILTERS, "not_asked": NOT_ASKED, "no_site": NO_SITE, "sub_units": SUB_UNITS,
            "least": LEAST_ITEMS,
            "blocks": {"text": TEXT_BLOCK, "detail": DETAIL_BLOCK, "shape": SHAPE_BLOCK, "fact": FACT_BLOCK},
            "labels": _labels(questions, scored),
            "diagnoses": {key: title(key) for key in _diagnoses(scored)},
        },
    )  # fmt: skip
    first = ["settings", "core", "atlas"]
    script = _script()
    return _environment().get_template("report.html.j2").render(
        benchmark=benchmark, info=benchmark.info, total=len(pc.unique(questions["id"])), families=FAMILIES,
        countries=len(pc.unique(questions["country"].drop_null())),
        subtemplates=len(pc.unique(questions["subtemplate"])),
        by_family=dict(sorted(Counter(questions["family"].to_pylist()).items())),
        kgs=dict(Counter(questions["kg"].to_pylist()).most_common()),
        formats=dict(Counter(questions["format"].to_pylist()).most_common()),
        languages=[breakdowns.label("language", one) for one in sorted(set(chosen.language.tolist()))],
        intake=_intake(runs, intake), kinds=INTAKE,
        chosen=chosen, shown=len(chosen),
        map=atlas(land), figures=figures, least=LEAST_ITEMS,
        incomes=INCOME_TIERS, densities=DENSITY_TIERS, licences=licences(benchmark), discards=discards(benchmark.info),
        composition=_composition(benchmark), **_matrix(benchmark), **_results(scored, questions, settings),
        style=Markup(_asset("report.css")), script=Markup(script), script_hash=_hash(script),
        early=pack.markup(first), late=pack.markup([name for name in pack.blocks if name not in first]),
    )  # fmt: skip


def write(path: str | Path, html: str) -> Path:
    """Write the page, atomically."""
    target = Path(path)
    with replacing(target) as temporary:
        temporary.write_text(html, "utf-8")
    return target


def discards(info: BuildInfo) -> list[tuple[str, int]]:
    """Discarded candidates by cause, most frequent first."""
    causes: Counter[str] = Counter()
    for row in info.discards:
        causes[row.cause] += row.count
    return sorted(causes.items(), key=lambda item: (-item[1], item[0]))


def licences(benchmark: Benchmark) -> list[dict[str, Any]]:
    """One row for each licence and attribution, with the parts it covers."""
    rows: dict[tuple[str, str], list[str]] = {}
    for row in benchmark.info.licences:
        rows.setdefault((row.licence, row.attribution), []).append(f"{row.kg}/{row.part}")
    return [
        {"licence": licence, "attribution": attribution, "parts": parts}
        for (licence, attribution), parts in sorted(rows.items())
    ]


def _results(scored: Together | None, questions: pa.Table, settings: Settings) -> dict[str, Any]:
    """What the template shows of the runs."""
    if scored is None:
        return {"scored": None}
    table, names = scored.table, scored.conditions
    baseline = _baseline(scored, questions)
    line = next((one.em for one in tabulate(baseline)), None) if baseline is not None else None
    ranked = tuple(name for name in names if name != BASELINE) or names
    heads = breakdowns.headlines(table, names, line)
    return {
        "scored": scored,
        "ranked": ranked,
        "headlines": heads,
        "majority": line,
        "breakdowns": breakdowns.breakdowns(table, ranked, baseline),
        "by_country": breakdowns.breakdown(table, ranked, "country", baseline),
        "heats": breakdowns.heats(table, ranked, questions),
        "statuses": breakdowns.statuses(table, names),
        "diagnoses": [(title(key) if key else None, row) for key, row in breakdowns.diagnoses(table, names)],
        "costs": breakdowns.cost_rows(table, names),
        "comparisons": cells.comparisons(table, names),
        "weak": cells.weak_cells(table.filter(pc.is_in(table["condition"], value_set=pa.array(ranked))),
                                 draws=settings.draws),
        "sure": cells.confidently_wrong(table, questions),
        "least_cell": (cells.LEAST_ITEMS, cells.LEAST_CLUSTERS),
    }  # fmt: skip


def _intake(runs: Sequence[Run], given: Sequence[Mapping[str, Any]] | None) -> list[dict[str, Any]]:
    """Of each run: its name, which questions are in the denominator, the counts by kind, and what is named."""
    told = [{"name": run.name, **run.info.get("intake", {}), "missing": run.missing} for run in runs]
    if given is not None:
        told = [{"name": one.get("source", ""), **one} for one in given]
    result = []
    for one in told:
        named = one.get("named") or {}
        lists = {
            kind: names
            for kind, names in {**one, **named}.items()
            if kind in INTAKE and isinstance(names, list)
        }
        counts = {kind: one[kind] for kind in INTAKE if isinstance(one.get(kind), int)}
        counts |= {kind: len(names) for kind, names in lists.items() if kind not in counts}
        result.append({"name": one["name"], "asked": one.get("asked", ""), "counts": counts, "named": lists})
    return result


def _baseline(scored: Together, questions: pa.Table) -> pa.Table | None:
    """The majority baseline: the run of that name, else scored here."""
    if BASELINE in scored.conditions:
        return scored.table.filter(pc.equal(scored.table["condition"], BASELINE))
    if len(pc.unique(questions["id"])) < questions.num_rows:  # stored in several languages
        first = questions["language"][0].as_py()
        languages = set(questions["language"].to_pylist())
        questions = questions.filter(pc.equal(questions["language"], "eng" if "eng" in languages else first))
    return majority_table(questions)


def _by_country(scored: Together | None, questions: pa.Table) -> dict[str, Any]:
    """Condition -> ISO 3166-1 alpha-3 -> [n, EM, low, high]; and the number of questions of each country."""
    counts = Counter(name for name in questions["country"].to_pylist() if name)
    result: dict[str, Any] = {"questions": dict(sorted(counts.items())), "conditions": {}}
    if scored is None:
        return result
    for span in intervals(scored.table, ("condition", "country")):
        name, country = span.group
        if country is not None and span.value is not None:
            row = [span.items, float(span.value), span.low, span.high]
            result["conditions"].setdefault(name, {})[country] = row
    return result


def _labels(questions: pa.Table, scored: Together | None) -> dict[str, dict[str, str]]:
    """Column -> value -> its name for people, where that is another."""
    result: dict[str, dict[str, str]] = {}
    for name in FILTERS:
        column = scored.table[name] if scored is not None and name == "language" else questions[name]
        values = [value for value in pc.unique(pc.cast(column, pa.string())).to_pylist() if value]
        named = {value: breakdowns.label(name, value) for value in sorted(values)}
        result[name] = {value: shown for value, shown in named.items() if shown != value}
    return result


def _diagnoses(scored: Together | None) -> list[str]:
    if scored is None:
        return []
    return sorted(
        key
        for key in pc.unique(pc.cast(scored.table["diagnosis"], pa.string())).to_pylist()
        if key is not None
    )


def _matrix(benchmark: Benchmark) -> dict[str, Any]:
    tables = matrices(benchmark.info.matrix)
    letters = cause_letters(tables)
    return {
        "matrices": tables,
        "peak": max((cell.questions for table in tables for cell in table.cells.values()), default=0),
        "letters": letters,
        "marks": lambda cell: ", ".join(letter for cause, letter in letters.items() if cause in cell.causes),
    }


def _composition(benchmark: Benchmark) -> list[Any]:
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


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("multiglobeqa.report.html", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "percent": percent,
        "words": words,
        "answer": answer_text,
        "span": span_text,
        "step": step,
        "picture": _picture,
        "thousands": lambda value: f"{value:,}",
        "ne": lambda value: "\N{EN DASH}" if value is None else f"{value:.3f}",
        "points": points,
        "p": p_text,
        "amount": lambda value: (
            "\N{EN DASH}" if value is None else f"{value:,.4g}" if value < 1000 else f"{value:,.0f}"
        ),
        "cell": cell_text,
    }
    environment.globals |= {"stratum_label": stratum_label, "label": breakdowns.label}
    return environment


def span_text(span: Interval | None) -> str:
    """An interval in percent: "41.0 to 52.3"; a dash where there is none."""
    if span is None or span.low is None or span.high is None:
        return "\N{EN DASH}"
    return f"{100 * span.low:.1f} to {100 * span.high:.1f}"


def points(value: float | Fraction | None) -> str:
    """A difference in percentage points with its sign; a dash for None."""
    return "\N{EN DASH}" if value is None else f"{100 * float(value):+.1f}".replace("-", "\N{MINUS SIGN}")


def p_text(value: float | None) -> str:
    """A p-value: three decimals, "< 0.001" below."""
    if value is None:
        return "\N{EN DASH}"
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def step(value: float | Fraction) -> int:
    """The colour of a share in [0, 1]: 0 to 4, a fifth each; 1 belongs to the last."""
    return min(4, int(float(value) * 5))


def cell_text(value: str | float | None) -> str:
    """A value of a table; a dash where there is none."""
    if value is None:
        return "\N{EN DASH}"
    return value if isinstance(value, str) else f"{value:,}"


def _picture(svg: str) -> str:
    """An SVG as the source of an image: its ids and styles stay its own."""
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode("ascii")


def _asset(name: str) -> str:
    return (resources.files("multiglobeqa.report.html") / "assets" / name).read_text("utf-8")


def _script() -> str:
    """The scripts as one text that runs in a function of its own."""
    parts = "\n".join(_asset(name) for name in SCRIPTS)
    return f'(() => {{\n"use strict";\n{parts}\n}})();\n'


def _hash(script: str) -> str:
    """The hash by which the page's policy allows its one script."""
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
