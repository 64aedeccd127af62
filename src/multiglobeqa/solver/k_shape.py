"""K: shape."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from multiglobeqa.solver import geodesy, plane
from multiglobeqa.solver.facts import Facts
from multiglobeqa.solver.family import Solver
from multiglobeqa.solver.question import Question, Solution


def compactness(surface: BaseGeometry) -> float:
    """Polsby-Popper: 4·pi·area/perimeter², 1 = a disc (Polsby and Popper 1991)."""
    return 4 * np.pi * geodesy.area(surface) / geodesy.perimeter(surface) ** 2


def compare(q: Question, f: Facts, *, measure: Callable[[BaseGeometry], float], more: bool) -> Solution:
    """K01, K02, K03: whether A has more, or less, of a measure than B."""
    a, b = measure(f.surface(q.role("A"))), measure(f.surface(q.role("B")))
    return Solution(a > b if more else a < b)


def outer_length(q: Question, f: Facts) -> Solution:
    """K04.a: the perimeter of A, holes included."""
    return Solution(geodesy.perimeter(f.surface(q.role("A"))))


def line_length(q: Question, f: Facts) -> Solution:
    """K04.b: the length of A."""
    return Solution(geodesy.length(f.line(q.role("A"))))


def shape_index(flat: BaseGeometry) -> float:
    """P / (2·sqrt(pi·A)), 1 = a disc."""
    return float(flat.length / (2 * np.sqrt(np.pi * flat.area)))


def circularity(flat: BaseGeometry) -> float:
    """4·pi·A / P², 1 = a disc."""
    return float(4 * np.pi * flat.area / flat.length**2)


def convexity(flat: BaseGeometry) -> float:
    """Area over the area of the convex hull."""
    return float(flat.area / shapely.convex_hull(flat).area)


def boundary_excess(flat: BaseGeometry) -> float:
    """Perimeter over the perimeter of the convex hull, less 1."""
    return float(flat.length / shapely.convex_hull(flat).length - 1)


METRICS = {"a": shape_index, "b": circularity, "c": convexity, "d": boundary_excess}


def irregularity(q: Question, f: Facts, *, letter: str) -> Solution:
    """K05: a shape metric of A after Douglas-Peucker at ``scale_km``, on the local plane, holes included."""
    metric = METRICS[letter]
    q.agrees("metric", metric.__name__)
    surface = f.surface(q.role("A"))
    flat = plane.simplify(surface, plane.plane_of(surface), q.number("scale_km"))
    if shapely.is_empty(flat) or not shapely.is_valid(flat):
        raise q.error("The simplified shape is not valid.", q.role("A"), "Discard it.")
    return Solution(metric(flat))


SOLVERS: dict[str, Solver] = {
    "K01.a": partial(compare, measure=geodesy.area, more=True),
    "K01.b": partial(compare, measure=geodesy.area, more=False),
    "K02.a": partial(compare, measure=compactness, more=True),
    "K02.b": partial(compare, measure=compactness, more=False),
    "K03.a": partial(compare, measure=plane.elongation, more=True),
    "K03.b": partial(compare, measure=plane.elongation, more=False),
    "K04.a": outer_length,
    "K04.b": line_length,
    **{f"K05.{letter}": partial(irregularity, letter=letter) for letter in METRICS},
}
