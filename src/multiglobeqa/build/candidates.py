"""Running one sub-template on one KG: steps, then the SQL, then one row a candidate tuple."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import ceil
from typing import Any, Final

import pyarrow as pa

from multiglobeqa.engine import Engine, run_operator
from multiglobeqa.errors import EngineError, TemplateError
from multiglobeqa.taxonomy.model import Step, SubTemplate, fill
from multiglobeqa.taxonomy.source import bare

FULL_QUOTA: Final = 30
"""The quota a stratum cell for which the templates' draws are sized."""
LEAST_SHARE: Final = 0.2
ALL: Final = 1_000_000
MOST_RANKED: Final = 100_000
"""Quotas from this on leave no row behind early: DuckDB keeps the first n of a group for n below a million only."""
PICTURED: Final = "id IN (SELECT id FROM pictured)"
"""The condition that keeps a draw to entities with a picture; the table is the pipeline's."""
ASKED: Final = "id IN (SELECT id FROM _asked)"
"""The condition that keeps a draw to entities asked before; the tables ``_asked`` (id) and ``_asked_pairs`` (left_id,
right_id) are `build.drift`'s."""


@dataclass
class Candidates:
    """The candidate tuples of one sub-template on one KG.

    ``rows``: the SQL's columns and, prefixed with an underscore, the anchor's stratum and place.
    ``drawn``: entities that the first draw step found, by stratum cell; None without such a step.
    ``step_rows``: rows of each step's table.
    """

    rows: list[dict[str, Any]]
    drawn: Counter[str] | None = None
    step_rows: dict[str, int] = field(default_factory=dict)


class Run:
    """The tables of one sub-template's steps while they live; see `opened`."""

    def __init__(
        self, engine: Engine, sub: SubTemplate, seed: int, share: float, *, pictured: bool, asked: bool
    ) -> None:
        self._engine, self._sub, self._share, self._asked = engine, sub, share, asked
        self._salt = {"salt": f"{seed}/{sub.id}/"}
        self._pictured = sub.image.steps if pictured and sub.image else ()
        self.tables: list[str] = []

    def candidates(self) -> Candidates:
        """Execute the steps and the SQL."""
        result = Candidates(rows=[])
        self._steps(self._sub.steps, result)
        result.rows = self._rows(self._sub.sql, "sql")
        return result

    def false_candidates(self, base: pa.Table) -> Candidates:
        """Execute the false-premise variant over released true tuples (base_id, roles, p_ columns)."""
        variant = self._sub.false_premise
        assert variant is not None
        self._engine.register("base", base)
        self.tables.append("base")
        result = Candidates(rows=[])
        self._steps(variant.steps, result, "false_premise: ")
        result.rows = self._rows(variant.sql, "false_premise: sql")
        return result

    def _steps(self, steps: Sequence[Step], result: Candidates, prefix: str = "") -> None:
        for step in steps:
            with self._naming(f"{prefix}step {step.name}"):
                self.tables.append(step.name)
                result.step_rows[step.name] = self._run_step(step)
                if step.draw is not None and result.drawn is None:
                    counted = self._engine.query(f"SELECT cell, count(*) AS n FROM {step.name} GROUP BY cell")
                    result.drawn = Counter(
                        dict(zip(counted["cell"].to_pylist(), counted["n"].to_pylist(), strict=True))
                    )

    def _rows(self, sql: str, stage: str) -> list[dict[str, Any]]:
        sub = self._sub
        with self._naming(stage):
            table = self._engine.query(
                "SELECT c.*, coalesce(e.cell, 'none') AS _cell, e.country AS _country, e.continent AS _continent, "
                "e.subregion AS _subregion, e.income AS _income, e.density AS _density, e.ref_lon AS _lon, "
                f"e.ref_lat AS _lat, e.class AS _class FROM ({bare(fill(sql, self._salt))}\n) c "
                f"JOIN entity e ON e.id = c.{sub.anchor}"
                + (" WHERE e.cell IS NOT NULL" if sub.stratified else "")
            )
        return list(table.to_pylist())

    @contextmanager
    def _naming(self, stage: str) -> Iterator[None]:
        """Errors of the engine's SQL name the sub-template and the step."""
        try:
            yield
        except EngineError as error:
            raise TemplateError(f"{self._sub.id}, {stage}: {error}", source=self._sub.source) from error
        except Exception as error:
            if type(error).__module__.split(".")[0] not in ("duckdb", "_duckdb", "pyspark"):
                raise
            raise TemplateError(f"{self._sub.id}, {stage}: {error}", source=self._sub.source) from error

    def _run_step(self, step: Step) -> int:
        if step.operator is not None:
            arguments = {k: fill(v, self._salt) if isinstance(v, str) else v for k, v in step.args.items()}
            return run_operator(self._engine, step.operator, step.name, arguments)
        if step.sql is not None:
            return self._engine.create(step.name, fill(step.sql, self._salt))
        only = ASKED if self._asked else PICTURED if step.name in self._pictured else "true"
        if self._asked and step.partners is not None:
            return self._engine.create(step.name, _asked_partners_sql(step))
        if step.draw is not None:
            return self._engine.create(step.name, _draw_sql(step, self._salt["salt"], self._share, only))
        return self._engine.create(step.name, _partners_sql(step, self._salt["salt"], only))


