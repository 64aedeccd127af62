"""The model of a sub-template."""

from __future__ import annotations

import re
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

FAMILIES: Final = {
    "A": "Metric distance and proximity",
    "B": "Metric containment",
    "C": "Topological relationships",
    "D": "Network and path",
    "E": "Containment and administrative hierarchy",
    "F": "Comparison and ordering",
    "G": "Centrality",
    "H": "Grid and indexing",
    "I": "Spatio-temporal events",
    "J": "Direction",
    "K": "Shape",
    "L": "Uncertainty",
    "M": "Transformation",
    "N": "Reference",
}

CLUSTERS: Final = {
    "Metric": ("A", "B"),
    "Topology and hierarchy": ("C", "D", "E"),
    "Comparison": ("F",),
    "Events": ("I",),
    "Direction, shape, uncertainty": ("J", "K", "L"),
    "Centrality, grid, transformation, reference": ("G", "H", "M", "N"),
}
"""The families by what kind of reasoning they ask for; each family belongs to one cluster."""

OPERATOR_NAMES: Final = (
    "within_distance",
    "nearest",
    "topology",
    "pair",
    "boundary_distance",
    "measure",
    "cells",
    "hierarchy",
    "population",
)
"""The operators a template may name; the engine implements exactly these (a test compares the two)."""

FACT_ASPECTS: Final = (
    "type",
    "label",
    "geometry",
    "outline",
    "parent",
    "chain",
    "cell",
    "time",
    "fixes",
    "track",
    "border",
    "density",
    "people",
)
"""What may be said of an entity; outline: its geometry, where no member's parents are known; chain: its parents
up to the scope; track: a storm's fixes in the period asked,
without winds; density and people: the cells of a table or raster round it."""

KG = Literal["osmh3kg", "worldkg", "knowwheregraph"]
Format = Literal[
    "boolean",
    "entity",
    "label",
    "set",
    "cell",
    "geohash",
    "composite",
    "distance",
    "area",
    "count",
    "ratio",
    "point",
    "polar",
    "polygon",
    "date",
]

_PLACEHOLDER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")


