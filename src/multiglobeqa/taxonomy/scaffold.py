"""A new template's four files, to be filled in (``mgqa templates new``)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final, get_args

from multiglobeqa.errors import InputError
from multiglobeqa.taxonomy.model import FAMILIES, Format

KINDS: Final = {"point": "a point entity", "line": "a line", "surface": "a surface"}
_UNITS: Final = {"distance": "km", "area": "km2"}
_ANSWERS: Final = {
    "boolean": "CAST(NULL AS BOOLEAN) AS answer",
    "entity": "CAST(NULL AS BIGINT) AS answer_ids",
    "set": "CAST(NULL AS BIGINT) AS answer_ids",
    "distance": "CAST(NULL AS DOUBLE) AS answer",
    "area": "CAST(NULL AS DOUBLE) AS answer",
    "ratio": "CAST(NULL AS DOUBLE) AS answer",
    "count": "CAST(NULL AS BIGINT) AS answer",
    "point": "CAST(NULL AS DOUBLE) AS answer_lat, CAST(NULL AS DOUBLE) AS answer_lon",
    "polar": "CAST(NULL AS DOUBLE) AS answer_azimuth_deg, CAST(NULL AS DOUBLE) AS answer_distance_km",
    "polygon": "CAST(NULL AS DOUBLE) AS answer_west, CAST(NULL AS DOUBLE) AS answer_south, "
    "CAST(NULL AS DOUBLE) AS answer_east, CAST(NULL AS DOUBLE) AS answer_north",
    "composite": "CAST(NULL AS STRING) AS answer_h3, CAST(NULL AS STRING) AS answer_s2",
}
"""Format -> the SQL's answer columns; of other formats one text."""


@dataclass(frozen=True)
class Plan:
    """What the new template is. ``roles``: role -> kind of geometry."""

    template: str
    title: str
    format: str
    roles: dict[str, str]

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[A-N]\d\d", self.template):
            raise InputError(
                f"{self.template!r} is no template id.",
                mend=f"A family ({', '.join(FAMILIES)}) and two digits: A99.",
            )
        if self.format not in get_args(Format):
            raise InputError(
                f"there is no format {self.format!r}.", mend=f"Known: {', '.join(get_args(Format))}."
            )
        if not self.roles:
            raise InputError("a template needs a role.", mend="--roles A:point,B:surface")


def read_roles(text: str) -> dict[str, str]:
    """``A:point,B:surface`` as role -> kind. Raises InputError for another form."""
    roles: dict[str, str] = {}
    for part in text.split(","):
        role, _, kind = part.strip().partition(":")
        if not re.fullmatch(r"[A-Z]", role) or kind not in KINDS or role in roles:
            raise InputError(
                f"{part.strip()!r} is no role.",
                mend=f"A capital letter once, a colon, one of {', '.join(KINDS)}.",
            )
        roles[role] = kind
    return roles


def write(plan: Plan, out: Path) -> list[Path]:
    """Write YAML, SQL, solver and golden case below ``out``; the files. Raises InputError where one exists."""
    folder = out / plan.template[0]
    name = plan.template
    contents = {
        folder / f"{name}.yaml": _yaml(plan),
        folder / f"{name}.sql": _sql(plan),
        folder / f"{name.lower()}_solver.py": _solver(plan),
        folder / "golden" / f"{name}.yaml": _case(plan),
    }
    for file in contents:
        if file.exists():
            raise InputError("is there already.", source=file, mend="Choose another id or --out.")
    for file, text in contents.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    return list(contents)


def _condition(kind: str) -> str:
    return f"kind = '{kind}' AND time_start IS NULL" + ("" if kind == "point" else " AND covered")


def _yaml(plan: Plan) -> str:
    roles = list(plan.roles)
    first, others = roles[0], roles[1:]
    unit = f"unit: {_UNITS[plan.format]}\n" if plan.format in _UNITS else ""
    steps = [f'      - {{as: {first.lower()}, draw: "{_condition(plan.roles[first])}", per_cell: 120}}']
    steps += [
        f"      - {{as: {first.lower()}{role.lower()}, of: {first.lower()}, "
        f'partners: "{_condition(plan.roles[role])}", '
        "same: [cell, country, extent]}"
        for role in others
    ]
    named = " and ".join(f"{{{role}}}" for role in roles)
    return (
        f"template: {plan.template}\n"
        f"title: {_quoted(plan.title)}\n"
        f"format: {plan.format}\n{unit}"
        "depth: relation  # fact: one entity; relation: several; compound: a search and a measure\n"
        "kgs: [osmh3kg, worldkg, knowwheregraph]\n"
        f"roles: {{{', '.join(f'{role}: {KINDS[kind]}' for role, kind in plan.roles.items())}}}\n"
        f"anchor: {first}  # the role whose place decides the stratum\n"
        f"facts: {{{', '.join(f'{role}: [type, label, geometry]' for role in roles)}}}\n"
        "empty: no candidate  # TODO say what is missing where a stratum has no question\n"
        "subtemplates:\n"
        "  a:\n"
        "    steps:\n" + "\n".join(steps) + "\n"
        f"      # TODO the operator that measures (docs/engine.md), such as\n"
        f"      # - {{as: m, operator: measure, args: {{ids: {first.lower()}, of: [area_km2]}}}}\n"
        "    paraphrases:\n"
        f'      - "TODO {named}?"\n'
    )


def _sql(plan: Plan) -> str:
    roles = list(plan.roles)
    first, others = roles[0].lower(), [role.lower() for role in roles[1:]]
    answer = _ANSWERS.get(plan.format, "CAST(NULL AS STRING) AS answer")
    columns = [f"{first}.id AS {roles[0]}", *(f"{first}{o}.right_id AS {o.upper()}" for o in others)]
    joins = "".join(f"\nJOIN {first}{o} ON {first}{o}.left_id = {first}.id" for o in others)
    return (
        "-- one row a candidate: the roles' ids, the answer, and why it is thrown away (null: it is kept)\n"
        f"SELECT {', '.join(columns)},\n"
        f"       {answer},  -- TODO\n"
        "       CASE WHEN false THEN 'too_close_to_call' END AS discard  -- TODO\n"
        f"FROM {first}{joins}\n"
    )


def _solver(plan: Plan) -> str:
    function = plan.template.lower()
    return (
        f'"""{plan.template}: {plan.title}. Solved from the facts alone, without the SQL."""\n\n'
        "from __future__ import annotations\n\n"
        "from multiglobeqa.solver import Facts, Question, Solution\n\n\n"
        f"def {function}(q: Question, f: Facts) -> Solution:\n"
        '    """TODO: what is computed, and how."""\n'
        f'    raise NotImplementedError("{plan.template}.a")\n\n\n'
        f'SOLVERS = {{"{plan.template}.a": {function}}}\n'
    )


def _case(plan: Plan) -> str:
    roles = ", ".join(f"{role}: TODO" for role in plan.roles)
    return (
        "# entities by name, and the answer found by other means: a map, a table, a calculation by hand\n"
        f"- {{sub: {plan.template}.a, kg: knowwheregraph, roles: {{{roles}}}, answer: TODO}}\n"
    )


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
