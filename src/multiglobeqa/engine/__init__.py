"""Operators and SQL over an entity table, answered as Arrow tables.

The contract (`engine.contract`) names no engine; DuckDB is the embedded one.
"""

from __future__ import annotations

from multiglobeqa.engine.contract import Engine
from multiglobeqa.engine.duck import DuckEngine
from multiglobeqa.engine.operators import OPERATORS, run_operator

__all__ = ["OPERATORS", "DuckEngine", "Engine", "run_operator"]
