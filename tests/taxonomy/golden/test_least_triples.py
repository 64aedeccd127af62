"""The gold triples of one question of each sub-template are the least from which its answer follows.

Each triple is dropped in turn: the solver must fail or answer otherwise, or the triple is of a kind that stays for a
reason that ``reason`` states. All three forms say every number and name of the triples.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from multiglobeqa.build.forms import prose, raw, structured
from multiglobeqa.build.gold import Instance
from multiglobeqa.build.verify import Task, difference, task_of
from multiglobeqa.kg import triples
from multiglobeqa.taxonomy import SubTemplate, load

Case = dict[str, Any]
MOST = 80
"""Of questions with more triples, this many are dropped, evenly spread."""
CONTAINMENT = ("sfWithin", "administrativePartOf")
SUPERLATIVE = ("A06.b", "A06.c", "A08", "E05", "G01.b")
"""Besides those that ask for an entity: sub-templates in which one member decides and the others lose to it."""


def _cases() -> list[Case]:
    """The first answered case of each sub-template, and the first of each false premise."""
    first: dict[tuple[str, bool], Case] = {}
    for file in sorted(Path(__file__).with_name("cases").glob("*.yaml")):
        for row in yaml.safe_load(file.read_text("utf-8")):
            case = {"false" if key is False else key: value for key, value in row.items()}
            if {"answer", "by_resolution", "failure"} & set(case):
                first.setdefault((case["sub"], bool(case.get("false"))), case)
    return list(first.values())


CASES = _cases()


def _identity(case: Case) -> str:
    return f"{case['sub']}{' false' if case.get('false') else ''}"


@dataclasses.dataclass
class Asked:
    """A question of the golden world: instance, task and the groups of its entities by IRI."""

    found: Instance
    task: Task
    group: dict[str, str]
    order: Callable[[str], int]

    def of(self, subject: str) -> str:
        """role, answer, member, evidence, or above (a parent of one of these, a cell) of a subject or its node."""
        owner = subject.replace("/geo", "/") if subject.startswith(triples.WKG) else subject
        known = [iri for iri in self.group if owner == iri or owner.startswith((f"{iri}#", f"{iri}."))]
        return self.group[max(known, key=len)] if known else "above"


def ask(case: Case, world: Any, sub: SubTemplate) -> Asked:
    """The question of a case."""
    false = bool(case.get("false"))
    for row in world.matching(sub, case["roles"], case.get("params", {}), false):
        found, _ = world.false_outcome(sub, row) if false else world.outcome(sub, row)
        if found is not None:
            break
    else:
        raise AssertionError(f"no row for {case}")
    question = world.question(found)
    iri = world.writer.iri_of
    number = {name: entity for entity, name in iri.items()}
    group: dict[str, str] = {}
    for ids, name in (
        (found.roles.values(), "role"),
        (found.answer_ids, "answer"),
        (found.members, "member"),
        (found.evidence, "evidence"),
    ):
        for entity in ids:
            group.setdefault(iri[entity], name)
    return Asked(found, task_of(question, dict(enumerate(world.facts.lines()))), group, number.__getitem__)


@pytest.fixture(scope="module")
def asked(golden: Callable[[str], Any], subs: dict[str, SubTemplate]) -> Callable[[Case], Asked]:
    """Questions by case, made once."""
    made: dict[str, Asked] = {}

    def of(case: Case) -> Asked:
        key = _identity(case)
        if key not in made:
            made[key] = ask(case, golden(case.get("kg", "knowwheregraph")), subs[case["sub"]])
        return made[key]

    return of


def idle(asked: Asked) -> list[str]:
    """The triples without which the solver still finds the same answer."""
    task, lines = asked.task, asked.task.lines
    step = max(1, -(-len(lines) // MOST))
    return [
        lines[i]
        for i in range(0, len(lines), step)
        if difference(dataclasses.replace(task, lines=lines[:i] + lines[i + 1 :])) is None
    ]


def reason(asked: Asked, line: str) -> str | None:
    """Why an idle triple stays, None where it is needless."""
    subject, predicate = (term.strip("<>") for term in line.split(" ", 2)[:2])
    name = re.split("[/#]", predicate)[-1]
    sub, group = asked.found.sub, asked.of(subject)
    if name == "label":
        return "ties a name to its IRI; where members are named, all are, lest a label tell the answer"
    if name == "type" and (group == "role" or sub.template == "A05"):
        return "says what is named: a city, a storm, a border, a country"
    if group == "evidence" and name in ("type", *CONTAINMENT):
        return "a near non-member: without them a count or a set is read off the list"
    if group == "above" and asked.found.evidence and name in CONTAINMENT:
        return "the chain of a near non-member"
    rivals = sub.format == "entity" or sub.id.startswith(SUPERLATIVE)
    if group in ("member", "answer") and rivals and name in ("type", "borderOf", *CONTAINMENT):
        return "a member that loses: without the others the best is no best"
    if group == "above" and name in CONTAINMENT and sub.template == "E01":
        return "the chain beyond B: a chain that ends at B would tell the answer"
    if name in ("hasStormTracklet", "isFeatureOfInterestOf", "observedProperty", "inXSDDateTime"):
        return "a fix between others: a track is one whole" if ".fix." in line or "#fix." in line else None
    if name in ("population", "populationDensity"):
        return "a cell of fewer people than two methods differ in, or one that lies just outside the circle"
    return None


@pytest.mark.parametrize("case", CASES, ids=_identity)
def test_every_triple_matters_or_stays_for_a_reason(case: Case, asked: Callable[[Case], Asked]) -> None:
    question = asked(case)
    assert difference(question.task) is None
    found = idle(question)
    assert [line[:200] for line in found if reason(question, line) is None] == []
    assert len(found) < len(question.task.lines), "no triple matters"


def test_all_sub_templates_and_false_premises_are_asked() -> None:
    told = {(case["sub"], bool(case.get("false"))) for case in CASES}
    wanted = {(sub.id, False) for sub in load()} | {(sub.id, True) for sub in load() if sub.false_premise}
    assert wanted - told == set()


@pytest.mark.parametrize(
    ("sub", "role", "aspect"), [("A09.a", "A", "parent"), ("B02.a", "B", "cell"), ("I04", "A", "time")]
)
def test_a_needless_triple_is_found(
    sub: str, role: str, aspect: str, golden: Callable[[str], Any], subs: dict[str, SubTemplate]
) -> None:
    case = next(case for case in CASES if case["sub"] == sub)
    more = subs[sub].model_copy(update={"facts": {**subs[sub].facts, role: (*subs[sub].facts[role], aspect)}})
    question = ask(case, golden(case.get("kg", "knowwheregraph")), more)
    assert [line for line in idle(question) if reason(question, line) is None] != []


@pytest.mark.parametrize(
    ("sub", "group"), [("A01.a", "A"), ("B02.a", "members"), ("F04.a", "evidence"), ("D01.a", "members")]
)
def test_a_missing_fact_is_an_error(
    sub: str, group: str, golden: Callable[[str], Any], subs: dict[str, SubTemplate]
) -> None:
    """Without the geometry of a group, the type of members, or their chain, the solver does not find the answer."""
    case = next(case for case in CASES if case["sub"] == sub)
    for aspect in set(subs[sub].facts[group]) - {"label", "type"}:
        kept = tuple(one for one in subs[sub].facts[group] if one != aspect)
        fewer = subs[sub].model_copy(update={"facts": {**subs[sub].facts, group: kept}})
        question = ask(case, golden(case.get("kg", "knowwheregraph")), fewer)
        assert difference(question.task) is not None, aspect


@pytest.mark.parametrize("case", CASES, ids=_identity)
def test_members_stand_among_near_non_members(case: Case, asked: Callable[[Case], Asked]) -> None:
    """The answer is not told by its place in the list, nor, where members are named, by having a name."""
    question = asked(case)
    of = question.found
    listed = sorted({*of.answer_ids, *of.members, *of.evidence} - set(of.roles.values()))
    if {"members", "evidence"} & set(of.facts) and listed:
        subjects = list(dict.fromkeys(line.split(" ", 1)[0].strip("<>") for line in question.task.lines))
        iris = [iri for iri in subjects if question.group.get(iri) in ("answer", "member", "evidence")]
        assert iris == [iri for iri in sorted(question.group, key=question.order) if iri in iris]
        named = ["label" in of.facts.get(group, ()) for group in ("members", "evidence") if group in of.facts]
        assert of.sub.format != "set" or all(named)


NUMBER = re.compile(r"\d{4}-\d\d-\d\dT[\d:]+Z|(?<![\w.])-?\d+(?:\.\d+)?(?![\w.]*\w)")


def numbers(text: str) -> set[str]:
    """Numbers and dates of a text; those inside IRIs left out."""
    return set(NUMBER.findall(re.sub(r"<[^>]*>|https?://\S+|urn:\S+", " ", text)))


def names(lines: list[str]) -> set[str]:
    """The labels that triples state."""
    found = (re.search(r'label> "(.*)"', line) for line in lines)
    return {json.loads(f'"{match[1]}"') for match in found if match is not None}


@pytest.mark.parametrize("case", CASES, ids=_identity)
def test_all_forms_say_the_same(case: Case, asked: Callable[[Case], Asked]) -> None:
    lines = asked(case).task.lines
    said = numbers(raw(lines))
    told, words = json.dumps(structured(lines), ensure_ascii=False), prose(lines)
    assert said - numbers(told) == set()
    assert said - numbers(words) == set()
    for name in names(lines):
        assert name in told and name in words
    entities = {line.split(" ", 1)[0] for line in lines if "#" not in line.split(" ", 1)[0]}
    assert all(entity.strip("<>") in told for entity in entities if "/geo" not in entity)
