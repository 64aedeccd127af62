"""Column mappings: which column of another table, or which constant, becomes each of our columns.

A mapping is a YAML file::

    columns:
      question: text                                     # our column: their column
      format: {column: answer_type, values: {Yes/No: boolean, Metres: distance}}
      language: {constant: eng}
      country: {column: iso3, optional: true}            # null where the table has no such column
      premise: {column: answerable, default: true}       # where their value is null
    gold:
      units: {distance: m}
    same_names: false

Values are compared without regard to case and outer spaces; a value that ``values`` does not name is an error.
An empty text counts as null.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from multiglobeqa.answers import FORMATS
from multiglobeqa.build.schema import QUESTION_SCHEMA
from multiglobeqa.errors import InputError
from multiglobeqa.release.tables import TRIPLES

REQUIRED: Final = ("question", "format", "gold", "family")
"""Our columns that a mapping must name; all others have a default."""

COLUMNS: Final = (*QUESTION_SCHEMA.names, TRIPLES)
_NUMERIC: Final = frozenset(("distance", "area", "count", "ratio"))


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Rule(_Strict):
    """Where the values of one of our columns come from."""

    column: str | None = None
    constant: Any = None
    values: dict[str, Any] | None = None
    default: Any = None
    optional: bool = False

    @model_validator(mode="after")
    def _one_source(self) -> Rule:
        if (self.column is None) == (self.constant is None):
            raise ValueError("give either column or constant")
        return self

    @field_validator("values", mode="before")
    @classmethod
    def _keys(cls, values: Any) -> Any:
        """Keys as text: YAML reads ``yes`` and ``1`` as other things."""
        return {folded(key): value for key, value in values.items()} if isinstance(values, dict) else values


class GoldRule(_Strict):
    """How gold answers are written.

    ``canonical``: as JSON text in our canonical form (docs/contracts.md). ``units``: format -> unit of plain numbers,
    where it is not km, km². ``point``: order of two plain numbers. ``separator``: what parts the members of a set that
    is one text.
    """

    canonical: bool = False
    units: dict[str, str] = Field(default_factory=dict)
    point: Literal["latitude_longitude", "longitude_latitude"] = "latitude_longitude"
    separator: str | None = None

    @field_validator("units")
    @classmethod
    def _known(cls, units: dict[str, str]) -> dict[str, str]:
        if wrong := sorted(units.keys() - _NUMERIC):
            raise ValueError(f"{wrong[0]!r} is no format of one number: {', '.join(sorted(_NUMERIC))}")
        return units


class ColumnMapping(_Strict):
    """A mapping file's content. ``same_names``: our columns that are not named are read under their own names."""

    columns: dict[str, Rule] = Field(default_factory=dict)
    gold: GoldRule = GoldRule()
    same_names: bool = False
    licence: str | None = None
    attribution: str | None = None

    @field_validator("columns", mode="before")
    @classmethod
    def _short(cls, columns: Any) -> Any:
        """``question: text`` is short for ``question: {column: text}``."""
        if not isinstance(columns, dict):
            return columns
        if unknown := [name for name in columns if name not in COLUMNS]:
            raise ValueError(f"{unknown[0]!r} is none of our columns: {', '.join(COLUMNS)}")
        return {name: {"column": rule} if isinstance(rule, str) else rule for name, rule in columns.items()}

    @model_validator(mode="after")
    def _complete(self) -> ColumnMapping:
        if not self.same_names and (missing := [name for name in REQUIRED if name not in self.columns]):
            raise ValueError(f"our column {missing[0]!r} is not mapped")
        return self

    def rules(self) -> dict[str, Rule]:
        """Our column -> rule, in the order of the question table; unnamed columns are optional."""
        if not self.same_names:
            return {name: self.columns[name] for name in COLUMNS if name in self.columns}
        return {
            name: self.columns.get(name) or Rule(column=name, optional=name not in REQUIRED)
            for name in COLUMNS
        }


def shipped() -> dict[str, Path]:
    """Name -> file of the mappings that come with the package."""
    folder = Path(str(files("multiglobeqa"))) / "release" / "mappings"
    return {path.stem: path for path in sorted(folder.glob("*.yaml"))}


def read_mapping(source: str | Path) -> ColumnMapping:
    """Read a mapping file, or a shipped one by name. Raises InputError naming the file and the key."""
    path = Path(source)
    if not path.is_file():
        known = shipped()
        if str(source) not in known:
            raise InputError(
                "does not exist.", source=path, mend=f"Name a YAML file, or one of: {', '.join(known)}."
            )
        path = known[str(source)]
    try:
        content = yaml.safe_load(path.read_text("utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        mark = getattr(error, "problem_mark", None)
        place = mark.line + 1 if mark is not None else None
        raise InputError("is not YAML.", source=path, place=place, mend="Mend the line.") from error
    if not isinstance(content, Mapping):
        raise InputError("is no mapping: it has no columns.", source=path, mend="See docs/release.md.")
    try:
        return ColumnMapping.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or None
        raise InputError(
            f"{first['msg']}.", source=path, place=place, mend="See docs/release.md, Another benchmark."
        ) from error


def folded(value: Any) -> str:
    """A value as it is compared: text, without outer spaces and case."""
    return str(value).strip().casefold()


def translate(rule: Rule, value: Any, known: Collection[str] | None = None) -> Any:
    """Our value of their value; an empty text counts as null.

    Raises KeyError for one that ``values`` (or ``known``) does not name.
    """
    if rule.column is None:
        return rule.constant
    if value is None or (isinstance(value, str) and not value.strip()):
        return rule.default
    if rule.values is not None:
        key = folded(value)
        if key not in rule.values:
            if known is not None and key in known:
                return key
            raise KeyError(value)
        return rule.values[key]
    return value


KNOWN_FORMATS: Final = frozenset(FORMATS)
