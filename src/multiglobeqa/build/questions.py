"""From drawn instances to question rows: names, wording, ids, facts."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from multiglobeqa.build.columns import Column
from multiglobeqa.build.facts import FactStore, FactWriter
from multiglobeqa.build.gold import ID_FORMATS, QUESTION_TYPES, Instance
from multiglobeqa.build.naming import COORDINATES, UNDATED, UNTOLD, Namer, SurfaceName, folded, in_sentence
from multiglobeqa.engine import Engine
from multiglobeqa.kg import classes, triples
from multiglobeqa.kg.store import Snapshot
from multiglobeqa.taxonomy.model import SubTemplate, fill

_NO_STRATUM = dict.fromkeys(("_country", "_continent", "_subregion", "_income", "_density"))
"""What the row of an event without a place says of its place."""
_LEAKY_FORMATS = ("point", "polar", "polygon", "cell", "geohash", "composite", "distance")
"""Formats whose answer follows from coordinates: a name that needs coordinates would give it away."""


class Writer:
    """Writes the question rows of one KG."""

    def __init__(
        self,
        engine: Engine,
        kg: str,
        snapshot_id: str,
        facts: FactStore,
        credits: Iterable[str] = (),
        beside: Sequence[Snapshot] = (),
    ) -> None:
        self._engine, self._kg, self._snapshot = engine, kg, snapshot_id
        self._credits = " ".join(credits)
        self._facts = facts
        self._namer = Namer(engine, beside)
        self.second = self._namer.second
        self._writer = FactWriter(engine)
        self._classes = classes.load()
        table = engine.query("SELECT iri, cell, time_start IS NULL AS place FROM entity ORDER BY id")
        self.iri_of: Mapping[int, str] = Column(table["iri"])
        places = table["place"].to_numpy()
        self.strata: Mapping[int, str | None] = Column(table["cell"].dictionary_encode(), places)

    def kinds(self, ids: Iterable[int]) -> dict[int, str]:
        """What a reader sees an entity to be: its class, with the level if it has one ("admin_area/8"), or a venue."""
        listed = ", ".join(str(entity) for entity in sorted(ids)) or "NULL"
        table = self._engine.query(
            "SELECT id, CASE WHEN scale = 'venue' THEN scale WHEN level IS NULL THEN class "
            "ELSE class || '/' || CAST(level AS STRING) END AS kind "
            f"FROM entity WHERE id IN ({listed})"
        )
        return dict(zip(table["id"].to_pylist(), table["kind"].to_pylist(), strict=True))

    def rows(self, instances: list[Instance]) -> tuple[list[dict[str, Any]], Counter[str]]:
        """Question rows of instances of one sub-template, and the discards by cause."""
        discards: Counter[str] = Counter()
        rows: list[dict[str, Any]] = []
        self._namer.prepare([e for f in instances for e in (*f.roles.values(), *f.answer_ids, *_slip_ids(f))])
        self._writer.prepare(instances)
        for found in instances:
            row, cause = self._row(found)
            if row is None:
                discards[str(cause)] += 1
            else:
                found.question = row
                rows.append(row)
        return rows, discards

    def _row(self, found: Instance) -> tuple[dict[str, Any] | None, str | None]:
        sub = found.sub
        names = {role: self._namer.name(entity, placed=True) for role, entity in found.roles.items()}
        if sub.format in ("boolean", "set"):
            names = self._discreet(found, names)
        asked = {entity: names[role] for role, entity in found.roles.items()}
        answers = [asked.get(entity) or self._namer.name(entity) for entity in found.answer_ids]
        cause = self._name_fault(sub, names, answers)
        if cause is not None:
            return None, cause
        params = self.params(found)
        values = {
            **_worded({**sub.bind, **params}),
            **self._class_words(found),
            **{role: self._in_sentence(found.roles[role], name) for role, name in names.items()},
        }
        found.values = values
        roles = {r: {"iri": self.iri_of[e], "name": names[r].text} for r, e in sorted(found.roles.items())}
        identity = _identity(self._snapshot, sub.id, {r: v["iri"] for r, v in roles.items()}, params)
        number = int(identity, 16) % len(sub.paraphrases)
        base = found.base.question if found.base is not None else None
        if base is not None:  # a false premise keeps the wording of the question it was made of
            number = int(base["paraphrase"].rsplit(".", 1)[1]) - 1
        question = fill(sub.paraphrases[number], values)
        question = question[0].upper() + question[1:]
        gold, accepted = self._gold(found, answers)
        entities = list(
            dict.fromkeys(self.iri_of[e] for e in (*found.roles.values(), *found.answer_ids, *found.members))
        )
        place = found.row if sub.stratified else {**found.row, **_NO_STRATUM}
        return {
            "id": identity,
            "kg": self._kg,
            "snapshot_id": self._snapshot,
            "family": sub.family,
            "template": sub.template,
            "subtemplate": sub.id,
            "paraphrase": f"{sub.id}.{number + 1}",
            "language": "eng",
            "question": question,
            "question_en": question,
            "scale_hint": fill(hint, values) if (hint := hint_of(sub)) else None,
            "format": sub.format,
            "unit": sub.unit,
            "gold": None if found.base else json.dumps(gold, ensure_ascii=False, sort_keys=True),
            "accepted": [json.dumps(value, ensure_ascii=False) for value in accepted],
            "accepted_iris": [self.iri_of[e] for e in found.answer_ids],
            "roles": json.dumps(roles, ensure_ascii=False, sort_keys=True),
            "params": json.dumps(params, ensure_ascii=False, sort_keys=True),
            "entities": entities,
            "country": place["_country"],
            "continent": place["_continent"],
            "subregion": place["_subregion"],
            "income": place["_income"],
            "density": place["_density"],
            "lon": place["_lon"],
            "lat": place["_lat"],
            "source": "template",
            "question_type": QUESTION_TYPES[sub.format],
            "depth": sub.depth,
            "premise": found.base is None,
            "premise_failure": sub.false_premise.failure if found.base and sub.false_premise else None,
            "derived_from": base["id"] if base is not None else None,
            "modality": "text",
            "image": None,
            "fact_ids": self.add_facts(self.fact_lines(found)),
            "slips": json.dumps(self._slips(found), ensure_ascii=False, sort_keys=True),
            "query": f"{sub.source}@{sub.sha256}",
        }, None

    def fact_lines(self, found: Instance) -> list[str]:
        """The N-Triples lines from which the answer follows."""
        self._writer.prepare([found])
        return self._writer.lines(found)

    def add_facts(self, lines: list[str]) -> list[int]:
        """The numbers of facts in the benchmark's store."""
        return self._facts.add(lines)

    def _in_sentence(self, entity: int, name: SurfaceName) -> str:
        """The article stands before countries and borders only: cities and regions are named without one."""
        return in_sentence(name.text) if self._namer.takes_article(entity) else name.text

    def _discreet(self, found: Instance, names: dict[str, SurfaceName]) -> dict[str, SurfaceName]:
        """Names whose context holds no other role of a yes-or-no question and no member of the answer: "Bosconia
        (Cesar, Colombia)" would tell whether Bosconia is part of Colombia."""
        members = [self._namer.name(entity) for entity in found.answer_ids]
        out = {}
        for role, name in names.items():
            roles = [other for key, other in names.items() if key != role]
            others = [*roles, *members] if found.sub.format == "boolean" else members
            unsaid = frozenset(folded(other.text.partition(" (")[0]) for other in others)
            out[role] = self._namer.name(found.roles[role], placed=True, unsaid=unsaid) if unsaid else name
        return out

    def _name_fault(
        self, sub: SubTemplate, names: dict[str, SurfaceName], answers: list[SurfaceName]
    ) -> str | None:
        used = [*names.values(), *answers]
        if any(name.context == UNDATED for name in used):
            return "storm_without_year"
        if any(name.context == UNTOLD for name in used):
            return "name_not_told_apart"
        if sub.format in _LEAKY_FORMATS and any(name.context == COORDINATES for name in used):
            return "name_needs_coordinates"
        if sum(name.context == COORDINATES for name in names.values()) > 1:
            return "names_need_coordinates"
        texts = [name.text for name in names.values()]
        if len(set(texts)) < len(texts):
            return "names_alike"
        plain = {_plain(name) for name in names.values()}
        if any(_plain(name) in plain for name in answers) and not _is_choice(names, answers):
            return "answer_is_named"
        if sub.format == "set" and len({name.text for name in answers}) < len(answers):
            return "member_names_alike"
        return None

    def _gold(self, found: Instance, answers: list[SurfaceName]) -> tuple[Any, list[Any]]:
        if found.base is not None:
            return None, []
        if found.sub.format == "entity":
            return answers[0].text, [name.text for name in answers[1:]]
        if found.sub.format == "set":
            return sorted(name.text for name in answers), []
        return found.gold, []

    def _slips(self, found: Instance) -> dict[str, Any]:
        """Slips as canonical answers: entities by name."""
        if found.sub.format not in ID_FORMATS:
            return found.slips
        named: dict[str, Any] = {}
        for name, ids in found.slips.items():
            texts = sorted(self._namer.name(entity).text for entity in ids)
            named[name] = texts if found.sub.format == "set" else texts[0]
        return named

    def params(self, found: Instance) -> dict[str, Any]:
        """The question's parameters, classes with their IRIs."""
        params = {**found.sub.params, **found.params}
        if "class" in params:
            params["class_iri"] = self._class_iri(params["class"])
        if "target_class" in params:
            params["target_class_iri"] = self._class_iri(params["target_class"])
        if "classes" in params:
            params["class_iris"] = [self._class_iri(name) for name in params["classes"]]
        return params

    def _class_iri(self, name: str) -> str:
        namespace = triples.KWG_ONT if self._kg == "knowwheregraph" else triples.WKGS
        return namespace + self._classes.type_name(name, self._kg)

    def _class_words(self, found: Instance) -> dict[str, str]:
        level = found.params.get("level")
        words: dict[str, str] = {}
        if name := found.params.get("class"):
            words = {
                "class_singular": self._noun(name, level),
                "class_plural": self._noun(name, level, many=True),
            }
        if target := found.params.get("target_class"):
            words["target_singular"] = self._noun(target, level)
            words["target_plural"] = self._noun(target, level, many=True)
        if several := found.params.get("classes"):
            plurals = [self._noun(name, level, many=True) for name in several]
            words["class_plural"] = " and ".join(
                [", ".join(plurals[:-1]), plurals[-1]] if plurals[1:] else plurals
            )
        return words

    def _noun(self, name: str, level: int | None, *, many: bool = False) -> str:
        spoken = self._classes.plural(name, level) if many else self._classes.label(name, level)
        return self._named(name) + spoken + self._listed_by(name)

    def _named(self, name: str) -> str:
        """OSM and Natural Earth's lakes hold unnamed members, and the KG only named ones: the wording says so."""
        entry = self._classes[name]
        if name == "natural_earth_lake":
            return "named "
        return "named " if entry.osm and self._kg != "knowwheregraph" and name != "admin_area" else ""

    def _listed_by(self, name: str) -> str:
        """The list that decides what is a member, where the snapshot credits it: no other holds the same members."""
        source = self._classes[name].source
        of_osm = self._classes[name].osm and self._kg != "knowwheregraph"
        credited = source is not None and source.partition(",")[0] in self._credits
        return f" ({source})" if credited and not of_osm else ""


