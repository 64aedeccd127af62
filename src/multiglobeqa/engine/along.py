"""Two places along a line: the part of the operator ``measure`` that reads the direction of waterways."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pyarrow as pa

from multiglobeqa.engine.arguments import id_columns
from multiglobeqa.engine.contract import Engine
from multiglobeqa.geo.stream import Feet, feet
from multiglobeqa.kg.flow import is_told


def places_along(engine: Engine, arguments: Any) -> pa.Table:
    """Where points a and b stand along the line c, for the rows of ``lines`` (columns a_id, b_id, c_id).

    Columns: a_id, b_id, c_id; a_off_km and b_off_km (distance to the line, to 10 m); flow_km (way along the line from
    b's foot to a's, positive where a's is farther on, NaN where the two are not on one stretch); apart (no foot
    that could be meant for a mixes with b's: see `geo.stream.Feet`); told (the line is a waterway whose drawing
    tells its flow).
    """
    a, b, c = id_columns(engine, arguments, "lines", ("a_id", "b_id", "c_id"))
    columns = {name: np.full(a.size, np.nan) for name in ("a_off_km", "b_off_km", "flow_km")}
    apart, told = np.zeros(a.size, dtype=bool), np.zeros(a.size, dtype=bool)
    lines, line_of = np.unique(c, return_inverse=True)
    engine.register("line_ids", pa.table({"id": lines}))
    stated = engine.query("SELECT attributes FROM entity JOIN line_ids USING (id) ORDER BY id")["attributes"]
    for index, (line, text) in enumerate(zip(engine.geometries(lines), stated.to_pylist(), strict=True)):
        rows = np.flatnonzero(line_of == index)
        first, second = (feet(line, *engine.points(ids[rows])) for ids in (a, b))
        columns["a_off_km"][rows], columns["b_off_km"][rows] = first.off_km, second.off_km
        columns["flow_km"][rows], apart[rows] = _between(first, second)
        told[rows] = is_told(json.loads(text), line)
    engine.drop(["line_ids"])
    return pa.table({"a_id": a, "b_id": b, "c_id": c, **columns, "apart": apart, "told": told})


def _between(a: Feet, b: Feet) -> tuple[Any, Any]:
    together = (a.part == b.part) & (a.part >= 0)
    apart = together & ((a.low_km > b.high_km) | (a.high_km < b.low_km))
    return np.where(together, a.at_km - b.at_km, np.nan), apart
