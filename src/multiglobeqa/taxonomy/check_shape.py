"""Faults of a sub-template's shape: id, roles, facts, KGs, slips, image, steps, and what the model refuses."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, get_args

from pydantic import ValidationError

from multiglobeqa.taxonomy.document import Fault
from multiglobeqa.taxonomy.model import FACT_ASPECTS, FAMILIES, KG, OPERATOR_NAMES, SubTemplate
from multiglobeqa.taxonomy.subject import Subject

KINDS: Final = ("draw", "partners", "operator", "sql")
_SEE: Final = "See docs/add-a-template.md."
_MAPPING: Final = ("must be a mapping", "Write `key: value`.")
_LIST: Final = ("must be a list", "Write [..], or lines that begin with a dash.")
_NUMBER: Final = ("must be a whole number", "Write digits alone.")
_TOLD: Final = {
    "missing": ("is missing", "Add it."),
    "extra_forbidden": ("is no key that a template has", "Take it out, or mend its name."),
    "dict_type": _MAPPING,
    "model_type": _MAPPING,
    "tuple_type": _LIST,
    "string_type": ("must be a text", "Write it, in quotes where it holds a colon, braces or digits alone."),
    "int_type": _NUMBER,
    "int_parsing": _NUMBER,
}
"""What the model's kinds of error are called, and how each is mended."""
_STRUCTURE: Final = ("dict_type", "model_type", "tuple_type", "string_type")


def shape_faults(sub: Subject) -> Iterator[Fault]:
    """What is wrong with names and structure, each at its own line."""
    if not re.fullmatch(r"[A-N]\d\d(\.[a-z])?", sub.id):
        yield sub.fault(
            sub.line(),
            f"{sub.id!r} is no id.",
            f"A family {next(iter(FAMILIES))} to N, two digits, a letter.",
        )
    roles = ", ".join(sub.roles)
    for key in ("anchor", "scope"):
        if (value := sub.row.get(key)) is not None and value not in sub.roles:
            yield sub.fault(sub.line(key), f"{key} {value!r} is no role.", f"Roles: {roles}.")
    for kg in sub.row.get("kgs", ()):
        if kg not in get_args(KG):
            yield sub.fault(sub.line("kgs"), f"{kg!r} is no KG.", f"Known: {', '.join(get_args(KG))}.")
    if "kgs" in sub.row and not sub.row["kgs"]:
        yield sub.fault(sub.line("kgs"), "kgs is empty.", f"Known: {', '.join(get_args(KG))}.")
    yield from _facts(sub, sub.row.get("facts") or {}, "facts")
    if isinstance(sub.variant.get("facts"), dict):
        yield from _facts(sub, sub.variant["facts"], "false_premise", "facts")
    for role in sub.roles:
        if "facts" in sub.row and role not in sub.row["facts"]:
            yield sub.fault(
                sub.line("facts"),
                f"the role {role} has no facts.",
                f"Add {role}: [type, label, ...] to facts.",
            )
    for name, named in (sub.row.get("slips") or {}).items():
        for role in named if isinstance(named, list) else ():
            if role not in sub.roles:
                yield sub.fault(
                    sub.line("slips", name),
                    f"slip {name!r} names {role!r}, which is no role.",
                    f"Roles: {roles}.",
                )
    for key in ("set_size", "count_range"):
        match sub.row.get(key):
            case [int() as least, int() as most] if not 0 <= least <= most:
                yield sub.fault(
                    sub.line(key), f"{key} is no range: {least} to {most}.", "Write [least, most]."
                )
    yield from _image(sub)
    yield from _steps(sub, sub.raw_steps, sub.row.get("steps"), "steps")
    yield from _steps(sub, sub.false_steps, sub.variant.get("steps"), "false_premise", "steps")


def missing_files(sub: Subject) -> Iterator[Fault]:
    """The SQL files that are not there."""
    wanted = [("sql_file", sub.sql_path)]
    if sub.variant:
        wanted.append(("false_premise", sub.false_path))
    for key, path in wanted:
        if not path.is_file():
            yield sub.fault(
                sub.line(key), f"the SQL file {path.name} is missing.", "Write it beside the YAML."
            )


def type_faults(sub: Subject) -> list[Fault]:
    """Values of a wrong type: what else is wrong can be told only when they are mended."""
    if not isinstance(sub.document.own(sub.letter), dict):
        return [sub.fault(sub.line(), "is no mapping.", "Write `key: value` below the letter.")]
    return [fault for kind, fault in _refused(sub) if kind in _STRUCTURE]


