"""The embedded engine: DuckDB with its spatial extension, loaded offline from the installed package."""

from __future__ import annotations

import json
import tempfile
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import duckdb
import duckdb_extension_spatial
import numpy as np
import pyarrow as pa
import shapely
from numpy.typing import NDArray

from multiglobeqa.engine.contract import Geometries, Ids
from multiglobeqa.engine.stated import stated_units
from multiglobeqa.errors import EngineError
from multiglobeqa.geo.distance import boundary_distance_km
from multiglobeqa.kg import classes
from multiglobeqa.kg.population import PopulationGrid
from multiglobeqa.kg.schema import ENTITY_SCHEMA
from multiglobeqa.kg.store import Snapshot
from multiglobeqa.kg.triples import camel_case

CACHE_COORDINATES = 20_000_000
"""Coordinates of decoded geometries kept in memory (16 bytes each and the objects around them)."""

_JFK_AMS_METRES = 5_863_418.7

_ENTITY = """
CREATE TABLE entity AS
SELECT row_number() OVER (ORDER BY layer, iri) AS id, iri, layer, name, class, kind, ref_lon, ref_lat,
       main_share, area_km2, length_km, country, continent, subregion, income, density,
       CASE WHEN income IN ('LIC', 'LMC', 'UMC', 'HIC') AND density IS NOT NULL
            THEN income || '/' || density END AS cell,
       level, time_start, time_end, attributes, image,
       TRY_CAST(json_extract_string(attributes, '$.population') AS BIGINT) AS population,
       c.scale, coalesce(c.generic, false) AS generic, coalesce(c.salient, false) AS salient,
       coalesce(json_extract_string(attributes, '$.contested'), 'false') = 'true' AS contested,
       kind = 'line' AND coalesce(json_extract_string(attributes, '$.osm_cut'), 'false') = 'false'
           AND json_extract(attributes, '$.osm_overlap') IS NULL
           AND coalesce(TRY_CAST(json_extract_string(attributes, '$.osm_oneway_share') AS DOUBLE), 0) < 0.05
           AS plain_line,
       CAST(NULL AS DOUBLE) AS edge_km, true AS covered, 'world' AS extent,
       bbox.xmin AS west, bbox.ymin AS south, bbox.xmax AS east, bbox.ymax AS north
FROM stored LEFT JOIN classes c USING (class)
"""

_DOUBTED_UNITS = """
CREATE TABLE doubted_units AS
WITH held AS (
  SELECT a.parent_id, a.child_id FROM ancestor a JOIN entity u ON u.id = a.child_id JOIN entity c ON c.id = a.parent_id
  WHERE u.class = 'admin1' AND c.class = 'country'
), doubted AS (
  SELECT h.parent_id FROM held h LEFT JOIN stated_units s ON s.id = h.parent_id
  GROUP BY h.parent_id HAVING count(*) <> coalesce(max(s.units), 0)
)
SELECT parent_id AS id FROM doubted UNION SELECT h.child_id FROM held h JOIN doubted d ON d.parent_id = h.parent_id
ORDER BY id
"""

_STORED = ", ".join(
    {
        "kg": "'{kg}' AS kg",
        "geometry": "ST_AsWKB(g.geom) AS geometry",
        "bbox": "struct_pack(xmin := e.west, ymin := e.south, xmax := e.east, ymax := e.north) AS bbox",
        "admin": "r.admin",
        "h3": "r.h3",
    }.get(name, f"e.{name}")
    for name in ENTITY_SCHEMA.names
)
"""A row of ENTITY_SCHEMA from the tables entity, rest (what no template reads) and shape."""


