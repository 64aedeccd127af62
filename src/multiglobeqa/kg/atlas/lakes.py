"""Natural Earth's named lakes. Parts of one lake (same Wikidata id and name) are one entity."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path
from typing import Any, Final

import numpy as np
import shapely

from multiglobeqa.kg.atlas.batches import Gather
from multiglobeqa.kg.atlas.countries import repaired
from multiglobeqa.kg.atlas.languages import ISO_639_3, NATURAL_EARTH
from multiglobeqa.kg.atlas.vector import read_shapefile, rounded
from multiglobeqa.kg.report import ImportReport

IRI: Final = "https://www.naturalearthdata.com/lake/{}"
DECIMALS: Final = 5
TOLERANCE_DEG: Final = 0.002
GENERIC: Final[re.Pattern[str]] = re.compile(
    r"\b(lake|reservoir|lagoon|loch|lough|sea|bay|pond)\b", re.IGNORECASE
)
LETTERS_LOST: Final = re.compile(r"\b(Kli|Bgeni|Hh)\b|jrvi\b")
"""Words that Natural Earth writes without their marked letters: köli, bögeni, järvi."""


def gather(path: Path, out: Gather, report: ImportReport) -> None:
    """Add one ``lake`` surface a named lake, simplified at 0.002 degrees or 2 % of the root of its area.

    The plain label is ``name`` (with its generic word: "Lake Erie"). It is the entity's name too where
    ``english_name`` finds no better one, because Natural Earth's English column mostly leaves the generic word out
    ("Erie"); that one stands as an alias.
    """
    suffixes = [*(s for s in NATURAL_EARTH if s != "en"), "en", "zht"]
    fields = ("name", "name_alt", "ne_id", "wikidataid", "featurecla", *(f"name_{s}" for s in suffixes))
    table, surfaces = read_shapefile(path, fields)
    surfaces = repaired(surfaces)
    bearers: dict[str, set[str]] = defaultdict(set)
    for name, english in zip(table["name"], table["name_en"], strict=True):
        bearers[str(english or "").casefold()].add(str(name))
    groups: dict[tuple[str, str], list[int]] = {}
    for i, name in enumerate(table["name"]):
        report.read["lake"] += 1
        if not name:
            report.drop("lake_without_name", f"ne_id {int(table['ne_id'][i])}")
            continue
        key = (name, table["wikidataid"][i] or str(int(table["ne_id"][i])))
        groups.setdefault(key, []).append(i)
    for (name, _), rows in groups.items():
        i = min(rows, key=lambda row: int(table["ne_id"][row]))
        if len(rows) > 1:
            report.notes.append(f"{name}: {len(rows)} parts are one lake.")
        whole = shapely.union_all(surfaces[np.array(rows)])
        tolerance = min(TOLERANCE_DEG, 0.02 * float(np.sqrt(shapely.area(whole))))
        simple = rounded(np.array([shapely.simplify(whole, tolerance, preserve_topology=True)]), DECIMALS)[0]
        iri = IRI.format(int(table["ne_id"][i]))
        columns = (name, table["name_en"][i], table["name_alt"][i])
        english = english_name(*columns, len(bearers[str(columns[1] or "").casefold()]) == 1)
        out.entity(
            iri=iri,
            name=english,
            semantic="natural_earth_lake",
            kind="surface",
            geometry=simple,
            admin=[],
            attributes={
                "lake_type": table["featurecla"][i],
                "ne_id": int(table["ne_id"][i]),
                "wikidata": table["wikidataid"][i] or None,
            },
        )
        names = {ISO_639_3[s]: table[f"name_{s}"][i] for s in suffixes if s not in ("en", "zht")}
        spare = [*(table["name_alt"][i] or "").split(","), table["name_en"][i] or ""]
        out.labels_of(iri, name, names, sorted({s.strip() for s in spare} - {"", english}))
        out.label(iri, "eng", english)
        out.label(iri, "eng", name, "alias") if name != english else None
        out.label(iri, "zho", table["name_zht"][i], "alias")


def english_name(name: str, english: Any, other: Any, single: bool) -> str:
    """The name a lake is asked by.

    ``name`` where it has an English generic word, or the English column says the same; else the first of the
    English column and the other names that has one; else ``name``, or "Lake" with the English column where
    ``name`` has lost letters. ``single``: no lake of another name has the same English label (Natural Earth
    labels Po Hu "Poyang Lake" too).
    """
    plain, label = " ".join(name.split()), " ".join(str(english or "").split())
    if GENERIC.search(plain) or label == plain:
        return plain
    spare: list[str] = [s.strip() for s in re.split(r"[,|]", str(other or ""))]
    for candidate in ([label] if single else []) + spare:
        if GENERIC.search(candidate):
            return candidate
    return f"Lake {label}" if LETTERS_LOST.search(plain) and label and single else plain
