"""The table of semantic classes: OSM tags and RDF types to the class of an entity.

The table is ``classes.yaml`` beside this file, made to be edited by hand; its head explains the fields. A
fault in it is an InputError that names the line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from multiglobeqa.errors import InputError
from multiglobeqa.kg.schema import KGS

TABLE: Final = Path(__file__).with_name("classes.yaml")
_CONDITION = re.compile(r"(?P<absent>!)?(?P<key>[A-Za-z0-9_:-]+)(?:(?P<op>!?=)(?P<value>[^=&!]+))?")
_LEVEL = re.compile(r"\s*\([^()]*\{level\}[^()]*\)|\s*\{level\}")

Kind = Literal["point", "line", "surface"]


class SemanticClass(BaseModel):
    """One class of entities; fields as in the head of ``classes.yaml``."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    key: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    label: str = Field(min_length=1)
    plural: str = Field(min_length=1)
    kinds: tuple[Kind, ...] = Field(min_length=1)
    osm: tuple[str, ...]
    wkgs: tuple[str, ...] = ()
    kwg: tuple[str, ...] = ()
    rank: int = Field(ge=0, le=1000)
    salient: bool = False
    scale: Literal["venue", "settlement", "region"]
    generic: bool = False
    source: str | None = Field(default=None, min_length=1)

    def type_name(self, kg: str) -> str:
        """Local name of the class in the schema of ``kg``: the first listed, else the key in CamelCase."""
        names = self.kwg if kg == "knowwheregraph" else self.wkgs
        return names[0] if names else "".join(word.capitalize() for word in self.key.split("_"))


@dataclass(frozen=True)
class Condition:
    """One test of one tag: ``op`` is ``=``, ``!=``, ``*`` (any value but ``no``) or ``!`` (key absent)."""

    key: str
    op: str
    value: str

    def holds(self, tags: Mapping[str, str]) -> bool:
        """Whether the tags satisfy the condition; a list ``a;b`` has both values."""
        found = tags.get(self.key)
        if self.op == "!":
            return found is None
        if found is None:
            return self.op == "!="
        if self.op == "*":
            return found != "no"
        equal = found == self.value or (
            ";" in found and self.value in (part.strip() for part in found.split(";"))
        )
        return equal if self.op == "=" else not equal


def parse_pattern(pattern: str) -> tuple[Condition, ...]:
    """The conditions of a tag pattern such as ``natural=water & !water``; ValueError on another form.

    At least one condition asks for a key's presence, and stands first in the result.
    """
    conditions = []
    for text in pattern.split("&"):
        match = _CONDITION.fullmatch(text.strip())
        if match is None or bool(match["absent"]) == bool(match["op"]):
            raise ValueError(
                f"{pattern!r} is not a tag pattern (key=value, key=*, key!=value, !key, joined by &)"
            )
        value = (match["value"] or "").strip()
        op = "!" if match["absent"] else "*" if (match["op"], value) == ("=", "*") else match["op"]
        conditions.append(Condition(match["key"], op, value))
    conditions.sort(key=lambda c: "=*".find(c.op) if c.op in ("=", "*") else 2)
    if conditions[0].op not in ("=", "*"):
        raise ValueError(f"{pattern!r} asks for no tag that must be present")
    return tuple(conditions)


class Classes(Mapping[str, SemanticClass]):
    """The classes by key, in the order of the table.

    ``tag_keys`` are the OSM keys that may give a class: an object without any of them has none. ``condition_keys`` are
    all keys that a pattern asks for ("natural=water & water=lake" names two).
    """

    def __init__(self, classes: list[SemanticClass]) -> None:
        self._classes = {item.key: item for item in classes}
        self._patterns: dict[str, list[tuple[tuple[int, int], SemanticClass, tuple[Condition, ...]]]] = {}
        self._wkgs: dict[str, str] = {}
        self._kwg: dict[str, str] = {}
        for order, item in enumerate(classes):
            for pattern in item.osm:
                conditions = parse_pattern(pattern)
                self._patterns.setdefault(conditions[0].key, []).append(
                    ((item.rank, order), item, conditions)
                )
            self._wkgs |= dict.fromkeys(item.wkgs, item.key)
            self._kwg |= dict.fromkeys(item.kwg, item.key)
        for item in classes:
            self._wkgs.setdefault(item.type_name("worldkg"), item.key)
            self._kwg.setdefault(item.type_name("knowwheregraph"), item.key)
        for rows in self._patterns.values():
            rows.sort(key=lambda row: row[0])
        self.tag_keys: frozenset[str] = frozenset(self._patterns)
        self.condition_keys: frozenset[str] = frozenset(
            condition.key
            for rows in self._patterns.values()
            for *_, conditions in rows
            for condition in conditions
        )

    def __getitem__(self, key: str) -> SemanticClass:
        return self._classes[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._classes)

    def __len__(self) -> int:
        return len(self._classes)

    def of_tags(self, tags: Mapping[str, str], kind: str | None = None) -> str | None:
        """Class of an OSM object: the lowest rank its tags match among classes allowing ``kind``; or None."""
        best: tuple[int, int] | None = None
        winner: str | None = None
        for key in tags:
            for order, item, conditions in self._patterns.get(key, ()):
                if best is not None and order >= best:
                    break
                if (kind is None or kind in item.kinds) and all(c.holds(tags) for c in conditions):
                    best, winner = order, item.key
                    break
        return winner

    def matching(self, tags: Mapping[str, str], kind: str | None = None) -> list[str]:
        """All classes whose patterns the tags match, in the order of the table (`of_tags` names the one that wins)."""
        found = {
            item.key
            for key in tags
            for _, item, conditions in self._patterns.get(key, ())
            if (kind is None or kind in item.kinds) and all(c.holds(tags) for c in conditions)
        }
        return [key for key in self._classes if key in found]

    def of_wkgs(self, name: str, sources: Mapping[str, str] | None = None) -> str | None:
        """Class of a WorldKG type by local name; ``sources`` (see `wkgs_sources`) widens it to every tag."""
        found = self._wkgs.get(name)
        if found is None and sources is not None and name in sources:
            key, _, value = sources[name].partition("=")
            found = self.of_tags({key: value})
        return found

    def of_kwg(self, name: str) -> str | None:
        """Class of a KnowWhereGraph type by its local name, or None."""
        return self._kwg.get(name)

    def label(self, key: str, level: int | None = None) -> str:
        """English singular; ``level`` fills in the administrative level where the class has one."""
        return _with_level(self._classes[key].label, level)

    def plural(self, key: str, level: int | None = None) -> str:
        """English plural; ``level`` as in `label`."""
        return _with_level(self._classes[key].plural, level)

    def type_name(self, key: str, kg: str) -> str:
        """Local name of the class in the schema of ``kg`` (wkgs, or kwg-ont for knowwheregraph)."""
        if kg not in KGS:
            raise InputError(f"{kg!r} is not a KG.", mend=f"Use one of {', '.join(KGS)}.")
        return self._classes[key].type_name(kg)


