"""The numbers that the card prints, counted from the tables that are released."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from multiglobeqa.answers import FORMATS
from multiglobeqa.kg.schema import DENSITY_TIERS, INCOME_TIERS, KGS
from multiglobeqa.release.tables import Split
from multiglobeqa.taxonomy.model import FAMILIES

Row = tuple[Any, ...]


@dataclass(frozen=True)
class Figures:
    """Counts of the released questions; tables are rows of (label, ..., count by variant).

    ``columns``: the configs that the tables count, one language's test splits. ``strata``: income tier, then the
    questions of its density tiers; the last row counts questions of no stratum.
    """

    columns: list[str]
    families: list[Row]
    formats: list[Row]
    kgs: list[Row]
    strata: list[Row]
    countries: int
    continents: list[str]
    templates: int
    subtemplates: int
    paraphrases: int
    false_premises: list[Row]
    entities: int
    triples_median: int
    triples_most: int
    pictured: int
    pictured_countries: list[str]


def figures(splits: Sequence[Split]) -> Figures:
    """Count the test splits of the first language (English where there is one).

    Raises ValueError without a test split.
    """
    tests = [split for split in splits if split.name == "test"]
    language = min({split.language for split in tests}, key=lambda code: (code != "eng", code))
    counted = [split for split in tests if split.language == language]
    whole = [split for split in counted if split.variant in ("large", "large-image")]
    tables = [split.questions for split in counted]
    large = _together(whole)
    facts = np.asarray(pc.list_value_length(large["fact_ids"]))
    image = large.filter(pc.equal(large["modality"], "image"))
    families = [
        (f"{key} {FAMILIES.get(key, '')}".strip(), *row)
        for key, *row in _by(tables, "family", tuple(FAMILIES))
    ]
    return Figures(
        columns=[split.config for split in counted],
        families=families,
        formats=_by(tables, "format", FORMATS),
        kgs=_by(tables, "kg", KGS),
        strata=_strata(large),
        countries=_distinct(large, "country"),
        continents=sorted(large["continent"].unique().drop_null().to_pylist()),
        templates=_distinct(large, "template"),
        subtemplates=_distinct(large, "subtemplate"),
        paraphrases=_distinct(large, "paraphrase"),
        false_premises=_false_premises(tables),
        entities=len(large["entities"].combine_chunks().flatten().unique()),
        triples_median=int(np.median(facts)) if len(facts) else 0,
        triples_most=int(facts.max()) if len(facts) else 0,
        pictured=_distinct(image, "image"),
        pictured_countries=sorted(image["country"].unique().drop_null().to_pylist()),
    )


def size_category(rows: int) -> str:
    """The Hugging Face size category of a number of rows."""
    bounds = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
    return next((name for bound, name in bounds if rows < bound), "1M<n<10M")


def _together(splits: Sequence[Split]) -> pa.Table:
    common = [
        name
        for name in splits[0].questions.column_names
        if all(name in s.questions.column_names for s in splits)
    ]
    return pa.concat_tables([split.questions.select(common) for split in splits]).combine_chunks()


def _by(tables: Sequence[pa.Table], column: str, order: Sequence[str]) -> list[Row]:
    counts = [Counter(table[column].to_pylist()) for table in tables]
    place = {key: number for number, key in enumerate(order)}
    keys = sorted({key for count in counts for key in count}, key=lambda k: (place.get(k, len(place)), k))
    return [(key, *(count[key] for count in counts)) for key in keys]


def _strata(table: pa.Table) -> list[Row]:
    counts = Counter(zip(table["income"].to_pylist(), table["density"].to_pylist(), strict=True))
    rows: list[Row] = [
        (income, *(counts[income, density] for density in DENSITY_TIERS)) for income in INCOME_TIERS
    ]
    inside = sum(sum(row[1:]) for row in rows)
    return [*rows, ("none", table.num_rows - inside)]


def _false_premises(tables: Sequence[pa.Table]) -> list[Row]:
    """(label, count by config) of true and false premises."""
    true = [int(pc.sum(table["premise"]).as_py() or 0) for table in tables]
    return [
        ("true", *true),
        ("false", *(table.num_rows - count for table, count in zip(tables, true, strict=True))),
    ]


def _distinct(table: pa.Table, column: str) -> int:
    return len(table[column].unique().drop_null())
