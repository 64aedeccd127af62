"""scripts/audit_sample.py: the draw hangs on ids and seed alone, and families and sub-templates take turns."""

from __future__ import annotations

import importlib.util
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "audit_sample.py"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("audit_sample", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def pool() -> list[dict[str, Any]]:
    """Forty questions: A01.a has 20, A02.a 10, B01.a 10; every fifth a false premise, every seventh a picture."""
    subs = ["A01.a"] * 20 + ["A02.a"] * 10 + ["B01.a"] * 10
    return [
        {
            "id": f"{number:016x}",
            "family": sub[0],
            "subtemplate": sub,
            "premise": number % 5 != 0,
            "modality": "image" if number % 7 == 3 else "text",
        }
        for number, sub in enumerate(subs)
    ]


def test_the_draw_is_balanced_and_does_not_hang_on_the_order(script: ModuleType) -> None:
    rows = pool()
    drawn = script.draw(rows, 12, "AB", 3, 2, 1)
    assert [row["id"] for row in drawn] == [row["id"] for row in script.draw(rows[::-1], 12, "AB", 3, 2, 1)]
    assert [row["id"] for row in drawn] != [row["id"] for row in script.draw(rows, 12, "AB", 3, 2, 2)]
    assert len(drawn) == len({row["id"] for row in drawn}) == 12
    assert sum(not row["premise"] for row in drawn) == 3
    assert sum(row["modality"] == "image" and row["premise"] for row in drawn) == 2
    counts = Counter(row["subtemplate"] for row in drawn)
    assert abs(counts["A01.a"] - counts["A02.a"]) <= 1
    assert abs(counts["A01.a"] + counts["A02.a"] - counts["B01.a"]) <= 2
    assert {row["family"] for row in script.draw(rows, 4, "B", 0, 0, 1)} == {"B"}


def test_no_benchmark_and_no_family_are_named(
    script: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        script.main([str(tmp_path), "3"])
    assert ended.value.code == 2 and "questions.parquet is missing" in capsys.readouterr().err
    for name in ("questions.parquet", "facts.parquet"):
        (tmp_path / name).touch()
    with pytest.raises(SystemExit):
        script.main([str(tmp_path), "3", "--families", "AZ"])
    assert "'Z' is no family" in capsys.readouterr().err
