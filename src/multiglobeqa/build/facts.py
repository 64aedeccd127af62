"""The gold triples: the facts from which an answer follows, in the KG's own vocabulary."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from multiglobeqa.build.gold import Instance
from multiglobeqa.engine import Engine
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

    def prepare(self, instances: list[Instance]) -> None:
        """Fetch the entity rows and ancestors that the instances' facts need, in two queries."""
        if len(self._rows) > KEPT_ENTITIES:
            self._rows, self._rendered, self._parents = {}, {}, {}
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
        for child, parent in zip(chains["child_id"].to_pylist(), chains["parent_id"].to_pylist(), strict=True):
            self._parents[child].append(parent)
        above = {parent for parents in self._parents.values() for parent in parents} - set(self._rows) - ids
        every = np.array(sorted((ids - set(self._rows)) | above), dtype=np.int64)
        for entity, row in zip(every.tolist(), self._engine.rows(every), strict=True):
            self._rows[entity] = row

    def lines(self, found: Instance) -> list[str]:
        """The N-Triples lines of one instance, in a fixed order."""
        out: list[str] = []
        scope = found.roles[found.sub.scope] if found.sub.scope else None
        for group, aspects in found.sub.facts.items():
            if group == "members":
                entities = [*found.answer_ids, *found.members]
            elif group == "evidence":
                entities = found.evidence
            else:
                entities = [found.roles[group]]
            for entity in dict.fromkeys(entities):
                for aspect in aspects:
                    out += self._chain(entity, scope) if aspect == "chain" else self._aspect(entity, aspect)
        return list(dict.fromkeys(out))

    def _aspect(self, entity: int, aspect: str) -> list[str]:
        key = (entity, aspect)
        if key not in self._rendered:
            self._rendered[key] = triples.render(self._rows[entity], (aspect,))
        return self._rendered[key]

    def _chain(self, entity: int, scope: int | None) -> list[str]:
        """The parent triples from an entity up to the scope (or to the top)."""
        out: list[str] = []
        for link in (entity, *self._parents[entity]):
            if link == scope:
                break
            if link in self._rows:
                out += self._aspect(link, "parent")
        return out
