"""Natural Earth's land borders, merged by country pair, where nobody disputes them.

A pair is kept if every stretch between the two countries is an international boundary in Natural Earth's
own view and no point of view in the file (the FCLASS_ columns) calls a stretch disputed or unrecognised.
Codes follow the ISO view; lines inside one country of that view, and lines along ground without a code, are
no borders, and neither are two lines drawn through the sea (``AT_SEA``).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np
import shapely

from multiglobeqa.kg.atlas.batches import Gather
from multiglobeqa.kg.atlas.countries import Unit
from multiglobeqa.kg.atlas.regions import country_iri, entity_code
from multiglobeqa.kg.atlas.vector import read_shapefile, rounded
from multiglobeqa.kg.report import ImportReport

IRI: Final = "http://stko-kwg.geog.ucsb.edu/lod/resource/border.{}.{}"
UNDISPUTED: Final = "International boundary (verify)"
MOVED: Final = frozenset({("RUS", "UKR")})
"""Pairs whose border the ISO view moves away from Natural Earth's line."""
AT_SEA: Final = frozenset({("CHN", "MAC"), ("MYS", "SGP")})
"""Pairs whose line Natural Earth draws through open water: none of the 88 km between Malaysia and Singapore and 10 % of
the 34 km between China and Macau lie along the ground of either; everywhere else it is a fifth or more."""
_VIEWS: Final = (
    "ISO", "US", "FR", "RU", "ES", "CN", "TW", "IN", "NP", "PK", "DE", "GB", "BR", "IL", "PS", "SA", "EG",
    "MA", "PT", "AR", "JP", "KO", "VN", "TR", "ID", "PL", "GR", "IT", "NL", "SE", "BD", "UA", "TLC",
)  # fmt: skip
_CONTESTED: Final = ("disput", "unrecog")


def gather(path: Path, units: list[Unit], out: Gather, report: ImportReport) -> None:
    """Add one ``border`` line a pair of countries to ``out``; what is left out is counted by cause."""
    views = [f"FCLASS_{v}" for v in _VIEWS]
    table, lines = read_shapefile(path, ("FEATURECLA", "ADM0_A3_L", "ADM0_A3_R", *views))
    codes = {unit.ne_code: entity_code(unit) for unit in units}
    names = {unit.iso3: unit.name for unit in units if unit.own}
    pairs: dict[tuple[str, str], list[int]] = {}
    disputed: set[tuple[str, str]] = set(MOVED)
    for i, kind in enumerate(table["FEATURECLA"]):
        report.read["line"] += 1
        left, right = codes.get(table["ADM0_A3_L"][i]), codes.get(table["ADM0_A3_R"][i])
        place = f"{table['ADM0_A3_L'][i]}-{table['ADM0_A3_R'][i]}"
        if left is None or right is None:
            report.drop("border_of_ground_without_code", place)
            continue
        if left == right:
            report.drop("border_inside_a_country", place)
            continue
        pair = (min(left, right), max(left, right))
        pairs.setdefault(pair, []).append(i)
        if kind != UNDISPUTED or any(_contested(table[view][i]) for view in views):
            disputed.add(pair)
    for pair, rows in sorted(pairs.items()):
        if pair in disputed:
            report.drop("border_in_dispute", "-".join(pair), len(rows))
            continue
        if pair in AT_SEA:
            report.drop("border_at_sea", "-".join(pair), len(rows))
            continue
        line = shapely.line_merge(shapely.union_all(rounded(lines[np.array(rows)])))
        first, second = sorted((names[pair[0]], names[pair[1]]))
        iri, name = IRI.format(*pair), f"border between {first} and {second}"
        out.entity(
            iri=iri,
            name=name,
            semantic="border",
            kind="line",
            geometry=line,
            admin=[],
            attributes={"of": [country_iri(code) for code in pair]},
        )
        out.label(iri, "und", name)
        out.label(iri, "eng", name)


def _contested(view: Any) -> bool:
    return any(word in str(view or "").lower() for word in _CONTESTED)
