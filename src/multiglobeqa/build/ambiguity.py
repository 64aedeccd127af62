"""Members of two classes: a fuel station that is a shop too stands in the KG under one class only.

A question about a class is not asked where an entity whose tags give it that class beside its own could be a member.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from multiglobeqa.build.gold import Instance
from multiglobeqa.engine import Engine

CAUSE = "member_of_two_classes"
_MARGIN_DEGREES = 0.02


class Ambiguity:
    """The entities of one KG whose tags match a class beside their own."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._by_class: dict[str, list[int]] = defaultdict(list)
        rows = engine.query("SELECT id, class FROM also ORDER BY id, class").to_pylist()
        for row in rows:
            self._by_class[row["class"]].append(row["id"])
        self._parents: dict[int, set[int]] = {row["id"]: set() for row in rows}
        above = engine.query(
            "SELECT child_id, parent_id FROM ancestor WHERE child_id IN (SELECT id FROM also) "
            "ORDER BY child_id, parent_id"
        )
        for row in above.to_pylist():
            self._parents[row["child_id"]].add(row["parent_id"])

    def fault(self, found: Instance) -> str | None:
        """Why an instance must not be asked, or None: it names a class, and an ambiguous entity may be a member."""
        named = found.params.get("classes") or [found.params.get("class")]
        doubtful = [entity for name in named for entity in self._by_class.get(name, ())]
        if not doubtful:
            return None
        if found.sub.scope is not None:
            scope = found.roles[found.sub.scope]
            stated = [entity for entity in doubtful if self._parents[entity]]
            if any(scope in self._parents[entity] for entity in stated):
                return CAUSE
            doubtful = [entity for entity in doubtful if not self._parents[entity]]
        return CAUSE if doubtful and self._near(found, doubtful) else None

    def _near(self, found: Instance, doubtful: list[int]) -> bool:
        """Whether one lies in the box of the question's entities, grown by about 2 km."""
        lon, lat = self._engine.points(np.array(found.entity_ids(), dtype=np.int64))
        x, y = self._engine.points(np.array(doubtful, dtype=np.int64))
        inside = (x > lon.min() - _MARGIN_DEGREES) & (x < lon.max() + _MARGIN_DEGREES)
        return bool((inside & (y > lat.min() - _MARGIN_DEGREES) & (y < lat.max() + _MARGIN_DEGREES)).any())
