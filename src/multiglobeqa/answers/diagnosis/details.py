"""Figures that go with a diagnosis, for people."""

from __future__ import annotations

from typing import Any

import h3

from multiglobeqa.answers.base import Format, Question
from multiglobeqa.answers.cell import system_of
from multiglobeqa.answers.grids import s2_level
from multiglobeqa.answers.set import Set


def details_of(scorer: Format, question: Question, value: Any, gold: Any) -> dict[str, Any]:
    """Missing and extra members of a set, levels of cells, answer over gold of a number, d of points and boxes."""
    if isinstance(scorer, Set):
        met, wrong, size = scorer._compare(value, gold, question)
        return {"missing": size - met, "extra": wrong}
    if scorer.name in ("distance", "area", "count", "ratio"):
        return {"answer / gold": float(f"{value / gold:.4g}")} if gold else {}
    if scorer.name in ("point", "polygon"):
        name = "km off" if scorer.name == "point" else "1 - IoU"
        return {name: float(f"{scorer.distance(value, gold, question):.4g}")}
    if scorer.name == "geohash":
        return {"length": len(value), "asked": len(gold)}
    if scorer.name == "cell":
        level = h3.get_resolution if system_of(question) == "h3" else s2_level
        return {"level": level(value), "asked": level(gold)}
    return {}
