"""The benchmark of the build's growth: slopes, memory of processes, one small run."""

from __future__ import annotations

import math
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from multiglobeqa.build import embedded_snapshots

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def growth() -> Any:
    sys.path.insert(0, str(BENCHMARKS))
    try:
        import build_growth as module

        yield module
    finally:
        sys.path.remove(str(BENCHMARKS))


def test_slope_of_powers(growth: ModuleType) -> None:
    assert growth.slope((10, 5), (100, 50)) == pytest.approx(1)
    assert growth.slope((10, 5), (100, 500)) == pytest.approx(2)
    assert growth.slope((10, 5), (100, 5)) == pytest.approx(0)
    assert math.isnan(growth.slope((10, 0), (100, 5)))
    assert math.isnan(growth.slope((10, 5), (10, 6)))


@pytest.mark.skipif(not Path("/proc/self/status").is_file(), reason="needs /proc")
def test_memory_of_this_process_and_its_children(growth: ModuleType) -> None:
    before = growth.memory_mb(os.getpid())
    block = bytearray(60 * 1024**2)
    block[::4096] = b"x" * len(block[::4096])
    peak, tree = growth.memory_mb(os.getpid())
    assert peak >= before[0]
    assert tree >= before[1] + 50
    assert growth.memory_mb(2**22 + 1) == (0, 0)


def test_one_build_is_measured(growth: ModuleType, tmp_path: Path) -> None:
    world = [path for path in embedded_snapshots() if path.name == "osmh3kg"]
    options = ["--per-cell", "1", "--threads", "1", "--subtemplate", "M02.a"]
    run = growth.build(world, tmp_path / "out", options)
    assert run.entities == 5448
    assert run.questions > 0
    assert run.seconds > 0
    assert run.tree_mb >= run.peak_mb > 50
    assert "query M02.a" in run.stages
    assert len(growth.line(run, None).split()) == 5
    twice = growth.Run(2 * run.entities, 2 * run.seconds, run.peak_mb, run.tree_mb, run.questions, run.stages)
    assert growth.line(twice, run).split()[-2:] == ["1.00", "0.00"]
    assert any(text.startswith("query M02.a") for text in growth.stage_lines(run, twice))


def test_a_failed_build_stops_the_run(growth: ModuleType, tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="is not a KG snapshot"):
        growth.build([tmp_path], tmp_path / "out", ["--per-cell", "1", "--threads", "1"])