def connect(threads: int = 2, memory: str = "2GB") -> duckdb.DuckDBPyConnection:
    """A DuckDB connection with spatial loaded from site-packages and the axis order asserted.

    Nothing is downloaded and the home folder is left alone. Raises EngineError where the extension does not
    fit the DuckDB version or where geodesic functions do not read longitude first.
    """
    extension = (
        Path(duckdb_extension_spatial.__file__).parent
        / "extensions"
        / f"v{duckdb.__version__}"
        / "spatial.duckdb_extension"
    )
    if not extension.is_file():
        raise EngineError(
            f"duckdb {duckdb.__version__} has no matching spatial extension in duckdb-extension-spatial. "
            "Install the pinned pair: pip install duckdb==1.5.5 duckdb-extension-spatial==1.5.5"
        )
    connection = duckdb.connect(
        config={
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "threads": threads,
            "memory_limit": memory,
            "temp_directory": tempfile.gettempdir(),
        }
    )
    quoted = str(extension).replace("'", "''")
    connection.execute(f"LOAD '{quoted}'")
    connection.execute("SET geometry_always_xy = true")
    connection.execute("SET TimeZone = 'UTC'")
    row = connection.execute(
        "SELECT ST_Distance_Spheroid(ST_Point(-73.77893, 40.63983), ST_Point(4.76389, 52.30861))"
    ).fetchone()
    metres = row[0] if row else float("nan")
    if not abs(metres - _JFK_AMS_METRES) < 2_000:
        raise EngineError(
            f"the spatial extension does not read longitude first: JFK to AMS gives {metres:.0f} m, "
            f"not {_JFK_AMS_METRES:.0f} m."
        )
    return connection