class Strict(BaseModel):
    """Unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Step(Strict):
    """One step that makes a temporary table. Exactly one of draw, partners, operator, sql.

    draw: SQL condition on ``entity``; up to ``per_cell`` entities a stratum cell, in a seeded order in which
        countries and then classes take turns. Columns id, cell, country, class, kind, layer, n.
    partners: SQL condition; for each row of ``of`` (column id) up to ``count`` other entities that agree with it
        in the columns ``same``. Columns left_id, right_id.
    operator: an operator's name, its arguments in ``args``.
    sql: a SELECT.
    """

    name: str = Field(alias="as", pattern=r"^[a-z][a-z0-9_]*$")
    draw: str | None = None
    per_cell: int = 150
    partners: str | None = None
    of: str | None = None
    same: tuple[str, ...] = ("cell", "country")
    count: int = 1
    operator: str | None = None
    args: dict[str, Any] = Field(default_factory=dict)
    sql: str | None = None

    @model_validator(mode="after")
    def _one_kind(self) -> Step:
        kinds = [k for k in ("draw", "partners", "operator", "sql") if getattr(self, k) is not None]
        if len(kinds) != 1:
            raise ValueError(
                f"step {self.name!r} needs exactly one of draw, partners, operator, sql; has {kinds}"
            )
        if self.partners is not None and self.of is None:
            raise ValueError(f"step {self.name!r}: partners needs `of`, the table whose rows get partners")
        if self.operator is not None and self.operator not in OPERATOR_NAMES:
            raise ValueError(
                f"step {self.name!r} names the unknown operator {self.operator!r}; known: {', '.join(OPERATOR_NAMES)}"
            )
        return self


class FalsePremise(Strict):
    """How a false-premise variant is made of the released true questions of its sub-template (TAXONOMY rule 9).

    ``steps`` may read the table ``base`` (base_id, the roles' ids, p_<param>) and the tables of the sub-template's own
    steps. ``sql`` returns base_id, the roles, the p_ columns that change, ``evidence`` and ``discard``. ``failure`` is
    the word with which the solver says which premise fails. ``facts`` replaces groups of the sub-template's.
    """

    failure: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    facts: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    steps: tuple[Step, ...] = ()
    sql: str


class Picture(Strict):
    """Which role a picture may stand for, and which draw or partner steps then keep to pictured entities."""

    role: str
    steps: tuple[str, ...]


class SubTemplate(Strict):
    """One sub-template: what is asked, how candidates are computed, and how it is worded.

    ``roles`` name the entities that stand in the wording; the SQL returns their ids in columns of the same
    names, the answer in ``answer`` (or ``answer_<part>`` for composite values), entity answers as id lists in
    ``answer_ids``, members of a class in ``members``, further entities the facts need in ``evidence``,
    question parameters in ``p_<name>``, what mistakes would answer in ``slip_<name>`` and ``hint_<name>`` (rule 11),
    and the cause in ``discard`` (null = keep). ``slips`` names mistakes computed from the geometries of roles.
    ``params`` belong to the question and stand in its row; ``bind`` only fills the wording, the steps and the SQL.
    ``stratified: false`` marks templates without a place role (events), which belong to no stratum.
    """

    id: str = Field(pattern=r"^[A-N]\d\d(\.[a-z])?$")
    family: str
    template: str
    title: str
    format: Format
    unit: str | None = None
    depth: Literal["fact", "relation", "compound"]
    kgs: tuple[KG, ...]
    roles: dict[str, str]
    anchor: str
    params: dict[str, Any] = Field(default_factory=dict)
    bind: dict[str, Any] = Field(default_factory=dict)
    facts: dict[str, tuple[str, ...]]
    scope: str | None = None
    steps: tuple[Step, ...]
    sql: str
    paraphrases: tuple[str, ...] = Field(min_length=1, max_length=5)
    scale_hint: str | None = None
    set_size: tuple[int, int] = (1, 30)
    count_range: tuple[int, int] | None = (1, 20)
    floor: bool = True
    stratified: bool = True
    constant_cap: bool = True
    empty: str = "no tuple satisfies the template"
    slips: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    false_premise: FalsePremise | None = None
    image: Picture | None = None
    source: str
    sha256: str

    @model_validator(mode="after")
    def _consistent(self) -> SubTemplate:
        if self.anchor not in self.roles:
            raise ValueError(f"anchor {self.anchor!r} is no role; roles: {', '.join(self.roles)}")
        if self.scope is not None and self.scope not in self.roles:
            raise ValueError(f"scope {self.scope!r} is no role; roles: {', '.join(self.roles)}")
        known = {*self.roles, "members", "evidence"}
        for group, aspects in self.facts.items():
            if group not in known:
                raise ValueError(f"facts name {group!r}, which is no role, members or evidence")
            if unknown := set(aspects) - set(FACT_ASPECTS):
                raise ValueError(f"facts of {group} name unknown aspects {sorted(unknown)}")
        if missing := set(self.roles) - set(self.facts):
            raise ValueError(f"roles without facts: {', '.join(sorted(missing))}")
        self._check_variants(known)
        self._check_wording()
        return self

    def _check_variants(self, known: set[str]) -> None:
        for name, roles in self.slips.items():
            if unknown := set(roles) - set(self.roles):
                raise ValueError(f"slip {name!r} names {sorted(unknown)[0]!r}, which is no role")
        if self.false_premise is not None:
            for group, aspects in self.false_premise.facts.items():
                if group not in known:
                    raise ValueError(
                        f"false_premise: facts name {group!r}, which is no role, members or evidence"
                    )
                if unknown := set(aspects) - set(FACT_ASPECTS):
                    raise ValueError(
                        f"false_premise: facts of {group} name unknown aspects {sorted(unknown)}"
                    )
        if self.image is not None:
            if self.image.role not in self.roles:
                raise ValueError(f"image: {self.image.role!r} is no role; roles: {', '.join(self.roles)}")
            drawing = {step.name for step in self.steps if step.draw is not None or step.partners is not None}
            if not self.image.steps or set(self.image.steps) - drawing:
                raise ValueError(
                    f"image: steps must name draw or partner steps ({', '.join(sorted(drawing))})"
                )

    def _check_wording(self) -> None:
        columns = set(re.findall(r"\bp_([a-z0-9_]+)", self.sql))
        words = {"class_singular", "class_plural"} if columns & {"class", "classes"} else set()
        words |= {"target_singular", "target_plural"} if "target_class" in columns else set()
        fillable = {*self.roles, *self.params, *self.bind, *columns, *words}
        if len(set(self.paraphrases)) != len(self.paraphrases):
            raise ValueError("two paraphrases are alike")
        for text in (*self.paraphrases, *([self.scale_hint] if self.scale_hint else [])):
            used = _PLACEHOLDER.findall(text)
            if unknown := set(used) - fillable:
                raise ValueError(f"no role or parameter fills {{{sorted(unknown)[0]}}} in {text!r}")
            if text in self.paraphrases and (missing := set(self.roles) - set(used)):
                raise ValueError(f"{text!r} does not name the role {sorted(missing)[0]}")


def fill(text: str, values: dict[str, Any]) -> str:
    """Replace ``{name}`` for the names in ``values``; other braces stay."""
    return _PLACEHOLDER.sub(lambda m: str(values[m[1]]) if m[1] in values else m[0], text)
