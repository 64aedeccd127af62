"""The gold triples: the least set of facts from which an answer follows, in the KG's own vocabulary.

Of what the KG states of an entity, the classes of its geometry and time nodes are left out: no answer needs them.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

import numpy as np
import pyarrow as pa

from multiglobeqa.build.gold import Instance
from multiglobeqa.engine import Engine, population
from multiglobeqa.kg import triples

KEPT_ENTITIES = 20_000
"""Entities whose rows and rendered facts are kept between sub-templates."""

_NODE_CLASS: Final = tuple(f"<{triples.RDF_TYPE}> <{space}" for space in (triples.SF, triples.TIME))
_FIX: Final = re.compile(r"<([^>]*[#.]fix\.\d+)[.>]")


class FactStore:
    """Facts by number: equal triples of different questions are stored once."""

    def __init__(self) -> None:
        self.ids: dict[str, int] = {}
        self.by_id: dict[int, str] = {}

    def add(self, lines: list[str]) -> list[int]:
        """The numbers of N-Triples lines, in the order given, each once."""
        for line in lines:
            if line not in self.ids:
                self.by_id[len(self.ids)] = line
                self.ids[line] = len(self.ids)
        return list(dict.fromkeys(self.ids[line] for line in lines))

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
        ids = {entity for found in instances for entity in found.entity_ids() if entity not in self._parents}
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
        """The N-Triples lines of one instance: its roles, then members and near non-members in the order of their ids.

        Members stand among the near non-members: no place in the list tells an answer.
        """
        out: list[str] = []
        listed: dict[int, list[str]] = {}
        for group, aspects in found.facts.items():
            if group == "members":
                entities = [*found.answer_ids, *found.members]
            elif group == "evidence":
                entities = found.evidence
            else:
                out += self._entity(found, found.roles[group], aspects)
                continue
            for entity in dict.fromkeys(entities):
                listed.setdefault(entity, []).extend(self._entity(found, entity, aspects))
        for entity in sorted(listed):
            out += listed[entity]
        return list(dict.fromkeys(out))

    def _entity(self, found: Instance, entity: int, aspects: tuple[str, ...]) -> list[str]:
        scope = found.roles[found.sub.scope] if found.sub.scope else None
        out: list[str] = []
        for aspect in aspects:
            if aspect in ("density", "people"):
                out += self._cells(entity, aspect, float(found.params["radius_km"]))
            elif aspect == "outline":
                out += self._outline(found, entity)
            elif aspect == "chain":
                out += self._chain(entity, scope)
            elif aspect == "track":
                out += self._track(entity, found.params)
            elif aspect == "border" and scope is not None:
                out += self._border_of(entity, scope)
            else:
                out += self._aspect(entity, aspect)
        return out

    def _aspect(self, entity: int, aspect: str) -> list[str]:
        key = (entity, aspect)
        if key not in self._rendered:
            lines = triples.render(self._rows[entity], (aspect,))
            self._rendered[key] = [line for line in lines if not any(part in line for part in _NODE_CLASS)]
        return self._rendered[key]

    def _outline(self, found: Instance, entity: int) -> list[str]:
        """The geometry of an area, where no chain of parents says what lies in it (lakes, for example)."""
        placed = any(self._parents[member] for member in (*found.answer_ids, *found.members))
        return [] if placed else self._aspect(entity, "geometry")

    def _border_of(self, entity: int, scope: int) -> list[str]:
        """The link from a border to the area whose borders are asked; the area on its other side is not needed."""
        end = f"<{self._rows[scope]['iri']}> ."
        return [line for line in self._aspect(entity, "border") if line.endswith(end)]

    def _track(self, entity: int, params: dict[str, Any]) -> list[str]:
        """Places and times of a storm's fixes, without winds: those of the period asked and the one on either side."""
        row = self._rows[entity]
        days = [str(fix[0])[:10] for fix in json.loads(row["attributes"])["fixes"]]
        first = sum(day < params["period_start"] for day in days)
        last = len(days) - sum(day > params["period_end"] for day in days)
        numbers = range(max(0, first - 1), min(len(days), last + 1))
        nodes = {triples.part_iri(row["iri"], f"fix.{number}") for number in numbers}
        out = []
        for line in self._aspect(entity, "fixes"):
            node = _FIX.search(line)
            if node is not None and node[1] in nodes and ".wind>" not in line:
                out.append(line)
        return out

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
