"""The nine operators: one written semantic each, exact refinement by the kernels in `geo`.

An operator takes relations (SELECT texts or table names) and writes a temporary table. Distances are geodesic
kilometres on WGS84; topology is planar on the stored longitude and latitude (GEOS); extended entities stand for
themselves in distances and for their reference point (equal-area centroid) in directions and cells.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from multiglobeqa.engine import population as people
from multiglobeqa.engine import relations, sizes
from multiglobeqa.engine.contract import Engine

Arguments = Mapping[str, Any]
Operator = Callable[[Engine, Arguments], Any]

OPERATORS: Final[dict[str, Operator]] = {
    "within_distance": relations.within_distance,
    "nearest": relations.nearest,
    "topology": relations.topology,
    "pair": relations.pair,
    "boundary_distance": relations.boundary_distance,
    "measure": sizes.measure,
    "cells": sizes.cells,
    "hierarchy": sizes.hierarchy,
    "population": people.population,
}
"""Name in a template's YAML -> function. Each returns an Arrow table whose columns its docstring lists."""


def run_operator(engine: Engine, name: str, output: str, arguments: Arguments) -> int:
    """Run one operator and store its rows as table ``output``; returns the row count."""
    table = OPERATORS[name](engine, arguments)
    engine.register(output, table)
    return int(table.num_rows)
