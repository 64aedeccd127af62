"""Import speed: OSM extracts to features with geometries, this package against QuackOSM.

Both read the named objects of a file with all their tags and geometries: this package into entity rows and
labels (named objects of a known class, ways of one road merged), QuackOSM into GeoParquet (every object with
a name, ways apart, unsorted). Each run is a process of its own; the least of the repeats counts, without the
start of Python. QuackOSM starts worker processes of its own, which weighs on small files.

    python benchmarks/import_speed.py [FILE.osm.pbf ...] [--repeat N] [--quackosm-python PYTHON]

Without files: those of the shared data (environment variable MGQA_SHARED, else the folder `shared` beside the
repository). ``--quackosm-python`` names an interpreter that has QuackOSM, if this one has not (``pip install
.[bench]`` puts it here). QuackOSM's DuckDB extension is installed from the package duckdb_extension_spatial
into a temporary home, so nothing is fetched.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[1]
FILES = (
    "registry/osm_registry/monaco_quackosm-0.19.0.osm.pbf",
    "registry/osm_registry/liechtenstein-2013-08-03_debian-osm2pgsql-1.8.0.osm.pbf",
    "public/osm/china_7-105-51.osm.pbf",
)


def run_ours(path: Path, folder: Path) -> tuple[float, int]:
    """Seconds and features of one import by this package."""
    from multiglobeqa.kg.osm import read
    from multiglobeqa.kg.report import ImportReport

    start = time.perf_counter()
    raw, labels = read(path, ImportReport(path.name))
    rows = sum(batch.num_rows for batch in raw)
    sum(batch.num_rows for batch in labels)
    return time.perf_counter() - start, rows


def run_quackosm(path: Path, folder: Path) -> tuple[float, int]:
    """Seconds and features of one conversion by QuackOSM."""
    import duckdb
    import duckdb_extension_spatial
    import pyarrow.parquet as pq
    import quackosm

    found = Path(duckdb_extension_spatial.__file__).parent.rglob("spatial.duckdb_extension*")
    duckdb.execute(f"INSTALL '{next(iter(sorted(found)))}'")
    start = time.perf_counter()
    out = quackosm.convert_pbf_to_parquet(
        path, tags_filter={"name": True}, keep_all_tags=True, working_directory=folder, ignore_cache=True,
        sort_result=False, verbosity_mode="silent",
    )  # fmt: skip
    return time.perf_counter() - start, pq.read_metadata(out).num_rows


RUNNERS = {"multiglobeqa": run_ours, "quackosm": run_quackosm}


def measure(tool: str, python: str, path: Path, repeat: int) -> dict[str, Any]:
    """The fastest of ``repeat`` runs in processes of their own: seconds, features, peak memory in MB."""
    best: dict[str, Any] = {}
    for _ in range(repeat):
        with tempfile.TemporaryDirectory(prefix="mgqa-bench-") as folder:
            environment = {**os.environ, "HOME": folder, "PYTHONPATH": str(REPOSITORY / "src")}
            done = subprocess.run(
                [python, __file__, "--run", tool, str(path), folder],
                env=environment, capture_output=True, text=True, check=False,
            )  # fmt: skip
        lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
        if done.returncode or not lines:
            raise SystemExit(f"{tool} failed on {path}:\n{done.stderr.strip()[-2000:]}")
        result = json.loads(lines[-1])
        if not best or result["seconds"] < best["seconds"]:
            best = result
    return best


def child(tool: str, path: Path, folder: Path) -> None:
    """One run; prints a JSON line."""
    seconds, features = RUNNERS[tool](path, folder)
    peak = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    unit = 1024**2 if sys.platform == "darwin" else 1024
    print(json.dumps({"seconds": seconds, "features": features, "peak_mb": peak // unit}))


def shared_files() -> list[Path]:
    """The default extracts, or a message that says how to name others."""
    data = Path(os.environ.get("MGQA_SHARED", REPOSITORY.parent / "shared")) / "data"
    files = [data / name for name in FILES if (data / name).is_file()]
    if not files:
        print("import_speed: no extracts found; set MGQA_SHARED or name .osm.pbf files. Nothing measured.")
    return files


def has_quackosm(python: str) -> bool:
    """Whether an interpreter can import QuackOSM."""
    code = "import quackosm, duckdb_extension_spatial"
    return subprocess.run([python, "-c", code], capture_output=True, check=False).returncode == 0


def main() -> None:
    """Measure and print the table."""
    if sys.argv[1:2] == ["--run"]:
        child(sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4]))
        return
    parser = argparse.ArgumentParser(description="Import speed against QuackOSM.")
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--quackosm-python", default=sys.executable)
    options = parser.parse_args()
    files = options.files or shared_files()
    if files and not has_quackosm(options.quackosm_python):
        print("import_speed: QuackOSM is not installed here; `pip install .[bench]` or --quackosm-python.")
        files = []
    if not files:
        return
    print(f"{'file':<38} {'multiglobeqa':>28} {'quackosm':>28} {'ratio':>7}")
    print(f"{'':<38} {'s     features  peak MB':>28} {'s     features  peak MB':>28}")
    for path in files:
        ours = measure("multiglobeqa", sys.executable, path, options.repeat)
        theirs = measure("quackosm", options.quackosm_python, path, options.repeat)
        cells = [f"{r['seconds']:9.2f} {r['features']:9d} {r['peak_mb']:8d}" for r in (ours, theirs)]
        print(
            f"{path.name[:38]:<38} {cells[0]:>28} {cells[1]:>28} {theirs['seconds'] / ours['seconds']:6.1f}x"
        )
    print("ratio: QuackOSM's seconds over ours; above 1, this package is faster.")


if __name__ == "__main__":
    main()
