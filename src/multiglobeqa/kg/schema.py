"""The tables that every importer writes and every later room reads.

Coordinates are longitude, latitude in degrees (OGC:CRS84), rounded to 7 decimals so that the WKT in the
triples and the WKB in the table are the same numbers. Surfaces that cross the antimeridian are stored cut
at longitude 180 (RFC 7946, 3.1.9).
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

KGS: Final = ("osmh3kg", "worldkg", "knowwheregraph")
KINDS: Final = ("point", "line", "surface")
INCOME_TIERS: Final = ("LIC", "LMC", "UMC", "HIC")
DENSITY_TIERS: Final = ("low", "medium", "high")
UNCLASSIFIED: Final = "unclassified"
"""Income tier of an economy that the World Bank lists without a group; never part of a stratum."""
COORDINATE_DECIMALS: Final = 7

RAW_SCHEMA: Final = pa.schema(
    [
        pa.field("iri", pa.string(), nullable=False),
        pa.field("name", pa.string(), nullable=False),  # English label first, then the plain label
        pa.field("class", pa.string(), nullable=False),  # semantic category, a key of kg/classes.yaml
        pa.field("kind", pa.string(), nullable=False),
        pa.field("geometry", pa.binary(), nullable=False),  # WKB, longitude latitude
        pa.field(
            "level", pa.int8()
        ),  # administrative level (OSM's number; 0 country, 1 first level elsewhere)
        pa.field("admin", pa.list_(pa.string())),  # parent IRIs, direct parent first; null = not stated
        pa.field("country", pa.string()),  # ISO 3166-1 alpha-3 where the source states it
        pa.field("time_start", pa.timestamp("ms", tz="UTC")),
        pa.field("time_end", pa.timestamp("ms", tz="UTC")),
        pa.field("attributes", pa.string(), nullable=False),  # JSON object, keys sorted
        pa.field("image", pa.string()),
    ]
)
"""What an importer yields; ``kg.finish`` adds the rest."""

BBOX: Final = pa.struct([(k, pa.float64()) for k in ("xmin", "ymin", "xmax", "ymax")])

ENTITY_SCHEMA: Final = pa.schema(
    [
        pa.field("iri", pa.string(), nullable=False),
        pa.field("kg", pa.string(), nullable=False),
        pa.field("layer", pa.string(), nullable=False),  # the part of the snapshot it came from
        pa.field("name", pa.string(), nullable=False),
        pa.field("class", pa.string(), nullable=False),
        pa.field("kind", pa.string(), nullable=False),
        pa.field("geometry", pa.binary(), nullable=False),
        pa.field("bbox", BBOX, nullable=False),
        pa.field("ref_lon", pa.float64(), nullable=False),  # reference point: equal-area centroid
        pa.field("ref_lat", pa.float64(), nullable=False),
        pa.field("main_share", pa.float64(), nullable=False),  # largest part / whole, by area or length
        pa.field("area_km2", pa.float64()),  # surfaces
        pa.field("length_km", pa.float64()),  # lines: length; surfaces: perimeter with holes
        pa.field("country", pa.string()),
        pa.field("continent", pa.string()),
        pa.field("subregion", pa.string()),
        pa.field("income", pa.string()),
        pa.field("density", pa.string()),
        pa.field("level", pa.int8()),
        pa.field("admin", pa.list_(pa.string()), nullable=False),
        pa.field("h3", pa.uint64(), nullable=False),  # resolution 9 cell of the reference point
        pa.field("time_start", pa.timestamp("ms", tz="UTC")),
        pa.field("time_end", pa.timestamp("ms", tz="UTC")),
        pa.field("attributes", pa.string(), nullable=False),
        pa.field("image", pa.string()),
    ]
)
"""The entity table, one row an entity."""

LABEL_SCHEMA: Final = pa.schema(
    [
        pa.field("iri", pa.string(), nullable=False),
        pa.field("lang", pa.string(), nullable=False),  # ISO 639-3; "und" = the plain label
        pa.field("label", pa.string(), nullable=False),
        pa.field("kind", pa.string(), nullable=False),  # name | alias
    ]
)
