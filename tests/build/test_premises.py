"""Choosing false premises from the pool."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, ClassVar, cast

from multiglobeqa.build.candidates import Candidates, Run
from multiglobeqa.build.gold import Instance
from multiglobeqa.build.premises import base_table, chosen, variants
from multiglobeqa.build.questions import Writer
from multiglobeqa.taxonomy import SubTemplate


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


def true(number: int) -> list[Instance]:
    """So many true questions, of bakeries."""
    return [Instance(cast(SubTemplate, Sub("A06.a")), {}, {}, {"class": "bakery"})] * number


def test_a_class_that_is_never_true_tells_little() -> None:
    pool = [offer("A06.a", i) for i in range(300)]
    for i, found in enumerate(pool):
        found.params["class"] = "bakery" if i % 2 else "lake"
    found_ = Counter(found.params["class"] for found in chosen(pool, true(2000)))
    assert found_ == {"bakery": 150, "lake": 15}


def test_about_8_percent_of_all_questions() -> None:
    pool = [offer(sub, i) for sub in ("A06.a", "B02.a") for i in range(100)]
    assert len(chosen(pool, true(920))) == 80


def test_sub_templates_and_strata_take_turns() -> None:
    pool = [offer("A06.a", i, cell="HIC/high") for i in range(50)]
    pool += [offer("A06.a", 50 + i, cell="LIC/low") for i in range(3)]
    pool += [offer("I05", i) for i in range(4)]
    found = chosen(pool, true(115))
    assert len(found) == 10
    assert Counter(f.sub.id for f in found) == {"A06.a": 6, "I05": 4}
    assert Counter(f.cell for f in found if f.sub.id == "A06.a") == {"HIC/high": 3, "LIC/low": 3}


def test_a_question_that_two_true_ones_lead_to_is_asked_once() -> None:
    pool = [offer("D03.b", 1, "Which places does it pass by?", base=base) for base in ("b2", "b1")]
    pool.append(offer("D03.b", 1, "Name the places that it passes by.", base="b3"))
    (found,) = chosen(pool, true(1000))
    assert found.question is not None and found.question["derived_from"] == "b1"


def test_a_pool_that_is_too_small_is_taken_whole() -> None:
    assert len(chosen([offer("A06.a", i) for i in range(5)], true(10_000))) == 5


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
    iri_of: ClassVar[dict[int, str]] = {n: f"urn:{n}" for n in range(10)}

    def rows(self, drawn: list[Instance]) -> tuple[list[Any], Counter[str]]:
        for found in drawn:
            found.question = {"id": str(found.roles["B"])}
        return [], Counter()


def test_a_tuple_that_the_true_query_returns_is_no_false_premise() -> None:
    """Area 7 came out of the sub-template's own query, even if discarded: something of the class is there."""
    (base,) = true(1)
    base.roles.update(A=1, B=2)
    base.sub.roles = ("A", "B")  # type: ignore[assignment]
    seen = [{"A": 1, "B": 7, "p_class": "bakery", "discard": "too_close"}]
    kept, discards = variants(cast(Run, Offers()), [base], cast(Writer, Silent()), 1, 5, seen)
    assert [found.roles["B"] for found in kept] == [8]
    assert discards["false_premise_premise_may_hold"] == 1
