"""Diagnoses: are planted mistakes recognised, how often does chance make one, and how fast are they.

    python benchmarks/diagnosis.py --benchmark FOLDER [--draws N] [--answers N] [--seed N]

1. Planted: every value of every stored slip is given as the answer. Printed: how many get a diagnosis, how many that
   of the slip itself, and how many list it. A slip may equal another of the same question in value: then it is listed.
2. Chance: each question is answered with the golds of N other questions of its sub-template and KG, wrong ones only: a
   cause diagnosed there was none. Printed by format and key, of the wrong answers of the format. Causes should stay
   under 2 %; facts claim no cause, and their share only says how much they tell.
3. Guesses: each number is answered with N guesses of its size, two digits long (the gold times a log-normal factor,
   sigma 0.5), and each point with places some 100 km off: harder, since factors such as 1.6 are common among guesses.
4. Speed: the chance answers, repeated to N answers, through ``diagnose_many``; seconds and peak memory.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import resource
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY / "src"))

from multiglobeqa import answers  # noqa: E402
from multiglobeqa.answers.base import gold_of  # noqa: E402
from multiglobeqa.answers.diagnosis import diagnose_many, explain, key_of_slip  # noqa: E402
from multiglobeqa.answers.diagnosis.many import USED, findings  # noqa: E402

MOST = 0.02


def main() -> None:
    """Run all four."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--benchmark", type=Path, required=True)
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--answers", type=int, default=700_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    table = pq.read_table(options.benchmark / "questions.parquet")
    table = table.filter(table["premise"])
    rows = table.select([*USED[:-3], "id"]).to_pylist()
    planted(rows)
    at, texts = chance_answers(rows, options.draws, random.Random(options.seed))
    chance(table, rows, at, texts, "chance")
    chance(table, rows, *guesses(rows, options.draws, random.Random(options.seed)), "guesses")
    speed(table, at, texts, options.answers)


def planted(rows: list[dict[str, Any]]) -> None:
    """Every stored slip as an answer."""
    asked: defaultdict[str, tuple[list[Any], list[Any], list[str]]] = defaultdict(lambda: ([], [], []))
    for row in rows:
        scorer, gold = answers.get(row["format"]), gold_of(row)
        for name, value in json.loads(row["slips"]).items():
            several = isinstance(value, list) and row["format"] != "set"
            for one in value if several else [value]:
                if not scorer.exact_match(one, gold, row):
                    for column, cell in zip(
                        asked[row["format"]], (row, one, key_of_slip(name, row["format"])), strict=True
                    ):
                        column.append(cell)
    print(f"{'planted slips':12}{'answers':>10}{'diagnosed':>11}{'own first':>11}{'own listed':>12}")
    total = np.zeros(4, np.int64)
    for name, (questions, values, wanted) in sorted(asked.items()):
        found = findings(name, questions, values, whole=True)
        first = sum(key == want for key, want in zip(found.keys, wanted, strict=True))
        listed = sum(want in found.listed(row) for row, want in enumerate(wanted))
        counts = np.array([len(values), sum(key is not None for key in found.keys), first, listed])
        total += counts
        print(f"{name:12}{counts[0]:>11}{counts[1]:>11}{counts[2]:>11}{counts[3]:>12}")
    print(f"{'all':12}{total[0]:>11}{total[1]:>11}{total[2]:>11}{total[3]:>12}")


def chance_answers(
    rows: list[dict[str, Any]], draws: int, rng: random.Random
) -> tuple[np.ndarray, list[str]]:
    """Rows and wrong answers as JSON, drawn from the other golds of the sub-template in the same KG."""
    golds: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for row in rows:
        golds[row["subtemplate"], row["kg"]].append(row["gold"])
    at: list[int] = []
    texts: list[str] = []
    for place, row in enumerate(rows):
        scorer, gold = answers.get(row["format"]), gold_of(row)
        others = golds[row["subtemplate"], row["kg"]]
        for text in rng.choices(others, k=draws):
            if not scorer.exact_match(json.loads(text), gold, row):
                at.append(place)
                texts.append(text)
    return np.array(at, np.int64), texts


def guesses(rows: list[dict[str, Any]], draws: int, rng: random.Random) -> tuple[np.ndarray, list[str]]:
    """Rows and wrong guesses as JSON, of about the right size or place."""
    at: list[int] = []
    texts: list[str] = []
    for place, row in enumerate(rows):
        scorer, gold = answers.get(row["format"]), gold_of(row)
        for _ in range(draws):
            guess: Any
            if row["format"] in ("distance", "area", "count", "ratio"):
                guess = float(f"{gold * math.exp(rng.gauss(0, 0.5)):.2g}")
                guess = round(guess) if row["format"] == "count" else guess
            elif row["format"] == "point":
                guess = {
                    "lat": round(gold["lat"] + rng.gauss(0, 1), 4),
                    "lon": round(gold["lon"] + rng.gauss(0, 1), 4),
                }
                if abs(guess["lat"]) > 90 or abs(guess["lon"]) > 180:
                    continue
            else:
                break
            if not scorer.exact_match(guess, gold, row):
                at.append(place)
                texts.append(json.dumps(guess))
    return np.array(at, np.int64), texts


def chance(table: pa.Table, rows: list[dict[str, Any]], at: np.ndarray, texts: list[str], title: str) -> None:
    """What is diagnosed where no mistake was made."""
    keys = diagnose_many(table, at, pa.array(texts)).to_pylist()
    size: Counter[str] = Counter()
    said: Counter[tuple[str, str]] = Counter()
    for row, key in zip(at.tolist(), keys, strict=True):
        size[rows[row]["format"]] += 1
        if key:
            said[rows[row]["format"], key] += 1
    for nature in ("cause", "fact", "form"):
        print(f"\n{title}: {nature}s, % of the format's wrong answers (> {MOST:.0%}: *)")
        for (name, key), count in sorted(said.items(), key=lambda pair: (pair[0][0], -pair[1])):
            if explain(key).nature == nature:
                share = count / size[name]
                print(
                    f"{name:12}{key:34}{100 * share:8.2f} %{'  *' if share > MOST else ''}   {count} of {size[name]}"
                )
    causes = sum(count for (_, key), count in said.items() if explain(key).nature == "cause")
    print(
        f"\n{title}, all formats: a cause in {causes} of {size.total()}: {100 * causes / size.total():.2f} %"
    )


def speed(table: pa.Table, at: np.ndarray, texts: list[str], size: int) -> None:
    """Seconds for ``size`` answers."""
    turns = -(-size // len(texts))
    many = np.tile(at, turns)[:size]
    listed = pa.array((texts * turns)[:size])
    before = resource.getrusage(resource.RUSAGE_SELF)
    start = time.perf_counter()
    diagnose_many(table, many, listed)
    seconds = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_SELF)
    print(
        f"\nspeed: {size} answers in {seconds:.1f} s by the clock, {after.ru_utime - before.ru_utime:.1f} s of CPU; "
        f"peak memory {after.ru_maxrss / 1024:.0f} MB"
    )


if __name__ == "__main__":
    main()
