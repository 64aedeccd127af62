"""What the operators and the templates need of an engine, free of any engine's name.

Every engine offers these tables for one KG:

entity(id, iri, layer, name, class, kind, ref_lon, ref_lat, main_share, area_km2, length_km, country,
    continent, subregion, income, density, cell, level, time_start, time_end, attributes, image, population,
    scale, generic, salient, contested, plain_line, edge_km, covered, extent, west, south, east, north)
    One row an entity. ``id`` counts from 1 in the order (layer, iri). ``cell`` is "HIC/low" and so on, null
    where a tier is missing. ``scale`` (venue, settlement, region), ``generic`` and ``salient`` are the class's.
    ``contested`` marks countries whose outline differs by point of view. ``plain_line`` marks lines that are whole
    and single: not cut by the extract, no stretch twice, no separate carriageways. ``edge_km`` is the distance from
    the reference point to the edge of the layer's covered extent (null: the world). ``covered`` is false where a
    geometry leaves that extent. ``extent`` is the layer where its extent is bounded, else "world".
ancestor(child_id, parent_id, depth)
    Administrative parents as the KG states them, depth 1 = direct; parents that the KG does not hold are left out.
stated_units(id, units)
    How many first-level units a country has by a second source (its attribute first_level_units, else GeoNames).
doubted_units(id)
    Countries of which that source states another number of first-level units than the KG holds, or none, and these
    units: sources do not agree on what a first-level unit is there.
link(from_id, to_id, kind)
    Stated relations other than containment: "borderOf" (border, area), "footprintOf" (footprint, track).
also(id, class)
    Classes that an entity's OSM tags match beside its own; generic ones are left out.
sibling(class, other)
    Classes that people may take for one another, both ways (``kg/siblings.yaml``).

Geometries are fetched by id and never stand in SQL text: predicates belong to the operators.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from multiglobeqa.kg.population import PopulationGrid

Ids = NDArray[np.int64]
Geometries = NDArray[np.object_]


class Engine(Protocol):
    """An engine that holds one KG. ``population``: the raster of people that the user gave, or None."""

    population: PopulationGrid | None

    def query(self, sql: str) -> pa.Table:
        """Run one SELECT and return its rows."""

    def create(self, name: str, sql: str) -> int:
        """Create (or replace) a temporary table from a SELECT; returns its row count."""

    def register(self, name: str, table: pa.Table) -> None:
        """Create (or replace) a temporary table from Arrow rows."""

    def drop(self, names: Sequence[str]) -> None:
        """Drop temporary tables."""

    def geometries(self, ids: Ids) -> Geometries:
        """shapely geometries (longitude latitude) of entities, in the order of ``ids``."""

    def points(self, ids: Ids) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Reference points (longitude, latitude) of entities, in the order of ``ids``."""

    def intersecting(self, left: str, right: str) -> pa.Table:
        """Pairs (left_id, right_id) of ids in the two SELECTs whose stored geometries intersect (planar)."""

    def rows(self, ids: Ids) -> list[dict[str, Any]]:
        """Rows of the entity table as stored in the snapshot (ENTITY_SCHEMA), in the order of ``ids``."""
