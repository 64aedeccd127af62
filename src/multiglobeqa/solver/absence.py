"""Proof that an area holds no member of a class: what refutes the premise of a question (TAXONOMY rule 9)."""

from __future__ import annotations

from typing import Final

import shapely

from multiglobeqa.solver import geodesy, topology
from multiglobeqa.solver.facts import GEOMETRY_LINKS, Facts
from multiglobeqa.solver.family import apart, of_classes
from multiglobeqa.solver.question import Question, Solution, fails

LEAST_ELSEWHERE: Final = 5
WIDENED_KM: Final = {"knowwheregraph": 5.0}
"""By how much an area is widened: outlines and points of a world map are coarse; 1 km where the KG is not named."""
OUTSIDE: Final = 0.001
CLEARLY_OUTSIDE: Final = 0.05


def no_member(q: Question, f: Facts, scope: str) -> Solution:
    """The solution "no_member", where no member stands in the widened scope and at least 5 stand elsewhere.

    SolverError where the facts do not prove that.
    """
    found = of_classes(q, f, [q.text("class_iri")], None)
    if len(found) < LEAST_ELSEWHERE:
        raise q.error(
            f"Only {len(found)} members of the class are stated elsewhere.", scope, "State 5 or more."
        )
    widened = WIDENED_KM.get(q.kg, 1.0)
    for iri in found:
        if scope in f.ancestors(iri):
            raise q.error("A member is stated to lie in the area.", iri, "Discard it.")
        if (km := apart(f, iri, scope)) <= widened:
            raise q.error(f"A member stands {km:.3f} km from the area.", iri, "Discard it.")
    return fails("no_member")


def in_scope(q: Question, f: Facts, scope: str) -> list[str]:
    """The members of the class in the scope: by their chains of parents; where no chain is stated, by geometry."""
    found = of_classes(q, f, [q.text("class_iri")], None)
    if f.states_containment() or not found:
        return [iri for iri in found if scope in f.ancestors(iri)]
    if not f.values(scope, *GEOMETRY_LINKS):
        raise f.missing(scope, "geometry, nor the containment of any member")
    return wholly_within(q, f, found, scope)


def wholly_within(q: Question, f: Facts, iris: list[str], scope: str) -> list[str]:
    """Those of the entities that the scope's geometry holds, but for 0.1 % of their area or length.

    SolverError for one of which 0.1 to 5 % lies outside.
    """
    kept = []
    for iri in iris:
        share = outside(f, scope, iri)
        if OUTSIDE < share < CLEARLY_OUTSIDE:
            raise q.error(f"{share:.2%} of it lies outside the area: neither in nor out.", iri, "Discard it.")
        if share <= OUTSIDE:
            kept.append(iri)
    return kept


def outside(f: Facts, scope: str, iri: str) -> float:
    """The share of an entity that lies outside an area, 0 to 1; a point is in or out."""
    area, entity = f.surface(scope), f.geometry(iri)
    dimension = shapely.get_dimensions(entity)
    if dimension == 0:
        return 0.0 if shapely.intersects(area, entity) else 1.0
    if not shapely.intersects(area, entity):
        return 1.0
    if dimension == 1:
        return 1.0 - topology.run_inside(entity, area) / geodesy.length(entity)
    return topology.share_outside(area, entity)
