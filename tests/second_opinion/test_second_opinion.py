"""The second opinion: what is drawn, how answers are compared, and, where PostGIS is installed, a whole run."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

ROOT = Path(__file__).parents[2]
WORLD = ROOT / "src" / "multiglobeqa" / "data" / "world"


def _script() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "second_opinion_script", ROOT / "scripts" / "second_opinion.py"
    )
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


opinion: Any = _script()


def row(identity: str, sub: str, **more: Any) -> dict[str, Any]:
    return {
        "id": identity, "subtemplate": sub, "kg": "osmh3kg", "premise": True, "modality": "text", "income": "HIC",
        "density": "low", "format": "distance", "unit": "km", "gold": "10.0", "params": "{}", "roles": "{}",
        "accepted_iris": [], **more,
    }  # fmt: skip


def test_nothing_of_geo_engine_or_solver_is_imported() -> None:
    code = (
        "import sys; sys.argv = ['x', '--help']; import runpy\n"
        "try: runpy.run_path(sys.argv_path, run_name='__main__')\nexcept SystemExit: pass\n"
        "print([m for m in sys.modules if m.startswith(('multiglobeqa.geo', 'multiglobeqa.engine', 'multiglobeqa.solver', 'duckdb'))])"
    )
    code = code.replace("sys.argv_path", repr(str(ROOT / "scripts" / "second_opinion.py")))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                          env={"PYTHONPATH": str(ROOT / "src")})  # fmt: skip
    assert done.stdout.strip().splitlines()[-1] == "[]"


def test_groups_hold_the_families_named() -> None:
    groups = {
        sub: opinion.group_of(sub)
        for sub in (
            "A01.a",
            "B02.b",
            "C09",
            "D03.a",
            "E04",
            "E05.a",
            "E01.a",
            "F01.a",
            "F02.a",
            "F04.d",
            "J02",
            "M01",
            "M02.a",
        )
    }
    assert groups == {
        "A01.a": "metric", "B02.b": "metric", "C09": "topological", "D03.a": "topological", "E04": "topological",
        "E05.a": "topological", "E01.a": None, "F01.a": "directional", "F02.a": None, "F04.d": "directional",
        "J02": "directional", "M01": "directional", "M02.a": None,
    }  # fmt: skip


def test_sub_templates_kgs_and_strata_take_turns() -> None:
    many = [row(f"a{k}", "A01.a", density=("low", "high")[k % 2]) for k in range(50)]
    few = [row("b0", "A02.a", kg="worldkg"), row("b1", "A02.a"), row("b2", "A02.a")]
    drawn = opinion.draw([*many, *few], 6)
    assert Counter(r["subtemplate"] for r in drawn) == {"A01.a": 3, "A02.a": 3}
    assert {r["kg"] for r in drawn if r["subtemplate"] == "A02.a"} == {"osmh3kg", "worldkg"}
    assert {r["density"] for r in drawn if r["subtemplate"] == "A01.a"} == {"low", "high"}
    assert drawn == opinion.draw([*reversed(few), *reversed(many)], 6)  # by hash, not by order


def test_false_premises_and_pictures_are_not_drawn() -> None:
    assert opinion.draw([row("x", "A01.a", premise=False), row("y", "A01.a", modality="image")], 5) == []


@pytest.mark.parametrize(
    ("changes", "found", "within", "tight"),
    [
        ({}, 10.001, True, True),
        ({}, 10.2, True, False),
        ({}, 12.0, False, False),
        ({}, None, False, False),
        ({"format": "area", "gold": "1000.0", "unit": "km2"}, 1000.9, True, True),
        ({"format": "area", "gold": "1000.0", "unit": "km2"}, 1002.0, True, False),
        ({"format": "boolean", "gold": "true"}, False, False, False),
        ({"format": "count", "gold": "3"}, 3, True, True),
        ({"format": "count", "gold": "3"}, 4, False, False),
        ({"format": "set", "gold": '["x", "y"]', "accepted_iris": ["i:y", "i:x"]}, ["i:x", "i:y"], True, True),
        ({"format": "set", "gold": '["x", "y"]', "accepted_iris": ["i:y", "i:x"]}, ["i:x"], False, False),
        ({"format": "entity", "gold": '"x"', "accepted_iris": ["i:x"]}, "i:x", True, True),
        ({"format": "entity", "gold": '"x"', "accepted_iris": ["i:x"]}, "i:y", False, False),
        ({"format": "label", "gold": '"left"'}, "right", False, False),
        ({"format": "point", "gold": '{"lat": 10.0, "lon": 179.999}'}, {"lat": 10.0, "lon": -179.999}, True, False),
        ({"format": "polar", "gold": '{"azimuth_deg": 359.999, "distance_km": 10}'}, {"azimuth_deg": 0.001, "distance_km": 10}, True, True),
        ({"format": "polar", "gold": '{"azimuth_deg": 90, "distance_km": 10}'}, {"azimuth_deg": 140, "distance_km": 10}, False, False),
    ],
)  # fmt: skip
def test_comparison(changes: dict[str, Any], found: Any, within: bool, tight: bool) -> None:
    verdict = opinion.compare(row("q", "A01.a", **changes), found)
    assert (verdict.within, verdict.tight) == (within, tight)


def test_each_section_names_its_sub_templates_once() -> None:
    named = [sub for subs, _ in opinion.sections() for sub in subs]
    assert len(named) == len(set(named)) > 60
    assert all(opinion.group_of(sub) for sub in named)
    assert all(select.upper().startswith(("SELECT", "WITH")) for _, select in opinion.sections())


def test_other_snapshots_are_refused(tmp_path: Path) -> None:
    (tmp_path / "build.json").write_text(json.dumps({"snapshots": {"osmh3kg": "osmh3kg-0"}}))
    with pytest.raises(opinion.OpinionError, match="was built from osmh3kg-0"):
        opinion.check_snapshots(tmp_path, [WORLD / "osmh3kg"])


@pytest.fixture(scope="module")
def server() -> Iterator[Path]:
    """A private cluster; skipped where PostGIS is not installed, since a test installs nothing."""
    if not any(Path("/usr/share/postgresql").glob("*/extension/postgis.control")) or not shutil.which("psql"):
        pytest.skip("PostGIS is not installed; `make postgis` installs it")
    folder = Path(
        tempfile.mkdtemp(prefix="mgqa-postgis-")
    )  # pytest's own folders are closed to the user postgres
    folder.chmod(0o755)
    script = str(ROOT / "scripts" / "postgis.sh")
    started = subprocess.run(
        ["sh", script, "start", str(folder)], capture_output=True, text=True, check=False
    )
    assert started.returncode == 0, started.stderr
    yield Path(started.stdout.strip())
    subprocess.run(["sh", script, "stop", str(folder)], check=True)
    assert not (folder / "data" / "postmaster.pid").exists()
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from multiglobeqa.build import BuildConfig, build

    if not (WORLD / "osmh3kg" / "manifest.json").is_file():
        pytest.skip("the embedded world is not there")
    out = tmp_path_factory.mktemp("bench")
    subs = ["A01", "A04.a", "A09.b", "B02.a", "C09", "D03.a", "E04", "F01.a", "J01.a", "J04.b", "K04", "M01"]
    build(BuildConfig(out=out, kgs=[WORLD / "osmh3kg"], threads=1, per_cell=3, subtemplates=subs))
    return out


@pytest.mark.slow
def test_postgis_agrees(server: Path, bench: Path) -> None:
    verdicts, left_out = opinion.run(bench, opinion.Psql(server), [WORLD / "osmh3kg"], 40)
    assert not left_out and {v.group for v in verdicts} == set(opinion.FAMILIES) and len(verdicts) >= 20
    assert [v for v in verdicts if not v.within] == []
    text = opinion.report(verdicts, left_out)
    assert f"| **metric** | all | {sum(v.group == 'metric' for v in verdicts)} |" in text


@pytest.mark.slow
def test_postgis_finds_planted_wrong_answers(server: Path, bench: Path, tmp_path: Path) -> None:
    rows = pq.read_table(bench / "questions.parquet").to_pylist()
    planted: set[str] = set()
    for changed in rows:
        gold = json.loads(changed["gold"])
        if changed["format"] == "distance" and changed["subtemplate"] == "A01.a":
            changed["gold"] = json.dumps(gold * 2)
        elif changed["format"] == "boolean" and changed["subtemplate"] in ("C09", "J01.a"):
            changed["gold"] = json.dumps(not gold)
        elif changed["format"] == "set":
            changed["accepted_iris"] = changed["accepted_iris"][1:]
        else:
            continue
        planted.add(changed["id"])
    shutil.copytree(bench, tmp_path / "bench")
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "bench" / "questions.parquet")
    verdicts, _ = opinion.run(tmp_path / "bench", opinion.Psql(server), [WORLD / "osmh3kg"], 100)
    assert {v.id for v in verdicts if not v.within} == planted & {v.id for v in verdicts}
    assert len(planted) >= 4
