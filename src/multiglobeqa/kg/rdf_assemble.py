"""From the joined tables of an RDF importer to entity and label batches.

The importer prepares, in its spool:

* ``base`` (iri, wkt, combo, level, admin, time_start, time_end), sorted by iri: the candidates,
* ``fact`` (iri, rank, lang, key, o, datatype), sorted by iri: names (ranks of ``rdf_labels``) and attributes,
* ``class_of`` (combo, kind, class): the class of a combination of types for a geometry kind.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pyarrow as pa
import shapely

from multiglobeqa.kg import wkt
from multiglobeqa.kg.osm.tags import image
from multiglobeqa.kg.rdf_labels import ALIAS, ATTRIBUTE
from multiglobeqa.kg.rdf_spool import JSON_VALUE, Spool, json_object
from multiglobeqa.kg.report import MAX_EXAMPLES, ImportReport
from multiglobeqa.kg.schema import KINDS, RAW_SCHEMA

BASE_COLUMNS: Final = {
    "level": "TINYINT",
    "admin": "VARCHAR[]",
    "time_start": "TIMESTAMP",
    "time_end": "TIMESTAMP",
    "stated": "VARCHAR",  # ISO 3166-1 alpha-3 of the country the source states, for the axis check
}
"""The columns of ``base`` beside iri, wkt, combo, with their DuckDB types."""

CountryOf = Callable[[Any, Any], Any]
"""(lon, lat), each (n,) degrees, to the (n,) ISO 3166-1 alpha-3 codes there ("" or None outside)."""

_RANGE: Final = "iri >= $low AND ($high IS NULL OR iri < $high)"
_CLEAN: Final = r"trim(regexp_replace(nfc_normalize(x), '[\s\x00-\x1f\x7f\x{200e}\x{200f}\x{202a}-\x{202e}\x{feff}]+', ' ', 'g'))"

_LABELS: Final = f"""
    CREATE OR REPLACE TEMP TABLE label AS
    WITH text AS (
        SELECT iri, lang, rank, key, unnest(list_transform(string_split(o, ';'), lambda x: {_CLEAN})) AS label,
               generate_subscripts(string_split(o, ';'), 1) AS position
        FROM fact WHERE rank < {ATTRIBUTE} AND lang IS NOT NULL AND {_RANGE}),
    numbered AS (
        SELECT *, row_number() OVER (PARTITION BY iri, lang ORDER BY rank, key, position, label) AS number
        FROM text WHERE label <> '')
    SELECT iri, lang, label, CASE WHEN bool_or(number = 1 AND rank < {ALIAS}) THEN 'name' ELSE 'alias' END AS kind
    FROM numbered GROUP BY iri, lang, label
"""

_ENTITIES: Final = f"""
    WITH part AS (SELECT iri, key, o, datatype FROM fact WHERE rank = {ATTRIBUTE} AND {_RANGE}),
    named AS (
        SELECT iri, max(label) FILTER (lang = 'eng') AS english, max(label) FILTER (lang = 'und') AS plain
        FROM label WHERE kind = 'name' GROUP BY iri),
    pictured AS (
        SELECT iri, min(o) FILTER (key = 'image') AS image, min(o) FILTER (key = 'wikimediaCommons') AS commons,
               bool_or(key IN ('abandoned', 'demolished', 'disused', 'razed', 'removed') AND o = 'yes') AS out_of_use
        FROM part GROUP BY iri),
    described AS ({json_object(f"SELECT iri, key, {JSON_VALUE} AS value FROM part")})
    SELECT base.* EXCLUDE (admin), admin, coalesce(english, plain) AS name, coalesce(attributes, '{{}}') AS attributes, image,
           commons, coalesce(out_of_use, false) AS out_of_use
    FROM base LEFT JOIN named USING (iri) LEFT JOIN pictured USING (iri) LEFT JOIN described USING (iri)
    WHERE {_RANGE.replace("iri", "base.iri")} ORDER BY base.iri
