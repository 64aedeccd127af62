"""From a candidate row to a gold answer, and the checks every gold answer must pass (TAXONOMY rules 6, 7, 11)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final

from multiglobeqa.taxonomy.model import SubTemplate

DISTANCE_FLOOR_KM: Final = 2.0
AREA_FLOOR_KM2: Final = 5.0
DISTANCE_CEILING_KM: Final = 20_004.0
_DECIMALS: Final = {"distance": 6, "area": 6, "ratio": 6, "count": 0}
_COORDINATE_DECIMALS: Final = 7

ID_FORMATS: Final = ("entity", "set")
"""Formats whose gold is entities: the SQL returns ``answer_ids``."""

QUESTION_TYPES: Final = {
    "boolean": "boolean",
    "entity": "entity",
    "label": "categorical",
    "set": "enumeration",
    "cell": "grid",
    "geohash": "grid",
    "composite": "grid",
    "distance": "numeric",
    "area": "numeric",
    "count": "numeric",
    "ratio": "numeric",
    "point": "geometric",
    "polar": "geometric",
    "polygon": "geometric",
    "date": "temporal",
}


@dataclass
class Instance:
    """One candidate tuple with its gold answer, before and after it becomes a question.

    ``roles``, ``answer_ids``, ``members`` and ``evidence`` are entity ids of the engine. ``gold`` is the canonical
    answer; for formats entity and set it is filled when the entities are named. ``slips``: what mistakes would
    answer, entities by id; those in ``binding`` must lie outside the tolerance (TAXONOMY rule 11).
    ``base``: the true instance from which a false premise was made, None where the premise holds. ``surface``: what a
    reader sees of the question (`build.premises`), of sub-templates with false premises. ``question``: the question
    row, once written, and ``values`` what filled its wording.
    """

    sub: SubTemplate
    row: dict[str, Any]
    roles: dict[str, int]
    params: dict[str, Any]
    gold: Any = None
    answer_ids: list[int] = field(default_factory=list)
    members: list[int] = field(default_factory=list)
    evidence: list[int] = field(default_factory=list)
    slips: dict[str, Any] = field(default_factory=dict)
    binding: set[str] = field(default_factory=set)
    pick: str = ""
    base: Instance | None = None
    surface: frozenset[tuple[str, ...]] = frozenset()
    question: dict[str, Any] | None = None
    values: dict[str, str] = field(default_factory=dict)

    @property
    def facts(self) -> dict[str, tuple[str, ...]]:
        """Groups of entities and the aspects of them that the facts state."""
        variant = self.sub.false_premise
        return {**self.sub.facts, **variant.facts} if self.base is not None and variant else self.sub.facts

    @property
    def cell(self) -> str:
        """The stratum cell of the anchor, "LIC/low"."""
        return str(self.row["_cell"])

    @property
    def balance_key(self) -> str:
        """What a constant answer would have to be to match this one."""
        if self.sub.format in ID_FORMATS:
            return ",".join(str(i) for i in sorted(self.answer_ids))
        return str(self.gold)

    def entity_ids(self) -> list[int]:
        """All entities of the question: roles, answers, members, evidence; each once."""
        return list(dict.fromkeys([*self.roles.values(), *self.answer_ids, *self.members, *self.evidence]))


def instance(
    sub: SubTemplate, row: dict[str, Any], strata: Mapping[int, str | None] | None = None
) -> tuple[Instance | None, str | None]:
    """The instance of a row, or the cause why the row is discarded.

    ``strata``: stratum cell of the places among the entities (events are left out): all places of a tuple must
    lie in the anchor's cell (TAXONOMY rule 15).
    """
    if row.get("discard") is not None:
        return None, str(row["discard"])
    roles, cause = _roles(sub, row, strata)
    if cause is not None:
        return None, cause
    listed, members = _ids(row.get("answer_ids")), _ids(row.get("members"))
    if (
        sub.format not in ID_FORMATS
    ):  # a count's query may be its set's: what it lists are the members counted
        listed, members = [], [*members, *listed]
    found = Instance(
        sub=sub,
        row=row,
        roles=roles,
        params=params_of(row),
        answer_ids=_in_order(sub, listed),
        members=sorted(members),
        evidence=sorted(_ids(row.get("evidence"))),
        slips=_slips(sub, row),
        binding=set(_slip_names(sub, row, "slip_")),
    )
    found.gold = None if sub.format in ID_FORMATS else _value(sub, row)
    return (found, None) if (cause := _fault(found)) is None else (None, cause)


def false_instance(
    sub: SubTemplate, row: dict[str, Any], base: Instance, strata: Mapping[int, str | None] | None = None
) -> tuple[Instance | None, str | None]:
    """The instance of a false-premise row, or the cause why the row is discarded.

    Parameters that the row does not state are those of ``base``, the true instance it was made of. A row that changes
    nothing is discarded.
    """
    if row.get("discard") is not None:
        return None, str(row["discard"])
    roles, cause = _roles(sub, row, strata)
    if cause is not None:
        return None, cause
    params = {**base.params, **params_of(row)}
    if roles == base.roles and params == base.params:
        return None, "same_as_the_true_question"
    found = Instance(
        sub=sub,
        row=row,
        roles=roles,
        params=params,
        members=sorted(_ids(row.get("members"))),
        evidence=sorted(_ids(row.get("evidence"))),
        base=base,
    )
    return found, None


def _roles(
    sub: SubTemplate, row: dict[str, Any], strata: Mapping[int, str | None] | None
) -> tuple[dict[str, int], str | None]:
    """The roles' entities, and the cause why they cannot be asked together."""
    roles = {role: row[role] for role in sub.roles}
    if any(value is None for value in roles.values()):
        return roles, "role_missing"
    if len(set(roles.values())) < len(roles):
        return roles, "same_entity_twice"
    if strata is not None and any(strata.get(role, row["_cell"]) != row["_cell"] for role in roles.values()):
        return roles, "roles_in_other_strata"
    return roles, None


