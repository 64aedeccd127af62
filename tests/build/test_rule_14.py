"""TAXONOMY rule 14 over whole builds of small worlds that break it: with the rules the questions are balanced, without
them they are not."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from multiglobeqa import answers
from multiglobeqa.build import BuildConfig, build, sample
from multiglobeqa.kg.store import Snapshot

CITY = "http://stko-kwg.geog.ucsb.edu/lod/resource/city."
Row = dict[str, Any]


def city(template: Row, number: int, lon: float, lat: float) -> Row:
    """A city of the small world's form."""
    import shapely

    point = shapely.Point(round(lon, 6), round(lat, 6))
    return template | {
        "iri": f"{CITY}{number:03d}",
        "name": f"Town {number:03d}",
        "geometry": point.wkb,
        "bbox": {"xmin": point.x, "ymin": point.y, "xmax": point.x, "ymax": point.y},
        "ref_lon": point.x,
        "ref_lat": point.y,
        "admin": [],
    }


def two_clusters() -> Iterator[tuple[float, float]]:
    """Twice 25 towns within a few km, 332 km apart on a meridian, and 14 towns between: most ways run north or south,
    and two in five are 332 km long."""
    rng = np.random.default_rng(14)
    for lat in (0.5, 3.5):
        for x, y in rng.uniform(-0.03, 0.03, (25, 2)):
            yield 0.5 + x, lat + y
    for x, y in rng.uniform(0, 1, (14, 2)):
        yield 0.3 + 0.8 * x, 0.6 + 2.8 * y


def couples() -> Iterator[tuple[float, float]]:
    """Twelve couples and five trios of towns 11 km apart, with nothing else within 200 km: most have one neighbour."""
    for group in range(17):
        lon, lat = -40 + 3 * (group % 6), -10 + 3 * (group // 6)
        yield lon, lat
        yield lon, lat + 0.1
        if group >= 12:
            yield lon + 0.1, lat


def one_cluster() -> Iterator[tuple[float, float]]:
    """Fifty towns within 20 m of each other in one small cell, and 14 apart: a third of the cells asked is the same."""
    for k in range(50):
        yield 0.50003 + 0.000004 * k, 0.5012
    for k in range(14):
        yield 1 + 0.3 * k, 0.6


@dataclass(frozen=True)
class Built:
    """The question rows of a build with the balance rules and of one without."""

    balanced: list[Row]
    raw: list[Row]

    def of(self, sub: str) -> tuple[list[Row], list[Row]]:
        """Rows of one sub-template, balanced and raw."""
        kept, raw = ([row for row in rows if row["subtemplate"] == sub] for rows in (self.balanced, self.raw))
        assert len(kept) >= 6
        return kept, raw


def _build(folder: Path, snapshot: Path, subs: list[str]) -> list[Row]:
    build(BuildConfig(folder, [snapshot], threads=1, per_cell=1000, subtemplates=subs))
    return list(pq.read_table(folder / "questions.parquet").to_pylist())


@pytest.fixture(scope="module")
def built(
    tmp_path_factory: pytest.TempPathFactory,
    make_snapshot: Callable[..., Snapshot],
    small_rows: list[Row],
) -> Built:
    template = next(row for row in small_rows if row["class"] == "city15000")
    worlds = (
        (two_clusters, ["A01.a", "J01.c", "J04.a"]),
        (couples, ["B02.b"]),
        (one_cluster, ["M02.a"]),
    )
    balanced: list[Row] = []
    raw: list[Row] = []
    for towns, subs in worlds:
        rows = [city(template, number, lon, lat) for number, (lon, lat) in enumerate(towns())]
        snapshot = make_snapshot(tmp_path_factory.mktemp("kg"), rows).path
        balanced += _build(tmp_path_factory.mktemp("balanced"), snapshot, subs)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sample, "_balanced", lambda drawn, tolerance: (drawn, Counter()))
            raw += _build(tmp_path_factory.mktemp("raw"), snapshot, subs)
    return Built(balanced, raw)


def shares(rows: list[Row]) -> dict[str, float]:
    """Share of each gold answer."""
    return {gold: count / len(rows) for gold, count in Counter(row["gold"] for row in rows).items()}


def best_constant(rows: list[Row]) -> float:
    """Share of the questions that the best constant answer gets right, under the scorer's own tolerance; a cell only where it
    is the one asked."""
    rule = answers.get(rows[0]["format"], h3_credit="none")
    golds = [json.loads(row["gold"]) for row in rows]
    return max(
        sum(rule.exact_match(guess, gold, row) for row, gold in zip(rows, golds, strict=True))
        for guess in golds
    ) / len(rows)


def test_booleans(built: Built) -> None:
    kept, raw = built.of("J01.c")
    assert 0.45 <= shares(kept)["true"] <= 0.55
    assert not 0.45 <= shares(raw)["true"] <= 0.55


def test_labels(built: Built) -> None:
    kept, raw = built.of("J04.a")
    assert set(shares(kept)) == {'"north"', '"east"', '"south"', '"west"'}
    assert max(shares(kept).values()) <= 0.25 + 0.03 + 1e-9
    assert max(shares(raw).values()) > 0.35


def test_sets_of_one_member(built: Built) -> None:
    kept, raw = ([len(json.loads(row["gold"])) for row in rows] for rows in built.of("B02.b"))
    assert kept.count(1) <= 0.3 * len(kept)
    assert raw.count(1) > 0.5 * len(raw)


@pytest.mark.parametrize("sub", ["A01.a", "M02.a"])
def test_constant_answers(built: Built, sub: str) -> None:
    kept, raw = built.of(sub)
    assert best_constant(kept) <= 0.2
    assert best_constant(raw) > 0.25


def test_the_matrix_and_the_discards_name_the_rules(
    tmp_path: Path, make_snapshot: Callable[..., Snapshot], small_rows: list[Row]
) -> None:
    template = next(row for row in small_rows if row["class"] == "city15000")
    rows = [city(template, number, lon, lat) for number, (lon, lat) in enumerate(couples())]
    folder = tmp_path / "kg"
    folder.mkdir()
    result = build(
        BuildConfig(
            tmp_path / "out",
            [make_snapshot(folder, rows).path],
            threads=1,
            per_cell=1000,
            subtemplates=["B02.b"],
        )
    )
    causes = {row["cause"]: row["count"] for row in result.summary["discards"]}
    assert causes["balance_single_member_sets"] > 0
