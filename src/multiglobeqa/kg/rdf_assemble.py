"""From the joined tables of an RDF importer to entity and label batches.

The importer prepares, in its spool:

* ``typed`` (iri, type, level): the types; ``class_of`` (see ``class_table``): what they mean,
* ``base`` (iri, wkt, mapped, point, line, surface and BASE_COLUMNS), sorted by iri: the candidates,
* ``fact`` (iri, rank, lang, key, o, datatype), sorted by iri: names (ranks of ``rdf_labels``) and attributes,
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import shapely

from multiglobeqa.kg import wkt
from multiglobeqa.kg.classes import Classes, load
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
"""The columns of ``base`` beside iri, wkt and the classes, with their DuckDB types."""

CountryOf = Callable[[Any, Any], Any]
"""(lon, lat), each (n,) degrees, to the (n,) ISO 3166-1 alpha-3 codes there ("" or None outside)."""

_RANGE: Final = "iri >= $low AND ($high IS NULL OR iri < $high)"
_SPACE: Final = r"[\s\x00-\x1f\x7f\x{200e}\x{200f}\x{202a}-\x{202e}\x{feff}]+"
_CLEAN: Final = f"trim(regexp_replace(nfc_normalize(x), '{_SPACE}', ' ', 'g'))"
"""SQL: as ``kg.osm.tags.clean``."""

_LABELS: Final = f"""
    CREATE OR REPLACE TEMP TABLE label AS
    WITH text AS (
        SELECT iri, lang, rank, key, unnest(list_transform(string_split(o, ';'), lambda x: {_CLEAN})) AS
            label,
               generate_subscripts(string_split(o, ';'), 1) AS position
        FROM fact WHERE rank < {ATTRIBUTE} AND lang IS NOT NULL AND {_RANGE}),
    numbered AS (
        SELECT *, row_number() OVER (PARTITION BY iri, lang ORDER BY rank, key, position, label) AS number
        FROM text WHERE label <> '')
    SELECT iri, lang, label, CASE WHEN bool_or(number = 1 AND rank < {ALIAS}) THEN 'name' ELSE 'alias' END AS
        kind
    FROM numbered GROUP BY iri, lang, label
"""

_ENTITIES: Final = f"""
    WITH part AS (SELECT iri, key, o, datatype FROM fact WHERE rank = {ATTRIBUTE} AND {_RANGE}),
    named AS (
        SELECT iri, max(label) FILTER (lang = 'eng') AS english, max(label) FILTER (lang = 'und') AS plain
        FROM label WHERE kind = 'name' GROUP BY iri),
    pictured AS (
        SELECT iri, min(o) FILTER (key = 'image') AS image, min(o) FILTER (key = 'wikimediaCommons') AS
            commons,
               bool_or(key IN ('abandoned', 'demolished', 'disused', 'razed', 'removed') AND o = 'yes') AS
                   out_of_use
        FROM part GROUP BY iri),
    described AS ({json_object(f"SELECT iri, key, {JSON_VALUE} AS value FROM part")})
    SELECT base.* EXCLUDE (admin), admin, coalesce(english, plain) AS name, coalesce(attributes, '{{}}') AS
        attributes, image,
           commons, coalesce(out_of_use, false) AS out_of_use
    FROM base LEFT JOIN named USING (iri) LEFT JOIN pictured USING (iri) LEFT JOIN described USING (iri)
    WHERE {_RANGE.replace("iri", "base.iri")} ORDER BY base.iri
"""


def best_geometry(source: str) -> str:
    """SQL (iri, wkt, shapes) of one geometry each from rows (iri, wkt, preference).

    The lowest preference wins, then the highest dimension, then the first in text order; ``shapes`` counts
    them.
    """
    return f"""
        SELECT iri, wkt, shapes FROM (
            SELECT iri, wkt, count(*) OVER (PARTITION BY iri) AS shapes,
                   row_number() OVER (PARTITION BY iri ORDER BY preference, dimension, wkt) AS number
            FROM (
                SELECT iri, wkt, min(preference) AS preference, CASE WHEN wkt ILIKE '%polygon%' THEN 0
                       WHEN wkt ILIKE '%line%' THEN 1 ELSE 2 END AS dimension
                FROM ({source}) WHERE wkt IS NOT NULL GROUP BY iri, wkt)
        ) WHERE number = 1
    """


CLASSED: Final = """
    SELECT iri, bool_or(mapped) AS mapped, min(point) AS point, min(line) AS line, min(surface) AS surface
    FROM typed JOIN class_of USING (type, level) GROUP BY iri