"""


def assemble(
    spool: Spool,
    axis_order: wkt.AxisOrder,
    report: ImportReport,
    file: str,
    country_of: CountryOf | None = None,
) -> None:
    """Write the outputs of all candidates, range by range, and count kept and dropped.

    With ``country_of``, points whose exchanged axes fit the stated country and whose own do not are dropped as
    ``axes_swapped_by_country``.
    """
    classes = {
        (combo, kind): key for combo, kind, key in spool.rows("SELECT combo, kind, class FROM class_of")
    }
    cut = 0
    for low, high in spool.ranges("base", "iri"):
        bounds: Any = {"low": low, "high": high}
        spool.con.execute(_LABELS, bounds)
        table = spool.arrow(_ENTITIES, bounds)
        parsed = wkt.parse(table["wkt"].combine_chunks(), axis_order)
        if country_of is not None:
            _check_country(table, parsed, country_of)
        cut += parsed.cut
        _entities(spool, table, parsed, classes, report, file)
        spool.write(
            "labels",
            spool.arrow(
                "SELECT * FROM label SEMI JOIN kept USING (iri) ORDER BY iri, kind DESC, lang, label"
            ),
        )
    if cut:
        report.notes.append(f"{cut} geometries were cut at longitude 180.")


def _entities(
    spool: Spool,
    table: pa.Table,
    parsed: wkt.Parsed,
    classes: dict[tuple[Any, str], str | None],
    report: ImportReport,
    file: str,
) -> None:
    found = _classes(table["combo"].to_numpy(), parsed.kinds, classes)
    causes = parsed.causes.copy()
    causes[(causes == "") & (found == "")] = "kind_not_of_class"
    causes[table["out_of_use"].to_numpy()] = "out_of_use"
    causes[table["name"].is_null().to_numpy()] = "unnamed"
    causes[pa.array(found, pa.string()).is_null().to_numpy(zero_copy_only=False)] = "class_unmapped"
    iris = table["iri"].to_numpy()
    count_drops(report, causes, iris, file)
    report.read["resource"] += table.num_rows
    kept = causes == ""
    report.kept.update({kind: int(n) for kind in KINDS if (n := (parsed.kinds[kept] == kind).sum())})
    chosen = table.filter(pa.array(kept)).append_column("class", pa.array(found[kept], pa.string()))
    spool.write("raw", _raw(chosen, parsed.geometries[kept], parsed.kinds[kept]))
    spool.table("kept", {"iri": list(iris[kept])}, {"iri": "VARCHAR"})


def _classes(combos: Any, kinds: Any, classes: dict[tuple[Any, str], str | None]) -> Any:
    """(n,) class keys; None where no type maps, "" where the class does not allow the kind."""
    numbers = np.asarray(combos, dtype=float)
    typed = ~np.isnan(numbers)
    rows = np.where(typed, numbers, 0).astype(np.int64)
    out = np.full(len(rows), None, dtype=object)
    for kind in KINDS:
        table = np.full(max((int(c) for c, _ in classes), default=0) + 1, None, dtype=object)
        for (combo, other), key in classes.items():
            if other == kind:
                table[int(combo)] = key
        chosen = typed & ((kinds == kind) | ((kinds == "") & (kind == "point")))
        out[chosen] = table[rows[chosen]]
    return out


def _check_country(table: pa.Table, parsed: wkt.Parsed, country_of: CountryOf) -> None:
    stated = np.asarray(table["stated"].fill_null("").to_numpy(), dtype=object)
    rows = np.flatnonzero((parsed.kinds == "point") & (stated != ""))
    if len(rows):
        points = parsed.geometries[rows]
        swapped = wkt.stated_country_swaps(shapely.get_x(points), shapely.get_y(points), stated[rows], country_of)
        parsed.causes[rows[swapped]] = "axes_swapped_by_country"


def _raw(chosen: pa.Table, geometries: Any, kinds: Any) -> pa.Table:
    pictures = [
        image({"image": address or "", "wikimedia_commons": commons or ""}) if address or commons else None
        for address, commons in zip(chosen["image"].to_pylist(), chosen["commons"].to_pylist(), strict=True)
    ]
    own = {
        "kind": pa.array(kinds, pa.string()),
        "geometry": pa.array(shapely.to_wkb(geometries), pa.binary()),
        "image": pa.array(pictures, pa.string()),
        "country": pa.nulls(chosen.num_rows, pa.string()),
    }
    columns = [
        own.get(field.name, chosen[field.name] if field.name not in own else None) for field in RAW_SCHEMA
    ]
    return pa.table(columns, names=RAW_SCHEMA.names).cast(RAW_SCHEMA)


def count_drops(report: ImportReport, causes: Any, places: Any, file: str) -> None:
    """Count the causes of (n,) rows ("" = kept) with their places."""
    for cause in sorted(set(causes) - {""}):
        rows = np.flatnonzero(causes == cause)
        for row in rows[:MAX_EXAMPLES]:
            report.drop(cause, f"{file}: {places[row]}")
        report.dropped[cause] += len(rows[MAX_EXAMPLES:])
