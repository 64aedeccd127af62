"""What the families share: members of a set role, ties, registration."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from multiglobeqa.solver.centre import centroid
from multiglobeqa.solver.facts import Facts
from multiglobeqa.solver.geodesy import azimuth, distance
from multiglobeqa.solver.question import Question, Solution, fails
from multiglobeqa.solver.separation import separation

Solver: TypeAlias = Callable[[Question, Facts], Solution]
TIE = 1e-9
DIRECTIONS = {"north": 0.0, "east": 90.0, "south": 180.0, "west": 270.0}
LETTERED = {"a": "north", "b": "south", "c": "east", "d": "west"}


def members(q: Question, f: Facts, scope: str | None = None) -> list[str]:
    """The members of the class ``params.class_iri``, roles left out, sorted.

    ``scope`` is the IRI of the entity in whose containment chain the members must stand.
    """
    return of_classes(q, f, [q.text("class_iri")], scope)


def of_classes(q: Question, f: Facts, class_iris: Iterable[str], scope: str | None) -> list[str]:
    """As ``members``, for several classes."""
    roles = set(q.roles.values())
    found = [iri for iri in f.of_class(*class_iris) if iri not in roles]
    if scope is None or not found:
        return found
    if not f.states_containment():
        raise f.missing(scope, "containment of any member")
    return [iri for iri in found if scope in f.ancestors(iri)]


def apart(f: Facts, a: str, b: str) -> float:
    """Minimum geodesic distance in km of two entities."""
    return separation(f.extent(a), f.extent(b))


def centre(f: Facts, iri: str) -> tuple[float, float]:
    """Longitude, latitude of the equal-area centroid; a point is itself."""
    return centroid(f.geometry(iri))


def bearing(f: Facts, at: str, towards: str) -> float:
    """Initial azimuth from the centre of one entity to the centre of another."""
    return azimuth(*centre(f, at), *centre(f, towards))


def centres_apart(f: Facts, a: str, b: str) -> float:
    """Distance in km of two centres."""
    return distance(*centre(f, a), *centre(f, b))


def best(values: Mapping[str, float], *, rank: int = 1, largest: bool) -> Solution:
    """The entity of a rank by value, ties (1e-9 of the value) accepted; ``values`` holds ``rank`` or more."""
    ordered = sorted(values, key=lambda iri: (-values[iri] if largest else values[iri], iri))
    chosen = ordered[rank - 1]
    room = TIE * max(1.0, abs(values[chosen]))
    tied = tuple(sorted(iri for iri in values if abs(values[iri] - values[chosen]) <= room))
    return Solution(chosen, tied)


def as_set(iris: Iterable[str], cause: str = "no_member") -> Solution:
    """A set answer; an empty set is a failed premise."""
    found = sorted(set(iris))
    return Solution(found) if found else fails(cause)


def point(lon: float, lat: float) -> dict[str, float]:
    """A point answer."""
    return {"lat": lat, "lon": lon}


def lettered(template: str, solver: Solver, letters: str = "") -> dict[str, Solver]:
    """Register a solver under a template's letters; a template of one sub-template under both its names."""
    if not letters:
        return {template: solver, f"{template}.a": solver}
    return {f"{template}.{letter}": solver for letter in letters}