_UNITS = {
    "distance": "The answer is in km.",
    "set": "The list may hold one name or several.",
    "area": "The answer is in km².",
    "polar": "The azimuth is in degrees clockwise from true north, the distance in km.",
}
"""What the hint says of the answer, by format."""


def hint_of(sub: SubTemplate) -> str | None:
    """The scale hint with the unit or size of the answer, placeholders unfilled; None where nothing is to be said."""
    of_answer = None if sub.set_size[1] == 1 else _UNITS.get(sub.format)
    return " ".join(text for text in (sub.scale_hint, of_answer) if text) or None


def _plain(name: SurfaceName) -> str:
    return name.text.partition(" (")[0].casefold()


def _is_choice(names: dict[str, SurfaceName], answers: list[SurfaceName]) -> bool:
    """Whether the answer is one of the roles: "is A or B closer"."""
    return bool({name.text for name in names.values()} & {name.text for name in answers})


def _slip_ids(found: Instance) -> list[int]:
    """Entities that mistakes would answer."""
    if found.sub.format not in ID_FORMATS:
        return []
    return [entity for ids in found.slips.values() for entity in ids]


def _worded(params: dict[str, Any]) -> dict[str, str]:
    """Parameters as words: 25.0 is "25", lists are joined."""
    return {k: ", ".join(map(_number, v)) if isinstance(v, list) else _number(v) for k, v in params.items()}


def _number(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _identity(snapshot: str, sub: str, roles: dict[str, str], params: dict[str, Any]) -> str:
    key = json.dumps([snapshot, sub, roles, params], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(key.encode()).hexdigest()[:16]
