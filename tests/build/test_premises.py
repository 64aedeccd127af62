"""Choosing false premises from the pool."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, ClassVar, cast

import pytest

from multiglobeqa.build.candidates import Candidates, Run
from multiglobeqa.build.gold import Instance
from multiglobeqa.build.premises import MOST_FALSE, base_table, chosen, surface, variants
from multiglobeqa.build.questions import Writer
from multiglobeqa.taxonomy import SubTemplate

Params = dict[str, object]


@dataclass
class Sub:
    """The part of a sub-template that choosing looks at."""

    id: str
    roles: tuple[str, ...] = ("A", "B")
    params: dict[str, object] = field(default_factory=dict)


def offer(
    sub: str, number: int, text: str | None = None, cell: str = "LIC/low", base: str = "b0"
) -> Instance:
    found = Instance(cast(SubTemplate, Sub(sub)), {"_cell": cell}, {"A": 1, "B": number}, {})
    found.pick = f"{number:08d}"
    found.question = {
        "kg": "osmh3kg",
        "question": text or f"{sub} {number}?",
        "derived_from": base,
        "id": f"{sub}{number}",
    }
    return found


def seen(found: Instance, **kinds: str) -> Instance:
    """The instance with its surface; ``kinds``: the class of each role's entity."""
    found.surface = surface(found, {found.roles[role]: kind for role, kind in kinds.items()}, "osmh3kg")
    return found


def true(
    number: int, sub: str = "A06.a", cell: str = "LIC/low", params: Params | None = None
) -> list[Instance]:
    """So many true questions."""
    made = Instance(cast(SubTemplate, Sub(sub)), {"_cell": cell}, {"A": 1, "B": 2}, dict(params or {}))
    return [seen(made, A="country", B="admin1")] * number


def false(
    number: int, sub: str = "A06.a", cell: str = "LIC/low", params: Params | None = None
) -> list[Instance]:
    """A pool of so many false premises."""
    pool = [offer(sub, i, f"{sub} {cell} {params} {i}?", cell) for i in range(number)]
    for i, found in enumerate(pool):
        found.params, found.question = (
            dict(params or {}),
            {**(found.question or {}), "id": f"{sub} {cell} {params} {i}"},
        )
        found.roles = {"A": 1, "B": 2}
    return [seen(found, A="country", B="admin1") for found in pool]


def most(true_ones: int) -> int:
    return round(MOST_FALSE * true_ones)


def test_a_class_that_is_never_true_is_never_false() -> None:
    """Lakes are asked of in false premises only: whoever sees a lake would decline, and be right."""
    pool = false(90, params={"class": "lake"}) + false(150, params={"class": "bakery"})
    asked = true(60, params={"class": "bakery"}) + true(2000, "B01.a")
    assert Counter(found.params["class"] for found in chosen(pool, asked)) == {"bakery": most(60)}


@pytest.mark.parametrize(
    ("feature", "rare", "common"),
    [("class", "lake", "bakery"), ("radius_km", 0.2, 1.0), ("level", None, 1), ("threshold_km", 25.0, 10.0)],
)
def test_no_parameter_tells(feature: str, rare: object, common: object) -> None:
    """Of each value at most twice as many are false as true, though the pool holds plenty of the rare one."""
    pool = false(150, params={feature: rare}) + false(150, params={feature: common})
    asked = true(5, params={feature: rare}) + true(50, params={feature: common}) + true(3000, "B01.a")
    assert Counter(found.params[feature] for found in chosen(pool, asked)) == {
        rare: most(5),
        common: most(50),
    }


def test_neither_the_kg_nor_the_kind_of_a_role_tells() -> None:
    asked = true(29) + true(3000, "B01.a")
    assert len(chosen(false(90), asked)) == most(29)
    other_kg = false(50)
    for found in other_kg:
        found.surface = surface(found, {1: "country", 2: "admin1"}, "worldkg")
    assert chosen(other_kg, asked) == []
    assert chosen([seen(found, A="admin1", B="admin1") for found in false(50)], asked) == []


def test_the_class_together_with_the_kind_of_its_area_does_not_tell() -> None:
    """Lakes of countries and airports of regions are true, lakes of regions false: each alone is common."""

    def of(kind: str, rows: list[Instance]) -> list[Instance]:
        return [seen(found, A="storm", B=kind) for found in rows]

    asked = (
        of("country", true(1, params={"class": "lake"})) * 20
        + of("admin1", true(1, params={"class": "airport"})) * 20
    )
    asked += true(3000, "B01.a")
    lakes = false(60, params={"class": "lake"})
    assert chosen(of("admin1", lakes), asked) == []
    assert len(chosen(of("country", lakes), asked)) == most(20)


