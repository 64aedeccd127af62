"""Measures of how firmly two entities meet, through the operator `pair`, on the hand-made world."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from multiglobeqa.engine import DuckEngine, run_operator
from multiglobeqa.kg.store import Snapshot


def test_widths_ends_holes_and_largest_parts(
    tmp_path: Path, make_snapshot: Callable[..., Snapshot], small_rows: list[dict[str, Any]]
) -> None:
    engine = DuckEngine([make_snapshot(tmp_path, small_rows)])

    def measured(left: str, right: str, *names: str) -> list[Any]:
        pairs = (
            "SELECT l.id AS left_id, r.id AS right_id FROM entity l, entity r "
            f"WHERE l.name = '{left}' AND r.name = '{right}'"
        )
        run_operator(engine, "pair", "found", {"pairs": pairs, "of": list(names)})
        (row,) = engine.query("SELECT * FROM found").to_pylist()
        return [row[name] for name in names]

    width, gap, main = measured("Pond", "Westland", "overlap_width_km", "hole_gap_share", "main_part_meets")
    assert 5 < width < 12 and gap is None and main is True  # 11 by 22 km, no hole
    longest, least = measured("Long Road", "Cross Road", "crossing_end_km", "crossing_end_least_km")
    assert longest == least > 0
    assert measured("Long Road", "Westland", "main_part_meets") == [True]
