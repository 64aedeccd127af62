"""Whether the facts state the geometries that a solver asks for: it is run on made-up facts of the stated aspects."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from multiglobeqa.solver.errors import SolverError
from multiglobeqa.solver.facts import Facts
from multiglobeqa.solver.family import Solver
from multiglobeqa.solver.question import Question

_AT: Final = "https://example.org/"
_CLASS: Final = _AT + "Class"
_GEO: Final = "http://www.opengis.net/ont/geosparql#"
_TYPE: Final = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
_LABEL: Final = "http://www.w3.org/2000/01/rdf-schema#label"
_SHAPES: Final = (
    ("point", "point"),
    ("surface", "point"),
    ("line", "point"),
    ("surface", "surface"),
    ("line", "surface"),
)
"""Shapes tried for roles and members."""
_MEMBERS: Final = 3
_NUMBERS: Final = {
    "resolution": 7,
    "level": 1,
    "rank": 1,
    "winds": 8,
    "epsilon_km": 1.0,
    "v1_km": 1.0,
    "v2_km": 10.0,
}
_TEXTS: Final = {"class_iri": _CLASS, "class": "city", "system": "h3", "precision": "day"}


def geometries_missing(
    solver: Solver, row: Mapping[str, Any], facts: Mapping[str, Iterable[str]], columns: Iterable[str] = ()
) -> set[str]:
    """The groups (roles, "members") whose geometry the solver asks for and the facts do not state.

    ``row``: id, kgs, format, roles, params of a sub-template. ``facts``: group -> aspects. ``columns``: the p_ columns
    of its SQL. Made-up facts may suit no solver; only the complaint about a missing geometry counts.
    """
    bare = {group for group in (*row["roles"], "members") if "geometry" not in (facts.get(group) or ())}
    found: set[str] = set()
    for role_shape, member_shape in _SHAPES if bare else ():
        try:
            solver(
                _question(row, columns),
                Facts(_triples(list(row["roles"]), bare, role_shape, member_shape), "check"),
            )
        except SolverError as error:
            name = str(error.place).removeprefix(_AT)
            if "geometry" in error.what:
                found.add(name if name in row["roles"] else "members")
        except Exception:  # a solver may stumble over made-up facts
            continue
    return found & bare


def is_stub(solver: Solver, row: Mapping[str, Any]) -> bool:
    """Whether the solver raises NotImplementedError."""
    try:
        solver(_question(row, ()), Facts([], "check"))
    except NotImplementedError:
        return True
    except Exception:  # no fact is stated
        return False
    return False


def _question(row: Mapping[str, Any], columns: Iterable[str]) -> Question:
    return Question(
        {
            "subtemplate": row["id"],
            "kg": row["kgs"][0] if row.get("kgs") else "osmh3kg",
            "format": row["format"],
            "roles": {role: _AT + role for role in row["roles"]},
            "params": _params(row.get("params") or {}, columns),
        }
    )


def _params(params: Mapping[str, Any], columns: Iterable[str]) -> dict[str, Any]:
    out = dict(params)
    for column in columns:
        name = column.removeprefix("p_")
        if name not in out:
            out[name] = _NUMBERS.get(name, _TEXTS.get(name, 10.0 if re.search(r"_(km|deg)$", name) else "x"))
    if "class" in out:
        out["class_iri"] = _CLASS
    if "classes" in out:
        out |= {"classes": ["city"], "class_iris": [_CLASS]}
    return out


def _triples(roles: list[str], bare: set[str], role_shape: str, member_shape: str) -> list[str]:
    lines: list[str] = []
    members = [f"member{k}" for k in range(_MEMBERS)]
    for place, name in enumerate([*roles, *members]):
        shape = role_shape if name in roles else member_shape
        iri = f"<{_AT}{name}>"
        kind = _CLASS if name in members else _AT + "Other"
        lines += [
            f"{iri} <{_TYPE}> <{kind}> .",
            f'{iri} <{_LABEL}> "{name}" .',
        ]
        if (name if name in roles else "members") not in bare:
            lines += [
                f"{iri} <{_GEO}hasGeometry> <{_AT}{name}#geometry> .",
                f'<{_AT}{name}#geometry> <{_GEO}asWKT> "{_wkt(shape, place)}"^^<{_GEO}wktLiteral> .',
            ]
        if name in members:
            lines += [f"{iri} <{_GEO}sfWithin> <{_AT}{role}> ." for role in roles]
    return lines


def _wkt(shape: str, place: int) -> str:
    x, y = 1.0 + 0.07 * place, 1.0 + 0.03 * place * place
    if shape == "point":
        return f"POINT ({x} {y})"
    if shape == "line":
        return f"LINESTRING ({x} {y}, {x + 0.3} {y + 0.2})"
    size = 0.05 if place else 2.0
    return f"POLYGON (({x} {y}, {x + size} {y}, {x + size} {y + 2 * size}, {x} {y + size}, {x} {y}))"
