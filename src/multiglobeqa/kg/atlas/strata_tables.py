"""The embedded country table for point-in-polygon, made from Natural Earth."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import shapely

from multiglobeqa.kg.atlas.countries import Unit
from multiglobeqa.kg.store import replacing

GRID: Final = 2.0**-14
"""Degrees. Coordinates of the table are multiples of it (7 m), which keeps the file small; Natural Earth's
own accuracy is some hundred metres."""


def quantised(surface: Any) -> Any:
    """The surface with coordinates on the grid, valid, without parts that collapse."""
    return shapely.set_precision(surface, GRID)


def write_countries(path: Path, units: list[Unit], surfaces: dict[str | None, Any]) -> int:
    """Write one row a country code (and one without) as GeoParquet; returns the rows.

    Columns: iso3 (null: ground that no ISO code covers), iso2, name, continent, subregion, geometry.
    """
    main = {unit.iso3: unit for unit in units if unit.own}
    order = sorted(surfaces, key=lambda code: code or "")
    geometries = [quantised(surfaces[code]) for code in order]
    bounds = shapely.total_bounds(np.array(geometries, dtype=object)).tolist()
    geo = {
        "version": "1.1.0",
        "primary_column": "geometry",
        "columns": {
            "geometry": {"encoding": "WKB", "geometry_types": ["Polygon", "MultiPolygon"], "bbox": bounds}
        },
    }
    columns: dict[str, list[Any]] = {
        "iso3": list(order),
        "iso2": [main[code].iso2 if code else None for code in order],
        "name": [main[code].name if code else None for code in order],
        "continent": [main[code].continent if code else None for code in order],
        "subregion": [main[code].subregion if code else None for code in order],
        "geometry": shapely.to_wkb(np.array(geometries, dtype=object)).tolist(),
    }
    schema = pa.schema(
        [pa.field(name, pa.binary() if name == "geometry" else pa.string()) for name in columns],
        metadata={"geo": json.dumps(geo, sort_keys=True)},
    )
    with replacing(path) as temporary:
        pq.write_table(pa.table(columns, schema=schema), temporary, compression="zstd", compression_level=19)
    return len(order)
