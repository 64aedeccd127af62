"""Reading shapefiles and GeoJSON into columns, with GEOS geometries."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import duckdb_extension_spatial
import numpy as np
import shapely

from multiglobeqa.errors import InputError

COORDINATES = 7


def _connect() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(
        config={"autoinstall_known_extensions": False, "autoload_known_extensions": False, "threads": 1}
    )
    folder = Path(duckdb_extension_spatial.__file__).parent / "extensions" / f"v{duckdb.__version__}"
    connection.execute(f"LOAD '{folder / 'spatial.duckdb_extension'}'")
    return connection


def read_shapefile(path: Path, columns: Sequence[str]) -> tuple[dict[str, list[Any]], np.ndarray]:
    """Columns and geometries (longitude latitude) of a shapefile, in the file's order.

    Raises InputError if the file or a column is missing, or GDAL cannot read it.
    """
    if not path.is_file():
        raise InputError("does not exist.", source=path)
    names = ", ".join(f'"{name}"' for name in columns)
    with _connect() as connection:
        try:
            table = connection.execute(
                f"SELECT {names}, ST_AsWKB(geom) AS wkb FROM ST_Read(?)", [str(path)]
            ).to_arrow_table()
        except duckdb.Error as error:
            raise InputError(f"cannot be read as a shapefile: {error}.", source=path) from error
    content = {name: table.column(i).to_pylist() for i, name in enumerate(columns)}
    return content, shapely.from_wkb(
        np.array([bytes(w) for w in table.column("wkb").to_pylist()], dtype=object)
    )


def read_geojson(path: Path) -> tuple[list[dict[str, Any]], list[str | None], np.ndarray]:
    """Properties, feature ids and geometries of a GeoJSON FeatureCollection (plain or gzip).

    A feature without geometry gets None in the array. Raises InputError for anything that is no collection.
    """
    try:
        raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        content = json.loads(raw)
        features = content["features"]
        properties = [feature["properties"] for feature in features]
        ids = [feature.get("id") for feature in features]
        texts = np.array(
            [json.dumps(f["geometry"]) if f["geometry"] is not None else None for f in features], dtype=object
        )
        return properties, ids, shapely.from_geojson(texts)
    except (OSError, ValueError, KeyError, TypeError, shapely.errors.GEOSException) as error:
        raise InputError(f"cannot be read as GeoJSON: {error}.", source=path) from error


def rounded(geometries: np.ndarray, decimals: int = COORDINATES) -> np.ndarray:
    """The geometries with longitudes and latitudes rounded; structure is untouched. Altitudes are dropped."""
    out: np.ndarray = shapely.transform(shapely.force_2d(geometries), lambda xy: np.round(xy, decimals))
    return out
