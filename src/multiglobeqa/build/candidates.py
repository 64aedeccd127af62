"""Running one sub-template on one KG: steps, then the SQL, then one row a candidate tuple."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from math import ceil
from typing import Any, Final

from multiglobeqa.engine import Engine, run_operator
from multiglobeqa.errors import EngineError, TemplateError
from multiglobeqa.taxonomy.model import Step, SubTemplate, fill

FULL_QUOTA: Final = 30
"""The quota a stratum cell for which the templates' draws are sized."""
LEAST_SHARE: Final = 0.2


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


def run(engine: Engine, sub: SubTemplate, seed: int, per_cell: int = FULL_QUOTA) -> Candidates:
    """Execute a sub-template; raises TemplateError naming the step where the engine refuses its SQL.

    ``per_cell``: how many tuples a stratum is to yield; draws shrink with it, down to a fifth.
    """
    share = min(1.0, max(LEAST_SHARE, per_cell / FULL_QUOTA))
    salt = {"salt": f"{seed}/{sub.id}/"}
    result = Candidates(rows=[])
    stage = "sql"
    try:
        for step in sub.steps:
            stage = f"step {step.name}"
            result.step_rows[step.name] = _run_step(engine, step, salt, share)
            if step.draw is not None and result.drawn is None:
                counted = engine.query(f"SELECT cell, count(*) AS n FROM {step.name} GROUP BY cell")
                result.drawn = Counter(
                    dict(zip(counted["cell"].to_pylist(), counted["n"].to_pylist(), strict=True))
                )
        stage = "sql"
        table = engine.query(
            "SELECT c.*, coalesce(e.cell, 'none') AS _cell, e.country AS _country, e.continent AS _continent, "
            "e.subregion AS _subregion, e.income AS _income, e.density AS _density, e.ref_lon AS _lon, "
            f"e.ref_lat AS _lat, e.class AS _class FROM ({fill(sub.sql, salt).strip().rstrip(';')}) c "
            f"JOIN entity e ON e.id = c.{sub.anchor}"
            + (" WHERE e.cell IS NOT NULL" if sub.stratified else "")
        )
    except EngineError as error:
        raise TemplateError(f"{sub.id}, {stage}: {error}", source=sub.source) from error
    except Exception as error:
        if type(error).__module__.split(".")[0] not in ("duckdb", "_duckdb", "pyspark"):
            raise
        raise TemplateError(f"{sub.id}, {stage}: {error}", source=sub.source) from error
    finally:
        engine.drop([step.name for step in sub.steps])
    result.rows = table.to_pylist()
    return result


def _run_step(engine: Engine, step: Step, salt: dict[str, str], share: float) -> int:
    if step.operator is not None:
        arguments = {k: fill(v, salt) if isinstance(v, str) else v for k, v in step.args.items()}
        return run_operator(engine, step.operator, step.name, arguments)
    if step.sql is not None:
        return engine.create(step.name, fill(step.sql, salt))
    if step.draw is not None:
        return engine.create(step.name, _draw_sql(step, salt["salt"], share))
    return engine.create(step.name, _partners_sql(step, salt["salt"]))


def _draw_sql(step: Step, salt: str, share: float) -> str:
    """Seeded order by MD5; within a cell countries take turns, within a country classes do."""
    return f"""
        SELECT id, cell, country, class, kind, layer, n FROM (
          SELECT *, row_number() OVER (PARTITION BY cell ORDER BY country_turn, pick) AS n FROM (
            SELECT *, row_number() OVER (PARTITION BY cell, country ORDER BY class_turn, pick) AS country_turn FROM (
              SELECT *, row_number() OVER (PARTITION BY cell, country, class ORDER BY pick) AS class_turn FROM (
                SELECT *, md5('{salt}{step.name}/' || iri) AS pick FROM entity
                WHERE cell IS NOT NULL AND ({step.draw})
              ) AS picked
            ) AS by_class
          ) AS by_country
        ) AS ordered WHERE n <= {ceil(step.per_cell * share)}"""


def _partners_sql(step: Step, salt: str) -> str:
    """For each row of ``of`` the next ``count`` entities of its group in a second seeded order."""
    same = ", ".join(step.same)
    on = " AND ".join(f"b.{column} = p.{column}" for column in step.same)
    counts = ", ".join(f"({k})" for k in range(step.count))
    return f"""
        WITH pool AS (
          SELECT id, {same},
                 row_number() OVER (PARTITION BY {same} ORDER BY md5('{salt}{step.name}/' || iri)) - 1 AS place,
                 count(*) OVER (PARTITION BY {same}) AS size
          FROM entity WHERE cell IS NOT NULL AND ({step.partners})
        ), base AS (
          SELECT e.id, {", ".join("e." + column for column in step.same)},
                 row_number() OVER (PARTITION BY {", ".join("e." + column for column in step.same)}
                                    ORDER BY md5('{salt}{step.name}/base/' || e.iri)) - 1 AS turn
          FROM entity e JOIN (SELECT DISTINCT id FROM {step.of}) o ON o.id = e.id
        )
        SELECT DISTINCT b.id AS left_id, p.id AS right_id
        FROM base b CROSS JOIN (VALUES {counts}) AS t(k) JOIN pool p ON {on}
        WHERE p.place = (b.turn * {step.count} + t.k) % p.size AND p.id <> b.id"""
