"""The SQL of a template run on empty tables: what it names must be there, and it must return what a question needs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from multiglobeqa.engine import contract
from multiglobeqa.engine.operators import OPERATORS, run_operator
from multiglobeqa.errors import MultiGlobeQAError
from multiglobeqa.kg.population import PopulationGrid
from multiglobeqa.taxonomy.source import bare

TYPES: Final = {
    "BIGINT": "id child_id parent_id depth from_id to_id population units",
    "TINYINT": "level",
    "BOOLEAN": "generic salient contested plain_line covered",
    "TIMESTAMP WITH TIME ZONE": "time_start time_end",
    "DOUBLE": "ref_lon ref_lat main_share area_km2 length_km edge_km west south east north",
}
"""Type -> columns of the contract's tables; all other columns are text."""
_LINE = re.compile(r"^LINE (\d+):", re.M)
_ABSENT = re.compile(r'[Tt]able with name "?(\w+)"? does not exist')


def contract_tables() -> dict[str, tuple[str, ...]]:
    """The tables that every engine offers and their columns, as the contract's text lists them."""
    listed = re.findall(r"^(\w+)\(([\w,\s]+)\)", contract.__doc__ or "", re.M)
    return {name: tuple(column.strip() for column in columns.split(",")) for name, columns in listed}


def type_of(column: str) -> str:
    """The DuckDB type of a column of the contract."""
    return next((kind for kind, names in TYPES.items() if column in names.split()), "VARCHAR")


