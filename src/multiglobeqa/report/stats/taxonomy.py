"""Tables 1 and 5: what the taxonomy holds and what of it the benchmark asks."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

from multiglobeqa.report.stats.questions import Questions
from multiglobeqa.report.stats.table import Row, Table
from multiglobeqa.taxonomy.model import CLUSTERS, FAMILIES, SubTemplate


def table1(questions: Questions, subs: Sequence[SubTemplate]) -> Table:
    """Table 1: by cluster and family, templates, sub-templates and wordings of the taxonomy, and those asked."""
    asked = {
        name: list(zip(questions.column("family"), questions.column(name), strict=True))
        for name in ("template", "subtemplate", "paraphrase")
    }
    counts = Counter(questions.column("family"))
    clusters = [(cluster, family) for cluster, families in CLUSTERS.items() for family in families]
    others = [("other", family) for family in sorted(counts.keys() - FAMILIES.keys())]
    rows: list[Row] = []
    for cluster, family in [*clusters, *others]:
        mine = [sub for sub in subs if sub.family == family]
        rows.append(
            (
                cluster,
                f"{family} {FAMILIES.get(family, '')}".strip(),
                len({sub.template for sub in mine}),
                len(mine),
                sum(len(sub.paraphrases) for sub in mine),
                *(len({value for key, value in pairs if key == family}) for pairs in asked.values()),
                counts[family],
            )
        )
    rows.append(("all", "", *(sum(row[place] for row in rows) for place in range(2, 9))))
    columns = (
        "cluster", "family", "templates", "sub-templates", "wordings", "templates asked", "sub-templates asked",
        "wordings asked", "questions",
    )  # fmt: skip
    narrow = [
        (_brief(row[0], row[1]), *(f"{row[i + 3]} / {row[i]}" for i in (2, 3, 4)), row[8]) for row in rows
    ]
    return Table(
        "table1_taxonomy", "Table 1: taxonomy", columns, rows, text=2, notes=("Asked / in the taxonomy.",),
        narrow=(("cluster: family", "templates", "sub-templates", "wordings", "questions"), narrow),
    )  # fmt: skip


def _brief(cluster: str, family: str) -> str:
    return f"{cluster}: {family}" if family else cluster


def table5(questions: Questions, subs: Sequence[SubTemplate]) -> Table:
    """Table 5: each template with its title, one question of the benchmark, answer formats, sub-templates, questions.

    The example is the text question with a true premise whose id comes first; ids are hashes.
    """
    by_template: dict[str, list[SubTemplate]] = defaultdict(list)
    for sub in subs:
        by_template[sub.template].append(sub)
    names = ("template", "id", "question", "format", "premise", "modality", "family")
    rows = sorted(zip(*(questions.column(name) for name in names), strict=True), key=lambda row: row[1])
    counts = Counter(row[0] for row in rows)
    formats: dict[str, set[str]] = defaultdict(set)
    family_of = {template: mine[0].family for template, mine in by_template.items()}
    example: dict[str, str] = {}
    for template, _, text, form, premise, modality, family in rows:
        formats[template].add(form)
        family_of.setdefault(template, family)
        if premise and modality == "text":
            example.setdefault(template, text)
    out: list[Row] = []
    for template in sorted(family_of, key=lambda name: (family_of[name], name)):
        mine = by_template.get(template, [])
        out.append(
            (
                family_of[template],
                template,
                _title(mine),
                example.get(template),
                ", ".join(sorted({sub.format for sub in mine} | formats[template])),
                len(mine),
                counts[template],
            )
        )
    columns = ("family", "id", "title", "example", "answer", "sub-templates", "questions")
    narrow = [(row[1], f"{row[2] or ''}\n  {row[3] or 'no example'}", row[4], row[5], row[6]) for row in out]
    return Table(
        "table5_templates", "Table 5: templates", columns, out, text=5, notes=_unasked(out),
        narrow=(("id", "title and example", "answer", "sub-templates", "questions"), narrow),
    )  # fmt: skip


def _title(subs: Sequence[SubTemplate]) -> str | None:
    """The title that most of a template's sub-templates bear, the first of equals."""
    return Counter(sub.title for sub in subs).most_common(1)[0][0] if subs else None


def _unasked(rows: Sequence[Any]) -> tuple[str, ...]:
    without = [row[1] for row in rows if not row[-1]]
    return (f"Without a question: {', '.join(without)}.",) if without else ()