_PARTS: Final = {
    "point": ("lat", "lon"),
    "polar": ("azimuth_deg", "distance_km"),
    "composite": ("h3", "s2"),
    "polygon": ("west", "south", "east", "north"),
}
"""Formats whose values are objects, and their keys: a slip's columns are slip_<name>_<key>."""


def _slip_names(sub: SubTemplate, row: dict[str, Any], prefix: str) -> list[str]:
    names = [k.removeprefix(prefix) for k, v in row.items() if k.startswith(prefix) and v is not None]
    parts = _PARTS.get(sub.format)
    if parts is None:
        return names
    return list(
        dict.fromkeys(
            name.removesuffix(f"_{key}") for name in names for key in parts if name.endswith(f"_{key}")
        )
    )


def _slips(sub: SubTemplate, row: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for prefix in ("slip_", "hint_"):
        for name in _slip_names(sub, row, prefix):
            keys = _PARTS.get(sub.format)
            if sub.format in ID_FORMATS:
                found[name] = _ids(row[prefix + name])
            elif keys is None:
                value = _plain(row[prefix + name])
                found[name] = round(value) if sub.format == "count" else value
            else:
                found[name] = {key: _plain(row.get(f"{prefix}{name}_{key}")) for key in keys}
    return found


def _in_order(sub: SubTemplate, ids: list[int]) -> list[int]:
    """Sets have no order of their own: an engine's may differ from run to run. An entity answer leads its ties."""
    return ids if sub.format == "entity" else sorted(ids)


def params_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """The question parameters of a candidate row, as JSON holds them: its columns ``p_<name>``."""
    return {k.removeprefix("p_"): _plain(v) for k, v in row.items() if k.startswith("p_")}


def _plain(value: Any) -> Any:
    """A parameter as JSON holds it; lists are sets of the query and get one order."""
    if isinstance(value, Decimal):
        return float(value)
    return sorted(value) if isinstance(value, list) else value


def _ids(value: Any) -> list[int]:
    """A column of ids: null, one id, or a list of ids (nulls left out, each once)."""
    if value is None:
        return []
    return list(dict.fromkeys(i for i in value if i is not None)) if isinstance(value, list) else [int(value)]


def _value(sub: SubTemplate, row: dict[str, Any]) -> Any:
    """The canonical answer: ``answer``, or an object of the columns ``answer_<key>``."""
    if "answer" in row:
        value = row["answer"]
        if value is not None and sub.format in _DECIMALS and math.isfinite(value):
            value = round(float(value), _DECIMALS[sub.format])
            return int(value) if sub.format == "count" else value
        return value
    parts = {
        k.removeprefix("answer_"): v for k, v in row.items() if k.startswith("answer_") and k != "answer_ids"
    }
    return {
        k: round(v, _COORDINATE_DECIMALS) if isinstance(v, float) else v for k, v in sorted(parts.items())
    }


def _fault(found: Instance) -> str | None:
    sub, gold = found.sub, found.gold
    if sub.format in ID_FORMATS:
        return _entity_fault(found)
    values = list(gold.values()) if isinstance(gold, dict) else [gold]
    if not values or any(v is None for v in values):
        return "no_answer"
    if any(isinstance(v, float) and not math.isfinite(v) for v in values):
        return "not_a_number"
    if sub.format == "count" and sub.count_range is not None:
        low, high = sub.count_range
        if not low <= gold <= high:
            return f"count_outside_{low}_to_{high}"
    return _size_fault(sub, gold)


def _entity_fault(found: Instance) -> str | None:
    size = len(found.answer_ids)
    if not size:
        return "no_answer"
    if found.sub.format == "set":
        low, high = found.sub.set_size
        if not low <= size <= high:
            return f"set_outside_{low}_to_{high}"
    return None


def _size_fault(sub: SubTemplate, gold: Any) -> str | None:
    distance = (
        gold if sub.format == "distance" else gold.get("distance_km") if sub.format == "polar" else None
    )
    if distance is not None:
        if distance > DISTANCE_CEILING_KM:
            return "distance_above_20004_km"
        if sub.floor and distance < DISTANCE_FLOOR_KM:
            return "distance_below_2_km"
    if sub.format == "area" and sub.floor and gold < AREA_FLOOR_KM2:
        return "area_below_5_km2"
    return None
