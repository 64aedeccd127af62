"""The benchmark of nearest places on small data: exact methods agree, plane methods run, wrong ones count."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import shapely

pytest.importorskip("geopandas")


@pytest.fixture(scope="module")
def bench() -> ModuleType:
    path = Path(__file__).resolve().parents[2] / "benchmarks" / "nearest.py"
    spec = importlib.util.spec_from_file_location("bench_nearest", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def data(bench: ModuleType) -> Any:
    """600 points, 40 probes, the last at the pole; regions on both sides of 180 and around the pole."""
    small = bench.clustered_places(600)
    for name in ("probe_lon", "probe_lat"):
        small[name] = np.append(small[name][:39], 0.0 if name == "probe_lon" else 90.0)
    small["regions"] = np.array(
        [
            shapely.box(179, -18, 180, -16),
            shapely.box(-180, -18, -179.5, -16),
            shapely.box(-20, 60, 20, 70),
            shapely.box(-180, 85, 180, 90),
        ]
    )
    return small


@pytest.mark.parametrize("task", ["k_nearest", "nearest", "within", "regions"])
def test_exact_methods_agree_and_wrong_answers_count(bench: ModuleType, data: Any, task: str) -> None:
    answers = {name: method(data)() for name, method in bench.TASKS[task][1].items()}
    exact = answers[bench.OURS]
    assert bench.check_exact(task, data, exact, 20) == 20
    assert exact.size
    for name, answer in answers.items():
        wrong, total, _ = bench.count_wrong(task, data, answer, exact)
        assert total > 0
        assert ("EPSG" in name) == (wrong > 0), name


def test_a_wrong_answer_of_this_package_stops_the_run(bench: ModuleType, data: Any) -> None:
    index = bench.TASKS["nearest"][1][bench.OURS](data)()
    with pytest.raises(SystemExit, match="differs from brute force"):
        bench.check_exact("nearest", data, (index + 1) % 600, 20)
    with pytest.raises(SystemExit, match="differs from brute force"):
        bench.check_exact("within", data, np.zeros((2, 0), dtype=int), 20)


def test_boxes_hold_the_disc_at_the_seam_and_the_pole(bench: ModuleType) -> None:
    lon, lat = np.array([179.9, 20.0, -60.0]), np.array([-17.0, 89.9, 0.0])
    shapes, owner = bench.boxes(lon, lat, 50.0)
    assert np.bincount(owner).tolist() == [2, 1, 1]
    for azimuth in range(0, 360, 10):
        x, y, _ = bench.GEOD.fwd(lon, lat, np.full(3, float(azimuth)), np.full(3, 49_999.0))
        inside = shapely.intersects_xy(shapes, np.asarray(x)[owner], np.asarray(y)[owner])
        assert set(owner[inside].tolist()) == {0, 1, 2}


def test_inputs_are_read_back_the_same(bench: ModuleType, data: Any, tmp_path: Path) -> None:
    bench.save(tmp_path / "input.npz", data)
    again = bench.load(tmp_path / "input.npz")
    assert again.keys() == data.keys()
    assert (again["lon"] == data["lon"]).all()
    assert shapely.equals_exact(again["regions"], data["regions"]).all()
    bench.child("nearest", bench.OURS, tmp_path / "input.npz", tmp_path / "answer.npy", 1)
    assert len(np.load(tmp_path / "answer.npy")) == 40