class EmptyEngine:
    """An engine whose tables hold no row: operators and SQL run in no time and show whether they fit together."""

    kg = "osmh3kg"
    population: PopulationGrid | None = None

    def __init__(self) -> None:
        self.connection = duckdb.connect(config={"threads": 1})
        self.tables = {**contract_tables(), "pictured": ("id",)}
        for name, columns in self.tables.items():
            listed = ", ".join(f"{column} {type_of(column)}" for column in columns)
            self.connection.execute(f"CREATE TABLE {name} ({listed})")

    def query(self, sql: str) -> pa.Table:
        """Run one SELECT."""
        return self.connection.execute(sql).to_arrow_table()

    def create(self, name: str, sql: str) -> int:
        """Create (or replace) a temporary table from a SELECT."""
        self.connection.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS {sql}")
        return 0

    def register(self, name: str, table: pa.Table) -> None:
        """Create (or replace) a temporary table from Arrow rows."""
        self.connection.register("arrow_rows", table)
        self.connection.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS SELECT * FROM arrow_rows")
        self.connection.unregister("arrow_rows")

    def drop(self, names: Iterable[str]) -> None:
        """Drop temporary tables."""
        for name in names:
            self.connection.execute(f'DROP TABLE IF EXISTS temp."{name}"')

    def geometries(self, ids: NDArray[np.int64]) -> NDArray[np.object_]:
        """No geometry."""
        return np.empty(0, dtype=object)

    def points(self, ids: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """No point."""
        return np.empty(0), np.empty(0)

    def intersecting(self, left: str, right: str) -> pa.Table:
        """No pair; both SELECTs are run."""
        for side in (left, right):
            self.query(side)
        return pa.table({"left_id": pa.array([], pa.int64()), "right_id": pa.array([], pa.int64())})

    def rows(self, ids: NDArray[np.int64]) -> list[dict[str, Any]]:
        """No row."""
        return []


class Bench:
    """One sub-template's steps and SQL on the empty engine. Faults are (step or None, line in the SQL or 0, text)."""

    def __init__(self, engine: EmptyEngine) -> None:
        self._engine = engine
        self._made: list[str] = []
        self._failed: set[str] = set()

    def steps(self, steps: Sequence[Mapping[str, Any]]) -> list[tuple[int, str]]:
        """Run the steps in order; the faults as (place of the step, text)."""
        faults: list[tuple[int, str]] = []
        for place, step in enumerate(steps):
            name = str(step.get("as"))
            if name in (*self._engine.tables, "base"):
                faults.append((place, "the engine has a table of this name."))
                self._failed.add(name)
                continue
            if not name.isidentifier() or not self._runnable(step):
                self._failed.add(name)  # the fault is in the YAML
                continue
            self._made.append(name)
            try:
                self._step(name, step)
            except (
                duckdb.Error, MultiGlobeQAError, AttributeError, KeyError, TypeError, ValueError
            ) as error:  # fmt: skip
                if not self._follows(str(error)):
                    faults.append((place, _told(error)))
                self._failed.add(name)
        return faults

    def select(self, sql: str) -> tuple[dict[str, str], tuple[int, str] | None]:
        """The columns (name -> type) of a SELECT, or the fault as (line in the SQL, text)."""
        try:
            described = self._engine.query(f"DESCRIBE SELECT * FROM ({bare(sql)}\n)")
        except duckdb.Error as error:
            if self._follows(str(error)):
                return {}, None
            lines = bare(sql).count("\n") + 1
            return {}, (min(_line(str(error), sql), lines), _told(error))
        return dict(
            zip(described["column_name"].to_pylist(), described["column_type"].to_pylist(), strict=True)
        ), None

    def base(self, sql: str, roles: Iterable[str], params: Mapping[str, Any]) -> None:
        """Make the table ``base`` of a false-premise variant from the columns of the sub-template's SQL."""
        columns, fault = self.select(sql)
        listed = [f'CAST(NULL AS {columns.get(role, "BIGINT")}) AS "{role}"' for role in roles]
        listed += [f'CAST(NULL AS {kind}) AS "{name}"' for name, kind in columns.items()
                   if name.startswith("p_") and not kind.endswith("[]")]  # fmt: skip
        listed += [
            f"CAST(NULL AS {_type(value)}) AS p_{name}"
            for name, value in params.items()
            if f"p_{name}" not in columns
        ]
        self._made.append("base")
        if fault is not None or not columns:
            self._failed.add("base")
            return
        self._engine.create("base", f"SELECT CAST(NULL AS BIGINT) AS base_id, {', '.join(listed)} LIMIT 0")

    def close(self) -> None:
        """Drop what the steps made."""
        self._engine.drop(self._made)

    def _follows(self, message: str) -> bool:
        """Whether an error only says that a step before has failed."""
        return any(name in self._failed for name in _ABSENT.findall(message))

    @staticmethod
    def _runnable(step: Mapping[str, Any]) -> bool:
        if "operator" in step:
            return step["operator"] in OPERATORS
        return bool(step.get("sql") or step.get("draw") or (step.get("partners") and step.get("of")))

    def _step(self, name: str, step: Mapping[str, Any]) -> None:
        engine = self._engine
        if "operator" in step:
            run_operator(engine, str(step["operator"]), name, step.get("args") or {})
        elif step.get("sql"):
            engine.create(name, str(step["sql"]))
        elif step.get("draw"):
            engine.create(
                name,
                "SELECT id, cell, country, class, kind, layer, CAST(1 AS BIGINT) AS n FROM entity "
                f"WHERE cell IS NOT NULL AND ({step['draw']})",
            )
        elif step.get("partners"):
            on = " AND ".join(f"e.{column} = p.{column}" for column in step.get("same", ("cell", "country")))
            engine.create(
                name,
                f"SELECT e.id AS left_id, p.id AS right_id FROM entity e "
                f"JOIN (SELECT DISTINCT id FROM {step.get('of')}) o ON o.id = e.id "
                f"JOIN (SELECT * FROM entity WHERE ({step['partners']})) p ON {on}",
            )


def _type(value: Any) -> str:
    return "BOOLEAN" if isinstance(value, bool) else "BIGINT" if isinstance(value, int) else (
        "DOUBLE" if isinstance(value, float) else "VARCHAR"
    )  # fmt: skip


def _line(message: str, sql: str) -> int:
    """The line that the engine names, else the first in which a word stands that it quotes."""
    if found := _LINE.search(message):
        return int(found[1])
    for word in re.findall(r"[\"']([\w.]+)[\"']", message):
        if place := re.search(rf"\b{re.escape(word)}\b", sql, re.I):
            return sql[: place.start()].count("\n") + 1
    return 1


def _told(error: Exception) -> str:
    """The first sentence of an engine's error, and the names it proposes."""
    if not isinstance(error, duckdb.Error | MultiGlobeQAError):
        return f"the arguments do not fit the operator ({error})."
    text = str(error).split("\nLINE ")[0].strip()
    told = re.sub(r"^(?:Binder|Catalog|Parser) Error: ", "", " ".join(text.split()))
    told = re.sub(r' Did you mean "[^"]*\bpg_[^"]*"\?', "", told)
    return told if told.endswith((".", "!", "?")) else told + "."
