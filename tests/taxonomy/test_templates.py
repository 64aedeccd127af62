"""The template files are consistent, and broken ones are refused with file, line and mend."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from multiglobeqa.answers import FORMATS
from multiglobeqa.engine import OPERATORS
from multiglobeqa.errors import TemplateError
from multiglobeqa.taxonomy import FAMILIES, SubTemplate, load, load_file
from multiglobeqa.taxonomy.model import OPERATOR_NAMES

SUBS = load()

GOOD = """
template: A01
title: Distance
format: distance
unit: km
depth: relation
kgs: [worldkg]
roles: {A: one, B: other}
anchor: A
facts: {A: [geometry], B: [geometry]}
steps:
  - {as: a, draw: "kind = 'point'"}
subtemplates:
  a:
    paraphrases:
      - How far is {A} from {B}?
"""


def write(folder: Path, yaml_text: str, sql: str = "SELECT 1 AS A, 2 AS B, 3.0 AS answer") -> Path:
    (folder / "A01.sql").write_text(sql)
    path = folder / "A01.yaml"
    path.write_text(yaml_text)
    return path


def test_model_and_engine_name_the_same_operators() -> None:
    assert tuple(OPERATORS) == OPERATOR_NAMES


def test_every_family_has_a_sub_template() -> None:
    assert {sub.family for sub in SUBS} == set(FAMILIES)


ONE_FAMILY = {"population": "people are asked for in B03 alone"}
"""Operators that serve one family, and why."""


def test_each_operator_serves_two_families_or_more() -> None:
    users: dict[str, set[str]] = {name: set() for name in OPERATOR_NAMES}
    for sub in SUBS:
        for step in sub.steps:
            if step.operator:
                users[step.operator].add(sub.family)
    assert {
        name: len(families) for name, families in users.items() if len(families) < 2
    }.keys() == ONE_FAMILY.keys()


def test_formats_are_known() -> None:
    assert {sub.format for sub in SUBS} <= set(FORMATS)


def test_wordings_are_unique_over_sub_templates_of_one_template() -> None:
    for sub in SUBS:
        assert len(set(sub.paraphrases)) == len(sub.paraphrases)
        for text in sub.paraphrases:
            assert text[0].isupper() or text.startswith("{"), text
            assert text.rstrip()[-1] in "?.", text


def test_sql_uses_no_geometry_function() -> None:
    """Predicates belong to the operators: the SQL must run on any engine."""
    for sub in SUBS:
        texts = [sub.sql, *(step.sql or "" for step in sub.steps), *(step.draw or "" for step in sub.steps)]
        for text in texts:
            assert not re.search(r"\b(ST_|s2_|h3_|json_extract|list_|unnest)\w*", text, re.I), sub.id


def test_metric_templates_say_centre_where_they_measure_centres() -> None:
    for sub in SUBS:
        centres = any(
            step.operator == "measure" and "centre_km" in step.args.get("of", []) for step in sub.steps
        )
        if centres and sub.format == "distance":
            assert all("centre" in text for text in sub.paraphrases), sub.id


def test_ids_follow_the_taxonomy() -> None:
    assert all(re.fullmatch(r"[A-N]\d\d(\.[a-z])?", sub.id) for sub in SUBS)
    assert max(Counter(sub.id for sub in SUBS).values()) == 1


def test_a_good_file_loads(tmp_path: Path) -> None:
    (sub,) = load_file(write(tmp_path, GOOD))
    assert isinstance(sub, SubTemplate)
    assert (sub.id, sub.family, sub.source) == ("A01.a", "A", "A/A01.yaml")


@pytest.mark.parametrize(
    ("change", "message", "line"),
    [
        (("draw: \"kind = 'point'\"", "operator: buffer"), "unknown operator 'buffer'", 12),
        (("facts: {A: [geometry], B: [geometry]}", "facts: {A: [geometry]}"), "the role B has no facts", 10),
        (("{A} from {B}", "{A} from {C}"), "no role or parameter fills {C}", 16),
        (("{A} from {B}", "{A} from here"), "does not name the role B", 16),
        (
            ("      - How far is {A} from {B}?", "      - How far is {A} from {B}?\n" * 2),
            "two paraphrases are alike; the other stands in line 16",
            17,
        ),
        (("anchor: A", "anchor: Z"), "anchor 'Z' is no role", 9),
        (("depth: relation", "depth: relation\nspeed: 3"), "is no key that a template has", 7),
        (("title: Distance", "title: [Distance"), "is not YAML", 4),
    ],
)
def test_broken_files_name_file_and_line(
    tmp_path: Path, change: tuple[str, str], message: str, line: int
) -> None:
    path = write(tmp_path, GOOD.replace(*change))
    with pytest.raises(TemplateError) as caught:
        load_file(path)
    assert message in str(caught.value)
    assert (caught.value.source, caught.value.place) == (str(path), line)
    assert caught.value.mend


def test_missing_sql_is_named(tmp_path: Path) -> None:
    path = write(tmp_path, GOOD)
    (tmp_path / "A01.sql").unlink()
    with pytest.raises(TemplateError, match=r"A01\.sql is missing"):
        load_file(path)


def test_unknown_selection_is_named() -> None:
    with pytest.raises(TemplateError, match="no sub-template 'Z99'"):
        load(only=["Z99"])
