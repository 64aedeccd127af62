"""The small variant: its size, its presence rules, and exactly how stable it is."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pyarrow as pa
import pytest

from multiglobeqa.build.variants import small

KGS = ("osmh3kg", "worldkg")


def question(number: int, **more: Any) -> dict[str, Any]:
    family = "ABC"[number % 3]
    return {
        "id": f"{number:016x}",
        "kg": KGS[number % 2],
        "family": family,
        "subtemplate": f"{family}0{1 + number % 5}.a",
        "language": "eng",
        "premise": number % 11 != 0,
        "modality": "text",
        "question": f"Question {number}?",
    } | more


def table(rows: list[dict[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist(rows)


def ids(rows: list[dict[str, Any]], quota: int = 200) -> set[str]:
    return set(small(table(rows), quota=quota)["id"].to_pylist())


def cell(row: dict[str, Any]) -> tuple[str, str]:
    return row["kg"], "image" if row["modality"] == "image" else row["family"]


def test_each_cell_gives_up_to_the_quota() -> None:
    rows = [question(n) for n in range(3000)] + [question(n, family="N") for n in range(3000, 3040)]
    chosen = ids(rows)
    sizes = Counter(cell(row) for row in rows)
    found = Counter(cell(row) for row in rows if row["id"] in chosen)
    assert found == {key: min(size, 200) for key, size in sizes.items()}
    assert 20 in found.values() and 200 in found.values()


def test_rows_keep_order_and_columns() -> None:
    rows = [question(n) for n in range(600)]
    random.Random(1).shuffle(rows)
    picked = small(table(rows), quota=10).to_pylist()
    chosen = {row["id"] for row in picked}
    assert picked == [row for row in rows if row["id"] in chosen]


def test_sub_templates_take_turns() -> None:
    """A rare sub-template is taken whole; the common ones share what is left, one more or less."""
    rows = [question(n, kg="worldkg", family="A", subtemplate="A01.a") for n in range(5000)]
    rows += [question(n, kg="worldkg", family="A", subtemplate="A02.a") for n in range(5000, 5400)]
    rows += [question(n, kg="worldkg", family="A", subtemplate="A03.b") for n in range(5400, 5407)]
    chosen = ids(rows)
    found = Counter(row["subtemplate"] for row in rows if row["id"] in chosen)
    assert found["A03.b"] == 7
    assert sorted((found["A01.a"], found["A02.a"])) == [96, 97]


def test_both_premises_of_a_sub_template_are_present() -> None:
    rows = [
        question(n, kg="worldkg", family="A", subtemplate=f"A{n % 20:02d}.a", premise=n % 400 >= 20)
        for n in range(8000)
    ]
    chosen = ids(rows)
    found = {(row["subtemplate"], row["premise"]) for row in rows if row["id"] in chosen}
    assert found == {(f"A{n:02d}.a", premise) for n in range(20) for premise in (True, False)}


def test_share_of_false_premises_stays() -> None:
    rows = [
        question(
            n, kg="worldkg", family=f"{chr(65 + n % 14)}", subtemplate=f"X{n % 70}", premise=n // 70 % 8 != 0
        )
        for n in range(28000)
    ]
    chosen = ids(rows)
    false = [row for row in rows if row["id"] in chosen and not row["premise"]]
    assert len(chosen) == 2800
    assert 0.105 < len(false) / len(chosen) < 0.15  # 12.5 % of all; two standard deviations are 1.3 points


def test_image_slice_is_a_cell_of_its_own() -> None:
    text = [question(n) for n in range(3000)]
    images = [question(n, modality="image") for n in range(3000, 4000)]
    both = ids(text + images)
    assert both == ids(text) | ids(images)
    found = Counter(row["kg"] for row in images if row["id"] in both)
    assert found == {"osmh3kg": 200, "worldkg": 200}


def test_translations_go_with_their_original() -> None:
    english = [question(n) for n in range(3000)]
    german = [question(n, language="deu") for n in range(0, 3000, 2)]
    local = [question(n, language="deu", kg="worldkg", family="A") for n in range(9000, 9500)]
    chosen = small(table(german + local + english))
    by_language: dict[str, set[str]] = {}
    for row in chosen.to_pylist():
        by_language.setdefault(row["language"], set()).add(row["id"])
    assert by_language["eng"] == ids(english)
    translated = {row["id"] for row in german}
    assert by_language["deu"] & translated == ids(english) & translated
    assert len(by_language["deu"] - translated) == 200


@pytest.mark.parametrize("seed", range(25))
def test_added_questions_replace_only_what_they_push_out(seed: int) -> None:
    """For each cell: no old question comes in, and as many leave as new ones came in beyond the free places."""
    rng = random.Random(seed)

    def some(count: int, start: int) -> list[dict[str, Any]]:
        weights = [rng.random() ** 3 for _ in range(9)]
        return [
            question(
                rng.getrandbits(63) // 10**4 * 10**4 + start + n,
                family="A",
                subtemplate=f"A{rng.choices(range(9), weights)[0]}",
                premise=rng.random() > 0.2,
                modality="image" if rng.random() < 0.2 else "text",
            )
            for n in range(count)
        ]

    old, new = some(rng.randrange(50, 900), 0), some(rng.randrange(1, 400), 5000)
    before, after = ids(old, 60), ids(old + new, 60)
    added = {row["id"] for row in new}
    assert after - added <= before
    cells = {row["id"]: cell(row) for row in old + new}
    sizes = Counter(cell(row) for row in old)
    left = Counter(cells[key] for key in before - after)
    came = Counter(cells[key] for key in after & added)
    for key in set(cells.values()):
        free = 60 - min(60, sizes[key])
        assert left[key] == max(0, came[key] - free)
    # and back: taking the new ones away gives the old draw, whatever the order of the rows
    shuffled = old[:]
    rng.shuffle(shuffled)
    assert ids(shuffled, 60) == before


def test_empty_table() -> None:
    empty = table([question(1)]).slice(0, 0)
    assert small(empty).num_rows == 0
