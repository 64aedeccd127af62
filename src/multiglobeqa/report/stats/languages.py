"""The benchmark's languages: the table ``data/languages.csv``.

Codes are ISO 639-3, scripts ISO 15924, families as in Glottolog; the tier says how many texts a language has for
training: high, mid or low.
"""

from __future__ import annotations

import csv
from collections import Counter
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from multiglobeqa.report.stats.table import Table


@dataclass(frozen=True)
class Language:
    """One language; ``direction`` is ltr or rtl."""

    code: str
    name: str
    family: str
    subgroup: str
    script: str
    script_name: str
    direction: str
    tier: str


@cache
def languages() -> dict[str, Language]:
    """Code -> language, English first, then by name."""
    path = Path(str(files("multiglobeqa"))) / "data" / "languages.csv"
    with path.open(encoding="utf-8", newline="") as stream:
        return {row["code"]: Language(**row) for row in csv.DictReader(stream)}


def table3(counts: Counter[str]) -> Table:
    """Table 3: the languages of the questions. ``counts``: questions by ISO 639-3 code."""
    known = languages()
    order = {code: place for place, code in enumerate(known)}
    rows = []
    for code in sorted(counts, key=lambda code: (order.get(code, len(order)), code)):
        entry = known.get(code)
        described = (
            (entry.name, entry.family, entry.subgroup, entry.script_name, entry.tier)
            if entry
            else (None,) * 5
        )
        rows.append((code, *described, counts[code]))
    columns = ("code", "language", "family", "subgroup", "script", "tier", "questions")
    return Table("table3_languages", "Table 3: languages", columns, rows, text=6)