def model_faults(sub: Subject, found: Iterable[Fault]) -> Iterator[Fault]:
    """What the model refuses: keys missing and unknown, values of a wrong type or out of range.

    ``found``: the faults found before. What the model says of the same lines, or of the whole, is among them.
    """
    lines = {fault.line for fault in found if fault.file == sub.path}
    for kind, fault in _refused(sub):
        if fault.line not in lines and not (kind == "value_error" and lines):
            yield fault


def _refused(sub: Subject) -> Iterator[tuple[str, Fault]]:
    try:
        SubTemplate.model_validate(sub.fields())
    except ValidationError as error:
        for one in error.errors():
            keys = tuple(key for key in one["loc"] if key != "[key]")
            told, mend = _TOLD.get(one["type"], (": " + one["msg"].removeprefix("Value error, "), _SEE))
            if one["type"] == "literal_error":
                told, mend = f"must be one of {one['ctx']['expected']}", "Choose one."
            elif len(keys) != len(one["loc"]):
                told, mend = "its name is read as no text", "Put the name in quotes."
            where = ".".join(map(str, keys))
            what = f"{where} {told}".replace(" : ", ": ").removeprefix(": ").strip()
            yield one["type"], sub.fault(sub.line(*keys), f"{what}.", mend)


def _facts(sub: Subject, facts: Mapping[str, Any], *place: str) -> Iterator[Fault]:
    for group, aspects in facts.items():
        if group not in (*sub.roles, "members", "evidence"):
            yield sub.fault(
                sub.line(*place, group), f"facts name {group!r}.", "Name a role, members or evidence."
            )
        for aspect in aspects if isinstance(aspects, list) else ():
            if aspect not in FACT_ASPECTS:
                yield sub.fault(
                    sub.line(*place, group),
                    f"{aspect!r} is no aspect of facts.",
                    f"Known: {', '.join(FACT_ASPECTS)}.",
                )


def _image(sub: Subject) -> Iterator[Fault]:
    image = sub.row.get("image")
    if not image:
        return
    if (role := image.get("role")) is not None and role not in sub.roles:
        yield sub.fault(
            sub.line("image", "role"), f"image: {role!r} is no role.", f"Roles: {', '.join(sub.roles)}."
        )
    drawing = [str(step.get("as")) for step in sub.raw_steps if "draw" in step or "partners" in step]
    named = image.get("steps")
    if isinstance(named, list):
        for step in named:
            if step not in drawing:
                yield sub.fault(
                    sub.line("image", "steps"),
                    f"image: {step!r} is no step that draws.",
                    f"Name draw or partner steps: {', '.join(drawing)}.",
                )
        if not named:
            yield sub.fault(
                sub.line("image", "steps"),
                "image: steps is empty.",
                "Name the steps kept to pictured entities.",
            )


def _steps(sub: Subject, steps: list[dict[str, Any]], said: Any, *place: str) -> Iterator[Fault]:
    named: dict[str, int] = {}
    for number, step in enumerate(steps):
        if not isinstance(said[number], dict):
            continue  # the model says so
        at = sub.line(*place, number)
        yield from _step(sub, step, at)
        name = str(step.get("as"))
        if name in named:
            yield sub.fault(
                at, f"two steps have the name {name}; the other stands in line {named[name]}.", "Rename one."
            )
        named.setdefault(name, at)


def _step(sub: Subject, step: Mapping[str, Any], at: int) -> Iterator[Fault]:
    kinds = [kind for kind in KINDS if step.get(kind) is not None]
    name = step.get("as")
    if not re.fullmatch(r"[a-z][a-z0-9_]*", str(name)):
        yield sub.fault(
            at, f"a step has the name {name!r}.", "Give it `as: name`, small letters and underscores."
        )
    if len(kinds) != 1:
        yield sub.fault(
            at, f"step {name} has {', '.join(kinds) or 'none'} of {', '.join(KINDS)}.", "Give it one."
        )
    for kind in kinds:
        if isinstance(step[kind], str) and not step[kind].strip():
            yield sub.fault(at, f"step {name}: {kind} is empty.", "Write it.")
    for key in ("per_cell", "count"):
        if isinstance(step.get(key), int) and step[key] < 1:
            yield sub.fault(at, f"step {name}: {key} is {step[key]}.", "Write 1 or more.")
    if step.get("same") == []:
        yield sub.fault(at, f"step {name}: same is empty.", "Name a column of entity, such as country.")
    if "partners" in kinds and step.get("of") is None:
        yield sub.fault(at, f"step {name}: partners without `of`.", "Name the table whose rows get partners.")
    if "operator" in kinds and step["operator"] not in OPERATOR_NAMES:
        yield sub.fault(
            at, f"step {name}: unknown operator {step['operator']!r}.", f"Known: {', '.join(OPERATOR_NAMES)}."
        )
