"""Orders of options: repeatable, balanced, and with the way back."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from multiglobeqa.evaluate.choices.items import Item
from multiglobeqa.evaluate.choices.languages import read_language
from multiglobeqa.evaluate.choices.shuffle import balanced, shuffled

SWAHILI, HAUSA = read_language("sw"), read_language("ha")


def items(count: int, options: int = 4) -> list[Item]:
    return [
        Item(
            f"q{n}",
            SWAHILI,
            "?",
            tuple(f"{n} {i}" for i in range(options)),
            0,
            extra={"origins": list(range(options))},
        )
        for n in range(count)
    ]


def test_an_order_depends_on_id_and_seed_alone() -> None:
    many = items(50)
    orders = [shuffled(item, 3).order for item in many]
    assert orders == [shuffled(item, 3).order for item in reversed(many)][::-1]
    assert orders != [shuffled(item, 4).order for item in many]
    assert shuffled(many[7], 3).options == ("7 1", "7 0", "7 2", "7 3") or sorted(orders[7]) == [0, 1, 2, 3]
    assert len(set(orders)) > 15


def test_the_way_back() -> None:
    for item in items(20, 5):
        once = shuffled(item, 1)
        twice = shuffled(replace(once, id="other"), 2)
        for moved in (once, twice):
            assert moved.answer == item.answer
            assert [item.options[moved.original(i)] for i in range(5)] == list(moved.options)
            assert [moved.extra["origins"][i] for i in range(5)] == [moved.original(i) for i in range(5)]
    assert items(1)[0].original(2) == 2


def test_right_options_are_spread_evenly() -> None:
    for count, options in ((101, 4), (9, 3), (2, 4), (60, 7)):
        places = Counter(item.answer_index for item in balanced(items(count, options), 5))
        assert max(places.values()) - min(places[i] for i in range(options)) <= 1
    mixed = [*items(40, 4), *(replace(item, id="m" + item.id) for item in items(30, 3))]
    made = balanced(mixed, 0)
    assert [item.id for item in made] == [item.id for item in mixed]
    for options, each in ((4, 10), (3, 10)):
        assert Counter(item.answer_index for item in made if len(item.options) == options) == dict.fromkeys(
            range(options), each
        )
    assert balanced(mixed, 0) == made and balanced(mixed, 1) != made


def test_languages_of_one_question_get_one_order() -> None:
    own = items(30)
    both = balanced([*own, *(replace(item, language=HAUSA) for item in own)], 2)
    assert [item.order for item in both[:30]] == [item.order for item in both[30:]]
    control = replace(own[3], id="q3#en", control="english", control_of="q3")
    assert shuffled(control, 9).order == shuffled(own[3], 9).order