class DuckEngine:
    """One KG in DuckDB. See `engine.contract` for the tables it offers."""

    def __init__(
        self,
        snapshots: Sequence[Snapshot],
        threads: int = 2,
        memory: str = "2GB",
        population: PopulationGrid | None = None,
    ) -> None:
        if not snapshots:
            raise EngineError("an engine needs at least one snapshot.")
        self.kg = snapshots[0].kg
        if any(snapshot.kg != self.kg for snapshot in snapshots):
            raise EngineError("an engine holds one KG; the snapshots given are of several.")
        self.snapshots = tuple(snapshots)
        self.population = population
        self._connection = connect(threads, memory)
        self._cache: OrderedDict[int, Any] = OrderedDict()
        self._cached_coordinates = 0
        self._load([file for snapshot in snapshots for file in snapshot.entity_files])

    # -- contract ------------------------------------------------------------------------------------

    def query(self, sql: str) -> pa.Table:
        """Run one SELECT and return its rows."""
        return self._connection.execute(sql).to_arrow_table()

    def create(self, name: str, sql: str) -> int:
        """Create (or replace) a temporary table from a SELECT; returns its row count."""
        self._connection.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS {sql}")
        row = self._connection.execute(f"SELECT count(*) FROM {name}").fetchone()
        return int(row[0]) if row else 0

    def register(self, name: str, table: pa.Table) -> None:
        """Create (or replace) a temporary table from Arrow rows."""
        self._connection.register("arrow_rows", table)
        self._connection.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS SELECT * FROM arrow_rows")
        self._connection.unregister("arrow_rows")

    def drop(self, names: Iterable[str]) -> None:
        """Drop temporary tables."""
        for name in names:
            self._connection.execute(f"DROP TABLE IF EXISTS {name}")

    def geometries(self, ids: Ids) -> Geometries:
        """shapely geometries (longitude latitude) of entities, in the order of ``ids``."""
        unique = np.unique(ids)
        missing = np.array([i for i in unique.tolist() if i not in self._cache], dtype=np.int64)
        if missing.size:
            self.register("wanted", pa.table({"id": missing}))
            found = self.query("SELECT id, ST_AsWKB(geom) AS wkb FROM shape JOIN wanted USING (id)")
            decoded = shapely.from_wkb(found["wkb"].to_numpy(zero_copy_only=False))
            for key, geometry in zip(found["id"].to_pylist(), decoded, strict=True):
                self._cache[key] = geometry
            self._cached_coordinates += int(shapely.get_num_coordinates(decoded).sum())
        out = np.empty(len(ids), dtype=object)
        try:
            out[:] = [self._cache[i] for i in ids.tolist()]
        except KeyError as error:
            raise EngineError(f"entity id {error} is not in the {self.kg} table.") from None
        self._shrink()
        return out

    def points(self, ids: Ids) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Reference points (longitude, latitude) of entities, in the order of ``ids``."""
        return self._lon[ids - 1], self._lat[ids - 1]

    def intersecting(self, left: str, right: str) -> pa.Table:
        """Pairs (left_id, right_id) whose stored geometries intersect; the predicate stands alone in its ON,
        because any further condition defeats DuckDB's spatial join (docs/engine.md)."""
        self.create("left_shape", f"SELECT s.id, s.geom FROM shape s WHERE s.id IN (SELECT id FROM ({left}))")
        self.create(
            "right_shape", f"SELECT s.id, s.geom FROM shape s WHERE s.id IN (SELECT id FROM ({right}))"
        )
        try:
            return self.query(
                "SELECT l.id AS left_id, r.id AS right_id FROM left_shape l JOIN right_shape r "
                "ON ST_Intersects(l.geom, r.geom)"
            ).sort_by([("left_id", "ascending"), ("right_id", "ascending")])
        finally:
            self.drop(["left_shape", "right_shape"])

    def rows(self, ids: Ids) -> list[dict[str, Any]]:
        """Rows of the entity table as stored in the snapshot, in the order of ``ids``."""
        self.register("wanted", pa.table({"id": np.unique(ids)}))
        table = self.query(
            f"SELECT e.id AS row_id, {_STORED.format(kg=self.kg)} FROM wanted w "
            "JOIN entity e USING (id) JOIN rest r USING (id) JOIN shape g USING (id)"
        )
        by_id = {row.pop("row_id"): row for row in table.to_pylist()}
        return [by_id[i] for i in ids.tolist()]

    # -- loading -------------------------------------------------------------------------------------

    def _load(self, files: list[str]) -> None:
        listed = ", ".join("'" + file.replace("'", "''") + "'" for file in files)
        run = self._connection.execute
        run(f"CREATE VIEW stored AS SELECT * FROM read_parquet([{listed}])")
        known = classes.load()
        rows = [
            {"class": key, "scale": c.scale, "generic": c.generic, "salient": c.salient}
            for key, c in known.items()
        ]
        self.register("classes", pa.Table.from_pylist(rows))
        run(_ENTITY)
        run(
            "CREATE TABLE shape AS SELECT e.id, s.geometry::GEOMETRY AS geom FROM stored s "
            "JOIN entity e ON e.iri = s.iri AND e.layer = s.layer ORDER BY e.id"
        )
        run(
            "CREATE TABLE rest AS SELECT e.id, s.admin, s.h3 FROM stored s "
            "JOIN entity e ON e.iri = s.iri AND e.layer = s.layer ORDER BY e.id"
        )
        points = self.query("SELECT ref_lon, ref_lat FROM entity ORDER BY id")
        self._lon = points["ref_lon"].to_numpy()
        self._lat = points["ref_lat"].to_numpy()
        run(
            "CREATE TABLE ancestor AS SELECT u.id AS child_id, p.id AS parent_id, CAST(u.depth AS BIGINT) AS depth "
            "FROM (SELECT id, unnest(admin) AS parent, generate_subscripts(admin, 1) AS depth FROM rest) u "
            "JOIN entity p ON p.iri = u.parent "
            "ORDER BY child_id, depth, parent_id"
        )
        self._load_links()
        self._load_stated_units()
        self._load_coverage()
        self._load_classes()

    def _load_links(self) -> None:
        """Stated relations named in the attributes: ``of`` (border) and ``track`` (footprint)."""
        rows = self.query(
            "SELECT id, class, attributes FROM entity WHERE class IN ('border', 'storm_footprint')"
        ).to_pylist()
        found: list[tuple[int, str, str]] = []
        for row in rows:
            attributes = json.loads(row["attributes"])
            if row["class"] == "border":
                found += [(row["id"], iri, "borderOf") for iri in attributes.get("of", [])]
            elif "track" in attributes:
                found.append((row["id"], attributes["track"], "footprintOf"))
        columns = list(zip(*found, strict=True)) if found else [(), (), ()]
        self.register(
            "stated",
            pa.table(
                {
                    "from_id": pa.array(columns[0], pa.int64()),
                    "iri": pa.array(columns[1], pa.string()),
                    "kind": pa.array(columns[2], pa.string()),
                }
            ),
        )
        self._connection.execute(
            "CREATE TABLE link AS SELECT from_id, e.id AS to_id, s.kind FROM stated s JOIN entity e USING (iri) "
            "ORDER BY from_id, to_id"
        )

    def _load_classes(self) -> None:
        """Sibling classes, and the classes that an entity's OSM tags match beside its own.

        Tags are matched once for each combination of the values that can give a class, not for each entity; of
        any kind of geometry, since a pedestrian square may be taken for a road.
        """
        pairs = list(zip(*classes.siblings(), strict=True))
        self.register("sibling", pa.table({"class": pairs[0], "other": pairs[1]}))
        known = classes.load()
        keys = sorted(known.condition_keys) if self.kg in ("osmh3kg", "worldkg") else []
        named = {key: key if self.kg == "osmh3kg" else camel_case(key) for key in keys}
        values = ", ".join(
            f"json_extract_string(attributes, '$.\"{name}\"') AS t{number}"
            for number, name in enumerate(named.values())
        )
        if not keys:
            none = pa.table({"id": pa.array([], pa.int64()), "class": pa.array([], pa.string())})
            self.register("also", none)
            return
        self.create("tagged", f"SELECT id, class, {values} FROM entity")
        columns = [f"t{number}" for number in range(len(keys))]
        matched: list[dict[str, Any]] = []
        for row in self.query(f"SELECT DISTINCT class, {', '.join(columns)} FROM tagged").to_pylist():
            tags = {key: row[t] for key, t in zip(keys, columns, strict=True) if row[t] is not None}
            others = [c for c in known.matching(tags) if c != row["class"]] if tags else []
            matched += [{**row, "other": c} for c in others if not known[c].generic]
        schema = pa.schema([(name, pa.string()) for name in ("class", *columns, "other")])
        self.register("matched", pa.Table.from_pylist(matched, schema))
        alike = " AND ".join(f"t.{name} IS NOT DISTINCT FROM m.{name}" for name in ("class", *columns))
        self._connection.execute(
            f"CREATE TABLE also AS SELECT t.id, m.other AS class FROM tagged t JOIN matched m ON {alike} ORDER BY 1, 2"
        )
        self.drop(["tagged", "matched"])

    def _load_stated_units(self) -> None:
        """How many first-level units each country has by a second source."""
        countries = self.query(
            "SELECT id, country, attributes FROM entity WHERE class = 'country' ORDER BY id"
        )
        self.register("stated_units", stated_units(countries.to_pylist()))
        self._connection.execute(_DOUBTED_UNITS)

    def _load_coverage(self) -> None:
        """Distance of every entity of a bounded layer to the edge of that layer's covered extent."""
        for snapshot in self.snapshots:
            for part in snapshot.parts:
                if part.coverage is None:
                    continue
                extent = shapely.from_wkt(part.coverage)
                found = self.query(f"SELECT id FROM entity WHERE layer = '{part.name}' ORDER BY id")
                ids = found["id"].to_numpy()
                if not ids.size:
                    continue
                if extent.is_empty:
                    self._connection.execute(
                        f"UPDATE entity SET edge_km = 0, covered = false, extent = layer WHERE layer = '{part.name}'"
                    )
                    continue
                distance, inside = _to_edge(*self.points(ids), extent)
                shapely.prepare(extent)
                covered = shapely.covers(extent, self.geometries(ids))
                edge = pa.table(
                    {"id": ids, "edge": np.where(inside, distance, 0.0), "within": np.asarray(covered)}
                )
                self.register("edge", edge)
                self._connection.execute(
                    "UPDATE entity SET edge_km = edge.edge, covered = edge.within, extent = layer "
                    "FROM edge WHERE entity.id = edge.id"
                )

    def _shrink(self) -> None:
        while self._cached_coordinates > CACHE_COORDINATES and self._cache:
            _, geometry = self._cache.popitem(last=False)
            self._cached_coordinates -= int(shapely.get_num_coordinates(geometry))


def _to_edge(
    lon: NDArray[np.float64], lat: NDArray[np.float64], extent: Any
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Distance of points to the boundary of a covered extent in km, and whether they lie in it; both of shape (n,).

    A point inside one area of an extent is nearest to that area's boundary, since every way to another crosses it: only
    that one is asked. Points outside have no distance (NaN) where the extent has several areas.
    """
    areas, points = shapely.get_parts(extent), shapely.points(lon, lat)
    if len(areas) == 1:
        distance, inside = boundary_distance_km(points, np.full(lon.size, areas[0]))
        return np.asarray(distance), np.asarray(inside)
    held, area = shapely.STRtree(areas).query(points, predicate="intersects")
    held, first = np.unique(held, return_index=True)
    distance, inside = np.full(lon.size, np.nan), np.zeros(lon.size, dtype=bool)
    if held.size:
        distance[held], inside[held] = boundary_distance_km(points[held], areas[area[first]])
    return distance, inside
