"""The gold triples: the facts from which an answer follows, in the KG's own vocabulary."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from multiglobeqa.build.gold import Instance
from multiglobeqa.engine import Engine, population
from multiglobeqa.kg import triples

KEPT_ENTITIES = 20_000
"""Entities whose rows and rendered facts are kept between sub-templates."""


class FactStore:
    """Facts by number: equal triples of different questions are stored once."""

    def __init__(self) -> None:
        self.ids: dict[str, int] = {}

    def add(self, lines: list[str]) -> list[int]:
        """The numbers of N-Triples lines, in the order given, each once."""
        return list(dict.fromkeys(self.ids.setdefault(line, len(self.ids)) for line in lines))

    def lines(self) -> list[str]:
        """All facts in the order of their numbers."""
        return list(self.ids)


class FactWriter:
    """Renders the facts of instances of one KG; rendered entities are kept while the writer lives."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._rows: dict[int, dict[str, Any]] = {}
        self._rendered: dict[tuple[int, str], list[str]] = {}
        self._parents: dict[int, list[int]] = {}
        self._by_iri: dict[str, int] = {}

    def prepare(self, instances: list[Instance]) -> None:
        """Fetch the entity rows and ancestors that the instances' facts need, in two queries."""
        if len(self._rows) > KEPT_ENTITIES:
            self._rows, self._rendered, self._parents, self._by_iri = {}, {}, {}, {}
        ids = {entity for found in instances for entity in found.entity_ids()} - set(self._parents)
        if not ids:
            return
        wanted = np.array(sorted(ids), dtype=np.int64)
        self._engine.register("fact_ids", pa.table({"id": wanted}))
        chains = self._engine.query(
            "SELECT child_id, parent_id FROM ancestor WHERE child_id IN (SELECT id FROM fact_ids) "
            "ORDER BY child_id, depth"
        )
        for entity in wanted.tolist():
            self._parents[entity] = []
        for child, parent in zip(
            chains["child_id"].to_pylist(), chains["parent_id"].to_pylist(), strict=True
        ):
            self._parents[child].append(parent)
        above = {parent for parents in self._parents.values() for parent in parents} - set(self._rows) - ids
        every = np.array(sorted((ids - set(self._rows)) | above), dtype=np.int64)
        for entity, row in zip(every.tolist(), self._engine.rows(every), strict=True):
            self._rows[entity] = row
            self._by_iri[row["iri"]] = entity

    def lines(self, found: Instance) -> list[str]:
        """The N-Triples lines of one instance, in a fixed order."""
        out: list[str] = []
        scope = found.roles[found.sub.scope] if found.sub.scope else None
        for group, aspects in found.facts.items():
            if group == "members":
                entities = [*found.answer_ids, *found.members]
            elif group == "evidence":
                entities = found.evidence
            else:
                entities = [found.roles[group]]
            for entity in dict.fromkeys(entities):
                for aspect in aspects:
                    if aspect in ("density", "people"):
                        out += self._cells(entity, aspect, float(found.params["radius_km"]))
                    else:
                        out += (
                            self._chain(entity, scope) if aspect == "chain" else self._aspect(entity, aspect)
                        )
        return list(dict.fromkeys(out))

    def _aspect(self, entity: int, aspect: str) -> list[str]:
        key = (entity, aspect)
        if key not in self._rendered:
            self._rendered[key] = triples.render(self._rows[entity], (aspect,))
        return self._rendered[key]

    def _cells(self, entity: int, aspect: str, radius_km: float) -> list[str]:
        """The cells of people round an entity's reference point."""
        lon, lat = self._engine.points(np.array([entity], dtype=np.int64))
        return population.facts(self._engine, aspect, float(lon[0]), float(lat[0]), radius_km)

    def _chain(self, entity: int, scope: int | None) -> list[str]:
        """The parent triples from an entity up to the scope, or to all its ancestors.

        A KG may list an ancestor that the chain of direct parents does not reach (a town across two counties):
        such a containment is stated by a triple of its own.
        """
        wanted = [p for p in self._parents[entity] if scope in (None, p)]
        out: list[str] = []
        reached, link = {entity}, entity
        while link != scope and self._rows[link]["admin"]:
            out += self._aspect(link, "parent")
            direct = self._by_iri.get(self._rows[link]["admin"][0])
            if direct is None or direct in reached:
                break
            reached.add(direct)
            link = direct
        for ancestor in wanted:
            if ancestor not in reached:
                stated = {**self._rows[entity], "admin": [self._rows[ancestor]["iri"]]}
                out += triples.render(stated, ("parent",))
        return out