@contextmanager
def opened(
    engine: Engine,
    sub: SubTemplate,
    seed: int,
    per_cell: int = FULL_QUOTA,
    *,
    pictured: bool = False,
    asked: bool = False,
) -> Iterator[Run]:
    """A run whose step tables are dropped at the end.

    ``per_cell``: how many tuples a stratum is to yield; draws shrink with it, down to a fifth.
    ``pictured``: the steps that the sub-template's ``image`` names keep to the ids of the table ``pictured``.
    ``asked``: all draws keep to the table ``_asked``, without a quota, and partners to ``_asked_pairs``.
    Raises TemplateError naming the step where the engine refuses its SQL.
    """
    share = float(ALL) if asked else min(1.0, max(LEAST_SHARE, per_cell / FULL_QUOTA))
    current = Run(engine, sub, seed, share, pictured=pictured, asked=asked)
    try:
        yield current
    finally:
        engine.drop(current.tables)


def run(engine: Engine, sub: SubTemplate, seed: int, per_cell: int = FULL_QUOTA) -> Candidates:
    """The candidates of one sub-template; see `opened`."""
    with opened(engine, sub, seed, per_cell) as current:
        return current.candidates()


def _draw_sql(step: Step, salt: str, share: float, only: str) -> str:
    """Seeded order by MD5; within a cell countries take turns, within a country classes do.

    An entity whose turn in its class, or in its country, is beyond the quota is beyond it in its cell too, so such rows
    are left behind before the next ranking: the first one keeps a bounded number a class, whatever the KG's size.
    """
    quota = ceil(step.per_cell * share)
    early = f"<= {quota}" if quota < MOST_RANKED else "> 0"
    return f"""
        SELECT id, cell, country, class, kind, layer, n FROM (
          SELECT *, row_number() OVER (PARTITION BY cell ORDER BY country_turn, pick) AS n FROM (
            SELECT *, row_number() OVER (PARTITION BY cell, country ORDER BY class_turn, pick) AS country_turn FROM (
              SELECT *, row_number() OVER (PARTITION BY cell, country, class ORDER BY pick) AS class_turn FROM (
                SELECT id, cell, country, class, kind, layer, md5('{salt}{step.name}/' || iri) AS pick FROM entity
                WHERE cell IS NOT NULL AND ({step.draw}) AND {only}
              ) AS picked
            ) AS by_class WHERE class_turn {early}
          ) AS by_country WHERE country_turn {early}
        ) AS ordered WHERE n <= {quota}"""


def _asked_partners_sql(step: Step) -> str:
    """The pairs asked before whose second may be a partner: the operators that follow count on its kind."""
    return f"""
        SELECT DISTINCT a.left_id, a.right_id FROM _asked_pairs a
        JOIN (SELECT DISTINCT id FROM {step.of}) o ON o.id = a.left_id
        JOIN (SELECT id FROM entity WHERE ({step.partners})) p ON p.id = a.right_id"""


def _partners_sql(step: Step, salt: str, only: str) -> str:
    """For each row of ``of`` the next ``count`` entities of its group in a second seeded order."""
    same = ", ".join(step.same)
    on = " AND ".join(f"b.{column} = p.{column}" for column in step.same)
    counts = ", ".join(f"({k})" for k in range(step.count))
    return f"""
        WITH pool AS (
          SELECT id, {same},
                 row_number() OVER (PARTITION BY {same} ORDER BY md5('{salt}{step.name}/' || iri)) - 1 AS place,
                 count(*) OVER (PARTITION BY {same}) AS size
          FROM entity WHERE cell IS NOT NULL AND ({step.partners}) AND {only}
        ), base AS (
          SELECT e.id, {", ".join("e." + column for column in step.same)},
                 row_number() OVER (PARTITION BY {", ".join("e." + column for column in step.same)}
                                    ORDER BY md5('{salt}{step.name}/base/' || e.iri)) - 1 AS turn
          FROM entity e JOIN (SELECT DISTINCT id FROM {step.of}) o ON o.id = e.id
        )
        SELECT DISTINCT b.id AS left_id, p.id AS right_id
        FROM base b CROSS JOIN (VALUES {counts}) AS t(k) JOIN pool p ON {on}
        WHERE p.place = (b.turn * {step.count} + t.k) % p.size AND p.id <> b.id"""