def _with_level(text: str, level: int | None) -> str:
    return _LEVEL.sub("", text) if level is None else text.replace("{level}", str(level))


def load(path: str | Path | None = None) -> Classes:
    """Read and check a table of classes; without ``path`` the package's own, read once.

    Raises InputError with file and line: not YAML, an unknown field, a bad pattern, a class twice, a label or
    an RDF type that two classes claim.
    """
    return _default() if path is None else _read(Path(path))


@lru_cache(maxsize=1)
def _default() -> Classes:
    return _read(TABLE)


def _read(path: Path) -> Classes:
    try:
        root = yaml.compose(path.read_text("utf-8"), Loader=yaml.SafeLoader)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read: {error}.", source=path) from error
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise InputError(f"is not YAML: {error.problem}.", source=path, place=line) from error
    if not isinstance(root, yaml.MappingNode) or not root.value:
        raise InputError("is not a table of classes: it must map class keys to fields.", source=path, place=1)
    classes: list[SemanticClass] = []
    claimed: dict[tuple[str, str], str] = {}
    for key_node, value_node in root.value:
        line = key_node.start_mark.line + 1
        item = _one(str(key_node.value), value_node, path, line)
        claims = [("class", item.key), ("label", item.label), ("plural", item.plural)]
        claims += [("wkgs", n) for n in dict.fromkeys((*item.wkgs, item.type_name("worldkg")))]
        claims += [("kwg", n) for n in dict.fromkeys((*item.kwg, item.type_name("knowwheregraph")))]
        for claim in claims:
            if claim in claimed:
                raise InputError(
                    f"{claim[0]} {claim[1]!r} of class {item.key!r} is also that of {claimed[claim]!r}.",
                    source=path, place=line, mend="Give each class its own.",
                )  # fmt: skip
            claimed[claim] = item.key
        classes.append(item)
    return Classes(classes)


def _one(key: str, node: yaml.Node, path: Path, line: int) -> SemanticClass:
    fields: Any = yaml.SafeLoader("")
    try:
        value = fields.construct_document(node)
    finally:
        fields.dispose()
    if not isinstance(value, dict):
        raise InputError(f"class {key!r} has no fields.", source=path, place=line)
    lines = {str(k.value): k.start_mark.line + 1 for k, _ in node.value}
    try:
        item = SemanticClass.model_validate({**value, "key": key})
        for pattern in item.osm:
            parse_pattern(pattern)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        place = lines.get(str(first["loc"][0]) if first["loc"] else "", line)
        raise InputError(f"class {key!r}, {field}: {first['msg']}.", source=path, place=place) from error
    except ValueError as error:
        raise InputError(
            f"class {key!r}, osm: {error}.", source=path, place=lines.get("osm", line)
        ) from error
    return item


@lru_cache(maxsize=1)
def siblings() -> tuple[tuple[str, str], ...]:
    """Pairs (class, other) of classes that people may take for one another, both ways, ascending.

    Raises InputError for a class that is not in the table.
    """
    path = TABLE.with_name("siblings.yaml")
    known, pairs = load(), set()
    for number, group in enumerate(yaml.safe_load(path.read_text("utf-8")), 1):
        for name in group:
            if name not in known:
                raise InputError(f"group {number}: {name!r} is not a class of classes.yaml.", source=path)
        pairs |= {(a, b) for a in group for b in group if a != b}
    return tuple(sorted(pairs))


def wkgs_sources(path: str | Path) -> dict[str, str]:
    """Local name of each WorldKG class to its OSM tag ``key=value``: the ontology's ``dcterms:source``."""
    import pyoxigraph as ox

    schema, tag = "http://www.worldkg.org/schema/", "wiki/Tag:"
    sources: dict[str, str] = {}
    try:
        for quad in ox.parse(path=str(path), format=ox.RdfFormat.TURTLE):
            subject, value = quad.subject, quad.object
            if not (isinstance(subject, ox.NamedNode) and isinstance(value, ox.NamedNode)):
                continue
            if quad.predicate.value == "http://purl.org/dc/terms/source" and tag in value.value:
                sources[subject.value.removeprefix(schema)] = value.value.rpartition(tag)[2]
    except (OSError, SyntaxError, ValueError) as error:
        raise InputError(f"cannot be read as an ontology: {error}.", source=path) from error
    return sources