"""
"""SQL: the best class of each typed subject for each kind of geometry."""


def class_table(spool: Spool, classes: Classes, class_of_type: Callable[[str, int], str | None]) -> None:
    """Table class_of (type, level, mapped, point, line, surface), one row for each distinct type and level.

    ``mapped``: whether the type has a class; ``point``, ``line``, ``surface``: the place of the class in
    ``ordered`` where the class allows that kind, else null. ``level`` is -1 where the subject has none.
    """
    place = {key: number for number, key in enumerate(ordered(classes))}
    rows: dict[str, list[Any]] = {name: [] for name in ("type", "level", "mapped", *KINDS)}
    for name, level in spool.rows("SELECT DISTINCT type, level FROM typed ORDER BY 1, 2"):
        key = class_of_type(name, level)
        rows["type"].append(name)
        rows["level"].append(level)
        rows["mapped"].append(key is not None)
        for kind in KINDS:
            rows[kind].append(place[key] if key is not None and kind in classes[key].kinds else None)
    types = {"type": "VARCHAR", "level": "TINYINT", "mapped": "BOOLEAN", **dict.fromkeys(KINDS, "INTEGER")}
    spool.table("class_of", rows, types)


def ordered(classes: Classes) -> list[str]:
    """The class keys, best first: by rank, then by the order of the table."""
    return sorted(classes, key=lambda key: classes[key].rank)


def note_unmapped(spool: Spool, report: ImportReport) -> None:
    """Name the types that left candidates without a class."""
    rows = spool.rows("""
        SELECT type, count(*) FROM typed SEMI JOIN (SELECT iri FROM base WHERE NOT coalesce(mapped, false))
            USING (iri)
        GROUP BY type ORDER BY 2 DESC, 1 LIMIT 10
    """)
    if rows:
        listed = ", ".join(f"{name} ({count})" for name, count in rows)
        report.notes.append(f"Types without a class, most frequent first: {listed}.")


def assemble(
    spool: Spool,
    axis_order: wkt.AxisOrder,
    report: ImportReport,
    file: str,
    country_of: CountryOf | None = None,
) -> None:
    """Write the outputs of all candidates, range by range, and count kept and dropped.

    With ``country_of``, points whose exchanged axes fit the stated country and whose own do not are dropped
    as ``axes_swapped_by_country``.
    """
    keys = np.array(ordered(load()), dtype=object)
    cut = 0
    for low, high in spool.ranges("base", "iri"):
        bounds: Any = {"low": low, "high": high}
        spool.con.execute(_LABELS, bounds)
        table = spool.arrow(_ENTITIES, bounds)
        parsed = wkt.parse(table["wkt"].combine_chunks(), axis_order)
        if country_of is not None:
            _check_country(table, parsed, country_of)
        cut += parsed.cut
        _entities(spool, table, parsed, keys, report, file)
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
    keys: Any,
    report: ImportReport,
    file: str,
) -> None:
    found = _classes(table, parsed.kinds, keys)
    causes = parsed.causes.copy()
    causes[(causes == "") & (found == "")] = "kind_not_of_class"
    out_of_use = table["out_of_use"].to_numpy()
    causes[out_of_use] = "out_of_use"
    causes[table["name"].is_null().to_numpy()] = "unnamed"
    causes[pa.array(found, pa.string()).is_null().to_numpy(zero_copy_only=False)] = "class_unmapped"
    nameless = found[(causes == "unnamed") & (parsed.causes == "") & (found != "") & ~out_of_use]
    classes = load()
    report.unnamed.update(key for key in nameless if classes[key].scale == "venue")
    iris = table["iri"].to_numpy()
    count_drops(report, causes, iris, file)
    report.read["resource"] += table.num_rows
    kept = causes == ""
    report.kept.update({kind: int(n) for kind in KINDS if (n := (parsed.kinds[kept] == kind).sum())})
    chosen = table.filter(pa.array(kept)).append_column("class", pa.array(found[kept], pa.string()))
    spool.write("raw", _raw(chosen, parsed.geometries[kept], parsed.kinds[kept]))
    spool.table("kept", {"iri": list(iris[kept])}, {"iri": "VARCHAR"})


def _classes(table: pa.Table, kinds: Any, keys: Any) -> Any:
    """(n,) class keys; None where no type maps, "" where the class does not allow the kind."""
    mapped = table["mapped"].fill_null(False).to_numpy()
    out = np.full(len(mapped), None, dtype=object)
    out[mapped] = ""
    for kind in KINDS:
        place = table[kind].fill_null(-1).to_numpy()
        chosen = (place >= 0) & ((kinds == kind) | ((kinds == "") & (kind == "point")))
        out[chosen] = keys[place[chosen]]
    return out


def _check_country(table: pa.Table, parsed: wkt.Parsed, country_of: CountryOf) -> None:
    stated = np.asarray(table["stated"].fill_null("").to_numpy(), dtype=object)
    rows = np.flatnonzero((parsed.kinds == "point") & (stated != ""))
    if len(rows):
        points = parsed.geometries[rows]
        swapped = wkt.stated_country_swaps(
            shapely.get_x(points), shapely.get_y(points), stated[rows], country_of
        )
        parsed.causes[rows[swapped]] = "axes_swapped_by_country"


def _raw(chosen: pa.Table, geometries: Any, kinds: Any) -> pa.Table:
    pictures: list[str | None] = [None] * chosen.num_rows
    some = pc.or_(pc.is_valid(chosen["image"]), pc.is_valid(chosen["commons"]))
    for row in np.flatnonzero(some.to_numpy()):
        address, commons = chosen["image"][row].as_py(), chosen["commons"][row].as_py()
        pictures[row] = image({"image": address or "", "wikimedia_commons": commons or ""})
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
