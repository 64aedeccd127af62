"""Members that may be none: of two classes, on record twice, a division, or a section of a city.

A fuel station that is a shop too stands in the KG under one class only: a question about a class is not asked where an
entity whose tags give it that class beside its own could be a member. Nor is one asked in which a place that stands
twice in the KG or bears a division's name is named or counted, or one in which a place without a feature code that may
be a section of a city is counted.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Final

import numpy as np

from multiglobeqa.build.doubts import named_divisions, second_records, unlabelled_sections
from multiglobeqa.build.gold import Instance
from multiglobeqa.engine import Engine

CAUSE: Final = "member_of_two_classes"
SECOND: Final = "second_record_of_one_place"
DIVISION: Final = "settlement_named_as_a_division"
SECTION: Final = "member_may_be_a_city_section"
EXTREMES: Final = ("F01", "F02", "F03")
"""Templates of one winner: who else is a member changes nothing while the winner is one."""
_MARGIN_DEGREES = 0.02


class Ambiguity:
    """The doubtful entities of one KG, and the instances that hang on one.

    ``second``: ids of places on record twice (`doubts.second_records`), if they were sought before.
    """

    def __init__(self, engine: Engine, second: frozenset[int] | None = None) -> None:
        self._engine = engine
        self._second = second_records(engine) if second is None else second
        self._divisions = named_divisions(engine)
        self._sections = frozenset(i for ids in unlabelled_sections(engine).values() for i in ids)
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
        """Why an instance must not be asked, or None."""
        listed = {*found.answer_ids, *found.members}
        named = listed | set(found.roles.values())
        if not self._divisions.isdisjoint(named):
            return DIVISION
        if not self._second.isdisjoint(named):
            return SECOND
        counted = found.answer_ids if found.sub.template in EXTREMES else listed
        if not self._sections.isdisjoint(set(counted) - set(found.roles.values())):
            return SECTION
        return CAUSE if self._of_two_classes(found) else None

    def _of_two_classes(self, found: Instance) -> bool:
        """Whether the instance names a class, and an entity that may be of it too could be a member."""
        named = found.params.get("classes") or [found.params.get("class")]
        doubtful = [entity for name in named for entity in self._by_class.get(name, ())]
        if not doubtful:
            return False
        if found.sub.scope is not None:
            scope = found.roles[found.sub.scope]
            stated = [entity for entity in doubtful if self._parents[entity]]
            if any(scope in self._parents[entity] for entity in stated):
                return True
            doubtful = [entity for entity in doubtful if not self._parents[entity]]
        return bool(doubtful) and self._near(found, doubtful)

    def _near(self, found: Instance, doubtful: list[int]) -> bool:
        """Whether one lies in the box of the question's entities, grown by about 2 km."""
        lon, lat = self._engine.points(np.array(found.entity_ids(), dtype=np.int64))
        x, y = self._engine.points(np.array(doubtful, dtype=np.int64))
        inside = (x > lon.min() - _MARGIN_DEGREES) & (x < lon.max() + _MARGIN_DEGREES)
        return bool((inside & (y > lat.min() - _MARGIN_DEGREES) & (y < lat.max() + _MARGIN_DEGREES)).any())
