"""Natural Earth's named lakes. Parts of one lake (same Wikidata id and name) are one entity."""

from __future__ import annotations

from pathlib import Path
from typing import Final

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


def gather(path: Path, out: Gather, report: ImportReport) -> None:
    """Add one ``lake`` surface a named lake, simplified at 0.002 degrees or 2 % of the root of its area.

    The plain label is ``name`` (with its generic word: "Lake Erie"); it is the entity's name too, because
    Natural Earth's English column leaves the generic word out ("Erie"), and stands as an alias.
    """
    suffixes = [*(s for s in NATURAL_EARTH if s != "en"), "en", "zht"]
    fields = ("name", "name_alt", "ne_id", "wikidataid", "featurecla", *(f"name_{s}" for s in suffixes))
    table, surfaces = read_shapefile(path, fields)
    surfaces = repaired(surfaces)
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
        out.entity(
            iri=iri,
            name=name,
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
        out.labels_of(iri, name, names, sorted({s.strip() for s in spare} - {"", name}))
        out.label(iri, "eng", name)
        out.label(iri, "zho", table["name_zht"][i], "alias")