def test_whoever_always_declines_is_right_for_two_of_three_at_most() -> None:
    assert len(chosen(false(300), true(40) + true(3000, "B01.a"))) == most(40)


def test_about_8_percent_of_all_questions() -> None:
    pool = [offer(sub, i) for sub in ("A06.a", "B02.a") for i in range(100)]
    assert len(chosen(pool, true(920, "B01.a"))) == 80


def test_sub_templates_and_strata_take_turns() -> None:
    pool = [offer("A06.a", i, cell="HIC/high") for i in range(50)]
    pool += [offer("A06.a", 50 + i, cell="LIC/low") for i in range(3)]
    pool += [offer("I05", i) for i in range(4)]
    found = chosen(pool, true(115, "B01.a"))
    assert len(found) == 10
    assert Counter(f.sub.id for f in found) == {"A06.a": 6, "I05": 4}
    assert Counter(f.cell for f in found if f.sub.id == "A06.a") == {"HIC/high": 3, "LIC/low": 3}


def test_a_question_that_two_true_ones_lead_to_is_asked_once() -> None:
    pool = [offer("D03.b", 1, "Which places does it pass by?", base=base) for base in ("b2", "b1")]
    pool.append(offer("D03.b", 1, "Name the places that it passes by.", base="b3"))
    (found,) = chosen(pool, true(1000, "B01.a"))
    assert found.question is not None and found.question["derived_from"] == "b1"


def test_a_pool_that_is_too_small_is_taken_whole() -> None:
    assert len(chosen([offer("A06.a", i) for i in range(5)], true(10_000, "B01.a"))) == 5


def test_the_base_table_holds_roles_and_scalar_parameters() -> None:
    first = Instance(
        cast(SubTemplate, Sub("A06.a")), {}, {"A": 4, "B": 5}, {"class": "cafe", "listed": ["a", "b"]}
    )
    second = Instance(
        cast(SubTemplate, Sub("A06.a")), {}, {"A": 6, "B": 7}, {"class": "bar", "listed": ["c"]}
    )
    assert base_table([first, second]).to_pydict() == {
        "base_id": [0, 1], "A": [4, 6], "B": [5, 7], "p_class": ["cafe", "bar"],
    }  # fmt: skip


class Offers:
    """A run whose false-premise query offers two areas."""

    def false_candidates(self, base: Any) -> Candidates:
        assert base.column_names[:1] == ["base_id"]
        place = {"_cell": "LIC/low", "_country": "AAA", "_class": "city"}
        return Candidates([{**place, "base_id": 0, "A": 1, "B": area} for area in (7, 8)])


class Silent:
    """A writer that writes the questions of all it is given."""

    strata: ClassVar[dict[int, str]] = {}

    def kinds(self, ids: set[int]) -> dict[int, str]:
        return dict.fromkeys(ids, "country")

    iri_of: ClassVar[dict[int, str]] = {n: f"urn:{n}" for n in range(10)}

    def rows(self, drawn: list[Instance]) -> tuple[list[Any], Counter[str]]:
        for found in drawn:
            found.question = {"id": str(found.roles["B"])}
        return [], Counter()


def test_a_tuple_that_the_true_query_returns_is_no_false_premise() -> None:
    """Area 7 came out of the sub-template's own query, even if discarded: something of the class is there."""
    (base,) = true(1, params={"class": "bakery"})
    base.question = {"kg": "osmh3kg"}
    rows = [{"A": 1, "B": 7, "p_class": "bakery", "discard": "too_close"}]
    kept, discards = variants(cast(Run, Offers()), [base], cast(Writer, Silent()), 1, 5, rows)
    assert [found.roles["B"] for found in kept] == [8]
    assert discards["false_premise_premise_may_hold"] == 1


@pytest.mark.parametrize(("class_", "kept"), [("bakery", 2), ("iata_airport", 0)])
def test_a_list_with_gaps_shows_no_absence(class_: str, kept: int) -> None:
    """That no airport with a code is on the list does not mean that the area has none."""
    (base,) = true(1, params={"class": class_})
    base.question = {"kg": "osmh3kg"}
    found, discards = variants(cast(Run, Offers()), [base], cast(Writer, Silent()), 1, 5, [])
    assert len(found) == kept
    assert discards["false_premise_list_may_lack_members"] == 2 - kept
