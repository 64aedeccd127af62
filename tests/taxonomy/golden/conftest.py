"""The golden world as engines, and the search for the row of a case."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from multiglobeqa.build import candidates, slips
from multiglobeqa.build.facts import FactStore
from multiglobeqa.build.gold import Instance, false_instance, instance
from multiglobeqa.build.premises import base_table
from multiglobeqa.build.questions import Writer
from multiglobeqa.build.verify import difference, task_of
from multiglobeqa.engine import DuckEngine
from multiglobeqa.kg.population import PopulationGrid
from multiglobeqa.kg.store import Snapshot
from multiglobeqa.taxonomy import SubTemplate, load

SEEDS = 80
"""Templates draw partners and offers by a seeded hash; a case is looked for under these many seeds."""
COVERAGE = {"osmh3kg": "POLYGON((-175 -20,0 -20,178 -20,178 75,0 75,-175 75,-175 -20))"}


def _module(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"golden_{name}", Path(__file__).with_name(f"{name}.py"))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


class Golden:
    """One KG of the golden world: its engine, its writer, and the rows of each sub-template and seed."""

    def __init__(
        self, snapshot: Snapshot, classes: dict[str, str], people: PopulationGrid | None = None
    ) -> None:
        self.kg = snapshot.kg
        self.classes = classes
        self.engine = DuckEngine([snapshot], threads=1, population=people)
        self.facts = FactStore()
        self.writer = Writer(self.engine, self.kg, "golden", self.facts)
        table = self.engine.query("SELECT id, name FROM entity ORDER BY id")
        self.names = dict(zip(table["id"].to_pylist(), table["name"].to_pylist(), strict=True))
        self._rows: dict[tuple[str, int], list[dict[str, Any]]] = {}

    def rows(self, sub: SubTemplate, seed: int) -> list[dict[str, Any]]:
        """The candidate rows of a sub-template under a seed, run once."""
        key = (sub.id, seed)
        if key not in self._rows:
            self._rows[key] = candidates.run(self.engine, sub, seed).rows
        return self._rows[key]

    def false_rows(self, sub: SubTemplate, seed: int) -> list[dict[str, Any]]:
        """The false-premise rows of a sub-template under a seed, each with its base instance in ``_base``."""
        key = (f"{sub.id} false", seed)
        if key not in self._rows:
            with candidates.opened(self.engine, sub, seed) as run:
                made = [self.outcome(sub, row)[0] for row in run.candidates().rows]
                bases = [found for found in made if found is not None and self.writer.rows([found])[0]]
                found = run.false_candidates(base_table(bases)).rows if bases else []
            self._rows[key] = [{**row, "_base": bases[row["base_id"]]} for row in found]
        return self._rows[key]

    def matching(
        self, sub: SubTemplate, roles: dict[str, str], params: dict[str, Any], false: bool = False
    ) -> Iterator[dict[str, Any]]:
        """Rows with these roles (by name) and parameters, seed after seed."""
        wanted = {k: self._word(v) for k, v in params.items()}
        for seed in range(SEEDS):
            for row in self.false_rows(sub, seed) if false else self.rows(sub, seed):
                given = {**sub.params, **(row["_base"].params if false else {})}
                if all(self.names.get(row[role]) == name for role, name in roles.items()) and all(
                    _same(row.get(f"p_{k}", given.get(k)), v) for k, v in wanted.items()
                ):
                    yield row

    def false_outcome(self, sub: SubTemplate, row: dict[str, Any]) -> tuple[Instance | None, str | None]:
        """The false-premise instance of a row or the cause of its discard."""
        return false_instance(sub, row, row["_base"], self.writer.strata)

    def _word(self, value: Any) -> Any:
        if isinstance(value, list):
            return sorted(self._word(v) for v in value)
        return self.classes.get(value, value) if isinstance(value, str) else value

    def outcome(self, sub: SubTemplate, row: dict[str, Any]) -> tuple[Instance | None, str | None]:
        """The instance of a row or the cause of its discard."""
        made, cause = instance(sub, row, self.writer.strata)
        if made is None:
            return None, cause
        kept, by_slip = slips.binding(self.engine, [made])
        return (kept[0], None) if kept else (None, next(iter(by_slip)))

    def question(self, found: Instance) -> dict[str, Any]:
        """The question row; the name of an entity of this world is never a reason to drop it."""
        rows, causes = self.writer.rows([found])
        assert rows, causes
        return rows[0]

    def disagreements(self, questions: list[dict[str, Any]]) -> list[str]:
        """What the solver says against the questions' golds."""
        lines = dict(enumerate(self.facts.lines()))
        found = [(question, difference(task_of(question, lines))) for question in questions]
        return [f"{question['question']} {wrong}" for question, wrong in found if wrong is not None]

    def gold(self, question: dict[str, Any]) -> Any:
        """The question's gold."""
        return json.loads(question["gold"])


def _same(found: Any, wanted: Any) -> bool:
    if isinstance(wanted, list):
        return sorted(found or []) == wanted
    if isinstance(wanted, int | float) and found is not None:
        return abs(float(found) - wanted) < 1e-9
    return bool(found == wanted)


@pytest.fixture(scope="session")
def awkward(
    tmp_path_factory: pytest.TempPathFactory, make_snapshot: Callable[..., Snapshot]
) -> Callable[[str], Golden]:
    """The awkward world in a KG, made once."""
    world = _module("awkward")
    made: dict[str, Golden] = {}

    def of(kg: str) -> Golden:
        if kg not in made:
            made[kg] = Golden(make_snapshot(tmp_path_factory.mktemp(kg), world.rows(kg), None, "awkward"), {})
        return made[kg]

    return of


@pytest.fixture(scope="session")
def golden(
    tmp_path_factory: pytest.TempPathFactory, make_snapshot: Callable[..., Snapshot]
) -> Callable[[str], Golden]:
    """The golden world in a KG, made once."""
    world = _module("world")
    made: dict[str, Golden] = {}

    def of(kg: str) -> Golden:
        if kg not in made:
            folder = tmp_path_factory.mktemp(kg)
            snapshot = make_snapshot(folder, world.rows(kg), COVERAGE.get(kg), "golden")
            classes = {what: known[kg][0] for what, known in world.CLASSES.items() if kg in known}
            people = PopulationGrid(_module("places_ab").raster(folder))
            made[kg] = Golden(snapshot, classes, people)
        return made[kg]

    return of


@pytest.fixture(scope="session")
def subs() -> dict[str, SubTemplate]:
    """The sub-templates by id."""
    return {sub.id: sub for sub in load()}
